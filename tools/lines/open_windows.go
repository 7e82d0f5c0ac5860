package lines

// openNonblock: named pipes have a name space of their own here.
const openNonblock = 0

package disk

import (
	"errors"
	"syscall"
)

// openNonblock: named pipes have a name space of their own here.
const openNonblock = 0

// errDirectory is ERROR_DIRECTORY (winerror.h): a part of the path is a file.
const errDirectory = syscall.Errno(267)

func isNotDir(err error) bool { return errors.Is(err, errDirectory) }

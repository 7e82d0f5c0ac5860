package lang

// Declaration is a named part of one file, as a parser sees it without knowing
// other files.
type Declaration struct {
	Name string // as it is referred to within its container; "T.Method" for Go methods
	Kind string // "function", "method", "class", "type", "constant", …
	// Depth counts the declarations around it; they stand before it in a list.
	Depth int
	// From, Line and Last are lines, 1-based: the first of the comments, decorators
	// and attributes that belong to it, the one where it begins, and the last.
	From, Line, Last int
}

// Declarations finds the declarations of a file's text, outer ones before those
// within them. name tells the language by its extension. ok is false where there
// is no parser for it.
type Declarations func(name, text string) (list []Declaration, ok bool)

package syntax

// Functions finds all functions, methods and closures of a text, outer ones
// before those within them. lang is as for Enclosing; nil where it has no parser
// here.
func Functions(lang, src string) []Function { return outline(language(lang), src) }

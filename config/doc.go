// Package config turns layers of settings into one typed struct. A layer is a
// JSONC text: the user's file, the project's file, what an editor sent. Later
// layers win leaf by leaf; a wrong value is reported with key, file and line
// and the rest loads. It is a leaf and reads no files by itself, but for the
// trust store.
//
// Never: start anything, read the environment, or apply a project's layer that
// the user has not trusted (the caller decides which layers to give).
package config

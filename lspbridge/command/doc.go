// Package command answers workspace/executeCommand: the commands behind code
// actions and those that a person binds to a key. Table lists them all.
//
// Never: wait for a turn to end; start a turn before the command is answered;
// know what the agent does with the input.
package command

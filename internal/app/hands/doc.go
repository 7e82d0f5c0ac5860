// Package hands gives the tools about an agent's own thread and its person
// what they work on: the agent, the rules, the editor.
//
// Never: decide anything; it maps words of one room to those of another.
package hands

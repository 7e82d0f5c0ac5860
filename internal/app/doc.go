// Package app constructs the rooms and connects them: settings and trust to
// models, tools to the pipeline, the pipeline to the agent, the agent to the
// bridge or to the command line. It decides nothing that a room could decide.
//
// Never: hold logic that a test of a room would have to reach through here.
package app

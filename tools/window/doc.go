// Package window holds the tools that are about the model's own window and
// time: get_context_remaining, new_context, current_time.
//
// Never: count tokens or shorten a thread (the agent does).
package window

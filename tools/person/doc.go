// Package person holds the tools ask_user and request_permissions: what an agent
// wants of the person who looks on.
//
// Never: answer in the person's place; grant anything (who makes the tools does,
// after the person said yes).
package person

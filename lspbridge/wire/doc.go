// Package wire holds the JSON forms of the companion/* surface: params, results
// and events, and the checks of what comes in. Package companion says which
// methods they belong to.
//
// Tags: a field without omitempty is required (need:"true" marks one whose
// absence is judged later), enum lists a text's values, desc describes, type
// names what raw JSON holds; the schema is made of them.
//
// Never: change an event; leave a required field out because it is zero.
package wire

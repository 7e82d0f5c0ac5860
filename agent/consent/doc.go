// Package consent is what a person is asked about a thread as a whole: more
// rights for it, and whether a model that goes round in circles may go on.
//
// Never: reach a person (who makes the agent does); decide in their place.
package consent

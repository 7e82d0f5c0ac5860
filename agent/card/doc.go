// Package card holds what is known of models: which tools they are best at and
// what they can take.
//
// Never: ask a vendor; know a setting.
package card

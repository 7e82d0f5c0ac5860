// Package permission judges what a prepared call would do (rules, modes,
// grants), and asks a person where no rule answers. It is two stages of the
// pipeline: policy and approval.
//
// Never: run anything; decide by a tool's name where an effect says it;
// read a rule from a repository that the user has not trusted.
package permission

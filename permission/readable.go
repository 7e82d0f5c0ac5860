package permission

import "companion/tools"

// Readable gives, for one call of a tool that looks through folders, whether a
// file that it comes by may be read without asking: rules that deny or ask keep
// its content back, and so does its being a secret. That it lies outside the
// roots does not: the folder that is looked through was an effect of the call.
func (j *Judge) Readable(call tools.Call, spec tools.Spec) func(path string) bool {
	c := judged{&tools.Invocation{Call: call, Spec: spec}, call.Mode, true, j.rules(call)}
	return func(path string) bool {
		return j.read(c, tools.Effect{Kind: tools.Read, Path: path}).action == Allow
	}
}

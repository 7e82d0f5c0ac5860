package offline

import (
	"slices"
	"strings"
)

// bars notes why a failed call was not allowed, and tells whether it was for
// want of rights that it failed.
func (p *plan) bars(r result) bool {
	why := barred(firstParagraph(r.text))
	if why != "" && !slices.Contains(p.barred, why) {
		p.barred = append(p.barred, why)
	}
	return why != ""
}

// barred gives the reason of a refusal in words for the person, "" where text
// is none. The words are those of the gates: a decision of the person or a
// rule, a tool that the mode withholds, a folder that is not trusted, a file
// that the editor or the system keeps from being written.
func barred(text string) string {
	why, denied := strings.CutPrefix(text, "Denied, and not run: ")
	if !denied && !slices.ContainsFunc(rightsWords(), func(s string) bool { return strings.Contains(text, s) }) {
		return ""
	}
	for _, s := range toldToModels() {
		why = strings.Replace(why, s, "", 1)
	}
	if why = strings.TrimSpace(why); !strings.HasSuffix(why, ".") {
		why += "."
	}
	return why
}

func rightsWords() []string {
	return []string{
		" may not be called in this step: ", "has not trusted", "is not trusted", "it is read-only there",
		"read-only file system", "permission denied", "Access is denied",
	}
}

// toldToModels are the sentences of refusals that tell a model what to do, and
// a person nothing.
func toldToModels() []string {
	return []string{
		"Not done: ",
		" Do not try to reach the same in another way; say what you need, or go on without it.",
		" Do not retry it and do not work around it.", " Go on without it, or say what you need it for.",
		" Do not work around it.", " Read it again before you retry.", " Say what you would change.", " Say what you would do instead.",
	}
}

package ask

import "strings"

// Below says whether a kind is one of only or a part of one.
func Below(kind string, only []string) bool {
	for _, o := range only {
		if kind == o || strings.HasPrefix(kind, o+".") || o == "" {
			return true
		}
	}
	return len(only) == 0
}

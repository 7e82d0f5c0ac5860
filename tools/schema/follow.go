package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// Follow gives what a reference within a document ("#", "#/a/b") leads to; ok
// is false for any other reference and where nothing is. child gives the member
// or item of one value.
func Follow(root any, ref string, child func(v any, step string) (any, bool)) (found any, ok bool) {
	if ref == "#" {
		return root, true
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	found = root
	for step := range strings.SplitSeq(path, "/") {
		if plain, err := url.PathUnescape(step); err == nil {
			step = plain
		}
		if found, ok = child(found, unescape.Replace(step)); !ok {
			return nil, false
		}
	}
	return found, true
}

// Nth is the item of a list that a step of a reference names.
func Nth(list []any, step string) (any, bool) {
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}

func childOf(v any, step string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		x, ok := v[step]
		return x, ok
	case []any:
		return Nth(v, step)
	}
	return nil, false
}

package edit

import (
	"encoding/json"
	"maps"

	"companion/tools/schema"
)

type args struct {
	Path  string        `json:"path" desc:"File to edit, from the working folder or absolute."`
	Edits []replacement `json:"edits" min:"1" desc:"Replacements, in order; one or more."`
}

type replacement struct {
	Old string `json:"old" desc:"Text to replace, exactly as the file has it, without line numbers. Empty only for a file that is missing or empty."`
	New string `json:"new" desc:"Text to put there, taken literally."`
	All bool   `json:"all,omitempty" desc:"Replace every occurrence. Default false: old must occur once."`
}

// inner and outer are other spellings that models know from other programs.
func inner() map[string]string {
	return map[string]string{
		"old_string": "old", "oldString": "old", "old_text": "old", "oldText": "old", "old_str": "old", "search": "old", "find": "old",
		"new_string": "new", "newString": "new", "new_text": "new", "newText": "new", "new_str": "new", "replace": "new", "replacement": "new",
		"replace_all": "all", "replaceAll": "all",
	}
}

func outer() map[string]string {
	return map[string]string{
		"file_path": "path", "filePath": "path", "filepath": "path", "file": "path", "filename": "path",
		"replacements": "edits", "changes": "edits",
	}
}

// Fit takes other spellings too, and one replacement that stands beside the path
// instead of in a list.
func (t edit) Fit(raw json.RawMessage) (json.RawMessage, error) {
	raw = schema.Rename(raw, outer())
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return t.form.Fit(raw)
	}
	var list []json.RawMessage
	switch _, listed := members["edits"]; {
	case listed && json.Unmarshal(members["edits"], &list) == nil:
		for i, e := range list {
			list[i] = schema.Rename(e, inner())
		}
	case listed: // one object, or a list in a string: Fit coerces both
		members["edits"] = schema.Rename(members["edits"], inner())
	default:
		beside := schema.Rename(raw, inner())
		var one map[string]json.RawMessage
		if json.Unmarshal(beside, &one) != nil || one["new"] == nil {
			return t.form.Fit(raw)
		}
		members = maps.Clone(one)
		maps.DeleteFunc(members, func(k string, _ json.RawMessage) bool { return k == "old" || k == "new" || k == "all" })
		maps.DeleteFunc(one, func(k string, _ json.RawMessage) bool { return k != "old" && k != "new" && k != "all" })
		single, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		list = []json.RawMessage{single}
	}
	if list != nil {
		edits, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		members["edits"] = edits
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return t.form.Fit(out)
}

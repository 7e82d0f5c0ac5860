package schema

import "encoding/json"

// Rename gives the members of an object the names that a schema has for them:
// names maps other spellings to these. A member whose right name is there
// already keeps its own. What is no object comes back as it is.
func Rename(args json.RawMessage, names map[string]string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return args
	}
	did := false
	for spelled, v := range members {
		name, ok := names[spelled]
		if !ok {
			continue
		}
		if _, there := members[name]; !there {
			delete(members, spelled)
			members[name] = v
			did = true
		}
	}
	if !did {
		return args
	}
	out, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return out
}

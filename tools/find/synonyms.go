package find

import "strings"

// alike are words that people and tools use for one thing. A word of a query
// finds the others of its line too, for a part of its worth.
const alike = `
create add make new insert open
delete remove drop erase forget
get read fetch retrieve show view see
list find search query lookup
update edit change modify set patch
run execute exec evaluate invoke call
send post publish
save store write remember memory
folder directory dir
document doc documentation
repository repo
pr pull
mr merge
database db
postgres postgresql pg sql
kubernetes k8s kubectl
javascript js
typescript ts
application app
configuration config setting
environment env
parameter param argument
image picture photo
screenshot capture
link url
website site web
message msg
address location place
distance far long
person user people member
error exception crash failure
job task
organization org organisation
row record entry
column field
`

// synonyms gives the stems of each stem's likes.
func synonyms() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(alike) {
		group := strings.Fields(line)
		for i, w := range group {
			group[i] = stem(w)
		}
		for i, w := range group {
			for j, other := range group {
				if i != j && w != other {
					out[w] = append(out[w], other)
				}
			}
		}
	}
	return out
}

package match

import (
	"strings"
	"testing"
)

// Texts of which every line is alike are the worst that blocks are sought in.
func BenchmarkFindAmongLinesThatAreAlike(b *testing.B) {
	s := strings.Repeat("\tsame(line)\n", 100_000)
	for name, old := range map[string]string{
		"one line":     "  other(line)\n",
		"a long block": strings.Repeat("  same(line)\n", 1_000) + "  other(line)\n",
		"an anchor":    "  same(line)\n" + strings.Repeat("  other(line)\n", 1_000) + "  same(line)\n",
		"escapes":      `  same(\"line\")\n` + strings.Repeat("x", 100),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if pass, _ := Find(s, old, Options{}); pass != None {
					b.Fatal(pass)
				}
			}
		})
	}
}

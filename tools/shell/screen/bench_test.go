package screen

import (
	"strings"
	"testing"
)

func BenchmarkScreen(b *testing.B) {
	text := []byte(strings.Repeat("a line of the flood, as long as many are\r\n", 1000))
	for name, o := range map[string]Options{"pipe": {}, "terminal": {Cols: 120, Rows: 40}} {
		b.Run(name, func(b *testing.B) {
			s := New(o)
			b.SetBytes(int64(len(text)))
			for range b.N {
				_, _ = s.Write(text)
			}
			s.Take()
		})
	}
}

package walk

import (
	"context"
	"runtime"
	"testing"
)

// BenchmarkWalk lists Go's own sources.
func BenchmarkWalk(b *testing.B) {
	for b.Loop() {
		n := 0
		for range Open(runtime.GOROOT(), Options{}).Files(context.Background()) {
			n++
		}
		b.ReportMetric(float64(n), "files")
	}
}

package walk

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkWalk lists what Go is built from.
func BenchmarkWalk(b *testing.B) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	for b.Loop() {
		n := 0
		for range Open(dir, Options{}).Files(context.Background()) {
			n++
		}
		b.ReportMetric(float64(n), "files")
	}
}

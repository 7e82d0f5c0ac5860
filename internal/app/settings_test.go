package app

import (
	"os"
	"path/filepath"
	"testing"

	"companion/config"
)

// A repository's file that changes between the judgement and the taking must
// not bring in what nobody trusted.
func TestWhatWasJudgedIsWhatIsTaken(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, ".companion", "config.jsonc")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"model":"good/x"}`)
	trust := config.NewTrust(t.TempDir())
	if err := trust.Set(root, true); err != nil {
		t.Fatal(err)
	}
	e := env{"COMPANION_CONFIG=" + os.DevNull}
	for _, swap := range []struct {
		name                  string
		before, after, models string
		skipped               int
	}{
		{"good, then evil", `{"model":"good/x"}`, `{"model":"evil/x"}`, "good/x", 0},
		{"evil, then good", `{"model":"evil/x"}`, `{"model":"good/x"}`, config.Default().Model, 1},
	} {
		t.Run(swap.name, func(t *testing.T) {
			write(swap.before)
			list, skipped, problems := layers(e, []string{root}, func(r string, p config.Project) bool {
				write(swap.after)
				return trust.TrustedAs(r, p)
			})
			got, wrong := config.Load(list...)
			if got.Model != swap.models || len(skipped) != swap.skipped || len(problems)+len(wrong) != 0 {
				t.Errorf("model %q, skipped %v, problems %v %v", got.Model, skipped, problems, wrong)
			}
		})
	}
}

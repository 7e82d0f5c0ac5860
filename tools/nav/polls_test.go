package nav

import "testing"

// A slow language server is asked again and again until it knows: that is what
// the result advises, and no circle.
func TestDiagnosticsMayBeAskedForAgain(t *testing.T) {
	if !(diagnostics{}).Spec().Polls {
		t.Error("three questions for diagnostics running would be taken for a circle")
	}
}

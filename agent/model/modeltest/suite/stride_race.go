//go:build race

package suite

// stride under the race detector, which makes each split ten times slower and
// finds nothing new in them; the build without it tries every position.
const stride = 13

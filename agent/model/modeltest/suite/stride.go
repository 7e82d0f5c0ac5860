//go:build !race

package suite

// stride is the distance between the positions at which a stream is split: all.
const stride = 1

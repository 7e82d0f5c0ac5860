//go:build !race

package editortest_test

const raceDetector = false

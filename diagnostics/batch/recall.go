package batch

import (
	"strings"

	"companion/diagnostics/delta"
	"companion/diagnostics/lspclient"
	"companion/tools"
)

// Now is the client's sequence number, 0 without one.
func Now(c *lspclient.Client) uint64 {
	if c == nil {
		return 0
	}
	return c.Now()
}

// Recall finds the last list that was confirmed before the step's first edit
// of the file, and that edit's sequence number.
func Recall(c *lspclient.Client, f *File) (delta.Known, uint64) {
	if c == nil {
		return delta.Known{}, 0
	}
	edits, lists := c.History(f.Path)
	first := -1
	for i := range edits {
		if edits[i].Text == f.Before && i+1 < len(edits) {
			first = i + 1
		}
	}
	if first < 0 {
		return delta.Known{}, 0
	}
	since := edits[first].Seq
	for i := len(lists) - 1; i >= 0; i-- {
		if lists[i].Open && lists[i].Seq < since {
			return delta.Known{Items: lists[i].Items, Text: lists[i].Text, OK: true}, since
		}
	}
	return delta.Known{}, since
}

// AddLate tells, in a result, of problems that came after their own result.
func AddLate(r *tools.Result, listing string) {
	if r == nil {
		return
	}
	r.Text = strings.TrimRight(r.Text, "\n") + "\n\nNew since the last result, by an earlier edit or another program:\n" + listing
}

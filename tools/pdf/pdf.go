package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ledongthuc/pdf"

	"companion/tools/bounded"
)

// Text is what a file says.
type Text struct {
	// Pages are the texts of the pages that were read, from the first.
	Pages []string
	// Total is how many pages the file has.
	Total int
}

// MaxPages bounds how many pages are read of one file.
const MaxPages = 2_000

// ErrCrooked is what a file gets that the parser cannot read.
var ErrCrooked = errors.New("the PDF cannot be read")

// Is tells whether data begins as a PDF does.
func Is(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-"))
}

// Read gives the text of a file, at most limit bytes of it: the page that would
// go beyond is the last. It returns when ctx ends, with what was read by then
// and ctx's error. A file without text, such as a scan, has empty pages.
func Read(ctx context.Context, data []byte, limit int) (Text, error) {
	reader, err := bounded.Run(ctx, func() (*pdf.Reader, error) { return pdf.NewReader(bytes.NewReader(data), int64(len(data))) })
	if err != nil {
		return Text{}, crooked(err)
	}
	var out Text
	if out.Total, err = bounded.Run(ctx, func() (int, error) { return reader.NumPage(), nil }); err != nil {
		return Text{}, crooked(err)
	}
	used := 0
	for n := 1; n <= min(out.Total, MaxPages) && used <= limit; n++ {
		page, err := bounded.Run(ctx, func() (string, error) {
			p := reader.Page(n)
			if p.V.IsNull() {
				return "", nil
			}
			return text(p), nil
		})
		if err != nil {
			return out, crooked(err)
		}
		out.Pages = append(out.Pages, page)
		used += len(page)
	}
	return out, nil
}

func crooked(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCrooked, err)
}

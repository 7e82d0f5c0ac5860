package fs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"companion/text"
	"companion/tools"
	"companion/tools/lines"
	"companion/tools/pdf"
	"companion/workspace"
)

// headSize is how many bytes tell what a file is.
const headSize = 8 << 10

func headOf(path string) ([]byte, error) {
	f, err := lines.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return nil, err // a file of the system may wait for something to read
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// wholeOf reads a regular file, at most limit bytes of it.
func wholeOf(path string, limit int64) ([]byte, error) {
	f, err := lines.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, workspace.ErrNotFile)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// binary says what a file is that is no text.
func binary(name string, head []byte, path string, size int64) string {
	return fmt.Sprintf("%s is a binary file (%s, %d bytes); its bytes are not shown.", name, magic(head, path), size)
}

// magic names the kind of bytes by how they begin, else by the file's extension.
func magic(head []byte, path string) string {
	for _, m := range []struct {
		at   int
		sign string
		kind string
	}{
		{0, "\x7fELF", "ELF program or library"},
		{0, "MZ", "Windows program or library"},
		{0, "\xfe\xed\xfa\xce", "Mach-O program"},
		{0, "\xcf\xfa\xed\xfe", "Mach-O program"},
		{0, "\xca\xfe\xba\xbe", "Java class or Mach-O program"},
		{0, "\x00asm", "WebAssembly"},
		{0, "SQLite format 3\x00", "SQLite database"},
		{0, "\xfd7zXZ\x00", "xz archive"},
		{0, "\x28\xb5\x2f\xfd", "Zstandard archive"},
		{0, "BZh", "bzip2 archive"},
		{0, "7z\xbc\xaf\x27\x1c", "7-Zip archive"},
		{257, "ustar", "tar archive"},
		{0, "!<arch>\n", "static library or package"},
		{0, "\x93NUMPY", "NumPy array"},
		{0, "PAR1", "Parquet table"},
		{0, "\x89HDF\r\n\x1a\n", "HDF5 data"},
		{0, "git\x00", "git data"},
		{0, "DIRC", "git index"},
		{0, "PACK", "git pack"},
		{0, "\xd0\xcf\x11\xe0", "old Microsoft Office document"},
	} {
		if len(head) >= m.at+len(m.sign) && string(head[m.at:m.at+len(m.sign)]) == m.sign {
			return m.kind
		}
	}
	kind := http.DetectContentType(head[:min(len(head), 512)])
	byName := map[string]string{
		".docx": "Word document", ".xlsx": "Excel workbook", ".pptx": "PowerPoint slides", ".odt": "OpenDocument text", ".jar": "Java archive",
		".whl": "Python wheel", ".apk": "Android package", ".epub": "EPUB book", ".pyc": "Python bytecode", ".o": "object file", ".bin": "raw data",
		".dat": "raw data", ".pdf": "PDF", ".heic": "HEIC picture", ".avif": "AVIF picture", ".woff2": "WOFF2 font", ".pkl": "Python pickle",
	}[strings.ToLower(filepath.Ext(path))]
	switch {
	case kind == "application/zip" && byName != "":
		return byName
	case kind == "application/octet-stream" || strings.HasPrefix(kind, "text/"):
		if byName == "" {
			byName = "unknown kind"
		}
		return byName
	}
	return kind
}

// garbled tells whether a text that can be decoded holds so many control
// characters that it is none: 1 in 50 of what is no UTF-8, 1 in 10 of what is.
func garbled(s string, charset text.Charset) bool {
	s = s[:min(len(s), 64<<10)]
	controls, all := 0, 0
	for _, r := range s {
		all++
		if r < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", r) || r == 0x7f {
			controls++
		}
	}
	if charset == text.CharsetLatin1 {
		return controls*50 > all
	}
	return controls*10 > all
}

func marked16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xFF\xFE")) || bytes.HasPrefix(b, []byte("\xFE\xFF"))
}

// guess16 decodes UTF-16 without a byte order mark, where every other byte of
// most characters is NUL; the charset is "" where it is none.
func guess16(b []byte) (string, text.Charset) {
	var zeros [2]int
	for i, c := range b {
		if c == 0 {
			zeros[i%2]++
		}
	}
	units := len(b) / 2
	var charset text.Charset
	switch {
	case len(b)%2 != 0 || units < 2:
		return "", ""
	case zeros[0] == 0 && zeros[1]*10 >= units*7:
		charset = text.CharsetUTF16LE
	case zeros[1] == 0 && zeros[0]*10 >= units*7:
		charset = text.CharsetUTF16BE
	default:
		return "", ""
	}
	u := make([]uint16, units)
	for i := range u {
		lo, hi := b[2*i], b[2*i+1]
		if charset == text.CharsetUTF16BE {
			lo, hi = hi, lo
		}
		u[i] = uint16(lo) | uint16(hi)<<8
	}
	s := string(utf16.Decode(u))
	if strings.ContainsRune(s, unicode.ReplacementChar) || garbled(s, text.CharsetLatin1) {
		return "", ""
	}
	return s, charset
}

// noText shows UTF-16 without a mark, and says of all else what it is.
func (r reading) noText() (tools.Result, error) {
	info, err := os.Stat(r.f.Path)
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	head, err := headOf(r.f.Path)
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	if info.Size() <= large {
		if whole, err := wholeOf(r.f.Path, large); err == nil {
			if s, charset := guess16(whole); charset != "" {
				v := view{name: r.name(), args: r.args}
				v.note(fmt.Sprintf("(The file seems to be %s without a byte order mark: it is shown so, but it cannot be edited as text.)\n", strings.ToUpper(string(charset))))
				out, err := v.show(context.Background(), lines.Of(s))
				return tools.Result{Outcome: tools.OK, Text: out, Display: "Read " + r.name()}, err
			}
		}
	}
	return tools.Result{}, tools.Fail(binary(r.name(), head, r.f.Path, info.Size()))
}

// Bounds of reading a PDF file, in bytes of the file and of its text.
const (
	pdfSize = 64 << 20
	pdfText = 8 << 20
	pdfTime = 20 * time.Second
)

// pdf shows the text of a PDF file by pages.
func (r reading) pdf(ctx context.Context, size int64) (tools.Result, error) {
	if size > pdfSize {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is a PDF of %d bytes, over the %d that are read. Use a command that takes pages out of it.", r.name(), size, pdfSize))
	}
	data, err := wholeOf(r.f.Path, pdfSize)
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	bound, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	doc, err := pdf.Read(bound, data, pdfText)
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	if len(doc.Pages) == 0 {
		why := "it has no pages"
		if err != nil {
			why = err.Error()
		}
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is a binary file (PDF, %d bytes) whose text cannot be read: %s.", r.name(), size, why))
	}
	var b strings.Builder
	said := false
	for i, page := range doc.Pages {
		said = said || strings.TrimSpace(page) != ""
		fmt.Fprintf(&b, "--- page %d of %d ---\n", i+1, doc.Total)
		if page != "" {
			b.WriteString(strings.TrimRight(page, "\n") + "\n")
		}
	}
	if !said {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is a PDF of %d pages (%d bytes) without text, perhaps a scan.", r.name(), doc.Total, size))
	}
	v := view{name: r.name(), args: r.args}
	v.note(fmt.Sprintf("(The text of a PDF of %d pages; offset and limit count the lines of this text.)\n", doc.Total))
	if len(doc.Pages) < doc.Total {
		v.note(fmt.Sprintf("(Only the first %d pages could be read.)\n", len(doc.Pages)))
	}
	out, err := v.show(ctx, lines.Of(b.String()))
	return tools.Result{Outcome: tools.OK, Text: out, Display: "Read " + r.name()}, err
}

package web

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// mediaType is the type of a body, by its header or, where that says nothing,
// by its bytes; params are the header's.
func mediaType(header string, sniffed string) (kind string, params map[string]string) {
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || kind == "" || kind == "application/octet-stream" || kind == "unknown/unknown" {
		s, p, _ := mime.ParseMediaType(sniffed)
		if kind == "" || strings.HasPrefix(s, "text/") || s == "application/pdf" {
			kind = s
		}
		if params == nil {
			params = map[string]string{}
		}
		delete(p, "charset") // a guess, not a statement
	}
	return kind, params
}

// binary tells whether a body is no text although it is called so: more than 2 in
// 100 of its bytes are control characters that no text has. What is in UTF-16 by
// its header or byte order mark is not judged.
func binary(body []byte, label string) bool {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte{0xFF, 0xFE}) {
		return false
	}
	controls := 0
	for _, b := range body {
		if b < 0x20 && (b < '\b' || b > '\r') && b != 0x1B {
			controls++
		}
	}
	return controls*50 > len(body)
}

// decode turns bytes into text by byte order mark, header, meta element or, at
// last, by what the bytes can be. note says what could not be read; an error,
// that the text would be mostly wrong.
func decode(body []byte, kind string, label string, cut bool) (text, note string, err error) {
	if cut { // a letter may be cut in the middle
		for i := 0; i < utf8.UTFMax-1 && len(body) > 0; i++ {
			if r, n := utf8.DecodeLastRune(body); r != utf8.RuneError || n != 1 {
				break
			}
			if utf8.Valid(body[:len(body)-1-i]) {
				body = body[:len(body)-1-i]
				break
			}
		}
	}
	enc, name, err := encodingOf(body, kind, label)
	if err != nil {
		return "", "", err
	}
	for _, bom := range [][]byte{{0xEF, 0xBB, 0xBF}, {0xFE, 0xFF}, {0xFF, 0xFE}} {
		if bytes.HasPrefix(body, bom) {
			body = body[len(bom):]
			break
		}
	}
	out, _, err := transform.Bytes(enc.NewDecoder(), body)
	if err != nil {
		return "", "", fmt.Errorf("its text cannot be read as %s: %w", name, err)
	}
	text = strings.ToValidUTF8(string(out), "\uFFFD")
	bad := strings.Count(text, "\uFFFD") - bytes.Count(body, []byte("\uFFFD"))
	letters := utf8.RuneCountInString(text)
	switch {
	case bad <= 0:
	case bad*50 > letters: // more than 2 in 100
		return "", "", fmt.Errorf("its text cannot be read as %s: %d of %d characters are none", name, bad, letters)
	default:
		note = fmt.Sprintf("%d characters could not be read as %s; they are shown as \uFFFD", bad, name)
	}
	return text, note, nil
}

func encodingOf(body []byte, kind, label string) (encoding.Encoding, string, error) {
	bom := bytes.HasPrefix(body, []byte{0xEF, 0xBB, 0xBF}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte{0xFF, 0xFE})
	if label != "" && !bom {
		enc, name := charset.Lookup(label)
		if enc == nil || name == "replacement" {
			return nil, "", fmt.Errorf("the server says that its text is in %q, which is no known encoding", label)
		}
		return enc, name, nil
	}
	if !isHTML(kind) && !bom && utf8.Valid(body) {
		return encoding.Nop, "utf-8", nil
	}
	enc, name, certain := charset.DetermineEncoding(body, "")
	if name == "replacement" {
		return nil, "", fmt.Errorf("the page is in an encoding that is not read any more, because it hides attacks")
	}
	if !certain && utf8.Valid(body) {
		return encoding.Nop, "utf-8", nil
	}
	return enc, name, nil
}

func isHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

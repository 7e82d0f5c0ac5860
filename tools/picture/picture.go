package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"companion/tools/bounded"
)

const (
	// maxFile is the most bytes of a file that are read.
	maxFile = 50 << 20
	// maxPixels bounds what is decoded: 160 MB at 4 bytes each.
	maxPixels = 40_000_000
	// maxEdge is the longest side that is sent: what Anthropic's models see at most
	// (docs.anthropic.com, Vision: larger pictures are scaled down to 1,568); the
	// others take more.
	maxEdge = 1568
	// maxSent bounds the bytes sent: 5 MB in base64, the least bound among the vendors
	// (the same page).
	maxSent = 5_000_000 / 4 * 3
)

// Fitted is a picture as it is sent.
type Fitted struct {
	Format                  string // of the file: "PNG", "JPEG", "GIF", "WebP"
	Width, Height           int    // of the file in pixels, upright
	ShownWidth, ShownHeight int
	Turned                  bool // by what the camera noted
	Animated                bool // only the first frame is sent
	MimeType                string
	Data                    []byte
}

// Format names the kind of picture that bytes begin with, "" = none that can be
// shown.
func Format(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "PNG"
	case bytes.HasPrefix(head, []byte("\xFF\xD8\xFF")):
		return "JPEG"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "GIF"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "WebP"
	}
	return ""
}

type codec struct {
	config func([]byte) (image.Config, error)
	decode func([]byte) (image.Image, error)
	mime   string // "" = not sent as it is
}

func codecOf(format string) codec {
	r := func(b []byte) *bytes.Reader { return bytes.NewReader(b) }
	switch format {
	case "PNG":
		return codec{
			func(b []byte) (image.Config, error) { return png.DecodeConfig(r(b)) },
			func(b []byte) (image.Image, error) { return png.Decode(r(b)) }, "image/png",
		}
	case "JPEG":
		return codec{
			func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(r(b)) },
			func(b []byte) (image.Image, error) { return jpeg.Decode(r(b)) }, "image/jpeg",
		}
	case "GIF": // not every vendor takes it
		return codec{
			func(b []byte) (image.Config, error) { return gif.DecodeConfig(r(b)) },
			func(b []byte) (image.Image, error) { return gif.Decode(r(b)) }, "",
		}
	}
	return codec{webpConfig, func(b []byte) (image.Image, error) { return webp.Decode(r(b)) }, "image/webp"}
}

// Fit makes a picture fit to be sent. It decodes all of it, so that no damaged one
// is. ctx bounds the time.
func Fit(ctx context.Context, data []byte) (Fitted, error) {
	format := Format(data)
	if format == "" {
		return Fitted{}, errors.New("it is no PNG, JPEG, GIF or WebP")
	}
	return bounded.Run(ctx, func() (Fitted, error) { return fit(format, data) })
}

func fit(format string, data []byte) (Fitted, error) {
	c := codecOf(format)
	conf, err := c.config(data)
	if err != nil {
		return Fitted{}, fmt.Errorf("its %s header cannot be read (%w)", format, err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || conf.Width > maxPixels/conf.Height {
		return Fitted{}, fmt.Errorf("it claims %d × %d pixels, over the bound of %d million in all; scale it down with a command first", conf.Width, conf.Height, maxPixels/1_000_000)
	}
	img, err := c.decode(data)
	if err != nil {
		return Fitted{}, fmt.Errorf("the %s is damaged, or of a kind that is not known here (%w)", format, err)
	}
	turn := 1
	if format == "JPEG" {
		turn = orientation(data)
	}
	out := Fitted{
		Format: format, Turned: turn > 1, Animated: format == "GIF" && animated(data),
		Width: img.Bounds().Dx(), Height: img.Bounds().Dy(), MimeType: c.mime, Data: data,
	}
	w, h := within(out.Width, out.Height)
	asIs := c.mime != "" && turn == 1 && w == out.Width && h == out.Height && len(data) <= maxSent
	if !asIs {
		img = upright(scaled(img, w, h), turn)
		if out.MimeType, out.Data, err = encode(img, format == "JPEG", maxSent); err != nil {
			return Fitted{}, err
		}
	}
	if turn >= 5 { // on its side
		out.Width, out.Height = out.Height, out.Width
		w, h = h, w
	}
	out.ShownWidth, out.ShownHeight = w, h
	return out, nil
}

// within is the size that fits the longest side.
func within(w, h int) (int, int) {
	longest := max(w, h)
	if longest <= maxEdge {
		return w, h
	}
	return max(1, w*maxEdge/longest), max(1, h*maxEdge/longest)
}

func scaled(img image.Image, w, h int) image.Image {
	b := img.Bounds()
	if b.Dx() == w && b.Dy() == h {
		return img
	}
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(dst, dst.Bounds(), img, b, stddraw.Src, nil)
	return dst
}

// encode gives photos as JPEG and all else as PNG, unless that is too large.
func encode(img image.Image, photo bool, limit int) (mime string, data []byte, err error) {
	var b bytes.Buffer
	if !photo {
		if err := png.Encode(&b, img); err != nil {
			return "", nil, err
		}
		if b.Len() <= limit {
			return "image/png", b.Bytes(), nil
		}
		flat := image.NewRGBA(img.Bounds())
		stddraw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, stddraw.Src)
		stddraw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, stddraw.Over)
		img = flat
	}
	for _, quality := range []int{85, 70, 50, 30} {
		b.Reset()
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
			return "", nil, err
		}
		if b.Len() <= limit {
			return "image/jpeg", b.Bytes(), nil
		}
	}
	return "", nil, fmt.Errorf("it has %d bytes even as a poor JPEG", b.Len())
}

// animated tells whether a GIF has a second frame (GIF89a, 18 to 24).
func animated(data []byte) bool {
	if len(data) < 13 {
		return false
	}
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	frames := 0
	for at := 13 + table(data[10]); at+10 < len(data); {
		switch data[at] {
		case 0x2C: // a frame: its place, colours and code size
			if frames++; frames > 1 {
				return true
			}
			at += 11 + table(data[at+9])
		case 0x21: // an extension
			at += 2
		default:
			return false
		}
		for at < len(data) && data[at] != 0 { // pieces of it
			at += 1 + int(data[at])
		}
		at++
	}
	return false
}

// webpConfig is the largest size that a WebP claims: of its canvas or of the frame
// in it.
func webpConfig(data []byte) (image.Config, error) {
	conf, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return conf, err
	}
	for at := 12; at+8 <= len(data); {
		id, size := string(data[at:at+4]), int(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		w, h := 0, 0
		switch {
		case id == "VP8 " && len(body) >= 10:
			w, h = int(binary.LittleEndian.Uint16(body[6:]))&0x3FFF, int(binary.LittleEndian.Uint16(body[8:]))&0x3FFF
		case id == "VP8L" && len(body) >= 5:
			bits := binary.LittleEndian.Uint32(body[1:])
			w, h = int(bits&0x3FFF)+1, int(bits>>14&0x3FFF)+1
		}
		conf.Width, conf.Height = max(conf.Width, w), max(conf.Height, h)
		if size < 0 || size > len(body) {
			break
		}
		at += 8 + size + size%2
	}
	return conf, nil
}

package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/workspace"
)

// flag is a picture whose corners are told apart: red, green, blue, white from
// the upper left on, by rows.
func flag(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 255, 255, 255}
			switch {
			case x < w/2 && y < h/2:
				c = color.NRGBA{255, 0, 0, 255}
			case y < h/2:
				c = color.NRGBA{0, 255, 0, 255}
			case x < w/2:
				c = color.NRGBA{0, 0, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, img image.Image, turn byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	if turn == 0 {
		return b.Bytes()
	}
	exif := append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), turn, 0, 0, 0, 0, 0, 0)
	head := append([]byte{0xFF, 0xD8, 0xFF, 0xE1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
	return append(append(head, exif...), b.Bytes()[2:]...)
}

func gifOf(t *testing.T, frames int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for i := range frames {
		p := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.White})
		p.SetColorIndex(i, i, 1)
		all.Image, all.Delay = append(all.Image, p), append(all.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func webpOf(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// One white pixel, lossy and lossless.
const (
	lossy    = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	lossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
)

func TestAPictureIsMadeFit(t *testing.T) {
	for name, c := range map[string]struct {
		data     []byte
		format   string
		mime     string
		w, h     int // of the file
		sw, sh   int // shown
		same     bool
		animated bool
	}{
		"small PNG":        {pngOf(t, flag(40, 20)), "PNG", "image/png", 40, 20, 40, 20, true, false},
		"small JPEG":       {jpegOf(t, flag(40, 20), 0), "JPEG", "image/jpeg", 40, 20, 40, 20, true, false},
		"at the edge":      {pngOf(t, flag(maxEdge, 20)), "PNG", "image/png", maxEdge, 20, maxEdge, 20, true, false},
		"wide PNG":         {pngOf(t, flag(3136, 20)), "PNG", "image/png", 3136, 20, 1568, 10, false, false},
		"tall JPEG":        {jpegOf(t, flag(20, 3136), 0), "JPEG", "image/jpeg", 20, 3136, 10, 1568, false, false},
		"a thread":         {pngOf(t, flag(9000, 1)), "PNG", "image/png", 9000, 1, 1568, 1, false, false},
		"GIF":              {gifOf(t, 1), "GIF", "image/png", 20, 10, 20, 10, false, false},
		"animated GIF":     {gifOf(t, 3), "GIF", "image/png", 20, 10, 20, 10, false, true},
		"lossy WebP":       {webpOf(t, lossy), "WebP", "image/webp", 1, 1, 1, 1, true, false},
		"lossless WebP":    {webpOf(t, lossless), "WebP", "image/webp", 1, 1, 1, 1, true, false},
		"turned JPEG":      {jpegOf(t, flag(40, 20), 6), "JPEG", "image/jpeg", 20, 40, 20, 40, false, false},
		"turned and large": {jpegOf(t, flag(3136, 32), 8), "JPEG", "image/jpeg", 32, 3136, 16, 1568, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Fit(context.Background(), c.data)
			if err != nil {
				t.Fatal(err)
			}
			if p.Format != c.format || p.MimeType != c.mime || p.Width != c.w || p.Height != c.h || p.ShownWidth != c.sw || p.ShownHeight != c.sh || p.Animated != c.animated {
				t.Errorf("got %s %s %d×%d shown %d×%d animated %v", p.Format, p.MimeType, p.Width, p.Height, p.ShownWidth, p.ShownHeight, p.Animated)
			}
			if bytes.Equal(p.Data, c.data) != c.same {
				t.Error("sent as it is, or not, against what is wanted")
			}
			conf, err := codecOf(Format(p.Data)).config(p.Data)
			if err != nil || conf.Width != c.sw || conf.Height != c.sh {
				t.Errorf("what is sent is %d×%d, %v", conf.Width, conf.Height, err)
			}
		})
	}
}

func TestAPhotoIsTurnedAsTheCameraNoted(t *testing.T) {
	names := map[byte]string{ // the corners by rows, for each orientation
		1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB",
	}
	for turn := byte(1); turn <= 8; turn++ {
		p, err := Fit(context.Background(), jpegOf(t, flag(64, 32), turn))
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		got := ""
		for _, at := range [][2]int{{4, 4}, {b.Dx() - 5, 4}, {4, b.Dy() - 5}, {b.Dx() - 5, b.Dy() - 5}} {
			r, g, bl, _ := img.At(at[0], at[1]).RGBA()
			switch {
			case r > 0x8000 && g > 0x8000:
				got += "W"
			case r > 0x8000:
				got += "R"
			case g > 0x8000:
				got += "G"
			case bl > 0x8000:
				got += "B"
			}
		}
		if turn != 1 && got != names[turn] { // 1 is sent as it is
			t.Errorf("orientation %d: corners %s, want %s", turn, got, names[turn])
		}
	}
}

func TestCrookedOrientationsAreNone(t *testing.T) {
	whole := jpegOf(t, flag(8, 8), 6)
	for n := range 60 {
		if got := orientation(whole[:n]); n < 38 && got != 1 {
			t.Errorf("%d bytes: %d", n, got)
		}
	}
	for i := range 60 {
		crooked := bytes.Clone(whole)
		for j := i; j < min(i+4, len(crooked)); j++ {
			crooked[j] = 0xFF
		}
		_ = orientation(crooked) // does not panic
	}
}

// bomb is a PNG header that claims many pixels.
func bomb(w, h uint32) []byte {
	ihdr := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	ihdr = append(binary.BigEndian.AppendUint32(ihdr, h), 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	out = append(out, ihdr...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr))
}

func TestWhatCannotBeShownIsRefusedBeforeItIsSent(t *testing.T) {
	whole := pngOf(t, flag(200, 200))
	wide := webpOf(t, lossless)
	binary.LittleEndian.PutUint32(wide[21:], 0x3FFF|0x3FFF<<14) // 16,384 pixels square
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a bomb":            {bomb(100_000, 100_000), "over the bound"},
		"a bomb by product": {bomb(1<<31-1, 1<<31-1), ""},
		"a WebP bomb":       {wide, "over the bound"},
		"cut off":           {whole[:len(whole)/2], "damaged"},
		"only a header":     {[]byte("\x89PNG\r\n\x1a\n"), "header"},
		"JPEG by two bytes": {[]byte("\xFF\xD8\xFF\xE0"), "header"},
		"no picture":        {[]byte("hello"), "no PNG"},
		"nothing":           {nil, "no PNG"},
		"WebP by name":      {[]byte("RIFF\x04\x00\x00\x00WEBP"), "header"},
	} {
		if _, err := Fit(context.Background(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestWhatIsLargeIsSentSmaller(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 60, 60)) // noise does not compress
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	for _, c := range []struct {
		limit int
		mime  string // "" = it cannot be made that small
	}{{20_000, "image/png"}, {8_000, "image/jpeg"}, {2_500, "image/jpeg"}, {100, ""}} {
		mime, data, err := encode(img, false, c.limit)
		if mime != c.mime || len(data) > c.limit || (err != nil) != (c.mime == "") {
			t.Errorf("limit %d: %d bytes of %s, %v", c.limit, len(data), mime, err)
		}
	}
}

func run(t *testing.T, files map[string][]byte, path string) (tools.Result, error) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(viewArgs{path})
	action, err := New(ws).Prepare(context.Background(), tools.Call{Roots: []string{root}, Args: raw})
	if err != nil {
		return tools.Result{}, err
	}
	return action.Run(context.Background(), nil)
}

func TestViewImageGivesThePictureAndItsSizes(t *testing.T) {
	res, err := run(t, map[string][]byte{"a b.png": pngOf(t, flag(3136, 28))}, "a b.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"a b.png is a PNG picture of 3136 × 28 pixels", "scaled to 1568 × 14"} {
		if !strings.Contains(res.Text, w) {
			t.Errorf("%s lacks %s", res.Text, w)
		}
	}
	if len(res.Content) != 1 || res.Content[0].Kind != tools.ImageContent || res.Content[0].MimeType != "image/png" || len(res.Content[0].Data) == 0 {
		t.Errorf("got %+v", res.Content)
	}
	if !New(nil).Spec().Sees {
		t.Error("it is offered to models that do not see")
	}
}

func TestViewImageSaysWhatIsNoPicture(t *testing.T) {
	for path, want := range map[string]string{
		"a.txt": "no PNG, JPEG, GIF or WebP", "a.svg": "use read", ".": "no file with a picture", "gone.png": "There is no file gone.png", "bomb.png": "over the bound",
	} {
		_, err := run(t, map[string][]byte{"a.txt": []byte("hello"), "a.svg": []byte("<svg/>"), "bomb.png": bomb(1<<20, 1<<20)}, path)
		var r *tools.Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// FuzzFit: no bytes bring it down, and what it gives can be decoded.
func FuzzFit(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	for _, s := range []string{lossy, lossless} {
		b, _ := base64.StdEncoding.DecodeString(s)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Fit(context.Background(), b)
		if err != nil {
			if strings.Contains(err.Error(), "panic") {
				t.Log(err) // of the decoder, and caught
			}
			return
		}
		if _, err := codecOf(Format(p.Data)).decode(p.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkFit is a photo of 12 million pixels.
func BenchmarkFit(b *testing.B) {
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, flag(4000, 3000), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Fit(context.Background(), buf.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}

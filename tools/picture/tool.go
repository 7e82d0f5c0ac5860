package picture

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/lines"
	"companion/tools/schema"
	"companion/workspace"
)

//go:embed view_image.md
var doc string

// maxTime bounds the decoding and scaling of one picture.
const maxTime = 20 * time.Second

type viewArgs struct {
	Path string `json:"path" desc:"Picture file, from the working folder or absolute."`
}

type view struct{ ws *workspace.Workspace }

// New is the tool view_image.
func New(ws *workspace.Workspace) tools.Tool { return view{ws} }

func (view) Spec() tools.Spec {
	return tools.Spec{
		Name: "view_image", Title: "View a picture", Description: strings.TrimSpace(doc), Input: schema.Of[viewArgs](),
		ReadOnly: true, Sees: true, Folded: true, SearchHint: "look at an image, screenshot, photo, diagram, png, jpeg",
	}
}

func (t view) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[viewArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, told, err := files.Locate(ctx, t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Viewing " + files.Shown(f.Rel),
		Locations: []tools.Location{{Path: f.Path}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return t.run(ctx, call, f, told)
		},
	}, nil
}

func (t view) run(ctx context.Context, call tools.Call, f workspace.File, told string) (tools.Result, error) {
	if err := files.Still(t.ws, f); err != nil {
		return tools.Result{}, err
	}
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		r := files.Missing(call, f)
		if told != "" {
			r.Text = told + " " + r.Text
		}
		return tools.Result{}, r
	case err != nil:
		return tools.Result{}, files.Refuse(f, err)
	case !info.Mode().IsRegular():
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is no file with a picture in it.", files.Shown(f.Rel)))
	}
	if strings.EqualFold(filepath.Ext(f.Path), ".svg") {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is SVG, which is text: use read. To see it drawn, convert it to PNG first.", files.Shown(f.Rel)))
	}
	res, err := Load(ctx, f)
	if told != "" {
		res.Text = told + "\n" + res.Text
	}
	return res, err
}

// Load gives the picture in a file as a result: words about it and the image. A
// file that holds none, or one that cannot be shown, is a *tools.Refusal.
func Load(ctx context.Context, f workspace.File) (tools.Result, error) {
	name := files.Shown(f.Rel)
	file, err := lines.OpenFile(f.Path)
	if err != nil {
		return tools.Result{}, files.Refuse(f, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return tools.Result{}, files.Refuse(f, err)
	}
	if len(data) > maxFile {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s has more than %d bytes, the most that is taken of a picture. Scale it down with a command first.", name, maxFile))
	}
	bound, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	p, err := Fit(bound, data)
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("decoding it took longer than %v", maxTime)
		fallthrough
	case err != nil:
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s cannot be shown: %v.", name, err))
	}
	words := fmt.Sprintf("%s is a %s picture of %d × %d pixels, %d bytes.", name, p.Format, p.Width, p.Height, len(data))
	if p.ShownWidth != p.Width || p.ShownHeight != p.Height {
		words += fmt.Sprintf(" It is shown scaled to %d × %d pixels.", p.ShownWidth, p.ShownHeight)
	}
	if p.Turned {
		words += " It was turned upright."
	}
	if p.Animated {
		words += " It is an animation, of which the first frame is shown."
	}
	return tools.Result{
		Outcome: tools.OK, Text: words, Display: "Viewed " + name,
		Content: []tools.Content{{Kind: tools.ImageContent, MimeType: p.MimeType, Data: p.Data, URI: f.URI}},
	}, nil
}

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"companion/tools/bounded"
	"companion/tools/pdf"
)

// Formats of a fetch.
const (
	asMarkdown = "markdown"
	asText     = "text"
	asSource   = "source"
)

// rendered is a page as a model reads it.
type rendered struct {
	title string
	text  string
	notes []string
}

// render makes text of a body. It keeps within ctx whatever the bytes are.
func render(ctx context.Context, p page, format string) (rendered, error) {
	kind, params := mediaType(p.header.Get("Content-Type"), sniff(p.body))
	switch {
	case kind == "application/pdf" || pdf.Is(p.body):
		return portable(ctx, p)
	case !textual(kind):
		return rendered{}, fmt.Errorf("it is %s, %d bytes, which is no text. Nothing of it is shown", kind, len(p.body))
	case len(p.body) == 0 && p.broken != "":
		return rendered{}, fmt.Errorf("nothing of it could be read: %s", p.broken)
	case binary(p.body, params["charset"]):
		return rendered{}, fmt.Errorf("it is said to be %s, but its %d bytes are no text (control characters). Nothing of it is shown", kind, len(p.body))
	}
	text, note, err := decode(p.body, kind, params["charset"], p.more)
	if err != nil {
		return rendered{}, err
	}
	out := rendered{text: text}
	if note != "" {
		out.notes = append(out.notes, note)
	}
	switch {
	case format == asSource:
	case isHTML(kind):
		r, err := bounded.Run(ctx, func() (rendered, error) { return readable(text, p.url, format) })
		if err != nil {
			return rendered{}, fmt.Errorf("its HTML cannot be read (%w); ask for format %q to see it as it is", err, asSource)
		}
		out.title, out.text = r.title, r.text
		out.notes = append(out.notes, r.notes...)
	case isJSON(kind):
		var pretty bytes.Buffer
		if json.Indent(&pretty, []byte(text), "", "  ") == nil && pretty.Len() < 2*len(text)+1024 {
			out.text = pretty.String()
		}
	}
	return out, nil
}

func portable(ctx context.Context, p page) (rendered, error) {
	t, err := pdf.Read(ctx, p.body, maxBytes)
	if err != nil && len(t.Pages) == 0 {
		why := ""
		if p.more {
			why = "; only its beginning was read, so a larger max_bytes may help"
		}
		return rendered{}, fmt.Errorf("%w%s", err, why)
	}
	var b strings.Builder
	empty := 0
	for i, s := range t.Pages {
		if strings.TrimSpace(s) == "" {
			empty++
			continue
		}
		fmt.Fprintf(&b, "[page %d of %d]\n%s\n\n", i+1, t.Total, s)
	}
	out := rendered{text: strings.TrimSpace(b.String())}
	if err != nil {
		out.notes = append(out.notes, fmt.Sprintf("the reading stopped after page %d: %v", len(t.Pages), err))
	}
	if len(t.Pages) < t.Total && err == nil {
		out.notes = append(out.notes, fmt.Sprintf("%d of %d pages were read", len(t.Pages), t.Total))
	}
	if empty > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d pages hold no text (pictures or scans)", empty))
	}
	return out, nil
}

// readable is the article of a page, or the whole page where no article is
// found in it.
func readable(source string, u *url.URL, format string) (rendered, error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return rendered{}, err
	}
	whole := clean(doc, u)
	out := rendered{title: title(doc)}
	node := whole
	parser := readability.NewParser()
	parser.MaxElemsToParse = 60_000
	if article, err := parser.ParseDocument(doc, u); err == nil && article.Node != nil {
		if t := strings.TrimSpace(article.Title()); t != "" {
			out.title = t
		}
		// A page that is no article (a reference, a list of links) loses most of
		// what it says: then all of it is better.
		if kept, all := length(article.Node), length(whole); kept > 250 && kept*3 > all {
			node = article.Node
			if kept*10 < all*9 {
				out.notes = append(out.notes, fmt.Sprintf("navigation and the like were left out; format %q shows all", asSource))
			}
		}
	}
	if format == asText {
		out.text = plain(node)
		return out, nil
	}
	md, err := markdown().ConvertNode(node)
	if err != nil {
		return rendered{}, err
	}
	out.text = strings.TrimSpace(string(md))
	return out, nil
}

// markdown converts with tables as tables: their cells would run into one another.
func markdown() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(
		table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
		table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithSkipEmptyRows(true),
	)))
}

// copied is a deep copy.
func copied(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.AppendChild(copied(k))
	}
	return c
}

// clean is a copy of the page without what nobody reads, its links made whole.
func clean(doc *html.Node, u *url.URL) *html.Node {
	c := copied(doc)
	base := u
	var drop []*html.Node
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			base = absolute(k, base)
			switch k.DataAtom {
			case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Svg:
				drop = append(drop, k)
			default:
				walk(k)
			}
		}
	}
	walk(c)
	for _, n := range drop {
		n.Parent.RemoveChild(n)
	}
	return c
}

// absolute makes the links of an element whole; it gives the base that holds for
// what follows.
func absolute(n *html.Node, base *url.URL) *url.URL {
	for i, a := range n.Attr {
		if a.Key != "href" && a.Key != "src" {
			continue
		}
		whole, err := base.Parse(strings.TrimSpace(a.Val))
		if err != nil || strings.HasPrefix(a.Val, "#") {
			continue
		}
		if whole.Scheme == "data" {
			n.Attr[i].Val = "" // pictures as text
			continue
		}
		n.Attr[i].Val = whole.String()
		if n.DataAtom == atom.Base && a.Key == "href" {
			base = whole
		}
	}
	return base
}

func title(doc *html.Node) string {
	var found string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for k := n.FirstChild; k != nil && found == ""; k = k.NextSibling {
			if k.DataAtom == atom.Title {
				found = strings.Join(strings.Fields(plain(k)), " ")
				return
			}
			walk(k)
		}
	}
	walk(doc)
	return found
}

func length(n *html.Node) int { return len(strings.Join(strings.Fields(plain(n)), " ")) }

// plain is the text of a node, a line for each block.
func plain(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			walk(k)
		}
		switch n.DataAtom {
		case atom.P, atom.Div, atom.Li, atom.Tr, atom.Br, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Section, atom.Dt, atom.Dd, atom.Blockquote:
			b.WriteString("\n")
		case atom.Td, atom.Th:
			b.WriteString("\t")
		}
	}
	walk(n)
	var lines []string
	for _, line := range strings.Split(b.String(), "\n") {
		if line = strings.TrimSpace(line); line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// textual tells whether a media type is one of text.
func textual(kind string) bool {
	if strings.HasPrefix(kind, "text/") || isHTML(kind) || isJSON(kind) || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml") {
		return true
	}
	switch kind {
	case "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript", "application/typescript",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-sh", "application/x-ndjson", "application/jsonl",
		"application/graphql", "application/sql", "application/x-www-form-urlencoded", "application/rtf", "message/rfc822":
		return true
	}
	return false
}

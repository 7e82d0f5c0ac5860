package nav

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// mostPlaces bounds how many places one answer lists.
const mostPlaces = 100

// locations answers definition, references and implementation, whose names are
// also those that Language knows them by.
func (t *lsp) locations(ctx context.Context, args lspArgs, snap workspace.Snapshot) (string, error) {
	pos, name, err := locate(snap, args)
	if err != nil {
		return "", err
	}
	found, err := t.lang.Locations(ctx, args.Action, snap.Path, pos)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return fmt.Sprintf("The language server knows no %s of %s at %s:%d.", args.Action, name, snap.Rel, pos.Line+1), nil
	}
	return fmt.Sprintf("%s of %s at %s:%d, %d found.\n", args.Action, name, snap.Rel, pos.Line+1, len(found)) + t.list(ctx, found), nil
}

func (t *lsp) symbols(ctx context.Context, _ lspArgs, snap workspace.Snapshot) (string, error) {
	found, err := t.lang.Locations(ctx, "symbols", snap.Path, text.Position{})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return fmt.Sprintf("The language server knows no symbols in %s.", snap.Rel), nil
	}
	return fmt.Sprintf("Symbols of %s, %d found.\n", snap.Rel, len(found)) + t.list(ctx, found), nil
}

func (t *lsp) hover(ctx context.Context, args lspArgs, snap workspace.Snapshot) (string, error) {
	pos, name, err := locate(snap, args)
	if err != nil {
		return "", err
	}
	said, err := t.lang.Hover(ctx, snap.Path, pos)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(said) == "" {
		return fmt.Sprintf("The language server says nothing of %s at %s:%d.", name, snap.Rel, pos.Line+1), nil
	}
	return said, nil
}

// list renders places, each with the line of text that it names.
func (t *lsp) list(ctx context.Context, found []tools.Symbol) string {
	indexes := map[string]*text.Index{}
	var b strings.Builder
	for _, s := range found[:min(len(found), mostPlaces)] {
		index, ok := indexes[s.Path]
		if !ok {
			if snap, err := t.ws.Read(ctx, s.Path); err == nil {
				index = text.NewIndex(snap.Text)
			}
			indexes[s.Path] = index
		}
		fmt.Fprintf(&b, "%s:%d:%d:", relOf(t.ws, s.Path, ""), s.Range.Start.Line+1, s.Range.Start.Character+1)
		what := strings.TrimSpace(s.Kind + " " + s.Name)
		if s.Container != "" && what != "" {
			what += " in " + s.Container
		}
		if what != "" {
			b.WriteString(" " + what)
		}
		if index != nil {
			if line := strings.TrimSpace(index.Line(s.Range.Start.Line)); line != "" {
				b.WriteString(" | " + cutLine(line))
			}
		}
		b.WriteByte('\n')
	}
	if len(found) > mostPlaces {
		fmt.Fprintf(&b, "… and %d more.\n", len(found)-mostPlaces)
	}
	return b.String()
}

func cutLine(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// locate turns line and symbol into a position. The error is a *tools.Refusal.
func locate(snap workspace.Snapshot, args lspArgs) (text.Position, string, error) {
	index := text.NewIndex(snap.Text)
	if args.Line == 0 && args.Symbol == "" {
		return text.Position{}, "", tools.Fail("Give symbol, or line, or both: without them there is no place to ask for.")
	}
	if args.Line > index.Lines() {
		return text.Position{}, "", tools.Fail(fmt.Sprintf("%s has %d lines; line %d is past its end.", snap.Rel, index.Lines(), args.Line))
	}
	first, last := args.Line-1, args.Line-1
	if args.Line == 0 {
		first, last = 0, index.Lines()-1
	}
	for i := first; i <= last; i++ {
		line := index.Line(i)
		start, length := wordIn(line, args.Symbol)
		if start >= 0 {
			lineStart, _ := index.Span(i)
			return index.Position(lineStart+start, text.UTF16), line[start : start+length], nil
		}
	}
	if args.Symbol == "" {
		return text.Position{}, "", tools.Fail(fmt.Sprintf("Line %d of %s holds no name.", args.Line, snap.Rel))
	}
	where := snap.Rel
	if args.Line > 0 {
		where = fmt.Sprintf("line %d of %s", args.Line, snap.Rel)
	}
	return text.Position{}, "", tools.Fail(fmt.Sprintf("%q does not stand in %s.", args.Symbol, where))
}

// wordIn finds symbol in line as a whole word, or the first word when symbol
// is empty; -1 when there is none. Of a qualified name the last part counts.
func wordIn(line, symbol string) (start, length int) {
	if symbol == "" {
		start = strings.IndexFunc(line, func(r rune) bool { return r == '_' || unicode.IsLetter(r) })
		if start < 0 {
			return -1, 0
		}
		end := strings.IndexFunc(line[start:], func(r rune) bool { return !wordRune(r) })
		if end < 0 {
			end = len(line) - start
		}
		return start, end
	}
	for from := 0; from < len(line); {
		i := strings.Index(line[from:], symbol)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(symbol):])
		if (i == 0 || !wordRune(before)) && (i+len(symbol) == len(line) || !wordRune(after)) {
			if dot := strings.LastIndexByte(symbol, '.'); dot >= 0 {
				return i + dot + 1, len(symbol) - dot - 1
			}
			return i, len(symbol)
		}
		from = i + len(symbol)
	}
	return -1, 0
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

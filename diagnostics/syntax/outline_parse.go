//go:build cgo && !notreesitter

package syntax

import (
	"context"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

func outline(language, src string) []Function {
	lang := grammar(language)
	if lang == nil {
		return nil
	}
	code := []byte(src)
	root, err := sitter.ParseCtx(context.Background(), code, lang)
	if err != nil {
		return nil
	}
	kinds := functions(language)
	var out []Function
	var visit func(n *sitter.Node)
	visit = func(n *sitter.Node) {
		if strings.Contains(kinds, " "+n.Type()+" ") {
			out = append(out, Function{
				Name: nameOf(language, n, code), Start: int(n.StartByte()), End: int(n.EndByte()),
				StartLine: int(n.StartPoint().Row), EndLine: int(n.EndPoint().Row),
			})
		}
		for i := range int(n.NamedChildCount()) {
			visit(n.NamedChild(i))
		}
	}
	visit(root)
	return out
}

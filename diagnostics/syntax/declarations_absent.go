//go:build !cgo || notreesitter

package syntax

import "companion/tools/lang"

func declarations(string, string) ([]lang.Declaration, bool) { return nil, false }

package context

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"companion/agent"
)

// maxTabs is how many tabs are named.
const maxTabs = 30

// Editor tells what the editor shows: the active file, the selection, the tabs.
type Editor struct{}

// Name implements agent.ContextProvider.
func (Editor) Name() string { return "editor" }

// Section implements agent.ContextProvider.
func (Editor) Section(_ context.Context, t agent.ThreadView) (string, error) {
	var lines []string
	if t.Editor.Active != "" {
		line := "Active file: " + name(t.Roots, t.Editor.Active)
		if t.Editor.Selection != "" {
			line += ", selection " + oneLine(t.Editor.Selection)
		}
		lines = append(lines, line)
	}
	var tabs []string
	for i, tab := range t.Editor.Tabs {
		if i == maxTabs {
			tabs = append(tabs, fmt.Sprintf("and %d more", len(t.Editor.Tabs)-maxTabs))
			break
		}
		s := name(t.Roots, tab.Path)
		if tab.IsDirty {
			s += " (unsaved)"
		}
		tabs = append(tabs, s)
	}
	if len(tabs) > 0 {
		lines = append(lines, "Open tabs: "+strings.Join(tabs, ", "))
	}
	return strings.Join(lines, "\n"), nil
}

// name is a path from the working folder, or absolute when elsewhere.
func name(roots []string, path string) string {
	if len(roots) > 0 {
		if r, ok := inside(roots[0], path); ok {
			return oneLine(filepath.ToSlash(r))
		}
	}
	return oneLine(filepath.ToSlash(path))
}

// inside gives path from root when it lies in it.
func inside(root, path string) (string, bool) {
	r, err := filepath.Rel(root, path)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return "", false
	}
	return r, true
}

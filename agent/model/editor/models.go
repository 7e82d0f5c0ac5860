package editor

import (
	"slices"
	"sync"
)

// DefaultWindow is taken where an editor does not say what a model holds, in
// tokens: what the smallest models that VS Code lends hold.
const DefaultWindow = 64_000

// Model is one that the editor lends.
type Model struct {
	ID             string // without "editor/"
	Title          string
	MaxInputTokens int // 0 = not known
	Tools          bool
	Images         bool
}

// Window is what the model holds, in tokens.
func (m Model) Window() int {
	if m.MaxInputTokens > 0 {
		return m.MaxInputTokens
	}
	return DefaultWindow
}

// Models are what the editor lends at present. The zero value lends nothing.
type Models struct {
	mu       sync.RWMutex
	list     []Model
	revision int
}

// Register replaces what is lent. Of models with one id the last counts, one
// without id is left out. The revision counts the calls.
func (m *Models) Register(list []Model) (revision int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = nil
	for _, x := range list {
		if x.ID == "" {
			continue
		}
		m.list = slices.DeleteFunc(m.list, func(o Model) bool { return o.ID == x.ID })
		m.list = append(m.list, x)
	}
	m.revision++
	return m.revision
}

// List gives what is lent, in the editor's order.
func (m *Models) List() []Model {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.list)
}

// Find gives a lent model by its id.
func (m *Models) Find(id string) (Model, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := slices.IndexFunc(m.list, func(x Model) bool { return x.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return m.list[i], true
}

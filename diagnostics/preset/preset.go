package preset

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"companion/diagnostics/lspclient"
)

// Preset is how one language server is found, started and listened to.
type Preset struct {
	Name        string
	Command     string
	Args        []string
	Env         []string          // "K=V", added to the environment
	Languages   map[string]string // extension with dot → LSP language id
	RootMarkers []string          // file names that make a folder a project
	Init        json.RawMessage   // initializationOptions
	Settings    json.RawMessage   // what workspace/configuration is answered from
	Install     string            // how to get it, one line
	Save        bool              // its diagnostics need didSave
	Profile     lspclient.Profile
	Bounds      Bounds // what is 0 is as in Options
	Trusted     bool   // the command was set by the user, not found by us
}

// Override changes a preset or adds a server; what is empty stays as it was.
type Override struct {
	Command               string
	Args                  []string
	Env                   map[string]string
	InitializationOptions json.RawMessage
	Settings              json.RawMessage
	RootMarkers           []string
	Extensions            []string // with or without the dot
	Disabled              bool
	Bounds                Bounds // what is 0 stays as in Options
	// Profile replaces how the server is listened to; nil = the preset's.
	Profile *lspclient.Profile
}

const ms = time.Millisecond

// Known are the servers that companion knows. Latencies are medians of
// measurements on a 2-core machine.
func Known() []Preset {
	return []Preset{
		{
			Name: "gopls", Command: "gopls",
			Languages:   map[string]string{".go": "go", ".mod": "go.mod", ".work": "go.work"},
			RootMarkers: []string{"go.mod", "go.work"},
			// The delay of 1 s would keep the other files' diagnostics back.
			Init:     json.RawMessage(`{"diagnosticsDelay":"0s","pullDiagnostics":true}`),
			Settings: json.RawMessage(`{"gopls":{"diagnosticsDelay":"0s","pullDiagnostics":true}}`),
			Install:  "go install golang.org/x/tools/gopls@latest",
			// Without the delay it publishes an edit's files in one loop: 18 within
			// 14 ms.
			Profile: lspclient.Profile{Pull: true, Publishes: true, Packaged: "go", Burst: 20 * ms, Own: 20 * ms, Cross: 60 * ms},
		},
		{
			Name: "typescript", Command: "typescript-language-server", Args: []string{"--stdio"},
			Languages: map[string]string{
				".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
				".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
			},
			RootMarkers: []string{"tsconfig.json", "jsconfig.json", "package.json"},
			// Automatic type acquisition would download packages.
			Init:    json.RawMessage(`{"hostInfo":"companion","disableAutomaticTypingAcquisition":true}`),
			Install: "npm install -g typescript typescript-language-server",
			Profile: lspclient.Profile{Tsserver: true, Own: 55 * ms, Cross: 60 * ms},
		},
		{
			Name: "pyright", Command: "pyright-langserver", Args: []string{"--stdio"},
			Languages:   map[string]string{".py": "python", ".pyi": "python"},
			RootMarkers: []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
			Settings:    json.RawMessage(`{"python":{"analysis":{"diagnosticMode":"openFilesOnly","autoSearchPaths":true,"useLibraryCodeForTypes":true}},"pyright":{}}`),
			Install:     "npm install -g pyright",
			Profile:     lspclient.Profile{Pull: true, Registers: true, Own: 190 * ms, Cross: 140 * ms},
		},
		{
			Name: "clangd", Command: "clangd", Args: []string{"--background-index=false"},
			Languages: map[string]string{
				".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp",
			},
			RootMarkers: []string{"compile_commands.json", "compile_flags.txt", ".clangd"},
			Install:     "install clangd from your system's packages, or from https://clangd.llvm.org/installation",
			Save:        true,
			// It publishes includers up to 100 ms after a header's save, past any
			// barrier, since their preamble is built beside the queue.
			Profile: lspclient.Profile{Barrier: true, Burst: 150 * ms, Own: 20 * ms, Cross: 90 * ms},
		},
		{
			Name: "rust-analyzer", Command: "rust-analyzer",
			Languages:   map[string]string{".rs": "rust"},
			RootMarkers: []string{"Cargo.toml"},
			Install:     "rustup component add rust-analyzer",
			Save:        true,
			// It publishes includers up to 100 ms after a header's save, past any
			// barrier, since their preamble is built beside the queue.
			Profile: lspclient.Profile{Pull: true, Both: true, Own: 200 * ms, Cross: 2000 * ms},
		},
	}
}

// Table is the presets with the user's changes; a disabled one is left out.
func Table(over map[string]Override) []Preset {
	var out []Preset
	known := map[string]bool{}
	for _, p := range Known() {
		known[p.Name] = true
		if o := over[p.Name]; !o.Disabled {
			out = append(out, o.apply(p))
		}
	}
	var names []string
	for name, o := range over {
		if !known[name] && !o.Disabled && o.Command != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, over[name].apply(Preset{Name: name, Install: "check lsp." + name + ".command in the settings"}))
	}
	return out
}

func (o Override) apply(p Preset) Preset {
	if o.Command != "" {
		p.Command, p.Args, p.Trusted = o.Command, nil, true
	}
	if o.Args != nil {
		p.Args = o.Args
	}
	for k, v := range o.Env {
		p.Env = append(p.Env, k+"="+v)
	}
	slices.Sort(p.Env)
	if o.InitializationOptions != nil {
		p.Init = o.InitializationOptions
	}
	if o.Settings != nil {
		p.Settings = o.Settings
	}
	if o.RootMarkers != nil {
		p.RootMarkers = o.RootMarkers
	}
	if o.Extensions != nil {
		ids := map[string]string{}
		for _, e := range o.Extensions {
			if e == "" {
				continue
			}
			if e[0] != '.' {
				e = "." + e
			}
			if ids[e] = p.Languages[e]; ids[e] == "" {
				ids[e] = e[1:]
			}
		}
		p.Languages = ids
	}
	p.Bounds = o.Bounds
	if o.Profile != nil {
		p.Profile = *o.Profile
	}
	return p
}

// Language is the LSP language id of a path, "" when the server has none.
func (p Preset) Language(path string) string { return p.Languages[filepath.Ext(path)] }

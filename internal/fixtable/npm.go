package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// npmPackage ships its TypeScript sources; small and without dependencies.
const npmPackage, npmTypes = "immer@10.1.1", "@types/node@20"

const tsconfig = `{"compilerOptions": {"strict": true, "target": "es2020", "module": "esnext", "moduleResolution": "bundler",
"lib": ["es2020", "dom"], "noEmit": true, "skipLibCheck": true, "noImplicitReturns": true, "noUnusedLocals": true}, "include": ["src"]}
`

// fetchNPM unpacks the package with what its type check needs.
func fetchNPM(tmp string) (string, error) {
	dir := filepath.Join(tmp, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"npm", "pack", "--silent", npmPackage},
		{"sh", "-c", "tar xzf *.tgz && rm *.tgz"},
	} {
		if err := in(dir, args...); err != nil {
			return "", err
		}
	}
	src := filepath.Join(dir, "package")
	if err := os.WriteFile(filepath.Join(src, "tsconfig.json"), []byte(tsconfig), 0o644); err != nil {
		return "", err
	}
	return src, in(src, "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", npmTypes)
}

func in(dir string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(out))
	}
	return nil
}

// tsBreakage is a kind of breakage by pattern: match is replaced by to.
type tsBreakage struct {
	kind  string
	match *regexp.Regexp
	to    string
	sign  string // what the compiler says, in part
}

func tsBreakages() []tsBreakage {
	return []tsBreakage{
		{"import removed", regexp.MustCompile(`(?m)^\t(?:is[A-Z]\w+|die|each|has|freeze),\n`), "", "Cannot find name"},
		{"misspelt name", regexp.MustCompile(`\b(isDraftable|getPlugin|revokeScope|isFrozen|markChanged|latest|shallowCopy)\(`), "${1}e(", "Did you mean"},
		{"unused variable", regexp.MustCompile(`(?m)^(export )?function \w+\([^()]*\)(: \w+)? \{\n`), "${0}\tconst forgotten = 1\n", "'forgotten'"},
		{"missing return", regexp.MustCompile(`(?m)^\treturn [a-z]\w*\n\}`), "}", "return"},
	}
}

// breakTS breaks each kind once, no two in one file.
func breakTS(dir string, seed int64) ([]broken, error) {
	files, err := filepath.Glob(filepath.Join(dir, "src", "*", "*.ts"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	rng := rand.New(rand.NewSource(seed))
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	used := map[string]bool{}
	var done []broken
	for _, b := range tsBreakages() {
		for _, f := range files {
			if used[f] || strings.HasSuffix(f, ".d.ts") {
				continue
			}
			data, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			src := string(data)
			places := b.match.FindAllStringSubmatchIndex(src, -1)
			if len(places) == 0 {
				continue
			}
			p := places[rng.Intn(len(places))]
			text := string(b.match.ExpandString(nil, b.to, src, p))
			if err := os.WriteFile(f, []byte(src[:p[0]]+text+src[p[1]:]), 0o644); err != nil {
				return nil, err
			}
			used[f] = true
			done = append(done, broken{b.kind, f, b.sign})
			break
		}
	}
	return done, nil
}

var tscLine = regexp.MustCompile(`^(\S+\.ts)\((\d+),(\d+)\): error `)

// compileTS gives tsc's errors as path:line:col lines.
func compileTS(dir string) []string {
	cmd := exec.Command("node", tsc(), "--pretty", "false", "-p", ".")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	var list []string
	for _, l := range strings.Split(string(out), "\n") {
		if m := tscLine.FindStringSubmatch(l); m != nil {
			list = append(list, fmt.Sprintf("%s:%s:%s: %s", m[1], m[2], m[3], l[len(m[0]):]))
		}
	}
	return list
}

// tsc is the compiler that was installed beside typescript-language-server.
func tsc() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "companion-dev", "npm", "node_modules", "typescript", "bin", "tsc")
}

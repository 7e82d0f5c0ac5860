package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// pool is the list of modules, named before any was tried; -modules of them are
// drawn by the first seed. Each has over 5,000 lines of Go.
func pool() []string {
	return []string{
		"github.com/spf13/cobra@v1.10.2",
		"github.com/spf13/pflag@v1.0.10",
		"github.com/BurntSushi/toml@v1.6.0",
		"github.com/tidwall/gjson@v1.20.0",
		"github.com/google/go-cmp@v0.7.0",
	}
}

func main() {
	seeds := flag.Int("seeds", 5, "breakages per module")
	modules := flag.Int("modules", 2, "modules drawn from the pool")
	draw := flag.Int64("draw", 20261130, "seed of the draw")
	bin := flag.String("bin", "bin/companion", "the built binary")
	keep := flag.Bool("keep", false, "keep the broken copies")
	npm := flag.Bool("npm", false, "the npm package too")
	flag.Parse()
	if err := run(*bin, *modules, *seeds, *draw, *keep, *npm); err != nil {
		fmt.Fprintln(os.Stderr, "fixtable:", err)
		os.Exit(1)
	}
}

// subject is one real project and how it is broken and compiled.
type subject struct {
	name    string
	src     string // pristine
	smash   func(dir string, seed int64) ([]broken, error)
	compile func(dir string) []string
	builds  func(dir string) bool
	ending  string
}

func subjects(tmp string, modules int, draw int64, npm bool) ([]subject, error) {
	var list []subject
	mods := pool()
	for _, i := range rand.New(rand.NewSource(draw)).Perm(len(mods))[:modules] {
		src, err := fetch(mods[i], tmp)
		if err != nil {
			return nil, err
		}
		list = append(list, subject{mods[i], src, breakModule, compile, builds, ".go"})
	}
	if npm {
		src, err := fetchNPM(tmp)
		if err != nil {
			return nil, err
		}
		list = append(list, subject{npmPackage, src, breakTS, compileTS, func(dir string) bool { return len(compileTS(dir)) == 0 }, ".ts"})
	}
	return list, nil
}

func run(bin string, modules, seeds int, draw int64, keep, npm bool) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "fixtable")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("copies are in", tmp)
	} else {
		defer os.RemoveAll(tmp)
	}
	list, err := subjects(tmp, modules, draw, npm)
	if err != nil {
		return err
	}
	fmt.Println("| project | lines | seed | errors before | after | build before | after | fixed | left | s |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for i, sub := range list {
		for seed := int64(1); seed <= int64(seeds); seed++ {
			dir := filepath.Join(tmp, fmt.Sprintf("%d-%d", i, seed))
			if err := copyTree(sub.src, dir); err != nil {
				return err
			}
			if err := one(bin, sub, dir, seed, tmp); err != nil {
				return err
			}
		}
	}
	return nil
}

// one breaks a copy, fixes it and prints its row.
func one(bin string, sub subject, dir string, seed int64, state string) error {
	if errs := sub.compile(dir); len(errs) > 0 {
		return fmt.Errorf("%s does not build before it is broken: %v", sub.name, errs)
	}
	made, err := sub.smash(dir, seed)
	if err != nil {
		return err
	}
	before, okBefore := sub.compile(dir), sub.builds(dir)
	args := []string{"fix", "--trust"}
	for _, b := range made {
		rel, err := filepath.Rel(dir, b.file)
		if err != nil {
			return err
		}
		if !slices.Contains(args, rel) {
			args = append(args, rel)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	start := time.Now()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "COMPANION_STATE_DIR="+filepath.Join(state, "state"), "COMPANION_CONFIG="+os.DevNull, "COMPANION_MODEL=offline/quickfix")
	out, runErr := cmd.CombinedOutput()
	took := time.Since(start)
	if err := os.WriteFile(dir+".log", out, 0o644); err != nil {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); runErr != nil && code != 1 {
		return fmt.Errorf("%s seed %d: %w\n%s", sub.name, seed, runErr, tail(out))
	}
	after := sub.compile(dir)
	var fixed, left []string
	for _, b := range made {
		if slices.ContainsFunc(after, func(e string) bool { return strings.Contains(e, b.sign) }) {
			left = append(left, b.kind)
		} else {
			fixed = append(fixed, b.kind)
		}
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %s | %s | %s | %s | %.0f |\n", sub.name, lines(dir, sub.ending), seed, len(before), len(after),
		verdict(okBefore), verdict(sub.builds(dir)), strings.Join(fixed, ", "), strings.Join(left, ", "), took.Seconds())
	return nil
}

// lines counts the lines of all files with an ending.
func lines(dir, ending string) int {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ending) && !strings.Contains(path, "node_modules") {
			data, _ := os.ReadFile(path)
			n += bytes.Count(data, []byte("\n"))
		}
		return nil
	})
	return n
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "fails"
}

// compile gives the distinct errors of all packages, those included whose
// dependencies do not compile, which go build would leave out.
func compile(dir string) []string {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir:  dir,
	}, "./...")
	if err != nil {
		return []string{err.Error()}
	}
	set := map[string]bool{}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			if rel, err := filepath.Rel(dir, e.Pos); err == nil && e.Kind != packages.ListError {
				set[rel+": "+e.Msg] = true
			}
		}
	}
	var list []string
	for l := range set {
		list = append(list, l)
	}
	sort.Strings(list)
	return list
}

// builds tells whether go build takes the module.
func builds(dir string) bool {
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir = dir
	return cmd.Run() == nil
}

// fetch downloads a module through the go command and returns its folder.
func fetch(mod, tmp string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", mod)
	cmd.Dir = tmp
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &info); jsonErr != nil || info.Dir == "" {
		return "", fmt.Errorf("go mod download %s: %v %s", mod, err, info.Error)
	}
	return info.Dir, nil
}

func copyTree(src, dst string) error {
	if err := os.CopyFS(dst, os.DirFS(src)); err != nil {
		return err
	}
	return filepath.WalkDir(dst, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}

func tail(out []byte) string {
	if len(out) > 2000 {
		out = out[len(out)-2000:]
	}
	return string(out)
}

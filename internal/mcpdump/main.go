package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "embed"
)

//go:embed servers.json
var table []byte

// server is one row of servers.json. {tmp} in Args and Env is an empty folder.
type server struct {
	Package   string            `json:"package"`
	Version   string            `json:"version,omitempty"` // "" = the newest
	Namespace string            `json:"namespace"`         // as its readme names it in settings
	Bin       string            `json:"bin,omitempty"`     // "" = the only one
	Node      []string          `json:"node,omitempty"`    // flags of node
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

// corpus is one file of the corpus.
type corpus struct {
	Package      string `json:"package"`
	Version      string `json:"version"`
	Namespace    string `json:"namespace"`
	Instructions string `json:"instructions,omitempty"`
	Tools        []tool `json:"tools"`
}

type tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

func main() {
	work := flag.String("work", "", "folder to install servers in; what is there is used again")
	out := flag.String("out", "tools/find/testdata/corpus", "folder to write to")
	flag.Parse()
	if err := run(*work, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(work, out string, only []string) error {
	var list []server
	if err := json.Unmarshal(table, &list); err != nil {
		return fmt.Errorf("servers.json: %w", err)
	}
	if work == "" {
		return fmt.Errorf("-work: name a folder outside the repository")
	}
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	wrong := 0
	for _, s := range list {
		if len(only) > 0 && !slices.Contains(only, s.Package) {
			continue
		}
		c, err := dump(s, work)
		if err != nil {
			fmt.Printf("%s: %v\n", s.Package, err)
			wrong++
			continue
		}
		if err := write(c, work, filepath.Join(out, s.Namespace+".json")); err != nil {
			return err
		}
		fmt.Printf("%s %s: %d tools\n", c.Package, c.Version, len(c.Tools))
	}
	if wrong > 0 {
		return fmt.Errorf("%d servers gave nothing", wrong)
	}
	return nil
}

func dump(s server, work string) (corpus, error) {
	dir := filepath.Join(work, strings.NewReplacer("@", "_", "/", "_").Replace(s.Package))
	home := filepath.Join(dir, "node_modules", filepath.FromSlash(s.Package))
	if _, err := os.Stat(home); err != nil {
		if err := install(dir, s); err != nil {
			return corpus{}, err
		}
	}
	bin, version, err := entry(home, s.Bin)
	if err != nil {
		return corpus{}, err
	}
	tmp, err := os.MkdirTemp("", "mcpdump")
	if err != nil {
		return corpus{}, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	ctx, cancel := context.WithTimeout(context.Background(), 45*time.Second)
	defer cancel()
	put := strings.NewReplacer("{tmp}", tmp).Replace
	args := append(slices.Clone(s.Node), bin)
	for _, a := range s.Args {
		args = append(args, put(a))
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.WaitDelay = 2 * time.Second
	cmd.Dir, cmd.Env = tmp, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "NO_COLOR=1"}
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+put(v))
	}
	c, err := ask(ctx, cmd)
	if err != nil {
		return corpus{}, err
	}
	for i := range c.Tools { // where a server tells the folder that it runs in
		t := &c.Tools[i]
		t.Description = strings.ReplaceAll(t.Description, tmp, "/project")
		t.InputSchema = []byte(strings.ReplaceAll(string(t.InputSchema), tmp, "/project"))
	}
	c.Package, c.Version, c.Namespace = s.Package, version, s.Namespace
	return c, nil
}

func install(dir string, s server) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := s.Package
	if s.Version != "" {
		name += "@" + s.Version
	}
	cmd := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, name)
	cmd.Env = append(os.Environ(), "PUPPETEER_SKIP_DOWNLOAD=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", name, err, text)
	}
	return nil
}

// entry finds the script that a package runs.
func entry(home, want string) (script, version string, err error) {
	raw, err := os.ReadFile(filepath.Join(home, "package.json"))
	if err != nil {
		return "", "", err
	}
	var p struct {
		Version string
		Bin     json.RawMessage
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", "", fmt.Errorf("%s: %w", home, err)
	}
	if json.Unmarshal(p.Bin, &script) == nil {
		return filepath.Join(home, script), p.Version, nil
	}
	var bins map[string]string
	if err := json.Unmarshal(p.Bin, &bins); err != nil {
		return "", "", fmt.Errorf("%s: bin: %w", home, err)
	}
	for name, path := range bins {
		if name == want || len(bins) == 1 {
			return filepath.Join(home, path), p.Version, nil
		}
	}
	return "", "", fmt.Errorf("%s has the bins %v, none is %q", home, bins, want)
}

// write keeps the machine's folders out of the file.
func write(c corpus, work, path string) error {
	slices.SortFunc(c.Tools, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
	raw, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	for _, secret := range []string{work, os.TempDir() + "/mcpdump"} {
		if strings.Contains(string(raw), secret) {
			return fmt.Errorf("%s: the tools name the folder %s", c.Package, secret)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

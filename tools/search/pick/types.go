package pick

import (
	"maps"
	"slices"
	"strings"
)

// types are kinds of files by the names that ripgrep has for them: a name, or
// "*" and an ending.
func types() map[string]string {
	return map[string]string{
		"asm": "*.asm *.s *.S", "astro": "*.astro", "avro": "*.avdl *.avpr *.avsc", "bazel": "*.bazel *.bzl BUILD WORKSPACE MODULE.bazel", "c": "*.c *.h *.C *.H *.cats", "clojure": "*.clj *.cljc *.cljs *.cljx",
		"cmake": "*.cmake CMakeLists.txt", "cpp": "*.cpp *.cc *.cxx *.C *.h *.hh *.hpp *.hxx *.H *.inl", "cs": "*.cs", "csharp": "*.cs", "css": "*.css *.scss",
		"csv": "*.csv", "dart": "*.dart", "docker": "Dockerfile *.dockerfile *.Dockerfile", "elixir": "*.ex *.eex *.exs *.heex *.leex *.livemd", "elm": "*.elm", "erlang": "*.erl *.hrl", "fsharp": "*.fs *.fsx *.fsi",
		"go": "*.go", "graphql": "*.graphql *.graphqls *.gql", "groovy": "*.groovy *.gradle", "haskell": "*.hs *.lhs *.cpphs *.c2hs *.hsc", "hs": "*.hs *.lhs", "html": "*.html *.htm *.ejs", "java": "*.java *.jsp *.jspx *.properties",
		"js": "*.js *.jsx *.mjs *.cjs *.vue", "json": "*.json *.jsonl *.jsonc composer.lock .jsonlintrc", "jsonl": "*.jsonl", "julia": "*.jl", "jupyter": "*.ipynb *.jpynb", "kotlin": "*.kt *.kts", "less": "*.less", "lua": "*.lua",
		"make": "Makefile makefile GNUmakefile *.mk *.mak", "markdown": "*.md *.markdown *.mdx *.mkd *.mdown *.mkdn *.mdwn", "md": "*.md *.markdown *.mdx *.mkd *.mdown *.mkdn *.mdwn", "matlab": "*.m", "nim": "*.nim *.nims *.nimble", "nix": "*.nix", "objc": "*.h *.m",
		"ocaml": "*.ml *.mli *.mll *.mly", "perl": "*.pl *.pm *.t *.PL *.perl", "php": "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.phtml *.pht", "ps": "*.ps1 *.psm1 *.psd1 *.cdxml *.ps1xml", "protobuf": "*.proto", "puppet": "*.pp *.epp *.erb", "py": "*.py *.pyi", "python": "*.py *.pyi",
		"r": "*.R *.r *.Rmd *.Rnw", "rst": "*.rst", "ruby": "*.rb *.rbw *.gemspec Gemfile Rakefile config.ru .irbrc", "rust": "*.rs", "sass": "*.sass *.scss", "scala": "*.scala *.sbt",
		"sh": "*.sh *.bash *.zsh *.ksh *.csh *.tcsh *.bashrc .bashrc .bash_profile .profile .zshrc bashrc zshrc", "sql": "*.sql *.psql", "svelte": "*.svelte", "svg": "*.svg", "swift": "*.swift", "tex": "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins", "tf": "*.tf *.tfvars *.tf.json *.tfrc *.auto.tfvars",
		"toml": "*.toml Cargo.lock", "ts": "*.ts *.tsx *.mts *.cts", "tsx": "*.tsx", "txt": "*.txt", "typescript": "*.ts *.tsx *.mts *.cts", "vim": "*.vim .vimrc vimrc .gvimrc", "vue": "*.vue", "xml": "*.xml *.xsd *.xsl *.xslt *.dtd *.rng *.sch *.xhtml *.xjb",
		"yaml": "*.yaml *.yml", "zig": "*.zig",
	}
}

// Kind gives the globs of a type; !ok = there is none of that name, and all
// are all names.
func Kind(name string) (globs []string, all string, ok bool) {
	table := types()
	if g, ok := table[strings.ToLower(strings.TrimPrefix(name, "."))]; ok {
		return strings.Fields(g), "", true
	}
	for _, g := range table { // an ending for a type
		if slices.Contains(strings.Fields(g), "*."+strings.TrimPrefix(name, ".")) {
			return []string{"*." + strings.TrimPrefix(name, ".")}, "", true
		}
	}
	return nil, strings.Join(slices.Sorted(maps.Keys(table)), ", "), false
}

# Two commands for a newcomer: "make demo" and "make test". Everything else is
# a part of one of them, or says what it is by its name.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
DEV := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/companion-dev
export PATH := $(DEV)/bin:$(PATH)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# -s -w halves the binary. No -trimpath: it would compile every dependency a
# second time, beside what the tests need.
LDFLAGS := -s -w -X companion/internal/app.version=$(VERSION)
GOTEST := go test -timeout 10m

.PHONY: build demo test check lint cross unit scenarios test-servers test-editors fuzz soak bench bench-main bench-tools fixtable generate clean

build:
	go build -ldflags '$(LDFLAGS)' -o bin/companion ./cmd/companion

demo: build
	scripts/need.sh gopls
	bin/companion demo

test: check test-servers test-editors

check: build lint cross unit scenarios

lint:
	scripts/need.sh lint
	@out=$$(gofumpt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$out" ]; then echo "not gofumpt-clean:"; echo "$$out"; exit 1; fi
	go vet ./...
	staticcheck ./...

# Every platform compiles, with cgo off too (tree-sitter then says it is absent).
cross:
	CGO_ENABLED=0 GOOS=linux go build -o /dev/null ./cmd/companion
	CGO_ENABLED=0 GOOS=darwin go vet ./...
	CGO_ENABLED=0 GOOS=windows go vet ./...

# The race detector makes a split of every stream at every byte too slow: the
# providers run once more without it.
unit:
	scripts/need.sh search
	$(GOTEST) -race -skip '^TestServers' ./...
	$(GOTEST) ./agent/model/...

# The scenarios again, against the built binary.
scenarios: build
	COMPANION_BIN=$(CURDIR)/bin/companion $(GOTEST) -run '^TestScenarios$$' ./internal/editortest -mode=process

test-servers: build
	scripts/need.sh servers
	COMPANION_BIN=$(CURDIR)/bin/companion $(GOTEST) -race -p 1 -run '^TestServers' ./...

test-editors:
	scripts/test-editors.sh

# Half a minute of each fuzz target.
fuzz:
	scripts/fuzz.sh $(or $(FUZZTIME),30s)

bench: build
	scripts/need.sh gopls
	COMPANION_BIN=$(CURDIR)/bin/companion go test -run '^$$' -bench . -benchmem ./...

# What is slow to show: a thousand processes killed in the middle of patches.
soak:
	COMPANION_KILLS=1000 $(GOTEST) -run '^TestKills' ./tools/patch

# The tools against their floors, and against peers where they are installed.
bench-tools: build
	scripts/bench-tools.sh

clean:
	rm -rf bin dist

#!/usr/bin/env bash
# Installs what builds and tests need into the cache folder, and nothing that is
# there already. usage: scripts/need.sh lint|gopls|servers|search …
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/companion-dev; bin/ holds programs,
# npm/ the language servers from npm. Versions are pinned here.
set -euo pipefail
cd "$(dirname "$0")/.."
DEV="${XDG_CACHE_HOME:-$HOME/.cache}/companion-dev"
GOPLS=v0.23.0 # v0.24.0 wants Go 1.27
TYPESCRIPT=5.9.3
TSLS=5.3.0
PYRIGHT=1.1.414
mkdir -p "$DEV/bin" "$DEV/stamp"

say() { printf 'need: %s\n' "$*" >&2; }

# once NAME COMMAND…: runs the command unless it ran for this name before.
once() {
  local stamp="$DEV/stamp/$1"
  [ -e "$stamp" ] && return 0
  say "installing $1"
  shift
  "$@" >"$stamp.log" 2>&1 || { tail -n 20 "$stamp.log" >&2; say "that failed; the whole log is $stamp.log"; return 1; }
  touch "$stamp"
}

# gopls depends on its own exact golang.org/x/tools, so it is no part of the
# linters' module.
gopls() { GOBIN="$DEV/bin" GOFLAGS=-mod=mod go install "golang.org/x/tools/gopls@$GOPLS"; }
lint() { (cd internal/devtools && GOBIN="$DEV/bin" go install tool); }

npm_servers() {
  mkdir -p "$DEV/npm"
  [ -e "$DEV/npm/package.json" ] || echo '{"private":true}' >"$DEV/npm/package.json"
  (cd "$DEV/npm" && npm install --no-audit --no-fund --no-update-notifier --save-exact \
    "typescript@$TYPESCRIPT" "typescript-language-server@$TSLS" "pyright@$PYRIGHT")
}

# apt_need PROGRAM PACKAGE: a system program, by apt where that is possible.
apt_need() {
  command -v "$1" >/dev/null && return 0
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    say "not run: $1 is missing and cannot be installed here (no apt or no root)"
    [ "${CI:-}" != true ]
    return
  fi
  say "installing $2 by apt"
  export DEBIAN_FRONTEND=noninteractive
  local a=(-o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -qq)
  apt-get "${a[@]}" install -y --no-install-recommends "$2" >"$DEV/stamp/apt-$2.log" 2>&1 ||
    { apt-get "${a[@]}" update && apt-get "${a[@]}" install -y --no-install-recommends "$2" >"$DEV/stamp/apt-$2.log" 2>&1; }
}

for what in "$@"; do
  case $what in
    lint) once "lint-$(cksum <internal/devtools/go.sum | cut -d' ' -f1)" lint ;;
    gopls) once "gopls-$GOPLS" gopls ;;
    servers)
      once "gopls-$GOPLS" gopls
      once "npm-$TYPESCRIPT-$TSLS-$PYRIGHT" npm_servers
      apt_need clangd clangd
      ;;
    search) apt_need rg ripgrep ;; # tests hold our own search to it, and say so where it is missing
    *)
      say "no such thing: $what (lint, gopls, servers, search)"
      exit 2
      ;;
  esac
done

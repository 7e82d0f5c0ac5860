#!/usr/bin/env bash
# Runs the built binary under real editors. usage: scripts/test-editors.sh [nvim|emacs|helix|vim|vscode|nvim-plugin …]
#
# COMPANION_BIN: the binary, else bin/companion is built. KEEP=1 leaves the
# folder with logs and screens. An editor that cannot be installed here is told
# as "not run", and fails the run only when CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- nvim emacs helix vim vscode nvim-plugin
DEV="${XDG_CACHE_HOME:-$HOME/.cache}/companion-dev"
DRIVERS="$PWD/editors/test"
LIMIT="${LIMIT:-900}" # seconds, for one editor's whole run

if [ -z "${COMPANION_BIN:-}" ]; then
  make -s build
  COMPANION_BIN="$PWD/bin/companion"
fi
COMPANION_BIN="$(realpath "$COMPANION_BIN")"
scripts/need.sh gopls
export COMPANION_BIN PATH="$DEV/bin:$PATH"

OUT="$(mktemp -d)"
cleanup() { if [ -n "${KEEP:-}" ]; then echo "kept: $OUT"; else rm -rf "$OUT"; fi; }
trap cleanup EXIT

# The user's own editor settings stay out, Go's caches stay in.
GOENV="$(go env GOENV)" GOCACHE="$(go env GOCACHE)" GOMODCACHE="$(go env GOMODCACHE)"
export GOENV GOCACHE GOMODCACHE GOWORK=off GOPROXY=off GOFLAGS=-mod=mod
unset COMPANION_CONFIG COMPANION_LOG COMPANION_MODEL COMPANION_STATE_DIR

# module DIR: it does not build, and gopls knows why.
module() {
  mkdir -p "$1"
  printf 'module example.com/hello\n\ngo 1.24\n' >"$1/go.mod"
  printf 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tfmt.Println("hello")\n}\n' >"$1/main.go"
}

# drive NAME PROGRAM: one run of an editor's driver in WORK.
drive() {
  case $1 in
    nvim) "$2" --headless -u NONE -i NONE -n -l "$DRIVERS/nvim.lua" ;;
    emacs) "$2" --batch -l "$DRIVERS/emacs.el" ;; # not -Q: it hides the packages of the distribution
    helix) "$DRIVERS/helix.sh" "$2" ;;
    vscode) "$2" "$DRIVERS/../vscode/test/drive.mjs" ;;
    nvim-plugin) "$2" --headless -u NONE -i NONE -n -l "$DRIVERS/../neovim/test/drive.lua" ;;
    vim) RESULT=/dev/stdout "$2" -N -u "$DRIVERS/ale.vim" -i NONE -n -es ;;
  esac
}

# attempt NAME PROGRAM: a fresh folder, a time limit, log and errors kept there.
attempt() {
  rm -rf "$WORK"
  module "$WORK/module"
  export XDG_CONFIG_HOME="$WORK/xdg/config" XDG_CACHE_HOME="$WORK/xdg/cache" XDG_DATA_HOME="$WORK/xdg/data" XDG_STATE_HOME="$WORK/xdg/state"
  export COMPANION_STATE_DIR="$WORK/state" COMPANION_CONFIG="$WORK/state/config.jsonc" COMPANION_LOG="$WORK/state/log" COMPANION_MODEL=offline/quickfix
  export -f drive
  export WORK DRIVERS
  timeout --kill-after=10 "$LIMIT" bash -c 'drive "$@"' drive "$1" "$2" >"$WORK/out" 2>"$WORK/err" </dev/null
}

passed=0 failed=0
for name in "$@"; do
  rc=0
  program="$("scripts/editors/$name.sh" 2>"$OUT/$name.install")" || rc=$?
  if [ $rc -eq 77 ]; then
    echo "$name: $(tail -n 1 "$OUT/$name.install")"
    continue
  elif [ $rc -ne 0 ]; then
    cat "$OUT/$name.install" >&2
    echo "$name: not installed"
    failed=$((failed + 1))
    continue
  fi
  WORK="$OUT/$name" start=$SECONDS rc=0
  (attempt "$name" "$program") || rc=$?
  if ! grep -aqx up "$WORK/out"; then
    echo "$name: did not come up (exit code $rc), starting it once more"
    tail -n 5 "$WORK/err"
    rc=0
    (attempt "$name" "$program") || rc=$?
  fi
  p=$(grep -ac '^ok   ' "$WORK/out" || true) f=$(grep -ac '^FAIL ' "$WORK/out" || true)
  if [ "$f" -gt 0 ] || [ $rc -ne 0 ] || [ "$p" -eq 0 ]; then
    cat "$WORK/out"
    [ $rc -ne 124 ] || echo "FAIL no end within $LIMIT s"
    [ "$f" -gt 0 ] || f=1
    echo "-- $name, standard error:"
    tail -n 30 "$WORK/err"
    echo "-- companion's logs:"
    find "$WORK" -path '*state*' -name log -exec tail -n 20 {} +
  fi
  echo "$name: $p passed, $f failed ($((SECONDS - start)) s)"
  passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

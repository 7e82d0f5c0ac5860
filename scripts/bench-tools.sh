#!/usr/bin/env bash
# Measures the tools against their floors and, where they are installed, against
# other programs that do the same. Needs bin/companion.
#
# apply_patch's peer is @openai/codex from npm, optional: "npm install
# --prefix FOLDER @openai/codex", then CODEX_PREFIX=FOLDER, or
# COMPANION_PEER_APPLY_PATCH=PROGRAM. A symlink named apply_patch to its binary
# runs the tool.
set -euo pipefail
cd "$(dirname "$0")/.."
export COMPANION_BIN="${COMPANION_BIN:-$PWD/bin/companion}"
if [ -z "${COMPANION_PEER_APPLY_PATCH:-}" ]; then
  prefix="${CODEX_PREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/companion-dev/codex}"
  binary=$(find "$prefix" -path '*/bin/codex' -type f 2>/dev/null | grep vendor | head -n 1 || true)
  if [ -n "$binary" ]; then
    links=$(mktemp -d)
    trap 'rm -rf "$links"' EXIT
    ln -s "$binary" "$links/apply_patch"
    export COMPANION_PEER_APPLY_PATCH="$links/apply_patch"
  else
    echo "bench-tools: without a peer for apply_patch: @openai/codex is not in $prefix" >&2
  fi
fi
go test -run '^$' -bench '^BenchmarkTools' -benchtime "${BENCHTIME:-10x}" ./cmd/companion "$@"
go test -run '^$' -bench '^BenchmarkReadOf100MB$' -benchtime 1s ./tools/fs
go test -run '^$' -bench '^BenchmarkToolsExec' -benchtime 50x ./tools/shell
go test -run '^$' -bench '^BenchmarkToolsFlood' -benchtime 1x ./tools/shell
scripts/need.sh search
# Over Go's own sources, which every machine with this repository has.
go test -run '^$' -bench '^BenchmarkSearch' -benchtime "${BENCHTIME:-10x}" ./tools/search

#!/usr/bin/env bash
# Runs every fuzz target of the module for a while. usage: scripts/fuzz.sh [30s]
set -euo pipefail
cd "$(dirname "$0")/.."
for dir in $(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do
  for target in $(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | cut -d' ' -f2); do
    echo "== $dir $target"
    go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "${1:-30s}"
  done
done

#!/usr/bin/env bash
# Neovim 0.10 for our plug-in, which luacheck has looked at. Prints the
# program's path.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
if ! command -v luacheck >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt_need lua-check || say "going on without luacheck"
fi
if command -v luacheck >/dev/null; then
  luacheck --no-color -q --config editors/neovim/.luacheckrc editors/neovim >&2 || exit 1
else
  say "luacheck is missing: the Lua is not linted"
fi
scripts/editors/nvim.sh

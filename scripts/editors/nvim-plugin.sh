#!/usr/bin/env bash
# Neovim 0.10 for our plug-in, which luacheck and stylua have looked at where
# they can be had. Prints the program's path.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
STYLUA=2.5.2

# stylua: its npm package for Node; the others fetch a program from elsewhere.
stylua() {
  local root="$DEV/stylua"
  if [ ! -e "$root/.ok-$STYLUA" ]; then
    mkdir -p "$root"
    echo '{"private":true}' >"$root/package.json"
    (cd "$root" && npm install --no-audit --no-fund --no-update-notifier --ignore-scripts --save-exact "@johnnymorganz/stylua@$STYLUA") \
      >"$DEV/stamp/stylua.log" 2>&1 || return 77
    touch "$root/.ok-$STYLUA"
  fi
  node editors/neovim/test/format.mjs "$root" >&2
}

if ! command -v luacheck >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt_need lua-check || say "going on without luacheck"
fi
if command -v luacheck >/dev/null; then
  luacheck --no-color -q --config editors/neovim/.luacheckrc editors/neovim >&2 || exit 1
else
  say "luacheck is missing: the Lua is not linted"
fi
rc=0
stylua || rc=$?
case $rc in
  0) ;;
  77) say "stylua could not be had: the form of the Lua is not checked" ;;
  *) exit 1 ;;
esac
exec scripts/editors/nvim.sh

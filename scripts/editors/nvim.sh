#!/usr/bin/env bash
# Neovim 0.10 of Debian 13 (trixie). Prints the program's path.
. "$(dirname "$0")/lib.sh"
root="$DEV/nvim-trixie" bin="$DEV/bin/nvim-trixie"
if [ ! -e "$root/.ok" ] || [ ! -x "$bin" ]; then
  need_apt "Neovim 0.10"
  one_at_a_time
  apt_need patchelf
  say "installing Neovim of trixie"
  suite_unpack trixie neovim "$root"
  own_libc "$root" "$root/usr/bin/nvim"
  printf '#!/bin/sh\nexport VIM="%s/usr/share/nvim" VIMRUNTIME="%s/usr/share/nvim/runtime"\nexec "%s/usr/bin/nvim" "$@"\n' \
    "$root" "$root" "$root" >"$bin"
  chmod +x "$bin"
  "$bin" --version >"$DEV/stamp/nvim-trixie"
  touch "$root/.ok"
fi
echo "$bin"

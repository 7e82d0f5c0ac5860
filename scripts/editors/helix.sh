#!/usr/bin/env bash
# Helix 25.01 of Debian 13 (trixie), and tmux to drive it in. Prints the
# program's path.
. "$(dirname "$0")/lib.sh"
root="$DEV/helix-trixie" bin="$DEV/bin/hx-trixie"
if ! command -v tmux >/dev/null; then
  need_apt tmux
  one_at_a_time
  apt_need tmux
fi
if [ ! -e "$root/.ok" ] || [ ! -x "$bin" ]; then
  need_apt "Helix"
  one_at_a_time
  apt_need patchelf
  say "installing Helix of trixie"
  suite_unpack trixie hx "$root"
  hx="$root/usr/lib/hx/hx"
  [ -f "$hx" ] || hx="$root/usr/bin/hx"
  own_libc "$root" "$hx"
  printf '#!/bin/sh\nexport HELIX_RUNTIME="%s/usr/lib/hx/runtime"\nexec "%s" "$@"\n' "$root" "$hx" >"$bin"
  chmod +x "$bin"
  "$bin" --version >"$DEV/stamp/hx-trixie"
  touch "$root/.ok"
fi
echo "$bin"

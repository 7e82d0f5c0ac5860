#!/usr/bin/env bash
# Helix in a tmux server of its own, driven by keys and by what is on the screen.
# usage: helix.sh HX, run by scripts/test-editors.sh. COMPANION_BIN is the
# server; WORK/module is a Go module that does not build.
set -euo pipefail
hx="$1" module="$WORK/module" patience=120 shots=0
socket="companion-$$"
T() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'T kill-server 2>/dev/null || true' EXIT

mkdir -p "$module/.helix" "$WORK/screens"
# The README's configuration; gopls only shows problems, so that its own actions
# do not mix with ours.
cat >"$module/.helix/languages.toml" <<T
[language-server.companion]
command = "$COMPANION_BIN"
args = ["serve"]

[[language]]
name = "go"
auto-format = false
language-servers = [{ name = "gopls", only-features = ["diagnostics"] }, "companion"]
T
cat >"$module/.helix/config.toml" <<T
[editor]
end-of-line-diagnostics = "hint"
[editor.lsp]
display-messages = true
display-progress-messages = true
T

screen() { T capture-pane -p -t hx; }
shot() { shots=$((shots + 1)); screen >"$WORK/screens/$shots-$1.txt"; }
ok() { echo "ok   $1"; }
fail() {
  echo "FAIL $1"
  screen | sed 's/^/  | /' || true
  exit 1
}
# until_true COMMAND…: within our patience.
until_true() {
  local end=$((SECONDS + patience))
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
}
shows() { screen | grep -qF -- "$1"; }
hides() { ! screen | grep -qF -- "$1"; }
runs() { T has-session -t hx 2>/dev/null; }
gone() { ! runs; }
keys() { T send-keys -t hx "$@"; }
builds() { (cd "$module" && go build -o /dev/null ./...) 2>>"$WORK/build.log"; }

LC_ALL=C.UTF-8 T new-session -d -x 110 -y 30 -s hx -c "$module" "$hx" -v --log "$WORK/hx.log" -c .helix/config.toml main.go
until_true shows 'func main()' || { echo "Helix never came up" >&2; exit 1; }
echo up

until_true shows 'imported and not used' || fail "gopls shows the problem"
shot problem
ok "gopls shows the problem"

keys ':5' Enter
# companion may learn of the problem a little after Helix: ask until it is named.
offered() {
  keys Space a
  until_true shows 'Edit with Companion' || return 1
  shows 'Fix with Companion: ' && return 0
  keys Escape
  until_true hides 'Edit with Companion'
  return 1
}
until_true offered || fail "the code action is offered"
shot menu
ok "the code action is offered"
first="$(screen | grep -aoE 'Fix with Companion|Fix all|Fix problems|Edit with|Stop Companion' | head -n 1)"
[ "$first" = 'Fix with Companion' ] || fail "it is the first of the menu"
keys Enter
until_true hides '"os"' || fail "the buffer changes"
shot fixed
ok "the buffer changes"
until_true hides 'imported and not used' || fail "the problem is gone"
ok "the problem is gone"

keys ':w' Enter
until_true builds || fail "the saved file builds"
ok "the saved file builds"
keys u
until_true shows '"os"' || fail "one undo takes it back"
shows 'import (' || fail "one undo takes it back whole"
shot undone
ok "one undo takes it back"

keys ':q!' Enter
until_true gone || fail "Helix quits"
ok "Helix quits"

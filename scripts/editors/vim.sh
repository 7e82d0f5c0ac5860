#!/usr/bin/env bash
# Vim 9 with ALE 3.3 of Debian 12, as system packages. Prints the program's path.
. "$(dirname "$0")/lib.sh"
need_apt "Vim with ALE"
one_at_a_time
apt_need vim vim-ale
command -v vim.basic || command -v vim

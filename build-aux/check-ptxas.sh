#!/bin/sh
# SPDX-License-Identifier: MIT
# check-ptxas.sh LOG FLAGS: fails if ptxas reported a spill or a warning, or if
# the flags make an image for debugging.
set -eu
log=$1
flags=" $2 "

case $flags in
*" -G "* | *" --device-debug "* | *" -lineinfo "* | *" --generate-line-info "*)
    echo "kernels must not be compiled with -G or -lineinfo: $2" >&2
    exit 1
    ;;
esac
if grep -E 'warning' "$log" >&2; then
    exit 1
fi
# "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" follows the kernel's name.
awk '/Function properties for/ { name = $NF }
     /bytes spill stores/ && ($5 + 0 > 0 || $9 + 0 > 0) {
         print "kernel " name " spills:" $0 > "/dev/stderr"
         bad = 1
     }
     END { exit bad }' "$log"

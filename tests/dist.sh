#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh BUILD: the release's tarball, made in BUILD and again out of itself in another folder by a user with
# another umask, is the same bit for bit.
set -eu

[ $# -eq 1 ] || {
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
}
build=$1
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL SOURCE_DATE_EPOCH

(umask 022 && ${MAKE:-make} -C "$build" -s dist)
tarball=$(find "$build" -maxdepth 1 -name 'isomat-*.tar.xz')
mkdir "$folder/other"
tar -C "$folder/other" --strip-components=1 -xf "$tarball"
# Only NEWS's time is to matter.
find "$folder/other" ! -name NEWS -exec touch -d @1000000000 {} +
(
    umask 077
    mkdir "$folder/build"
    cd "$folder/build"
    ../other/configure -q --without-nvcc >/dev/null
    ${MAKE:-make} -s dist
)
cmp "$tarball" "$folder/build/${tarball##*/}" || {
    for one in "$tarball" "$folder/build/${tarball##*/}"; do
        tar --numeric-owner -tvf "$one" >"$folder/${one##*/}.$(dirname "$one" | tr / _)"
    done
    diff "$folder"/isomat-*.tar.xz.* >&2 || true
    echo "two runs of make dist differ" >&2
    exit 1
}
sha256sum "$tarball"

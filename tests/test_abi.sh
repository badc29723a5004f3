#!/bin/sh
# SPDX-License-Identifier: MIT
# test_abi.sh: a program built against the last release works with the libraries as they are now.
# test_abi.sh renew: writes what they are now into abi/, at a release (make abi-baseline).
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}" "${READELF:=readelf}"
abi=$top_srcdir/abi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

skip() {
    [ $failures -eq 0 ] || exit 1
    echo "skipped: $*" >&2
    exit 77
}

constants() { # names and numbers; the version may change
    sed -n 's/^#define \(ISOMAT_[A-Z0-9_]*\)[ \\].*/\1/p' "$top_srcdir/include/isomat.h" |
        grep -v '^ISOMAT_API$\|^ISOMAT_VERSION_' >"$folder/names"
    { echo '#include <isomat.h>' && sed 's/.*/constant "&" &/' "$folder/names"; } |
        ${CC:-cc} -I"$top_srcdir/include" -E -P - | sed -n 's/^constant "\(.*\)" (\{0,1\}\(-\{0,1\}[0-9]*\))\{0,1\}$/\1 \2/p'
}

constants >"$folder/constants"
if [ "${1-}" != renew ]; then
    # New ones may come; old ones stay what they are.
    grep -v '^#' "$abi/constants" >"$folder/old"
    if grep -vxFf "$folder/constants" "$folder/old" >&2; then
        echo "these constants are gone or have another number" >&2
        failures=1
    fi
fi

command -v abidiff >/dev/null || skip "abidiff is not installed (Debian: abigail-tools)"
for name in libisomat libcuda_kernels; do
    library=$top_builddir/.libs/$name.so.0
    [ -e "$library" ] || skip "configured without shared libraries"
    "$READELF" -SW "$library" | grep -q '\.debug_info' || skip "$library was built without debug information (-g)"
done

if [ "${1-}" = renew ]; then
    {
        echo '# The constants of isomat.h; written by make abi-baseline.'
        cat "$folder/constants"
    } >"$abi/constants"
    for name in libisomat libcuda_kernels; do
        # Types of the public headers alone, no names of files or parameters.
        abidw --headers-dir "$top_srcdir/include" --drop-private-types --exported-interfaces-only \
            --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
            "$top_builddir/.libs/$name.so.0" | sed "s/^ *//; s|path='[^']*/lib/|path='lib/|" >"$abi/$name.abixml"
    done
    exit 0
fi

for name in libisomat libcuda_kernels; do
    # Additions are compatible; all else that abidiff sees is not, but for abi/suppressions.
    abidiff --no-added-syms --suppressions "$abi/suppressions" \
        "$abi/$name.abixml" "$top_builddir/.libs/$name.so.0" >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "$name is no longer what programs were built against, as above; docs/ABI.md tells what may change" >&2
        failures=1
    }
done
exit $failures

#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS [FOLDER]
#
# Runs libFuzzer over the reader of isomat inspect, with AddressSanitizer and UndefinedBehaviorSanitizer,
# for that long.  It begins with the inputs of corpus.tar.xz and of FOLDER, and keeps what it finds there;
# an input that fails is written to the present folder.  Needs clang with its run-time libraries.
#
# To keep what a long run has found, all that it covers in as few inputs as will do:
#     fuzz_inspect -set_cover_merge=1 kept FOLDER && tar -cJf corpus.tar.xz -C kept .
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || {
    sed -n '3s/^# //p' "$0" >&2
    exit 2
}
top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${2:-$scratch/corpus}
mkdir -p "$folder"
tar -C "$folder" -xf "$top/tests/inspect/corpus.tar.xz"
# shellcheck disable=SC2046 # names without spaces
(cd "$top" && "${CLANG:-clang}" -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -D_GNU_SOURCE -I. -Iinclude -o "$scratch/fuzz_inspect" tests/inspect/fuzz_inspect.c \
    $(find inspect -name '*.c') -lelf -llz4 -lzstd)
"$scratch/fuzz_inspect" -max_len=65536 -timeout=10 -max_total_time="$1" -print_final_stats=1 \
    "$folder" "$top/tests/inspect/samples"

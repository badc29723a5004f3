#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS [FOLDER]
#
# Runs libFuzzer over the host driver's loading of PTX (fuzz_module) and over its reader of fatbins
# (fuzz_fatbin), side by side, with AddressSanitizer and UndefinedBehaviorSanitizer, for that long.  They
# begin with the inputs of corpus.tar.xz and of FOLDER/module and FOLDER/fatbin, and keep what they find
# there; an input that fails is written to the present folder.  Needs clang with its run-time libraries.
#
# To keep what a long run has found, all that it covers in as few inputs as will do, for each of the two:
#     fuzz_module -set_cover_merge=1 kept/module FOLDER/module && tar -cJf corpus.tar.xz -C kept .
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || {
    sed -n '3s/^# //p' "$0" >&2
    exit 2
}
top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${2:-$scratch/corpus}
mkdir -p "$folder/module" "$folder/fatbin"
tar -C "$folder" -xf "$top/tests/hostdriver/corpus.tar.xz"

# The words of PTX: what stands between dots and bars in the instruction table, and the directives.
{
    grep -o '"[a-z][a-z0-9.|?:_A-Z]*"' "$top/hostdriver/instructions.h" | tr -d '"?' | tr '.|' '[\n*]'
    printf '%s\n' version target sm_80 address_size 64 visible extern entry func param reg shared local const \
        global align maxntid reqntid file loc section branchtargets callprototype callseq pragma %tid.x \
        0f3F800000 0d3FF0000000000000
} | grep . | sort -u | sed 's/.*/"&"/' >"$scratch/words"

build() {
    name=$1
    shift
    (cd "$top" && "${CLANG:-clang}" -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -D_GNU_SOURCE -DARENA_BLOCK=1 -I. -Iinclude -o "$scratch/$name" "tests/hostdriver/$name.c" "$@" \
        -llz4 -lzstd -lpthread -lm)
}

fuzz() {
    name=$1
    kept=$2
    shift 2
    "$scratch/$name" -timeout=10 -malloc_limit_mb=600 -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="$name-" "$@" "$kept"
}

seconds=$1
# shellcheck disable=SC2046 # names without spaces
build fuzz_module $(cd "$top" && find hostdriver -name '*.c' ! -name exec.c)
build fuzz_fatbin hostdriver/fatbin.c hostdriver/loader.c hostdriver/arena.c
fuzz fuzz_fatbin "$folder/fatbin" -max_len=16384 >"$scratch/log" 2>&1 &
result=0
fuzz fuzz_module "$folder/module" -max_len=4096 -dict="$scratch/words" || result=1
wait $! || result=1
cat "$scratch/log" >&2
exit $result

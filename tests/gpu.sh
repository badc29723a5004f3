#!/bin/sh
# SPDX-License-Identifier: MIT
# gpu.sh: runs prebuilt test programs on a machine with an NVIDIA GPU.
#
#     gpu.sh [--sanitizer] FOLDER
#
# The machine needs neither cmocka nor libtool: FOLDER holds the programs and
# the shared libraries that they need, as "gpu.sh --pack BUILD FOLDER" puts
# them there from a build folder.  The last line is
# "N passed, N failed, N skipped".
set -eu

usage() {
    sed -n '5,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# pack BUILD FOLDER: the programs themselves, not libtool's scripts.
pack() {
    mkdir -p "$2"
    for program in "$1"/tests/.libs/test_* "$1"/tests/test_*; do
        name=$(basename "$program")
        if [ -f "$program" ] && [ -x "$program" ] && ! [ -e "$2/$name" ] &&
            [ "$(dd if="$program" bs=1 skip=1 count=3 2>/dev/null)" = ELF ]; then
            cp "$program" "$2/"
        fi
    done
    cp -L "$1"/.libs/libisomat.so.0 "$1"/.libs/libcuda_kernels.so.0 "$2/"
    for program in "$2"/test_*; do
        ldd "$program" | sed -n 's/.*=> *\([^ ]*libcmocka[^ ]*\).*/\1/p'
    done | sort -u | while read -r library; do
        cp -L "$library" "$2/"
    done
}

sanitizer=
case ${1-} in
--pack)
    [ $# -eq 3 ] || usage
    pack "$2" "$3"
    exit 0
    ;;
--sanitizer)
    # Some tests make calls that fail on purpose: only bad accesses count.
    sanitizer='compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 86'
    export ISOMAT_TEST_SHAPES="${ISOMAT_TEST_SHAPES:-100}" # of test_gemm_random
    export ISOMAT_TEST_SHORT=1                             # for test_gemm_modes
    shift
    ;;
esac
[ $# -eq 1 ] || usage
[ -d "$1" ] || usage

folder=$(cd "$1" && pwd)
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ISOMAT_TEST_DRIVER=nvidia
export ISOMAT_TEST_LIBRARY="$folder/libisomat.so.0"
passed=0 failed=0 skipped=0
for program in "$folder"/test_*; do
    name=$(basename "$program")
    [ -x "$program" ] || continue
    # These make kernels fail on purpose, fork, which the tool does not follow, or
    # never reach a GPU, which it takes for a failure.
    case $sanitizer:$name in
    ?*:test_lifetime) continue ;;
    ?*:test_lost | ?*:test_fork | ?*:test_cuda_abi | ?*:test_faults | ?*:test_loader | ?*:test_select) continue ;;
    esac
    status=0
    # shellcheck disable=SC2086 # a list of words
    timeout 300 $sanitizer "$program" >"$folder/$name.log" 2>&1 || status=$?
    case $status in
    0) passed=$((passed + 1)) word=PASS ;;
    77) skipped=$((skipped + 1)) word=SKIP ;;
    *) failed=$((failed + 1)) word="FAIL ($status)" ;;
    esac
    echo "$word $name"
    case $word in
    FAIL*) grep -v '\[       OK \]\|\[ RUN  ' "$folder/$name.log" | head -40 ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

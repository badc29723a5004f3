#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the kernels and each host as its own build does, and runs them on the host driver or on what
# ISOMAT_TEST_DRIVER names.
set -eu
sources=${top_srcdir:?is set by make check}/examples/own-kernel
libraries=${top_builddir:?is set by make check}/.libs
isomat=$top_builddir/isomat
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
ISOMAT_LIBRARY=$libraries/libisomat.so.0
export ISOMAT_DRIVER ISOMAT_LIBRARY
unset MAKEFLAGS MFLAGS MAKELEVEL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
arch=75

skip() {
    echo "SKIP: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    cat "$scratch"/log "$scratch"/out "$scratch"/err 2>/dev/null
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

[ -n "${NVCC:-}" ] || skip "configured without nvcc"
has pkg-config || skip "no pkg-config"
[ -e "$ISOMAT_LIBRARY" ] || skip "configured without shared libraries"
# A program that was not built with a sanitizer cannot open a library that was.
if grep -aqE '__(asan|tsan|msan)_init' "$ISOMAT_LIBRARY"; then
    skip "the library is built with a sanitizer"
fi

# The library as pkg-config would give it had it been installed.
mkdir "$scratch/pkgconfig"
cat >"$scratch/pkgconfig/isomat.pc" <<END
Name: isomat
Description: the build folder's
Version: 0
Cflags: -I$top_srcdir/include
Libs: -L$libraries -lisomat
END
PKG_CONFIG_PATH=$scratch/pkgconfig
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# lines LANGUAGE COMMAND...: it prints what it should, a line for each kernel.
lines() {
    language=$1
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" || fail "$*: exit status $?"
    for kernel in matmul_tiled matmul_registers; do
        grep -Eqx "$language: $kernel, 150 x 150, [0-9]+ registers: [0-9]+\.[0-9]{3} ms" "$scratch/out" ||
            fail "$*: no line for $kernel"
    done
    [ "$(wc -l <"$scratch/out")" -eq 2 ] || fail "$*: not two lines"
    [ ! -s "$scratch/err" ] || fail "$*: wrote to standard error"
    echo "ok $language"
}

# refused TEXT COMMAND...: exit status 1, and one line that has TEXT.
refused() {
    text=$1 status=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq 1 ] || fail "$*: exit status $status, not 1"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: not one line of error"
    grep -qF -- "$text" "$scratch/err" || fail "$*: the line lacks: $text"
}

build() { # build WHAT COMMAND...: its output is shown if it fails
    what=$1
    shift
    "$@" >"$scratch/log" 2>&1 || fail "$what cannot be built"
}

mkdir "$scratch/make"
cp "$sources/Makefile" "$sources/matmul.cu" "$sources/multiply.c" "$scratch/make"
build "the C host" make -C "$scratch/make" CC="${CC:-cc}" NVCC="$NVCC" ARCHS=$arch
fatbin=$scratch/make/matmul.fatbin
lines c "$scratch/make/multiply" 150 3 "$fatbin"
refused absent.fatbin "$scratch/make/multiply" 150 3 absent.fatbin

# What is compiled is optimised, and what is not is told by the tool and by each host.
"$isomat" inspect --fail-on debug,spill,no-code --arch sm_$arch "$fatbin" >"$scratch/out" || fail "isomat inspect"
debug=$scratch/debug.fatbin
build "a debug fatbin" "$NVCC" -fatbin -G -arch=sm_$arch -o "$debug" "$sources/matmul.cu"
"$isomat" inspect --fail-on debug "$debug" >"$scratch/out" && fail "isomat inspect --fail-on debug passes"
refused "built with -G" "$scratch/make/multiply" 150 3 "$debug"

run() { # run FATBIN KERNEL OPTION...: isomat run on 150 x 150
    "$isomat" run "$@" --arg 'f32[150,150]:random' --arg 'f32[150,150]:random' --arg 'f32[150,150]:nan' \
        --arg i32:150 --arg i32:150 --arg i32:150 --repeat 0 >"$scratch/out" 2>"$scratch/err" ||
        fail "isomat run $*"
}
run "$fatbin" matmul_registers --grid 2,2 --block 256 --output "2=$scratch/C.npy"
run "$debug" matmul_tiled --grid 5,5 --block 32,32 --expect "2=$scratch/C.npy" --atol 1e-5
grep -q 'BUILT WITH -G' "$scratch/out" || fail "isomat run does not say that it is a debug build"

if has python3; then
    lines python python3 "$sources/multiply.py" 150 3 "$fatbin"
    refused "built with -G" python3 "$sources/multiply.py" 150 3 "$debug"
    refused absent.fatbin python3 "$sources/multiply.py" 150 3 absent.fatbin
fi

cargo_run() {
    CARGO_TARGET_DIR="$scratch/target" MATMUL_FATBIN=$1 cargo run --quiet --offline --locked \
        --manifest-path "$sources/rust/Cargo.toml" -- 150 3
}
if cargo --version >/dev/null 2>&1; then
    lines "rust debug" cargo_run "$fatbin"
    refused "built with -G" cargo_run "$debug"
fi

# The build systems, in their debug profile, compile the same code.
compiled() { # compiled FOLDER
    "$isomat" inspect --fail-on debug --arch sm_$arch "$1/matmul.fatbin" >"$scratch/out" ||
        fail "$1: a debug build of the kernels"
    lines c "$1/multiply" 150 3 "$1/matmul.fatbin"
}
if has cmake; then
    build "with CMake" cmake -S "$sources" -B "$scratch/cmake" -DCMAKE_BUILD_TYPE=Debug -DNVCC="$NVCC" -Darchs=$arch
    build "with CMake" cmake --build "$scratch/cmake"
    compiled "$scratch/cmake"
fi
if has meson && has ninja && has nvcc; then
    build "with Meson" meson setup "$scratch/meson" "$sources" --buildtype=debug -Darchs=$arch
    build "with Meson" ninja -C "$scratch/meson"
    compiled "$scratch/meson"
fi

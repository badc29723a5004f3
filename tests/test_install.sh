#!/bin/sh
# SPDX-License-Identifier: MIT
# test_install.sh: what is installed can be compiled against, opened, run, and taken away again.
set -eu

: "${top_builddir:=.}" "${CC:=cc}" "${CXX:=c++}" "${NM:=nm}" "${READELF:=readelf}" "${PKG_CONFIG:=pkg-config}"
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root

skip() {
    echo "skipped: $*" >&2
    exit 77
}

wrong() {
    echo "$*" >&2
    exit 1
}

command -v "$PKG_CONFIG" >/dev/null 2>&1 || skip "no pkg-config"
if "$NM" -D "$top_builddir/.libs/libisomat.so" 2>/dev/null | grep -q __asan; then
    skip "a program without the sanitizer cannot use a library with it"
fi

${MAKE:-make} -C "$top_builddir" install DESTDIR="$root" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    wrong "make install failed, as above"
}
pc=$(find "$root" -name isomat.pc)
[ -n "$pc" ] || wrong "isomat.pc was not installed"
host=$(find "$root" -name isomat-hostdriver.so)
[ -n "$host" ] || wrong "isomat-hostdriver.so was not installed"
library=$(find "$root" -name libisomat.so.0)
[ -n "$library" ] || wrong "libisomat.so.0 was not installed"
[ -n "$(find "$root" -name isomat.h)" ] || wrong "isomat.h was not installed"
[ -n "$(find "$root" -name isomat_cuda_kernels.h)" ] || wrong "isomat_cuda_kernels.h was not installed"
[ -n "$(find "$root" -name libcuda_kernels.so)" ] || wrong "libcuda_kernels.so was not installed"
[ -z "$(find "$root" -name 'libcuda.so*')" ] || wrong "something with the driver's own name was installed"

# A manual page for each function.
# shellcheck disable=SC2013 # names without spaces
for name in $(sed -n 's/^ISOMAT_API .*[ *]\([a-z_0-9]*\)(.*/\1/p' "$(find "$root" -name isomat.h)" "$(find "$root" -name isomat_cuda_kernels.h)"); do
    [ -e "$(find "$root" -name "$name.3")" ] || wrong "no manual page of $name was installed"
done

for file in "$library" "$host" "$(find "$root" -name libcuda_kernels.so)"; do
    if "$READELF" -d "$file" | grep -E 'RPATH|RUNPATH' | grep -F "$(cd "$top_builddir" && pwd)" >&2; then
        wrong "$file looks for libraries in the build folder"
    fi
done

export PKG_CONFIG_LIBDIR="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$root"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export ISOMAT_DRIVER=host ISOMAT_HOSTDRIVER="$host"

cat >"$folder/multiply.c" <<'END'
#include <isomat.h>
#include <stdio.h>

int main(void)
{
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
    float c[4] = {0};
    isomat_context context = ISOMAT_NONE;
    isomat_matrix ma = ISOMAT_NONE, mb = ISOMAT_NONE, mc = ISOMAT_NONE;

    isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY);
    isomat_matrix_from_host(&ma, context, a, 2, 3, 3, ISOMAT_TYPE_F32, 0);
    isomat_matrix_from_host(&mb, context, b, 3, 2, 2, ISOMAT_TYPE_F32, 0);
    isomat_gemm(&mc, 1.0, ma, ISOMAT_OP_N, mb, ISOMAT_OP_N, 0.0, ISOMAT_COMPUTE_F32, 0);
    isomat_matrix_to_host(c, 2, mc, 0);
    printf("%g %g %g %g %s\n", c[0], c[1], c[2], c[3], isomat_error_message());
    return !(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11 && isomat_version() > 0);
}
END
cat >"$folder/open.c" <<'END'
#include <dlfcn.h>
#include <isomat.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    int32_t (*create)(isomat_context *, int32_t, int32_t);
    int32_t (*destroy)(isomat_context);
    const char *(*message)(void);
    isomat_context context = 0;

    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&create = dlsym(library, "isomat_context_create");
    *(void **)&destroy = dlsym(library, "isomat_context_destroy");
    *(void **)&message = dlsym(library, "isomat_error_message");
    if (create(&context, 0, ISOMAT_CONTEXT_OWN) != 0 || destroy(context) != 0) {
        fprintf(stderr, "%s\n", message());
        return 1;
    }
    return dlclose(library);
}
END
cflags=$("$PKG_CONFIG" --cflags isomat)
libs=$("$PKG_CONFIG" --libs isomat)
# shellcheck disable=SC2086 # lists of words
{
    $CC -std=c99 -Wall -Werror $cflags "$folder/multiply.c" -o "$folder/multiply" $libs
    LD_LIBRARY_PATH=${library%/*} "$folder/multiply" || wrong "the program linked with pkg-config's flags failed"
    $CC $cflags "$folder/open.c" -o "$folder/open" -ldl
    "$folder/open" "$library" || wrong "the program that opens the library failed"
    if command -v "${CXX%% *}" >/dev/null 2>&1; then
        $CXX -x c++ $cflags "$folder/multiply.c" -x none -o "$folder/multiply-cxx" $libs
        LD_LIBRARY_PATH=${library%/*} "$folder/multiply-cxx" || wrong "the same in C++ failed"
    fi
    archive=$(find "$root" -name libisomat.a)
    if [ -n "$archive" ]; then
        private=$("$PKG_CONFIG" --static --libs isomat | sed 's/-lisomat//')
        $CC $cflags "$folder/multiply.c" "$archive" -o "$folder/multiply-static" $private
        "$folder/multiply-static" || wrong "the program linked with libisomat.a failed"
    fi
}
[ "$("$PKG_CONFIG" --modversion isomat)" = "$(sed -n 's/^#define ISOMAT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' \
    "$(find "$root" -name isomat.h)" | paste -sd.)" ] || wrong "isomat.pc and isomat.h have different versions"

# Moved elsewhere, the command, both libraries and the host driver find each other, with no variable to tell them.
moved="$folder/moved here"
prefix=${host%/lib*/isomat/isomat-hostdriver.so}
cp -a "$prefix" "$moved"
(
    unset ISOMAT_HOSTDRIVER PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
    PKG_CONFIG_LIBDIR=$moved${PKG_CONFIG_LIBDIR#"$prefix"}
    place=$moved${library#"$prefix"}
    place=${place%/*}
    driver_path() { sed -n 's/^.*"path": *"\([^"]*\)".*/\1/p'; }
    found=$("$moved/bin/isomat" info --json | driver_path | head -n 1)
    [ "$(readlink -f "$found")" = "$(readlink -f "$place/isomat/isomat-hostdriver.so")" ] ||
        wrong "moved, isomat takes the host driver \"$found\""
    "$moved/bin/isomat" on-host -- "$moved/bin/isomat" --version >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        wrong "moved, isomat on-host fails"
    }
    # Its folder has a space, which pkg-config escapes for a shell.
    flags=$("$PKG_CONFIG" --define-prefix --cflags --libs isomat)
    eval "$CC \"\$folder/multiply.c\" -o \"\$folder/multiply-moved\" $flags"
    LD_LIBRARY_PATH=$place "$folder/multiply-moved" || wrong "moved, the program linked with pkg-config's flags failed"
    # Its handle leads to isomat's functions too.
    "$folder/open" "$place/libcuda_kernels.so.0" || wrong "moved, libcuda_kernels.so does not find libisomat.so"
)

${MAKE:-make} -C "$top_builddir" uninstall DESTDIR="$root" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    wrong "make uninstall failed, as above"
}
find "$root" ! -type d >"$folder/left"
if [ -s "$folder/left" ]; then
    cat "$folder/left" >&2
    wrong "make uninstall left files, as above"
fi

# SPDX-License-Identifier: MIT
# hosts.sh: what the tests of languages have in common that open the library at run time; read by them, not run.
# shellcheck shell=sh
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
: "${libraries:?}" "${scratch:?}" # set there
unset ISOMAT_LIBRARY # found by its name, as where it is installed

# test_host LANGUAGE COMMAND: COMMAND NAME [ARGUMENT...] runs a program of the language's folder.
test_host() {
    test_ten_lines "$2" ten_lines
    test_loop "$1" "$2" loop
    test_overhead "$1" "$2" overhead
    test_own_kernel "$1" "$2" own_kernel
    prints "$1: axpy, .*" "$2" own_kernel # and where it is by itself

    for each in loop overhead own_kernel; do
        ISOMAT_DRIVER=/nonexistent/libcuda.so.1 refused /nonexistent/libcuda.so.1 "$2" $each
        ISOMAT_LIBRARY=/nonexistent/libisomat.so.0 refused /nonexistent/libisomat.so.0 "$2" $each
    done
    ISOMAT_LIBRARY=$libraries/libisomat.so.0 ends 0 "$2" ten_lines
    make_old_library
    ISOMAT_LIBRARY=$scratch/old/libisomat.so.0 refused "is version 0.0.7, this binding needs 0." "$2" loop
    echo 'int other(void) { return 7; }' >"$scratch/other.c"
    # shellcheck disable=SC2086 # a list of words
    ${CC:-cc} -shared -fPIC -o "$scratch/other.so" "$scratch/other.c"
    ISOMAT_LIBRARY=$scratch/other.so refused isomat_version "$2" loop
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Python example's tests and programs on the host driver or on what ISOMAT_TEST_DRIVER names.
# Those of NumPy skip themselves where it is missing.
set -eu
sources=${top_srcdir:?is set by make check}/examples/python
libraries=${top_builddir:?is set by make check}/.libs
ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
ISOMAT_LIBRARY=$libraries/libisomat.so.0
PYTHONDONTWRITEBYTECODE=1 # the sources may be read-only
export ISOMAT_DRIVER ISOMAT_LIBRARY PYTHONDONTWRITEBYTECODE

skip() {
    echo "SKIP: $*"
    exit 77
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip "no Python 3.9 or later"
[ -e "$ISOMAT_LIBRARY" ] || skip "configured without shared libraries"
# A program that was not built with a sanitizer cannot open a library that was.
if grep -aqE '__(asan|tsan|msan)_init' "$ISOMAT_LIBRARY"; then
    skip "the library is built with a sanitizer"
fi

python3 -W error -m unittest discover -v -s "$sources/tests"

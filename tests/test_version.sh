#!/bin/sh
# SPDX-License-Identifier: MIT
# test_version.sh: whatever tells isomat's version tells the same.
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}" "${READELF:=readelf}"
failures=0

same() { # same WHAT VERSION
    [ "$2" = "$version" ] || {
        echo "$1 is version \"$2\", isomat.h $version" >&2
        failures=$((failures + 1))
    }
}

version=$(sed -n 's/^#define ISOMAT_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$top_srcdir/include/isomat.h" | paste -sd.)
same "configure's" "$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")"
same "the library, in isomat --version," "$("$top_builddir/isomat" --version | sed 's/^isomat //')"
same "isomat.pc" "$(sed -n 's/^Version: //p' "$top_builddir/lib/isomat.pc")"
same "NEWS" "$(sed -n '1s/^isomat \([^ ]*\).*/\1/p' "$top_srcdir/NEWS")"
same "debian/changelog" "$(sed -n '1s/^isomat (\([^-]*\)-.*/\1/p' "$top_srcdir/debian/changelog")"
for page in "$top_builddir"/docs/man3/*.3; do
    same "$page" "$(sed -n 's/^\.Os "isomat \(.*\)"$/\1/p' "$page")"
done

# The soname is in the names of Debian's package and its files.
library=$top_builddir/.libs/libisomat.so
if [ -e "$library" ]; then
    soname=$("$READELF" -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    package=libisomat${soname##*.so.}
    if ! grep -qx "Package: $package" "$top_srcdir/debian/control" ||
        ! grep -q "^$soname $package " "$top_srcdir/debian/$package.symbols"; then
        echo "the soname is $soname, and debian/ has no package $package with it" >&2
        failures=$((failures + 1))
    fi
fi
exit $((failures != 0))

#!/bin/sh
# SPDX-License-Identifier: MIT
# test_constants.sh: isomat_constant_get knows each macro of isomat.h that has a value, by the compiler's count.
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}" "${CC:=cc}" "${NM:=nm}"
library=$top_builddir/.libs/libisomat.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() {
    echo "skipped: $*" >&2
    exit 77
}

[ -e "$library" ] || skip "$library was not built"
if "$NM" -D "$library" | grep -q '__[at]san'; then
    skip "a program without the sanitizer cannot use a library with it"
fi

echo '#include <isomat.h>' |
    $CC -I"$top_srcdir/include" -dM -E - |
    awk '$2 ~ /^ISOMAT_/ && $2 != "ISOMAT_API" && NF > 2 { print $2 }' | sort >"$folder/names"
[ "$(wc -l <"$folder/names")" -ge 50 ] || {
    echo "only $(wc -l <"$folder/names") constants in isomat.h" >&2
    exit 1
}

{
    cat <<'END'
#include <isomat.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const char *name, int32_t status, int64_t expected)
{
    int64_t value = -12345;
    if (isomat_constant_get(&value, name) != status || value != (status == ISOMAT_OK ? expected : -12345)) {
        fprintf(stderr, "%s: %lld, \"%s\"\n", name ? name : "NULL", (long long)value, isomat_error_message());
        failures++;
    }
}

int main(void)
{
END
    sed 's/.*/    expect("&", ISOMAT_OK, &);/' "$folder/names"
    cat <<'END'
    expect("ISOMAT_ERROR_", ISOMAT_ERROR_NOT_FOUND, 0);
    expect("ISOMAT_API", ISOMAT_ERROR_NOT_FOUND, 0);
    expect("ISOMAT_H", ISOMAT_ERROR_NOT_FOUND, 0);
    expect("isomat_ok", ISOMAT_ERROR_NOT_FOUND, 0);
    expect("", ISOMAT_ERROR_NOT_FOUND, 0);
    if (strstr(isomat_error_message(), isomat_version_string()) == NULL)
        fprintf(stderr, "the message lacks the version: %s\n", isomat_error_message()), failures++;
    expect(NULL, ISOMAT_ERROR_INVALID_ARGUMENT, 0);
    if (isomat_constant_get(NULL, "ISOMAT_OK") != ISOMAT_ERROR_INVALID_ARGUMENT)
        fprintf(stderr, "a NULL for the value is taken\n"), failures++;
    return failures != 0;
}
END
} >"$folder/constants.c"
$CC -I"$top_srcdir/include" -o "$folder/constants" "$folder/constants.c" "$library"
LD_LIBRARY_PATH=$(dirname "$library") "$folder/constants"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the version, which stands in the public header alone.
set -eu
header=$(dirname "$0")/../include/isomat.h
part() { sed -n "s/^#define ISOMAT_VERSION_$1 \([0-9]*\)$/\1/p" "$header"; }
printf '%s.%s.%s' "$(part MAJOR)" "$(part MINOR)" "$(part PATCH)"

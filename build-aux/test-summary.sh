#!/bin/sh
# SPDX-License-Identifier: MIT
# test-summary.sh BUILD: counts the results that make check left in a build
# tree, and says which tests did not pass.
set -eu
results=$(find "$1" -name '*.trs' -exec grep -H '^:test-result:' {} +)
count() { printf '%s\n' "$results" | grep -c ":test-result: \($1\)" || true; }
printf '%s\n' "$results" | sed -n "s|^$1/\(.*\)\.trs:.*: \(FAIL\|ERROR\|XPASS\|SKIP\).*|\2 \1|p"
echo "$(count 'PASS\|XFAIL') passed, $(count 'FAIL\|ERROR\|XPASS') failed, $(count SKIP) skipped"

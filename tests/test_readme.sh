#!/bin/sh
# SPDX-License-Identifier: MIT
# test_readme.sh: README.zh-CN.md has the headings and the code of README.md, and docs/GUIDE.md shows the programs as
# they are in examples/.
set -eu

: "${top_srcdir:=.}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

wrong() {
    echo "$*" >&2
    failures=$((failures + 1))
}

# The headings, as their level alone.
headings() {
    awk '/^```/ { fenced = !fenced } !fenced && /^#+ / { print $1 }' "$1"
}

# The blocks of code, fenced and indented.
code() {
    awk '/^```/ { fenced = !fenced; print; next } fenced || /^    / { print }' "$1"
}

for each in headings code; do
    $each "$top_srcdir/README.md" >"$folder/en"
    $each "$top_srcdir/README.zh-CN.md" >"$folder/zh"
    [ -s "$folder/en" ] || wrong "README.md: no $each"
    diff -u "$folder/en" "$folder/zh" >&2 || wrong "README.zh-CN.md: its $each are not those of README.md"
done

# A line "`examples/FILE`:", and then the file in a fence.
awk -v folder="$folder" '
    /^`examples\/.*`:$/ { file = $0; gsub(/[`:]/, "", file); next }
    /^```/ && copying { close(copy); copying = 0; file = ""; next }
    /^```/ && file { copy = folder "/shown-" ++count; printf "" >copy; print copy, file >(folder "/list"); copying = 1; next }
    copying { print >copy }
' "$top_srcdir/docs/GUIDE.md"
shown=0
while read -r copy file; do
    diff -u "$top_srcdir/$file" "$copy" >&2 || wrong "docs/GUIDE.md: $file is another now"
    shown=$((shown + 1))
done <"$folder/list"

# Every language has a page.
for each in "$top_srcdir"/examples/*/; do
    language=$(basename "$each")
    case $language in
    ci | own-kernel) continue ;; # no language
    esac
    grep -q "examples/$language/" "$folder/list" || wrong "docs/GUIDE.md: no page with examples/$language"
done
echo "$shown programs in docs/GUIDE.md"
[ $failures -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the LuaJIT example's tests and programs.
set -eu
# shellcheck source=examples/hosts.sh
. "${top_srcdir:?is set by make check}/examples/hosts.sh"
sources=$top_srcdir/examples/luajit

luajit -e 'assert(require("ffi"))' 2>/dev/null || skip "luajit is not installed"
LUA_PATH="$sources/?.lua;;"
export LUA_PATH

# shellcheck disable=SC2317 # called by its name
program() {
    name=$1
    shift
    luajit "$sources/$name.lua" "$@"
}
test_host luajit program
prints "luajit: all tests passed" program test_isomat
for _ in 1 2 3 4 5; do
    prints end program test_isomat end
done

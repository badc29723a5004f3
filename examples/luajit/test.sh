#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the LuaJIT example's tests and programs.
set -eu
sources=${top_srcdir:?is set by make check}/examples/luajit
# shellcheck source=../hosts.sh
. "$sources/../hosts.sh"

luajit -e 'assert(require("ffi"))' 2>/dev/null || skip "luajit is not installed"
need_library
LUA_PATH="$sources/?.lua;;"
export LUA_PATH

program() {
    name=$1
    shift
    luajit "$sources/$name.lua" "$@"
}
check_programs luajit
check_library
prints "luajit: all tests passed" test_isomat
for _ in 1 2 3 4 5; do
    prints end test_isomat end
done

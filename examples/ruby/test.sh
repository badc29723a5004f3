#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Ruby example's tests and programs.
set -eu
# shellcheck source=examples/hosts.sh
. "${top_srcdir:?is set by make check}/examples/hosts.sh"
sources=$top_srcdir/examples/ruby

ruby -e 'exit RUBY_VERSION >= "3.0"' 2>/dev/null || skip "no Ruby 3.0 or later"
ruby -e 'require "fiddle/import"; require "minitest"' 2>/dev/null || skip "Ruby without Fiddle or minitest"

# shellcheck disable=SC2317 # called by its name
program() {
    name=$1
    shift
    ruby -w "$sources/$name.rb" "$@"
}
test_host ruby program
ruby -w "$sources/test_isomat.rb"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Ruby example's tests and programs.
set -eu
sources=${top_srcdir:?is set by make check}/examples/ruby
# shellcheck source=../hosts.sh
. "$sources/../hosts.sh"

ruby -e 'exit RUBY_VERSION >= "3.0"' 2>/dev/null || skip "no Ruby 3.0 or later"
ruby -e 'require "fiddle/import"; require "minitest"' 2>/dev/null || skip "Ruby without Fiddle or minitest"
need_library

program() {
    name=$1
    shift
    ruby -w "$sources/$name.rb" "$@"
}
check_programs ruby
check_library
ruby -w "$sources/test_isomat.rb"

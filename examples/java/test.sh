#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles and runs the Java example's tests and programs.
set -eu
# shellcheck source=examples/hosts.sh
. "${top_srcdir:?is set by make check}/examples/hosts.sh"
sources=$top_srcdir/examples/java

jna=${JNA:-/usr/share/java/jna.jar}
[ -e "$jna" ] || skip "no JNA: neither $jna nor one named by JNA"
javac --release 17 -version >/dev/null 2>&1 || skip "no JDK 17 or later"
javac --release 17 -Xlint:all -Werror -cp "$jna" -d "$scratch/classes" "$sources"/*.java "$sources"/isomat/*.java ||
    fail "does not compile"
cd "$sources" # own_kernel's module is beside it

# shellcheck disable=SC2317 # called by its name
program() {
    case $1 in
    loop) class=Loop ;;
    overhead) class=Overhead ;;
    own_kernel) class=OwnKernel ;;
    ten_lines) class=TenLines ;;
    *) class=$1 ;;
    esac
    shift
    java -Xshare:auto -XX:TieredStopAtLevel=1 -cp "$jna:$scratch/classes" "$class" "$@"
}
test_host java program
prints "java: all tests passed" program TestIsomat
for _ in 1 2 3; do
    prints end program TestIsomat end
done

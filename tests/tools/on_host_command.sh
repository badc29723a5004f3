#!/bin/bash
# SPDX-License-Identifier: MIT
# on_host_command.sh: isomat on-host from outside: what it runs, what it says, and its exit status.
#
# ISOMAT_COMMAND the command (built: $top_builddir/isomat)
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
client=$(realpath "$top_builddir/tests/tools/on_host_client")
driver=$(realpath "${ISOMAT_HOSTDRIVER:-$top_builddir/.libs/isomat-hostdriver.so}")
unset ISOMAT_HOSTDRIVER

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    stdout: /' out
    sed 's/^/    stderr: /' err
}

# run STATUS WORD...: runs isomat on-host with the built driver, and checks its exit status.
run() {
    local wanted=$1 got
    shift
    ISOMAT_HOSTDRIVER=$driver "$isomat" on-host "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$wanted" ] || wrong "on-host $*: exit status $got, not $wanted"
}

# refuse STATUS TEXT WORD...: it must say that in one line.
refuse() {
    local status=$1 text=$2
    shift 2
    run "$status" "$@"
    grep -v '^Try ' err | grep -qF -- "$text" || wrong "on-host $*: the line lacks: $text"
}

# A program that opens libcuda.so.1, itself and as somebody's child; one line announces it.
run 0 -- "$client"
grep -qx 'isomat host driver: 42' out || wrong 'the program did not run on the host driver'
[ "$(wc -l <err)" -eq 1 ] || wrong 'not one line on standard error'
grep -q "^isomat: on-host: .*on_host_client runs on the host driver, .*isomat-hostdriver.so$" err ||
    wrong 'it did not say what it does'
run 0 "$client"
run 0 -- sh -c "exec '$client'"
grep -qx 'isomat host driver: 42' out || wrong 'a child did not run on the host driver'
LD_LIBRARY_PATH=/nowhere run 0 -- "$client"

# Nobody else is affected, and nothing is left behind.
LD_LIBRARY_PATH='' "$client" >out 2>err && grep -q 'isomat host driver' out &&
    wrong 'the host driver was found without on-host'
# shellcheck disable=SC2016 # for the shell that is run
run 0 -- sh -c 'echo "${LD_LIBRARY_PATH%%:*}"'
[ ! -e "$(cat out)" ] || wrong "its folder $(cat out) is still there"

# The driver's own settings reach it.
ISOMAT_HOST_FAULT=cuMemAlloc:1=OUT_OF_MEMORY run 1 -- "$client"
grep -q 'cuMemAlloc_v2: 2' err || wrong 'ISOMAT_HOST_FAULT did not reach the driver'

# Exit statuses: the program's, of a signal, of what cannot be run.
run 7 -- sh -c 'exit 7'
run 143 -- sh -c 'kill -TERM $$'
refuse 127 'No such file' -- "$folder/nothing"
refuse 126 'ermission denied' -- "$folder"
refuse 2 'a program is missing'
refuse 2 'a program is missing' --
refuse 2 'unknown option --fast' --fast "$client"
run 0 --help
grep -q '^Usage: isomat on-host' out || wrong '--help: no usage'
ISOMAT_HOSTDRIVER=$folder/none "$isomat" on-host -- true 2>err
[ $? -eq 1 ] || wrong 'a driver that is not there: exit status is not 1'
grep -q 'the host driver is not installed' err || wrong 'a driver that is not there: not said'

echo "$checks runs of the command, $failures failures"
[ "$failures" -eq 0 ]

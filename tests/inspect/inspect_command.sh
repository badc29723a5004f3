#!/bin/bash
# SPDX-License-Identifier: MIT
# inspect_command.sh: isomat inspect from outside: each option, each exit status, each bad input.
#
# ISOMAT_COMMAND  the command (built: $top_builddir/isomat)
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
samples=$(realpath "${srcdir:-.}/tests/inspect/samples")
folder=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 99
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    stderr: /' errors
}

# run STATUS WORD...: runs isomat inspect, and checks its exit status.
run() {
    local wanted=$1 got
    shift
    "$isomat" inspect "$@" >out 2>errors
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$wanted" ] || wrong "inspect $*: exit status $got, not $wanted"
}

# refuse STATUS TEXT WORD...: it must say that in one line.
refuse() {
    local status=$1 text=$2
    shift 2
    run "$status" "$@"
    [ "$(wc -l <errors)" -eq 1 ] || wrong "inspect $*: not one line of error"
    grep -qF -- "$text" errors || wrong "inspect $*: the line lacks: $text"
}

has() {
    grep -qF -- "$1" out || wrong "$2: standard output lacks: $1"
}

is_json() {
    command -v python3 >/dev/null || return
    python3 -m json.tool <out >/dev/null 2>>errors || wrong "$1: not JSON"
}

test_usage() {
    run 0 --help
    has 'Usage: isomat inspect' --help
    refuse 2 'is wanted'
    refuse 2 'unknown option --nonsense' --nonsense
    refuse 2 'not an architecture' --arch sm_x "$samples/zstd.fatbin"
    refuse 2 'not an architecture' --arch 90b "$samples/zstd.fatbin"
    refuse 2 'not a CUDA version' --driver 12 "$samples/zstd.fatbin"
    refuse 2 'unknown verdict sloth' --fail-on debug,sloth "$samples/zstd.fatbin"
    refuse 2 '--diff takes two files' --diff "$samples/zstd.fatbin"
}

test_text() {
    run 0 "$samples/zstd.fatbin"
    has 'saxpy' zstd
    has 'sm_80' zstd
    run 0 --all "$samples/zstd.fatbin"
    has 'parameters, offset:bytes 0:4 8:8 16:8 24:4' --all
    run 0 "$samples/debug.fatbin"
    has 'error: built with -G' debug
    run 0 "$samples"
    has '6 files, 6 with GPU code' folder
    printf 'no code\n' >plain.txt
    : >empty
    run 0 plain.txt empty
    has 'plain.txt: other file, no GPU code' plain
    has 'empty: empty file, no GPU code' empty
    mkdir nothing
    run 0 nothing
    has 'no file that may hold GPU code' nothing
    run 0 "$isomat"
}

test_json() {
    run 0 --json --arch sm_90 --driver 13.0 "$samples" plain.txt
    is_json json
    has '"schema_version": 1' json
    has '"target": {"arch": "sm_90", "from": "--arch", "driver": "13.0"}' json
    run 0 --json --diff "$samples/zstd.fatbin" "$samples/debug.fatbin"
    is_json diff
    has '{"what": "debug", "a": 0, "b": 1}' diff
    run 1 --json absent
    is_json absent
}

test_fail_on() {
    run 1 --fail-on debug "$samples/debug.fatbin"
    run 0 --fail-on debug,spill "$samples/zstd.fatbin"
    run 1 --fail-on spill "$samples/spill.fatbin"
    run 0 --fail-on error "$samples/spill.fatbin"
    run 1 --fail-on warning "$samples/spill.fatbin"
    run 1 --fail-on any "$samples/zstd.fatbin"
    run 1 --arch sm_75 --fail-on no-code "$samples/zstd.fatbin"
    run 0 --arch sm_86 --fail-on no-code,ptx-only "$samples/zstd.fatbin"
    run 1 --arch sm_90 --fail-on ptx-only "$samples/zstd.fatbin"
    run 1 --arch sm_90 --driver 12.4 --fail-on ptx-too-new "$samples/zstd.fatbin"
    run 1 --arch sm_100 --fail-on no-code "$samples/sm90a.cubin"
}

test_diff() {
    run 0 --diff "$samples/zstd.fatbin" "$samples/debug.fatbin"
    has 'saxpy (sm_80): B was compiled with -G' diff
    has 'registers 10 -> 14' diff
    run 0 --diff "$samples/zstd.fatbin" "$samples/lz4.fatbin"
    has '0 kernels changed, 2 are the same, 0 only in A, 0 only in B' diff
    run 0 --diff "$samples/zstd.fatbin" plain.txt
    has '2 only in A' 'diff with nothing'
    run 1 --diff "$samples/zstd.fatbin" absent
}

test_bad_input() {
    refuse 1 'absent: No such file or directory' absent
    refuse 1 'no regular file' /dev/null
    head -c 700 "$samples/zstd.fatbin" >cut.fatbin
    run 1 cut.fatbin
    grep -q '^isomat: cut.fatbin: a fatbin of 1456 bytes is cut off after 700 at byte 0$' errors ||
        wrong 'cut.fatbin: no reason'
    head -c 3000 "$samples/sm90a.cubin" >cut.cubin
    refuse 1 'cut off' cut.cubin
    run 1 "$samples/zstd.fatbin" absent "$samples/lz4.fatbin"
    has 'lz4.fatbin' 'a file behind a bad one'
    printf '\177ELF' >tiny
    refuse 1 'at byte 0' tiny
    printf '!<arch>\n!!!!!' >bad.a
    run 1 bad.a
    printf '!<thin>\n' >thin.a
    refuse 1 'thin archive' thin.a
    ln -s . loop
    cp "$samples/zstd.fatbin" one.fatbin
    run 1 . # with the damaged files, and no cycle
    if [ "$(id -u)" -ne 0 ]; then
        cp one.fatbin secret.fatbin
        chmod 0 secret.fatbin
        refuse 1 'Permission denied' secret.fatbin
    fi
    "$isomat" inspect one.fatbin >/dev/full 2>errors && wrong 'a full disk: exit status 0'
}

# A wheel with a library in it, where libzip and python3 are there.
test_wheel() {
    command -v python3 >/dev/null || return
    mkdir -p wheel
    python3 - "$samples/spill.fatbin" <<'END'
import sys, zipfile
with zipfile.ZipFile('wheel/a.whl', 'w', zipfile.ZIP_DEFLATED) as wheel:
    wheel.write(sys.argv[1], 'a/kernels.fatbin')
    wheel.writestr('a/__init__.py', 'pass\n')
END
    "$isomat" inspect wheel/a.whl >out 2>errors
    if grep -q 'without libzip' errors; then
        echo 'built without libzip: wheels are not tested'
        return
    fi
    run 0 wheel/a.whl
    has 'a/kernels.fatbin' wheel
    run 1 --fail-on spill wheel
    head -c 2000 wheel/a.whl >wheel/cut.whl
    refuse 1 'libzip' wheel/cut.whl
}

test_usage
test_text
test_json
test_fail_on
test_diff
test_bad_input
test_wheel
echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]

#!/bin/bash
# SPDX-License-Identifier: MIT
# run_command.sh: isomat run from outside: each option, each exit status, each bad input.
#
# ISOMAT_COMMAND     the command (built: $top_builddir/isomat)
# NPY_REFERENCE      the helper that makes files (built: beside this test)
# ISOMAT_TEST_DRIVER the driver to run on (host)
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
reference=$(realpath "${NPY_REFERENCE:-$top_builddir/tests/tools/npy_reference}")
source=$(realpath "${srcdir:-.}/tests/tools/run.ptx")
export ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
[ -z "${ISOMAT_HOSTDRIVER:-}" ] || ISOMAT_HOSTDRIVER=$(realpath "$ISOMAT_HOSTDRIVER")

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
cp "$source" run.ptx
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    stderr: /' errors
}

# run STATUS WORD...: runs isomat run, and checks its exit status.
run() {
    local wanted=$1 got
    shift
    "$isomat" run "$@" >out 2>stderr
    got=$?
    grep -v 'using the host driver (CPU)$' stderr >errors
    checks=$((checks + 1))
    [ "$got" -eq "$wanted" ] || wrong "run $*: exit status $got, not $wanted"
}

# refuse STATUS TEXT WORD...: it must say that in one line.
refuse() {
    local status=$1 text=$2
    shift 2
    run "$status" "$@"
    [ "$(wc -l <errors)" -eq 1 ] || wrong "run $*: not one line of error"
    grep -qF -- "$text" errors || wrong "run $*: the line lacks: $text"
}

has() {
    grep -Eq -- "$1" out || wrong "$2: standard output lacks: $1"
}

# make_npy FILE DTYPE SHAPE HEX: an array of these bytes; its name says what the test wants of it.
make_npy() {
    local header
    header="{'descr': '$2', 'fortran_order': ${5:-False}, 'shape': $3, }"
    # shellcheck disable=SC2059 # octal escapes
    {
        printf '\223NUMPY\001\000'
        printf "$(printf '\\%03o\\000' ${#header})"
        printf '%s' "$header"
        printf "$(fold -w2 <<<"$4" | sed 's/^./\\x&/' | tr -d '\n')"
    } >"$1"
}

# elements FILE FORMAT: the elements as od prints them.
elements() {
    local length
    length=$(od -An -tu2 -j8 -N2 "$1")
    od -An -v "-t$2" -w1000000 -j$((10 + length)) "$1" | tr -s ' ' | sed 's/^ //'
}

# holds FILE FORMAT TEXT: these must be its elements.
holds() {
    checks=$((checks + 1))
    [ "$(elements "$1" "$2")" = "$3" ] || wrong "$1 holds $(elements "$1" "$2"), not $3"
}

axpy=(run.ptx axpy --grid 1 --block 32)
axpy_4=("${axpy[@]}" --arg f32:2 --arg 'f32[4]:1.5' --arg 'f32[4]:10' --arg i32:4)

test_arguments() {
    run 0 "${axpy_4[@]}" --output 2=y.npy --repeat 0
    holds y.npy f4 '13 13 13 13'
    has '^axpy on ' run
    has '^launch +grid 1x1x1, block 32x1x1, 0 bytes of dynamic shared memory, 4 arguments$' run
    has '^image +PTX for compute_75, compiled by the driver in ' run
    has '^needs +[0-9]+ registers, 0 bytes of shared, 0 of local memory; blocks of at most [0-9]+ threads$' run
    has '^occupancy +[0-9]+ blocks of 1 warp on a multiprocessor: ' run
    [ "$(wc -l <out)" -eq 5 ] || wrong '--repeat 0: measured all the same'

    # what is left out is 1, and each block does its part
    refuse 2 'several arguments are arrays' "${axpy_4[@]}" -o y.npy
    run 0 run.ptx axpy --grid 3,1 --block 2,1,1 -a f32:-1e0 -a 'f32[2,3]:2' -a 'f32[2,3]:0.5' -a i32:5 \
        -o 2=z.npy --repeat 0
    holds z.npy f4 '-1.5 -1.5 -1.5 -1.5 -1.5 0.5'
    grep -aq "'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" z.npy || wrong 'z.npy: the header'

    run 0 run.ptx add_each --grid 1 --block 2 -a 'f64[2]:0.25' -a 'i64[2]:-3000000000' -a 'u32[2]:4000000000' \
        -a 'i16[2]:-7' -a 'u8[2]:0x10' -a f64:1e3 -a i64:-9 -a u32:294967295 -a i16:-32000 -a u8:255 --repeat 0 \
        -o 0=f64.npy -o 1=i64.npy -o 2=u32.npy -o 3=i16.npy -o 4=u8.npy
    holds f64.npy f8 '1000.25 1000.25'
    holds i64.npy d8 '-3000000009 -3000000009'
    holds u32.npy u4 '4294967295 4294967295'
    holds i16.npy d2 '-32007 -32007'
    holds u8.npy u1 '15 15'

    # random values: of that type, not all the same, the same each time
    run 0 "${axpy[@]}" -a f32:0 -a 'f32[64]:random' -a 'f32[64]:random' -a i32:64 -o 1=x.npy -o 2=r.npy --repeat 0
    run 0 "${axpy[@]}" -a f32:0 -a 'f32[64]:random' -a 'f32[64]:random' -a i32:64 -o 1=x2.npy --repeat 0
    cmp -s x.npy x2.npy || wrong 'random arrays differ from run to run'
    cmp -s x.npy r.npy && wrong 'two random arguments are the same'
    [ "$(elements x.npy f4 | tr ' ' '\n' | awk '$1 >= -0.5 && $1 < 0.5' | sort -u | wc -l)" -gt 60 ] ||
        wrong 'random float32 are not from -0.5 to 0.5'
}

test_files() {
    make_npy x.npy '<f4' '(2, 2)' 0000803f000000400000404000008040 # 1 2 3 4
    make_npy xf.npy '<f4' '(2, 2)' 0000803f000000400000404000008040 True
    make_npy i.npy '<i4' '(3,)' 010000000200000003000000
    make_npy scalar.npy '<i4' '()' 07000000
    make_npy empty.npy '<i4' '(0,)' ''
    run 0 "${axpy[@]}" -a f32:1 -a 'f32[]:file=x.npy' -a 'f32[2,2]:file=xf.npy' -a i32:4 -o 2=y.npy --repeat 0
    holds y.npy f4 '2 5 5 8'
    run 0 run.ptx reverse --grid 1 --block 3 --shared 12 -a 'i32[]:file=i.npy' -o y.npy --repeat 0
    holds y.npy d4 '3 2 1'
    has ' 12 bytes of dynamic shared memory, 1 argument$' reverse
    run 0 run.ptx reverse --grid 1 --block 3 --shared 60000 -a 'i32[3]:file=i.npy' -o 0=y.npy --repeat 0
    holds y.npy d4 '3 2 1'
    refuse 1 'i.npy has elements of i32, the argument has f32' "${axpy[@]}" -a f32:1 -a 'f32[3]:file=i.npy'
    refuse 1 'i.npy has the shape [3], the argument [4]' run.ptx reverse --grid 1 --block 1 -a 'i32[4]:file=i.npy'
    refuse 1 'absent.npy: No such file' run.ptx reverse --grid 1 --block 1 -a 'i32[4]:file=absent.npy'
    refuse 1 'not a .npy file' run.ptx reverse --grid 1 --block 1 -a 'i32[4]:file=run.ptx'
    refuse 1 'empty.npy holds no elements' run.ptx reverse --grid 1 --block 1 -a 'i32[]:file=empty.npy'
    make_npy big.npy '>i4' '(1,)' 00000001
    refuse 1 "dtype '>i4'" run.ptx reverse --grid 1 --block 1 -a 'i32[]:file=big.npy'
    refuse 1 'cannot write nowhere/y.npy' run.ptx reverse --grid 1 --block 3 --shared 12 -a 'i32[3]:0' \
        -o nowhere/y.npy
    run 0 run.ptx reverse --grid 1 --block 3 --shared 12 -a 'i32[3]:0' -o /dev/null --repeat 0
}

test_expect() {
    make_npy good.npy '<f4' '(4,)' 00005041000050410000504100005041
    make_npy near.npy '<f4' '(4,)' 00005041010050410000504100005041
    make_npy nan.npy '<f4' '(4,)' 0000c07f0000c07f0000c07f0000c07f
    make_npy long.npy '<f4' '(5,)' 0000504100005041000050410000504100005041
    run 0 "${axpy_4[@]}" --expect 2=good.npy --rtol 0 --repeat 0
    has '^expected +argument 2 is good.npy, within rtol 0 and atol 0$' expect
    run 0 "${axpy_4[@]}" --expect 2=near.npy --repeat 0
    run 0 "${axpy_4[@]}" --expect 2=near.npy --rtol 0 --atol 1e-6 --repeat 0
    refuse 1 'argument 2 is not near.npy: 1 of 4 elements differ, the first is number 1: 13, expected 13.000001' \
        "${axpy_4[@]}" --expect 2=near.npy --rtol 0 -o 2=y.npy
    holds y.npy f4 '13 13 13 13' # written all the same
    refuse 1 '4 of 4 elements differ, the first is number 0: 13, expected nan' "${axpy_4[@]}" --expect 2=nan.npy
    run 0 "${axpy[@]}" -a f32:2 -a 'f32[4]:nan' -a 'f32[4]:1' -a i32:4 --expect 2=nan.npy --repeat 0
    refuse 1 'long.npy has the shape [5], the argument [4]' "${axpy_4[@]}" --expect 2=long.npy
    # the results of the first launch are looked at, not those of the last
    run 0 "${axpy_4[@]}" --expect good.npy -o 2=y.npy --repeat 3
    holds y.npy f4 '13 13 13 13'
}

test_measurement() {
    run 0 "${axpy_4[@]}" --repeat 3 --flops '2*arg3' --bytes '(arg3 + 2^3) * 12 / threads * 32'
    has '^time +[0-9.e-]+ ms, quartiles [0-9.e-]+ to [0-9.e-]+, [0-9.]+ [kMG]?FLOP/s, [0-9.]+ [kMGT]?B/s$' time
    has '^measured +3 times [0-9]+ launch(es)?, on the device.s clock$' measured

    # another build of the kernel: the product is subtracted
    sed 's/fma.rn.f32[^;]*;/neg.f32 %f4, %f2;/' run.ptx >other.ptx
    cmp -s run.ptx other.ptx && wrong 'other.ptx is the same'
    run 0 "${axpy_4[@]}" --compare run.ptx --repeat 3
    has '^results +the same bits from A and B$' compare
    has '^time A .* ms' compare
    has '^time B .* ms' compare
    has '^ratio +B takes [0-9.]+ times as long as A$' compare
    has '^measured +3 times [0-9]+ launch(es)? of each in turn' compare
    run 0 "${axpy_4[@]}" --compare other.ptx --repeat 3
    has '^results +A and B differ by ' compare
    refuse 1 'missing.ptx' "${axpy_4[@]}" --compare missing.ptx
    sed 's/^\.target sm_75/.target sm_75, debug/' run.ptx >debug.ptx
    run 0 "${axpy_4[@]}" --compare debug.ptx --repeat 1
    [ "$(grep -c 'BUILT WITH -G' out)" -eq 1 ] || wrong 'a module built with -G: not said once'
    "$isomat" run "${axpy_4[@]}" >/dev/full 2>errors && wrong 'a full disk: exit status 0'
}

test_usage() {
    run 0 --help
    has '^Usage: isomat run \[options\] MODULE KERNEL$' --help
    refuse 2 '1 operands given' run.ptx
    refuse 2 '--grid is missing' run.ptx axpy --block 1
    refuse 2 '--block is missing' run.ptx axpy --grid 1
    for size in 0 -1 x '1,' 1,2,3,4 1.5 ''; do
        refuse 2 "--grid $size: " run.ptx axpy --block 1 --grid "$size"
    done
    for argument in f31:1 f32 f32: f32:x f32:1e99 f16:1e9 i32:1.5 i8:128 i8:-129 u8:-1 u8:256 u64:18446744073709551616 \
        f32:random f32:file=a.npy 'f32[4]' 'f32[4' 'f32[4]:' 'f32[4]:rnd' 'f32[0]:1' 'f32[-1]:1' 'f32[]:1' 'f32[4,]:1' \
        'f32[4 4]:1' 'f32[1,1,1,1,1,1,1,1,1]:0' 'f32[9223372036854775807,2]:0' 'f32[9223372036854775807]:0' ''; do
        refuse 2 "--arg $argument: " "${axpy[@]}" --arg "$argument"
    done
    refuse 2 'there is no argument 4, they are counted from 0' "${axpy_4[@]}" -o 4=y.npy
    refuse 2 'there is no argument' "${axpy_4[@]}" -o 99999999999999999999=y.npy
    refuse 2 'argument 3 is no array' "${axpy_4[@]}" --expect 3=y.npy
    refuse 2 'the file has no name' "${axpy_4[@]}" -o 2=
    refuse 2 'several arguments are arrays, say which' "${axpy_4[@]}" --expect y.npy
    for flops in x '1+' '(1' '1)' 'arg2' 'arg9' 'argx' '1/0' '-1' '0' '' '2**3' "$(printf '(%.0s' {1..500})1"; do
        refuse 2 "--flops $flops" "${axpy_4[@]}" --flops "$flops"
    done
    refuse 2 'not above 0' "${axpy_4[@]}" --bytes '-2^2'
    refuse 2 '--repeat 0 measures nothing' "${axpy_4[@]}" --repeat 0 --flops 1
    refuse 2 'not below 0' "${axpy_4[@]}" --rtol -1
    refuse 2 'not a whole number' "${axpy_4[@]}" --shared -1
    # shellcheck disable=SC2046 # a list of words
    refuse 2 'more than 64 arguments' "${axpy[@]}" $(printf -- '-a i32:%d ' {1..65})
}

test_failures() {
    refuse 1 'absent.fatbin' absent.fatbin axpy --grid 1 --block 1
    refuse 1 'run.ptx has no kernel saxpy; it has axpy, add_each, reverse, fault' run.ptx saxpy --grid 1 --block 1
    echo 'no module' >text
    refuse 1 'text' text axpy --grid 1 --block 1
    refuse 1 'block_x is 2000' run.ptx axpy --grid 1 --block 2000 -a f32:1 -a 'f32[4]:0' -a 'f32[4]:0' -a i32:4
    refuse 1 'the device has' "${axpy[@]}" -a f32:1 -a 'f32[1000000,1000000,1000]:random'
    refuse 1 '999' "${axpy_4[@]}" --device 999
    if ! grep -q 'cannot tell' errors; then # a driver that tells parameters
        refuse 1 'takes 4 arguments, 3 were given' "${axpy[@]}" -a f32:1 -a 'f32[4]:0' -a 'f32[4]:0'
        refuse 1 'axpy' "${axpy[@]}" -a f64:1 -a 'f32[4]:0' -a 'f32[4]:0' -a i32:4
    fi
    [ -s out ] && wrong 'a refused launch wrote to standard output'
    refuse 1 'fault' run.ptx fault --grid 1 --block 1 -a 'i32[4]:0'
    ISOMAT_DRIVER=/nonexistent/libcuda.so refuse 1 /nonexistent/libcuda.so "${axpy_4[@]}"
}

: >errors
test_arguments
test_files
test_expect
test_measurement
test_usage
test_failures
"$reference" random m.npy 3 5 1 fortran 2
run 0 "${axpy[@]}" -a f32:0 -a 'f32[3,5]:0' -a 'f32[]:file=m.npy' -a i32:15 --expect 2=m.npy --rtol 0 --repeat 0
echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]

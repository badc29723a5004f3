#!/bin/bash
# SPDX-License-Identifier: MIT
# tune_command.sh: isomat tune from outside: what it measures, writes, keeps and refuses.
#
# ISOMAT_COMMAND     the command (built: $top_builddir/isomat)
# ISOMAT_TEST_DRIVER the driver to run on (host)
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
export ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
[ -z "${ISOMAT_HOSTDRIVER:-}" ] || ISOMAT_HOSTDRIVER=$(realpath "$ISOMAT_HOSTDRIVER")

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
unset ISOMAT_TUNING XDG_CONFIG_HOME
export HOME=$folder/home
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    stdout: /' stdout
    sed 's/^/    stderr: /' stderr
}

# run STATUS WORD...: runs the command, and checks its exit status.
run() {
    local wanted=$1 got
    shift
    "$isomat" "$@" >stdout 2>stderr
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$wanted" ] || wrong "isomat $*: exit status $got, not $wanted"
}

errors() {
    grep -v 'using the host driver (CPU)$' stderr
}

# refuse STATUS TEXT WORD...: it must fail, with one line that has TEXT.
refuse() {
    local status=$1 text=$2
    shift 2
    run "$status" "$@"
    [ "$(errors | wc -l)" -eq 1 ] || wrong "isomat $*: not one line of error"
    errors | grep -qF -- "$text" || wrong "isomat $*: the line lacks: $text"
}

has() { # has PATTERN FILE
    grep -q -- "$1" "$2" || wrong "$2 lacks: $1"
}

# Products of the file FILE, as its last line says; their kernels are those that bench then takes.
check_file() {
    local file=$1 lines m n k ops compute kernel parts
    lines=$(grep -c '^[0-9]' "$file")
    [ "$(tail -n 1 "$file")" = "end $lines" ] || wrong "$file: the last line"
    head -n 1 "$file" | grep -qx 'isomat-tuning 1' || wrong "$file: the first line"
    while read -r m n k ops compute kernel parts; do
        case $m in [0-9]*) ;; *) continue ;; esac
        # shellcheck disable=SC2046 # a list of words
        ISOMAT_TUNING=$file run 0 bench --shape "$m,$n,$k" --compute "$compute" --iterations 1 --verify --format csv \
            $(case $ops in t?) echo --transpose-a ;; esac) $(case $ops in ?t) echo --transpose-b ;; esac)
        has "^$m,$n,$k,$compute,$kernel," stdout
        [ "$parts" -ge 1 ] || wrong "$file: parts $parts"
    done <"$file"
}

test_default_place() {
    # Small results over a long k, which is cut in parts for many multiprocessors: a CPU likes that less.
    run 0 tune --shape 20x20x900 --shape 12x30x1500:tn --shape 40x10x2000:TT --compute f32-strict
    has '^ *m  *n  *k  ops  compute ' stdout
    has '^ *12  *30  *1500  tn  *f32-strict  *isomat_gemm_f32_' stdout
    has '^[0-3] of 3 gain; ' stdout
    local gains file
    gains=$(sed -n 's/^\([0-3]\) of 3 gain.*/\1/p' stdout)
    [ "$(grep -c ' the default ' stdout)" -eq $((3 - gains)) ] || wrong 'the default was best, and it is not said'
    if [ "$gains" -eq 0 ]; then
        [ "$ISOMAT_DRIVER" != host ] || wrong 'no gain'
        return
    fi
    file=$(echo home/.config/isomat/tuning-*.txt)
    [ -f "$file" ] || wrong 'nothing is where the library reads it'
    [ "$(tail -n 1 "$file")" = "end $gains" ] || wrong 'not as many products as gain'
    check_file "$file"
    run 0 info --device 0
    has "tuning file $PWD/$file, kernels of $gains products" stdout
    [ "$(find home -type f | wc -l)" -eq 1 ] || wrong 'a temporary file was left'
}

# A file of this device's with one product, by hand.
write_file() {
    "$isomat" info --device 0 >facts 2>stderr
    {
        echo 'isomat-tuning 1'
        sed -n 's/^isomat \([0-9]\)/library \1/p' facts
        sed -n 's/^device 0: \(.*\)/\1/p' facts >name
        sed -n 's/^  capability \([0-9.]*\), \([0-9]*\) multiprocessors.*/\1 \2/p' facts |
            sed "s/^/device /; s/\$/ $(cat name)/"
        echo '77 66 55 nt f64 isomat_gemm_f64_nt_32x32x32 1'
        echo 'end 1'
    } >"$1"
}

test_other_products_are_kept() {
    write_file kept
    ISOMAT_TUNING=kept run 0 info
    has 'tuning file kept, kernels of 1 products' stdout
    printf 'name, M, N, K, layout\n# a comment\n\n"a", 20,20,900,nn\nb,16,16,16,\n' >shapes.csv
    run 0 tune --shapes shapes.csv --compute f32-strict --compute f64 -o kept
    has ' of 4 gain; kept: ' stdout
    [ -z "$(errors)" ] || wrong 'a good file is complained of'
    has '^77 66 55 nt f64 isomat_gemm_f64_nt_32x32x32 1$' kept
    check_file kept
    printf 'm,n,k,op_a,op_b,source\n9,16,30,t,n,a\n' >shapes.csv
    run 0 tune --shapes shapes.csv -o kept
    has '^ *9  *16  *30  *tn  *f32 ' stdout
    # the same place by the environment; what was tuned before is measured again
    cp kept before
    ISOMAT_TUNING=kept run 0 tune --shape 77x66x55:nt --compute f64
    if grep -q ' the default ' stdout; then
        ! grep -q '^77 66 55' kept || wrong 'an entry that gains nothing is still there'
    else
        has '^77 66 55 nt f64 ' kept
    fi
    [ "$(grep -v '^77 \|^end' kept)" = "$(grep -v '^77 \|^end' before)" ] || wrong 'other entries changed'
}

test_bad_files() {
    write_file stale
    sed -i 's/^device .*/device 1.0 7 Another/' stale
    run 0 tune --shape 20x20x900 --shape 40x10x2000:tt --compute f32-strict -o stale
    errors | grep -q '^isomat: stale will be replaced: made on "device 1.0 7 Another"' || wrong 'stale: not said'
    if ! grep -q '^0 of' stdout; then
        ! grep -q '^77 66 55' stale || wrong 'stale: an entry of another device is kept'
        check_file stale
    fi
    echo 'my diary' >diary
    refuse 1 'diary is no tuning file, and is left as it is' tune --shape 20x20x900 -o diary
    [ "$(cat diary)" = 'my diary' ] || wrong 'the diary was written'
    refuse 1 'nowhere/file' tune --shape 20x20x900 --shape 40x10x2000:tt --compute f32-strict -o nowhere/file
    ISOMAT_TUNING='' refuse 1 'give -o FILE' tune --shape 20x20x900
    mkdir a-folder
    refuse 1 'a-folder' tune --shape 20x20x900 -o a-folder
}

test_wrong_usage() {
    run 0 tune --help
    has '^Usage: isomat tune ' stdout
    refuse 2 '--shape or --shapes is missing' tune
    refuse 2 'not MxNxK[:OPS]' tune --shape 1x2
    refuse 2 'not MxNxK[:OPS]' tune --shape 1x2x3x4
    refuse 2 'not whole numbers' tune --shape 1x0x3
    refuse 2 'not whole numbers' tune --shape 1xx3
    refuse 2 'not one of nn|nt|tn|tt' tune --shape 1x2x3:no
    refuse 2 'not one of nn|nt|tn|tt' tune --shape 1x2x3:
    refuse 2 'unknown compute mode' tune --shape 1x2x3 --compute f31
    refuse 2 'unexpected operand' tune --shape 1x2x3 more
    refuse 1 'no.csv: No such file' tune --shapes no.csv
    printf 'm,n,k\n1,2,3\n4,5\n' >bad.csv
    refuse 1 'bad.csv, line 3: m, n, k: not whole numbers' tune --shapes bad.csv
    printf '1,2,3,nn\n1,2,3,xx\n' >bad.csv
    refuse 1 'bad.csv, line 2: the ops are not one of' tune --shapes bad.csv
    printf 'm,n,k,op_a\n1,2,3,nn\n' >bad.csv
    refuse 1 'bad.csv, line 2: an op is not n or t' tune --shapes bad.csv
    printf '1,2,3,nn,f33\n' >bad.csv
    refuse 1 'bad.csv, line 1: unknown compute mode' tune --shapes bad.csv
    printf 'm,n,k\n' >bad.csv
    refuse 2 'bad.csv has no shapes' tune --shapes bad.csv
    head -c 100000 /dev/zero >bad.csv
    refuse 2 'bad.csv has no shapes' tune --shapes bad.csv
    refuse 1 'the device has' tune --shape 2000000000x2000000000x2 -o file
    refuse 1 '999' tune --shape 1x2x3 --device 999 -o file
    [ ! -e file ] || wrong 'a refused tune wrote its file'
}

: >stdout
: >stderr
test_default_place
test_other_products_are_kept
test_bad_files
test_wrong_usage
echo "$checks runs of the command, $failures failures"
[ "$failures" -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# test_bench.sh: the measurements run, so that they do not rot; their figures are looked at elsewhere.
set -eu

: "${top_builddir:=.}"
accuracy=$(realpath "${ACCURACY_COMMAND:-$top_builddir/bench/accuracy}")
export ISOMAT_DRIVER="${ISOMAT_TEST_DRIVER:-host}"
[ -z "${ISOMAT_HOSTDRIVER:-}" ] || ISOMAT_HOSTDRIVER=$(realpath "$ISOMAT_HOSTDRIVER")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

wrong() {
    echo "$*" >&2
    cat out err >&2
    exit 1
}

# Fails too if an error is above its mode's bound.
"$accuracy" --tiny --csv all.csv >out 2>err || wrong "accuracy --tiny: exit status $?"
grep -q '^f32  *uniform(-1/2,1/2)  ' out || wrong 'accuracy: no row for f32'
grep -q '^bf16  *denormals  ' out || wrong 'accuracy: no row for bf16'
grep -q '^[0-9]* products, 0 above' out || wrong 'accuracy: no sum'
[ "$(wc -l <all.csv)" -ge 500 ] || wrong 'accuracy --csv: too few lines'
head -n 1 all.csv | grep -q '^compute,data,shape,m,n,k,kernel,error,cublas_error,ratio,not_larger,' ||
    wrong 'accuracy --csv: another header'

"$accuracy" --tiny --all --data hilbert --compute tf32 >out 2>err || wrong "accuracy --all: exit status $?"
[ "$(grep -c '^tf32  *hilbert' out)" -eq 9 ] || wrong 'accuracy --all: not nine rows'

for words in '--nonsense' '--csv' '--compute f64' '--data weather'; do
    status=0
    # shellcheck disable=SC2086 # a list of words
    "$accuracy" $words >out 2>err || status=$?
    [ "$status" -eq 2 ] || wrong "accuracy $words: exit status $status"
    [ ! -s out ] || wrong "accuracy $words: wrote to standard output"
done
status=0
"$accuracy" --tiny --data hilbert --compute f32 --csv nowhere/all.csv >out 2>err || status=$?
[ "$status" -eq 1 ] || wrong "accuracy --csv nowhere: exit status $status"
grep -q '^isomat: cannot write nowhere/all.csv: ' err || wrong 'accuracy --csv nowhere: no message'

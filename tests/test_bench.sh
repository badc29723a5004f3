#!/bin/sh
# SPDX-License-Identifier: MIT
# test_bench.sh: the measurements run, so that they do not rot; their figures are looked at elsewhere.
set -eu

: "${top_builddir:=.}"
: "${top_srcdir:=.}"
accuracy=$(realpath "${ACCURACY_COMMAND:-$top_builddir/bench/accuracy}")
SHAPES_COMMAND=$(realpath "${SHAPES_COMMAND:-$top_builddir/bench/shapes}")
export SHAPES_COMMAND
sweep=$(realpath "$top_srcdir/bench/sweep")
list=$(realpath "$top_srcdir/bench/shapes.csv")
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

# refused STATUS PATTERN: the command before failed so, in one line of standard error.
refused() {
    [ "$status" -eq "$1" ] && [ ! -s out ] && [ "$(grep -vc '^isomat: using the host driver\|^isomat: not compared' err)" -eq 1 ] &&
        grep -q "$2" err
}

# --------------------------------------------------------------- shapes

# The list: 500 shapes, none twice, sizes from 1 to 65536, each with its source.
awk -F, 'NR == 1 { next }
    NF != 6 || $1 < 1 || $2 < 1 || $3 < 1 || $1 > 65536 || $2 > 65536 || $3 > 65536 || $4 $5 !~ /^[nt][nt]$/ || $6 == "" ||
        seen[$1, $2, $3, $4, $5]++ { print "shapes.csv, line " NR ": " $0; bad = 1 }
    END { if (NR != 501) { print "shapes.csv: " NR - 1 " shapes"; bad = 1 } exit bad }' "$list" >out 2>err ||
    wrong 'shapes.csv is not what it was'

# Small ones of it.  A wrong product makes the exit status 1.
awk -F, 'NR == 1 || $1 * $2 * $3 < 20000' "$list" >few.csv
few=$(($(wc -l <few.csv) - 1))
[ $few -ge 10 ] || wrong 'shapes.csv: hardly any small shape'
"$SHAPES_COMMAND" --shapes few.csv --compute f32-strict --compute f64 --milliseconds 1 --csv shapes-out.csv \
    >out 2>err || wrong "shapes: exit status $?"
grep -q "^f32-strict: $few shapes, " out || wrong 'shapes: no sum for f32-strict'
grep -q "^f64: $few shapes, " out || wrong 'shapes: no sum for f64'
[ "$(wc -l <shapes-out.csv)" -eq $((2 * few + 1)) ] || wrong 'shapes --csv: another number of rows'
awk -F, 'NR > 1 && (NF != 17 || $8 <= 0 || $11 <= 0) { bad = 1 } END { exit bad }' shapes-out.csv ||
    wrong 'shapes --csv: a row without a time or a rate'

printf 'm,n,k,op_a,op_b,source\n2,3,0,n,n,none\n' >zero.csv
for words in '--nonsense 1' '--csv' '--size 0' '--compute f8 --size 4' '--milliseconds 0'; do
    status=0
    # shellcheck disable=SC2086 # a list of words
    "$SHAPES_COMMAND" $words >out 2>err || status=$?
    refused 2 '^shapes: ' || wrong "shapes $words: exit status $status"
done
for words in '--shapes nowhere.csv' '--shapes all.csv' '--shapes zero.csv' '--size 4 --csv nowhere/a.csv' \
    '--size 4 --csv all.csv'; do
    status=0
    # shellcheck disable=SC2086 # a list of words
    "$SHAPES_COMMAND" $words >out 2>err || status=$?
    refused 1 '^isomat: ' || wrong "shapes $words: exit status $status"
done
sed '2s/,[^,]*,[^,]*$/,another device,x/' shapes-out.csv >other.csv
status=0
"$SHAPES_COMMAND" --size 4 --csv other.csv >out 2>err || status=$?
refused 1 'rows of another device' || wrong "shapes: took another device's rows"

# ---------------------------------------------------------------- sweep

plotters=
if command -v gnuplot >/dev/null; then
    plotters=gnuplot
fi
if python3 -c 'import matplotlib' 2>/dev/null; then
    plotters="$plotters matplotlib"
fi
sweep_words='--size 96 --size 16 --size 20 --size 33 --size 48 --size 64 --compute f32-strict --compute bf16 --milliseconds 300'

# Killed once some rows are there, with half a row behind them.
# shellcheck disable=SC2086 # a list of words
setsid sh "$sweep" --csv sweep.csv $sweep_words >out 2>err &
group=$!
tries=0
while [ "$( (cat sweep.csv 2>/dev/null || true) | wc -l)" -lt 4 ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || wrong 'sweep: no rows in a minute'
    sleep 0.1
done
kill -KILL "-$group"
wait "$group" 2>/dev/null || true
[ "$(wc -l <sweep.csv)" -lt 13 ] || wrong 'sweep: it was over before it was killed'
sed '$d' sweep.csv >before.csv # the last one may be incomplete
printf '64,64,64,n,n,bf' >>sweep.csv

# The same command goes on: nothing is missing, twice, or measured again.
status=0
# shellcheck disable=SC2086 # a list of words
sh "$sweep" --csv sweep.csv --svg sweep.svg $sweep_words >out 2>err || status=$?
[ "$(wc -l <sweep.csv)" -eq 13 ] || wrong 'sweep: another number of rows'
[ "$(cut -d, -f1-6 sweep.csv | sort -u | wc -l)" -eq 13 ] || wrong 'sweep: a row is there twice'
head -n "$(wc -l <before.csv)" sweep.csv | cmp -s - before.csv || wrong 'sweep: rows of before are others now'
if [ -z "$plotters" ]; then
    grep -q 'neither gnuplot nor matplotlib' err || wrong 'sweep, no plotter: no message'
    [ $status -eq 1 ] || wrong "sweep, no plotter: exit status $status"
    echo 'neither gnuplot nor matplotlib is found: no chart was drawn'
else
    [ $status -eq 0 ] || wrong "sweep: exit status $status"
fi
for plotter in $plotters; do
    rm -f sweep.svg
    # shellcheck disable=SC2086 # a list of words
    sh "$sweep" --csv sweep.csv --svg sweep.svg $sweep_words --plotter "$plotter" >out 2>err ||
        wrong "sweep --plotter $plotter: exit status $?"
    for word in '<svg' 'f32-strict<' 'bf16<' 'TFLOP/s' 'share of the limit' '</svg>'; do
        grep -q "$word" sweep.svg || wrong "sweep --plotter $plotter: no $word in the chart"
    done
done
[ "$(wc -l <sweep.csv)" -eq 13 ] || wrong 'sweep: drawing measured something'

for words in '--nonsense 1' '--csv' '--size 12;ls' '--plotter pencil' '--compute f8'; do
    status=0
    # shellcheck disable=SC2086 # a list of words
    sh "$sweep" $words >out 2>err || status=$?
    refused 2 '^\(sweep\|shapes\): ' || wrong "sweep $words: exit status $status"
done

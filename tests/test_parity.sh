#!/bin/sh
# SPDX-License-Identifier: MIT
# test_parity.sh: what bench/parity.py makes of the lines that hosts print; the hosts here print what they are told to.
set -eu

: "${top_srcdir:=.}"
python3 -c '' 2>/dev/null || {
    echo "SKIP: python3 is not installed"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

wrong() {
    echo "$*" >&2
    cat "$folder/out" "$folder/err" >&2
    exit 1
}

# host FOLDER NAME DEVICE-MS WHOLE-MS LAUNCH-NS PRODUCT-NS: those of C are of the first round, and twice as long in the
# second: a slower machine leaves the ratios as they are.
host() {
    mkdir -p "$folder/hosts/$1"
    cat >"$folder/hosts/$1/loop" <<END
#!/bin/sh
echo x >>"$folder/$1.rounds"
[ "\$1 \$2" = "64 3" ] || exit 2
awk -v n="\$(wc -l <"$folder/$1.rounds")" 'BEGIN { printf "$2: 64 x 64, 3 multiplications, Device (of a test): device %.3f ms, with overhead %.3f ms\n", $3 * n, $4 * n }'
END
    cat >"$folder/hosts/$1/overhead" <<END
#!/bin/sh
echo "$1 \$(wc -l <"$folder/$1.rounds")" >>"$folder/order"
[ "\$1" = 7 ] || exit 2
echo "$2: 7 calls: empty launch $5 ns, 64 x 64 product $6 ns"
END
    chmod +x "$folder/hosts/$1/loop" "$folder/hosts/$1/overhead"
}

# parity STATUS OPTION...
parity() {
    wanted=$1 status=0
    shift
    rm -f "$folder"/*.rounds "$folder/order"
    python3 "$top_srcdir/bench/parity.py" --bundle "$folder" --size 64 --iterations 3 --calls 7 "$@" \
        >"$folder/out" 2>"$folder/err" || status=$?
    [ $status -eq "$wanted" ] || wrong "parity.py $*: exit status $status, not $wanted"
}

# prints LINE: as one of those on standard output.
prints() {
    grep -qxF -- "$1" "$folder/out" || wrong "not printed: $1"
}

parity 1
grep -q '^parity: .* has no folder hosts' "$folder/err" || wrong "no bundle: no message"

host c c 2.000 2.100 3000 4000
host rust-debug 'rust debug' 2.010 2.112 3010 4020
host go go 2.040 2.100 3200 4100
parity 0 --rounds 2 --csv "$folder/csv"
prints 'Device (of a test), 2 rounds of 3 multiplications, 64 x 64'
prints '| c | 3.000 | 1.0000 ± 0.0000 | 3.150 | 1.0000 ± 0.0000 |  |'
prints '| rust debug | 3.015 | 1.0050 ± 0.0000 | 3.168 | 1.0057 ± 0.0000 | met |'
prints '| go | 3.060 | 1.0200 ± 0.0000 | 3.150 | 1.0000 ± 0.0000 | missed |'
prints '| c | 3000 | +0 | +0 | 4000 | +0 | +0 |  |'
prints '| rust debug | 3010 | +10 | +10 | 4020 | +20 | +20 | 20: met |'
prints '| go | 3200 | +200 | +200 | 4100 | +100 | +100 | 150: missed |'
prints 'not here: c++, rust release, python, zig, fortran, luajit, java, ruby'
printf '%s\n' 'round,host,device_ms,whole_ms,launch_ns,product_ns' '1,c,2.0,2.1,3000.0,4000.0' >"$folder/head"
head -n 2 "$folder/csv" | cmp - "$folder/head" || wrong 'the CSV is another'
[ "$(wc -l <"$folder/csv")" -eq 7 ] || wrong 'the CSV has not seven lines'
[ "$(tr '\n' ' ' <"$folder/order")" = 'c 1 rust-debug 1 go 1 rust-debug 2 go 2 c 2 ' ] || wrong 'not in turns'

# The interval: ratios 1.00 and 1.02, 1.01 +- 12.706 * 0.01414 / sqrt(2).
cat >"$folder/hosts/go/loop" <<END
#!/bin/sh
echo x >>"$folder/go.rounds"
time=2.000
[ \$(wc -l <"$folder/go.rounds") -eq 1 ] || time=4.080
echo "go: 64 x 64, 3 multiplications, D: device \$time ms, with overhead \$time ms"
END
parity 0 --rounds 2
grep -qF '| go | 3.040 | 1.0100 ± 0.1271 |' "$folder/out" || wrong 'another confidence interval'
parity 0 --rounds 9 --seconds 0
grep -q ', 1 rounds of' "$folder/out" || wrong '--seconds: another round began'

parity 0 --rounds 1 --only overhead
prints '| go | 3200 | +200 | +200 | 4100 | +100 | +100 | 150: missed |'
[ "$(grep -c multiplications "$folder/out")" -eq 0 ] || wrong '--only overhead: a loop ran'

# A host that prints another line, one whose interpreter is not there, one that fails.
host zig zag 2 2 3000 4000
host luajit luajit 2 2 3000 4000
printf '#!/bin/sh\nexec no-such-interpreter\n' >"$folder/hosts/luajit/loop"
host python python 2 2 3000 4000
printf '#!/bin/sh\necho "loop: no driver" >&2\nexit 1\n' >"$folder/hosts/python/loop"
parity 1 --rounds 1
grep -q '^parity: zig: loop printed another line' "$folder/err" || wrong 'zig: no message'
grep -qx 'parity: python: loop: exit status 1: loop: no driver' "$folder/err" || wrong 'python: no message'
grep -q '^not here: .*luajit' "$folder/out" || wrong 'luajit: not named'
[ "$(grep -c '^| \(zig\|python\|luajit\)' "$folder/out")" -eq 0 ] || wrong 'a host that failed is in the table'
rm -r "$folder/hosts/c"
parity 1 --rounds 1
grep -qx 'parity: without C there is nothing to compare with' "$folder/err" || wrong 'without C: no message'
for words in '--rounds 0' '--size x' '--nonsense'; do
    # shellcheck disable=SC2086 # a list of words
    parity 2 $words
done

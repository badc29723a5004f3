#!/bin/bash
# SPDX-License-Identifier: MIT
# test_command.sh: the isomat command from outside: each verb, each exit status, each bad input.
#
# ISOMAT_COMMAND     the command (built: $top_builddir/isomat)
# NPY_REFERENCE      the helper that makes and compares files (built: beside this test)
# ISOMAT_TEST_DRIVER the driver to run on (host)
set -u
top_builddir=${top_builddir:-.}
isomat=$(realpath "${ISOMAT_COMMAND:-$top_builddir/isomat}")
reference=$(realpath "${NPY_REFERENCE:-$top_builddir/tests/tools/npy_reference}")
export ISOMAT_DRIVER=${ISOMAT_TEST_DRIVER:-host}
[ -z "${ISOMAT_HOSTDRIVER:-}" ] || ISOMAT_HOSTDRIVER=$(realpath "$ISOMAT_HOSTDRIVER")

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
mkdir state out
checks=0 failures=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    stderr: /' state/stderr
}

# run STATUS WORD...: runs the command, and checks its exit status.
run() {
    local wanted=$1 got
    shift
    "$isomat" "$@" >state/stdout 2>state/stderr
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$wanted" ] || wrong "isomat $*: exit status $got, not $wanted"
}

# Lines on standard error other than the one that names the host driver.
errors() {
    grep -v 'using the host driver (CPU)$' state/stderr
}

# refuse STATUS TEXT WORD...: it must fail, with nothing on stdout and one line that has TEXT.
refuse() {
    local status=$1 text=$2
    shift 2
    run "$status" "$@"
    [ "$(errors | wc -l)" -eq 1 ] || wrong "isomat $*: not one line of error"
    errors | grep -q '^isomat: ' || wrong "isomat $*: the line does not begin with isomat:"
    errors | grep -qF -- "$text" || wrong "isomat $*: the line lacks: $text"
    [ ! -s state/stdout ] || wrong "isomat $*: wrote to standard output"
}

has() {
    grep -q -- "$1" state/stdout || wrong "$2: standard output lacks: $1"
}

is_json() {
    if command -v python3 >state/null; then
        python3 -m json.tool <state/stdout >state/null 2>>state/stderr || wrong "$1: not JSON"
    fi
}

# A .npy file of version 1.0 with this header and these bytes of zeros.
make_npy() {
    local file=$1 header=$2 bytes=$3 length
    length=$(printf '\\%03o\\%03o' $((${#header} % 256)) $((${#header} / 256)))
    # shellcheck disable=SC2059 # octal escapes
    {
        printf '\223NUMPY\001\000'
        printf "$length"
        printf '%s' "$header"
        head -c "$bytes" /dev/zero
    } >"$file"
}

no_leftovers() {
    [ -z "$(find . -name '.*.npy.*')" ] || wrong "$1: left a temporary file: $(find . -name '.*.npy.*')"
}

test_general() {
    run 0 --help
    has '^Usage: isomat VERB' help
    run 0 --version
    has '^isomat [0-9]*\.[0-9]*\.[0-9]*$' version
    for verb in info multiply bench; do
        run 0 "$verb" --help
        has "^Usage: isomat $verb " "$verb --help"
        refuse 2 'unknown option --nonsense' "$verb" --nonsense
        refuse 2 'unknown option -q' "$verb" -q
    done
    refuse 2 'a verb is missing'
    refuse 2 'unknown verb fly' fly
    refuse 2 'unknown option --fly' --fly
    "$isomat" --help >/dev/full 2>state/stderr && wrong '--help >/dev/full: exit status 0'
    grep -q '^isomat: cannot write standard output' state/stderr || wrong '--help >/dev/full: no message'
}

test_info() {
    run 0 info
    has '^isomat [0-9]' info
    has '^driver ' info
    has '^device 0: ' info
    has 'module gemm_f32 .*takes ' info
    [ "$ISOMAT_DRIVER" != host ] || grep -qx 'isomat: using the host driver (CPU)' state/stderr ||
        wrong 'info: does not say that it uses the host driver'
    run 0 info --images --device 0
    run 0 info --json
    is_json 'info --json'
    has '"modules": \[' 'info --json'
    refuse 2 'unexpected operand x' info x
    refuse 2 'not a whole number' info --device -1
    run 1 info --device 999
    ISOMAT_DRIVER=/nonexistent/libcuda.so run 1 info
    has '^isomat [0-9]' 'info without a driver'
    grep -q '^isomat: .*/nonexistent/libcuda.so' state/stderr || wrong 'info without a driver: no message'
    ISOMAT_DRIVER=/nonexistent/libcuda.so run 1 info --json
    is_json 'info --json without a driver'
    has '"driver": null' 'info --json without a driver'
}

make_operands() {
    "$reference" random A.npy 300 200 1 c 1
    "$reference" random B.npy 200 257 2 c 1
    "$reference" random AF.npy 300 200 3 fortran 1
    "$reference" random BF.npy 200 257 4 fortran 2
    "$reference" random AT.npy 200 300 5 c 3
    "$reference" random BT.npy 257 200 6 fortran 1
    "$reference" random C0.npy 300 257 7 c 1
    "$reference" random C0F.npy 300 257 8 fortran 1
}

# product A B OP_A OP_B ALPHA BETA C0|- OPTION...: the command's product must equal the reference.
product() {
    local a=$1 b=$2 op_a=$3 op_b=$4 alpha=$5 beta=$6 c0=$7
    shift 7
    run 0 multiply "$a" "$b" -o out/C.npy "$@"
    "$reference" compare out/C.npy "$a" "$b" "$op_a" "$op_b" "$alpha" "$beta" "$c0" ||
        wrong "multiply $a $b $*: wrong result"
    rm -f out/C.npy
}

test_products() {
    product A.npy B.npy n n 1 0 -
    product A.npy B.npy n n 1 0 - --compute f32
    product A.npy B.npy n n 1 0 - --compute f32-strict
    product AF.npy B.npy n n 1 0 -
    product A.npy BF.npy n n 1 0 -
    product AF.npy BF.npy n n 1 0 -
    product AT.npy B.npy t n 1 0 - --transpose-a
    product A.npy BT.npy n t 1 0 - --transpose-b
    product AT.npy BT.npy t t 1 0 - --transpose-a --transpose-b
    product A.npy B.npy n n 2.5 0 - --alpha 2.5
    product A.npy B.npy n n -0.5 1 C0.npy --alpha -0.5 --beta 1 --c C0.npy
    product AF.npy BT.npy n t 1 -3 C0F.npy --transpose-b --beta -3 --c C0F.npy
    product A.npy B.npy n n 0 2 C0F.npy --alpha 0 --beta 2 --c C0F.npy

    "$reference" random D.npy 90 70 1 c 1 f8
    "$reference" random DF.npy 70 50 2 fortran 1 f8
    "$reference" random D0F.npy 90 50 3 fortran 2 f8
    product D.npy DF.npy n n 1 0 -
    product D.npy DF.npy n n 0.1 -0.3 D0F.npy --alpha 0.1 --beta -0.3 --c D0F.npy --compute f64
    "$reference" random E0.npy 3 0 1 c 1
    "$reference" random E1.npy 0 4 1 fortran 1
    "$reference" random E2.npy 0 3 1 c 1
    product E0.npy E1.npy n n 1 0 -
    run 0 multiply E2.npy E0.npy -o out/C.npy
    rm -f out/C.npy
}

test_output() {
    cp A.npy out/old.npy
    ln -s old.npy out/link.npy
    run 0 multiply A.npy B.npy -o out/link.npy
    [ -L out/link.npy ] || wrong 'the output was a link, and is none any more'
    "$reference" compare out/old.npy A.npy B.npy n n 1 0 - || wrong 'output through a link: wrong result'
    run 0 multiply A.npy B.npy -o /dev/null
    [ -c /dev/null ] || wrong '/dev/null was replaced'
    refuse 1 'cannot write /dev/full' multiply A.npy B.npy -o /dev/full
    refuse 1 'cannot write nowhere/C.npy: No such file' multiply A.npy B.npy -o nowhere/C.npy
    refuse 1 'cannot write out: Is a directory' multiply A.npy B.npy -o out
    refuse 1 'cannot write ' multiply A.npy B.npy -o ''
    refuse 1 'cannot write A.npy/C.npy' multiply A.npy B.npy -o A.npy/C.npy

    # a failure leaves what was there
    cp C0.npy out/kept.npy
    ISOMAT_DRIVER=/nonexistent run 1 multiply A.npy B.npy -o out/kept.npy
    cmp -s C0.npy out/kept.npy || wrong 'a failed multiply changed its output file'
    (ulimit -f 16 && trap '' XFSZ && "$isomat" multiply A.npy B.npy -o out/kept.npy) 2>state/stderr
    [ $? -eq 1 ] || wrong 'a file size limit: exit status is not 1'
    cmp -s C0.npy out/kept.npy || wrong 'a failed write changed its output file'
    no_leftovers 'failed writes'

    # killed while it works
    "$reference" random L.npy 900 900 1 c 1
    "$isomat" multiply L.npy L.npy -o out/kept.npy 2>state/stderr &
    for _ in $(seq 200); do
        [ -z "$(find out -name '.kept.npy.*')" ] || break
        sleep 0.01
    done
    kill -TERM $! 2>>state/stderr
    wait $! 2>>state/stderr
    no_leftovers 'a killed multiply'
}

test_bad_files() {
    local f4="{'descr': '<f4', 'fortran_order': False, 'shape':"
    refuse 1 'missing.npy: No such file' multiply missing.npy B.npy -o C.npy
    refuse 1 'out: Is a directory' multiply out B.npy -o C.npy
    : >empty.npy
    refuse 1 'empty.npy: not a .npy file' multiply empty.npy B.npy -o C.npy
    echo 'some text, and no matrix' >text.npy
    refuse 1 'text.npy: not a .npy file' multiply A.npy text.npy -o C.npy
    head -c 100000 A.npy >short.npy
    refuse 1 'truncated: 99872 of 240000' multiply short.npy B.npy -o C.npy
    head -c 50 A.npy >shorter.npy
    refuse 1 'ends within its header' multiply shorter.npy B.npy -o C.npy
    printf '\223NUMPY\002\000\377\377\377\377{' >huge.npy
    refuse 1 'header of 4294967295 bytes' multiply huge.npy B.npy -o C.npy
    printf '\223NUMPY\011\000\020\000{' >version.npy
    refuse 1 'version 9.0' multiply version.npy B.npy -o C.npy
    make_npy half.npy "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }" 8
    refuse 1 "the dtype is '<f2'" multiply half.npy B.npy -o C.npy
    make_npy double.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }" 32
    refuse 1 'B.npy holds float32, which compute mode f64 does not take' multiply double.npy B.npy -o C.npy
    refuse 1 'double.npy holds float64, which compute mode tf32' multiply double.npy double.npy -o C.npy --compute tf32
    make_npy three.npy "$f4 (2, 2, 2), }" 32
    refuse 1 '3 dimensions' multiply three.npy B.npy -o C.npy
    make_npy one.npy "$f4 (4,), }" 16
    refuse 1 '1 dimension' multiply one.npy B.npy -o C.npy
    make_npy negative.npy "$f4 (-2, 2), }" 16
    refuse 1 'negative size' multiply negative.npy B.npy -o C.npy
    make_npy overflow.npy "$f4 (4294967296, 4294967296), }" 16
    refuse 1 'overflows' multiply overflow.npy B.npy -o C.npy
    make_npy promise.npy "$f4 (1000000000, 1000000000), }" 16
    refuse 1 'truncated: 16 of 4000000000000000000' multiply promise.npy B.npy -o C.npy
    make_npy tall.npy "$f4 (9000000000000000000, 0), }" 0
    make_npy wide.npy "$f4 (0, 9000000000000000000), }" 0
    refuse 1 'too large' multiply tall.npy wide.npy -o C.npy
    make_npy evil.npy $'{\'descr\': \'\033[31m\n\', \'fortran_order\': False}' 0
    refuse 1 "the dtype is '?[31m '" multiply evil.npy B.npy -o C.npy
    [ ! -e C.npy ] || wrong 'a refused multiply wrote its output'
    no_leftovers 'refused files'
}

test_bad_multiply() {
    refuse 1 'A.npy is 300x200, A.npy is 300x200: inner sizes differ' multiply A.npy A.npy -o C.npy
    refuse 1 'A.npy transposed is 200x300' multiply A.npy B.npy --transpose-a -o C.npy
    refuse 1 'the product is 300x257' multiply A.npy B.npy --beta 1 --c A.npy -o C.npy
    refuse 2 '-o FILE is missing' multiply A.npy B.npy
    refuse 2 '1 operands given' multiply A.npy -o C.npy
    refuse 2 '3 operands given' multiply A.npy B.npy C0.npy -o C.npy
    refuse 2 'needs a value' multiply A.npy B.npy -o
    refuse 2 'unknown compute mode' multiply A.npy B.npy -o C.npy --compute f31
    refuse 2 'unknown compute mode, not one of f32|f32-strict|tf32|f64' multiply A.npy B.npy -o C.npy --compute f16
    refuse 2 '--alpha x: not a finite number' multiply A.npy B.npy -o C.npy --alpha x
    refuse 2 '--alpha 1e999: not a finite number' multiply A.npy B.npy -o C.npy --alpha 1e999
    refuse 2 '--beta without --c' multiply A.npy B.npy -o C.npy --beta 1
    refuse 2 '--c without --beta' multiply A.npy B.npy -o C.npy --c C0.npy
    [ ! -e C.npy ] || wrong 'a refused multiply wrote its output'
}

test_bench() {
    run 0 bench --size 64 --iterations 3
    has 'kernel ms .*call ms .*TFLOP/s' bench
    run 0 bench --shape 33,29,70 --compute f64 --verify --iterations 2
    has 'isomat_gemm_f64_nn' 'bench --compute f64'
    run 0 bench --size 33 --shape 70,3,129 --compute f32 --compute f32-strict --verify --iterations 2 --format csv
    has '^m,n,k,compute,kernel,kernel_ms_median,' 'bench --format csv'
    [ "$(wc -l <state/stdout)" -eq 5 ] || wrong 'bench --format csv: not 5 lines'
    for layout in --transpose-a --transpose-b '--transpose-a --transpose-b'; do
        # shellcheck disable=SC2086 # a list of words
        run 0 bench --shape 33,70,129 $layout --verify --iterations 2
    done
    run 0 bench --size 64 --iterations 3 --compare cublas --format json
    is_json 'bench --format json'
    has '{"m": 64, "n": 64, "k": 64, "compute": "f32", "kernel": "' 'bench --format json'
    if [ "$ISOMAT_DRIVER" = host ]; then
        has '"cublas_ms_median": null' 'bench --format json'
        has '"of_peak": null' 'bench --format json'
        errors | grep -qx 'isomat: not compared with cuBLAS: it needs an NVIDIA driver' ||
            wrong 'bench --compare cublas on the host driver: not said'
    fi
    run 0 bench --size 512
    run 0 bench --shape 70,33,129 --compute tf32 --compute f16 --compute bf16 --verify --iterations 1 --format csv
    has ',tf32,isomat_gemm_tf32_.*,f32,back-to-back,0,1$' 'bench --compute tf32'
    has ',f16,isomat_gemm_f16_.*,f16,back-to-back,0,1$' 'bench --compute f16'
    has ',bf16,isomat_gemm_bf16_.*,bf16,back-to-back,0,1$' 'bench --compute bf16'
    run 0 bench --shape 33,70,40 --compute f32 --compute tf32 --compute bf16 --output f32 --keep --transpose-b \
        --best-layout --protocol spaced --iterations 1 --verify --format csv
    has ',f32,.*,8,[0-9]*,nt,,f32,spaced,1,1$' 'bench --keep --protocol spaced'
    has ',bf16,.*,8,[0-9]*,nt,,f32,spaced,1,1$' 'bench --keep --protocol spaced'
    run 0 bench --size 32 --protocol loop --iterations 5 --verify --format csv
    has ',f32,.*,3,[0-9]*,nn,,f32,loop,0,1$' 'bench --protocol loop'
    run 0 bench --size 20 --products 7 --iterations 3 --verify --format csv
    has '^20,20,20,f32,,.*,0,7$' 'bench --products'
    "$isomat" bench --size 64 --iterations 1 >/dev/full 2>state/stderr && wrong 'bench >/dev/full: exit status 0'

    refuse 2 '--size -4: not a whole number' bench --size -4
    refuse 2 '--size 0: not a whole number' bench --size 0
    refuse 2 '--size 12x: not a whole number' bench --size 12x
    refuse 2 '--size 99999999999999999999: not' bench --size 99999999999999999999
    refuse 2 '--shape 1,2: not M,N,K' bench --shape 1,2
    refuse 2 '--shape 1,2,3,4: not M,N,K' bench --shape 1,2,3,4
    refuse 2 '--shape 1,,3: not three' bench --shape 1,,3
    refuse 2 '--iterations 0: not a whole number' bench --size 8 --iterations 0
    refuse 2 'unknown compute mode' bench --size 8 --compute f128
    refuse 2 'unknown protocol, not one of' bench --size 8 --protocol burst
    refuse 2 'unknown type of the result' bench --size 8 --output f16
    refuse 2 'unknown library' bench --size 8 --compare mkl
    refuse 2 'unknown format' bench --size 8 --format xml
    refuse 2 'unexpected operand 8' bench 8
    refuse 1 'the device has' bench --size 2000000000
    refuse 1 '999' bench --size 8 --device 999
}

: >state/stderr
make_operands
test_general
test_info
test_products
test_output
test_bad_files
test_bad_multiply
test_bench
echo "$checks runs of the command, $failures failures"
[ "$failures" -eq 0 ]

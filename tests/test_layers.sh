#!/bin/sh
# SPDX-License-Identifier: MIT
# test_layers.sh: includes in lib/ point down, and each fact is known in one place.
set -eu

: "${top_srcdir:=.}"
cd "$top_srcdir"
failures=0

wrong() {
    echo "$*" >&2
    failures=$((failures + 1))
}

# The layers of docs/ARCHITECTURE.md, lowest first; one file may include those
# of its own line and of the lines before it.
layers='
status cuda_abi driver_symbols version
constant
dl nvtx
driver
handle device recording
context stream event
launch memory image module kernel profiler tensor_map
select select_16 select_candidate select_f64 select_group select_mma recall workspace
matrix kept elementwise product graph
split
finish gemm_16 gemm_check gemm_f64 gemm_group gemm_mma gemm_simt gemm_split gemm_strict
gemm_problem
tuning tuning_file
gemm_choice
gemm gemm_batched gemm_tuning
dropin
'

layer_of() { # layer_of NAME: its number, or nothing
    echo "$layers" | awk -v name="$1" '{ for (i = 1; i <= NF; i++) if ($i == name) print NR }'
}

for file in lib/*.c lib/*.h; do
    name=$(basename "$file")
    mine=$(layer_of "${name%.*}")
    if [ -z "$mine" ]; then
        wrong "$file belongs to no layer: add it to tests/test_layers.sh"
        continue
    fi
    # shellcheck disable=SC2013 # names without spaces
    for include in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
        case $include in
        lib/constants.inc) continue ;; # made from isomat.h
        lib/*) include=${include#lib/} ;;

        isomat.h | include/* | isomat_cuda_kernels.h) continue ;;
        kernels/abi.h | kernels/abi_sm90.h | kernels/gemm_tiles.h | kernels/mma_tiles.h | modules/table.h) continue ;;
        */*)
            wrong "$file includes $include, which is not for lib/"
            continue
            ;;
        esac
        theirs=$(layer_of "${include%.h}")
        if [ -z "$theirs" ]; then
            wrong "$file includes $include, which belongs to no layer"
        elif [ "$theirs" -gt "$mine" ]; then
            wrong "$file includes $include, a higher layer"
        fi
    done
done

uncomment() { # the text of a C file with its comments blanked, line by line
    awk '{
        line = ""
        while ($0 != "") {
            if (inside) { end = index($0, "*/"); if (!end) break; $0 = substr($0, end + 2); inside = 0; continue }
            start = index($0, "/*")
            if (!start) { line = line $0; break }
            line = line substr($0, 1, start - 1) " "; $0 = substr($0, start + 2); inside = 1
        }
        print line
    }' "$1"
}

only() { # only PATTERN WHAT FILE...: no other file of lib/ has the pattern
    pattern=$1 what=$2
    shift 2
    for file in lib/*.c lib/*.h; do
        for allowed in "$@"; do
            if [ "$file" = "$allowed" ]; then continue 2; fi
        done
        if uncomment "$file" | grep -nE "$pattern" >&2; then
            wrong "$file knows $what"
        fi
    done
}

only '\bCUresult\b' CUresult lib/driver.c lib/driver.h lib/cuda_abi.h lib/driver_symbols.h
only '\b(dlopen|dlsym|dlclose|dladdr|dlinfo)\b' dlopen lib/dl.c
only '\b(getenv|setenv|secure_getenv)\b' 'the environment' lib/driver.c lib/dl.c lib/tuning_file.c
only '\b(exit|abort|printf|puts|atexit|signal|sigaction|assert)\(' 'a way to end the process or to print' ''

# The headers of others stand alone; device code and tools see no header of lib/.
if grep -nE '^ *# *include *["<](lib|modules|hostdriver|tests)/' include/*.h kernels/* 2>/dev/null >&2; then
    wrong "a public header or a kernel includes a private header, as above"
fi
if grep -nE '^ *# *include *["<](lib|modules|hostdriver|kernels)/' tools/*.[ch] examples/*/*.[ch] bench/*.[ch] 2>/dev/null |
    grep -v '^bench/fit\.c:' >&2; then # which fits the library's own function
    wrong "a program includes a private header, as above"
fi
if grep -nE '^ *# *include *["<](tools|tests|examples|bench)/' lib/* hostdriver/* modules/*.[chS] 2>/dev/null >&2; then
    wrong "the library includes a header of a program, as above"
fi
if grep -nE '^ *# *include *<(cuda|cuda_runtime|cudaTypedefs|cublas)' lib/* hostdriver/* modules/*.[chS] tools/*.[ch] 2>/dev/null >&2; then
    wrong "a header of the CUDA toolkit is included, as above"
fi

exit $((failures != 0))

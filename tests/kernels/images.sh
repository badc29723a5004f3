#!/bin/sh
# SPDX-License-Identifier: MIT
# images.sh: writes images.h, the compiled test kernels as C arrays.
#
# Run by hand after a change of a .cu file here, with nvcc 13 in PATH:
#     cd tests/kernels && ./images.sh > images.h
# The fatbins hold LZ4-compressed images; the version of the PTX text is lowered
# to 6.4 so that older drivers take it.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fatbin() { # fatbin OUTPUT ARCH,CODE...
    output=$1
    shift
    list=
    for pair in "$@"; do
        list="$list -gencode arch=${pair%,*},code=${pair#*,}"
    done
    # shellcheck disable=SC2086 # a list of words
    nvcc -fatbin -Xfatbin -compress-all --compress-mode=speed $list ramp.cu -o "$folder/$output"
}

bytes() { # bytes NAME FILE COMMENT
    printf '\n/* %s */\nstatic const unsigned char %s[] = {\n' "$3" "$1"
    od -An -v -tu1 -w24 "$folder/$2" | sed 's/  */,/g; s/^,/    /; s/$/,/'
    printf '};\n'
}

text() { # text NAME FILE COMMENT
    printf '\n/* %s */\nstatic const char %s[] =\n' "$3" "$1"
    sed -e 's/\.version .*/.version 6.4/' -e 's,"/.*/,",' -e 's,//.*,,' -e '/^[[:space:]]*$/d' -e 's/\t/ /g' -e 's/  */ /g' \
        -e 's/"/\\"/g' -e 's/^ */    "/' -e 's/$/\\n"/' "$folder/$2"
    printf '    "";\n'
}

nvcc -ptx -arch=compute_75 launch.cu -o "$folder/launch.ptx"
nvcc -ptx -arch=compute_75 state.cu -o "$folder/state.ptx"
nvcc -ptx -G -arch=compute_75 ramp.cu -o "$folder/debug.ptx"
nvcc -ptx -arch=compute_75 ramp.cu -o "$folder/ramp.ptx"
nvcc -cubin -arch=sm_75 ramp.cu -o "$folder/ramp_75.cubin"
nvcc -cubin -arch=sm_90 ramp.cu -o "$folder/ramp_90.cubin"
fatbin ramp.fatbin compute_75,sm_75 compute_90,sm_90 compute_75,compute_75
fatbin foreign.fatbin compute_75,sm_75 compute_120,sm_120 compute_121,compute_121

echo '/* SPDX-License-Identifier: MIT */'
echo '/* images.h: the kernels of this folder compiled; written by images.sh, do not edit. */'
echo '#ifndef ISOMAT_TEST_IMAGES_H'
echo '#define ISOMAT_TEST_IMAGES_H'
echo
echo '/* clang-format off */'
text launch_ptx launch.ptx 'launch.cu as PTX for compute_75'
text state_ptx state.ptx 'state.cu as PTX for compute_75'
text ramp_ptx ramp.ptx 'ramp.cu as PTX for compute_75'
text debug_ptx debug.ptx 'ramp.cu as PTX for compute_75, built with -G'
bytes ramp_fatbin ramp.fatbin 'ramp.cu: sm_75, sm_90, PTX for compute_75'
bytes foreign_fatbin foreign.fatbin 'ramp.cu: sm_75, sm_120, PTX for compute_121: nothing for sm_80 or sm_90'
bytes ramp_75_cubin ramp_75.cubin 'ramp.cu for sm_75'
bytes ramp_90_cubin ramp_90.cubin 'ramp.cu for sm_90'
echo '/* clang-format on */'
echo
echo '#endif'

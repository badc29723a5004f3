#!/bin/sh
# SPDX-License-Identifier: MIT
# Outside programs under `isomat on-host`, each in a virtual environment of its own with packages from
# PyPI:  sh tests/outside/run.sh [--quick] [NAME...]
#
#   --quick        only those that install in seconds; the rest are skipped
#   ISOMAT_COMMAND the command (./isomat or build/isomat)
#   OUTSIDE_VENVS  where the environments are, and stay (a temporary folder)
#
# Exit status: 1 if one failed, 77 if all were skipped.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

quick=no
[ "${1:-}" != --quick ] || { quick=yes; shift; }
wanted=${*:-cuda_core pycuda_module numba_kernel tinygrad_train}

isomat=${ISOMAT_COMMAND:-}
for candidate in ./isomat build/isomat; do
    [ -n "$isomat" ] || { [ -x "$candidate" ] && isomat=$candidate; }
done
[ -n "$isomat" ] || { echo "outside: no isomat command here; ISOMAT_COMMAND may name it" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venvs=${OUTSIDE_VENVS:-$work/venvs}
mkdir -p "$venvs"
passed=0 failed=0 skipped=0

skip() {
    echo "SKIP: $1: $2"
    skipped=$((skipped + 1))
}

# try NAME PACKAGE...: installs, and runs NAME.py on the host driver.
try() {
    name=$1
    shift
    case " $wanted " in *" $name "*) ;; *) return ;; esac
    python=$venvs/$name/bin/python
    if [ ! -e "$venvs/$name/installed" ]; then
        python3 -m venv "$venvs/$name" >"$work/log" 2>&1 ||
            { skip "$name" 'python3 makes no virtual environment (python3-venv is missing?)'; return; }
        "$python" -m pip install -q --disable-pip-version-check "$@" >"$work/log" 2>&1 ||
            { skip "$name" "pip cannot install $*: $(tail -n 1 "$work/log")"; return; }
        : >"$venvs/$name/installed"
    fi
    # shellcheck disable=SC2086 # a list of words, or none
    if timeout 600 "$isomat" on-host -- "$python" -W ignore "$here/$name.py" $arguments >"$work/log" 2>&1; then
        echo "PASS: $name (${1%%[![:alnum:]-]*} ${1##*==}): $(tail -n 1 "$work/log")"
        passed=$((passed + 1))
    else
        echo "FAIL: $name"
        tail -n 40 "$work/log"
        failed=$((failed + 1))
    fi
}

arguments=
try cuda_core 'cuda-core[cu13]==1.2.2' nvidia-cuda-nvrtc numpy
DEV=CUDA:PTX TRAINING=1
export DEV TRAINING
try tinygrad_train tinygrad==0.14.0 numpy
unset DEV TRAINING
if [ $quick = yes ]; then
    case " $wanted " in *" numba_kernel "*) skip numba_kernel 'not with --quick: a large download' ;; esac
    case " $wanted " in *" pycuda_module "*) skip pycuda_module 'not with --quick: pip compiles it' ;; esac
else
    try numba_kernel 'numba-cuda[cu13]==0.30.4'
    # It is compiled against the toolkit's cuda.h.
    arguments=$here/scale.ptx
    try pycuda_module pycuda==2026.1 numpy
fi
echo "outside programs: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] || exit 1
[ $passed -gt 0 ] || exit 77

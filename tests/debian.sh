#!/bin/sh
# SPDX-License-Identifier: MIT
# debian.sh [TREE]: builds Debian's packages of an unpacked release (or a tree with compiled kernels; this one
# if none is named), asks lintian, installs them into a clean system and uses isomat there from C, Python and
# Rust, then takes them away again.  Needs dpkg-dev, debhelper, lintian, mmdebstrap, and cargo for Rust; not
# root.  Takes minutes; not part of make check.
set -eu

tree=$(cd "${1:-$(dirname "$0")/..}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

say() { echo "debian.sh: $*" >&2; }
fail() {
    say "$*"
    exit 1
}

for tool in dpkg-buildpackage dh lintian mmdebstrap; do
    command -v $tool >/dev/null || fail "$tool is not installed"
done
[ -f "$tree/modules/gemm_f32.fatbin" ] || fail "$tree has no compiled kernels: unpack a release"

say "building the packages"
mkdir "$folder/build"
tar -C "$tree" --exclude=./build --exclude=./.git --exclude=target -cf - . | tar -C "$folder/build" -xf -
(
    cd "$folder/build"
    # nvcc is out of reach: the kernels are the release's.  CI has run the tests already.
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" NVCC=/nonexistent dpkg-buildpackage -us -uc -b
) >"$folder/log" 2>&1 || {
    tail -n 50 "$folder/log" >&2
    fail "dpkg-buildpackage failed, as above"
}
rm -f "$folder"/*-dbgsym_*.deb
for package in isomat libisomat0 libisomat-dev libisomat-hostdriver; do
    [ -f "$(echo "$folder/$package"_*.deb)" ] || fail "no package $package"
done

say "lintian"
# The suppressed one asks for the number of a request in Debian's own bug list.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$folder"/*.deb >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    fail "lintian is not content, as above"
}

mkdir "$folder/use"
cp "$folder"/*.deb "$folder/use"
cp "$tree/examples/c/ten_lines.c" "$folder/use"
cp -r "$tree/examples/python/isomat" "$tree/examples/python/ten_lines.py" "$folder/use"
if command -v cargo >/dev/null; then
    say "building the Rust example"
    cargo build --quiet --offline --locked --manifest-path "$tree/examples/rust/Cargo.toml" \
        --target-dir "$folder/target"
    cp "$folder/target/debug/loop" "$folder/use/rust-loop"
else
    say "no cargo: Rust is left out"
fi

# What runs in the clean system.
cat >"$folder/use/try.sh" <<'END'
set -eux
cd /use
export DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1
find /usr /etc ! -path '/usr/share/doc*' ! -path '/usr/share/man*' ! -type d | sort >before
apt-get -qq install -y --no-install-recommends ./*.deb >log 2>&1 || { cat log; exit 1; }

[ "$(pkg-config --modversion isomat)" = "$(isomat --version | sed 's/isomat //')" ]
isomat info
export ISOMAT_DRIVER=host
gcc -Wall -Werror ten_lines.c -o c $(pkg-config --cflags --libs isomat)
gcc -Wall -Werror ten_lines.c -o c-static $(pkg-config --cflags --libs --static isomat | sed 's/-lisomat/-l:libisomat.a/')
./c >c.out
./c-static >c-static.out
python3 ten_lines.py >python.out
cat c.out
cmp c.out c-static.out
cmp c.out python.out
printf '22 28\n49 64\n' | cmp - c.out
[ ! -e rust-loop ] || ./rust-loop 64 3
isomat on-host -- ./c 2>/dev/null
if ISOMAT_DRIVER=nvidia ./c 2>message; then exit 1; fi # no driver: one line, no crash
grep -q '^no CUDA driver found' message
[ "$(wc -l <message)" -eq 1 ]

apt-get -qq purge -y isomat libisomat0 libisomat-dev libisomat-hostdriver >/dev/null 2>&1
find /usr /etc ! -path '/usr/share/doc*' ! -path '/usr/share/man*' ! -type d | sort >after
if grep isomat after; then exit 1; fi
END

say "a clean system"
# shellcheck disable=SC2016,SC1091 # "$1" is mmdebstrap's
mmdebstrap --quiet --variant=minbase --include=gcc,libc6-dev,pkg-config,python3 \
    --customize-hook="copy-in $folder/use /" \
    --customize-hook='chroot "$1" sh /use/try.sh' \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" /dev/null
say "the packages work, and leave nothing"

#!/bin/sh
# SPDX-License-Identifier: MIT
# parity_bundle.sh SOURCES BUILD FOLDER
#
# Puts into FOLDER what bench/parity.py runs: the library of the build folder BUILD, the script itself, and a folder
# hosts/NAME for each language that can be built here, with the programs loop and overhead.  It can be carried to a GPU
# machine that has none of the compilers.  Run by: make parity-bundle
set -eu

[ $# -eq 3 ] || {
    echo "usage: parity_bundle.sh SOURCES BUILD FOLDER" >&2
    exit 2
}
mkdir -p "$3"
sources=$(cd "$1" && pwd) build=$(cd "$2" && pwd) folder=$(cd "$3" && pwd)
examples=$sources/examples
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

rm -rf "${folder:?}/hosts" "${folder:?}/lib"
mkdir "$folder/hosts" "$folder/lib"
cp "$sources/bench/parity.py" "$folder/"
cp -L "$build/.libs/libisomat.so.0" "$folder/lib/"
strip --strip-unneeded "$folder/lib/libisomat.so.0"

cat >"$scratch/isomat.pc" <<END
Name: isomat
Description: the build folder's
Version: 0
Cflags: -I$sources/include
Libs: -L$build/.libs -lisomat
END
PKG_CONFIG_PATH=$scratch
export PKG_CONFIG_PATH

has() {
    command -v "$1" >/dev/null 2>&1
}

# host NAME COMMAND...: makes the host's folder and builds in there; a host that does not build is left out.
host() {
    name=$1
    shift
    mkdir -p "$folder/hosts/$name" "$scratch/$name"
    set +e # which a condition would turn off inside too
    (
        set -e
        cd "$scratch/$name"
        "$@"
    ) >"$scratch/log" 2>&1
    status=$?
    set -e
    if [ $status -eq 0 ]; then
        # What is not part of every system.
        find "$folder/hosts/$name" -type f -exec ldd {} + 2>/dev/null |
            awk '$1 ~ /^lib(luajit|quadmath)/ { print $3 }' | sort -u | xargs -r cp -L -t "$folder/lib"
        find "$folder/hosts/$name" -type f -exec chmod 755 {} +
    else
        rm -r "$folder/hosts/$name"
        echo "parity-bundle: left out $name: $(tail -n 1 "$scratch/log")"
    fi
}

# made FOLDER [VARIABLE=VALUE...]: by the example's own makefile.  What the compiler brings along is linked statically,
# since the GPU machine may lack it.
made() {
    example=$1
    shift
    make -s -f "$examples/$example/Makefile" VPATH="$examples/$example" "$@" loop overhead
    strip loop overhead
    cp loop overhead "$folder/hosts/$name/"
}

go_host() {
    has go || {
        echo "no go"
        return 1
    }
    cd "$examples/go"
    CGO_ENABLED=1 GOPROXY=off GOFLAGS=-buildvcs=false GOCACHE="$build/examples/go/cache" GOPATH="$scratch/gopath" \
        go build -ldflags=-s -o "$folder/hosts/go/" ./loop ./overhead
}

zig_host() {
    for zig in "${ZIG:-zig}" "$sources/.zig/ziglang/zig" "python3 -m ziglang" none; do
        case $($zig version 2>/dev/null) in 0.15.*) break ;; esac
    done
    [ "$zig" != none ] || {
        echo "no Zig 0.15"
        return 1
    }
    ZIG_LOCAL_CACHE_DIR=$build/examples/zig/cache
    ZIG_GLOBAL_CACHE_DIR=$ZIG_LOCAL_CACHE_DIR
    export ZIG_LOCAL_CACHE_DIR ZIG_GLOBAL_CACHE_DIR
    made zig ZIG="$zig"
}

# rust_host PROFILE, by cargo's name for it
rust_host() {
    has cargo || {
        echo "no cargo"
        return 1
    }
    CARGO_TARGET_DIR=$build/examples/rust/target cargo build --quiet --offline --locked \
        --manifest-path "$examples/rust/Cargo.toml" --profile "$1" --bin loop --bin overhead
    cd "$build/examples/rust/target/${name#rust-}"
    cp loop overhead "$folder/hosts/$name/"
    strip "$folder/hosts/$name/loop" "$folder/hosts/$name/overhead"
}

# scripts COMMAND SUFFIX: loop and overhead run the scripts in the folder.
scripts() {
    for program in loop overhead; do
        cat >"$folder/hosts/$name/$program" <<END
#!/bin/sh
cd "\$(dirname "\$0")" && exec $1 $program$2 "\$@"
END
    done
}

python_host() {
    cp -R "$examples/python/loop.py" "$examples/python/overhead.py" "$examples/python/isomat" "$folder/hosts/python/"
    rm -rf "$folder/hosts/python/isomat/__pycache__"
    scripts "python3 -B" .py
}

luajit_host() {
    has luajit || {
        echo "no luajit"
        return 1
    }
    cp -R "$examples"/luajit/*.lua "$examples/luajit/isomat" "$(command -v luajit)" "$folder/hosts/luajit/"
    scripts ./luajit .lua
}

ruby_host() {
    cp -R "$examples"/ruby/*.rb "$examples/ruby/isomat" "$folder/hosts/ruby/"
    scripts ruby .rb
}

java_host() {
    jna=${JNA:-/usr/share/java/jna.jar}
    has javac || {
        echo "no javac"
        return 1
    }
    [ -e "$jna" ] || {
        echo "no $jna"
        return 1
    }
    cp -L "$jna" "$folder/hosts/java/jna.jar"
    javac --release 17 -cp "$jna" -d "$folder/hosts/java" "$examples"/java/*.java "$examples"/java/isomat/*.java
    scripts "java -cp jna.jar:." ""
    sed -i 's/ loop / Loop /' "$folder/hosts/java/loop"
    sed -i 's/ overhead / Overhead /' "$folder/hosts/java/overhead"
}

host c made c
host c++ made cpp LDFLAGS='-static-libstdc++ -static-libgcc'
host fortran made fortran LDFLAGS='-static-libgfortran -static-libgcc'
host go go_host
host java java_host
host luajit luajit_host
host python python_host
host ruby ruby_host
host rust-debug rust_host dev
host rust-release rust_host release
host zig zig_host
du -sh "$folder" | awk '{ print "parity-bundle: " $1 " in " $2 }'

#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs the Go example and its tests on the host driver or on what ISOMAT_TEST_DRIVER names.
set -eu
# shellcheck source=examples/testing.sh
. "${top_srcdir:?is set by make check}/examples/testing.sh"
sources=$top_srcdir/examples/go
has pkg-config || skip "no pkg-config"
has go || skip "go is not installed"
# cgo and generics: 1.19 for atomic.Int64, which the tests use.
go version | grep -Eq 'go1\.(19|[2-9][0-9])' || skip "no Go 1.19 or later"

GOCACHE=$top_builddir/examples/go/cache
GOPATH=$scratch/go
GOFLAGS=-buildvcs=false
GOPROXY=off
CGO_ENABLED=1
export GOCACHE GOPATH GOFLAGS GOPROXY CGO_ENABLED
mkdir -p "$GOCACHE" "$scratch/bin"
cd "$sources"
if has gofmt && [ -n "$(gofmt -l .)" ]; then
    fail "gofmt has something to say of $(gofmt -l . | tr '\n' ' ')"
fi
go vet ./... >"$scratch/out" 2>&1 || fail "go vet"
go build -o "$scratch/bin/" ./ten_lines ./loop ./overhead ./own_kernel >"$scratch/out" 2>&1 || fail "they do not build"
go test -c -o "$scratch/bin/test" ./isomat >"$scratch/out" 2>&1 || fail "the tests do not build"

cd "$scratch/bin"
test_ten_lines ./ten_lines
test_loop go ./loop
test_overhead go ./overhead
test_own_kernel go ./own_kernel
refused_without_driver ./ten_lines ./loop ./overhead ./own_kernel
refused_with_old_library ./ten_lines ./loop
ends 0 ./test -test.v
cat "$scratch/out"

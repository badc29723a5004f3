// SPDX-License-Identifier: MIT

// own_kernel: launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
//
//	own_kernel [module]        by default ../python/axpy.ptx
package main

import (
	"errors"
	"fmt"
	"os"

	"isomat-example/isomat"
)

const n, block, alpha = 1000, 128, 0.5

func run(path string) error {
	gpu, err := isomat.NewContext(0)
	if err != nil {
		return err
	}
	module, err := gpu.LoadFile(path)
	if err != nil {
		return err
	}
	axpy, err := module.Kernel("axpy")
	if err != nil {
		return err
	}
	info, err := axpy.Info()
	if err != nil {
		return err
	}
	if info.Debug {
		return errors.New("the kernel was built with -G: see isomat inspect")
	}

	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	x, err := gpu.Matrix(numbers, 1, n)
	if err != nil {
		return err
	}
	defer x.Close() // not before the kernel has used it
	y, err := gpu.NewMatrix(1, n, isomat.F32)
	if err != nil {
		return err
	}
	if err := y.Fill(3); err != nil {
		return err
	}
	xPointer, err := x.Pointer()
	if err != nil {
		return err
	}
	yPointer, err := y.Pointer()
	if err != nil {
		return err
	}
	grid := isomat.Line((n + block - 1) / block)
	err = axpy.Launch(grid, isomat.Line(block), float32(alpha), xPointer, yPointer, uint32(n))
	if err != nil {
		return err
	}
	result, err := y.ToHost()
	if err != nil {
		return err
	}
	for i, value := range result {
		if value != 3+alpha*float32(i) {
			return errors.New("a wrong result")
		}
	}
	fmt.Printf("go: axpy, %d elements, %d registers\n", n, info.Registers)
	return nil
}

func main() {
	path := "../python/axpy.ptx"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if err := run(path); err != nil {
		fmt.Fprintf(os.Stderr, "own_kernel: %v\n", err)
		os.Exit(1)
	}
}

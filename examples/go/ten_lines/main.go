// SPDX-License-Identifier: MIT

// ten_lines: one product, from slices and back; copy it and go on from here.
package main

import (
	"fmt"
	"log"

	"isomat-example/isomat"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal("ten_lines: ", err)
	}
	return value
}

func main() {
	log.SetFlags(0)
	gpu := must(isomat.NewContext(0))
	defer gpu.Close()
	a := must(gpu.Matrix([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	b := must(gpu.Matrix([]float32{1, 2, 3, 4, 5, 6}, 3, 2))
	c := must(must(isomat.Multiply(a, b)).ToHost())
	fmt.Printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3])
}

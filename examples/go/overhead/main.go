// SPDX-License-Identifier: MIT

// overhead: the host's time per call of an empty kernel's launch and of a small product.
//
//	overhead [calls]        by default 100000
//
// Medians over batches of calls; what is submitted in a batch is waited for outside the time.
package main

import (
	"fmt"
	"os"
	"time"

	"isomat-example/internal/measure"
	"isomat-example/isomat"
)

const (
	mostCalls   = 100000000
	mostInBatch = 500 // few enough that the driver's queue does not fill up
	size        = 64
	emptyPTX    = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n"
)

// perCall gives nanoseconds.
func perCall(gpu *isomat.Context, calls int, call func() error) (float64, error) {
	batch := calls
	if batch > mostInBatch {
		batch = mostInBatch
	}
	batches := (calls + batch - 1) / batch
	var ns []float64
	for i := -1; i < batches; i++ { // the first is the warm-up
		began := time.Now()
		for j := 0; j < batch; j++ {
			if err := call(); err != nil {
				return 0, err
			}
		}
		took := time.Since(began)
		if err := gpu.Synchronize(); err != nil {
			return 0, err
		}
		if i >= 0 {
			ns = append(ns, float64(took.Nanoseconds())/float64(batch))
		}
	}
	return measure.Median(ns), nil
}

func run(calls int) error {
	gpu, err := isomat.NewContext(0)
	if err != nil {
		return err
	}
	module, err := gpu.Load([]byte(emptyPTX))
	if err != nil {
		return err
	}
	empty, err := module.Kernel("empty")
	if err != nil {
		return err
	}
	a, err := gpu.Matrix(measure.Random(size*size, 1), size, size)
	if err != nil {
		return err
	}
	b, err := gpu.Matrix(measure.Random(size*size, 2), size, size)
	if err != nil {
		return err
	}
	c, err := gpu.NewMatrix(size, size, isomat.F32)
	if err != nil {
		return err
	}
	one := isomat.Line(1)
	launchNs, err := perCall(gpu, calls, func() error { return empty.Launch(one, one) })
	if err != nil {
		return err
	}
	productNs, err := perCall(gpu, calls, func() error {
		return isomat.Gemm(c, 1, a, isomat.N, b, isomat.N, 0, isomat.ComputeF32)
	})
	if err != nil {
		return err
	}
	fmt.Printf("go: %d calls: empty launch %.0f ns, %d x %d product %.0f ns\n", calls, launchNs, size, size, productNs)
	return nil
}

func main() {
	const usage = "[calls]"
	measure.AtMost("overhead", usage, 1)
	if err := run(measure.Number("overhead", usage, 1, 100000, mostCalls)); err != nil {
		fmt.Fprintf(os.Stderr, "overhead: %v\n", err)
		os.Exit(1)
	}
}

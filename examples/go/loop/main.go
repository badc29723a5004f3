// SPDX-License-Identifier: MIT

// loop: multiplies two matrices in a loop and times it.
//
//	loop [size [iterations]]        by default 4096 100
package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"isomat-example/internal/measure"
	"isomat-example/isomat"
)

const warmUp = 3

// checkElement allows what float32 arithmetic may lose in size additions.
func checkElement(size, i, j int, a, b, c []float32) error {
	var exact, magnitude float64
	for k := 0; k < size; k++ {
		product := float64(a[i*size+k]) * float64(b[k*size+j])
		exact += product
		magnitude += math.Abs(product)
	}
	found := float64(c[i*size+j])
	if math.Abs(found-exact) <= float64(size)*0x1p-24*magnitude {
		return nil
	}
	return fmt.Errorf("element (%d, %d) is %.9g, not %.9g", i, j, found, exact)
}

// check compares elements with double-precision dot products.
func check(size int, a, b, c []float32) error {
	const places = 7 // the corners, the edges and points inside
	for i := 0; i < places; i++ {
		for j := 0; j < places; j++ {
			err := checkElement(size, (size-1)*i/(places-1), (size-1)*j/(places-1), a, b, c)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

type gpu struct {
	context    *isomat.Context
	a, b       *isomat.Matrix
	start, end *isomat.Event
}

func setUp(size int, aData, bData []float32) (g gpu, err error) {
	if g.context, err = isomat.NewContext(0); err != nil {
		return
	}
	if g.a, err = g.context.Matrix(aData, size, size); err != nil {
		return
	}
	if g.b, err = g.context.Matrix(bData, size, size); err != nil {
		return
	}
	if g.start, err = g.context.NewEvent(); err != nil {
		return
	}
	g.end, err = g.context.NewEvent()
	return
}

func (g gpu) iteration() error {
	if err := g.start.Record(); err != nil {
		return err
	}
	c, err := isomat.Multiply(g.a, g.b)
	if err != nil {
		return err
	}
	if err := g.end.Record(); err != nil {
		return err
	}
	if err := g.context.Synchronize(); err != nil {
		return err
	}
	return c.Close()
}

func run(size, iterations int) error {
	aData, bData := measure.Random(size*size, 1), measure.Random(size*size, 2)
	g, err := setUp(size, aData, bData)
	if err != nil {
		return err
	}
	var deviceMs, totalMs []float64
	for i := -warmUp; i < iterations; i++ {
		began := time.Now()
		if err := g.iteration(); err != nil {
			return err
		}
		took := time.Since(began)
		if i < 0 {
			continue
		}
		ms, err := g.end.ElapsedSince(g.start)
		if err != nil {
			return err
		}
		deviceMs = append(deviceMs, ms)
		totalMs = append(totalMs, took.Seconds()*1e3)
	}

	c, err := isomat.Multiply(g.a, g.b)
	if err != nil {
		return err
	}
	cData, err := c.ToHost()
	if err != nil {
		return err
	}
	if err := check(size, aData, bData, cData); err != nil {
		return err
	}
	name, err := isomat.DeviceName(0)
	if err != nil {
		return err
	}
	fmt.Printf("go: %d x %d, %d multiplications, %s: device %.3f ms, with overhead %.3f ms\n", size, size,
		iterations, name, measure.Median(deviceMs), measure.Median(totalMs))
	return nil
}

func main() {
	const usage = "[size [iterations]]"
	measure.AtMost("loop", usage, 2)
	size := measure.Number("loop", usage, 1, 4096, 65536)
	iterations := measure.Number("loop", usage, 2, 100, 1000000)
	if err := run(size, iterations); err != nil {
		fmt.Fprintf(os.Stderr, "loop: %v\n", err)
		os.Exit(1)
	}
}

// SPDX-License-Identifier: MIT

// Package measure has what the programs that measure need besides isomat: arguments, data, median.
package measure

import (
	"fmt"
	"os"
	"sort"
	"strconv"
)

// Number is argument index, from 1 to most. It ends the program with status 2 if that is none.
func Number(program, usage string, index, valueIfMissing, most int) int {
	if index >= len(os.Args) {
		return valueIfMissing
	}
	value, err := strconv.Atoi(os.Args[index])
	if err != nil || value < 1 || value > most {
		fmt.Fprintf(os.Stderr, "%s: '%s' is not a number from 1 to %d\n", program, os.Args[index], most)
		fail(program, usage)
	}
	return value
}

// AtMost ends the program if it was given more arguments.
func AtMost(program, usage string, most int) {
	if len(os.Args)-1 > most {
		fail(program, usage)
	}
}

func fail(program, usage string) {
	fmt.Fprintf(os.Stderr, "usage: %s %s\n", program, usage)
	os.Exit(2)
}

// Random gives numbers uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator. The
// programs in every language use this one.
func Random(count int, state uint64) []float32 {
	values := make([]float32, count)
	for i := range values {
		state = state*6364136223846793005 + 1442695040888963407
		values[i] = float32(state>>40)/16777216 - 0.5
	}
	return values
}

// Median sorts the values.
func Median(values []float64) float64 {
	sort.Float64s(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

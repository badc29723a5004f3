// SPDX-License-Identifier: MIT

package isomat_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isomat-example/isomat"
)

var (
	values  = []float32{1, 2, 3, 4, 5, 6}
	product = []float32{22, 28, 49, 64}
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// wantError asks for a status, and for one line that has the text.
func wantError(t *testing.T, err error, status isomat.Status, text string) {
	t.Helper()
	if !errors.Is(err, status) {
		t.Errorf("not %v but %v", status, err)
	} else if line := err.Error(); line == "" || strings.Contains(line, "\n") || !strings.Contains(line, text) {
		t.Errorf("not one line with %q: %q", text, line)
	}
}

func last(_ any, err error) error { return err }

func TestErrors(t *testing.T) {
	gpu := must(isomat.NewContext(0))
	defer gpu.Close()
	a, b := must(gpu.Matrix(values, 2, 3)), must(gpu.Matrix(values, 3, 2))
	half := must(gpu.NewMatrix(3, 2, isomat.F16))
	wantError(t, last(isomat.Multiply(a, a)), isomat.ShapeMismatch, "2 x 3")
	wantError(t, last(isomat.Multiply(a, half)), isomat.TypeMismatch, "")
	wantError(t, last(half.ToHost()), isomat.TypeMismatch, "float32")
	wantError(t, last(gpu.Matrix(values, 2, 2)), isomat.InvalidArgument, "6 values")
	wantError(t, last(gpu.Matrix(values, -2, -3)), isomat.InvalidArgument, "6 values")
	wantError(t, last(gpu.Matrix(values, math.MaxInt, 2)), isomat.InvalidArgument, "6 values")
	wantError(t, last(gpu.NewMatrix(-1, 2, isomat.F32)), isomat.InvalidArgument, "")
	wantError(t, last(isomat.NewContext(-1)), isomat.InvalidArgument, "")
	wantError(t, last(isomat.DeviceName(-1)), isomat.InvalidArgument, "")
	wantError(t, last(gpu.Load(nil)), isomat.InvalidArgument, "empty")

	c := must(isomat.Multiply(a, b))
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, c.Close(), isomat.StaleHandle, "")
	wantError(t, last(c.ToHost()), isomat.StaleHandle, "")
	wantError(t, isomat.Gemm(c, 1, a, isomat.N, b, isomat.N, 0, isomat.ComputeF32), isomat.StaleHandle, "")
	wantError(t, last((&isomat.Matrix{}).ToHost()), isomat.InvalidHandle, "")

	// All is as good as before.
	if got := must(must(isomat.Multiply(a, b)).ToHost()); !reflect.DeepEqual(got, product) {
		t.Error(got)
	}
}

const ptx = `.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u8 first, .param .u64 where, .param .f32 value)
{
    .reg .f32 %f;
    .reg .b64 %p;
    ld.param.u64 %p, [where];
    ld.param.f32 %f, [value];
    st.global.f32 [%p], %f;
    ret;
}
`

func TestKernel(t *testing.T) {
	gpu := must(isomat.NewContext(0))
	defer gpu.Close()
	module := must(gpu.Load([]byte(ptx)))
	store := must(module.Kernel("store"))
	module.Close() // the kernel keeps it
	m := must(gpu.NewMatrix(1, 1, isomat.F32))
	address := must(m.Pointer())
	one := isomat.Line(1)
	if err := store.Launch(one, one, uint8(0), address, float32(2.5)); err != nil {
		t.Fatal(err)
	}
	if got := must(m.ToHost())[0]; got != 2.5 {
		t.Error(got)
	}
	wantError(t, store.Launch(one, one, 0, address, 2.5), isomat.InvalidArgument, "argument 0 is of type int")
	wantError(t, store.Launch(one, one, uint8(0), address, 2.5), isomat.ArgumentSize, "store")
	wantError(t, store.Launch(one, one), isomat.ArgumentSize, "store")
	wantError(t, last(module.Kernel("store")), isomat.StaleHandle, "")
	other := must(gpu.Load([]byte(ptx)))
	wantError(t, last(other.Kernel("no_such")), isomat.NotFound, "no_such")
}

// Objects that were forgotten are destroyed once the collector has found them.
func TestFinalizers(t *testing.T) {
	before := settled()
	func() {
		gpu := must(isomat.NewContext(0))
		for i := 0; i < 100; i++ {
			a := must(gpu.Matrix(values, 2, 3))
			must(isomat.Multiply(a, must(gpu.Matrix(values, 3, 2))))
		}
		if now := isomat.LiveObjects(); now < before+300 {
			t.Errorf("%d objects, %d before", now, before)
		}
	}()
	if now := settled(); now > before {
		t.Errorf("%d objects, %d before", now, before)
	}
}

// settled gives the number of objects when the collector finds no more.
func settled() int64 {
	count := isomat.LiveObjects()
	for unchanged := 0; unchanged < 5; unchanged++ {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
		if now := isomat.LiveObjects(); now != count {
			count, unchanged = now, 0
		}
	}
	return count
}

// Goroutines share matrices: they multiply, close and forget them in any order, also while another uses them,
// which is an error there and no more. Products that were made are right.
func TestStress(t *testing.T) {
	seconds, err := strconv.ParseFloat(os.Getenv("ISOMAT_STRESS_SECONDS"), 64)
	if err != nil {
		seconds = 2
	}
	const goroutines, slots = 16, 8
	gpu := must(isomat.NewContext(0))
	defer gpu.Close()
	var shared [slots]atomic.Value
	var done atomic.Int64
	var group sync.WaitGroup
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))

	work := func(random *rand.Rand) error {
		a, b := must(gpu.Matrix(values, 2, 3)), must(gpu.Matrix(values, 3, 2))
		for ; time.Now().Before(end); done.Add(1) {
			slot := &shared[random.Intn(slots)]
			taken, _ := slot.Load().(*isomat.Matrix)
			switch operation := random.Intn(5); {
			case operation == 0 || taken == nil:
				c, err := isomat.Multiply(a, b)
				if err != nil {
					return err
				}
				slot.Store(c) // what was there is forgotten
			case operation == 1:
				if err := taken.Close(); err != nil && !errors.Is(err, isomat.StaleHandle) {
					return err
				}
			case operation == 2:
				d, err := isomat.Multiply(taken, a)
				if errors.Is(err, isomat.StaleHandle) {
					continue
				} else if err != nil {
					return err
				}
				if got := must(d.ToHost()); got[0] != 22*1+28*4 {
					return fmt.Errorf("a wrong product: %v", got)
				}
			default:
				if got, err := taken.ToHost(); err == nil && !reflect.DeepEqual(got, product) {
					return fmt.Errorf("a wrong product: %v", got)
				} else if err != nil && !errors.Is(err, isomat.StaleHandle) {
					return err
				}
			}
		}
		return nil
	}
	for i := 0; i < goroutines; i++ {
		group.Add(1)
		go func(seed int64) {
			defer group.Done()
			if err := work(rand.New(rand.NewSource(seed))); err != nil {
				t.Error(err)
			}
		}(int64(i))
	}
	group.Wait()
	t.Logf("%d operations in %d goroutines", done.Load(), goroutines)
	if done.Load() < goroutines {
		t.Error("too few operations")
	}
}

// TestMain ends the process while goroutines still work, with finalizers to come.
func TestMain(m *testing.M) {
	status := m.Run()
	gpu := must(isomat.NewContext(0))
	a := must(gpu.Matrix(values, 2, 3))
	b := must(gpu.Matrix(values, 3, 2))
	for i := 0; i < 4; i++ {
		go func() {
			for {
				must(isomat.Multiply(a, b))
			}
		}()
	}
	runtime.GC()
	time.Sleep(50 * time.Millisecond)
	os.Exit(status)
}

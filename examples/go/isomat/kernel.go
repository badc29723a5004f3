// SPDX-License-Identifier: MIT

package isomat

/*
#include <isomat.h>
#include <stdlib.h>

// By value, so that a launch allocates nothing on Go's side.
static int32_t launch(isomat_kernel kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                      uint32_t block_y, uint32_t block_z, const void *arguments, int64_t bytes)
{
    isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = grid_x,
        .grid_y = grid_y,
        .grid_z = grid_z,
        .block_x = block_x,
        .block_y = block_y,
        .block_z = block_z,
    };
    return isomat_kernel_launch_packed(kernel, &launch, arguments, bytes);
}
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"unsafe"
)

// Module is a compiled image in a context.
type Module struct{ object }

// Kernel is a kernel of a module, which it keeps alive.
type Kernel struct{ object }

// KernelInfo is what a kernel needs, and how it was built.
type KernelInfo struct {
	Registers int
	Debug     bool // built with -G: 10 to 100 times slower
}

// Dim counts blocks or threads.
type Dim struct{ X, Y, Z uint32 }

// Line is a Dim of one dimension.
func Line(x int) Dim { return Dim{uint32(x), 1, 1} }

func newModule(handle C.isomat_module) *Module {
	module := &Module{}
	module.own(handle, func(handle C.uint64_t) C.int32_t { return C.isomat_module_destroy(handle) })
	return module
}

// Load takes a fatbin, a cubin or PTX text.
func (c *Context) Load(image []byte) (*Module, error) {
	defer runtime.KeepAlive(c)
	if len(image) == 0 {
		return nil, failed(InvalidArgument, "the image is empty")
	}
	var handle C.isomat_module
	err := check(func() C.int32_t {
		return C.isomat_module_load_data(&handle, c.handle, unsafe.Pointer(&image[0]), C.int64_t(len(image)))
	})
	if err != nil {
		return nil, err
	}
	return newModule(handle), nil
}

// LoadFile takes it from a file.
func (c *Context) LoadFile(path string) (*Module, error) {
	defer runtime.KeepAlive(c)
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	var handle C.isomat_module
	err := check(func() C.int32_t { return C.isomat_module_load_file(&handle, c.handle, text) })
	if err != nil {
		return nil, err
	}
	return newModule(handle), nil
}

// Kernel looks a kernel up: extern "C", or as C++ mangles its name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	defer runtime.KeepAlive(m)
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var handle C.isomat_kernel
	if err := check(func() C.int32_t { return C.isomat_kernel_get(&handle, m.handle, text) }); err != nil {
		return nil, err
	}
	kernel := &Kernel{}
	kernel.own(handle, func(handle C.uint64_t) C.int32_t { return C.isomat_kernel_destroy(handle) })
	return kernel, nil
}

// Info tells what the kernel needs.
func (k *Kernel) Info() (KernelInfo, error) {
	defer runtime.KeepAlive(k)
	var info C.isomat_kernel_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	err := check(func() C.int32_t { return C.isomat_kernel_get_info(&info, k.handle) })
	return KernelInfo{int(info.registers), info.debug != 0}, err
}

// Launch submits the kernel. Arguments are numbers of the kernel's own sizes, int32 and not int, and addresses
// as uint64; what they take together is checked.
func (k *Kernel) Launch(grid, block Dim, arguments ...any) error {
	defer runtime.KeepAlive(k)
	packed, err := pack(arguments)
	if err != nil {
		return err
	}
	var pointer unsafe.Pointer
	if len(packed) > 0 {
		pointer = unsafe.Pointer(&packed[0])
	}
	return check(func() C.int32_t {
		return C.launch(k.handle, C.uint32_t(grid.X), C.uint32_t(grid.Y), C.uint32_t(grid.Z), C.uint32_t(block.X),
			C.uint32_t(block.Y), C.uint32_t(block.Z), pointer, C.int64_t(len(packed)))
	})
}

// pack lays numbers out as a kernel's parameters are: each at a multiple of its size.
func pack(arguments []any) ([]byte, error) {
	if len(arguments) == 0 {
		return nil, nil // before the buffer, which costs an allocation
	}
	var packed bytes.Buffer
	for i, argument := range arguments {
		switch argument.(type) {
		case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64:
			size := binary.Size(argument)
			packed.Write(make([]byte, (size-packed.Len()%size)%size))
			if err := binary.Write(&packed, binary.LittleEndian, argument); err != nil {
				return nil, err
			}
		default:
			return nil, failed(InvalidArgument, "argument %d is of type %T, which has no size of a kernel's", i, argument)
		}
	}
	return packed.Bytes(), nil
}

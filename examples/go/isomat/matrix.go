// SPDX-License-Identifier: MIT

package isomat

/*
#include <isomat.h>
*/
import "C"

import (
	"math"
	"runtime"
	"unsafe"
)

// Type is the type of a matrix's elements.
type Type int32

const (
	F32  Type = C.ISOMAT_TYPE_F32
	F16  Type = C.ISOMAT_TYPE_F16
	BF16 Type = C.ISOMAT_TYPE_BF16
)

// Op is what is done to an operand.
type Op int32

const (
	N Op = C.ISOMAT_OP_N // the matrix as it is
	T Op = C.ISOMAT_OP_T // its transpose
)

// Compute is a way to multiply; isomat.h tells what each promises.
type Compute int32

const (
	ComputeF32       Compute = C.ISOMAT_COMPUTE_F32
	ComputeF32Strict Compute = C.ISOMAT_COMPUTE_F32_STRICT
	ComputeTF32      Compute = C.ISOMAT_COMPUTE_TF32
	ComputeF16       Compute = C.ISOMAT_COMPUTE_F16
	ComputeBF16      Compute = C.ISOMAT_COMPUTE_BF16
)

// Matrix is a matrix on the device.
type Matrix struct{ object }

func newMatrix(handle C.isomat_matrix) *Matrix {
	matrix := &Matrix{}
	matrix.own(handle, func(handle C.uint64_t) C.int32_t { return C.isomat_matrix_destroy(handle) })
	return matrix
}

// NewMatrix makes a matrix whose elements are undefined.
func (c *Context) NewMatrix(rows, cols int, elements Type) (*Matrix, error) {
	defer runtime.KeepAlive(c)
	var handle C.isomat_matrix
	err := check(func() C.int32_t {
		return C.isomat_matrix_create(&handle, c.handle, C.int64_t(rows), C.int64_t(cols), C.int32_t(elements),
			C.ISOMAT_NONE)
	})
	if err != nil {
		return nil, err
	}
	return newMatrix(handle), nil
}

// Matrix copies a row-major matrix to the device.
func (c *Context) Matrix(data []float32, rows, cols int) (*Matrix, error) {
	defer runtime.KeepAlive(c)
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols || rows*cols != len(data) {
		return nil, failed(InvalidArgument, "%d values are not a matrix of %d x %d", len(data), rows, cols)
	}
	var handle C.isomat_matrix
	err := check(func() C.int32_t {
		return C.isomat_matrix_from_host(&handle, c.handle, pointerTo(data), C.int64_t(rows), C.int64_t(cols),
			C.int64_t(cols), C.ISOMAT_TYPE_F32, C.ISOMAT_NONE)
	})
	if err != nil {
		return nil, err
	}
	return newMatrix(handle), nil
}

func pointerTo(data []float32) unsafe.Pointer {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Pointer(&data[0])
}

func (m *Matrix) info() (C.isomat_matrix_info, error) {
	defer runtime.KeepAlive(m)
	var info C.isomat_matrix_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	err := check(func() C.int32_t { return C.isomat_matrix_get_info(&info, m.handle) })
	return info, err
}

// Size gives rows and columns.
func (m *Matrix) Size() (rows, cols int, err error) {
	info, err := m.info()
	return int(info.rows), int(info.cols), err
}

// ToHost waits for a float32 matrix and copies it, row-major.
func (m *Matrix) ToHost() ([]float32, error) {
	defer runtime.KeepAlive(m)
	info, err := m.info()
	if err != nil {
		return nil, err
	}
	if Type(info._type) != F32 {
		return nil, failed(TypeMismatch, "the matrix is not float32")
	}
	data := make([]float32, info.rows*info.cols)
	err = check(func() C.int32_t {
		return C.isomat_matrix_to_host(pointerTo(data), info.cols, m.handle, C.ISOMAT_NONE)
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Fill sets every element.
func (m *Matrix) Fill(value float64) error {
	defer runtime.KeepAlive(m)
	return check(func() C.int32_t { return C.isomat_matrix_fill(m.handle, C.double(value), C.ISOMAT_NONE) })
}

// Pointer is the device address of the first element, to give to a kernel. The matrix has to live as long as
// the kernel is to use it.
func (m *Matrix) Pointer() (uint64, error) {
	defer runtime.KeepAlive(m)
	var pointer C.uint64_t
	err := check(func() C.int32_t { return C.isomat_matrix_get_pointer(&pointer, m.handle) })
	return uint64(pointer), err
}

// Multiply submits the product of two float32 matrices, into a new one.
func Multiply(a, b *Matrix) (*Matrix, error) {
	defer runtime.KeepAlive(a)
	defer runtime.KeepAlive(b)
	var handle C.isomat_matrix = C.ISOMAT_NONE
	err := check(func() C.int32_t {
		return C.isomat_gemm(&handle, 1, a.handle, C.ISOMAT_OP_N, b.handle, C.ISOMAT_OP_N, 0, C.ISOMAT_COMPUTE_F32,
			C.ISOMAT_NONE)
	})
	if err != nil {
		return nil, err
	}
	return newMatrix(handle), nil
}

// Gemm submits c = alpha * op(a) * op(b) + beta * c.
func Gemm(c *Matrix, alpha float64, a *Matrix, opA Op, b *Matrix, opB Op, beta float64, compute Compute) error {
	defer runtime.KeepAlive(a)
	defer runtime.KeepAlive(b)
	defer runtime.KeepAlive(c)
	return check(func() C.int32_t {
		return C.isomat_gemm(&c.handle, C.double(alpha), a.handle, C.int32_t(opA), b.handle, C.int32_t(opB),
			C.double(beta), C.int32_t(compute), C.ISOMAT_NONE)
	})
}

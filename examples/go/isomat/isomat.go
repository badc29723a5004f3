// SPDX-License-Identifier: MIT

// Package isomat multiplies matrices on a GPU. isomat.h is the manual.
//
// An object holds memory of the device, of which Go's collector knows nothing: Close it as soon as it is of no
// more use. One that was forgotten is closed when the collector finds it. Objects may be used by any
// goroutine and closed in any order; use after Close is an error.
package isomat

/*
#cgo pkg-config: isomat
#include <isomat.h>
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Status is an ISOMAT_ERROR_... of isomat.h.
type Status int32

const (
	InvalidArgument Status = C.ISOMAT_ERROR_INVALID_ARGUMENT
	InvalidHandle   Status = C.ISOMAT_ERROR_INVALID_HANDLE
	StaleHandle     Status = C.ISOMAT_ERROR_STALE_HANDLE
	ShapeMismatch   Status = C.ISOMAT_ERROR_SHAPE_MISMATCH
	TypeMismatch    Status = C.ISOMAT_ERROR_TYPE_MISMATCH
	Unsupported     Status = C.ISOMAT_ERROR_UNSUPPORTED
	NoDriver        Status = C.ISOMAT_ERROR_NO_DRIVER
	NotFound        Status = C.ISOMAT_ERROR_NOT_FOUND
	ArgumentCount   Status = C.ISOMAT_ERROR_ARGUMENT_COUNT
	ArgumentSize    Status = C.ISOMAT_ERROR_ARGUMENT_SIZE
)

// String is the name in isomat.h.
func (s Status) String() string { return C.GoString(C.isomat_status_name(C.int32_t(s))) }

// Error is what every function here fails with.
type Error struct {
	Status  Status
	Message string // one line
}

func (e *Error) Error() string { return e.Message }

// Is lets errors.Is(err, isomat.ShapeMismatch) ask for a status.
func (e *Error) Is(target error) bool { status, ok := target.(Status); return ok && status == e.Status }

// Error makes a status a target for errors.Is.
func (s Status) Error() string { return s.String() }

func failed(status Status, format string, values ...any) error {
	return &Error{status, fmt.Sprintf(format, values...)}
}

// check calls a function of isomat.h. Its message belongs to the thread, on which the goroutine stays for it.
func check(call func() C.int32_t) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if status := call(); status != C.ISOMAT_OK {
		return &Error{Status(status), C.GoString(C.isomat_error_message())}
	}
	return nil
}

func versionText(number C.int32_t) string {
	return fmt.Sprintf("%d.%d.%d", number/1000000, number/1000%1000, number%1000)
}

// checkVersion refuses an older library than the header that was compiled in, which may lack functions.
func checkVersion() error {
	const wanted = C.ISOMAT_VERSION_MAJOR*1000000 + C.ISOMAT_VERSION_MINOR*1000 + C.ISOMAT_VERSION_PATCH
	found := C.isomat_version()
	if found/1000000 == C.ISOMAT_VERSION_MAJOR && found >= wanted {
		return nil
	}
	return failed(Unsupported, "the library is version %s, this program needs %s or later, below %d.0.0",
		versionText(found), versionText(wanted), C.ISOMAT_VERSION_MAJOR+1)
}

// object is what all objects have in common. The handle stays after Close, so that isomat, which knows what
// it destroyed, refuses it.
type object struct {
	handle  C.uint64_t
	destroy func(C.uint64_t) C.int32_t
}

// own is called once, on an object's first field.
func (o *object) own(handle C.uint64_t, destroy func(C.uint64_t) C.int32_t) {
	o.handle, o.destroy = handle, destroy
	runtime.SetFinalizer(o, func(o *object) { o.destroy(o.handle) })
}

// Close destroys the object; what others need of it lives on. A second Close is an error.
func (o *object) Close() error {
	runtime.SetFinalizer(o, nil)
	return check(func() C.int32_t { return o.destroy(o.handle) })
}

// LiveObjects tells how many objects exist in this process, forgotten ones included.
func LiveObjects() int64 { return int64(C.isomat_live_objects()) }

// DeviceName is the name of a device.
func DeviceName(device int) (string, error) {
	var info C.isomat_device_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	err := check(func() C.int32_t { return C.isomat_device_get_info(&info, C.int32_t(device)) })
	return C.GoString(&info.name[0]), err
}

// Context is a context on a device, with its default stream and its memory pool.
type Context struct{ object }

// NewContext takes the device's primary context, which other libraries in the process share.
func NewContext(device int) (*Context, error) {
	if err := checkVersion(); err != nil {
		return nil, err
	}
	var handle C.isomat_context
	err := check(func() C.int32_t {
		return C.isomat_context_create(&handle, C.int32_t(device), C.ISOMAT_CONTEXT_PRIMARY)
	})
	if err != nil {
		return nil, err
	}
	context := &Context{}
	context.own(handle, func(handle C.uint64_t) C.int32_t { return C.isomat_context_destroy(handle) })
	return context, nil
}

// Synchronize waits for all work that was submitted.
func (c *Context) Synchronize() error {
	defer runtime.KeepAlive(c)
	return check(func() C.int32_t { return C.isomat_context_synchronize(c.handle) })
}

// Event is a moment in the context's default stream.
type Event struct{ object }

// NewEvent makes an event that measures time.
func (c *Context) NewEvent() (*Event, error) {
	defer runtime.KeepAlive(c)
	var handle C.isomat_event
	if err := check(func() C.int32_t { return C.isomat_event_create(&handle, c.handle, 1) }); err != nil {
		return nil, err
	}
	event := &Event{}
	event.own(handle, func(handle C.uint64_t) C.int32_t { return C.isomat_event_destroy(handle) })
	return event, nil
}

// Record marks the present end of the stream.
func (e *Event) Record() error {
	defer runtime.KeepAlive(e)
	return check(func() C.int32_t { return C.isomat_event_record(e.handle, C.ISOMAT_NONE) })
}

// ElapsedSince gives the milliseconds since start; both must have happened.
func (e *Event) ElapsedSince(start *Event) (float64, error) {
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(start)
	var milliseconds C.double
	err := check(func() C.int32_t { return C.isomat_event_elapsed(&milliseconds, start.handle, e.handle) })
	return float64(milliseconds), err
}

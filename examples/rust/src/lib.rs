// SPDX-License-Identifier: MIT
//! isomat from Rust: a binding that opens the installed library at run time.
//!
//! No build script and no nvcc: the profile of a Rust build has no part in how the kernels were
//! compiled, so `cargo run` and `cargo run --release` launch the same machine code.

pub mod dropin;
mod library;
pub mod module;
pub mod workload;

use std::ffi::{c_void, CStr};
use std::fmt;

use library::api;
use library::Isomat;

pub const INVALID_ARGUMENT: i32 = api::ISOMAT_ERROR_INVALID_ARGUMENT;
pub const SHAPE_MISMATCH: i32 = api::ISOMAT_ERROR_SHAPE_MISMATCH;
pub const CONTEXT_MISMATCH: i32 = api::ISOMAT_ERROR_CONTEXT_MISMATCH;

const NONE: u64 = api::ISOMAT_NONE;
const CONTEXT_PRIMARY: i32 = api::ISOMAT_CONTEXT_PRIMARY;
const TYPE_F32: i32 = api::ISOMAT_TYPE_F32;
const OP_N: i32 = api::ISOMAT_OP_N;
const COMPUTE_F32: i32 = api::ISOMAT_COMPUTE_F32;

/// What failed: the status of isomat.h and the library's line about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// `ISOMAT_ERROR_...`; 0 where there is none: the library could not be opened, or the
    /// drop-in library failed, whose functions return no status.
    pub status: i32,
    pub message: String,
}

impl Error {
    pub(crate) fn new(status: i32, message: impl Into<String>) -> Self {
        Error {
            status,
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A failure of the program's own.
impl From<String> for Error {
    fn from(message: String) -> Self {
        Error::new(0, message)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

impl Isomat {
    /// The line about this thread's last failure.
    fn message(&self) -> String {
        // SAFETY: never null, and valid until this thread's next failure.
        let text = unsafe { CStr::from_ptr((self.isomat_error_message)()) };
        text.to_string_lossy().into_owned()
    }

    fn check(&self, status: i32) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        Err(Error::new(status, self.message()))
    }
}

/// How many objects of isomat exist in this process.
pub fn live_objects() -> Result<i64> {
    // SAFETY: no arguments.
    Ok(unsafe { (library::isomat()?.isomat_live_objects)() })
}

/// A device's limits and memory. The method `name` gives the field as text.
pub use library::api::isomat_device_info as DeviceInfo;

impl DeviceInfo {
    pub fn of(device: i32) -> Result<DeviceInfo> {
        let isomat = library::isomat()?;
        // SAFETY: numbers and arrays of numbers, for which zeros are good.
        let mut info: DeviceInfo = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<DeviceInfo>() as u32;
        // SAFETY: struct_size tells how much may be written.
        isomat.check(unsafe { (isomat.isomat_device_get_info)(&mut info, device) })?;
        Ok(info)
    }

    pub fn name(&self) -> String {
        // SAFETY: isomat ends it with a zero byte; so do zeros.
        let text = unsafe { CStr::from_ptr(self.name.as_ptr()) };
        text.to_string_lossy().into_owned()
    }
}

// A handle is a number that any thread may use, so all three are Send and Sync by themselves.

/// A context on a device, with its default stream and its memory pool.
pub struct Context {
    isomat: &'static Isomat,
    handle: u64,
}

impl Context {
    /// The device's primary context, which other libraries in the process share.
    pub fn new(device: i32) -> Result<Context> {
        let isomat = library::isomat()?;
        let mut handle = NONE;
        // SAFETY: handle is there to be written.
        isomat.check(unsafe {
            (isomat.isomat_context_create)(&mut handle, device, CONTEXT_PRIMARY)
        })?;
        Ok(Context { isomat, handle })
    }

    /// Waits for all work that was submitted.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: isomat checks handles.
        let status = unsafe { (self.isomat.isomat_context_synchronize)(self.handle) };
        self.isomat.check(status)
    }

    /// Copies a row-major matrix to the device.
    pub fn matrix(&self, data: &[f32], rows: usize, cols: usize) -> Result<Matrix> {
        if rows.checked_mul(cols) != Some(data.len()) {
            let message = format!(
                "{} values are not a matrix of {} x {}",
                data.len(),
                rows,
                cols
            );
            return Err(Error::new(INVALID_ARGUMENT, message));
        }
        let isomat = self.isomat;
        let mut handle = NONE;
        // SAFETY: data has rows * cols values and is read before the call returns.
        isomat.check(unsafe {
            (isomat.isomat_matrix_from_host)(
                &mut handle,
                self.handle,
                data.as_ptr().cast(),
                rows as i64,
                cols as i64,
                cols as i64,
                TYPE_F32,
                NONE,
            )
        })?;
        Ok(Matrix {
            isomat,
            handle,
            rows,
            cols,
        })
    }

    /// An event that measures time.
    pub fn event(&self) -> Result<Event> {
        let isomat = self.isomat;
        let mut handle = NONE;
        // SAFETY: handle is there to be written.
        isomat.check(unsafe { (isomat.isomat_event_create)(&mut handle, self.handle, 1) })?;
        Ok(Event { isomat, handle })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: isomat checks handles; objects of the context keep it alive as long as needed.
        unsafe { (self.isomat.isomat_context_destroy)(self.handle) };
    }
}

/// A float32 matrix on the device.
pub struct Matrix {
    isomat: &'static Isomat,
    handle: u64,
    rows: usize,
    cols: usize,
}

impl Matrix {
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Submits the product self * other, and does not wait for it.
    pub fn multiply(&self, other: &Matrix) -> Result<Matrix> {
        let isomat = self.isomat;
        let mut handle = NONE;
        // SAFETY: isomat checks handles and sizes, and creates the matrix of the result.
        isomat.check(unsafe {
            (isomat.isomat_gemm)(
                &mut handle,
                1.0,
                self.handle,
                OP_N,
                other.handle,
                OP_N,
                0.0,
                COMPUTE_F32,
                NONE,
            )
        })?;
        Ok(Matrix {
            isomat,
            handle,
            rows: self.rows,
            cols: other.cols,
        })
    }

    /// Submits self = a * b, into the memory that is there.
    pub fn set_product(&mut self, a: &Matrix, b: &Matrix) -> Result<()> {
        let mut handle = self.handle;
        // SAFETY: isomat checks handles and sizes; there is a matrix, so none is created.
        let status = unsafe {
            (self.isomat.isomat_gemm)(
                &mut handle,
                1.0,
                a.handle,
                OP_N,
                b.handle,
                OP_N,
                0.0,
                COMPUTE_F32,
                NONE,
            )
        };
        self.isomat.check(status)
    }

    /// Waits for the matrix and copies it to the host, row-major.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        let mut data = vec![0.0f32; self.rows * self.cols];
        let pointer: *mut c_void = data.as_mut_ptr().cast();
        // SAFETY: data has room for the whole matrix.
        let status = unsafe {
            (self.isomat.isomat_matrix_to_host)(pointer, self.cols as i64, self.handle, NONE)
        };
        self.isomat.check(status)?;
        Ok(data)
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: isomat checks handles; the memory is freed after the work that uses it.
        unsafe { (self.isomat.isomat_matrix_destroy)(self.handle) };
    }
}

/// A moment in the context's default stream.
pub struct Event {
    isomat: &'static Isomat,
    handle: u64,
}

impl Event {
    /// Marks the present end of the stream.
    pub fn record(&self) -> Result<()> {
        // SAFETY: isomat checks handles.
        let status = unsafe { (self.isomat.isomat_event_record)(self.handle, NONE) };
        self.isomat.check(status)
    }

    /// Milliseconds from start to this event; both must have happened.
    pub fn elapsed_since(&self, start: &Event) -> Result<f64> {
        let mut milliseconds = 0.0;
        // SAFETY: isomat checks handles; milliseconds is there to be written.
        let status = unsafe {
            (self.isomat.isomat_event_elapsed)(&mut milliseconds, start.handle, self.handle)
        };
        self.isomat.check(status)?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: isomat checks handles.
        unsafe { (self.isomat.isomat_event_destroy)(self.handle) };
    }
}

// SPDX-License-Identifier: MIT
//! The id-based library, isomat_cuda_kernels.h.

use std::os::raw::c_int;

use crate::library::{self, CudaKernels, Isomat};
use crate::{Error, Result, INVALID_ARGUMENT};

/// The five functions, with the errors that they leave in isomat.
#[derive(Clone, Copy)]
pub struct Kernels {
    kernels: &'static CudaKernels,
    isomat: &'static Isomat,
}

impl Kernels {
    pub fn open() -> Result<Kernels> {
        Ok(Kernels {
            kernels: library::cuda_kernels()?,
            isomat: library::isomat()?,
        })
    }

    /// Copies a row-major matrix to the device and gives its id.
    pub fn register(&self, data: &[f32], rows: usize, cols: usize) -> Result<usize> {
        if rows.checked_mul(cols) != Some(data.len()) {
            let message = format!(
                "{} values are not a matrix of {} x {}",
                data.len(),
                rows,
                cols
            );
            return Err(Error::new(INVALID_ARGUMENT, message));
        }
        // SAFETY: data has rows * cols values, which are only read.
        let id = unsafe { (self.kernels.register_matrix)(data.as_ptr() as *mut f32, rows, cols) };
        self.check_id(id)
    }

    /// Frees a matrix.
    pub fn unregister(&self, id: usize) -> Result<()> {
        // SAFETY: any id may be passed.
        self.call(|kernels| unsafe { (kernels.unregister_matrix)(id) })
    }

    /// Submits the product of two matrices, given by id, rows and columns; gives its id.
    pub fn multiply(&self, a: (usize, usize, usize), b: (usize, usize, usize)) -> Result<usize> {
        // SAFETY: any id and any size may be passed.
        let id = unsafe { (self.kernels.cuda_matrix_multiply)(a.0, a.1, a.2, b.0, b.1, b.2) };
        self.check_id(id)
    }

    /// Waits until all multiplications are done.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: no arguments.
        self.call(|kernels| unsafe { (kernels.cuda_synchronize)() })
    }

    /// Waits for a matrix and copies it to the host.
    pub fn data(&self, id: usize, rows: usize, cols: usize) -> Result<Vec<f32>> {
        let (c_rows, c_cols) = match (c_int::try_from(rows), c_int::try_from(cols)) {
            (Ok(c_rows), Ok(c_cols)) => (c_rows, c_cols),
            _ => {
                let message = format!("a matrix of {} x {} is too large", rows, cols);
                return Err(Error::new(INVALID_ARGUMENT, message));
            }
        };
        let mut data = vec![0.0f32; rows * cols];
        // SAFETY: data has room for rows * cols values, and nothing is written if these are not
        // the matrix's own sizes.
        self.call(|kernels| unsafe {
            (kernels.get_matrix_data)(id, c_rows, c_cols, data.as_mut_ptr())
        })?;
        Ok(data)
    }

    fn check_id(&self, id: usize) -> Result<usize> {
        if id == 0 {
            return Err(Error::new(0, self.isomat.message()));
        }
        Ok(id)
    }

    /// Calls a function that has no result: it failed if it left a message.
    fn call(&self, function: impl FnOnce(&CudaKernels)) -> Result<()> {
        // SAFETY: the text is copied.
        unsafe { (self.isomat.isomat_error_set)(0, "\0".as_ptr().cast()) };
        function(self.kernels);
        let message = self.isomat.message();
        if message.is_empty() {
            return Ok(());
        }
        Err(Error::new(0, message))
    }
}

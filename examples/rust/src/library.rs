// SPDX-License-Identifier: MIT
//! Opens the shared libraries and looks their functions up, once for the process.

use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::sync::Mutex;
use std::{env, mem};

use crate::module::{KernelInfo, ModuleInfo};
use crate::{DeviceInfo, Error};

// The standard library links these already.
extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

const RTLD_NOW: c_int = 2;

/// The last failure of dlopen or dlsym in this thread.
fn dl_error() -> Error {
    // SAFETY: the text is valid until this thread's next call of dlerror.
    let message = unsafe {
        let text = dlerror();
        if text.is_null() {
            "the library has a null symbol".to_owned()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    };
    Error::new(0, message)
}

/// Opens the library that an environment variable names, else the installed one.
/// It is never closed.
fn open(variable: &str, name: &str) -> Result<*mut c_void, Error> {
    let path = env::var(variable).unwrap_or_else(|_| name.to_owned());
    let path = CString::new(path).map_err(|_| Error::new(0, "a path with a zero byte"))?;
    // SAFETY: isomat runs no code when it is loaded.
    let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
    if library.is_null() {
        return Err(dl_error());
    }
    Ok(library)
}

/// Declares a struct of function pointers, one for each function listed, and how it is filled.
macro_rules! functions {
    ($(#[$about:meta])* struct $table:ident { $(fn $name:ident($($type:ty),*) $(-> $result:ty)?;)* }) => {
        $(#[$about])*
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl $table {
            fn find(library: *mut c_void) -> Result<Self, Error> {
                Ok($table {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: the name ends in a zero byte.
                        let symbol = unsafe { dlsym(library, name.as_ptr().cast()) };
                        if symbol.is_null() {
                            return Err(dl_error());
                        }
                        // SAFETY: this is the function's type in the C header.
                        unsafe {
                            mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($type),*) $(-> $result)?,
                            >(symbol)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    /// The part of isomat.h that is used here. Each handle is a u64.
    struct Isomat {
        fn isomat_error_message() -> *const c_char;
        fn isomat_error_set(i32, *const c_char) -> i32;
        fn isomat_live_objects() -> i64;
        fn isomat_device_get_info(*mut DeviceInfo, i32) -> i32;
        fn isomat_context_create(*mut u64, i32, i32) -> i32;
        fn isomat_context_destroy(u64) -> i32;
        fn isomat_context_synchronize(u64) -> i32;
        fn isomat_event_create(*mut u64, u64, i32) -> i32;
        fn isomat_event_destroy(u64) -> i32;
        fn isomat_event_record(u64, u64) -> i32;
        fn isomat_event_elapsed(*mut f64, u64, u64) -> i32;
        fn isomat_memory_allocate(*mut u64, i64, u64, u64) -> i32;
        fn isomat_memory_free(u64, u64, u64) -> i32;
        fn isomat_memory_copy_to_device(u64, *const c_void, i64, u64, u64) -> i32;
        fn isomat_memory_copy_to_host(*mut c_void, u64, i64, u64, u64) -> i32;
        fn isomat_module_load_data(*mut u64, u64, *const c_void, i64) -> i32;
        fn isomat_module_load_embedded(*mut u64, u64, *const c_char) -> i32;
        fn isomat_module_destroy(u64) -> i32;
        fn isomat_module_get_info(*mut ModuleInfo, u64) -> i32;
        fn isomat_kernel_get(*mut u64, u64, *const c_char) -> i32;
        fn isomat_kernel_destroy(u64) -> i32;
        fn isomat_kernel_get_info(*mut KernelInfo, u64) -> i32;
        fn isomat_kernel_launch(u64, *const c_void, *const *const c_void, i32, *const i64) -> i32;
        fn isomat_matrix_from_host(*mut u64, u64, *const c_void, i64, i64, i64, i32, u64) -> i32;
        fn isomat_matrix_to_host(*mut c_void, i64, u64, u64) -> i32;
        fn isomat_matrix_destroy(u64) -> i32;
        fn isomat_gemm(*mut u64, f64, u64, i32, u64, i32, f64, i32, u64) -> i32;
    }
}

functions! {
    /// The whole of isomat_cuda_kernels.h.
    struct CudaKernels {
        fn cuda_synchronize();
        fn register_matrix(*mut f32, usize, usize) -> usize;
        fn unregister_matrix(usize);
        fn get_matrix_data(usize, c_int, c_int, *mut f32);
        fn cuda_matrix_multiply(usize, usize, usize, usize, usize, usize) -> usize;
    }
}

static ISOMAT: Mutex<Option<&'static Isomat>> = Mutex::new(None);
static CUDA_KERNELS: Mutex<Option<&'static CudaKernels>> = Mutex::new(None);

/// Gives the table, filled by the first call that succeeds.
fn get<T>(
    loaded: &Mutex<Option<&'static T>>,
    load: impl FnOnce() -> Result<T, Error>,
) -> Result<&'static T, Error> {
    let mut loaded = loaded.lock().unwrap();
    if let Some(table) = *loaded {
        return Ok(table);
    }
    let table: &'static T = Box::leak(Box::new(load()?));
    *loaded = Some(table);
    Ok(table)
}

pub(crate) fn isomat() -> Result<&'static Isomat, Error> {
    get(&ISOMAT, || {
        Isomat::find(open("ISOMAT_LIBRARY", "libisomat.so.0")?)
    })
}

/// Opens libisomat first: the drop-in library then uses that same one.
pub(crate) fn cuda_kernels() -> Result<&'static CudaKernels, Error> {
    isomat()?;
    get(&CUDA_KERNELS, || {
        CudaKernels::find(open("ISOMAT_CUDA_KERNELS", "libcuda_kernels.so.0")?)
    })
}

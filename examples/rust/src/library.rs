// SPDX-License-Identifier: MIT
//! Opens the shared libraries and looks their functions up, once for the process.

use std::env;
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::sync::Mutex;

use crate::Error;
pub(crate) use api::Isomat;

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
            pub(crate) fn find(library: *mut c_void) -> Result<Self, $crate::Error> {
                Ok($table {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: the name ends in a zero byte.
                        let symbol = unsafe { $crate::library::dlsym(library, name.as_ptr().cast()) };
                        if symbol.is_null() {
                            return Err($crate::library::dl_error());
                        }
                        // SAFETY: this is the function's type in the C header.
                        unsafe {
                            std::mem::transmute::<
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

/// Generated; after the macro that it calls.
#[path = "api.rs"]
#[rustfmt::skip]
pub(crate) mod api;

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

/// Functions are only added within a major version, so an older library may lack some of ours.
fn check_version(library: *mut c_void) -> Result<(), Error> {
    // SAFETY: the name ends in a zero byte; the type is that of the C header.
    let number = unsafe {
        let symbol = dlsym(library, "isomat_version\0".as_ptr().cast());
        if symbol.is_null() {
            return Err(dl_error());
        }
        let version: unsafe extern "C" fn() -> i32 = std::mem::transmute(symbol);
        version()
    };
    let found = (number / 1_000_000, number / 1000 % 1000, number % 1000);
    let wanted = (
        api::ISOMAT_VERSION_MAJOR,
        api::ISOMAT_VERSION_MINOR,
        api::ISOMAT_VERSION_PATCH,
    );
    if found.0 == wanted.0 && found >= wanted {
        return Ok(());
    }
    let message = format!(
        "the library is version {}.{}.{}, this binding needs {}.{}.{} or later, below {}.0.0",
        found.0,
        found.1,
        found.2,
        wanted.0,
        wanted.1,
        wanted.2,
        wanted.0 + 1
    );
    Err(Error::new(0, message))
}

pub(crate) fn isomat() -> Result<&'static Isomat, Error> {
    get(&ISOMAT, || {
        let library = open("ISOMAT_LIBRARY", "libisomat.so.0")?;
        check_version(library)?;
        Isomat::find(library)
    })
}

/// Opens libisomat first: the drop-in library then uses that same one.
pub(crate) fn cuda_kernels() -> Result<&'static CudaKernels, Error> {
    isomat()?;
    get(&CUDA_KERNELS, || {
        CudaKernels::find(open("ISOMAT_CUDA_KERNELS", "libcuda_kernels.so.0")?)
    })
}

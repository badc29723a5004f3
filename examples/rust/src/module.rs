// SPDX-License-Identifier: MIT
//! Kernels of one's own: modules, what they tell about themselves, device memory, launches.

use std::ffi::{c_void, CString};
use std::marker::PhantomData;
use std::mem;

use crate::library::api::{isomat_launch, Isomat};
use crate::{Context, Error, Result, INVALID_ARGUMENT, NONE};

/// Which image of a module was taken, and how it was built.
pub use crate::library::api::isomat_module_info as ModuleInfo;

/// What a kernel needs, and how it was built.
pub use crate::library::api::isomat_kernel_info as KernelInfo;

impl KernelInfo {
    /// Built without -G, and free of spills for certain. A test of one's own kernel asserts this.
    pub fn is_optimised(&self) -> bool {
        self.debug == 0 && self.spills == 0
    }
}

/// The blocks of a grid, the threads of a block, and the dynamic shared memory of each block.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
}

/// A compiled image in a context.
pub struct Module {
    isomat: &'static Isomat,
    handle: u64,
}

/// A kernel of a module, which it keeps alive.
pub struct Kernel {
    isomat: &'static Isomat,
    handle: u64,
}

/// float32 values on the device; given back before the context is.
pub struct Buffer<'context> {
    isomat: &'static Isomat,
    context: u64,
    pointer: u64,
    len: usize,
    of: PhantomData<&'context Context>,
}

fn zero_free(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::new(INVALID_ARGUMENT, "a name with a zero byte"))
}

impl Context {
    /// Loads a fatbin, a cubin or PTX text.
    pub fn load(&self, image: &[u8]) -> Result<Module> {
        let isomat = self.isomat;
        let mut handle = NONE;
        // SAFETY: the image is read before the call returns.
        isomat.check(unsafe {
            (isomat.isomat_module_load_data)(
                &mut handle,
                self.handle,
                image.as_ptr().cast(),
                image.len() as i64,
            )
        })?;
        Ok(Module { isomat, handle })
    }

    /// The same from a file.
    pub fn load_file(&self, path: &str) -> Result<Module> {
        let isomat = self.isomat;
        let path = zero_free(path)?;
        let mut handle = NONE;
        // SAFETY: the path ends in a zero byte.
        isomat.check(unsafe {
            (isomat.isomat_module_load_file)(&mut handle, self.handle, path.as_ptr())
        })?;
        Ok(Module { isomat, handle })
    }

    /// One of the modules that are part of isomat.
    pub fn load_embedded(&self, name: &str) -> Result<Module> {
        let isomat = self.isomat;
        let name = zero_free(name)?;
        let mut handle = NONE;
        // SAFETY: the name ends in a zero byte.
        isomat.check(unsafe {
            (isomat.isomat_module_load_embedded)(&mut handle, self.handle, name.as_ptr())
        })?;
        Ok(Module { isomat, handle })
    }

    /// Copies values to new device memory.
    pub fn buffer(&self, values: &[f32]) -> Result<Buffer<'_>> {
        let isomat = self.isomat;
        let bytes = mem::size_of_val(values) as i64;
        let mut pointer = 0;
        // SAFETY: pointer is there to be written.
        isomat.check(unsafe {
            (isomat.isomat_memory_allocate)(&mut pointer, bytes, self.handle, NONE)
        })?;
        let buffer = Buffer {
            isomat,
            context: self.handle,
            pointer,
            len: values.len(),
            of: PhantomData,
        };
        // SAFETY: values has that many bytes, and is read before the call returns.
        isomat.check(unsafe {
            (isomat.isomat_memory_copy_to_device)(
                pointer,
                values.as_ptr().cast(),
                bytes,
                self.handle,
                NONE,
            )
        })?;
        Ok(buffer)
    }
}

impl Module {
    pub fn info(&self) -> Result<ModuleInfo> {
        // SAFETY: numbers, for which zeros are good.
        let mut info: ModuleInfo = unsafe { mem::zeroed() };
        info.struct_size = mem::size_of::<ModuleInfo>() as u32;
        // SAFETY: struct_size tells how much may be written.
        let status = unsafe { (self.isomat.isomat_module_get_info)(&mut info, self.handle) };
        self.isomat.check(status)?;
        Ok(info)
    }

    /// The kernel of that name: `extern "C"`, or as C++ mangles it.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let isomat = self.isomat;
        let name = zero_free(name)?;
        let mut handle = NONE;
        // SAFETY: the name ends in a zero byte.
        isomat.check(unsafe {
            (isomat.isomat_kernel_get)(&mut handle, self.handle, name.as_ptr())
        })?;
        Ok(Kernel { isomat, handle })
    }
}

impl Kernel {
    pub fn info(&self) -> Result<KernelInfo> {
        // SAFETY: numbers, for which zeros are good.
        let mut info: KernelInfo = unsafe { mem::zeroed() };
        info.struct_size = mem::size_of::<KernelInfo>() as u32;
        // SAFETY: struct_size tells how much may be written.
        let status = unsafe { (self.isomat.isomat_kernel_get_info)(&mut info, self.handle) };
        self.isomat.check(status)?;
        Ok(info)
    }

    /// Submits the kernel, and does not wait for it. Each argument is the bytes of one value.
    ///
    /// # Safety
    ///
    /// The arguments are those that the kernel takes, and it stays within the memory that they name.
    pub unsafe fn launch(&self, launch: &Launch, arguments: &[&dyn Argument]) -> Result<()> {
        // SAFETY: numbers, for which zeros are good.
        let mut raw: isomat_launch = mem::zeroed();
        raw.struct_size = mem::size_of::<isomat_launch>() as u32;
        [raw.grid_x, raw.grid_y, raw.grid_z] = launch.grid;
        [raw.block_x, raw.block_y, raw.block_z] = launch.block;
        raw.shared_bytes = launch.shared_bytes;
        // A plain loop: without optimisation, an iterator's adapters cost more than the call itself.
        let mut pointers = Vec::with_capacity(arguments.len());
        let mut sizes = Vec::with_capacity(arguments.len());
        for each in arguments {
            pointers.push(each.pointer());
            sizes.push(each.bytes());
        }
        let status = (self.isomat.isomat_kernel_launch)(
            self.handle,
            &raw,
            pointers.as_ptr(),
            pointers.len() as i32,
            sizes.as_ptr(),
        );
        self.isomat.check(status)
    }
}

/// What a kernel can be given.
pub trait Argument {
    fn pointer(&self) -> *const c_void;
    fn bytes(&self) -> i64;
}

macro_rules! scalars {
    ($($scalar:ty)*) => {
        $(impl Argument for $scalar {
            fn pointer(&self) -> *const c_void {
                (self as *const $scalar).cast()
            }

            fn bytes(&self) -> i64 {
                mem::size_of::<$scalar>() as i64
            }
        })*
    };
}

scalars! { f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 }

/// A buffer is passed as its address.
impl Argument for Buffer<'_> {
    fn pointer(&self) -> *const c_void {
        self.pointer.pointer()
    }

    fn bytes(&self) -> i64 {
        self.pointer.bytes()
    }
}

impl Buffer<'_> {
    /// Waits for the work submitted so far, and copies the values to the host.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        let mut values = vec![0.0f32; self.len];
        // SAFETY: values has room for them all; they are there when the call returns.
        let status = unsafe {
            (self.isomat.isomat_memory_copy_to_host)(
                values.as_mut_ptr().cast(),
                self.pointer,
                mem::size_of_val(&values[..]) as i64,
                self.context,
                NONE,
            )
        };
        self.isomat.check(status)?;
        Ok(values)
    }
}

// Handles and memory may be given back in any order; a failure is of no use to anyone here.

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: isomat checks handles.
        unsafe { (self.isomat.isomat_module_destroy)(self.handle) };
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: isomat checks handles.
        unsafe { (self.isomat.isomat_kernel_destroy)(self.handle) };
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is this buffer's, and is freed after the work that uses it.
        unsafe { (self.isomat.isomat_memory_free)(self.pointer, self.context, NONE) };
    }
}

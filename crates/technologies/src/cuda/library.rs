//! Opening libraries at run time, and the names of their functions.
//!
//! Names and signatures follow the *CUDA Driver API* and the *NVRTC* manuals. Codes stay plain numbers, since
//! newer libraries return codes that no present list contains.

use libloading::Library;
use std::error::Error as _;
use std::ffi::{OsString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use volvelle_runtime::Error;

/// Opens the first library that exists: each name is looked for in the given folder, then where the system
/// looks.
///
/// # Errors
/// None can be opened: the system's error for the first name, in one line.
fn open(what: &str, names: &[&str], folder: Option<&Path>) -> Result<Library, Error> {
    let in_folder = folder.into_iter().flat_map(|folder| names.iter().map(|name| folder.join(name).into()));
    let candidates: Vec<OsString> = in_folder.chain(names.iter().map(OsString::from)).collect();
    let mut why = String::new();
    for candidate in candidates {
        // SAFETY: these libraries of NVIDIA can be opened at any time, by any thread. Other files of the same
        // name, in a folder that the user names or the system trusts, are trusted in the same way.
        match unsafe { Library::new(&candidate) } {
            Ok(library) => return Ok(library),
            // The error for the bare name, which the system looks for, rather than those for the folders.
            Err(error) if candidate == names[0] => {
                why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            }
            Err(_) => {}
        }
    }
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(Error::Unavailable(format!("no CUDA: {what} cannot be opened: {why}")))
}

/// A table of functions of a library. The library is never closed, since its threads and handles would become
/// invalid.
macro_rules! functions {
    (
        $(#[$doc:meta])* $table:ident, $what:literal;
        required { $($field:ident = $symbol:literal ($($arg:ty),* $(,)?);)* }
        optional { $($maybe:ident = $maybe_symbol:literal ($($maybe_arg:ty),* $(,)?);)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $table {
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) -> c_uint,)*
            $(pub(super) $maybe: Option<unsafe extern "C" fn($($maybe_arg),*) -> c_uint>,)*
        }

        impl $table {
            /// Opens the first library of some names, and finds its functions.
            ///
            /// # Errors
            /// The library is missing, or too old.
            pub(super) fn open(names: &[&str], folder: Option<&Path>) -> Result<Self, Error> {
                let library = open($what, names, folder)?;
                let missing = |name: &str| {
                    Error::Unavailable(format!("no CUDA: {} has no function {name}: it is too old", $what))
                };
                let table = $table {
                    $($field: {
                        // SAFETY: the function has this signature by the manual.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($arg),*) -> c_uint>($symbol) };
                        *found.map_err(|_| missing($symbol))?
                    },)*
                    $($maybe: {
                        // SAFETY: as above.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($maybe_arg),*) -> c_uint>($maybe_symbol) };
                        found.ok().map(|found| *found)
                    },)*
                };
                std::mem::forget(library);
                Ok(table)
            }
        }
    };
}

/// Names of the driver.
pub(super) const DRIVER: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Names of the compiler, the newest first. Those whose machine code a driver of version `most` does not know
/// come last.
pub(super) fn compilers(most: i32) -> Vec<&'static str> {
    let mut names =
        vec![(13, "libnvrtc.so.13"), (12, "libnvrtc.so.12"), (0, "libnvrtc.so"), (11, "libnvrtc.so.11.2")];
    names.sort_by_key(|(major, _)| *major > most);
    names.into_iter().map(|(_, name)| name).collect()
}

/// A device, by the driver's number.
pub(super) type Device = c_int;
/// Handles of the driver: a context, a stream, a module, a function.
pub(super) type Handle = *mut c_void;
/// An address in the memory of a device.
pub(super) type Address = u64;

functions! {
    /// The driver. All functions return a code, 0 for success.
    Driver, "the driver (libcuda)";
    required {
    init = "cuInit"(c_uint);
    version = "cuDriverGetVersion"(*mut c_int);
    device_count = "cuDeviceGetCount"(*mut c_int);
    device = "cuDeviceGet"(*mut Device, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, Device);
    device_memory = "cuDeviceTotalMem_v2"(*mut usize, Device);
    device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, Device);
    device_address = "cuDeviceGetPCIBusId"(*mut c_char, c_int, Device);
    context_retain = "cuDevicePrimaryCtxRetain"(*mut Handle, Device);
    context_release = "cuDevicePrimaryCtxRelease_v2"(Device);
    context_set = "cuCtxSetCurrent"(Handle);
    allocate = "cuMemAlloc_v2"(*mut Address, usize);
    free = "cuMemFree_v2"(Address);
    fill = "cuMemsetD8Async"(Address, u8, usize, Handle);
    write = "cuMemcpyHtoDAsync_v2"(Address, *const c_void, usize, Handle);
    read = "cuMemcpyDtoHAsync_v2"(*mut c_void, Address, usize, Handle);
    copy = "cuMemcpyDtoDAsync_v2"(Address, Address, usize, Handle);
    stream_create = "cuStreamCreate"(*mut Handle, c_uint);
    stream_destroy = "cuStreamDestroy_v2"(Handle);
    stream_wait = "cuStreamSynchronize"(Handle);
    module_load = "cuModuleLoadData"(*mut Handle, *const c_void);
    module_unload = "cuModuleUnload"(Handle);
    module_function = "cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
    function_attribute = "cuFuncGetAttribute"(*mut c_int, c_int, Handle);
    launch = "cuLaunchKernel"(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void,
    );
    error_name = "cuGetErrorName"(c_uint, *mut *const c_char);
    }
    optional {
    function_parameter = "cuFuncGetParamInfo"(Handle, usize, *mut usize, *mut usize);
    }
}

functions! {
    /// The compiler. All functions return a code, 0 for success.
    Compiler, "the compiler (libnvrtc)";
    required {
    version = "nvrtcVersion"(*mut c_int, *mut c_int);
    architecture_count = "nvrtcGetNumSupportedArchs"(*mut c_int);
    architectures = "nvrtcGetSupportedArchs"(*mut c_int);
    create = "nvrtcCreateProgram"(
        *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char,
    );
    destroy = "nvrtcDestroyProgram"(*mut Handle);
    compile = "nvrtcCompileProgram"(Handle, c_int, *const *const c_char);
    log_size = "nvrtcGetProgramLogSize"(Handle, *mut usize);
    log = "nvrtcGetProgramLog"(Handle, *mut c_char);
    ptx_size = "nvrtcGetPTXSize"(Handle, *mut usize);
    ptx = "nvrtcGetPTX"(Handle, *mut c_char);
    cubin_size = "nvrtcGetCUBINSize"(Handle, *mut usize);
    cubin = "nvrtcGetCUBIN"(Handle, *mut c_char);
    }
    optional {}
}

#[cfg(test)]
mod tests {
    use super::compilers;

    #[test]
    fn compilers_that_the_driver_knows_go_first() {
        assert_eq!(compilers(i32::MAX)[0], "libnvrtc.so.13");
        assert_eq!(compilers(13)[0], "libnvrtc.so.13");
        assert_eq!(compilers(12)[0], "libnvrtc.so.12");
        assert_eq!(compilers(12).last(), Some(&"libnvrtc.so.13"));
        assert_eq!(compilers(11)[..2], ["libnvrtc.so", "libnvrtc.so.11.2"]);
    }
}

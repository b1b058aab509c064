//! The compiler of CUDA C++ (NVRTC). It needs no device: it turns a text into machine code for an
//! architecture.

use super::library::{Compiler, Handle, compilers};
use std::ffi::{CString, c_char, c_int, c_uint};
use std::path::Path;
use std::ptr;
use volvelle_runtime::Error;
use volvelle_source::Dialect;

/// An open compiler. Threads may share it.
#[derive(Clone, Copy, Debug)]
pub struct Nvrtc {
    library: Compiler,
    /// Major and minor number.
    version: (i32, i32),
}

/// The result of compiling a text.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Machine code if the architecture is a real one (`sm_90`), otherwise text for the driver's compiler
    /// (PTX) that ends with a zero.
    pub binary: Vec<u8>,
    /// Messages of the compiler.
    pub log: String,
}

/// Compiles a text for an architecture (`sm_90`, or `compute_90` for PTX) with the library that the system
/// finds.
///
/// # Errors
/// There is no compiler ([`Error::Unavailable`]), it does not know the architecture ([`Error::Refused`]), or
/// it rejects the text ([`Error::Build`] with its messages).
pub fn compile(text: &str, architecture: &str) -> Result<Vec<u8>, Error> {
    Ok(Nvrtc::open(None)?.compile(text, architecture)?.binary)
}

impl Nvrtc {
    /// Opens the library in the given folder, otherwise where the system looks.
    ///
    /// # Errors
    /// The compiler is missing; contains the reason in one line.
    pub fn open(folder: Option<&Path>) -> Result<Self, Error> {
        Nvrtc::open_for(i32::MAX, folder)
    }

    /// As [`Nvrtc::open`], for a driver: prefers a compiler of at most the driver's major version.
    pub(super) fn open_for(driver: i32, folder: Option<&Path>) -> Result<Self, Error> {
        let library = Compiler::open(&compilers(driver), folder)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two places for numbers.
        let code = unsafe { (library.version)(&raw mut major, &raw mut minor) };
        check(code).map_err(|why| Error::Unavailable(format!("no CUDA: {why}")))?;
        Ok(Nvrtc { library, version: (major, minor) })
    }

    /// As `12.9`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// The architectures that it knows, in ascending order: 90 stands for `sm_90`.
    ///
    /// # Errors
    /// The library does not answer.
    pub fn architectures(&self) -> Result<Vec<i32>, Error> {
        let mut count = 0;
        // SAFETY: a place for a number.
        check(unsafe { (self.library.architecture_count)(&raw mut count) }).map_err(Error::Refused)?;
        let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many as the library says that there are.
        check(unsafe { (self.library.architectures)(found.as_mut_ptr()) }).map_err(Error::Refused)?;
        found.sort_unstable();
        Ok(found)
    }

    /// Compiles a text for an architecture: `sm_90`, or `compute_90` for PTX.
    ///
    /// # Errors
    /// It does not know the architecture ([`Error::Refused`]), or rejects the text ([`Error::Build`] with its
    /// messages).
    pub fn compile(&self, text: &str, architecture: &str) -> Result<Compiled, Error> {
        const COMPILATION: c_uint = 6;
        let text =
            CString::new(text).map_err(|_| Error::Build("the text contains a zero byte".to_owned()))?;
        let target = format!("--gpu-architecture={architecture}");
        let options = std::iter::once(target.as_str()).chain(Dialect::Cuda.options().iter().copied());
        let options: Vec<CString> = options.filter_map(|option| CString::new(option).ok()).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let program = Program::new(&self.library, &text)?;
        // SAFETY: the program is alive, and the count is that of the pointers, to texts that end with a zero.
        let code = unsafe { (self.library.compile)(program.raw, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.output(self.library.log_size, self.library.log);
        let log = log.map(|log| String::from_utf8_lossy(&log).trim_matches(['\0', '\n', ' ']).to_owned());
        match code {
            0 => {}
            COMPILATION => return Err(Error::Build(log?)),
            code => {
                let why = check(code).err().unwrap_or_default();
                return Err(Error::Refused(format!("its compiler stops for {architecture}: {why}")));
            }
        }
        let binary = if architecture.starts_with("sm_") {
            program.output(self.library.cubin_size, self.library.cubin)?
        } else {
            program.output(self.library.ptx_size, self.library.ptx)?
        };
        Ok(Compiled { binary, log: log? })
    }
}

/// A text being compiled.
struct Program<'l> {
    library: &'l Compiler,
    raw: Handle,
}

impl<'l> Program<'l> {
    fn new(library: &'l Compiler, text: &CString) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: texts end with a zero, and no headers are given.
        let code = unsafe {
            (library.create)(&raw mut raw, text.as_ptr(), c"kernel.cu".as_ptr(), 0, ptr::null(), ptr::null())
        };
        check(code).map_err(Error::Refused)?;
        Ok(Program { library, raw })
    }

    /// Reads bytes through two functions: one returns the size, the other the bytes.
    fn output(
        &self,
        size: unsafe extern "C" fn(Handle, *mut usize) -> c_uint,
        get: unsafe extern "C" fn(Handle, *mut c_char) -> c_uint,
    ) -> Result<Vec<u8>, Error> {
        let mut bytes = 0;
        // SAFETY: the program is alive, and there is a place for a number.
        check(unsafe { size(self.raw, &raw mut bytes) }).map_err(Error::Refused)?;
        let mut output = vec![0; bytes];
        // SAFETY: the program is alive, and there is room for as many bytes as the library says that there are.
        check(unsafe { get(self.raw, output.as_mut_ptr().cast()) }).map_err(Error::Refused)?;
        Ok(output)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program is owned, and this is its end.
        let _ = unsafe { (self.library.destroy)(&raw mut self.raw) };
    }
}

/// The meaning of an error code of the compiler (`nvrtcResult`).
fn check(code: c_uint) -> Result<(), String> {
    const NAMES: [&str; 13] = [
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    ];
    match (code, NAMES.get(code as usize)) {
        (0, _) => Ok(()),
        (_, Some(name)) => Err((*name).to_owned()),
        (code, None) => Err(format!("NVRTC error {code}")),
    }
}

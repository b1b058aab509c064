//! Memory that holds code: written first, then made executable, never both at a time.

use volvelle_kernel::CompileError;

/// Pages with code, freed when dropped.
pub(super) struct Executable {
    start: *mut libc::c_void,
    len: usize,
}

// SAFETY: the pages are only read once they are made.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Pages that begin with the code.
    pub(super) fn new(code: &[u8]) -> Result<Self, CompileError> {
        let len = code.len().max(1);
        // SAFETY: a fresh anonymous mapping touches no memory that is in use.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(CompileError("there is no memory for code".into()));
        }
        let pages = Executable { start, len };
        // SAFETY: the mapping is writable, new, and at least as long as the code.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len()) };
        // SAFETY: the range is that of the mapping.
        let changed = unsafe { libc::mprotect(start, len, libc::PROT_READ | libc::PROT_EXEC) };
        if changed != 0 {
            return Err(CompileError("memory cannot be made executable".into()));
        }
        Ok(pages)
    }

    /// Where the code begins.
    pub(super) fn start(&self) -> *const u8 {
        self.start.cast_const().cast()
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new`, and a run of its code borrows its owner.
        unsafe { libc::munmap(self.start, self.len) };
    }
}

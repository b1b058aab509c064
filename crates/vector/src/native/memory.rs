//! Memory for code: writable first, then executable, never both at the same time.

use memmap2::{Mmap, MmapMut};
use volvelle_kernel::CompileError;

/// Pages with code, freed when dropped.
pub(super) struct Executable(Mmap);

impl Executable {
    /// Pages that begin with the code.
    pub(super) fn new(code: &[u8]) -> Result<Self, CompileError> {
        let mut pages = MmapMut::map_anon(code.len().max(1))
            .map_err(|e| CompileError(format!("there is no memory for code: {e}")))?;
        pages[..code.len()].copy_from_slice(code);
        let executable = |e| CompileError(format!("memory cannot be made executable: {e}"));
        Ok(Executable(pages.make_exec().map_err(executable)?))
    }

    /// The address of the code.
    pub(super) fn start(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

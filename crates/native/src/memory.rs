//! Memory that holds the code of one function: written first, then made executable, never both at a time.

use crate::runtime::library_function;
use cranelift_codegen::CompiledCode;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::ExternalName;
use cranelift_codegen::{FinalizedMachReloc, FinalizedRelocTarget};
use memmap2::{Mmap, MmapMut};
use wasmtime_internal_jit_icache_coherence::{clear_cache, pipeline_flush_mt};

/// Pages that begin with the code of a function, freed when dropped.
pub(crate) struct Executable(Mmap);

impl Executable {
    /// Places code, with the addresses of the functions that it calls.
    ///
    /// # Errors
    /// Why not, as text: the system gives no such memory, or the code refers to what is not one of
    /// [`library_function`].
    pub(crate) fn new(code: &CompiledCode) -> Result<Self, String> {
        let bytes = code.code_buffer();
        let mut pages = MmapMut::map_anon(bytes.len().max(1)).map_err(|e| e.to_string())?;
        pages[..bytes.len()].copy_from_slice(bytes);
        for relocation in code.buffer.relocs() {
            let (at, address) = resolve(relocation)?;
            pages[at..at + 8].copy_from_slice(&address.to_le_bytes());
        }
        // SAFETY: the range is that of the mapping.
        unsafe { clear_cache(pages.as_ptr().cast(), pages.len()) }.map_err(|e| e.to_string())?;
        let pages = pages.make_exec().map_err(|e| e.to_string())?;
        pipeline_flush_mt().map_err(|e| e.to_string())?;
        Ok(Executable(pages))
    }

    /// Where the code begins.
    pub(crate) fn start(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

/// The place of a relocation, and the address that belongs there. Library functions are the only ones called by
/// name (others by addresses in the code), and `use_colocated_libcalls` is off, so all of them are absolute.
fn resolve(relocation: &FinalizedMachReloc) -> Result<(usize, u64), String> {
    let FinalizedRelocTarget::ExternalName(ExternalName::LibCall(called)) = &relocation.target else {
        return Err(format!("it refers to {:?}", relocation.target));
    };
    let address = library_function(*called).ok_or_else(|| format!("it calls `{called}`"))?;
    match relocation.kind {
        Reloc::Abs8 => {
            Ok((relocation.offset as usize, (address as u64).wrapping_add_signed(relocation.addend)))
        }
        kind => Err(format!("it calls `{called}` by {kind}")),
    }
}

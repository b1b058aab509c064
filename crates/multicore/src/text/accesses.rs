//! Accesses of cores to memory: `core operation address size`.

use super::Form;
use super::columns::Lines;
use crate::limits::MOST_CORES;
use volvelle_coherence::Operation;
use volvelle_diagnostics::{Diagnostic, FileId};

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which core, from 0.
    pub core: u8,
    /// What it does.
    pub operation: Operation,
    /// The first byte.
    pub address: u64,
    /// How many bytes, at least 1.
    pub size_bytes: u8,
}

/// Reads accesses.
///
/// # Errors
/// What is wrong with the text: at most some twenty lines.
pub fn accesses(file: FileId, text: &str) -> Result<Vec<Access>, Vec<Diagnostic>> {
    let mut lines = Lines::of(file, text, Form::Accesses).map_err(|found| vec![found])?;
    let mut all = Vec::new();
    while let Some([core, operation, address, size]) = lines.next(Form::Accesses) {
        let known = Operation::ALL.into_iter().find(|known| known.word() == operation.text);
        if known.is_none() {
            let message = format!("`{}` is no operation", operation.text.escape_debug());
            lines.report(operation, message, "write `load`, `store` or `atomic`");
        }
        let core = lines.whole(core, "core", 0..=MOST_CORES as u64 - 1);
        let address = lines.address(address);
        let size = lines.whole(size, "size", 1..=255);
        if let (Some(core), Some(operation), Some(address), Some(size)) = (core, known, address, size) {
            all.push(Access { core: core as u8, operation, address, size_bytes: size as u8 });
        }
    }
    if lines.found.is_empty() { Ok(all) } else { Err(lines.found) }
}

//! Files that a command is to write: asked about once, before it does anything else.

use crate::file_use::FileUse;
use crate::{files, plots};
use std::path::PathBuf;
use volvelle_diagnostics::Diagnostic;

/// Errors about the files that a command line names: those that the run reads or writes twice, as far as is known by now, those that cannot
/// be written, and pictures in formats that are not known. What a question reads later may claim more: it asks
/// [`files::refusals`] again.
pub fn refused(named: &[(PathBuf, FileUse)]) -> Vec<Diagnostic> {
    let mut diagnostics = files::refusals();
    if diagnostics.is_empty() {
        let results = named.iter().filter(|(_, file_use)| file_use.is_result());
        diagnostics.extend(files::unwritable(results.map(|(path, _)| path.as_path())));
    }
    let pictures = named.iter().filter(|(_, file_use)| *file_use == FileUse::Picture);
    diagnostics.extend(pictures.filter_map(|(path, _)| plots::format(path).err()));
    diagnostics
}

//! Files of systems.

use std::path::Path;
use volvelle_console::files;
use volvelle_diagnostics::{Diagnostic, FileId, Sources};

/// Opens a file that another one names, beside that one.
pub(crate) fn open(sources: &mut Sources, name: &str, from: FileId) -> Result<FileId, Box<Diagnostic>> {
    let folder = Path::new(&sources.file(from).name).parent().unwrap_or(Path::new(""));
    let text = files::read(&folder.join(name)).map_err(Box::new)?;
    Ok(sources.add(text.name, text.text))
}

//! Files of weighted structures.

use crate::{StructureFormat, WeightedModel};
use std::path::Path;
use volvelle_console::export::Export;
use volvelle_diagnostics::{Diagnostic, codes};

/// The format of a file.
pub(super) fn format(path: &Path) -> Result<StructureFormat, Diagnostic> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("wks") => Ok(StructureFormat::Text),
        Some("json") => Ok(StructureFormat::Json),
        Some("dot") => Ok(StructureFormat::Dot),
        _ if path == Path::new("-") => Ok(StructureFormat::Text),
        _ => {
            let message =
                format!("the extension of `{}` selects no format for weighted structures", path.display());
            Err(Diagnostic::error(codes::UNKNOWN_EXPORT, message).help("formats are .wks, .json and .dot"))
        }
    }
}

/// Writes a structure.
pub(super) fn write(model: &WeightedModel, path: &Path, format: StructureFormat, export: &mut Export<'_>) {
    export.write(path, |out| out.write_all(model.text(format).as_bytes()).map(|()| Vec::new()));
}

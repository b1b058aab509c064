//! Transition systems as files.

use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_console::export::Export;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::{Compression, Dialect, Format, WriteError, write_lts};
use volvelle_lts::draw;
use volvelle_space::Lts;

/// How a system is written.
#[derive(Clone, Copy)]
pub enum Written {
    /// Aldebaran.
    Aut(Compression),
    /// A graph for Graphviz.
    Dot,
}

/// The format of a file.
pub fn format(path: &Path) -> Result<Written, Diagnostic> {
    let name = path.display().to_string();
    let (compression, stem) = Compression::of_name(&name);
    match (Format::of_name(stem), stem.rsplit_once('.').map(|(_, extension)| extension)) {
        _ if name == "-" => Ok(Written::Aut(Compression::None)),
        (Some(Format::Aut), _) => Ok(Written::Aut(compression)),
        (_, Some("dot")) if compression == Compression::None => Ok(Written::Dot),
        _ => {
            let message = format!("the extension of `{name}` selects no format for transition systems");
            Err(Diagnostic::error(codes::UNKNOWN_EXPORT, message)
                .help("formats are .aut, .aut.gz, .aut.xz, .aut.zst and .dot"))
        }
    }
}

/// Writes a system; gives the text that goes to standard output.
pub fn write(lts: &Lts, path: &PathBuf, format: Written, export: &mut Export<'_>) -> String {
    let control = export.control;
    let to = |out: &mut dyn Write| match format {
        Written::Aut(compression) => write_lts(lts, Dialect::Cadp, compression, out, control),
        Written::Dot => draw(lts, out, control),
    };
    if path != Path::new("-") {
        export.write(path, |out| to(out).map(|()| Vec::new()));
        return String::new();
    }
    let mut text = Vec::new();
    match to(&mut text) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => {
            // Memory takes everything, so that it is a limit.
            if let WriteError::Stopped(stop) = error {
                export.stop = Some(stop);
            }
            String::new()
        }
    }
}

/// Refuses a file whose name selects no format, before any work.
pub fn refused(path: &Option<PathBuf>) -> Vec<Diagnostic> {
    path.as_deref().and_then(|path| format(path).err()).into_iter().collect()
}

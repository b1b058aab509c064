//! Commands on labelled transition systems.

pub mod compare;
pub mod explore;
pub mod formulas;
pub mod reduce;

use crate::args::RelationArgs;
use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_console::export::Export;
use volvelle_console::opening::Opening;
use volvelle_console::options::ModelArgs;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::{Compression, Dialect, Format, WriteError, write_lts};
use volvelle_lts::{ReduceOptions, Relation, draw};
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};
use volvelle_space::Lts;

/// The options of an equivalence of transition systems.
fn options(relation: Relation, args: &RelationArgs) -> Result<ReduceOptions, Vec<Diagnostic>> {
    let bad = |message: &str, help: &str| vec![Diagnostic::error(codes::BAD_USAGE, message).help(help)];
    match args.epsilon {
        Some(_) if !relation.is_stochastic() => {
            let message =
                format!("--epsilon does not apply to {}, which adds up no numbers", relation.name());
            Err(bad(&message, "choose --relation stochastic-branching or stochastic-strong"))
        }
        Some(epsilon) if !(epsilon > 0.0 && epsilon.is_finite()) => {
            Err(bad("--epsilon is not a positive number", "for example: --epsilon 1e-9"))
        }
        epsilon => Ok(ReduceOptions { relation, epsilon }),
    }
}

/// Opens a model as a labelled transition system. A large file is read as it is parsed.
fn open(model: &ModelArgs, opening: Opening<'_>) -> Result<Session, Vec<Diagnostic>> {
    volvelle_console::opening::open(model, Opening { as_system: true, ..opening })
}

/// The system of an opened model, with a report.
fn system(session: &mut Session, settings: &Settings, control: &Control<'_>) -> (Report, Option<Lts>) {
    volvelle_systems::transition_system(session, settings, control)
}

/// How a system is written.
#[derive(Clone, Copy)]
pub(super) enum Written {
    Aut(Compression),
    Dot,
}

/// The format of a file.
pub(super) fn format(path: &Path) -> Result<Written, Diagnostic> {
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
pub(super) fn write(lts: &Lts, path: &PathBuf, format: Written, export: &mut Export<'_>) -> String {
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

/// Refuses a file that cannot be written, before any work.
fn refused(path: &Option<PathBuf>) -> Vec<Diagnostic> {
    let mut refusals = volvelle_console::refusal::refused_targets(path);
    if let Some(Err(diagnostic)) = path.as_deref().map(format) {
        refusals.push(diagnostic);
    }
    refusals
}

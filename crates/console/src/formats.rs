//! Files of explicit models that `volvelle explore` writes.

use crate::export::Export;
use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes, suggest};
use volvelle_explicit::prism::{Section, write_section};
use volvelle_explicit::{Compression, Finding, Format, Model, WriteError, WriteOptions, write};
use volvelle_session::language::Part;

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The model, as far as the format can hold it.
    Model(Format, Compression),
    /// What PRISM's `.tra` leaves to other files.
    Part(Part),
}

impl Target {
    /// Extensions that select this format, without the dot.
    pub const ENDINGS: [&str; 9] = ["tra", "sta", "lab", "srew", "trew", "drn", "umb", "pexp", "aut"];

    /// The format that the extension of a name selects.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.to_string_lossy();
        if let Some(format) = Format::of_name(&name) {
            return Some(Target::Model(format, Compression::of_name(&name).0));
        }
        let ending = path.extension()?.to_str()?;
        let parts = [Part::Labels, Part::States, Part::StateRewards, Part::TransitionRewards];
        let part = parts.into_iter().find(|part| part.ending().eq_ignore_ascii_case(ending));
        part.map(Target::Part)
    }
}

/// Pictures of states that are read from a file are drawn in another way.
pub fn no_picture(path: &Path, model: &Path) -> Diagnostic {
    let message = format!(
        "`{}` is not written: the states are read from a file, and not drawn as .dot",
        path.display()
    );
    let page = model.with_extension("html");
    let refused = Diagnostic::error(codes::UNKNOWN_EXPORT, message);
    let refused = match model.extension().is_some_and(|ending| ending == "aut") {
        true => refused.help(format!(
            "draw the transition system: volvelle reduce {} --relation strong --output {}",
            model.display(),
            path.display()
        )),
        false => refused,
    };
    refused
        .help(format!("draw them on a page: volvelle explore {} --html {}", model.display(), page.display()))
        .help("or convert the model: .umb .drn .tra .sta .lab .srew .trew .pexp .aut")
}

/// An ending that asks for no format.
pub fn unknown_format(path: &Path, extension: &str) -> Diagnostic {
    let mut known = Target::ENDINGS.to_vec();
    known.push("dot");
    let message = match extension {
        "" => format!("`{}` has no extension that selects a format", path.display()),
        _ => format!("`.{extension}` is not an export format"),
    };
    let diagnostic = Diagnostic::error(codes::UNKNOWN_EXPORT, message);
    let prefix = known.iter().copied().find(|k| extension.starts_with(k) || k.starts_with(extension));
    match suggest(extension, known).or(prefix.filter(|_| !extension.is_empty())) {
        Some(near) => diagnostic.help(format!("did you mean `{}`?", path.with_extension(near).display())),
        None => diagnostic.help("the formats are .umb .drn .tra .sta .lab .srew .trew .pexp .aut .dot"),
    }
}

/// Writes the files.
pub fn export(model: &Model, targets: &[(PathBuf, Target)], export: &mut Export<'_>) {
    for (path, target) in targets {
        let of_rewards = matches!(target, Target::Part(part) if part.is_numbered());
        for (path, structure) in export.files(path, of_rewards, model.rewards.len()) {
            let control = export.control;
            export.write(&path, |out| write_file(model, *target, structure, out, control));
            if export.stop.is_some() {
                return;
            }
        }
    }
}

/// Writes a model, or a part of it.
fn write_file(
    model: &Model,
    target: Target,
    structure: usize,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<Vec<Finding>, WriteError> {
    let options = WriteOptions::default();
    let section = match target {
        Target::Model(format, compression) => {
            return write(model, format, compression, &options, out, control);
        }
        Target::Part(Part::Labels) => Section::Labels,
        Target::Part(Part::StateRewards) => Section::StateRewards(&model.rewards[structure]),
        Target::Part(Part::TransitionRewards) => Section::TransitionRewards(&model.rewards[structure]),
        Target::Part(Part::States | Part::Observations) => Section::States,
    };
    write_section(model, section, &options, out, control)
}

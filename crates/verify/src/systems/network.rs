//! The labelled transition system of a network of others.

use super::reduce::refused;
use crate::language::{Input, NetworkFiles, NoFolder, is_read_as_system};
use crate::limits;
use crate::report::Report;
use crate::session::{Session, Settings, has_errors};
use volvelle_control::{Control, Fact};
use volvelle_diagnostics::{Diagnostic, Severity, Span, codes};
use volvelle_lts::{Composed, NetworkError, compose};
use volvelle_space::Lts;

impl Session {
    /// Makes the systems of the files, then that of the network.
    pub(super) fn composed(
        &mut self,
        files: &NetworkFiles,
        settings: &Settings,
        control: &Control<'_>,
    ) -> (Report, Option<Lts>) {
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if has_errors(&report.diagnostics) {
            return (report, None);
        }
        let mut leaves = Vec::with_capacity(files.contents.len());
        for ((name, span), contents) in files.text.files.iter().zip(&files.contents) {
            match leaf(name, contents, *span, settings, control) {
                Ok(lts) => leaves.push(lts),
                Err((diagnostic, stop)) => {
                    report.diagnostics.push(diagnostic);
                    report.stop = report.stop.or(stop);
                }
            }
        }
        if leaves.len() < files.contents.len() {
            return (report, None);
        }
        let composed = match compose(&files.text.network, &leaves, control) {
            Ok(composed) => composed,
            Err(error) => {
                let explained = files.text.explain(&error).map(|diagnostic| (diagnostic, None));
                let (diagnostic, stop) = match (explained, error) {
                    (None, NetworkError::Reduce(error)) => refused(error, &settings.allowance),
                    (explained, _) => explained.expect("other errors have a place in the network"),
                };
                report.diagnostics.push(diagnostic);
                report.stop = stop;
                return (report, None);
            }
        };
        let mut told: Vec<&str> = Vec::new();
        for idle in &composed.idle {
            // A gate that several operands miss is told once.
            if !told.contains(&idle.gate.as_str()) {
                told.push(&idle.gate);
                report.diagnostics.push(files.text.idle_gate(idle));
            }
        }
        let mut model = self.system_report(&composed.lts);
        model.facts = facts(&composed);
        report.model = Some(model);
        (report, Some(composed.lts))
    }
}

/// How the system came about, for `--explain`.
fn facts(composed: &Composed) -> Vec<Fact> {
    let largest = composed.products.iter().max_by_key(|product| product.states);
    let Some(largest) = largest else { return Vec::new() };
    let why = match composed.products.len() {
        1 => "the only product".to_owned(),
        count => format!("of {}, with {} members", limits::counted(count as u64, "product"), largest.members),
    };
    vec![Fact::count("states of the largest product", largest.states as u64).because(why)]
}

/// The system in a file of a network.
fn leaf(
    name: &str,
    contents: &[u8],
    span: Span,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<Lts, (Diagnostic, Option<volvelle_control::Stop>)> {
    let mut nothing = std::io::empty();
    let mut folder = NoFolder;
    let mut input = Input::of_text(crate::text::Text::default(), Vec::new(), &mut folder, control);
    input.name = name.to_owned();
    input.bytes = contents.to_vec();
    if is_read_as_system(name, contents) {
        input.system = Some(&mut nothing);
    }
    let no_constants: [&str; 0] = [];
    let mut session = Session::open_files(None, input, &no_constants);
    let (report, lts) = session.transition_system(settings, control);
    if let Some(lts) = lts {
        return Ok(lts);
    }
    let reason = report.diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    if let (Some(stop), Some(reason)) = (report.stop, &reason) {
        return Err((reason.clone(), Some(stop)));
    }
    let diagnostic =
        Diagnostic::error(codes::NETWORK_FILE, format!("`{name}` has no labelled transition system"));
    let mut diagnostic = diagnostic.at(span, "");
    if let Some(reason) = reason {
        diagnostic = diagnostic.note(format!("{}: {}", reason.code, reason.message));
    }
    Err((diagnostic.help(format!("look at the file alone: volvelle reduce {name}")), None))
}

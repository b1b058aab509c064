//! The labelled transition system of a network of others.

use super::part::{FirstStates, system_report};
use super::reduce::refused;
use volvelle_control::{Control, Fact};
use volvelle_diagnostics::{Diagnostic, Severity, Span, codes, has_errors};
use volvelle_lts::{Composition, NetworkError, NetworkText, Product};
use volvelle_session::language::{Input, NetworkFiles, is_read_as_system};
use volvelle_session::limits;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::{Model, NoFolder, Session, Settings};
use volvelle_space::Lts;

/// How the system of a file is made.
type OfFile<'a> = dyn Fn(&mut Session) -> (Report, Option<Lts>) + 'a;

/// Makes the systems of the files of a network, and what is to be reduced of it. The report is there if that is not possible.
pub(super) fn composition(
    model: &mut Model,
    files: &NetworkFiles,
    of_file: &OfFile<'_>,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<NetworkOrigin, Box<Report>> {
    let mut report = Report { diagnostics: std::mem::take(&mut model.diagnostics), ..Report::default() };
    if has_errors(&report.diagnostics) {
        return Err(Box::new(report));
    }
    let mut leaves = Vec::with_capacity(files.contents.len());
    for ((name, span), contents) in files.text.files.iter().zip(&files.contents) {
        leaves.extend(report.take(leaf(name, contents, *span, of_file, control)));
    }
    if leaves.len() < files.contents.len() {
        return Err(Box::new(report));
    }
    match Composition::new(&files.text.network, &leaves, control) {
        Ok(composition) => {
            let (text, diagnostics) = (files.text.clone(), report.diagnostics);
            Ok(NetworkOrigin { text, composition: Some(composition), diagnostics })
        }
        Err(error) => Err(Box::new(not_composed(report.diagnostics, &files.text, error, settings))),
    }
}

/// Generates the system of a network; once more states than `enough` are known, no more of them are expanded. The whole is given once.
pub(super) fn composed(
    session: &Session,
    origin: &mut NetworkOrigin,
    enough: usize,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<FirstStates>) {
    let mut diagnostics = origin.diagnostics.clone();
    let composition = match enough {
        usize::MAX => origin.composition.take(),
        _ => origin.composition.clone(),
    };
    let Some(composition) = composition else { return (Report::default(), None) };
    let composed = match composition.generate(enough, control) {
        Ok(composed) => composed,
        Err(error) => return (not_composed(diagnostics, &origin.text, error, settings), None),
    };
    let mut told: Vec<&str> = Vec::new();
    for idle in &composed.idle {
        // A gate that several operands miss is told once.
        if !told.contains(&idle.gate.as_str()) {
            told.push(&idle.gate);
            diagnostics.push(origin.text.idle_gate(idle));
        }
    }
    let model = system_report(&session.model, &composed.lts);
    let found = FirstStates::behind(composed.expanded, composed.lts);
    let unexpanded = found.unexpanded.as_ref().map(|set| set.count() as u64);
    let facts = facts(composed.products);
    let model = ModelReport { facts, unexpanded, ..model };
    (Report { model: Some(model), diagnostics, ..Report::default() }, Some(found))
}

/// A network whose parts are made.
pub(super) struct NetworkOrigin {
    text: NetworkText,
    /// `None` when it has been taken.
    composition: Option<Composition>,
    /// What is to be said of the files.
    diagnostics: Vec<Diagnostic>,
}

/// Why there is no system.
fn not_composed(
    mut diagnostics: Vec<Diagnostic>,
    text: &NetworkText,
    error: NetworkError,
    settings: &Settings,
) -> Report {
    let explained = text.explain(&error).map(|diagnostic| (diagnostic, None));
    let (diagnostic, stop) = match (explained, error) {
        (None, NetworkError::Reduce(error)) => refused(error, &settings.allowance),
        (explained, _) => explained.expect("other errors have a place in the network"),
    };
    diagnostics.push(diagnostic);
    Report { diagnostics, stop, ..Report::default() }
}

/// How the system came about, for `--explain`.
fn facts(products: Vec<Product>) -> Vec<Fact> {
    let Some(largest) = products.iter().max_by_key(|product| product.states) else { return Vec::new() };
    let why = match products.len() {
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
    of_file: &OfFile<'_>,
    control: &Control<'_>,
) -> Result<Lts, (Diagnostic, Option<volvelle_control::Stop>)> {
    let mut nothing = std::io::empty();
    let mut folder = NoFolder;
    let mut input = Input::of_text(volvelle_session::text::Text::default(), Vec::new(), &mut folder, control);
    input.name = name.to_owned();
    input.bytes = contents.to_vec();
    if is_read_as_system(name, contents) {
        input.system = Some(&mut nothing);
    }
    let no_constants: [&str; 0] = [];
    let mut session = Session::open_files(None, input, &no_constants);
    let (report, lts) = of_file(&mut session);
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

//! What is expected of a program against what is found in it.

use super::cases::{Case, Expected, normal};
use crate::place;
use crate::run::limited;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, codes, has_errors};
use volvelle_rules::ir::JudgmentId;
use volvelle_rules::machine::{Applied, Watch};
use volvelle_rules::system::{Loaded, Program, Reply};
use volvelle_rules::types::Ty;

/// What became of a case.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// What was expected and is not there.
    pub missing: Vec<String>,
    /// What is there and was not expected.
    pub unexpected: Vec<String>,
    /// What should be expected: places, widths on one line, words.
    pub errors: Vec<(usize, usize, Option<usize>, String)>,
    /// The same of judgments.
    pub types: Vec<String>,
    /// The limit that was reached.
    pub stopped: Option<&'static str>,
}

impl Compared {
    /// Whether all is as expected.
    pub fn has_passed(&self) -> bool {
        self.missing.is_empty() && self.unexpected.is_empty() && self.stopped.is_none()
    }
}

/// An error that was found.
struct Error {
    place: (usize, usize),
    /// Columns, where it ends on its line.
    width: Option<usize>,
    message: String,
    data: Option<String>,
    code: String,
}

impl Error {
    fn is(&self, expected: &Expected) -> bool {
        let said = [Some(&self.message), self.data.as_ref(), Some(&self.code)];
        self.place == expected.place
            && expected.width.is_none_or(|width| self.width == Some(width))
            && said.into_iter().flatten().any(|said| normal(said) == expected.text)
    }

    /// What an expectation says.
    fn said(&self) -> String {
        normal(self.data.as_ref().unwrap_or(&self.message))
    }
}

/// An expectation about a judgment: its name, and its outputs or nothing where it fails.
fn judged<'t>(loaded: &Loaded, text: &'t str) -> Option<(JudgmentId, Option<&'t str>)> {
    let (name, said) = text.split_once(' ')?;
    let judgment = loaded.judgment(name)?;
    match said.strip_prefix("= ") {
        Some(value) => Some((judgment, Some(value))),
        None => (said == "fails").then_some((judgment, None)),
    }
}

/// Runs a case.
///
/// # Errors
/// What is expected has no meaning for the system.
pub fn run(
    loaded: &Loaded,
    sources: &Sources,
    file: FileId,
    case: &Case,
    (caches, control): (bool, &Control<'_>),
    applied: &mut Applied,
) -> Result<Compared, Diagnostic> {
    let program = loaded.read(sources, file);
    let watch = Watch { applied: true, ..Watch::default() };
    let (report, noted) = limited(control, |limits| loaded.watched(sources, &program, limits, caches, watch));
    applied.join(&noted.applied);
    let mut compared = Compared { stopped: report.stopped, ..Compared::default() };
    let mut errors: Vec<Option<Error>> = Vec::new();
    for finding in &report.findings {
        let diagnostic = &finding.diagnostic;
        if diagnostic.severity != Severity::Error {
            continue;
        }
        let span = diagnostic
            .primary
            .iter()
            .chain(&diagnostic.secondary)
            .map(|label| label.span)
            .find(|span| span.file == file);
        let (place, width) = span.map_or(((1, 1), None), |span| {
            let start = sources.line_column(span);
            let text = sources.text(span);
            let width = (!text.contains('\n')).then(|| text.chars().count());
            ((start.line, start.column), width)
        });
        let (message, data) = (diagnostic.message.clone(), finding.data.clone());
        let code = diagnostic.code.to_string();
        errors.push(Some(Error { place, width, message, data, code }));
    }
    errors.sort_by_key(|error| error.as_ref().map(|error| error.place));
    compared.errors = errors
        .iter()
        .flatten()
        .map(|error| (error.place.0, error.place.1, error.width, error.said()))
        .collect();
    // Those that say more are looked for first, so that others do not take what they are about.
    let mut all: Vec<&Expected> = case.expected.iter().collect();
    all.sort_by_key(|expected| expected.width.is_none());
    for expected in all {
        if let Some((judgment, wanted)) = judged(loaded, &expected.text) {
            let found =
                ask(loaded, sources, (file, &program), (expected, judgment), (caches, control), applied)?;
            let at = format!("{}:{}", expected.place.0, expected.place.1);
            let name = &loaded.system.judgments[judgment].name;
            let told = match &found {
                Asked::Holds(value) => format!("{at} {name} = {value}"),
                Asked::Fails => format!("{at} {name} fails"),
                Asked::Stopped(why) => {
                    compared.stopped = Some(why);
                    continue;
                }
            };
            let is_so = match (&found, wanted) {
                (Asked::Holds(value), Some(wanted)) => value == wanted,
                (Asked::Fails, None) => true,
                _ => false,
            };
            if !is_so {
                compared.missing.push(format!("{at} {}", expected.text));
                compared.unexpected.push(told.clone());
            }
            compared.types.push(told);
            continue;
        }
        let found = errors.iter_mut().find(|error| error.as_ref().is_some_and(|error| error.is(expected)));
        match found {
            Some(found) => *found = None,
            None => {
                let (line, column) = expected.place;
                let width = expected.width.map_or(String::new(), |width| format!(" over {width} columns"));
                compared.missing.push(format!("{line}:{column} {}{width}", expected.text));
            }
        }
    }
    for error in errors.iter().flatten() {
        let width = error.width.filter(|width| *width > 1);
        let width = width.map_or(String::new(), |width| format!(" over {width} columns"));
        compared.unexpected.push(format!("{}:{} {}{width}", error.place.0, error.place.1, error.said()));
    }
    Ok(compared)
}

enum Asked {
    Holds(String),
    Fails,
    Stopped(&'static str),
}

fn ask(
    loaded: &Loaded,
    sources: &Sources,
    (file, program): (FileId, &Program),
    (expected, judgment): (&Expected, JudgmentId),
    (caches, control): (bool, &Control<'_>),
    applied: &mut Applied,
) -> Result<Asked, Diagnostic> {
    let flaw = |message: String| Diagnostic::error(codes::RULE_QUESTION, message).at(expected.span, "");
    let known = &loaded.system.judgments[judgment];
    let inputs: Vec<&Ty> = known.inputs().collect();
    let [ty] = inputs.as_slice() else {
        let message =
            format!("`{}` has {} inputs; one that is asked has one, a node", known.name, inputs.len());
        return Err(flaw(message));
    };
    if has_errors(&program.flaws) {
        return Ok(Asked::Fails);
    }
    let Some(node) = place::node_at(loaded, program, sources, file, expected.place, ty) else {
        return Err(flaw(format!("there is no `{}` at this place", loaded.system.universe.name(ty))));
    };
    let watch = Watch { applied: true, ..Watch::default() };
    let (reply, _, noted) = limited(control, |limits| {
        loaded.ask_watched(sources, program, (judgment, node), limits, caches, watch)
    });
    applied.join(&noted.applied);
    Ok(match reply {
        Reply::Holds(outputs) if outputs.is_empty() => Asked::Holds("holds".to_owned()),
        Reply::Holds(outputs) => {
            let outputs: Vec<String> = outputs.iter().map(crate::document::written).collect();
            Asked::Holds(normal(&outputs.join(", ")))
        }
        Reply::Fails(_) => Asked::Fails,
        Reply::Stopped(why) => Asked::Stopped(why),
    })
}

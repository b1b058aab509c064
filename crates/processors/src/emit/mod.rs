//! `--export-model`: a program on a machine as a queueing model, whose parameters are measured.
//!
//! The model is a CTMC in PRISM's language. Its IPC is computed from the text, as `volvelle check` does it, and stands beside the one that
//! was simulated: the difference is what the model leaves out (`docs/multicore.md`).

mod measured;
mod text;

use super::asked::Asked;
use crate::options::SimulateMulticore;
use measured::Measured;
use std::path::Path;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::{Answer, Value};
use volvelle_multicore::{Answer as Simulated, Machine};
use volvelle_session::limits::Allowance;
use volvelle_session::{Session, Settings, Text, language};

/// A queueing model.
pub struct Model {
    /// The name of its file.
    pub file: String,
    pub text: String,
    /// The constants that have no value in it, with those that were measured.
    pub given: String,
    /// The IPC in the long run, with its guarantee; none if a limit came first.
    pub answer: Option<Answer>,
}

/// The question whose answer is the IPC.
pub use text::PROPERTY;

impl Model {
    /// The IPC.
    pub fn ipc(&self) -> Option<f64> {
        match self.answer.as_ref()?.value {
            Value::Number(ipc) => Some(ipc),
            _ => None,
        }
    }

    /// Least and greatest values that the IPC may have.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.answer.as_ref()?.guarantee.interval()
    }
}

/// Options that do not fit a model.
pub fn unfit(args: &SimulateMulticore, asked: &Asked) -> Option<Diagnostic> {
    let path = args.export_model.as_ref()?;
    let rows = asked.runs.len() * asked.cases.len();
    let wrong = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if rows != 1 {
        let message = format!("--export-model writes a model of one answer, and {rows} are asked for");
        return wrong(
            &message,
            "name one machine and one predictor: --machine paper-quad-8 --predictor perceptron-8",
        );
    }
    if asked.windows.is_some() {
        return wrong("--export-model measures the whole program", "leave the options about windows out");
    }
    let name = path.display().to_string();
    let language = language::of_model(&name, b"ctmc\n");
    if language.is_ok_and(|language| language.name() != "prism") {
        let message = format!("`{name}` is the name of a model in another language");
        return wrong(&message, "PRISM's language has the ending .prism");
    }
    None
}

/// The model of a program on a machine, with its answer, or with the limit that came first.
pub fn model(
    program: &str,
    simulated: &Simulated,
    machine: &Machine,
    path: &Path,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<(Model, Option<Stop>), Vec<Diagnostic>> {
    let measured = Measured::of(simulated, machine).ok_or_else(|| {
        let found = Diagnostic::error(codes::BAD_USAGE, "nothing was executed that could be measured");
        vec![found.help("leave --export-model out")]
    })?;
    let origin = text::Origin {
        program,
        machine: &simulated.machine,
        predictor: &simulated.predictor,
        ipc: simulated.ipc(),
    };
    let mut model = Model {
        file: path.display().to_string(),
        text: text::text(&measured, &origin),
        given: text::given(&measured).join(","),
        answer: None,
    };
    let file = Text { name: model.file.clone(), text: model.text.clone() };
    let mut session = Session::open(file, Vec::new(), &text::given(&measured));
    let settings = Settings { allowance: *allowance, ..Settings::default() };
    let report = volvelle_numbers::check(&mut session, &[PROPERTY.to_owned()], &settings, control);
    match report.results.into_iter().next().map(|result| result.outcome) {
        Some(Ok(answer)) => model.answer = Some(answer),
        _ if report.stop.is_some() => {}
        Some(Err(found)) => return Err(found),
        None => return Err(report.diagnostics),
    }
    Ok((model, report.stop))
}

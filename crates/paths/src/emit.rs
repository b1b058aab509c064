//! The code that runs paths, as text for people.

use super::trace::{PathPlan, Tracing};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::{FailKind, Site};
use volvelle_native::{Native, Options};
use volvelle_session::Session;
use volvelle_simulate::device::{DeviceVariant, Layout};
use volvelle_simulate::path::{self, Portable, Shape};
use volvelle_source::{Dialect, Notes};

/// In which form code is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeForm {
    /// OpenCL C: a path for each work item, as processors run it.
    OpenCl,
    /// CUDA C: work items that begin the next path when theirs has ended.
    Cuda,
    /// The kernel IR.
    Kernel,
    /// Machine code of this machine, one path at a time.
    Assembly,
}

/// The code that runs the paths of the properties (arguments of `--prop`, or all of the files). Without a text, one of the
/// diagnostics is an error.
pub fn path_code(
    session: &mut Session,
    wanted: &[String],
    tracing: Tracing,
    form: CodeForm,
) -> (Option<String>, Vec<Diagnostic>) {
    let (plan, mut diagnostics) = crate::trace::plan_path(session, wanted, tracing);
    let Some(plan) = plan else { return (None, diagnostics) };
    match code_of(session, &plan, form) {
        Ok(text) => (Some(text), diagnostics),
        Err(complaint) => {
            diagnostics.push(complaint);
            (None, diagnostics)
        }
    }
}

fn code_of(session: &Session, plan: &PathPlan, form: CodeForm) -> Result<String, Diagnostic> {
    let refused = |why: String| {
        Diagnostic::error(codes::NOT_SIMULATED, format!("the model cannot be compiled to this form: {why}"))
    };
    let (dialect, layout) = match form {
        CodeForm::Assembly => {
            let native = Native::new(Options::default()).map_err(|error| refused(error.0))?;
            let kernel = path::path(&plan.plan, Shape::Nested);
            return native.assembly(&kernel).map_err(|error| refused(error.0));
        }
        CodeForm::OpenCl => (Some(Dialect::OpenCl), Layout::Single),
        CodeForm::Cuda => (Some(Dialect::Cuda), Layout::Claimed),
        CodeForm::Kernel => (None, Layout::Single),
    };
    let Portable { kernel, notes, .. } = DeviceVariant::general(layout)
        .kernel(&plan.plan)
        .ok_or_else(|| refused("there is no such kernel".to_owned()))?;
    let Some(dialect) = dialect else { return Ok(kernel.to_string()) };
    let mut header = vec![format!("Paths of {}.", &session.model.file)];
    header.extend(plan.followed().iter().map(|one| format!("Measured: {}", one.text)));
    let program = &plan.plan.program;
    let sites = program.sites.iter().enumerate();
    let notes = Notes {
        header,
        locals: notes,
        sites: sites.map(|(i, site)| (Site(i as u32), what_fails(site.kind).to_owned())).collect(),
    };
    let source = volvelle_source::source(&kernel, dialect, &notes);
    source.map(|source| source.text).map_err(|refusal| refused(refusal.to_string()))
}

fn what_fails(kind: FailKind) -> &'static str {
    match kind {
        FailKind::Division => "a division by zero",
        FailKind::Overflow => "a number that its type cannot hold",
        FailKind::Range => "a variable leaves its range",
        FailKind::Conversion => "a number without a whole number",
        FailKind::Assertion => "an assertion",
    }
}

//! Reduction of a system, with the diagnostics that this brings.

use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_labels::{Meaning, meaning};
use volvelle_lts::{ReduceError, ReduceOptions, reduce};
use volvelle_session::limits::{self, Allowance};
use volvelle_space::Lts;

/// How large a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemSize {
    /// States.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// Labels that occur on transitions; the internal action is one of them.
    pub labels: u64,
}

impl SystemSize {
    /// The size of a system.
    pub fn of(lts: &Lts) -> Self {
        let mut occurs = vec![false; lts.labels.len()];
        lts.edges().iter().for_each(|edge| occurs[edge.label as usize] = true);
        SystemSize {
            states: lts.num_states() as u64,
            transitions: lts.num_transitions() as u64,
            labels: occurs.iter().filter(|occurs| **occurs).count() as u64,
        }
    }
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct ReduceReport {
    /// The equivalence.
    pub options: ReduceOptions,
    /// The quotient.
    pub lts: Lts,
    /// Its size.
    pub size: SystemSize,
    /// Time for the reduction alone.
    pub time: Duration,
    /// Remarks.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reduces a system.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn reduce_system(
    lts: Lts,
    options: ReduceOptions,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<ReduceReport, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let mut diagnostics = Vec::new();
    diagnostics.extend(numbers_as_texts(&lts, options));
    let reduced = reduce(lts, options, control).map_err(|error| refused(error, allowance))?;
    if reduced.preempted > 0 {
        let count = limits::counted(reduced.preempted, "transition");
        let message = format!("{count} with a rate never happen: something immediate comes before");
        diagnostics.push(Diagnostic::warning(codes::LABEL_NUMBER, message).note(
            "an internal or probabilistic transition of the same state takes no time (maximal progress)",
        ));
    }
    let size = SystemSize::of(&reduced.lts);
    Ok(ReduceReport { options, lts: reduced.lts, size, time: start.elapsed(), diagnostics })
}

/// A warning where labels have rates or probabilities, and the relation compares texts.
pub(super) fn numbers_as_texts(lts: &Lts, options: ReduceOptions) -> Option<Diagnostic> {
    let has_number = |label: &&String| !matches!(meaning(label), Meaning::Action(_));
    let label = lts.labels.texts().iter().find(has_number).filter(|_| !options.relation.is_stochastic())?;
    let name = options.relation.name();
    let message =
        format!("labels such as `{label}` are compared as texts: {name} knows no rates and probabilities");
    let help = if options.relation.is_strong() { "stochastic-strong" } else { "stochastic-branching" };
    Some(Diagnostic::warning(codes::LABEL_NUMBER, message).help(format!("add them up: --relation {help}")))
}

/// The diagnostic about a reduction or comparison that was not done.
pub(super) fn refused(error: ReduceError, allowance: &Allowance) -> (Diagnostic, Option<Stop>) {
    match error {
        ReduceError::Stopped(stop) => (limits::stopped(stop, allowance), Some(stop)),
        ReduceError::BadWeight(bad) => {
            let message = format!("the label `{}` cannot be used: {}", bad.label, bad.reason);
            let diagnostic = Diagnostic::error(codes::LABEL_NUMBER, message)
                .note("numbers are decimals or fractions: `rate 2.5`, `a; rate 1/3`, `prob 0.25`; rates may also be names");
            (diagnostic, None)
        }
    }
}

//! Searching models: verdicts on all runs, with counterexamples.
//!
//! In: a session on a Promela model (`run`) or of modules (`modules`), and [`SearchSettings`]. Out: the [`Report`] that
//! all questions share; a property is an assertion, deadlock or end state ([`SAFETY`]), a claim of the model, or a formula given
//! from outside. Its answer is true or false, and a property that is false comes with a counterexample.

pub mod ask;
mod claims;
pub mod failures;
pub mod json;
mod lint;
mod listing;
mod method;
mod modules;
pub mod options;
mod probing;
mod run;
mod runs;
mod shortening;
mod shortest;
mod subject;
mod symmetric;
mod verdict;

pub use lint::{Lint, lint};
pub use method::SearchMethod;
pub use runs::{
    Characters, Runnable, SavedStep, SavedTrail, Simulation, Taken, fits_model, read_spin_trail, runnable,
    save_as_spin_trail, save_trail, simulate,
};

use crate::listing::{LISTED, LONGEST};
use volvelle_control::Control;
use volvelle_diagnostics::has_errors;
use volvelle_explore::Processes;
use volvelle_search::{Listing, Outcome};
use volvelle_session::limits::Allowance;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::{Model, Session};

/// States that are interpreted before machine code is made: that takes as long as some thousand states.
pub const PATIENCE: u64 = 2000;

/// How large a state space is.
pub struct Counts {
    /// States found.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// Bytes held by the states.
    pub bytes: u64,
}

/// The name under which assertions and end states are reported.
pub const SAFETY: &str = "safety";

/// The errors to search for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Assertions and end states only.
    pub safety: bool,
    /// Claims by name, or formulas. Without any, all claims of the model.
    pub claims: Vec<String>,
    /// Runs that pass accepting locations without end are errors.
    pub acceptance: bool,
    /// Runs without end that pass progress locations finitely often only are errors.
    pub progress: bool,
    /// Only runs in which every process that can move for ever moves again and again.
    pub weak_fairness: bool,
}

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchSettings {
    /// Limits that the user set.
    pub allowance: Allowance,
    /// The code that evaluates the model.
    pub tier: volvelle_session::engine::Tier,
    /// Go on behind the first error.
    pub all_errors: bool,
    /// States deeper than this are not expanded.
    pub max_depth: Option<u64>,
    /// All orders of steps that commute.
    pub no_reduction: bool,
    /// One state stands for all that differ by an exchange of interchangeable processes.
    pub symmetry: bool,
    /// In which way assertions and end states are searched.
    pub method: SearchMethod,
    /// After the first error, go on until its trail is a shortest one.
    pub shorten: bool,
    /// Trails are given in full, however long they are.
    pub whole_trails: bool,
}

/// Stored states of a trail that is given in full, and its steps. It is listed in part where it has more steps than [`LONGEST`].
const LONGEST_TRAIL: usize = LONGEST + 1;

impl SearchSettings {
    /// Which trails are given in full by a search. Runs in which states stand for others are found from all of their states.
    fn listing(&self) -> Listing {
        match self.whole_trails || self.symmetry {
            true => Listing::WHOLE,
            false => Listing { longest: LONGEST_TRAIL, listed: LISTED },
        }
    }
}

/// The name under which cycles through accepting locations are reported.
pub const ACCEPTANCE: &str = "acceptance";
/// The name under which cycles without progress are reported.
pub const PROGRESS: &str = "progress";

/// Searches for violations of what is wanted.
pub fn search(
    session: &mut Session,
    wanted: &Wanted,
    settings: &SearchSettings,
    control: &Control<'_>,
) -> Report {
    session.model.refuse_sweeps();
    let mut report =
        Report { diagnostics: std::mem::take(&mut session.model.diagnostics), ..Report::default() };
    if has_errors(&report.diagnostics) {
        return report;
    }
    if let Some(document) = session.model.document.as_mut().filter(|document| document.processes().is_some())
    {
        for text in &wanted.claims {
            report.diagnostics.extend(document.add_claim(&mut session.model.sources, text));
        }
    }
    session.model.lower();
    report.diagnostics.append(&mut session.model.diagnostics);
    if has_errors(&report.diagnostics) {
        return report;
    }
    if session.model.processes().is_none() {
        modules::run(session, wanted, settings, control, &mut report);
    } else if let (Some(program), Some(document)) = (session.model.program(), session.model.processes()) {
        run::run(session, program, document, wanted, settings, &session.run.sharing(control), &mut report);
    }
    report.diagnostics.extend(session.run.lost_ranks("searches"));
    if let (Some(model), several @ 2..) = (&mut report.model, report.results.len()) {
        model.first_of = Some(several as u64);
    }
    verdict::note_cuts(&mut report, settings.max_depth);
    report
}

/// The states that a search visited.
pub fn searched(
    model: &Model,
    system: &Processes<'_>,
    tier: &'static str,
    found: &volvelle_search::Report,
) -> ModelReport {
    let counts = Counts { states: found.states, transitions: found.transitions, bytes: found.bytes };
    ModelReport {
        complete: found.outcome == Outcome::Complete,
        ended_by_error: found.outcome == Outcome::Failed,
        is_product: found.is_product,
        ..processes_report(model, system, tier, &counts)
    }
}

/// All states of processes.
pub fn processes_report(
    model: &Model,
    system: &Processes<'_>,
    tier: &'static str,
    counts: &Counts,
) -> ModelReport {
    ModelReport {
        file: model.file.clone(),
        kind: "processes".to_owned(),
        constants: Vec::new(),
        complete: true,
        ended_by_error: false,
        states: counts.states,
        is_product: false,
        first_of: None,
        choices: None,
        transitions: counts.transitions,
        initial_states: Some(1),
        deadlocks: None,
        unexpanded: None,
        bits: 64 * system.layout().words() as u32,
        bytes: counts.bytes,
        tier: tier.into(),
        time: model.started.elapsed(),
        facts: Vec::new(),
    }
}

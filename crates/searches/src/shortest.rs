//! Shortest counterexamples.
//!
//! A breadth-first search finds a shortest run to an error among the runs that it explores. A reduction leaves runs out, and with
//! them perhaps the shortest one. So when a reduced search has found an error, a second one without reduction looks for
//! the first error again, and gives up where that would cost much more than the first. Its runs are shortest; the length counts
//! an atomic sequence as one step.

use super::subject::Subject;
use crate::settings::{PATIENCE, SearchSettings};
use volvelle_control::{Control, Limits, Silent};
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_model::{NetworkLayout, Program};
use volvelle_search::{Outcome, Report, Trail, Turns, bfs, prefix};
use volvelle_session::trace::TrailLength;

/// States that a second search may store, whatever the first one did.
const LEAST_STATES: u64 = 20_000;

/// And how many for each state of the first search.
const STATES_PER_STATE: u64 = 2;

/// The help where a search without reduction would be long.
const WITHOUT_REDUCTION: &str = "--no-reduction finds a shortest one";

/// The help where another order of search would do.
pub(super) const SHORTEN: &str = "--shorten searches for one";

/// Steps from which on a cycle is worth shortening.
pub(super) const LONG: u64 = 100;

/// What is known about the trails of a first search for errors.
pub(super) fn known(settings: &SearchSettings, reduced: bool) -> TrailLength {
    match settings.method {
        method if method.is_breadth_first() && reduced => TrailLength::Unknown(Some(WITHOUT_REDUCTION)),
        // Where states stand for others, the ends of processes are no steps.
        method if method.is_breadth_first() && settings.symmetry => TrailLength::Unknown(None),
        method if method.is_breadth_first() => TrailLength::Shortest,
        _ => TrailLength::Unknown(Some(SHORTEN)),
    }
}

/// Whether a second search is to look for shorter trails.
pub(super) fn is_wanted(settings: &SearchSettings, reduced: bool, found: &Report) -> bool {
    reduced
        && !settings.symmetry
        && settings.method.is_breadth_first()
        && !found.faults.is_empty()
        && found.faults.iter().any(|fault| fault.depth > 0)
}

/// A second search after one of `states` states: `search` runs it under the control that it is given. `None` if it would have
/// taken too long.
pub(super) fn search_again<T>(
    states: u64,
    control: &Control<'_>,
    search: impl FnOnce(&Control<'_>) -> Option<T>,
    report: impl Fn(&T) -> &Report,
) -> Option<T> {
    let budget = LEAST_STATES + STATES_PER_STATE * states;
    let budget = control.limits.states.map_or(budget, |limit| limit.min(budget));
    let limits = Limits { states: Some(budget), ..control.limits };
    let found = search(&Control { limits, progress: &Silent, ..*control })?;
    // An error of a level that was not searched to its end is not determined: it depends on the threads.
    let report = report(&found);
    let is_whole = report.states < budget && matches!(report.outcome, Outcome::Complete | Outcome::Failed);
    let has_trails = !report.faults.is_empty() && report.faults.iter().all(|fault| fault.trail.is_some());
    (is_whole && has_trails).then_some(found)
}

/// Searches breadth first for a shortest run to an error, or to the acceptance of a claim; in a program without reduction. `None` if there is no
/// such system.
pub(super) fn in_breadth<'p>(
    program: &'p Program,
    subject: &Subject,
    settings: &SearchSettings,
    compiler: &'p dyn Compiler,
    turns: Option<&Turns>,
    control: &Control<'_>,
) -> Option<(Processes<'p>, Report)> {
    let SearchSettings { all_errors, max_depth, .. } = *settings;
    let system = Processes::new(program, subject.options(program), compiler, PATIENCE).ok()?;
    let search = |system: &Processes<'_>| match subject {
        Subject::Beginnings(automaton) => {
            let options = prefix::Options {
                claim: &automaton.claim,
                reduce: false,
                max_depth,
                listing: settings.listing(),
            };
            prefix::search_in_turns(system, &options, turns, control)
        }
        _ => {
            let options =
                bfs::Options { all_errors, max_depth, no_trails: false, listing: settings.listing() };
            bfs::search_in_turns(system, &options, turns, control)
        }
    };
    system.searched(search, |found| found.outcome).ok()
}

/// A run that is not known to be shortest.
pub(super) struct LongRun {
    /// Its result in the report.
    pub result: usize,
    /// The diagnostic that tells its length.
    pub diagnostic: Option<usize>,
    /// What it violates.
    pub subject: Subject,
    /// All of it, where only a part is listed although all is wanted.
    pub whole: Option<WholeTrail>,
}

/// A run with all its steps.
pub(super) struct WholeTrail {
    /// How its states are packed.
    pub layout: NetworkLayout,
    /// The steps.
    pub trail: Trail,
    /// Where its cycle begins, if it has one.
    pub cycle: Option<usize>,
}

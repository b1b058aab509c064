//! Shortening the runs that were found (`--shorten`).
//!
//! The first error is found by the search that comes to it soonest, which seldom is the one with the shortest run. When everything
//! has its answer, each run that is not known to be shortest is shortened: a breadth-first search without reduction
//! looks for a shortest run, and beside it probes within ever smaller depths ([`Bounds`]) find shorter runs that need not be shortest. The breadth-first
//! search ends the work, or a limit does, or the user; then the shortest run found so far stays. Cycles are shortened by probes alone.

use super::probing::{self, Ended, Probe, Probed};
use super::run::Searching;
use super::shortest::{LongRun, in_breadth};
use super::subject::Subject;
use std::borrow::Cow;
use std::thread;
use volvelle_control::{Control, Fact, ProgressEvent, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_search::probe::{self, Found};
use volvelle_search::{Order, Outcome, Turns};
use volvelle_session::limits::{count, counted};
use volvelle_session::report::Report;
use volvelle_session::trace::{Counterexample, TrailLength};

/// Visits that a probe may make at first, and how many for each step of the run at hand.
const FIRST_BUDGET: u64 = 1 << 16;
const VISITS_PER_STEP: u64 = 8;

/// Probes of a depth in random orders, and their part of the budget: an error may be close to many states, but not in the
/// order of the model.
const SHUFFLED: u64 = 4;
const SHARE: u64 = 4;

/// By how much the budget grows from round to round.
const GROWTH: u64 = 4;

/// The depths within which probes search: half of what is known, and more where that finds nothing.
///
/// A depth at which all probes were cut short by their budgets is tried again with larger ones.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The depth of the shortest run so far.
    best: u64,
    /// Nothing was found within this depth.
    missed: u64,
    /// Visits that a probe may make.
    budget: u64,
    /// Whether all probes of some depth of this round were cut short.
    is_cut: bool,
}

impl Bounds {
    fn new(best: u64) -> Self {
        let budget = FIRST_BUDGET.max(VISITS_PER_STEP.saturating_mul(best));
        Bounds { best, missed: 0, budget, is_cut: false }
    }

    /// The depth to try next; `None` if all that there is was tried in full.
    fn next(&mut self) -> Option<u64> {
        if self.best <= self.missed + 1 {
            if !self.is_cut || self.best <= 1 {
                return None;
            }
            self.budget = self.budget.saturating_mul(GROWTH);
            (self.missed, self.is_cut) = (0, false);
        }
        Some(self.missed + (self.best - self.missed) / 2)
    }

    fn found(&mut self, depth: u64) {
        self.best = depth;
        self.missed = self.missed.min(depth.saturating_sub(1));
    }

    fn missed(&mut self, depth: u64, is_cut: bool) {
        self.missed = depth;
        self.is_cut |= is_cut;
    }
}

/// How a shortening ended.
enum End {
    /// With a shortest run, of the breadth-first search.
    Shortest(Box<(Counterexample, Option<Diagnostic>)>),
    /// By a limit, or by the user.
    Stopped(Stop),
    /// Nothing else was found.
    Exhausted,
}

impl End {
    /// What is known of the length of the run that stays.
    fn length(&self) -> TrailLength {
        TrailLength::Unknown(Some(match self {
            End::Shortest(_) => return TrailLength::Shortest,
            End::Stopped(Stop::Timeout) => "the time limit ended the search for a shorter one",
            End::Stopped(Stop::Memory) => "the memory limit ended the search for a shorter one",
            End::Stopped(Stop::States) => "the state limit ended the search for a shorter one",
            End::Stopped(Stop::Cancelled) => "the search for a shorter one was ended",
            End::Exhausted => "no shorter one was found",
        }))
    }
}

impl Searching<'_> {
    /// Notes the result that was added last, if its run may be shortened.
    pub(super) fn note_long(&self, subject: Subject, report: &Report) {
        let Some(result) = report.results.len().checked_sub(1) else { return };
        let is_long = |example: &Counterexample| matches!(example.length, TrailLength::Unknown(_));
        let is_wanted = self.settings.shorten && !self.settings.all_errors;
        if is_wanted && report.results[result].counterexamples.first().is_some_and(is_long) {
            // The diagnostic of an assertion or end state was added last, too.
            let diagnostic =
                matches!(subject, Subject::Errors).then(|| report.diagnostics.len().checked_sub(1)).flatten();
            let run = LongRun { result, diagnostic, subject, whole: self.cut.take() };
            self.announce(&run, true, report);
            self.long_runs.borrow_mut().push(run);
        }
    }

    /// Shortens all runs that were noted.
    pub(super) fn shorten_all(&self, report: &mut Report) {
        for mut run in self.long_runs.take() {
            self.shorten(&mut run, report);
        }
    }

    fn shorten(&self, run: &mut LongRun, report: &mut Report) {
        let subject = &run.subject.clone();
        let mut program = Cow::Borrowed(self.program);
        subject.reduce(&mut program, self.settings);
        let probe = self.probe_for(&program, subject);
        let threads = self.control.threads;
        let turns = match subject.cycles().is_some() {
            true => Turns::of_probe_alone(),
            false => Turns::decided_by_main(probing::FIRST, threads),
        };
        let mut lengths = vec![report.results[run.result].counterexamples[0].len()];
        // The last step of a cycle leads no deeper.
        let deepest = lengths[0] - u64::from(subject.cycles().is_some());
        let mut improve = |probed: &Probed<'_>| {
            let Some((example, diagnostic)) = self.shown(subject, &probed.0, &probed.1) else { return };
            // Steps inside atomic sequences do not count for the search, but they do for the reader.
            if lengths.last().is_some_and(|&known| example.len() < known) {
                lengths.push(example.len());
                self.replace(run, example, diagnostic, report);
                self.announce(run, false, report);
            }
        };
        let (settings, compiler, control, whole) = (self.settings, self.compiler, self.control, self.program);
        let turns = &turns;
        let found = thread::scope(|scope| {
            let searching = subject.cycles().is_none().then(|| {
                scope.spawn(move || {
                    let _over = Ended(|| turns.main_is_over());
                    in_breadth(whole, subject, settings, compiler, Some(turns), control)
                })
            });
            {
                let _over = Ended(|| turns.probe_is_over());
                probe.shorter(deepest, turns, control, &mut improve);
            }
            searching
                .and_then(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let otherwise = || control.check().err().map_or(End::Exhausted, End::Stopped);
        let end = match found {
            Some((system, report)) => match report.outcome {
                Outcome::Stopped(stop) => End::Stopped(stop),
                _ => {
                    let found = Found { report, lasso: None, visited: 0 };
                    let shown = self.shown(subject, &system, &found);
                    shown.map_or_else(otherwise, |shown| End::Shortest(Box::new(shown)))
                }
            },
            None => otherwise(),
        };
        let length = end.length();
        if let End::Shortest(shown) = end {
            let (example, diagnostic) = *shown;
            if lengths.last() != Some(&example.len()) {
                lengths.push(example.len());
            }
            self.replace(run, example, diagnostic, report);
        }
        let result = &mut report.results[run.result];
        result.facts.push(told(&lengths, length));
        let example = &mut result.counterexamples[0];
        example.length = length;
        if let Some(whole) = run.whole.take() {
            *example = self.show_whole(&whole, example);
        }
        self.session.run.interim.found(report, &self.session.model.sources);
    }

    /// Puts a shorter run into the place of the one that is known.
    fn replace(
        &self,
        run: &mut LongRun,
        example: Counterexample,
        diagnostic: Option<Diagnostic>,
        report: &mut Report,
    ) {
        if let (Some(at), Some(diagnostic)) = (run.diagnostic, diagnostic) {
            report.diagnostics[at] = diagnostic;
        }
        report.results[run.result].counterexamples = vec![example];
        run.whole = self.cut.take();
        self.session.run.interim.found(report, &self.session.model.sources);
    }

    /// Tells at once how long a run is.
    fn announce(&self, run: &LongRun, is_first: bool, report: &Report) {
        let result = &report.results[run.result];
        let example = &result.counterexamples[0];
        self.control.progress.report(ProgressEvent::Counterexample {
            property: result.name.clone().unwrap_or_else(|| result.text.clone()),
            reason: example.reason.clone(),
            steps: example.len(),
            is_first,
        });
    }
}

/// `from 26,001 steps to 512, 40`, and how: the first length is that of the run that was found first.
fn told(lengths: &[u64], length: TrailLength) -> Fact {
    let how = match (lengths.len() - 1, length) {
        (0, TrailLength::Unknown(Some(why))) => why,
        (0 | 1, TrailLength::Shortest) => "breadth first, so it is shortest",
        (_, TrailLength::Shortest) => {
            "depth first within bounds, then breadth first: the last one is shortest"
        }
        _ => "depth first within bounds",
    };
    let others: Vec<String> = lengths[1..].iter().map(|&length| count(length)).collect();
    let text = match others.is_empty() {
        true => counted(lengths[0], "step"),
        false => format!("from {} to {}", counted(lengths[0], "step"), others.join(", ")),
    };
    Fact::text("length", text).because(how)
}

impl<'p> Probe<'p, '_> {
    /// Looks for runs that are less deep than `best`, until there is nothing left to try, or the turns or a limit end it.
    fn shorter(
        &self,
        best: u64,
        turns: &Turns,
        control: &Control<'_>,
        improve: &mut dyn FnMut(&Probed<'p>),
    ) -> Option<()> {
        let mut bounds = Bounds::new(best);
        let mut system = self.system()?;
        let mut visited = 0;
        'depths: while let Some(depth) = bounds.next() {
            let seed = visited;
            let shuffled = (0..SHUFFLED).map(|number| Order::Shuffled(seed + number));
            let mut is_complete = false;
            for order in shuffled.chain([Order::Descending, Order::Ascending]) {
                let is_shuffled = matches!(order, Order::Shuffled(_));
                let max_visits = Some(if is_shuffled { bounds.budget / SHARE } else { bounds.budget });
                let within = |visited| {
                    let options = self.search_options(turns);
                    probe::Options { order, max_depth: Some(depth), visited, max_visits, ..options }
                };
                let found = loop {
                    let found = probe::search(&system, &within(visited), control);
                    visited = found.visited;
                    match found.report.outcome {
                        Outcome::LayoutOverflow { .. } => system = system.grow().ok()?,
                        _ => break found,
                    }
                };
                match found.report.outcome {
                    Outcome::Failed => {
                        let deep = found.report.faults.iter().map(|fault| fault.depth).min();
                        bounds.found(deep.unwrap_or(depth).min(depth));
                        let probed = (system, found);
                        improve(&probed);
                        system = probed.0;
                        continue 'depths;
                    }
                    Outcome::Complete => {
                        is_complete = true;
                        break;
                    }
                    Outcome::Stopped(Stop::States) => {}
                    _ => return None,
                }
            }
            bounds.missed(depth, !is_complete);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries bounds where the shortest run is so deep, and a probe needs so many states for each step.
    fn shorten(from: u64, shortest: u64, states_per_step: u64) -> (u64, u32) {
        let mut bounds = Bounds::new(from);
        let mut tries = 0;
        while let Some(depth) = bounds.next() {
            assert!(depth > 0 && depth < bounds.best);
            tries += 1;
            assert!(tries < 1000);
            let is_cut = states_per_step * depth > bounds.budget;
            match depth >= shortest && !is_cut {
                true => bounds.found(depth),
                false => bounds.missed(depth, is_cut),
            }
        }
        (bounds.best, tries)
    }

    #[test]
    fn bounds_end_at_the_shortest_run() {
        for from in [2, 3, 10, 1000, 123_456] {
            for shortest in [1, 2, 7, 100, 99_999] {
                for states_per_step in [1, 100, 100_000] {
                    let (best, tries) = shorten(from, shortest, states_per_step);
                    assert_eq!(best, shortest.min(from), "{from} {shortest} {states_per_step}");
                    assert!(tries < 200, "{from} {shortest} {states_per_step}: {tries}");
                }
            }
        }
        assert_eq!(shorten(1, 1, 1), (1, 0));
    }
}

//! Trails of SPIN as runs: a trail is followed step by step, and becomes a saved trail with the same run; and back.
//!
//! A trail names the process and the statement of each step, which determines the step nearly always. Where it does not (one
//! statement that can happen in several ways), the ways are tried in order, and the search goes back where one fits no longer.
//! If SPIN merged statements, its trail leaves out those that always follow the one before: steps of the same process
//! from locations with one transition that is always possible.

use super::replay::mismatch;
use super::{SavedStep, SavedTrail, Simulation};
use rustc_hash::FxHashSet;
use std::path::Path;
use volvelle_diagnostics::Diagnostic;
use volvelle_kernel::Const;
use volvelle_model::LocationId;
use volvelle_promela::{SpinStep, SpinTrail};
use volvelle_session::Model;
use volvelle_session::language::StatementNumbers;
use volvelle_session::limits;
use volvelle_session::trace::Counterexample;

/// Steps that are taken to follow a trail, for each of its lines, before it is given up.
const STEPS_PER_LINE: usize = 1_000;

/// More of them, for short trails.
const LEAST_STEPS: usize = 100_000;

/// What a process executes in a step, and what the one does that takes its message: processes with numbers of statements.
type Executed = Vec<(usize, Option<u32>)>;

/// A step of which there were several.
struct Branch {
    /// Lines that were followed before it.
    lines: usize,
    /// Steps that were taken before it.
    steps: usize,
    /// Those that were not tried yet, with the number of lines that each follows.
    untried: Vec<(usize, usize)>,
}

/// Follows a trail.
struct Follower<'s, 'a> {
    run: &'s mut Simulation<'a>,
    numbers: StatementNumbers<'a>,
    trail: &'s SpinTrail,
    /// Lines that were followed.
    lines: usize,
    /// The number of the step with which the cycle begins, once it is reached.
    cycle_start: Option<usize>,
    /// The steps that were taken.
    saved: Vec<SavedStep>,
    /// Whether the last step was an error.
    failed: bool,
    branches: Vec<Branch>,
    /// Steps since the last line.
    left_out: usize,
    /// Steps that may still be taken.
    patience: usize,
}

/// A place at which a trail does not fit.
struct Misfit {
    lines: usize,
    diagnostic: Diagnostic,
}

/// Whether a file is a trail of SPIN by its name.
pub fn is_named_for_spin(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("trail"))
}

/// Whether a file is a trail of SPIN, by its name or its text, rather than one of ours.
pub fn is_spin_trail(name: &str, text: &str) -> bool {
    let is_ours = text.trim_start().starts_with('{');
    !is_ours && (is_named_for_spin(Path::new(name)) || SpinTrail::is_one(text))
}

/// The run behind a trail of SPIN, as a saved trail.
pub fn read_spin_trail(model: &Model, name: &str, text: &str) -> Result<SavedTrail, Diagnostic> {
    let trail = SpinTrail::read(text).map_err(|bad| {
        mismatch(format!("`{name}` is not a trail: line {}: {}", bad.line, bad.why))
            .help("a line of a SPIN trail is `depth:process:statement`")
    })?;
    let unfit = || mismatch("the model has errors, so no trail can be replayed");
    let runnable = crate::runs::runnable_again(model);
    let numbers = runnable.document.as_ref().and_then(|document| document.processes());
    let numbers = numbers.and_then(|document| document.statement_numbers()).ok_or_else(unfit)?;
    let trail = without_jumps(trail, numbers);
    let mut run = crate::runs::simulate(model, &runnable, None).ok_or_else(unfit)??;
    let patience = LEAST_STEPS + STEPS_PER_LINE * trail.steps.len();
    let mut follower = Follower {
        run: &mut run,
        numbers,
        trail: &trail,
        lines: 0,
        cycle_start: None,
        saved: Vec::new(),
        failed: false,
        branches: Vec::new(),
        left_out: 0,
        patience,
    };
    follower.follow(name)?;
    let Follower { saved, cycle_start, .. } = follower;
    Ok(SavedTrail::of_run(model, saved, cycle_start))
}

/// A counterexample as a trail of SPIN; `None` if its run could not be followed.
pub fn save_as_spin_trail(model: &Model, example: &Counterexample) -> Option<SpinTrail> {
    (example.choices.len() == example.steps.len()).then_some(())?;
    spin_trail(model, example.choices.iter().copied(), example.cycle_start)
}

/// The run of these choices as a trail of SPIN; without a choice, nothing happens. `None` if there is no such run, or if a step has no
/// statement with a number.
pub fn spin_trail(
    model: &Model,
    choices: impl Iterator<Item = Option<usize>>,
    cycle_start: Option<usize>,
) -> Option<SpinTrail> {
    let runnable = crate::runs::runnable_again(model);
    let numbers = runnable.document.as_ref()?.processes()?.statement_numbers()?;
    let mut run = crate::runs::simulate(model, &runnable, None)?.ok()?;
    let mut trail = SpinTrail::default();
    let mut taken = 0;
    for choice in choices {
        if cycle_start == Some(taken) {
            trail.cycle_start = Some(trail.steps.len());
        }
        taken += 1;
        let Some(choice) = choice else { continue };
        for (process, statement) in executed(&run, numbers, choice) {
            let line = trail.steps.len() + 1;
            trail.steps.push(SpinStep { line, process, statement: statement? });
        }
        run.take(choice)?.ok()?;
    }
    if cycle_start == Some(taken) {
        trail.cycle_start = Some(trail.steps.len());
    }
    Some(trail)
}

/// A trail without the lines that are no steps here, such as those that only lead out of a loop.
fn without_jumps(trail: SpinTrail, numbers: StatementNumbers<'_>) -> SpinTrail {
    let steps: FxHashSet<u32> = numbers.of_steps.values().copied().collect();
    let is_step = |step: &SpinStep| step.statement >= numbers.count || steps.contains(&step.statement);
    let cycle_start =
        trail.cycle_start.map(|start| trail.steps[..start].iter().filter(|s| is_step(s)).count());
    SpinTrail { steps: trail.steps.into_iter().filter(is_step).collect(), cycle_start, ..trail }
}

/// What a choice executes.
fn executed(run: &Simulation<'_>, numbers: StatementNumbers<'_>, choice: usize) -> Executed {
    let movers = run.movers(choice).into_iter();
    movers.map(|(process, origin)| (process, numbers.of_steps.get(&origin).copied())).collect()
}

impl Follower<'_, '_> {
    /// Follows the trail to its end.
    fn follow(&mut self, name: &str) -> Result<(), Diagnostic> {
        let mut furthest: Option<Misfit> = None;
        while !self.is_over() {
            let found = self.candidates();
            let step = match found.as_slice() {
                // A process that passes all locations without the line is in a loop.
                [] if self.left_out > self.run.program.network.locations.len() => None,
                [] => self.step_left_out(),
                &[first, ..] => {
                    if found.len() > 1 {
                        let (lines, steps) = (self.lines, self.saved.len());
                        let untried = found[1..].iter().rev().copied().collect();
                        self.branches.push(Branch { lines, steps, untried });
                    }
                    Some(first)
                }
            };
            if let Some((choice, lines)) = step {
                self.take(choice, lines)?;
                continue;
            }
            if furthest.as_ref().is_none_or(|misfit| misfit.lines < self.lines) {
                furthest = Some(Misfit { lines: self.lines, diagnostic: self.misfit(name) });
            }
            if !self.go_back()? {
                return Err(furthest.map_or_else(|| self.misfit(name), |misfit| misfit.diagnostic));
            }
        }
        self.finish()
    }

    /// Whether nothing is left to do: the trail is at its end, or an error ends the run.
    fn is_over(&self) -> bool {
        self.lines >= self.trail.steps.len() || self.failed || !self.run.faults().is_empty()
    }

    /// The steps that fit the next line, each with the number of lines that it follows.
    fn candidates(&self) -> Vec<(usize, usize)> {
        let steps = &self.trail.steps[self.lines..];
        let wanted = |index: usize| steps.get(index).map(|step| (step.process, Some(step.statement)));
        let mut exact = Vec::new();
        let mut alike = Vec::new();
        let process = steps.first().map(|step| step.process);
        for choice in (0..self.run.choices()).filter(|&choice| Some(self.run.mover(choice)) == process) {
            let executed = executed(self.run, self.numbers, choice);
            if executed.first().copied() != wanted(0) {
                continue;
            }
            match executed.get(1).copied() {
                None => exact.push((choice, 1)),
                Some(receive) if wanted(1).is_none_or(|wanted| wanted == receive) => exact.push((choice, 2)),
                // Of receivers that differ in nothing but their numbers, any may be the one.
                Some(_) => alike.push((choice, 2)),
            }
        }
        if exact.is_empty() { alike } else { exact }
    }

    /// A step that the trail leaves out: of the process that is next, or of the only one that can move.
    fn step_left_out(&self) -> Option<(usize, usize)> {
        let next = self.trail.steps.get(self.lines)?.process;
        let movers: FxHashSet<usize> = (0..self.run.choices()).map(|choice| self.run.mover(choice)).collect();
        let process = if movers.contains(&next) {
            next
        } else if movers.len() == 1 {
            movers.into_iter().next()?
        } else {
            return None;
        };
        self.merged_step(process).map(|choice| (choice, 0))
    }

    /// The step of a process that has no other one where it is, and that is always possible.
    fn merged_step(&self, process: usize) -> Option<usize> {
        let location = *self.run.locations_now().get(process)?;
        let mut transitions = self.run.program.network.locations[location.index()].alternatives();
        let (only, None) = (transitions.next()?, transitions.next()) else { return None };
        let is_possible = self.run.program.exprs.as_const(only.guard) == Some(Const::bool(true));
        if !is_possible || only.offer.is_some() || only.target() == LocationId::NOWHERE {
            return None;
        }
        (0..self.run.choices()).find(|&choice| self.run.mover(choice) == process)
    }

    /// Takes a step, then those that were merged with it.
    fn take(&mut self, choice: usize, lines: usize) -> Result<(), Diagnostic> {
        if lines > 0 && self.cycle_start.is_none() && self.trail.cycle_start == Some(self.lines) {
            self.cycle_start = Some(self.saved.len());
        }
        let movers = self.run.movers(choice);
        self.step(choice)?;
        self.lines += lines;
        self.left_out = if lines == 0 { self.left_out + 1 } else { 0 };
        if !self.trail.is_merged || lines == 0 {
            return Ok(());
        }
        for (process, _) in movers {
            let mut passed = FxHashSet::default();
            while let Some(next) = self.next_statement(process)
                && !self.failed
                && !self.can_come_to(process, next)
                && let Some(choice) = self.merged_step(process)
                && passed.insert(self.run.locations_now().get(process).copied())
            {
                self.step(choice)?;
            }
        }
        Ok(())
    }

    /// Takes a step.
    fn step(&mut self, choice: usize) -> Result<(), Diagnostic> {
        self.patience = self.patience.checked_sub(1).ok_or_else(|| {
            mismatch("the trail fits in too many ways: the search for one that fits to the end was abandoned")
        })?;
        let Some(taken) = self.run.take(choice) else { return Ok(()) };
        let taken = taken?;
        self.saved.push(SavedStep::of(&taken.step, Some(choice)));
        self.failed = !taken.faults.is_empty();
        Ok(())
    }

    /// The number of the next statement of a process in the trail.
    fn next_statement(&self, process: usize) -> Option<u32> {
        let rest = &self.trail.steps[self.lines.min(self.trail.steps.len())..];
        rest.iter().find(|step| step.process == process).map(|step| step.statement)
    }

    /// Whether a statement is one of those that can be next where a process is.
    fn can_come_to(&self, process: usize, statement: u32) -> bool {
        let location = self.run.locations_now().get(process).copied();
        let mut transitions = location
            .into_iter()
            .flat_map(|location| self.run.program.network.locations[location.index()].alternatives());
        transitions.any(|transition| self.numbers.of_steps.get(&transition.origin) == Some(&statement))
    }

    /// Returns to the last step of which another one was not tried; whether there is one.
    fn go_back(&mut self) -> Result<bool, Diagnostic> {
        while let Some(mut branch) = self.branches.pop() {
            let Some((choice, lines)) = branch.untried.pop() else { continue };
            self.patience = self.patience.saturating_sub(branch.steps);
            self.run.retake(branch.steps)?;
            self.saved.truncate(branch.steps);
            self.cycle_start = self.cycle_start.filter(|&start| start < branch.steps);
            self.lines = branch.lines;
            self.failed = false;
            self.branches.push(branch);
            self.take(choice, lines)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The steps that were merged with the last lines: until an error, or until nothing moves.
    fn finish(&mut self) -> Result<(), Diagnostic> {
        if self.trail.cycle_start.is_some_and(|start| start >= self.trail.steps.len()) {
            self.cycle_start = Some(self.saved.len());
            if self.run.choices() == 0 {
                self.saved.push(SavedStep::nothing());
            }
            return Ok(());
        }
        let mut processes: Vec<usize> = Vec::new();
        let last = self.trail.steps.iter().rev().map(|step| step.process);
        for process in last {
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        if !self.trail.is_merged {
            return Ok(());
        }
        for process in processes {
            let mut seen = FxHashSet::default();
            while !self.failed
                && self.run.faults().is_empty()
                && let Some(choice) = self.merged_step(process)
                && let Some(number) = executed(self.run, self.numbers, choice)[0].1
                && seen.insert(number)
                && !self.trail.steps.iter().any(|step| step.process == process && step.statement == number)
            {
                self.step(choice)?;
            }
        }
        Ok(())
    }

    /// Why the next line does not fit.
    fn misfit(&self, name: &str) -> Diagnostic {
        let step = self.trail.steps[self.lines.min(self.trail.steps.len() - 1)];
        let SpinStep { line, process, statement } = step;
        let standings = self.run.standings();
        let message = format!("line {line} of `{name}` does not match the model");
        let diagnostic = match standings.get(process) {
            None => {
                let there = match standings.len() {
                    1 => "there is 1 process".to_owned(),
                    n => format!("there are {} processes", limits::count(n as u64)),
                };
                mismatch(message).note(format!("it is a step of process {process}, but {there}"))
            }
            Some(standing) => {
                let at = match &standing.at {
                    Some(at) => format!("is at line {}: {}", at.line, at.text),
                    None => "is at its end".to_owned(),
                };
                let what = if statement < self.numbers.count {
                    format!("process {process} cannot execute statement {statement} there")
                } else {
                    format!("no statement of the model has the number {statement}")
                };
                mismatch(message).note(what).note(format!("{}({process}) {at}", standing.name))
            }
        };
        diagnostic
            .help("the trail must come from this version of the model with the same macros (-D): let SPIN write it again")
    }
}

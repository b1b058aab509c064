//! Searching for what is wanted, one property after the other.

use super::claims::{self, Automaton};
use super::failures;
use super::method;
use super::probing::{self, Probe, Probed};
use super::shortest::{self, LongRun, WholeTrail};
use super::subject::{Subject, is_marked};
use super::symmetric;
use super::verdict::{
    METHOD_BEGINNINGS, METHOD_CYCLES, METHOD_PROBE, facts, held, no_automaton, result, stopped, verdict,
};
use crate::runs::show;
use crate::settings::{PATIENCE, SearchMethod, SearchSettings};
use crate::visited::searched;
use crate::wanted::{ACCEPTANCE, PROGRESS, SAFETY, Wanted};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;
use volvelle_control::{Control, Fact, Limits, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::{Processes, ProcessesError};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Site};
use volvelle_logic::{Answer, Guarantee, Value, gate};
use volvelle_model::claim::Claim;
use volvelle_model::symmetry::Symmetry;
use volvelle_model::{NetworkLayout, Program};
use volvelle_search::liveness;
use volvelle_search::{Fault, Outcome, Trail, Turns, prefix, probe};
use volvelle_session::Session;
use volvelle_session::engine;
use volvelle_session::language::{Claimed, ProcessDocument};
use volvelle_session::limits;
use volvelle_session::remarks;
use volvelle_session::report::{ModelReport, PropertyReport, Report};
use volvelle_session::trace::{Counterexample, TrailLength};
use volvelle_session::ways;

/// Everything that a search needs.
pub(super) struct Searching<'a> {
    pub session: &'a Session,
    pub program: &'a Program,
    document: &'a dyn ProcessDocument,
    pub settings: &'a SearchSettings,
    pub control: &'a Control<'a>,
    pub compiler: &'a dyn Compiler,
    /// Weak fairness.
    fair: bool,
    /// Values that were cut when they were stored: by site, the least.
    notes: RefCell<BTreeMap<u32, i64>>,
    /// Runs that are to be shortened.
    pub long_runs: RefCell<Vec<LongRun>>,
    /// The run that was shown last, where only a part of it was listed although all of it is wanted in the end.
    pub cut: RefCell<Option<WholeTrail>>,
}

/// Checks everything wanted; the report gets results, diagnostics, and the numbers of the first search.
pub(super) fn run(
    session: &Session,
    program: &Program,
    document: &dyn ProcessDocument,
    wanted: &Wanted,
    settings: &SearchSettings,
    control: &Control<'_>,
    report: &mut Report,
) {
    // Symmetric processes are told apart by the model as it is.
    let is_whole = settings.no_reduction || settings.symmetry;
    let unread = if is_whole { None } else { document.without_unread() };
    let program = unread.as_ref().unwrap_or(program);
    let native = engine::native(settings.tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let (fair, notes) = (wanted.weak_fairness, RefCell::default());
    let (long_runs, cut) = (RefCell::default(), RefCell::default());
    let searching =
        Searching { session, program, document, settings, control, compiler, fair, notes, long_runs, cut };
    searching.all(wanted, report);
    searching.shorten_all(report);
    report.diagnostics.extend(document.truncations(&searching.notes.borrow()));
}

/// A property other than assertions and end states.
#[derive(Clone, Copy)]
enum Task {
    /// A claim, by its number.
    Claim(usize),
    Acceptance,
    Progress,
}

/// States that the search for each task has before all others. What is decided among so few is told first.
const QUICK_STATES: u64 = 1 << 15;

/// A task that was finished, to be added to the report in its place.
struct Early {
    report: Report,
    long_runs: Vec<LongRun>,
}

impl Early {
    /// Adds results, diagnostics and runs to be shortened to a report.
    fn add_to(self, report: &mut Report, long_runs: &mut Vec<LongRun>) {
        let (results, diagnostics) = (report.results.len(), report.diagnostics.len());
        long_runs.extend(self.long_runs.into_iter().map(|run| LongRun {
            result: run.result + results,
            diagnostic: run.diagnostic.map(|diagnostic| diagnostic + diagnostics),
            ..run
        }));
        report.results.extend(self.report.results);
        report.diagnostics.extend(self.report.diagnostics);
        report.model = report.model.take().or(self.report.model);
    }
}

impl Searching<'_> {
    fn all(&self, wanted: &Wanted, report: &mut Report) {
        let settings = self.settings;
        let only_cycles = wanted.acceptance || wanted.progress;
        let is_safety = wanted.safety || wanted.claims.is_empty() && !only_cycles;
        let is_refused = !settings.method.is_exhaustive() || settings.symmetry && only_cycles;
        let tasks = if wanted.safety || is_refused { Vec::new() } else { self.tasks(wanted) };
        let mut early: Vec<Option<Early>> = tasks.iter().map(|_| None).collect();
        if usize::from(is_safety) + tasks.len() > 1 {
            self.note(report, []);
            for (i, task) in tasks.iter().enumerate() {
                early[i] = self.quickly(*task);
                if let Some(early) = &early[i] {
                    self.session.run.interim.found_more(&early.report);
                }
            }
        }
        if is_safety {
            self.safety(report);
            self.note(report, early.iter().flatten());
        }
        if !wanted.safety && is_refused {
            return self.refuse_cycles(wanted, report);
        }
        for (i, task) in tasks.into_iter().enumerate() {
            match early[i].take() {
                // It is noted.
                Some(early) => early.add_to(report, &mut self.long_runs.borrow_mut()),
                None => {
                    self.task(task, report);
                    self.note(report, early[i + 1..].iter().flatten());
                }
            }
        }
    }

    /// What is wanted besides assertions and end states.
    fn tasks(&self, wanted: &Wanted) -> Vec<Task> {
        let only_cycles = wanted.acceptance || wanted.progress;
        let claims = self.document.claims(&self.session.model.sources);
        let is_wanted = |claim: &Claimed<'_>| {
            wanted.claims.is_empty() && !only_cycles || wanted.claims.iter().any(|c| c == claim.name)
        };
        let numbered = claims.iter().enumerate().filter(|(_, claim)| is_wanted(claim));
        let mut tasks: Vec<Task> = numbered.map(|(number, _)| Task::Claim(number)).collect();
        let is_implied = is_marked(self.program)
            && !self.settings.symmetry
            && claims.is_empty()
            && wanted.claims.is_empty()
            && !only_cycles;
        if wanted.acceptance || is_implied {
            tasks.push(Task::Acceptance);
        }
        if wanted.progress {
            tasks.push(Task::Progress);
        }
        tasks
    }

    fn task(&self, task: Task, report: &mut Report) {
        match task {
            Task::Claim(number) => {
                let claims = self.document.claims(&self.session.model.sources);
                self.claim(number, &claims[number], report);
            }
            Task::Acceptance => {
                let text = "no run passes an accept-state label infinitely often";
                self.cycles(ACCEPTANCE, text, &Subject::Acceptance, None, report);
            }
            Task::Progress => {
                let text = "every infinite run makes progress";
                self.cycles(PROGRESS, text, &Subject::NonProgress, None, report);
            }
        }
    }

    /// A task with few states, before the others take long. What is found there is what a search without this limit finds; `None`
    /// if the limit was reached.
    fn quickly(&self, task: Task) -> Option<Early> {
        if self.control.limits.states.is_some_and(|most| most <= QUICK_STATES) {
            return None;
        }
        let limits = Limits { states: Some(QUICK_STATES), ..self.control.limits };
        let control = Control { limits, ..*self.control };
        let Searching { session, program, document, settings, compiler, fair, .. } = *self;
        let (notes, long_runs, cut) = (RefCell::default(), RefCell::default(), RefCell::default());
        let control = &control;
        let quick = Searching {
            session,
            program,
            document,
            settings,
            control,
            compiler,
            fair,
            notes,
            long_runs,
            cut,
        };
        let mut found = Report::default();
        quick.task(task, &mut found);
        if found.stop.is_some() {
            return None;
        }
        let mut notes = self.notes.borrow_mut();
        for (site, value) in quick.notes.take() {
            notes.entry(site).and_modify(|known| *known = value.min(*known)).or_insert(value);
        }
        let early = Early { report: found, long_runs: quick.long_runs.take() };
        for result in &early.report.results {
            let Ok(Answer { value: Value::Bool(holds), .. }) = result.outcome else { continue };
            self.control.progress.report(ProgressEvent::Answer {
                property: result.name.clone().unwrap_or_else(|| result.text.clone()),
                holds,
                steps: result.counterexamples.first().map(Counterexample::len),
            });
        }
        Some(early)
    }

    /// Notes what is known so far, where the run may be ended at any time.
    fn note<'e>(&self, report: &Report, early: impl IntoIterator<Item = &'e Early>) {
        let mut known = report.clone();
        for early in early {
            known.results.extend(early.report.results.iter().cloned());
            known.diagnostics.extend(early.report.diagnostics.iter().cloned());
        }
        self.session.run.interim.found(&known, &self.session.model.sources);
    }

    /// Assertions and end states.
    fn safety(&self, report: &mut Report) {
        let start = Instant::now();
        let subject = Subject::Errors;
        let mut program = Cow::Borrowed(self.program);
        let symmetry = match self.symmetry(&[], &mut program) {
            Ok(symmetry) => symmetry,
            Err(diagnostic) => return report.diagnostics.push(diagnostic),
        };
        subject.reduce(&mut program, self.settings);
        let whole = self.probed_program(&program, &subject);
        let probe = self.probe(&whole, &subject);
        let (searched, probed) = self.in_turns(probe, false, |turns| {
            self.system(&program, &subject, symmetry).and_then(|system| {
                let search =
                    |system: &Processes<'_>| method::search(system, self.settings, turns, self.control);
                system.searched(search, |f| f.0.outcome)
            })
        });
        let text = "assertions and end states";
        if let Some((system, probe::Found { report: found, .. })) = probed {
            let result = self.probed(SAFETY, text, &system, &found, start, report);
            let faults = found.faults.iter().map(|fault| self.fault(&system, fault, Self::PROBED));
            let (diagnostics, counterexamples): (Vec<_>, Vec<_>) = faults.unzip();
            report.diagnostics.extend(diagnostics);
            let counterexamples = counterexamples.into_iter().flatten().collect();
            report.results.push(PropertyReport { counterexamples, ..result });
            return self.note_long(subject, report);
        }
        let (system, (found, guarantee)) = match searched {
            Ok(searched) => searched,
            Err(error) => return report.diagnostics.push(self.not_made(&error)),
        };
        failures::gather(&mut self.notes.borrow_mut(), &system);
        let is_partial = matches!(guarantee, Guarantee::Partial { .. });
        let space = self.space(&system, &found);
        report.model = Some(ModelReport { complete: space.complete && !is_partial, ..space });
        let method = self.settings.method.name();
        let outcome = match found.outcome {
            _ if !found.faults.is_empty() => Ok(verdict(false, method)),
            Outcome::Complete | Outcome::Failed => Ok(held(guarantee, method)),
            other => {
                let mut undecided = [self.undecided(other, found.states, &system, report)];
                ways::add(&mut undecided, self.ways_out(report.stop));
                Err(undecided.to_vec())
            }
        };
        let reduced = !self.settings.no_reduction;
        let again = shortest::is_wanted(self.settings, reduced, &found).then(|| {
            shortest::search_again(found.states, self.control, |c| self.in_breadth(&subject, c), |f| &f.1)
        });
        let faults: Vec<_> = match again.flatten() {
            Some((system, found)) => {
                found.faults.iter().map(|fault| self.fault(&system, fault, TrailLength::Shortest)).collect()
            }
            None => {
                let length = shortest::known(self.settings, reduced);
                found.faults.iter().map(|fault| self.fault(&system, fault, length)).collect()
            }
        };
        report.diagnostics.extend(faults.iter().map(|(d, _)| d.clone()));
        let counterexamples = faults.into_iter().filter_map(|(_, c)| c).collect();
        report.results.push(result(SAFETY, text, outcome, counterexamples, start, facts(&found)));
        self.note_long(subject, report);
    }

    /// A probe beside a search for the first error, unless the user chose the way to search.
    fn probe<'p, 'g>(&'p self, program: &'p Program, subject: &'g Subject) -> Option<Probe<'p, 'g>> {
        let SearchSettings { method, all_errors, max_depth, .. } = *self.settings;
        // Every beginning of a run is one of a fair run; cycles are not, and probes know no fairness.
        let is_fair = self.fair && subject.cycles().is_some();
        let is_wanted = method == SearchMethod::Automatic && !all_errors && !is_fair;
        // States of the largest depth are not expanded by the search beside it.
        let max_depth = match max_depth {
            Some(most) => Some(most.checked_sub(1)?),
            None => None,
        };
        is_wanted.then(|| Probe { max_depth, ..self.probe_for(program, subject) })
    }

    /// The program for a probe beside the search of `program`: a probe makes no use of symmetry, and needs the model as it is.
    fn probed_program<'p>(&self, program: &'p Program, subject: &Subject) -> Cow<'p, Program>
    where
        Self: 'p,
    {
        if !self.settings.symmetry {
            return Cow::Borrowed(program);
        }
        let mut whole = Cow::Owned(self.program.clone());
        subject.reduce(&mut whole, self.settings);
        whole
    }

    /// A probe, whether it is wanted beside other searches or not.
    pub fn probe_for<'p, 'g>(&'p self, program: &'p Program, subject: &'g Subject) -> Probe<'p, 'g> {
        Probe {
            program,
            options: subject.options(program),
            compiler: self.compiler,
            goal: subject.goal(),
            reduce: subject.allows_reduction(self.settings),
            max_depth: None,
            whole_trails: self.settings.whole_trails,
        }
    }

    /// Searches, in turns with a probe if there is one. `decides` tells whether an error of the probe is the answer whatever the
    /// search finds.
    fn in_turns<'p, T>(
        &self,
        probe: Option<Probe<'p, '_>>,
        decides: bool,
        main: impl FnOnce(Option<&Turns>) -> T,
    ) -> (T, Option<Probed<'p>>) {
        let Some(probe) = probe else { return (main(None), None) };
        let threads = self.control.threads;
        let turns = match decides {
            true => Turns::decided_by_probe(probing::FIRST, threads),
            false => Turns::new(probing::FIRST, threads),
        };
        probing::search(&probe, &turns, self.control, |turns| main(Some(turns)))
    }

    /// The answer where a probe found an error.
    fn probed(
        &self,
        name: &str,
        text: &str,
        system: &Processes<'_>,
        found: &volvelle_search::Report,
        start: Instant,
        report: &mut Report,
    ) -> PropertyReport {
        failures::gather(&mut self.notes.borrow_mut(), system);
        if report.model.is_none() {
            report.model = Some(self.space(system, found));
        }
        let mut facts = facts(found);
        let why = "an error deep down was found before the breadth-first search beside it found one";
        facts.push(Fact::text("order", "depth first, from the last process to the first").because(why));
        let outcome = self.read(verdict(false, METHOD_PROBE), system);
        result(name, text, outcome, Vec::new(), start, facts)
    }

    /// The trails of a probe are as deep as its stack was.
    const PROBED: TrailLength = TrailLength::Unknown(Some(shortest::SHORTEN));

    /// A shortest run, breadth first and without reduction. `None` if there is no such system.
    fn in_breadth(
        &self,
        subject: &Subject,
        control: &Control<'_>,
    ) -> Option<(Processes<'_>, volvelle_search::Report)> {
        shortest::in_breadth(self.program, subject, self.settings, self.compiler, None, control)
    }

    /// The interchangeable processes, if they are asked for; then the program does without their ends.
    fn symmetry(
        &self,
        labels: &[usize],
        program: &mut Cow<'_, Program>,
    ) -> Result<Option<Symmetry>, Diagnostic> {
        if !self.settings.symmetry {
            return Ok(None);
        }
        let symmetry = symmetric::find(self.program, self.document, labels)?;
        Symmetry::without_ends(program.to_mut());
        Ok(Some(symmetry))
    }

    /// The system to search, reduced where that is allowed.
    fn system<'p>(
        &'p self,
        program: &'p Program,
        subject: &Subject,
        symmetry: Option<Symmetry>,
    ) -> Result<Processes<'p>, ProcessesError> {
        let system = Processes::new(program, subject.options(program), self.compiler, PATIENCE)?;
        let system = match symmetry {
            Some(symmetry) => system.symmetric(symmetry),
            None => system,
        };
        Ok(match subject.allows_reduction(self.settings) && !(self.fair && subject.cycles().is_some()) {
            true => system.reduced(subject.observed(program)),
            false => system,
        })
    }

    /// A claim: no run may be accepted by the automaton of its violations.
    fn claim(&self, number: usize, claim: &Claimed<'_>, report: &mut Report) {
        let (name, text) = (claim.name, claim.text.as_str());
        match claims::automaton(claim.claim, is_marked(self.program)) {
            Ok(automaton) if self.is_decided_early(&automaton) => {
                self.beginnings(claim, automaton, report);
            }
            Ok(_) if self.settings.symmetry => {
                let message = format!("`--symmetry` cannot find cycles: the claim `{name}` is not checked");
                let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
                    .note("it checks assertions, end states, and claims that a finite run can violate")
                    .help("leave it out for this claim");
                let diagnostic = self.document.at_claim(diagnostic, number);
                report.results.push(self.unanswered(name, text, diagnostic));
            }
            Ok(automaton) => {
                self.cycles(name, text, &Subject::Claim(automaton), Some(claim.claim), report);
            }
            Err(why) => {
                let diagnostic = self.document.at_claim(no_automaton(&why, name), number);
                report.results.push(self.unanswered(name, text, diagnostic));
            }
        }
    }

    /// Whether beginnings of runs decide about a claim. Weak fairness makes no difference to them: every beginning is
    /// one of a fair run. That processes stay at their end, as with symmetry, makes a difference to those that count steps.
    fn is_decided_early(&self, automaton: &Automaton) -> bool {
        let counts = self.settings.symmetry && !automaton.ignores_stuttering;
        !is_marked(self.program) && automaton.claim.is_terminal() && !counts
    }

    /// Searches for a shortest beginning of a run that decides about a claim.
    fn beginnings(&self, claim: &Claimed<'_>, automaton: Automaton, report: &mut Report) {
        let (name, text) = (claim.name, claim.text.as_str());
        let start = Instant::now();
        let max_depth = self.settings.max_depth;
        let mut program = Cow::Borrowed(self.program);
        let symmetry = match self.symmetry(&automaton.labels, &mut program) {
            Ok(symmetry) => symmetry,
            Err(diagnostic) => return report.results.push(self.unanswered(name, text, diagnostic)),
        };
        let subject = Subject::Beginnings(automaton.clone());
        let whole = self.probed_program(&program, &subject);
        let probe = self.probe(&whole, &subject);
        let (searched, probed) = self.in_turns(probe, false, |turns| {
            let search = |system: &Processes<'_>| {
                let reduce = system.is_reduced();
                let options = prefix::Options {
                    claim: &automaton.claim,
                    reduce,
                    max_depth,
                    listing: self.settings.listing(),
                };
                prefix::search_in_turns(system, &options, turns, self.control)
            };
            let searched = self.system(&program, &subject, symmetry);
            searched.and_then(|system| system.searched(search, |found| found.outcome))
        });
        if let Some((system, found)) = probed {
            let result = self.probed(name, text, &system, &found.report, start, report);
            let shown = self.shown(&subject, &system, &found).map(|(example, _)| example);
            let shown = shown.map(|example| Counterexample { length: Self::PROBED, ..example });
            let counterexamples = shown.into_iter().collect();
            report.results.push(PropertyReport { counterexamples, ..result });
            return self.note_long(subject, report);
        }
        let (system, found) = match searched {
            Ok(searched) => searched,
            Err(error) => return report.diagnostics.push(self.not_made(&error)),
        };
        failures::gather(&mut self.notes.borrow_mut(), &system);
        let (found, guarantee) = method::bounded(found, max_depth);
        if report.model.is_none() {
            let space = self.space(&system, &found);
            report.model =
                Some(ModelReport { complete: space.complete && guarantee == gate::exact(), ..space });
        }
        // This search is breadth first, whatever is chosen for assertions.
        let settings = SearchSettings { method: SearchMethod::BreadthFirst, ..*self.settings };
        let reduce = subject.allows_reduction(&settings);
        let again = shortest::is_wanted(&settings, reduce, &found).then(|| {
            shortest::search_again(found.states, self.control, |c| self.in_breadth(&subject, c), |f| &f.1)
        });
        let reason = subject.reason();
        let shown = |system: &Processes<'_>, found: &volvelle_search::Report, length: TrailLength| {
            let trails = found.faults.iter().filter_map(|fault| fault.trail.as_ref());
            let show =
                |trail: Trail| Counterexample { length, ..self.show(system.layout(), &trail, reason, None) };
            trails.filter_map(|trail| system.run_behind(trail)).map(show).collect::<Vec<Counterexample>>()
        };
        let counterexamples = match again.flatten() {
            Some((system, found)) => shown(&system, &found, TrailLength::Shortest),
            None => shown(&system, &found, shortest::known(&settings, reduce)),
        };
        let outcome = match found.outcome {
            Outcome::Complete => self.read(held(guarantee, METHOD_BEGINNINGS), &system),
            Outcome::Failed => self.read(verdict(false, METHOD_BEGINNINGS), &system),
            other => Err(vec![self.undecided(other, found.states, &system, report)]),
        };
        let remarks = self.remarks(claim.claim, &automaton, &found);
        let result = result(name, text, outcome, counterexamples, start, facts(&found));
        report.results.push(PropertyReport { remarks, ..result });
        self.note_long(subject, report);
    }

    /// The answer about a claim; none where an expression of it has no value in some state, behind which no search can look.
    fn read(&self, answer: Answer, system: &Processes<'_>) -> Result<Answer, Vec<Diagnostic>> {
        match system.undefined() {
            None => Ok(answer),
            Some(site) => Err(vec![self.failure(site.0).note("in a state that the claim reads")]),
        }
    }

    /// Remarks on a claim that no run violates.
    fn remarks(&self, claim: &Claim, automaton: &Automaton, found: &volvelle_search::Report) -> Vec<String> {
        if found.outcome != Outcome::Complete {
            return Vec::new();
        }
        let Searching { program, session, .. } = *self;
        match session.model.document.as_deref() {
            Some(document) => remarks::of_claim(
                claim,
                &automaton.labels,
                found.held,
                program,
                document,
                &session.model.sources,
            ),
            None => Vec::new(),
        }
    }

    /// Runs without end are searched exhaustively only, and not where states stand for others.
    fn refuse_cycles(&self, wanted: &Wanted, report: &mut Report) {
        let (flag, why) = match self.settings.symmetry {
            true => ("--symmetry".to_owned(), "cannot find cycles"),
            false => (format!("--search {}", self.settings.method.flag()), "cannot find cycles"),
        };
        let message = format!("`{flag}` {why}: claims are not checked");
        let help = "leave it out, or use `--safety`";
        if !wanted.claims.is_empty() || wanted.acceptance || wanted.progress {
            report.diagnostics.push(Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).help(help));
        } else if !self.document.claims(&self.session.model.sources).is_empty() {
            report.diagnostics.push(Diagnostic::warning(codes::UNSUPPORTED_CONSTRUCT, message).help(help));
        }
    }

    /// Searches for a cycle.
    fn cycles(&self, name: &str, text: &str, subject: &Subject, claim: Option<&Claim>, report: &mut Report) {
        let start = Instant::now();
        let Some(goal) = subject.cycles() else { return };
        let search = |turns: Option<&Turns>, system: &Processes<'_>| {
            let reduce = system.is_reduced();
            let search = liveness::Options {
                goal,
                weak_fairness: self.fair,
                reduce,
                max_depth: self.settings.max_depth,
                any_lasso: false,
                listing: self.settings.listing(),
            };
            liveness::search_in_turns(system, &search, turns, self.control)
        };
        let probe = self.probe(self.program, subject);
        let (searched, probed) = self.in_turns(probe, true, |turns| {
            let searched = self.system(self.program, subject, None);
            let search = |system: &Processes<'_>| search(turns, system);
            searched.and_then(|system| system.searched(search, |found| found.report.outcome))
        });
        let searched = match probed {
            Some((system, probe::Found { report, lasso, .. })) => {
                Ok((system, liveness::Verdict { report, lasso }))
            }
            None => searched,
        };
        let (system, found) = match searched {
            Ok(searched) => searched,
            Err(error) => return report.diagnostics.push(self.not_made(&error)),
        };
        let lasso = found.lasso;
        let (found, guarantee) = method::bounded(found.report, self.settings.max_depth);
        failures::gather(&mut self.notes.borrow_mut(), &system);
        if report.model.is_none() {
            let space = self.space(&system, &found);
            report.model =
                Some(ModelReport { complete: space.complete && guarantee == gate::exact(), ..space });
        }
        let found = probe::Found { report: found, lasso, visited: 0 };
        let shown = self.shown(subject, &system, &found).map(|(example, _)| example);
        let found = found.report;
        let length = |example: &Counterexample| {
            let is_long = example.len() > shortest::LONG && !self.fair;
            TrailLength::Unknown(is_long.then_some(shortest::SHORTEN))
        };
        let counterexamples: Vec<Counterexample> =
            shown.into_iter().map(|shown| Counterexample { length: length(&shown), ..shown }).collect();
        let outcome = match found.outcome {
            Outcome::Complete => self.read(held(guarantee, METHOD_CYCLES), &system),
            Outcome::Failed => self.read(verdict(false, METHOD_CYCLES), &system),
            other => Err(vec![self.undecided(other, found.states, &system, report)]),
        };
        let both = claim.zip(subject.automaton());
        let remarks = both.map_or_else(Vec::new, |(claim, automaton)| self.remarks(claim, automaton, &found));
        let result = result(name, text, outcome, counterexamples, start, facts(&found));
        report.results.push(PropertyReport { remarks, ..result });
        // Probes know no fairness.
        if !self.fair {
            self.note_long(subject.clone(), report);
        }
    }

    /// The run that was found, with the diagnostic of an error.
    pub fn shown(
        &self,
        subject: &Subject,
        system: &Processes<'_>,
        found: &probe::Found,
    ) -> Option<(Counterexample, Option<Diagnostic>)> {
        failures::gather(&mut self.notes.borrow_mut(), system);
        if subject.cycles().is_some() {
            let lasso = found.lasso.as_ref()?;
            let shown = self.show(system.layout(), &lasso.trail, subject.reason(), Some(lasso.cycle));
            return Some((shown, None));
        }
        let fault = found.report.faults.first()?;
        if matches!(subject, Subject::Errors) {
            let (diagnostic, shown) = self.fault(system, fault, TrailLength::Unknown(None));
            return Some((shown?, Some(diagnostic)));
        }
        let shown = self.show(system.layout(), fault.trail.as_ref()?, subject.reason(), None);
        Some((shown, None))
    }

    /// Ways out of a limit that ended a search for errors.
    fn ways_out(&self, stop: Option<Stop>) -> Vec<String> {
        let mut ways = Vec::new();
        let Some(stop) = stop.filter(|&stop| ways::is_about_states(stop)) else { return ways };
        if !self.settings.symmetry && self.has_equal_processes() {
            let way =
                "explore one of the states that differ only by a permutation of equal processes: --symmetry";
            ways.push(way.to_owned());
        }
        if stop == Stop::Memory && self.settings.method.is_exhaustive() {
            let way = "search with a few bits for each state, which may miss some: --search bitstate";
            ways.push(way.to_owned());
        }
        ways
    }

    /// Whether several processes that are active from the start are interchangeable.
    fn has_equal_processes(&self) -> bool {
        let Ok(symmetry) = symmetric::find(self.program, self.document, &[]) else { return false };
        let outline =
            self.session.model.document.as_ref().and_then(|d| d.outline(&self.session.model.sources));
        let Some(outline) = outline else { return false };
        symmetry.types.iter().any(|&ty| {
            let component = self.program.network.types[ty].component;
            let name = &self.program.components[component.index()].name;
            outline.processes.iter().any(|process| process.name == *name && process.active > 1)
        })
    }

    fn undecided(
        &self,
        outcome: Outcome,
        states: u64,
        system: &Processes<'_>,
        report: &mut Report,
    ) -> Diagnostic {
        match outcome {
            Outcome::Stopped(stop) => {
                report.stop = Some(stop);
                let diagnostic = stopped(stop, states, &self.settings.allowance);
                failures::with_growth(diagnostic, self.program, system)
            }
            _ => failures::too_large(),
        }
    }

    fn space(&self, system: &Processes<'_>, found: &volvelle_search::Report) -> ModelReport {
        searched(&self.session.model, system, self.compiler.name(), found)
    }

    /// A claim about which nothing can be said.
    fn unanswered(&self, name: &str, text: &str, why: Diagnostic) -> PropertyReport {
        result(name, text, Err(vec![why]), Vec::new(), Instant::now(), Vec::new())
    }

    fn not_made(&self, error: &ProcessesError) -> Diagnostic {
        failures::not_made(self.document, &self.session.model.sources, error)
    }

    fn failure(&self, site: u32) -> Diagnostic {
        self.document.explain_failure(&self.session.model.sources, Site(site), &[])
    }

    fn show(
        &self,
        layout: &NetworkLayout,
        trail: &Trail,
        reason: &str,
        cycle: Option<usize>,
    ) -> Counterexample {
        // What is about to be shortened is listed in part, and as a whole if it stays.
        let is_whole = self.settings.whole_trails && !self.settings.shorten;
        let shown =
            show(&self.session.model, self.document, layout, trail, reason.to_owned(), cycle, is_whole);
        let is_cut = self.settings.whole_trails && shown.omitted.is_some();
        self.cut.replace(is_cut.then(|| WholeTrail { layout: layout.clone(), trail: trail.clone(), cycle }));
        shown
    }

    /// The same run with all its steps.
    pub fn show_whole(&self, whole: &WholeTrail, cut: &Counterexample) -> Counterexample {
        let WholeTrail { layout, trail, cycle } = whole;
        let shown = show(&self.session.model, self.document, layout, trail, cut.reason.clone(), *cycle, true);
        Counterexample { length: cut.length, is_stuck: cut.is_stuck, ..shown }
    }

    fn fault(
        &self,
        system: &Processes<'_>,
        fault: &Fault,
        length: TrailLength,
    ) -> (Diagnostic, Option<Counterexample>) {
        let mut diagnostic = self.failure(fault.site);
        let message = diagnostic.message.clone();
        let run = fault.trail.as_ref().and_then(|trail| system.run_behind(trail));
        let mut shown = run.as_ref().map(|trail| self.show(system.layout(), trail, &message, None));
        if let Some(shown) = &mut shown {
            shown.length = length;
            shown.is_stuck = self.document.is_end(Site(fault.site));
            diagnostic = diagnostic.note(format!("after {}", limits::counted(shown.len(), "step")));
        }
        (diagnostic, shown)
    }
}

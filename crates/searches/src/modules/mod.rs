//! Searching programs of modules: deadlocks, and formulas of linear temporal logic on all runs.
//!
//! In: a session on a program whose steps are synchronisations of modules, and formulas in the language of its properties.
//! Out: verdicts with shortest trails or lassos. A run is every sequence of steps that has a positive probability or
//! rate; a run that ends stays in its last state. States are found while the search goes on, and steps that commute
//! are taken in one order only ([`volvelle_explore::Modules`]), so that an error is found long before a state space
//! would be complete.

mod claim;
mod show;

use super::claims::{self, Automaton};
use super::verdict::{METHOD_BEGINNINGS, METHOD_CYCLES, facts, held, no_automaton, result, stopped, verdict};
use super::{failures, method};
use crate::settings::{SearchMethod, SearchSettings};
use crate::wanted::{SAFETY, Wanted};
use std::time::Instant;
use volvelle_control::{Control, Fact};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_explore::{ExploreError, Modules, ModulesOptions};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Site};
use volvelle_logic::{Guarantee, gate};
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_search::liveness::{self, Goal};
use volvelle_search::{Outcome, System, Trail, bfs, dfs, prefix};
use volvelle_session::engine;
use volvelle_session::explore::kind_name;
use volvelle_session::failure;
use volvelle_session::language::Document;
use volvelle_session::pending::Pending;
use volvelle_session::remarks;
use volvelle_session::report::{ModelReport, PropertyReport, Report};
use volvelle_session::symmetric;
use volvelle_session::trace::Counterexample;
use volvelle_session::ways;
use volvelle_session::{Model, Session};

/// Everything that a search needs.
struct Searching<'a> {
    model: &'a Model,
    document: &'a dyn Document,
    settings: &'a SearchSettings,
    control: &'a Control<'a>,
    compiler: &'a dyn Compiler,
}

/// Reads the formulas, and checks everything wanted; the report gets results, diagnostics, and the numbers of the first
/// search.
pub(super) fn run(
    session: &mut Session,
    wanted: &Wanted,
    settings: &SearchSettings,
    control: &Control<'_>,
    report: &mut Report,
) {
    if let Err(diagnostic) = refused(wanted, settings) {
        return report.diagnostics.push(diagnostic);
    }
    let formulas: Vec<Pending> = wanted.claims.iter().map(|text| session.model.formula(text)).collect();
    if formulas.iter().all(|pending| pending.property.is_ok()) {
        // A formula that failed may have mentioned the constant.
        report.diagnostics.extend(session.model.unmentioned_constants());
        if has_errors(&report.diagnostics) {
            return;
        }
    }
    let (Some(program), Some(document)) = (session.model.program(), session.model.document.as_deref()) else {
        return;
    };
    let native = engine::native(settings.tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let model = &session.model;
    let searching = Searching { model, document, settings, control, compiler };
    if settings.symmetry && formulas.is_empty() && ways::by_symmetry(program, &Selection::default()).is_none()
    {
        report.diagnostics.push(symmetric::no_effect(true));
    }
    if wanted.safety || formulas.is_empty() {
        searching.safety(program, report);
        session.run.interim.found(report, &session.model.sources);
    }
    for pending in &formulas {
        searching.formula(program, pending, report);
        session.run.interim.found(report, &session.model.sources);
    }
}

/// Refuses options that searches of modules do not have.
fn refused(wanted: &Wanted, settings: &SearchSettings) -> Result<(), Diagnostic> {
    let exhaustive = settings.method.is_exhaustive();
    let (option, why) = if wanted.acceptance {
        ("--acceptance", "modules have no accept-state labels")
    } else if wanted.progress {
        ("--progress", "modules have no progress-state labels")
    } else if wanted.weak_fairness {
        ("--fair", "fairness is supported for processes only")
    } else if !exhaustive {
        ("--search", "modules are searched exhaustively: bfs, or dfs for deadlocks")
    } else {
        return Ok(());
    };
    let message = format!("`{option}` does not apply to a PRISM model");
    Err(Diagnostic::error(codes::BAD_USAGE, message)
        .note(why)
        .help("use a formula instead: --ltl 'G F \"ready\"'"))
}

impl Searching<'_> {
    fn reduces(&self) -> bool {
        !self.settings.no_reduction
    }

    /// Deadlocks, and values that leave their range.
    fn safety(&self, program: &Program, report: &mut Report) {
        let start = Instant::now();
        let SearchSettings { all_errors, max_depth, method, .. } = *self.settings;
        let search = |system: &Modules<'_>| match method {
            SearchMethod::DepthFirst => {
                let options = dfs::Options {
                    all_errors,
                    max_depth,
                    reduce: system.is_reduced(),
                    listing: Default::default(),
                };
                dfs::search(system, &options, self.control)
            }
            _ => {
                let options =
                    bfs::Options { all_errors, max_depth, no_trails: false, listing: Default::default() };
                bfs::search(system, &options, self.control)
            }
        };
        let options = ModulesOptions { deadlocks: true, ..self.options(Vec::new(), self.reduces()) };
        let searched = self
            .system(program, options)
            .and_then(|system| system.searched(self.control, search, |found| found.outcome));
        let (system, found) = match searched {
            Ok(searched) => searched,
            Err(error) => return report.diagnostics.push(self.not_made(program, &error)),
        };
        let (found, guarantee) = method::bounded(found, max_depth);
        self.note_model(program, &system, &found, &guarantee, report);
        let outcome = match found.outcome {
            _ if !found.faults.is_empty() => Ok(verdict(false, method.name())),
            Outcome::Complete | Outcome::Failed => Ok(held(guarantee, method.name())),
            other => Err(vec![self.undecided(other, found.states, (program, Vec::new()), report)]),
        };
        let mut counterexamples = Vec::new();
        for fault in &found.faults {
            let trail = fault.trail.as_ref().and_then(|trail| Some(system.run_behind(trail, None)?.0));
            let end = trail.as_ref().and_then(|trail| trail.states.last());
            let site = end.and_then(|state| system.site_at(state)).unwrap_or(fault.site);
            let is_deadlock = site == system.deadlock_site();
            let values = trail.as_ref().and_then(|trail| Some(system.layout().unpack(trail.states.last()?)));
            let values = values.unwrap_or_default();
            let diagnostic = match is_deadlock {
                true => deadlock(&self.document.state_text(&values)),
                false => self.failure(Site(site), &values),
            };
            let reason = match is_deadlock {
                true => "no module can move at the end of this run".to_owned(),
                false => diagnostic.message.clone(),
            };
            report.diagnostics.push(diagnostic);
            counterexamples
                .extend(trail.as_ref().map(|trail| self.show(program, &system, trail, &reason, None)));
        }
        let text = "no deadlock, and all values in their ranges";
        report.results.push(result(
            SAFETY,
            text,
            outcome,
            counterexamples,
            start,
            self.facts(&found, &system),
        ));
    }

    /// A formula: no run may violate it.
    fn formula(&self, program: &Program, pending: &Pending, report: &mut Report) {
        let start = Instant::now();
        let name = pending.text.as_str();
        let unanswered = |why: Vec<Diagnostic>| result(name, name, Err(why), Vec::new(), start, Vec::new());
        let property = match &pending.property {
            Ok(property) => property,
            Err(why) => return report.results.push(unanswered(why.clone())),
        };
        let mut program = program.clone();
        let claim = match claim::claim(&mut program, property) {
            Ok(claim) => claim,
            Err(why) => {
                return report.results.push(unanswered(vec![claim::refused(why).at(pending.place, "")]));
            }
        };
        let automaton = claims::automaton(&claim, false).map_err(|why| no_automaton(&why, name));
        let automaton = match automaton {
            Ok(automaton) => automaton,
            Err(why) => return report.results.push(unanswered(vec![why.at(pending.place, "")])),
        };
        let found = match automaton.claim.is_terminal() {
            true => self.beginnings(&program, &automaton),
            false => self.cycles(&program, &automaton),
        };
        let (system, Found { report: found, trail, cycle }) = match found {
            Ok(found) => found,
            Err(error) => {
                return report.results.push(unanswered(vec![self.not_made(&program, &error)]));
            }
        };
        let (found, guarantee) = method::bounded(found, self.settings.max_depth);
        self.note_model(&program, &system, &found, &guarantee, report);
        let method =
            if cycle.is_none() && automaton.claim.is_terminal() { METHOD_BEGINNINGS } else { METHOD_CYCLES };
        let reason = match automaton.claim.is_terminal() {
            true => "a run that violates the formula however it continues",
            false => "a run that violates the formula",
        };
        let trail = trail.filter(|_| system.failure().is_none());
        let run = trail.and_then(|trail| system.run_behind(&trail, cycle));
        let shown = run.iter().map(|(run, cycle)| self.show(&program, &system, run, reason, *cycle));
        let counterexamples = shown.collect();
        let outcome = match (system.failure(), found.outcome) {
            // A run ends where the model cannot be evaluated, and how it would go on is not known.
            (Some((site, state)), _) => {
                let values = system.layout().unpack(&state);
                Err(vec![self.failure(site, &values)])
            }
            (None, Outcome::Failed) => Ok(verdict(false, method)),
            (None, Outcome::Complete) => Ok(held(guarantee, method)),
            (None, other) => {
                let observed = (&program, automaton.labels.clone());
                Err(vec![self.undecided(other, found.states, observed, report)])
            }
        };
        let holds = found.outcome == Outcome::Complete && outcome.is_ok();
        let (document, sources) = (self.document, &self.model.sources);
        let remarks = match holds {
            true => remarks::of_claim(&claim, &automaton.labels, found.held, &program, document, sources),
            false => Vec::new(),
        };
        let result = result(name, name, outcome, counterexamples, start, self.facts(&found, &system));
        report.results.push(PropertyReport { remarks, ..result });
    }

    /// Searches for a shortest beginning of a run that decides about a formula.
    fn beginnings<'s>(
        &'s self,
        program: &Program,
        automaton: &Automaton,
    ) -> Result<(Modules<'s>, Found), ExploreError> {
        let reduce = self.reduces() && automaton.ignores_stuttering;
        let options = self.options(automaton.labels.clone(), reduce);
        let search = |system: &Modules<'_>| {
            let reduce = system.is_reduced();
            let max_depth = self.settings.max_depth;
            let options =
                prefix::Options { claim: &automaton.claim, reduce, max_depth, listing: Default::default() };
            prefix::search(system, &options, self.control)
        };
        let system = self.system(program, options)?;
        let (system, report) = system.searched(self.control, search, |found| found.outcome)?;
        let trail = report.faults.iter().find_map(|fault| fault.trail.clone());
        Ok((system, Found { report, trail, cycle: None }))
    }

    /// Searches for a run without end that violates a formula.
    fn cycles<'s>(
        &'s self,
        program: &Program,
        automaton: &Automaton,
    ) -> Result<(Modules<'s>, Found), ExploreError> {
        let found = self.cycles_on(program, automaton, self.control)?;
        // Which states several threads saw before one of them found a cycle depends on their speed, and so does whether a
        // state in which the model cannot be evaluated was among them. One thread always sees the same.
        if found.0.failure().is_some() && self.control.threads > 1 {
            return self.cycles_on(program, automaton, &Control { threads: 1, ..*self.control });
        }
        Ok(found)
    }

    fn cycles_on<'s>(
        &'s self,
        program: &Program,
        automaton: &Automaton,
        control: &Control<'_>,
    ) -> Result<(Modules<'s>, Found), ExploreError> {
        let reduce = self.reduces() && automaton.repeats_alike;
        let options = self.options(automaton.labels.clone(), reduce);
        let search = |system: &Modules<'_>| {
            let options = liveness::Options {
                goal: Goal::Claim(&automaton.claim),
                weak_fairness: false,
                reduce: system.is_reduced(),
                max_depth: self.settings.max_depth,
                any_lasso: false,
                listing: Default::default(),
            };
            liveness::search(system, &options, control)
        };
        let system = self.system(program, options)?;
        let (system, found) = system.searched(control, search, |found| found.report.outcome)?;
        let (trail, cycle) = match found.lasso {
            Some(lasso) => (Some(lasso.trail), Some(lasso.cycle)),
            None => (None, None),
        };
        Ok((system, Found { report: found.report, trail, cycle }))
    }

    fn options(&self, labels: Vec<usize>, reduce: bool) -> ModulesOptions {
        ModulesOptions { labels, deadlocks: false, reduce, symmetry: self.settings.symmetry }
    }

    fn system<'s>(&'s self, program: &Program, options: ModulesOptions) -> Result<Modules<'s>, ExploreError> {
        Modules::new(program, options, self.compiler, self.control)
    }

    fn show(
        &self,
        program: &Program,
        system: &Modules<'_>,
        trail: &Trail,
        reason: &str,
        cycle: Option<usize>,
    ) -> Counterexample {
        let shown = show::Shown { program, document: self.document, sources: &self.model.sources, system };
        shown.counterexample(trail, reason, cycle)
    }

    /// The states of the first search.
    fn note_model(
        &self,
        program: &Program,
        system: &Modules<'_>,
        found: &volvelle_search::Report,
        guarantee: &Guarantee,
        report: &mut Report,
    ) {
        if report.model.is_some() {
            return;
        }
        report.model = Some(ModelReport {
            file: self.model.file.clone(),
            kind: kind_name(program).to_owned(),
            constants: self.document.constants(),
            complete: found.outcome == Outcome::Complete && *guarantee == gate::exact(),
            ended_by_error: found.outcome == Outcome::Failed,
            states: found.states,
            is_product: found.is_product,
            first_of: None,
            choices: None,
            transitions: found.transitions,
            initial_states: Some((system.initial().len() / system.words()) as u64),
            deadlocks: None,
            unexpanded: None,
            bits: system.layout().bits(),
            bytes: found.bytes,
            tier: self.compiler.name().into(),
            time: self.model.started.elapsed(),
            facts: Vec::new(),
        });
    }

    /// How a search went.
    fn facts(&self, found: &volvelle_search::Report, system: &Modules<'_>) -> Vec<Fact> {
        let symmetry = self.settings.symmetry.then(|| symmetric::fact(self.model.program(), system.orbits()));
        facts(found).into_iter().chain(symmetry).collect()
    }

    /// The failure of a site in a state.
    fn failure(&self, site: Site, values: &[i64]) -> Diagnostic {
        failure::of_site(site, values, None, self.document, &self.model.sources)
    }

    fn undecided(
        &self,
        outcome: Outcome,
        states: u64,
        (program, labels): (&Program, Vec<usize>),
        report: &mut Report,
    ) -> Diagnostic {
        match outcome {
            Outcome::Stopped(stop) => {
                report.stop = Some(stop);
                let mut diagnostic = [stopped(stop, states, &self.settings.allowance)];
                if !self.settings.symmetry && ways::is_about_states(stop) {
                    let observe = Selection { labels, ..Selection::default() };
                    ways::add(&mut diagnostic, ways::by_symmetry(program, &observe).into_iter().collect());
                }
                let [diagnostic] = diagnostic;
                diagnostic
            }
            _ => failures::too_large(),
        }
    }

    fn not_made(&self, program: &Program, error: &ExploreError) -> Diagnostic {
        let (sources, allowance) = (&self.model.sources, &self.settings.allowance);
        failure::of_exploration(error, self.document, program, sources, allowance)
    }
}

/// Results of a search for a violation.
struct Found {
    report: volvelle_search::Report,
    trail: Option<Trail>,
    /// The step with which the cycle of the trail begins, if it has one.
    cycle: Option<usize>,
}

fn deadlock(state: &str) -> Diagnostic {
    Diagnostic::error(codes::DEADLOCK, "the model has a deadlock")
        .note(format!("no module can move in the state {state}"))
        .help("give every state a transition, such as a self-loop")
}

//! Searching for what is wanted, one property after the other.

use super::trail::{self, Counterexample};
use super::{ProcessSession, SAFETY, SearchSettings, Wanted};
use crate::engine::{self, Tier};
use crate::limits;
use crate::report::{ModelReport, PropertyReport, Report};
use std::time::Instant;
use volvelle_control::{Control, Fact, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::{Processes, ProcessesError};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_logic::{Answer, Guarantee, StopReason, Value};
use volvelle_model::kernels::{KernelError, NetworkOptions};
use volvelle_model::{Program, SiteSubject};
use volvelle_promela::Lowered;
use volvelle_search::bfs;
use volvelle_search::{Fault, Outcome};

/// Everything that a search needs besides the model.
struct Searching<'a> {
    session: &'a ProcessSession,
    lowered: &'a Lowered,
    settings: &'a SearchSettings,
    control: &'a Control<'a>,
    compiler: &'a dyn Compiler,
}

/// Checks everything wanted; the report gets results, complaints, and the numbers of the first search.
pub(super) fn run(
    session: &mut ProcessSession,
    wanted: &Wanted,
    settings: &SearchSettings,
    control: &Control<'_>,
    report: &mut Report,
) {
    let Some(lowered) = session.lowered.take() else { return };
    let native = engine::native(if settings.tier == Tier::Auto { Tier::Auto } else { Tier::Interpreter });
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let searching = Searching { session, lowered: &lowered, settings, control, compiler };
    searching.safety(report);
    let _ = wanted;
    session.lowered = Some(lowered);
}

impl Searching<'_> {
    /// Assertions and end states.
    fn safety(&self, report: &mut Report) {
        let start = Instant::now();
        let options = NetworkOptions::default();
        let mut system = match Processes::new(&self.lowered.program, options, self.compiler) {
            Ok(system) => system,
            Err(error) => return report.diagnostics.push(self.not_made(&error)),
        };
        let search = bfs::Options {
            all_errors: self.settings.all_errors,
            max_depth: self.settings.max_depth,
            no_trails: false,
        };
        let found = loop {
            let found = bfs::search(&system, &search, self.control);
            if !matches!(found.outcome, Outcome::NeedsRoom { .. }) {
                break found;
            }
            system = match system.grow() {
                Ok(system) => system,
                Err(error) => return report.diagnostics.push(self.not_made(&error)),
            };
        };
        let time = self.session.started.elapsed();
        report.model = Some(ModelReport {
            file: self.session.file.clone(),
            kind: "processes",
            constants: Vec::new(),
            complete: found.outcome == Outcome::Complete,
            states: found.states,
            choices: None,
            transitions: found.transitions,
            initial_states: Some(1),
            deadlocks: None,
            unexpanded: None,
            bits: 64 * system.arrangement().words() as u32,
            bytes: found.bytes,
            tier: self.compiler.name(),
            time,
            facts: Vec::new(),
        });
        let facts = vec![
            Fact {
                what: "depth",
                value: volvelle_control::FactValue::Count(found.depth),
                why: String::new(),
            },
            Fact {
                what: "steps",
                value: volvelle_control::FactValue::Count(found.steps),
                why: String::new(),
            },
        ];
        let known_false = !found.faults.is_empty();
        let outcome = match found.outcome {
            _ if known_false => Ok(self.answer(false)),
            Outcome::Complete | Outcome::Failed => Ok(self.answer(true)),
            Outcome::Stopped(stop) => {
                report.stop = Some(stop);
                Err(vec![self.stopped(stop, found.states)])
            }
            Outcome::TooLarge => Err(vec![Diagnostic::error(
                codes::TOO_MANY_TRANSITIONS,
                "the model has more states than 32 bits number",
            )]),
            Outcome::NeedsRoom { .. } => unreachable!("handled above"),
        };
        let mut results = Vec::new();
        for fault in &found.faults {
            results.push(self.fault(&system, fault));
        }
        report.diagnostics.extend(results.iter().map(|(d, _)| d.clone()));
        report.results.push(PropertyReport {
            number: None,
            name: Some(SAFETY.to_owned()),
            text: "assertions and end states".to_owned(),
            constants: Vec::new(),
            outcome,
            states: Vec::new(),
            evidence: None,
            counterexamples: results.into_iter().filter_map(|(_, c)| c).collect(),
            time: start.elapsed(),
            known: None,
            facts,
            values: None,
        });
    }

    fn answer(&self, holds: bool) -> Answer {
        Answer {
            value: Value::Bool(holds),
            guarantee: Guarantee::Exact,
            compared: None,
            exact: Vec::new(),
            method: "breadth-first search".to_owned(),
            stop: StopReason::Computed,
            initially: None,
        }
    }

    fn stopped(&self, stop: Stop, states: u64) -> Diagnostic {
        limits::stopped(stop, &self.settings.allowance).note(format!(
            "{} were visited, and no error was found in them",
            limits::counted(states, "state")
        ))
    }

    fn not_made(&self, error: &ProcessesError) -> Diagnostic {
        match error {
            ProcessesError::Kernel(KernelError::TooManyTransitions { transitions }) => {
                let message = format!("the model has too many statements: {transitions}");
                Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message).note("65,534 are the limit")
            }
            ProcessesError::Kernel(error) => Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                format!("the model cannot be turned into code: {error:?}"),
            ),
            ProcessesError::Compile(error) => Diagnostic::error(
                codes::UNSUPPORTED_CONSTRUCT,
                format!("the model cannot be turned into code: {error}"),
            ),
            ProcessesError::Boot(site) => self.failure(site.0),
            ProcessesError::TooMany(pool) => {
                let pool = &self.lowered.program.network.pools[pool.index()].name;
                let message = format!("more than 32,767 instances of a {pool} at a time");
                Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            }
        }
    }

    /// What failed at a site.
    fn failure(&self, site: u32) -> Diagnostic {
        let program: &Program = &self.lowered.program;
        let info = program.sites[site as usize];
        let is_end = program.network.end_site.is_some_and(|s| s.0 == site);
        if is_end {
            return Diagnostic::error(codes::INVALID_END_STATE, "invalid end state: no process can move");
        }
        let (code, message) = match (info.subject, info.kind) {
            (SiteSubject::Assertion, _) => (codes::ASSERTION_VIOLATED, "assertion violated"),
            (_, volvelle_kernel::FailKind::Division) => (codes::DIVISION_BY_ZERO, "division by zero"),
            (_, volvelle_kernel::FailKind::Range) => {
                (codes::INDEX_OUT_OF_RANGE, "there is no such element, process or channel")
            }
            _ => (codes::BLOCKED_D_STEP, "a `d_step` blocks, or does not end"),
        };
        let place = self.lowered.origins[info.origin.0 as usize];
        volvelle_promela::at(Diagnostic::error(code, message), &self.session.model.places, place, "")
    }

    fn fault(&self, system: &Processes<'_>, fault: &Fault) -> (Diagnostic, Option<Counterexample>) {
        let mut diagnostic = self.failure(fault.site);
        let message = diagnostic.message.clone();
        let shown = fault
            .trail
            .as_ref()
            .map(|trail| trail::show(self.session, self.lowered, system.arrangement(), trail, message, None));
        if let Some(shown) = &shown {
            diagnostic =
                diagnostic.note(format!("after {}", limits::counted(shown.steps.len() as u64, "step")));
            if program_end(self.lowered, fault.site) {
                for line in &shown.blocked {
                    diagnostic = diagnostic.note(line.clone());
                }
            }
        }
        (diagnostic, shown)
    }
}

fn program_end(lowered: &Lowered, site: u32) -> bool {
    lowered.program.network.end_site.is_some_and(|s| s.0 == site)
}

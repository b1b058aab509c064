//! Models of processes: from a Promela text to verdicts with counterexamples.
//!
//! In: texts and [`SearchSettings`]. Out: the [`Report`] that every face knows; a property is an assertion or end state
//! ([`SAFETY`]), a claim of the model, or a formula from the command line, its answer is true or false, and what is
//! false comes with a [`Counterexample`].

mod claims;
mod complaints;
mod evaluate;
mod lint;
mod lts;
mod method;
mod replay;
mod search;
mod simulate;
mod symmetric;
mod trail;
mod words;

pub use lint::Lint;
pub use lts::Lts;
pub use method::SearchMethod;
pub use replay::{SavedStep, SavedTrail};
pub use simulate::{Dice, Runnable, Simulation, Taken};
pub use trail::{Actor, Change, Counterexample, Message, Moved, Standing, TraceStep};
pub use words::Written;

use crate::limits::Allowance;
use crate::report::{ModelReport, Report};
use crate::session::{Text, has_errors};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes};
use volvelle_explore::Processes;
use volvelle_promela::{Include, ast, lower, parse, parse_formula};
use volvelle_search::Outcome;

/// States that are interpreted before machine code is made: that takes as long as some thousand states.
const PATIENCE: u64 = 2000;

/// The name under which assertions and end states are reported.
pub const SAFETY: &str = "safety";

/// What is asked.
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
    /// What the user allows.
    pub allowance: Allowance,
    /// What evaluates the model.
    pub tier: crate::Tier,
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
}

/// A model of processes.
pub struct ProcessSession {
    sources: Sources,
    file: String,
    model: ast::Model,
    diagnostics: Vec<Diagnostic>,
    started: Instant,
}

/// The name under which cycles through accepting locations are reported.
pub const ACCEPTANCE: &str = "acceptance";
/// The name under which cycles without progress are reported.
pub const PROGRESS: &str = "progress";

impl ProcessSession {
    /// Reads a model. Mistakes end up in the diagnostics of the report.
    pub fn open(text: Text, include: &mut dyn Include, defines: &[(String, String)]) -> Self {
        let started = Instant::now();
        let mut sources = Sources::new();
        let file = text.name.clone();
        let id: FileId = sources.add(text.name, text.text);
        let parsed = parse(&mut sources, id, include, defines);
        ProcessSession { sources, file, model: parsed.model, diagnostics: parsed.diagnostics, started }
    }

    /// The states that a search visited.
    fn space(
        &self,
        system: &Processes<'_>,
        tier: &'static str,
        found: &volvelle_search::Report,
    ) -> ModelReport {
        ModelReport {
            file: self.file.clone(),
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
            tier,
            time: self.started.elapsed(),
            facts: Vec::new(),
        }
    }

    /// The texts, for drawing diagnostics.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Checks what is wanted.
    pub fn check(&mut self, wanted: &Wanted, settings: &SearchSettings, control: &Control<'_>) -> Report {
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if has_errors(&report.diagnostics) {
            return report;
        }
        self.read_formulas(wanted, &mut report.diagnostics);
        let (lowered, complaints) = lower(&self.model);
        report.diagnostics.extend(complaints);
        if let Some(lowered) = lowered.filter(|_| !has_errors(&report.diagnostics)) {
            search::run(self, &lowered, wanted, settings, control, &mut report);
        }
        report
    }

    /// Adds the formulas of the command line to the model: claims that are no names.
    fn read_formulas(&mut self, wanted: &Wanted, diagnostics: &mut Vec<Diagnostic>) {
        for text in &wanted.claims {
            let is_name = |unit: &ast::Unit| match unit {
                ast::Unit::Ltl { name: Some(name), .. } | ast::Unit::Never { name: Some(name), .. } => {
                    name.text == *text
                }
                _ => false,
            };
            if self.model.units.iter().any(is_name) {
                continue;
            }
            let word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let known: Vec<&str> = self.model.units.iter().filter_map(claim_name).collect();
            if word && let Some(near) = volvelle_diagnostics::suggest(text, known) {
                diagnostics.push(
                    Diagnostic::error(codes::UNKNOWN_PROPERTY, format!("there is no claim `{text}`"))
                        .help(format!("did you mean `{near}`?")),
                );
                continue;
            }
            let file = self.sources.add("--ltl", text.clone());
            let (formula, complaints) = parse_formula(&mut self.sources, file, &mut self.model);
            diagnostics.extend(complaints);
            let place = self.model.exprs.get(formula).place;
            let name = Some(ast::Name { text: text.clone(), place });
            self.model.units.push(ast::Unit::Ltl { name, formula, place });
        }
    }
}

fn claim_name(unit: &ast::Unit) -> Option<&str> {
    match unit {
        ast::Unit::Ltl { name: Some(name), .. } | ast::Unit::Never { name: Some(name), .. } => {
            Some(&name.text)
        }
        _ => None,
    }
}

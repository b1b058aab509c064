//! Models of processes: from a Promela text to verdicts with counterexamples.
//!
//! In: texts and [`SearchSettings`]. Out: the [`Report`] that every face knows; a property is an assertion or end state
//! ([`SAFETY`]), a claim of the model, or a formula from the command line, its answer is true or false, and what is
//! false comes with a [`Counterexample`].

mod search;
mod trail;

pub use trail::{Counterexample, TraceStep};

use crate::limits::Allowance;
use crate::report::Report;
use crate::session::{Text, has_errors};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Sources};
use volvelle_promela::{Include, Lowered, ast, lower, parse};

/// The name under which assertions and end states are reported.
pub const SAFETY: &str = "safety";

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Assertions and end states only.
    pub safety: bool,
    /// Claims by name, or formulas. Without any, all claims of the model.
    pub claims: Vec<String>,
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
    /// End states are no errors.
    pub no_end_states: bool,
}

/// A model of processes.
pub struct ProcessSession {
    sources: Sources,
    file: String,
    model: ast::Model,
    lowered: Option<Lowered>,
    diagnostics: Vec<Diagnostic>,
    started: Instant,
}

impl ProcessSession {
    /// Reads a model. Mistakes end up in the diagnostics of the report.
    pub fn open(text: Text, include: &mut dyn Include, defines: &[(String, String)]) -> Self {
        let started = Instant::now();
        let mut sources = Sources::new();
        let file = text.name.clone();
        let id: FileId = sources.add(text.name, text.text);
        let parsed = parse(&mut sources, id, include, defines);
        let mut diagnostics = parsed.diagnostics;
        let mut lowered = None;
        if !has_errors(&diagnostics) {
            let (result, complaints) = lower(&parsed.model);
            diagnostics.extend(complaints);
            lowered = result;
        }
        ProcessSession { sources, file, model: parsed.model, lowered, diagnostics, started }
    }

    /// The texts, for drawing diagnostics.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Checks what is wanted.
    pub fn check(&mut self, wanted: &Wanted, settings: &SearchSettings, control: &Control<'_>) -> Report {
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if self.lowered.is_none() {
            return report;
        }
        search::run(self, wanted, settings, control, &mut report);
        report
    }
}

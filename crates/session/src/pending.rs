//! Properties on their way to an answer, and what a run has to say beside the answers.

use crate::report::PropertyReport;
use std::time::Duration;
use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, Span};
use volvelle_logic::{Answer, Constant, Property};

/// A property on its way to an answer.
#[derive(Clone)]
pub struct Pending {
    /// Place in the property files, from 1; `None` for a text from the command line.
    pub number: Option<usize>,
    /// Name, where it has one.
    pub name: Option<String>,
    /// As the user wrote it.
    pub text: String,
    /// Where it was written.
    pub place: Span,
    /// Lowered, or what is wrong with it.
    pub property: Result<Property, Vec<Diagnostic>>,
    /// The point of a grid at which it is asked: `N=5, T=20`; empty where there is none.
    pub point: String,
}

/// The diagnostics of a run, and the limit that ended it, beside the reports on its properties.
#[derive(Default)]
pub struct RunLog {
    /// Diagnostics that go with answers.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that ended a computation.
    pub stop: Option<Stop>,
}

impl Pending {
    /// A remark beside an answer, with the point of the grid that it is about.
    pub fn at_point(&self, remark: Diagnostic) -> Diagnostic {
        if self.point.is_empty() { remark } else { remark.note(format!("at {}", self.point)) }
    }

    /// The report with this outcome.
    pub fn report(
        &self,
        constants: Vec<Constant>,
        outcome: Result<Answer, Vec<Diagnostic>>,
        time: Duration,
    ) -> PropertyReport {
        PropertyReport {
            number: self.number,
            name: self.name.clone(),
            text: self.text.clone(),
            constants,
            outcome,
            states: Vec::new(),
            evidence: None,
            counterexamples: Vec::new(),
            statistics: None,
            verification: None,
            time,
            begun: true,
            known: None,
            facts: Vec::new(),
            values: None,
            remarks: Vec::new(),
        }
    }

    /// The report on a property that could not be lowered.
    pub fn failed(&self) -> Option<PropertyReport> {
        let complaints = self.property.as_ref().err()?.clone();
        Some(self.report(Vec::new(), Err(complaints), Duration::ZERO))
    }

    /// The report before there is an answer, with the place of the property in the text.
    pub fn open(&self) -> (PropertyReport, Span) {
        (self.failed().unwrap_or_else(|| self.refused(&[])), self.place)
    }

    /// The report on a property that has no answer for a reason outside it.
    pub fn refused(&self, reason: &[Diagnostic]) -> PropertyReport {
        self.report(Vec::new(), Err(reason.to_vec()), Duration::ZERO)
    }
}

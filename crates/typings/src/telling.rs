//! How the answer to checks is told, and the exit code.

use crate::options::ApplyArgs;
use crate::run::Checked;
use crate::{document, json};
use volvelle_console::options::AnswerArgs;
use volvelle_console::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_control::Stop;
use volvelle_diagnostics::{Broken, Diagnostic, Severity, Sources};
use volvelle_present::document::Document;
use volvelle_rules::machine::Statistics;
use volvelle_rules::system::{Finding, Loaded};
use volvelle_session::limits::{self, Allowance};

/// What an answer is told with.
pub(crate) struct Telling<'a> {
    pub(crate) apply: &'a ApplyArgs,
    pub(crate) answer: &'a AnswerArgs,
    /// What was asked about.
    pub(crate) subject: String,
    pub(crate) loaded: &'a Loaded,
    pub(crate) sources: &'a Sources,
    /// The limit behind the word of a machine.
    pub(crate) stop: &'a dyn Fn(&str) -> Stop,
    pub(crate) allowance: &'a Allowance,
    pub(crate) output: &'a Output,
}

impl Telling<'_> {
    /// Tells what was found in programs.
    pub(crate) fn checked(&self, checked: &[Checked], has_types: bool, mut found: Vec<Diagnostic>) -> u8 {
        let sources = self.sources;
        let stopped = checked.iter().find_map(|one| one.report.stopped);
        found.extend(checked.iter().flat_map(|one| &one.report.findings).map(|finding| self.told(finding)));
        let statistics = self.apply.statistics.then(|| {
            checked.iter().fold(Statistics::default(), |all, one| Statistics {
                applications: all.applications + one.report.statistics.applications,
                hits: all.hits + one.report.statistics.hits,
                instructions: all.instructions + one.report.statistics.instructions,
            })
        });
        let system = &self.loaded.system.name;
        self.limit(stopped, &mut found);
        let mut shown = document::of_check(system, checked, statistics, sources);
        if has_types {
            document::add_types(&mut shown, checked, sources);
        }
        let json = |found: &[Diagnostic]| {
            let document = json::of_check(system, checked, statistics, found, sources);
            let types = has_types.then(|| json::types(checked, sources));
            types.into_iter().fold(document, |document, types| document.with("types", types)).to_text()
        };
        self.show(shown, json, found, stopped)
    }

    /// A finding as it is told: with all levels where they are wanted.
    pub(crate) fn told(&self, finding: &Finding) -> Diagnostic {
        let mut diagnostic = finding.diagnostic.clone();
        if !self.apply.trace {
            diagnostic.notes.clear();
        }
        match &finding.rule {
            Some(rule) => diagnostic.of_rule(Broken {
                rule: rule.clone(),
                data: finding.data.clone(),
                trace: finding.trace.clone(),
            }),
            None => diagnostic,
        }
    }

    pub(crate) fn limit(&self, stopped: Option<&str>, found: &mut Vec<Diagnostic>) {
        let Some(why) = stopped else { return };
        let note = if why == "depth" { "rules are nested too deeply" } else { "rules were being applied" };
        found.push(limits::stopped((self.stop)(why), self.allowance).note(note));
    }

    pub(crate) fn show(
        &self,
        document: Document,
        json: impl FnOnce(&[Diagnostic]) -> String,
        mut found: Vec<Diagnostic>,
        stopped: Option<&str>,
    ) -> u8 {
        let shown = Shown::new(self.answer, document, self.subject.clone(), self.sources);
        let written = shown.write(&[], &mut found, self.output);
        shown.print(|| json(&found), &written, self.output);
        self.output.print_diagnostics(&found, self.sources);
        let broken = self.loaded.language.code();
        let mut errors = found.iter().filter(|one| one.severity == Severity::Error).peekable();
        if stopped.is_some() {
            EXIT_LIMIT
        } else if errors.peek().is_none() {
            0
        } else if errors.all(|one| one.code == broken) {
            1
        } else {
            EXIT_USAGE
        }
    }
}

//! What is said about failures: when it is asked for, and not before. Failures of alternatives are many, and few are read.

use super::{Ended, Machine, NONE, Task, Trouble};
use crate::failure::{Said, What};
use crate::ir::RoutineId;
use crate::value::{EnvId, FailureId, Value};
use volvelle_syntax::Spelt;
use volvelle_trees::{NodeId, Symbol};

/// A failure as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The message; levels without one are left out of traces.
    pub message: Option<String>,
    /// Whether it is one that rules have written.
    pub is_written: bool,
    /// The rule, where one failed.
    pub rule: Option<String>,
    /// The node, and its field.
    pub source: Option<(NodeId, Option<String>)>,
    /// Anything else.
    pub data: Value,
    /// Where in the rules.
    pub span: volvelle_diagnostics::Span,
}

impl Machine<'_> {
    /// The routine that says what is to be said about a failure.
    fn blame_of(&self, failure: FailureId) -> Option<RoutineId> {
        match self.failures[failure.index()].what {
            What::Rule(routine) => {
                let rule = &self.system.routines[routine];
                match rule.purpose {
                    _ if rule.blame.is_some() => rule.blame,
                    crate::ir::Purpose::Rule(judgment) => self.system.judgments[judgment].blame,
                    _ => None,
                }
            }
            What::Function(function) => self.system.functions[function].blame,
            _ => None,
        }
    }

    /// What is said about a failure; where it was not asked for before, a frame finds out.
    pub(super) fn said(&mut self, failure: FailureId, above: usize) -> Result<Said, Trouble> {
        if let Some(said) = self.failures[failure.index()].said {
            return Ok(said);
        }
        let Some(blame) = self.blame_of(failure) else {
            self.failures[failure.index()].said = Some(Said::default());
            return Ok(Said::default());
        };
        let (from, to) = self.failures[failure.index()].args;
        let args = self.failure_args[from as usize..to as usize].to_vec();
        if self.regs.len() < above + args.len() {
            self.regs.resize(above + args.len(), Value::Null);
        }
        self.regs[above..above + args.len()].copy_from_slice(&args);
        self.push_frame(blame, Task::Blame(failure), above, args.len(), above, EnvId::EMPTY, NONE, above);
        Err(Trouble::Again)
    }

    /// The message of a failure about which nothing is said.
    pub(super) fn default_message(&mut self, failure: FailureId, above: usize) -> Result<Symbol, Trouble> {
        let failed = self.failures[failure.index()];
        let args = self.failure_args[failed.args.0 as usize..failed.args.1 as usize].to_vec();
        let mut texts = Vec::new();
        for value in args {
            texts.push(self.text_of(value, above)?);
        }
        let texts: Vec<&str> = texts.into_iter().map(|text| self.heap.texts.text(text)).collect();
        let system = self.system;
        let message = match failed.what {
            What::Fail => "failed".to_owned(),
            What::Said | What::Premise(_) | What::Value(_) => {
                let (What::Premise(text) | What::Value(text)) = failed.what else {
                    return Ok(self.heap.texts.intern(""));
                };
                return Ok(text);
            }
            What::Null => "passed null object to system".to_owned(),
            What::NoRule(judgment) => {
                format!("cannot find a rule for {}", told(&system.judgments[judgment], &texts))
            }
            What::NoBody(function) => {
                format!(
                    "cannot find an implementation for {}({})",
                    system.functions[function].name,
                    texts.join(", ")
                )
            }
            What::Function(function) => {
                format!("failed: {}({})", system.functions[function].name, texts.join(", "))
            }
            What::Rule(routine) => {
                let rule = &system.routines[routine];
                match rule.purpose {
                    crate::ir::Purpose::Rule(judgment) => {
                        format!(
                            "failed: {}: {}",
                            rule.name,
                            told_of(system, &system.judgments[judgment], &texts)
                        )
                    }
                    _ => format!("failed: {}", rule.name),
                }
            }
        };
        Ok(self.heap.texts.intern(&message))
    }

    /// A failure and its causes, from the outside in, after a run.
    pub fn tell(&mut self, failure: FailureId) -> Vec<Told> {
        let mut all = Vec::new();
        let mut at = Some(failure);
        while let Some(failure) = at {
            all.push(self.tell_one(failure));
            at = self.failures[failure.index()].cause;
        }
        all
    }

    /// Runs what says something about a failure until it was said.
    fn finished<T>(&mut self, ask: impl Fn(&mut Self) -> Result<T, Trouble>) -> Option<T> {
        loop {
            self.clear();
            match ask(self) {
                Ok(value) => return Some(value),
                Err(Trouble::Again) if !self.frames.is_empty() => match self.go() {
                    Ended::Holds(_) | Ended::Fails(_) => {}
                    Ended::Stopped(_) | Ended::Broke(_) => return None,
                },
                Err(Trouble::Again) => {}
                Err(Trouble::Failed(_) | Trouble::Broke | Trouble::Stopped | Trouble::Inexact) => {
                    return None;
                }
            }
        }
    }

    fn tell_one(&mut self, failure: FailureId) -> Told {
        let failed = self.failures[failure.index()];
        let said = self.finished(|machine| machine.said(failure, 0)).unwrap_or_default();
        let prefix = if matches!(failed.what, What::Rule(_)) { "failed: " } else { "" };
        let message = match said.message {
            Value::Null => match failed.what {
                What::Fail | What::Said => None,
                _ => self
                    .finished(|machine| machine.default_message(failure, 0))
                    .map(|text| self.heap.texts.text(text).to_owned()),
            },
            value => self
                .finished(|machine| machine.text_of(value, 0))
                .map(|text| format!("{prefix}{}", self.heap.texts.text(text))),
        };
        let args = &self.failure_args[failed.args.0 as usize..failed.args.1 as usize];
        let first_node = args.iter().find_map(|&value| match value {
            Value::Node(node) => Some(node),
            _ => None,
        });
        let feature = match said.feature {
            Value::Text(text) => Some(self.heap.texts.text(text).to_owned()),
            _ => None,
        };
        let source = match said.source {
            Value::Node(node) => Some(node),
            _ => first_node,
        };
        let rule = match failed.what {
            What::Rule(routine) => Some(self.system.routines[routine].name.clone()),
            _ => None,
        };
        let is_written = said.message != Value::Null;
        Told {
            message,
            is_written,
            rule,
            source: source.map(|node| (node, feature)),
            data: said.data,
            span: failed.span,
        }
    }

    /// The text of a value, after a run.
    pub fn show_value(&mut self, value: Value) -> String {
        self.finished(|machine| machine.text_of(value, 0))
            .map_or_else(|| "…".to_owned(), |text| self.heap.texts.text(text).to_owned())
    }
}

/// `|- a : b`, by the texts of an environment and of inputs.
fn told(judgment: &crate::ir::Judgment, texts: &[&str]) -> String {
    let mut told = judgment.symbol.spelling().unwrap_or_default().to_owned();
    let mut inputs = texts.iter().skip(1);
    for (at, (_, output)) in judgment.places.iter().enumerate() {
        if *output {
            continue;
        }
        if at > 0 {
            told.push(' ');
            told.push_str(judgment.relations[at - 1].spelling().unwrap_or_default());
        }
        told.push(' ');
        told.push_str(inputs.next().copied().unwrap_or("…"));
    }
    told
}

/// `[env] |- a : Type`
fn told_of(system: &crate::ir::System, judgment: &crate::ir::Judgment, texts: &[&str]) -> String {
    let mut told = format!(
        "{} {}",
        texts.first().copied().unwrap_or("[]"),
        judgment.symbol.spelling().unwrap_or_default()
    );
    let mut inputs = texts.iter().skip(1);
    for (at, (ty, output)) in judgment.places.iter().enumerate() {
        if at > 0 {
            told.push(' ');
            told.push_str(judgment.relations[at - 1].spelling().unwrap_or_default());
        }
        told.push(' ');
        if *output {
            told.push_str(&system.universe.name(ty));
        } else {
            told.push_str(inputs.next().copied().unwrap_or("…"));
        }
    }
    told
}

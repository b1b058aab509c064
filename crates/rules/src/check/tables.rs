//! Which rule is for which classes, and what is wrong with that: combinations for which no rule is nearest, classes that a judgment
//! misses, rules that are never chosen. Each with classes that show it.

use super::{Checker, Entry, Target};
use crate::dispatch::{Candidate, Choice, Dispatch};
use crate::types::Ty;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_trees::ClassId;

impl Checker<'_> {
    pub(super) fn tables(&mut self) {
        let judgments: Vec<_> = self.judgments.iter().map(|(id, _)| id).collect();
        for id in judgments {
            let judgment = &self.judgments[id];
            let (name, span) = (format!("judgment `{}`", judgment.name), judgment.span);
            let inputs: Vec<Ty> = judgment.inputs().cloned().collect();
            let (dispatch, order) = self.table(Target::Judgment(id), &inputs, &name, span, true);
            self.judgments[id].dispatch = dispatch;
            self.judgments[id].rules = order;
        }
        let functions: Vec<_> = self.functions.iter().map(|(id, _)| id).collect();
        for id in functions {
            let function = &self.functions[id];
            if function.host.is_some() {
                continue;
            }
            let (name, span) = (format!("function `{}`", function.name), function.span);
            let inputs = function.params.clone();
            let (dispatch, order) = self.table(Target::Function(id), &inputs, &name, span, false);
            self.functions[id].dispatch = dispatch;
            self.functions[id].bodies = order;
        }
    }

    fn table(
        &mut self,
        target: Target,
        inputs: &[Ty],
        name: &str,
        span: Span,
        misses: bool,
    ) -> (Dispatch, Vec<crate::ir::RoutineId>) {
        let entries: Vec<Entry> = self.candidates.remove(&target).unwrap_or_default();
        let routines = entries.iter().map(|entry| entry.routine).collect();
        let candidates: Vec<Candidate> = entries.iter().map(|entry| entry.candidate.clone()).collect();
        if candidates.is_empty() {
            let warning = Diagnostic::warning(codes::RULE_COVERAGE, format!("{name} has no rules"));
            self.found.push(warning.at(span, ""));
        }
        if candidates.iter().any(|candidate| candidate.classes.len() != inputs.len()) {
            return (Dispatch::default(), routines);
        }
        let Some(dispatch) = Dispatch::new(&self.universe, inputs.len(), &candidates) else {
            self.error(codes::RULE_DECLARATION, span, format!("{name} has too many combinations of classes"));
            return (Dispatch::default(), routines);
        };
        let possible: Vec<Vec<ClassId>> = inputs.iter().map(|ty| self.concrete(ty)).collect();
        let mut chosen = vec![false; candidates.len()];
        let (mut ambiguous, mut missed) = (Vec::new(), Vec::new());
        dispatch.witnesses(&possible, |choice, classes| match choice {
            Choice::One(one) => chosen[usize::from(one)] = true,
            Choice::Several(one, other) => ambiguous.push((one, other, classes.to_vec())),
            Choice::None => missed.push(classes.to_vec()),
        });
        let mut told: Vec<(u16, u16)> = Vec::new();
        for (one, other, classes) in ambiguous {
            chosen[usize::from(one)] = true;
            chosen[usize::from(other)] = true;
            // Those for the same types were told when they were read.
            let same = |at: u16| (&candidates[usize::from(at)].classes, candidates[usize::from(at)].level);
            if told.contains(&(one, other)) || same(one) == same(other) {
                continue;
            }
            told.push((one, other));
            let (a, b) = (&entries[usize::from(one)].name, &entries[usize::from(other)].name);
            let message = format!("`{}` and `{}` are both for {}", a.text, b.text, self.list(&classes));
            let help = "a rule for just these types would be nearer than both";
            let flaw = Diagnostic::error(codes::RULE_AMBIGUITY, message)
                .at(b.span, "")
                .also(a.span, "the other one");
            self.found.push(flaw.help(help));
        }
        if misses && !candidates.is_empty() && !missed.is_empty() {
            let message = format!("{name} has no rule for {}", self.list(&missed[0]));
            let mut warning = Diagnostic::warning(codes::RULE_COVERAGE, message).at(span, "");
            if missed.len() > 1 {
                warning =
                    warning.note(format!("nor for {} further combinations of classes", missed.len() - 1));
            }
            self.found.push(warning);
        }
        for (entry, _) in entries.iter().zip(chosen).filter(|(_, chosen)| !chosen) {
            let message = format!(
                "`{}` is never chosen: others are nearer, or no value has its types",
                entry.name.text
            );
            self.found.push(Diagnostic::warning(codes::RULE_COVERAGE, message).at(entry.name.span, ""));
        }
        (dispatch, routines)
    }

    /// The classes of values of a type.
    fn concrete(&self, ty: &Ty) -> Vec<ClassId> {
        let of = self.universe.class_of(ty);
        let nodes = self.universe.nodes;
        let is_value = |class: ClassId| {
            let entry = self.universe.classes.class(class);
            let common = class.0 >= nodes && self.universe.data.iter().all(|data| data.class != class);
            !entry.is_abstract || common && class != self.universe.common.node
        };
        self.universe
            .classes
            .iter()
            .map(|(class, _)| class)
            .filter(|&class| is_value(class) && of.is_none_or(|of| self.universe.is_kind(class, of)))
            .collect()
    }

    fn list(&self, classes: &[ClassId]) -> String {
        let names: Vec<String> =
            classes.iter().map(|&class| format!("`{}`", self.universe.classes.class(class).name)).collect();
        names.join(", ")
    }
}

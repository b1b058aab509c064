//! Automata in the place of path formulas: their propositions become state formulas.
//!
//! As in PRISM, a proposition that the property gives no meaning is the label with its name.

use super::translate::Translator;
use super::typed_formula::{Kind, TypedFormula};
use crate::ast::{ExprId, Name, UnreadAutomaton};
use crate::lower::{Place, Tree};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Fix, codes, nearest};
use volvelle_logic::{Formula, FormulaId, OmegaAutomaton};

impl Translator<'_> {
    /// The automaton with the name that a property has for it; `None` if files cannot be read here.
    fn read(&self, place: Place, file: &Name) -> Option<&Result<Arc<OmegaAutomaton>, UnreadAutomaton>> {
        let Tree::File(number) = self.tree(place.0) else { return None };
        self.lowering.files[number as usize].automata.get(&file.text)
    }

    /// The definitions of labels that propositions of an automaton are.
    pub(super) fn labels_of_automaton(
        &self,
        place: Place,
        file: &Name,
        propositions: &[(Name, ExprId)],
    ) -> Vec<Place> {
        let Some(Ok(automaton)) = self.read(place, file) else { return Vec::new() };
        let names = automaton.propositions.iter().filter(|name| given(propositions, name).is_none());
        names.filter_map(|name| self.lowering.label_definition(place.0, name)).collect()
    }

    /// `HOA: {"file", "a" <- φ, …}`
    pub(super) fn automaton(
        &mut self,
        place: Place,
        file: &Name,
        propositions: &[(Name, ExprId)],
    ) -> Option<TypedFormula> {
        let automaton = match self.read(place, file) {
            Some(Ok(automaton)) => automaton.clone(),
            Some(Err(unread)) => {
                let UnreadAutomaton { no_file, message, place, help } = unread.clone();
                let code = if no_file { codes::FILE_NOT_READ } else { codes::BAD_AUTOMATON };
                let mut diagnostic = Diagnostic::error(code, message).at(file.span, "");
                diagnostic = place.into_iter().fold(diagnostic, Diagnostic::note);
                self.report(help.into_iter().fold(diagnostic, Diagnostic::help));
                return None;
            }
            None => {
                let message = format!("the file `{}` cannot be read here", file.text);
                self.report(Diagnostic::error(codes::FILE_NOT_READ, message).at(file.span, ""));
                return None;
            }
        };
        let mut fine = true;
        for (i, (name, _)) in propositions.iter().enumerate() {
            let message = if !automaton.propositions.contains(&name.text) {
                format!("the automaton has no proposition \"{}\"", name.text)
            } else if given(&propositions[..i], &name.text).is_some() {
                format!("the proposition \"{}\" is given twice", name.text)
            } else {
                continue;
            };
            fine = false;
            let mut diagnostic = Diagnostic::error(codes::BAD_AUTOMATON, message).at(name.span, "");
            let names = || automaton.propositions.iter().map(String::as_str);
            if let Some(near) = nearest(&name.text, names()) {
                diagnostic = diagnostic.help(format!("did you mean \"{}\"?", near.name));
                let fix = Fix::instead(name.span, &name.text, near.name);
                diagnostic = diagnostic.fix(fix.certain_if(near.is_certain));
            }
            self.report(diagnostic);
        }
        let mut formulas: Vec<Option<FormulaId>> = Vec::new();
        for name in &automaton.propositions {
            let formula = match given(propositions, name) {
                Some(condition) => self.states(place.0, condition),
                None => self.label_of_automaton(place, file, name),
            };
            formulas.push(formula);
        }
        let formulas: Option<Vec<FormulaId>> = formulas.into_iter().collect();
        let formula = Formula::Automaton(automaton, formulas.filter(|_| fine)?);
        let formed = self.formed(formula, Kind::Path);
        self.automata.insert(formed.id, self.span(place));
        Some(formed)
    }

    /// The label that a proposition is.
    fn label_of_automaton(&mut self, place: Place, file: &Name, name: &str) -> Option<FormulaId> {
        if let Some((context, definition)) = self.lowering.label_definition(place.0, name) {
            return self.states(context, definition);
        }
        if self.lowering.find_label(self.tree(place.0), name).is_none() {
            match name {
                "init" => return Some(self.formulas.add(Formula::Init)),
                "deadlock" => return Some(self.formulas.add(Formula::Deadlock)),
                _ => {}
            }
        }
        let message = format!("the proposition \"{name}\" of the automaton is no label of the model");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_LABEL, message)
            .at(file.span, "")
            .help(format!("say what it means: HOA: {{\"{}\", \"{name}\" <- x=1}}", file.text));
        self.report(diagnostic);
        None
    }

    /// Refuses automata inside of other path formulas.
    pub(super) fn check_automata(&mut self) -> Option<()> {
        let mut refused = None;
        for id in self.formulas.ids() {
            let node = self.formulas.get(id);
            let what = match node {
                Formula::Prob { .. } | Formula::ForAll(_) | Formula::Exists(_) | Formula::Multi(_) => {
                    continue;
                }
                // The negation of a path formula is one.
                Formula::Not(inner) => {
                    if let Some(&place) = self.automata.get(inner) {
                        self.automata.insert(id, place);
                    }
                    continue;
                }
                Formula::Conditional { .. } => "conditional probabilities",
                Formula::Reward { .. } | Formula::Time { .. } => "rewards until a formula is satisfied",
                _ => "combinations of path formulas",
            };
            let inside = node.operands().iter().find_map(|operand| self.automata.get(operand).copied());
            if let Some(place) = inside {
                refused = Some((place, what));
            }
        }
        let Some((place, what)) = refused else { return Some(()) };
        let diagnostic =
            Diagnostic::error(codes::NOT_YET_EVALUATED, format!("automata in {what} are not yet evaluated"))
                .at(place, "")
                .help("an automaton can stand alone in P, A, E and multi, or negated");
        self.report(diagnostic);
        None
    }
}

/// The condition that a proposition is given.
fn given(propositions: &[(Name, ExprId)], name: &str) -> Option<ExprId> {
    propositions.iter().find(|(known, _)| known.text == name).map(|(_, condition)| *condition)
}

//! Reward structures and labels: observations of the program.

use super::context::ContextId;
use super::names::built_in;
use super::typed::Ty;
use super::{Lowering, Sources};
use crate::ast;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::{Const, FailKind};
use volvelle_model::{ActionId, Label, RewardStructure, SiteSubject, StateReward, TransitionReward};

impl Lowering {
    /// Lowers the labels of the model, in order.
    pub(crate) fn labels(&mut self, sources: &Sources) {
        let model = self.model.clone();
        let mut diagnostics = Vec::new();
        super::names::duplicates(model.labels.iter().map(|label| &label.name), &mut diagnostics);
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
        for label in &model.labels {
            if built_in(&label.name.text) {
                self.report(built_in_label(&label.name));
            }
            let what = format!("the label \"{}\"", label.name.text);
            if self.lower(sources, ContextId::MODEL, label.body).is_some()
                && let Some(typed) = self.condition(ContextId::MODEL, label.body, &what)
            {
                self.program.labels.push(Label {
                    name: Some(label.name.text.clone()),
                    expr: typed.expr,
                    origin: None,
                });
            }
        }
    }

    /// Lowers the reward structures of the model, in order. Actions must be numbered.
    pub(crate) fn rewards(&mut self, sources: &Sources) {
        let model = self.model.clone();
        let mut diagnostics = Vec::new();
        super::names::duplicates(model.rewards.iter().filter_map(|r| r.name.as_ref()), &mut diagnostics);
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
        let actions: FxHashMap<String, ActionId> = self
            .program
            .actions
            .iter()
            .enumerate()
            .map(|(i, action)| (action.name.clone(), ActionId(i as u32)))
            .collect();
        for rewards in &model.rewards {
            let mut structure = RewardStructure {
                name: rewards.name.as_ref().map(|name| name.text.clone()),
                ..Default::default()
            };
            for item in &rewards.items {
                self.reward_item(sources, item, &actions, &mut structure);
            }
            self.program.rewards.push(structure);
        }
    }

    fn reward_item(
        &mut self,
        sources: &Sources,
        item: &ast::RewardItem,
        actions: &FxHashMap<String, ActionId>,
        structure: &mut RewardStructure,
    ) {
        let guard = self.lower_as(sources, ContextId::MODEL, item.guard, Ty::Bool, |found, span| {
            Diagnostic::error(codes::TYPE_MISMATCH, "a guard must be a condition")
                .at(span, format!("this is {}", found.a_name()))
        });
        let value = self.lower_as(sources, ContextId::MODEL, item.value, Ty::Double, |found, span| {
            Diagnostic::error(codes::TYPE_MISMATCH, "a reward must be a number")
                .at(span, format!("this is {}", found.a_name()))
        });
        let action = match &item.action {
            None => None,
            Some(None) => Some(ActionId::SILENT),
            Some(Some(name)) => match actions.get(&name.text) {
                Some(&action) => Some(action),
                None => {
                    let known = self.program.actions[1..].iter().map(|action| action.name.as_str());
                    let diagnostic = super::compose::unknown_action(known, name);
                    self.report(diagnostic);
                    return;
                }
            },
        };
        let (Some(guard), Some(value)) = (guard, value) else { return };
        let constant = |expr| self.program.exprs.as_const(expr);
        let never = constant(guard.expr).and_then(Const::as_bool) == Some(false);
        let nothing = constant(value.expr).and_then(Const::as_f64) == Some(0.0);
        if never || nothing {
            return;
        }
        let site = self.site(FailKind::Assertion, SiteSubject::Reward, self.model.exprs.span(item.value));
        let (guard, value) = (guard.expr, value.expr);
        match action {
            None => structure.states.push(StateReward { guard, value, site }),
            Some(action) => structure.transitions.push(TransitionReward { action, guard, value, site }),
        }
    }
}

pub(crate) fn built_in_label(name: &ast::Name) -> Diagnostic {
    Diagnostic::error(codes::DUPLICATE_NAME, format!("the label \"{}\" is built in", name.text))
        .at(name.span, "choose another name")
}

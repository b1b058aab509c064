//! The players of a model: blocks that divide its modules and actions. An mdp or a chain is explored in the same way with and
//! without them; they name the players of coalitions (`properties::coalitions`).

use super::Lowering;
use super::compose::unknown_action;
use super::modules::unknown_module;
use crate::ast::Name;
use volvelle_diagnostics::{Diagnostic, codes};

impl Lowering {
    /// Refuses players whose modules do not exist, and parts that two players have.
    pub(super) fn players(&mut self) {
        let model = self.model.clone();
        let modules = || model.players.iter().flat_map(|player| &player.modules);
        let actions = || model.players.iter().flat_map(|player| &player.actions);
        self.distinct(model.players.iter().map(|player| &player.name), "player");
        self.distinct(modules(), "module");
        self.distinct(actions(), "action");
        for name in modules() {
            if !model.modules.iter().any(|module| module.name.text == name.text) {
                self.report(unknown_module(&model, name));
            }
        }
        for name in actions() {
            let known = || self.program.actions.iter().map(|action| action.name.as_str());
            if !known().any(|action| action == name.text) {
                let diagnostic = unknown_action(known(), name);
                self.report(diagnostic);
            }
        }
    }

    fn distinct<'a>(&mut self, names: impl Iterator<Item = &'a Name>, what: &str) {
        let mut seen: Vec<&Name> = Vec::new();
        for name in names {
            if let Some(first) = seen.iter().find(|first| first.text == name.text) {
                let message = format!("the {what} `{}` is listed twice", name.text);
                let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, message);
                self.report(diagnostic.at(name.span, "").also(first.span, "first here"));
            }
            seen.push(name);
        }
    }
}

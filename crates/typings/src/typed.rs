//! `--types`: the judgment whose results are types.

use crate::options::AskRules;
use std::path::Path;
use volvelle_console::refusal::Refused;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_rules::ir::{Judgment, JudgmentId};
use volvelle_rules::system::Loaded;
use volvelle_rules::types::Ty;

/// The judgment whose results are shown: that of the name, or that which gives one value for the most kinds of nodes; of several of
/// these that called `type`, or the first.
pub(crate) fn judgment(
    args: &AskRules,
    loaded: &Loaded,
    sources: &Sources,
) -> Result<Option<JudgmentId>, Refused> {
    let Some(name) = &args.types else { return Ok(None) };
    let system = &loaded.system;
    let node = Ty::Class(system.universe.common.node);
    let is_one = |judgment: &Judgment| {
        let (mut inputs, outputs) = (judgment.inputs(), judgment.outputs().count());
        let first = inputs.next().is_some_and(|ty| system.universe.fits(ty, &node));
        first && inputs.next().is_none() && outputs == 1
    };
    let all: Vec<(JudgmentId, &Judgment)> =
        system.judgments.iter().filter(|(_, judgment)| is_one(judgment)).collect();
    let kinds = |judgment: &Judgment| {
        let class = |(class, _)| Ty::Class(class);
        let all = system.universe.classes.iter().map(class);
        judgment.inputs().next().map_or(0, |ty| all.filter(|class| system.universe.fits(class, ty)).count())
    };
    let found = match name.as_str() {
        "" => all.iter().rev().max_by_key(|(_, judgment)| (kinds(judgment), judgment.name == "type")),
        name => all.iter().find(|(_, judgment)| judgment.name == name),
    };
    if let Some(&(id, _)) = found {
        return Ok(Some(id));
    }
    let known: Vec<&str> = all.iter().map(|(_, judgment)| judgment.name.as_str()).collect();
    let message = match name.as_str() {
        "" => "no judgment gives one value for a node".to_owned(),
        name if loaded.judgment(name).is_some() => {
            format!("`{name}` does not give one value for a node")
        }
        name => format!("there is no judgment `{name}`"),
    };
    let mut diagnostic = Diagnostic::error(codes::RULE_QUESTION, message).misspelt(name, &known);
    if Path::new(name).is_file() {
        diagnostic = diagnostic.help("programs stand before `--types`");
    }
    if !known.is_empty() {
        diagnostic = diagnostic.help(format!("those that do: {}", known.join(", ")));
    }
    Err(Refused::in_texts(vec![diagnostic], sources))
}

//! Copies of modules: `module b = a [x=y]`.
//!
//! What is left of `=` is a name of the original, what is right of it one of the copy: a new variable for each variable of the original,
//! a name of the model for anything else. A copy may be made of a copy, and of a module that stands further down.

use super::declare;
use super::spaces::Spaces;
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_prism::ast::{Model, ModuleBody, Name, Rename};

/// Declares what copies declare, and refers to what they name; originals before their copies.
pub(super) fn all<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, model: &'m Model) {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    for (number, module) in model.modules.iter().enumerate() {
        numbers.entry(&module.name.text).or_insert(number);
    }
    let mut done = vec![false; model.modules.len()];
    for start in 0..model.modules.len() {
        let mut chain = Vec::new();
        let mut next = Some(start);
        // A circle ends at a module that is already done.
        while let Some(at) = next.filter(|&at| !done[at]) {
            done[at] = true;
            chain.push(at);
            next = match &model.modules[at].body {
                ModuleBody::Renamed { base, .. } => numbers.get(base.text.as_str()).copied(),
                ModuleBody::Plain { .. } => None,
            };
        }
        for &at in chain.iter().rev() {
            if let ModuleBody::Renamed { base, renames } = &model.modules[at].body {
                declare_in(builder, spaces, spaces.module_ids[at], base, renames);
            }
        }
    }
    // A copy may name what one further down declares.
    for module in &model.modules {
        if let ModuleBody::Renamed { base, renames } = &module.body {
            refer_in(builder, spaces, base, renames);
        }
    }
}

/// New variables for those of the original, and new actions for its own.
fn declare_in<'m>(
    builder: &mut Builder<'_>,
    spaces: &mut Spaces<'m>,
    own: SymbolId,
    base: &Name,
    renames: &'m [Rename],
) {
    let original = spaces.modules.get(base.text.as_str()).copied();
    for Rename { from, to } in renames {
        let whole = from.span.to(to.span);
        let value = spaces.values.get(from.text.as_str()).copied();
        let is_local = |id: &SymbolId| builder.symbols[id.index()].container == original;
        if let Some(variable) = value.filter(|id| original.is_some() && is_local(id)) {
            let copied = &builder.symbols[variable.index()];
            // As the original is written, but for the name.
            let rest = copied.detail.strip_prefix(copied.name.as_str()).unwrap_or("");
            let (detail, comment) = (format!("{}{rest}", to.text), copied.comment.clone());
            let (kind, span) = (Kind::Variable, to.span);
            let declared = Declared { name: &to.text, kind, span, whole, detail, container: Some(own) };
            let id = builder.declare(declared);
            builder.symbols[id.index()].comment = comment;
            spaces.values.entry(&to.text).or_insert(id);
        } else if value.is_none()
            && spaces.actions.contains_key(from.text.as_str())
            && !spaces.actions.contains_key(to.text.as_str())
        {
            declare::action(builder, spaces, to, whole);
        }
    }
}

/// The names that are there: those that are new have been declared at their places.
fn refer_in(builder: &mut Builder<'_>, spaces: &Spaces<'_>, base: &Name, renames: &[Rename]) {
    let mut read = |name: &Name, symbol: Option<&SymbolId>| {
        if let Some(&symbol) = symbol {
            builder.refer(name.span, symbol, Role::Reads);
        }
    };
    read(base, spaces.modules.get(base.text.as_str()));
    for Rename { from, to } in renames {
        let value = spaces.values.get(from.text.as_str());
        let space = if value.is_some() { &spaces.values } else { &spaces.actions };
        read(from, space.get(from.text.as_str()));
        read(to, space.get(to.text.as_str()));
    }
}

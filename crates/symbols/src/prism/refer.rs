//! Where a model and its property files name what is declared.

use super::declare;
use super::spaces::{Space, Spaces};
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use volvelle_diagnostics::Span;
use volvelle_prism::ast::{
    Counted, ExprKind, Exprs, Model, ModuleBody, Name, PropertyFile, RewardName, RewardPath, System,
    TimeBound,
};

/// The names in a model.
pub(super) fn model<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, model: &'m Model) {
    for module in &model.modules {
        let ModuleBody::Plain { commands, .. } = &module.body else { continue };
        for command in commands {
            read(builder, &spaces.actions, command.action.iter());
            for assignment in command.updates.iter().flat_map(|update| &update.assignments) {
                if let Some(&variable) = spaces.values.get(assignment.target.text.as_str()) {
                    builder.refer(assignment.target.span, variable, Role::Writes);
                }
            }
        }
    }
    compositions(builder, spaces, model);
    let items = model.rewards.iter().flat_map(|rewards| &rewards.items);
    read(builder, &spaces.actions, items.filter_map(|item| item.action.as_ref()?.as_ref()));
    for player in &model.players {
        read(builder, &spaces.modules, player.modules.iter());
        read(builder, &spaces.actions, player.actions.iter());
    }
    for id in model.exprs.ids() {
        let expr = model.exprs.get(id);
        let symbol = match &expr.kind {
            ExprKind::Ident(name) => spaces.values.get(name.as_str()),
            ExprKind::Label(name) => spaces.labels.get(name.as_str()),
            _ => None,
        };
        if let Some(&symbol) = symbol {
            builder.refer(expr.span, symbol, Role::Reads);
        }
    }
}

/// The names in `system … endsystem`. What actions are renamed to may be new ones.
fn compositions<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, model: &'m Model) {
    let mut waiting: Vec<&System> = model.systems.iter().map(|(_, system, _)| system).collect();
    let mut parts = Vec::new();
    while let Some(system) = waiting.pop() {
        parts.push(system);
        match system {
            System::Name(_) => {}
            System::Parallel(operands) | System::Interleave(operands) => waiting.extend(operands),
            System::Sync(left, _, right) => waiting.extend([&**left, &**right]),
            System::Hide(operand, _) => waiting.push(operand),
            System::Rename(operand, renames) => {
                for rename in renames {
                    if !spaces.actions.contains_key(rename.to.text.as_str()) {
                        declare::action(builder, spaces, &rename.to, rename.from.span.to(rename.to.span));
                    }
                }
                waiting.push(operand);
            }
        }
    }
    for part in parts {
        match part {
            System::Name(name) => {
                let text = name.text.as_str();
                if let Some(&symbol) = spaces.modules.get(text).or_else(|| spaces.systems.get(text)) {
                    builder.refer(name.span, symbol, Role::Reads);
                }
            }
            System::Sync(_, actions, _) | System::Hide(_, actions) => {
                read(builder, &spaces.actions, actions.iter());
            }
            System::Rename(_, renames) => {
                let names = renames.iter().flat_map(|rename| [&rename.from, &rename.to]);
                read(builder, &spaces.actions, names);
            }
            System::Parallel(_) | System::Interleave(_) => {}
        }
    }
}

/// The names in a property file.
pub(super) fn properties(builder: &mut Builder<'_>, spaces: &Spaces<'_>, number: usize, file: &PropertyFile) {
    quantiles(builder, &file.exprs);
    for id in file.exprs.ids() {
        let expr = file.exprs.get(id);
        let symbol = match &expr.kind {
            ExprKind::Ident(name) => spaces.value_in(number, name),
            ExprKind::Label(name) => spaces.quoted_in(number, name),
            ExprKind::Reward { name, path, .. } => {
                let names = name.each().filter_map(|name| match name {
                    RewardName::Named(name) => Some(name),
                    _ => None,
                });
                read(builder, &spaces.rewards, names);
                if let RewardPath::Within(bound) = path {
                    counted(builder, spaces, bound);
                }
                None
            }
            ExprKind::Temporal { bound, .. } => {
                counted(builder, spaces, bound);
                None
            }
            ExprKind::Strategy { coalition, .. } => {
                read(builder, &spaces.players, coalition.players.iter().flatten());
                None
            }
            _ => None,
        };
        if let Some(symbol) = symbol {
            builder.refer(expr.span, symbol, Role::Reads);
        }
    }
}

/// Reward structures whose rewards a bound limits.
fn counted(builder: &mut Builder<'_>, spaces: &Spaces<'_>, bound: &TimeBound) {
    let names = bound.all().filter_map(|bound| match &bound.counted {
        Counted::Reward(name) => Some(name),
        _ => None,
    });
    read(builder, &spaces.rewards, names);
}

/// Variables of quantiles, and the ends of bounds that they are. Each holds within its quantile.
fn quantiles(builder: &mut Builder<'_>, exprs: &Exprs) {
    let mut variables: Vec<(Span, &Name)> = Vec::new();
    let mut ends: Vec<&Name> = Vec::new();
    for id in exprs.ids() {
        let expr = exprs.get(id);
        match &expr.kind {
            ExprKind::Quantile { variables: own, .. } => {
                variables.extend(own.iter().map(|variable| (expr.span, &variable.name)));
            }
            ExprKind::Temporal { bound, .. } | ExprKind::Reward { path: RewardPath::Within(bound), .. } => {
                ends.extend(bound.all().filter_map(|bound| Some(&bound.open.as_ref()?.variable)));
            }
            _ => {}
        }
    }
    variables.sort_by_key(|(_, name)| name.span.start);
    ends.sort_by_key(|name| name.span.start);
    let mut ends = ends.into_iter().peekable();
    // Those around the place that was reached, outermost first.
    let mut open: Vec<(Span, &str, SymbolId)> = Vec::new();
    let mut resolve_before =
        |builder: &mut Builder<'_>, open: &mut Vec<(Span, &str, SymbolId)>, start: u32| {
            while let Some(end) = ends.next_if(|end| end.span.start < start) {
                open.retain(|(whole, _, _)| end.span.end <= whole.end);
                if let Some((_, _, id)) = open.iter().rev().find(|(_, name, _)| *name == end.text) {
                    builder.refer(end.span, *id, Role::Reads);
                }
            }
        };
    for (whole, name) in variables {
        resolve_before(builder, &mut open, name.span.start);
        open.retain(|(outer, _, _)| name.span.end <= outer.end);
        let detail = builder.one_line(whole);
        let (kind, span) = (Kind::Parameter, name.span);
        let id = builder.declare(Declared { name: &name.text, kind, span, whole, detail, container: None });
        open.push((whole, &name.text, id));
    }
    resolve_before(builder, &mut open, u32::MAX);
}

fn read<'n>(builder: &mut Builder<'_>, space: &Space<'_>, names: impl Iterator<Item = &'n Name>) {
    for name in names {
        if let Some(&symbol) = space.get(name.text.as_str()) {
            builder.refer(name.span, symbol, Role::Reads);
        }
    }
}

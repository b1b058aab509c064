//! Types: sorts, operations, equations.

use super::spaces::Spaces;
use crate::builder::Builder;
use crate::index::{Kind, Role, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_lotos::data::{Data, OperationId};
use volvelle_lotos::syntax::{Condition, Name, Tree, TypeDefinition, ValueId, ValueKind};

/// Sorts and types of the language.
const BUILT_IN: &[(&str, &[&str])] = &[
    ("BOOL", &["BOOLEAN", "BOOL", "X_BOOLEAN"]),
    ("NAT", &["NATURAL", "NATURALNUMBER", "BASICNATURALNUMBER", "NAT", "X_NATURAL"]),
    ("INT", &["INTEGER", "INTEGERNUMBER", "INT", "X_INTEGER"]),
];

/// All types, also those that could not be read.
fn all(tree: &Tree) -> impl Iterator<Item = &TypeDefinition> {
    tree.types.iter().chain(&tree.broken_types)
}

/// Declares types and sorts, and what types rename; refers to what they import.
pub(super) fn types<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, tree: &'m Tree) {
    for ty in all(tree) {
        let detail = format!("type {}", ty.name.text);
        let id = spaces.declare(builder, &ty.name, Kind::Type, (ty.span, detail), None);
        spaces.types.entry(&ty.name.text).or_insert(id);
        for sort in ty.sorts.iter().chain(&ty.formal_sorts) {
            sort_of(builder, spaces, sort, id);
        }
    }
    for &(sort, types) in BUILT_IN {
        if !spaces.sorts.contains_key(sort) {
            let id = builder.built_in(sort, Kind::Type, "a sort of the language");
            spaces.sorts.insert(sort, id);
        }
        for &ty in types {
            if !spaces.types.contains_key(ty) {
                let id = builder.built_in(ty, Kind::Type, "a type of the language");
                spaces.types.insert(ty, id);
            }
        }
    }
    renamings(builder, spaces, tree);
    let imports = all(tree).flat_map(|ty| &ty.imports).chain(&tree.libraries);
    for name in imports {
        spaces.refer(builder, name, spaces.types.get(name.text.as_str()).copied());
    }
}

fn sort_of<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, sort: &'m Name, ty: SymbolId) {
    let detail = format!("sort {}", spaces.one_line(builder, sort.span));
    let id = spaces.declare(builder, sort, Kind::Type, (sort.span, detail), Some(ty));
    spaces.sorts.entry(&sort.text).or_insert(id);
}

/// `sortnames` and `opnnames`: new names are declared, unless they are those of what stands for something formal.
fn renamings<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, tree: &'m Tree) {
    let formal_sorts = all(tree).flat_map(|ty| &ty.formal_sorts).map(|name| name.text.as_str());
    let formal_operations = all(tree).flat_map(|ty| &ty.formal_operations);
    let formal: std::collections::HashSet<&str> =
        formal_sorts.chain(formal_operations.map(|op| op.name.text.as_str())).collect();
    for ty in all(tree) {
        let Some(instance) = &ty.instance else { continue };
        let container = spaces.types.get(ty.name.text.as_str()).copied();
        let is_actual = |old: &Name| instance.actualises && formal.contains(old.text.as_str());
        for renaming in instance.sorts.iter().filter(|renaming| !is_actual(&renaming.old)) {
            let whole = renaming.new.span.to(renaming.old.span);
            let detail = format!("sort {}", spaces.one_line(builder, whole));
            let id = spaces.declare(builder, &renaming.new, Kind::Type, (whole, detail), container);
            spaces.sorts.entry(&renaming.new.text).or_insert(id);
        }
        for renaming in instance.operations.iter().filter(|renaming| !is_actual(&renaming.old)) {
            let whole = renaming.new.span.to(renaming.old.span);
            let detail = spaces.one_line(builder, whole);
            let id = spaces.declare(builder, &renaming.new, Kind::Operation, (whole, detail), container);
            spaces.renamed.entry(&renaming.new.text).or_insert(id);
        }
    }
    for ty in all(tree) {
        let Some(instance) = &ty.instance else { continue };
        for name in instance.sorts.iter().flat_map(|renaming| [&renaming.new, &renaming.old]) {
            spaces.sort(builder, name);
        }
    }
}

/// Declares operations, and refers to them where the front end found them; variables of equations.
pub(super) fn operations<'m>(
    builder: &mut Builder<'_>,
    spaces: &mut Spaces<'m>,
    tree: &'m Tree,
    data: &Data,
) {
    let mut by_name: FxHashMap<&str, SymbolId> = spaces.renamed.clone();
    for ty in all(tree) {
        let container = spaces.types.get(ty.name.text.as_str()).copied();
        for op in ty.operations.iter().chain(&ty.formal_operations) {
            let detail = spaces.one_line(builder, op.span);
            let id = spaces.declare(builder, &op.name, Kind::Operation, (op.span, detail), container);
            by_name.entry(&op.name.text).or_insert(id);
            for sort in op.arguments.iter().chain([&op.result]) {
                spaces.sort(builder, sort);
            }
        }
    }
    for renaming in all(tree).filter_map(|ty| ty.instance.as_ref()).flat_map(|i| &i.operations) {
        for name in [&renaming.old, &renaming.new] {
            spaces.refer(builder, name, by_name.get(name.text.as_str()).copied());
        }
    }
    let mut known: FxHashMap<OperationId, Option<SymbolId>> = FxHashMap::default();
    let mut language: FxHashMap<&str, SymbolId> = FxHashMap::default();
    let own_files = spaces.own_files;
    for &(span, operation) in data.uses.iter().filter(|(span, _)| span.file.0 < own_files) {
        let symbol = *known.entry(operation).or_insert_with(|| {
            let operation = &data.operations[operation];
            let Some(declared) = operation.span else {
                return Some(*language.entry(&operation.name).or_insert_with(|| {
                    builder.built_in(&operation.name, Kind::Operation, "an operation of the language")
                }));
            };
            // What was renamed has the place of the original.
            let original = spaces.by_text.get(&declared).copied();
            let has_its_name =
                |id: &SymbolId| builder.symbols[id.0 as usize].name.eq_ignore_ascii_case(&operation.name);
            original.filter(has_its_name).or_else(|| spaces.renamed.get(operation.name.as_str()).copied())
        });
        if let Some(symbol) = symbol {
            builder.refer(span, symbol, Role::Reads);
        }
    }
    for ty in all(tree).filter(|ty| ty.span.file.0 < own_files) {
        equations(builder, spaces, tree, ty);
    }
}

fn equations<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, tree: &'m Tree, ty: &'m TypeDefinition) {
    let container = spaces.types.get(ty.name.text.as_str()).copied();
    let mut declared: Span = ty.name.span;
    for equation in &ty.equations {
        if let Some(sort) = equation.sort.as_ref().filter(|sort| sort.span != declared) {
            declared = sort.span;
            spaces.sort(builder, sort);
        }
        let mark = spaces.variables.mark();
        // The innermost stand first.
        for parameter in equation.variables.iter().rev() {
            let id = spaces.variable(builder, parameter, Kind::Variable, container);
            spaces.variables.enter(&parameter.name.text, id);
        }
        let premises = equation.premises.iter().copied();
        let conclusion = Condition { left: equation.left, right: Some(equation.right) };
        for condition in premises.chain([conclusion]) {
            self::condition(builder, spaces, tree, condition);
        }
        spaces.variables.leave(mark);
    }
}

pub(super) fn condition(builder: &mut Builder<'_>, spaces: &Spaces<'_>, tree: &Tree, condition: Condition) {
    value(builder, spaces, tree, condition.left);
    condition.right.into_iter().for_each(|right| value(builder, spaces, tree, right));
}

/// The variables and sorts in a value; operations are those of the front end.
pub(super) fn value(builder: &mut Builder<'_>, spaces: &Spaces<'_>, tree: &Tree, value: ValueId) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match &tree.values[value].kind {
            ValueKind::Of(operand, sort) => {
                spaces.sort(builder, sort);
                waiting.push(*operand);
            }
            ValueKind::Apply(name, operands) => {
                if operands.is_empty() {
                    spaces.refer(builder, name, spaces.variables.get(&name.text));
                }
                waiting.extend(operands);
            }
        }
    }
}

//! Where statements and declarations name what is declared.

use super::expressions::expression;
use super::scopes::Walk;
use crate::index::Role;
use volvelle_promela::ast::{
    Declaration, ExprId, Initial, Name, Proctype, Sequence, Statement, StatementKind, TypeName, Unit,
};

/// The names in a whole model.
pub(super) fn all(walk: &mut Walk<'_, '_, '_>) {
    let model = walk.model;
    for unit in &model.units {
        match unit {
            Unit::Declaration(declaration) => self::declaration(walk, declaration),
            Unit::Mtype { set, .. } => set.iter().for_each(|set| set_of(walk, set)),
            Unit::Typedef { fields, .. } => {
                fields.iter().for_each(|declaration| self::declaration(walk, declaration));
            }
            Unit::Proctype(proctype) => process(walk, proctype),
            Unit::Never { body, place, .. } | Unit::Trace { body, place, .. } => {
                walk.within = walk.declared.get(place).copied();
                walk.scoped(|walk| statements(walk, body));
                walk.within = None;
            }
            Unit::Ltl { formula, .. } => expression(walk, *formula, Role::Reads),
        }
    }
}

fn process<'m>(walk: &mut Walk<'_, '_, 'm>, proctype: &'m Proctype) {
    let outside = [proctype.active.flatten(), proctype.priority];
    outside.into_iter().flatten().for_each(|expr| expression(walk, expr, Role::Reads));
    walk.within = walk.declared.get(&proctype.name.place).copied();
    walk.scoped(|walk| {
        for parameter in &proctype.parameters {
            declaration(walk, parameter);
            enter(walk, parameter);
        }
        proctype.provided.iter().for_each(|&condition| expression(walk, condition, Role::Reads));
        statements(walk, &proctype.body);
    });
    walk.within = None;
}

fn statements<'m>(walk: &mut Walk<'_, '_, 'm>, body: &'m Sequence) {
    for statement in &body.statements {
        self::statement(walk, statement);
    }
}

/// The parser limits the depth of the recursion.
fn statement<'m>(walk: &mut Walk<'_, '_, 'm>, statement: &'m Statement) {
    use StatementKind as K;
    let mut reads: Vec<ExprId> = Vec::new();
    let mut writes: Vec<ExprId> = Vec::new();
    match &statement.kind {
        K::Declaration(declaration) => {
            self::declaration(walk, declaration);
            enter(walk, declaration);
        }
        K::Exclusive { channels, .. } => reads.extend(channels),
        K::Expression(condition) | K::Assert(condition) | K::Printm(condition) => reads.push(*condition),
        K::Assign { target, value } => {
            writes.push(*target);
            reads.push(*value);
        }
        K::Increment(target) | K::Decrement(target) => writes.push(*target),
        K::Send { channel, args, .. } => {
            reads.push(*channel);
            reads.extend(args);
        }
        K::Receive { channel, args, .. } => {
            reads.push(*channel);
            writes.extend(args);
        }
        K::For { variable, from, to, .. } | K::Select { variable, from, to } => {
            writes.push(*variable);
            reads.extend([from, to]);
        }
        K::ForIn { variable, collection, .. } => {
            writes.push(*variable);
            reads.push(*collection);
        }
        K::Printf { args, .. } => reads.extend(args),
        K::Goto(label) => jump(walk, label),
        K::If(_) | K::Do(_) | K::Atomic(_) | K::DStep(_) | K::Block(_) | K::Unless { .. } => {}
        K::Break | K::Error => {}
    }
    writes.into_iter().for_each(|expr| expression(walk, expr, Role::Writes));
    reads.into_iter().for_each(|expr| expression(walk, expr, Role::Reads));
    each_sequence(&statement.kind, &mut |block| walk.scoped(|walk| statements(walk, block)));
}

/// The sequences directly within a statement.
pub(super) fn each_sequence<'m>(kind: &'m StatementKind, visit: &mut dyn FnMut(&'m Sequence)) {
    match kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().for_each(visit),
        StatementKind::For { body, .. } | StatementKind::ForIn { body, .. } => visit(body),
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => visit(body),
        StatementKind::Unless { main, escape } => {
            visit(main);
            visit(escape);
        }
        _ => {}
    }
}

/// A label of the same call of an inline counts, then one of the calls around it, then the last one.
fn jump(walk: &mut Walk<'_, '_, '_>, name: &Name) {
    let Some(process) = walk.within.and_then(|process| walk.processes.get(&process)) else { return };
    let Some(known) = process.labels.get(name.text.as_str()) else { return };
    let model = walk.model;
    let calls = std::iter::successors(model.inline_call(name.place), |&call| model.inline_call(call));
    let mut found =
        calls.map(Some).chain([None]).filter_map(|call| known.iter().find(|(other, _)| *other == call));
    let label = found.next().or(known.last()).map(|&(_, label)| label);
    walk.refer(name, label, Role::Reads);
}

/// The names in a declaration, but for those that it declares.
fn declaration(walk: &mut Walk<'_, '_, '_>, declaration: &Declaration) {
    type_name(walk, &declaration.ty);
    for variable in &declaration.variables {
        let sizes = variable.length.iter().chain(&variable.bits);
        sizes.for_each(|&size| expression(walk, size, Role::Reads));
        match &variable.initial {
            Some(Initial::Value(value)) => expression(walk, *value, Role::Reads),
            Some(Initial::List(values)) => {
                values.iter().for_each(|&value| expression(walk, value, Role::Reads));
            }
            Some(Initial::Channel(channel)) => {
                expression(walk, channel.capacity, Role::Reads);
                channel.fields.iter().for_each(|ty| type_name(walk, ty));
            }
            None => {}
        }
    }
}

/// Brings the variables of a declaration into the scope.
fn enter<'m>(walk: &mut Walk<'_, '_, 'm>, declaration: &'m Declaration) {
    for variable in &declaration.variables {
        if let Some(&id) = walk.declared.get(&variable.name.place) {
            walk.locals.enter(&variable.name.text, id);
        }
    }
}

fn type_name(walk: &mut Walk<'_, '_, '_>, ty: &TypeName) {
    match ty {
        TypeName::User(name) => {
            let found = walk.structures.get(name.text.as_str()).map(|structure| structure.id);
            walk.refer(name, found, Role::Reads);
        }
        TypeName::Mtype(Some(set)) => set_of(walk, set),
        _ => {}
    }
}

fn set_of(walk: &mut Walk<'_, '_, '_>, set: &Name) {
    let found = walk.sets.get(set.text.as_str()).copied();
    walk.refer(set, found, Role::Reads);
}

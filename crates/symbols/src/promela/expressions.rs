//! Where expressions name what is declared.

use super::scopes::Walk;
use crate::index::{Kind, Role, SymbolId};
use volvelle_promela::ast::{ExprId, ExprKind, Name};

/// An expression that waits: what happens to it, and the process whose variables are meant, if that is another one.
struct Waiting {
    expr: ExprId,
    role: Role,
    of: Option<SymbolId>,
}

/// The names in an expression; `role` is that of the variable that it is.
pub(super) fn expression(walk: &mut Walk<'_, '_, '_>, expr: ExprId, role: Role) {
    let mut waiting = vec![Waiting { expr, role, of: None }];
    while let Some(Waiting { expr, role, of }) = waiting.pop() {
        let model = walk.model;
        let read = |expr: ExprId| Waiting { expr, role: Role::Reads, of };
        match &model.exprs.get(expr).kind {
            ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Field { .. } => {
                path(walk, Waiting { expr, role, of }, &mut waiting);
            }
            ExprKind::Run { name, args, priority } => {
                let process = walk.process_ids.get(name.text.as_str()).copied();
                walk.refer(name, process, Role::Reads);
                waiting.extend(args.iter().copied().chain(*priority).map(read));
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                let id = walk.process_ids.get(process.text.as_str()).copied();
                walk.refer(process, id, Role::Reads);
                let labels = id.and_then(|id| walk.processes.get(&id)?.labels.get(label.text.as_str()));
                let found = labels.and_then(|labels| labels.first()).map(|&(_, label)| label);
                walk.refer(label, found, Role::Reads);
                waiting.extend(pid.map(read));
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                let id = walk.process_ids.get(process.text.as_str()).copied();
                walk.refer(process, id, Role::Reads);
                waiting.extend(pid.map(read));
                waiting.push(Waiting { expr: *variable, role, of: id.or(of) });
            }
            kind => kind.for_each_child(|child| waiting.push(read(child))),
        }
    }
}

/// `a[i].b.c[j]`: the variable, then the fields of its type, and so on; indices wait.
fn path(walk: &mut Walk<'_, '_, '_>, Waiting { expr, role, of }: Waiting, waiting: &mut Vec<Waiting>) {
    let mut members: Vec<&Name> = Vec::new();
    let mut at = expr;
    let model = walk.model;
    let base = loop {
        match &model.exprs.get(at).kind {
            ExprKind::Index { base, index } => {
                waiting.push(Waiting { expr: *index, role: Role::Reads, of });
                at = *base;
            }
            ExprKind::Field { base, field } => {
                members.push(field);
                at = *base;
            }
            ExprKind::Name(name) => break name,
            _ => {
                waiting.push(Waiting { expr: at, role: Role::Reads, of });
                return;
            }
        }
    };
    let mut found = variable(walk, base, of);
    let is_constant = found.is_some_and(|id| walk.builder.symbols[id.0 as usize].kind == Kind::Constant);
    let role = if is_constant { Role::Reads } else { role };
    walk.refer(base, found, role);
    for member in members.into_iter().rev() {
        let structure = found.and_then(|id| walk.structures.get(walk.types.get(&id)?));
        found = structure.and_then(|structure| structure.fields.get(member.text.as_str()).copied());
        walk.refer(member, found, role);
    }
}

fn variable(walk: &Walk<'_, '_, '_>, name: &Name, of: Option<SymbolId>) -> Option<SymbolId> {
    match of {
        Some(process) => {
            let own = walk.processes.get(&process)?.variables.get(name.text.as_str());
            own.or_else(|| walk.globals.get(name.text.as_str())).copied()
        }
        None => walk.value(&name.text),
    }
}

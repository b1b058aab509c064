//! Paths: variables with indices and members, as they are written.

use crate::ast::{ExprId, ExprKind, Model, Name};

/// `a[i].b.c[j]`, taken apart.
pub(super) struct Path<'a> {
    /// The variable.
    pub name: &'a Name,
    /// One for the variable, then one for each member.
    pub indices: Vec<Option<ExprId>>,
    /// Names of members, outermost first.
    pub members: Vec<&'a Name>,
}

/// Takes `a[i].b.c[j]` apart; `None` for any other expression.
pub(super) fn path(model: &Model, expr: ExprId) -> Option<Path<'_>> {
    let (mut at, mut members, mut indices) = (expr, Vec::new(), vec![None]);
    loop {
        match &model.exprs.get(at).kind {
            ExprKind::Name(name) => {
                members.reverse();
                indices.reverse();
                return Some(Path { name, indices, members });
            }
            ExprKind::Index { base, index } => {
                let last = indices.last_mut().expect("there is always one");
                if last.is_some() {
                    return None;
                }
                *last = Some(*index);
                at = *base;
            }
            ExprKind::Field { base, field } => {
                members.push(field);
                indices.push(None);
                at = *base;
            }
            _ => return None,
        }
    }
}

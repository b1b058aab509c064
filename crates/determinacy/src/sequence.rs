//! The rest of an atomic sequence.

use volvelle_kernel::{BinaryOp, ExprId, Node};
use volvelle_model::places::each_write;
use volvelle_model::{Alternative, FieldId, Item, LocationId, Place, Program};

/// Whether a field may be written before other processes can move: by the process with exclusive control at a
/// location, or by a process that continues the sequence after receiving a message from it.
pub fn writes_in_sequence(program: &Program, location: u32, fields: &[FieldId]) -> bool {
    let network = &program.network;
    let mut seen = vec![false; network.locations.len()];
    let mut open = vec![location as usize];
    let enter = |alternative: &Alternative, open: &mut Vec<usize>| {
        let target = alternative.target();
        let goes_on = alternative.then_exclusive() && target != LocationId::NOWHERE;
        open.extend(goes_on.then(|| target.index()));
        writes(program, alternative, fields)
    };
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for alternative in network.locations[at].alternatives() {
            let mut takers = network
                .alternatives()
                .filter(|other| alternative.gives() && may_take(program, other, alternative));
            if enter(alternative, &mut open) || takers.any(|taken| enter(taken, &mut open)) {
                return true;
            }
        }
    }
    false
}

/// Whether a receive may match a send, as far as their constants tell.
fn may_take(program: &Program, taken: &Alternative, given: &Alternative) -> bool {
    if !taken.takes() || taken.items().len() != given.items().len() {
        return false;
    }
    let exprs = &program.exprs;
    let constant = |expr: ExprId| exprs.as_const(expr).and_then(|c| c.as_i64());
    let channel = |alternative: &Alternative| constant(alternative.offer.as_ref()?.at?);
    if let (Some(here), Some(there)) = (channel(taken), channel(given))
        && here != there
    {
        return false;
    }
    let mut open = vec![taken.guard];
    while let Some(conjunct) = open.pop() {
        match exprs.node(conjunct) {
            Node::And { lhs, rhs } => open.extend([lhs, rhs]),
            Node::Binary { op: BinaryOp::Eq, lhs, rhs } => {
                for (item, value) in [(lhs, rhs), (rhs, lhs)] {
                    let Node::Local(local, _) = exprs.node(item) else { continue };
                    let Place::Offered(k) = program.place(local) else { continue };
                    let Some(Item::Give(offered)) = given.items().get(k as usize) else { continue };
                    if let (Some(value), Some(offered)) = (constant(value), constant(*offered))
                        && value != offered
                    {
                        return false;
                    }
                }
            }
            _ => {}
        }
    }
    true
}

fn writes(program: &Program, alternative: &Alternative, fields: &[FieldId]) -> bool {
    let mut found = false;
    each_write(alternative.effect(), &mut |place, _| {
        found |= program.place(place).field().is_some_and(|field| fields.contains(&field));
    });
    found
}

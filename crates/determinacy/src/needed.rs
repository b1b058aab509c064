//! Variables on which something depends: a guard, a channel, an index, a possible failure, or the question.
//!
//! All others are only copied among themselves. States that differ in them alone continue alike.

use crate::names::{Part, collect};
use rustc_hash::FxHashSet;
use volvelle_kernel::{ExprId, Node};
use volvelle_model::{Item, LocationId, Place, Program};

/// A variable: a field (of any instance), a temporary, or a position in messages of a given length.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Field(u32),
    Temporary(u32),
    Offered(usize, u32),
}

struct Needed<'p> {
    program: &'p Program,
    found: FxHashSet<Variable>,
}

/// By field: whether something depends on it. `roots` are the expressions of the question.
pub fn fields(program: &Program, roots: &[ExprId]) -> Vec<bool> {
    let network = &program.network;
    // Each part with the length of the message of its step.
    let mut parts: Vec<(Part, usize)> = Vec::new();
    let mut add = |new: Vec<Part>, items: usize| parts.extend(new.into_iter().map(|part| (part, items)));
    let mut initial = Vec::new();
    collect(program, &network.initialisation, &mut initial);
    add(initial, 0);
    add(roots.iter().map(|&root| Part::Use(root)).collect(), 0);
    let mut gives = Vec::new();
    for alternative in network.alternatives().filter(|a| a.target() != LocationId::NOWHERE) {
        let items = alternative.items().len();
        let mut own = vec![Part::Use(alternative.guard)];
        own.extend(alternative.offer.iter().filter_map(|offer| offer.at).map(Part::Use));
        collect(program, alternative.effect(), &mut own);
        add(own, items);
        for (k, item) in alternative.items().iter().enumerate() {
            if let Item::Give(value) = item {
                gives.push((Variable::Offered(items, k as u32), *value, items));
            }
        }
    }
    let mut needed = Needed { program, found: FxHashSet::default() };
    for (part, items) in &parts {
        match part {
            Part::Use(value) => needed.read(*value, *items),
            Part::Store(place, value) => {
                place.slot().into_iter().for_each(|slot| needed.read(slot, *items));
                if needed.may_fail(*value) {
                    needed.read(*value, *items);
                }
            }
        }
    }
    for &(_, value, items) in &gives {
        if needed.may_fail(value) {
            needed.read(value, items);
        }
    }
    loop {
        let before = needed.found.len();
        for (part, items) in &parts {
            if let Part::Store(place, value) = part
                && variable(*place, *items).is_some_and(|variable| needed.found.contains(&variable))
            {
                needed.read(*value, *items);
            }
        }
        for &(variable, value, items) in &gives {
            if needed.found.contains(&variable) {
                needed.read(value, items);
            }
        }
        if needed.found.len() == before {
            break;
        }
    }
    // The machine itself reads locations, counts of slots, and what a slot holds.
    let is_needed = |field: u32| {
        network.location.is_some_and(|location| location.0 == field)
            || network.pools.iter().any(|p| p.count.0 == field || p.kind.is_some_and(|kind| kind.0 == field))
            || needed.found.contains(&Variable::Field(field))
    };
    (0..program.fields.len() as u32).map(is_needed).collect()
}

fn variable(place: Place, items: usize) -> Option<Variable> {
    match place {
        Place::Field(field) | Place::Slot { field, .. } => Some(Variable::Field(field.0)),
        Place::Temporary(t) => Some(Variable::Temporary(t.0)),
        Place::Offered(k) => Some(Variable::Offered(items, k)),
        _ => None,
    }
}

impl Needed<'_> {
    fn each_node(&self, root: ExprId, mut f: impl FnMut(Node)) {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let node = self.program.exprs.node(id);
            self.program.each_operand(&node, |operand| open.push(operand));
            f(node);
        }
    }

    /// Marks the variables that an expression reads as needed.
    fn read(&mut self, root: ExprId, items: usize) {
        let mut read = Vec::new();
        self.each_node(root, |node| {
            let place = match node {
                Node::Local(local, _) => Some(self.program.place(local)),
                Node::Load { buffer, .. } => Some(self.program.place(buffer)),
                _ => None,
            };
            read.extend(place.and_then(|place| variable(place, items)));
        });
        self.found.extend(read);
    }

    /// Whether evaluating an expression may fail.
    fn may_fail(&self, root: ExprId) -> bool {
        let mut may_fail = false;
        self.each_node(root, |node| {
            let checks =
                matches!(node, Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. });
            may_fail |= checks || matches!(node, Node::Load { .. } | Node::Len(_));
        });
        may_fail
    }
}

//! Whether numbers of processes and channels are only names.
//!
//! The number of a new process or channel depends on how many exist, and so on the schedule. This is harmless
//! if such numbers are only copied, sent, and used to find a process or channel.

use rustc_hash::FxHashSet;
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Node, Stmt};
use volvelle_model::{FieldId, Item, LocationId, Place, Program};

/// Variables that may hold names.
#[derive(Default)]
struct Names {
    fields: FxHashSet<FieldId>,
    temporaries: FxHashSet<u32>,
    offered: FxHashSet<u32>,
}

impl Names {
    fn len(&self) -> usize {
        self.fields.len() + self.temporaries.len() + self.offered.len()
    }

    fn has(&self, place: Place) -> bool {
        match place {
            Place::Field(field) | Place::Slot { field, .. } => self.fields.contains(&field),
            Place::Temporary(t) => self.temporaries.contains(&t.0),
            Place::Offered(k) => self.offered.contains(&k),
            Place::Mover => true,
            _ => false,
        }
    }

    fn add(&mut self, place: Place) {
        match place {
            Place::Field(field) | Place::Slot { field, .. } => {
                self.fields.insert(field);
            }
            Place::Temporary(t) => {
                self.temporaries.insert(t.0);
            }
            Place::Offered(k) => {
                self.offered.insert(k);
            }
            _ => {}
        }
    }

    /// Whether the value of an expression depends on a name. A name that only selects a slot does not count.
    fn are_in(&self, program: &Program, root: ExprId) -> bool {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let node = program.exprs.node(id);
            let place = match node {
                Node::Local(local, _) => Some(program.place(local)),
                Node::Load { buffer, .. } => Some(program.place(buffer)),
                _ => None,
            };
            if place.is_some_and(|place| self.has(place)) {
                return true;
            }
            Exprs::each_operand(&node, |operand| open.push(operand));
        }
        false
    }

    /// Whether an expression contains no name, or is itself a name: read unchanged, or the next or previous
    /// one.
    fn is_copy(&self, program: &Program, id: ExprId) -> bool {
        if !self.are_in(program, id) {
            return true;
        }
        match program.exprs.node(id) {
            Node::Local(..) => true,
            Node::Load { index, .. } => !self.are_in(program, index),
            Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                matches!(program.exprs.node(lhs), Node::Local(..))
                    && matches!(program.exprs.node(rhs), Node::Const(c) if c.bits == 1)
            }
            _ => false,
        }
    }
}

/// An expression of a statement, and its use.
pub enum Part {
    /// Stores a value.
    Store(Place, ExprId),
    /// Evaluates a value for its own sake.
    Use(ExprId),
}

/// Whether numbers of processes and channels are used as names only.
pub fn are_opaque(program: &Program) -> bool {
    let network = &program.network;
    let mut names = Names::default();
    network.pools.iter().for_each(|pool| names.add(Place::Field(pool.count)));
    let mut parts = Vec::new();
    collect(program, &network.initialisation, &mut parts);
    let mut offers = Vec::new();
    for alternative in network.alternatives().filter(|a| a.target() != LocationId::NOWHERE) {
        parts.push(Part::Use(alternative.guard));
        collect(program, alternative.effect(), &mut parts);
        for (k, item) in alternative.items().iter().enumerate() {
            if let Item::Give(value) = item {
                offers.push((k as u32, *value));
            }
        }
    }
    parts.extend(program.labels.iter().map(|label| Part::Use(label.expr)));
    parts.extend(program.numbers.iter().map(|number| Part::Use(number.expr)));
    loop {
        let before = names.len();
        for part in &parts {
            if let Part::Store(place, value) = part
                && names.are_in(program, *value)
            {
                names.add(*place);
            }
        }
        for &(k, value) in &offers {
            if names.are_in(program, value) {
                names.add(Place::Offered(k));
            }
        }
        if names.len() == before {
            break;
        }
    }
    parts.iter().all(|part| match part {
        Part::Store(_, value) => names.is_copy(program, *value),
        Part::Use(value) => !names.are_in(program, *value),
    }) && offers.iter().all(|&(_, value)| names.is_copy(program, value))
}

/// The parts of a block. Recursion is as deep as blocks nest, which front ends limit.
pub fn collect(program: &Program, block: &Block, parts: &mut Vec<Part>) {
    for statement in block {
        match statement {
            Stmt::Set { local, value } => parts.push(Part::Store(program.place(*local), *value)),
            Stmt::Store { buffer, index, value } => {
                parts.push(Part::Use(*index));
                parts.push(Part::Store(program.place(*buffer), *value));
            }
            Stmt::If { cond, then, otherwise } => {
                parts.push(Part::Use(*cond));
                collect(program, then, parts);
                collect(program, otherwise, parts);
            }
            Stmt::Switch { on, cases, default } => {
                parts.push(Part::Use(*on));
                cases.iter().for_each(|(_, block)| collect(program, block, parts));
                collect(program, default, parts);
            }
            Stmt::For { from, to, body, .. } => {
                parts.extend([Part::Use(*from), Part::Use(*to)]);
                collect(program, body, parts);
            }
            Stmt::Machine { from, to, start, blocks, .. } => {
                parts.extend([Part::Use(*from), Part::Use(*to), Part::Use(*start)]);
                blocks.iter().for_each(|block| collect(program, block, parts));
            }
            _ => {}
        }
    }
}

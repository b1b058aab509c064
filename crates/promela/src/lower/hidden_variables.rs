//! Hidden variables: which of them are no part of the state.
//!
//! SPIN keeps all `hidden` variables out of the state. Where a guard depends on their values, it takes different states for
//! the same and overlooks runs. Here a hidden variable is out of the state only if no guard, claim or other variable depends
//! on it; otherwise it is a part of the state like others, so that verdicts are right.

use super::environment::Environment;
use rustc_hash::FxHashSet;
use volvelle_kernel::{Block, ExprId, Node, Stmt};
use volvelle_model::{Domain, FieldId, Place, PlaceId, Program, SharedResource};

/// Takes hidden variables on which nothing depends out of the state. Simulations keep them, to show them.
pub(super) fn drop_hidden(env: &Environment<'_>, program: &mut Program) {
    let mut hidden: FxHashSet<FieldId> = FxHashSet::default();
    if env.fields.print.is_none() {
        let variables = env.variables.values().filter(|v| v.hidden && v.process.is_none());
        let leaves = variables.flat_map(|v| &v.leaves).filter(|leaf| leaf.channel.is_none());
        hidden.extend(leaves.map(|leaf| leaf.field));
    }
    // A variable on which a kept one depends is kept.
    while !hidden.is_empty() {
        let needed = Needed::of(program, &hidden);
        let before = hidden.len();
        hidden.retain(|field| !needed.contains(field));
        if hidden.len() == before {
            break;
        }
    }
    for &field in &hidden {
        program.fields[field.index()].domain = Domain::Int { lo: 0, hi: 0 };
    }
    let is_kept = |object: &SharedResource| !matches!(object, SharedResource::Field(field, _) if hidden.contains(field));
    for location in &mut program.network.locations {
        for transition in location.alternatives_mut() {
            transition.accesses.retain(|touch| is_kept(&touch.resource));
        }
    }
}

/// Fields on which something besides the hidden fields depends.
struct Needed<'a> {
    program: &'a Program,
    hidden: &'a FxHashSet<FieldId>,
    roots: Vec<ExprId>,
    stored: FxHashSet<FieldId>,
}

impl<'a> Needed<'a> {
    fn of(program: &'a Program, hidden: &'a FxHashSet<FieldId>) -> FxHashSet<FieldId> {
        let network = &program.network;
        let mut needed = Needed { program, hidden, roots: Vec::new(), stored: FxHashSet::default() };
        needed.roots.extend(program.labels.iter().map(|l| l.expr));
        needed.roots.extend(network.types.iter().filter_map(|t| t.guard));
        needed.roots.extend(network.completion.map(|(complete, _)| complete));
        for transition in network.alternatives() {
            needed.roots.push(transition.guard);
            if let Some(offer) = &transition.offer {
                needed.roots.extend(offer.expressions());
            }
            needed.block(transition.effect());
        }
        needed.block(&network.initialisation);
        needed.fields()
    }

    /// Recursion is as deep as effects nest, which the parser limits.
    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Stmt::Set { local, value } => self.store((*local).into(), None, *value),
                Stmt::Store { buffer, index, value } => {
                    self.store((*buffer).into(), Some(*index), *value);
                }
                Stmt::If { cond, then, otherwise } => {
                    self.roots.push(*cond);
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Switch { on, cases, default } => {
                    self.roots.push(*on);
                    cases.iter().for_each(|(_, block)| self.block(block));
                    self.block(default);
                }
                Stmt::For { from, to, body, .. } => {
                    self.roots.extend([from, to]);
                    self.block(body);
                }
                Stmt::Emit { value, .. }
                | Stmt::Truncate { len: value, .. }
                | Stmt::Copy { start: value, .. }
                | Stmt::Take { index: value, .. } => self.roots.push(*value),
                Stmt::Machine { from, to, start, blocks, .. } => {
                    self.roots.extend([from, to, start]);
                    blocks.iter().for_each(|block| self.block(block));
                }
                Stmt::Goto { .. } | Stmt::Break | Stmt::Fail { .. } | Stmt::Return => {}
            }
        }
    }

    /// Nothing depends on a store to a hidden field, unless evaluating it may fail.
    fn store(&mut self, target: PlaceId, index: Option<ExprId>, value: ExprId) {
        let target = self.program.place(target);
        let parts = index.into_iter().chain([value]);
        match target {
            Place::Field(field) if self.hidden.contains(&field) => {
                if parts.clone().any(|part| may_fail(self.program, part)) {
                    // The store is kept, so that it fails.
                    self.roots.extend(parts);
                    self.stored.insert(field);
                }
            }
            _ => self.roots.extend(parts.chain(target.slot())),
        }
    }

    fn fields(&self) -> FxHashSet<FieldId> {
        let exprs = &self.program.exprs;
        let reached = self.program.reachable(self.roots.iter().copied());
        let read = |id: ExprId| self.program.place_read(&exprs.node(id))?.field();
        let read = exprs.ids().filter(|id| reached[id.index()]).filter_map(read);
        read.chain(self.stored.iter().copied()).collect()
    }
}

/// Whether evaluating an expression may fail. Divisions by positive constants do not.
fn may_fail(program: &Program, root: ExprId) -> bool {
    let exprs = &program.exprs;
    let reached = program.reachable([root]);
    exprs.ids().filter(|id| reached[id.index()]).any(|id| match exprs.node(id) {
        Node::Checked { rhs, .. } => exprs.as_const(rhs).and_then(|c| c.as_i64()).is_none_or(|n| n < 1),
        Node::Range { .. } | Node::CheckedConvert { .. } => true,
        _ => false,
    })
}

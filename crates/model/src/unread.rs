//! Removes variables on which no guard, claim or other variable depends.
//!
//! States that differ only in such variables behave alike, so the variables are removed from the state:
//! `hidden` ones always, others if a search may reduce. (Holzmann, *Design and Validation of Computer
//! Protocols*, calls them redundant.)

use crate::domain::Domain;
use crate::ids::{FieldId, PlaceId};
use crate::places::Place;
use crate::program::{Program, SiteSubject};
use crate::{SharedResource, accesses};
use rustc_hash::FxHashSet;
use volvelle_kernel::{BinaryOp, Block, ExprId, Node, Stmt};

/// Removes those candidates on which nothing depends, with the stores to them. Candidates are global
/// variables. For those of 32 bits, values that do not fit are then not noted. Notes about narrower ones keep
/// the variables they need.
pub fn drop_unread(program: &mut Program, mut candidates: FxHashSet<FieldId>) {
    // A variable on which a kept one depends is also kept.
    while !candidates.is_empty() {
        let needed = Needed::of(program, &candidates);
        let before = candidates.len();
        candidates.retain(|field| !needed.contains(field));
        if candidates.len() == before {
            break;
        }
    }
    if candidates.is_empty() {
        return;
    }
    let zero = program.exprs.i64(0);
    let mut checked = FxHashSet::default();
    let mut effects: Vec<Block> = Vec::new();
    for alternative in program.network.alternatives() {
        effects.push(without(program, &candidates, zero, alternative.effect(), &mut checked));
    }
    let initialisation = &program.network.initialisation;
    program.network.initialisation = without(program, &candidates, zero, initialisation, &mut checked);
    let is_kept = |resource: &SharedResource| !matches!(resource, SharedResource::Field(field, _) if candidates.contains(field));
    let mut effects = effects.into_iter();
    for location in &mut program.network.locations {
        for alternative in location.alternatives_mut() {
            alternative.accesses.retain(|access: &accesses::Access| is_kept(&access.resource));
            if let Some(effect) = effects.next() {
                *alternative.effect_mut() = effect;
            }
        }
    }
    for &field in &candidates {
        // A store to a field without bits does nothing, and its index is not evaluated.
        let hi = i64::from(checked.contains(&field));
        program.fields[field.index()].domain = Domain::Int { lo: 0, hi };
    }
}

/// A block without stores to some fields. A store whose index may fail becomes a store of zero, and its field
/// is added to `checked`. Recursion is as deep as effects nest, which front ends limit.
fn without(
    program: &Program,
    fields: &FxHashSet<FieldId>,
    zero: ExprId,
    block: &Block,
    checked: &mut FxHashSet<FieldId>,
) -> Block {
    let one = |place: PlaceId| program.place(place).field().filter(|field| fields.contains(field));
    let mut kept = Vec::with_capacity(block.len());
    for statement in block {
        let mut inner = |block: &Block| without(program, fields, zero, block, checked);
        kept.push(match statement {
            Stmt::Set { local, .. } if one((*local).into()).is_some() => continue,
            Stmt::Store { buffer, index, .. } if one((*buffer).into()).is_some() => {
                if !may_fail(program, *index) {
                    continue;
                }
                checked.extend(one((*buffer).into()));
                Stmt::Store { buffer: *buffer, index: *index, value: zero }
            }
            Stmt::If { otherwise, .. } if noted_store(program, fields, statement) => {
                kept.extend(inner(otherwise));
                continue;
            }
            Stmt::If { cond, then, otherwise } => {
                Stmt::If { cond: *cond, then: inner(then), otherwise: inner(otherwise) }
            }
            Stmt::Switch { on, cases, default } => Stmt::Switch {
                on: *on,
                cases: cases.iter().map(|(key, block)| (*key, inner(block))).collect(),
                default: inner(default),
            },
            Stmt::For { local, from, to, body } => {
                Stmt::For { local: *local, from: *from, to: *to, body: inner(body) }
            }
            Stmt::Machine { local, from, to, start, blocks } => Stmt::Machine {
                local: *local,
                from: *from,
                to: *to,
                start: *start,
                blocks: blocks.iter().map(&mut inner).collect(),
            },
            other => other.clone(),
        });
    }
    kept
}

/// Whether a statement only stores to one of some 32-bit fields, and notes if the value does not fit.
fn noted_store(program: &Program, fields: &FxHashSet<FieldId>, statement: &Stmt) -> bool {
    let Stmt::If { then, otherwise, .. } = statement else { return false };
    let is_store = |statement: &Stmt| {
        let place = match statement {
            Stmt::Set { local, .. } => program.place(*local),
            Stmt::Store { buffer, .. } => program.place(*buffer),
            _ => return false,
        };
        let is_wide = |field: FieldId| {
            let (lo, hi) = program.fields[field.index()].domain.bounds();
            hi - lo >= i64::from(u32::MAX)
        };
        matches!(place, Place::Field(field) if fields.contains(&field) && is_wide(field))
    };
    let is_note = |statement: &Stmt| match statement {
        Stmt::Set { local, .. } => program.place(*local) == Place::Noted,
        Stmt::Fail { site } => program.sites[site.index()].subject == SiteSubject::Note,
        _ => false,
    };
    then.iter().all(|statement| is_store(statement) || is_note(statement))
        && then.iter().any(is_store)
        && otherwise.iter().all(is_store)
}

/// Whether a global variable only accumulates: nothing depends on it, and every store to it adds an amount
/// that is independent of it. Then states that differ only in it behave alike, whatever its value.
pub fn only_accumulates(program: &Program, field: FieldId) -> bool {
    let info = &program.fields[field.index()];
    if info.component.is_some() || info.length != 1 {
        return false;
    }
    let own = FxHashSet::from_iter([field]);
    !Needed::of_counters(program, &own).contains(&field)
}

/// If an expression is the value of a field plus some amounts, perhaps truncated: the amounts, which do not
/// depend on the field.
fn amounts(program: &Program, field: FieldId, value: ExprId) -> Option<Vec<ExprId>> {
    let exprs = &program.exprs;
    let reads = |id: ExprId| program.reads(id).contains(&field);
    let (mut at, mut found) = (value, Vec::new());
    loop {
        let node = exprs.node(at);
        if program.place_read(&node).and_then(|place| place.field()) == Some(field) {
            return Some(found);
        }
        at = match node {
            Node::Convert { arg, .. } => arg,
            Node::Binary { op: BinaryOp::Add, lhs, rhs } if reads(lhs) && !reads(rhs) => {
                found.push(rhs);
                lhs
            }
            Node::Binary { op: BinaryOp::Add, lhs, rhs } if reads(rhs) && !reads(lhs) => {
                found.push(lhs);
                rhs
            }
            Node::Binary { op: BinaryOp::Sub, lhs, rhs } if !reads(rhs) => {
                found.push(rhs);
                lhs
            }
            _ => return None,
        };
    }
}

/// Fields on which something besides the candidates depends.
struct Needed<'a> {
    program: &'a Program,
    unread: &'a FxHashSet<FieldId>,
    /// Whether candidates may accumulate: then a store that adds to one only needs the amounts, while any
    /// other store needs the candidate. First values do not matter.
    are_counters: bool,
    roots: Vec<ExprId>,
    stored: FxHashSet<FieldId>,
}

impl<'a> Needed<'a> {
    fn of(program: &'a Program, unread: &'a FxHashSet<FieldId>) -> FxHashSet<FieldId> {
        let (roots, stored) = (Vec::new(), FxHashSet::default());
        Needed { program, unread, are_counters: false, roots, stored }.found()
    }

    fn of_counters(program: &'a Program, unread: &'a FxHashSet<FieldId>) -> FxHashSet<FieldId> {
        let (roots, stored) = (Vec::new(), FxHashSet::default());
        Needed { program, unread, are_counters: true, roots, stored }.found()
    }

    fn found(self) -> FxHashSet<FieldId> {
        let (program, mut needed) = (self.program, self);
        let network = &program.network;
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
        if !needed.are_counters {
            needed.block(&network.initialisation);
        }
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
                Stmt::If { .. } if noted_store(self.program, self.unread, statement) => {
                    // The parts can fail only together with the plain store.
                    if let Stmt::If { otherwise, .. } = statement {
                        self.block(otherwise);
                    }
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

    /// Nothing depends on a store to a candidate, unless evaluating it may fail.
    fn store(&mut self, target: PlaceId, index: Option<ExprId>, value: ExprId) {
        let target = self.program.place(target);
        let parts = index.into_iter().chain([value]);
        match target {
            Place::Field(field) if self.are_counters && self.unread.contains(&field) => {
                match amounts(self.program, field, value) {
                    Some(amounts) => self.roots.extend(amounts),
                    None => {
                        self.stored.insert(field);
                    }
                }
            }
            Place::Field(field) if self.unread.contains(&field) => {
                let is_number = matches!(self.program.fields[field.index()].domain, Domain::Int { .. });
                if may_fail(self.program, value)
                    || !is_number && parts.clone().any(|p| may_fail(self.program, p))
                {
                    // The store is kept, so that it can fail.
                    self.roots.extend(parts);
                    self.stored.insert(field);
                } else {
                    // A store of zero is kept, so that the index can fail.
                    self.roots.extend(index.filter(|&index| may_fail(self.program, index)));
                }
            }
            _ => self.roots.extend(parts.chain(target.slot())),
        }
    }

    fn fields(&self) -> FxHashSet<FieldId> {
        let exprs = &self.program.exprs;
        let read = |id: ExprId| self.program.place_read(&exprs.node(id))?.field();
        let read = self.program.needed(self.roots.iter().copied()).into_iter().filter_map(read);
        read.chain(self.stored.iter().copied()).collect()
    }
}

/// Whether evaluating an expression may fail. Divisions by positive constants do not.
fn may_fail(program: &Program, root: ExprId) -> bool {
    let exprs = &program.exprs;
    program.needed([root]).into_iter().any(|id| match exprs.node(id) {
        Node::Checked { rhs, .. } => exprs.as_const(rhs).and_then(|c| c.as_i64()).is_none_or(|n| n < 1),
        Node::Range { .. } | Node::CheckedConvert { .. } => true,
        _ => false,
    })
}

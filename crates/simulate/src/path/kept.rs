//! Weights that are kept from step to step: after a step only those are weighed again whose guards or rates read a field that
//! the step assigned.
//!
//! For models of many slots whose steps touch few of them: networks of reactions, of queues, of machines. The weights are the
//! leaves of a tree, in the order of the slots, and its nodes, which are kept as well, are the sums of their children. A slot is
//! found from the root downwards, among a few children each time; a step sets the nodes above the weights that it sets. All
//! of it is written out for every branch: which weights it changes is known when the code is made.
//!
//! What is drawn, and which slot it falls on, is what the other shapes draw. Sums of integers do not depend on the order of
//! additions. Doubles are added up in each step in the order of the slots, as the other shapes do, so that the tree is flat.
//! Weights that may fail are not kept: they fail on arrival in a state, after what the state decides.

use super::choice::{Sums, number_type};
use super::control::Reads;
use super::{Builder, Plan, Shape};
use crate::slots::{Branch, Slot};
use crate::weights::Arithmetic;
use std::rc::Rc;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Kernel, Local, Stmt, Type};

/// How weights are kept, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keeping {
    /// Children of a node of the tree, at least two.
    pub width: usize,
    /// The share of the weights that a branch may weigh again, on the mean over all branches.
    pub share: f64,
    /// The weights that all branches together may weigh again: the size of the code.
    pub weighed_again: usize,
}

impl Default for Keeping {
    /// Where it may pay, in code that takes some seconds to make.
    fn default() -> Self {
        Keeping { width: 8, share: 0.5, weighed_again: 20_000 }
    }
}

/// A path kernel that keeps weights.
#[derive(Clone, Debug)]
pub struct KeptWeights {
    /// The kernel; parameters and buffers are those of the nested shape.
    pub kernel: Kernel,
    /// Weights that differ between states.
    pub weights: usize,
    /// Weights that are weighed again, summed over the branches of all slots.
    pub weighed_again: usize,
    /// Branches of all slots.
    pub branches: usize,
}

/// The path kernel that keeps weights; `None` where weighing may fail, and where more would be weighed again than is worth it.
pub fn kept_weights(plan: &Plan, keeping: Keeping) -> Option<KeptWeights> {
    // Of a single slot nothing is drawn.
    if plan.slots.len() < 2 {
        return None;
    }
    let mut builder = Builder::new(plan, Shape::Nested, None);
    let reads = builder.reads.clone()?;
    let tree = builder.tree(&reads, keeping.width)?;
    let weights = tree.weights.iter().filter(|weight| weight.kept.is_some()).count();
    let (mut branches, mut weighed_again) = (0, 0usize);
    for slot in &plan.slots {
        for fields in assigned(slot) {
            branches += 1;
            weighed_again += tree.readers(&fields).len();
            if weighed_again > keeping.weighed_again {
                return None;
            }
        }
    }
    if weighed_again as f64 > keeping.share * weights as f64 * branches as f64 {
        return None;
    }
    builder.tree = Some(Rc::new(tree));
    let visit = builder.visit();
    let kernel = builder.build(visit);
    Some(KeptWeights { kernel, weights, weighed_again, branches })
}

/// The fields that each way through the stages of a slot assigns: a set for each branch of a single stage; for several stages
/// one of all that they may assign, since they are written together.
fn assigned(slot: &Slot) -> Vec<Vec<usize>> {
    let fields = |branch: &Branch| branch.assignments.iter().map(|a| a.field.index()).collect::<Vec<_>>();
    match slot.stages.as_slice() {
        [stage] => stage.iter().map(fields).collect(),
        stages => vec![stages.iter().flatten().flat_map(fields).collect()],
    }
}

/// A weight that is not always zero.
#[derive(Clone, Copy, Debug)]
struct SlotWeight {
    slot: usize,
    /// In the kernel.
    value: ExprId,
    /// Where it is kept, unless it is constant.
    kept: Option<Local>,
}

/// The tree of sums.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    ty: Type,
    /// The most children of a node.
    width: usize,
    /// In the order of their slots.
    weights: Vec<SlotWeight>,
    /// Sums of `width` weights, sums of as many of these, and so on, to a level of at most `width`.
    sums: Vec<Vec<Local>>,
    /// For each field the places of the weights that read it.
    readers: Vec<Vec<usize>>,
}

impl Tree {
    /// The places of the weights that read some of these fields, in increasing order.
    fn readers(&self, fields: &[usize]) -> Vec<usize> {
        let mut places: Vec<usize> = fields.iter().flat_map(|&field| &self.readers[field]).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// How many numbers there are above so many levels.
    fn len(&self, level: usize) -> usize {
        match level.checked_sub(1) {
            None => self.weights.len(),
            Some(above) => self.sums[above].len(),
        }
    }

    /// The places of a node's children.
    fn children(&self, level: usize, place: usize) -> std::ops::Range<usize> {
        let first = place * self.width;
        first..self.len(level - 1).min(first.saturating_add(self.width))
    }
}

impl Builder<'_> {
    /// The tree of the weights; `None` where evaluating one may fail, and where all are zero.
    fn tree(&mut self, reads: &Reads, width: usize) -> Option<Tree> {
        let plan = self.plan;
        let arithmetic = plan.weights.arithmetic;
        let ty = number_type(arithmetic);
        let mut readers = vec![Vec::new(); plan.program.fields.len()];
        let mut weights: Vec<SlotWeight> = Vec::new();
        for (slot, &weight) in plan.weights.values.iter().enumerate() {
            let guards = &plan.slots[slot].guards;
            let value = self.weight_under_guards(guards, weight, ty);
            if !self.kernel.exprs.is_infallible(value) {
                return None;
            }
            let constant = self.kernel.exprs.as_const(value);
            if constant.is_some_and(|c| c.bits == 0) {
                continue;
            }
            let mut kept = None;
            if constant.is_none() {
                let mut fields: Vec<usize> =
                    guards.iter().chain([&weight]).flat_map(|&expr| reads.fields(expr)).collect();
                fields.sort_unstable();
                fields.dedup();
                fields.into_iter().for_each(|field| readers[field].push(weights.len()));
                kept = Some(self.kernel.local(format!("weight{slot}"), ty));
            }
            weights.push(SlotWeight { slot, value, kept });
        }
        let width = if arithmetic == Arithmetic::Float { usize::MAX } else { width.max(2) };
        let (mut sums, mut count): (Vec<Vec<Local>>, usize) = (Vec::new(), weights.len());
        while count > width {
            count = count.div_ceil(width);
            let level = sums.len();
            sums.push((0..count).map(|i| self.kernel.local(format!("sums{level}_{i}"), ty)).collect());
        }
        (!weights.is_empty()).then_some(Tree { ty, width, weights, sums, readers })
    }

    /// At the beginning of a path: all weights and sums.
    pub(super) fn weigh_all(&mut self) -> Block {
        let Some(tree) = self.tree.clone() else { return Vec::new() };
        self.set_weights(&tree, (0..tree.weights.len()).collect())
    }

    /// After these fields were assigned: the weights that read some of them, and the sums above.
    pub(super) fn weigh_again(&mut self, fields: &[usize]) -> Block {
        let Some(tree) = self.tree.clone() else { return Vec::new() };
        let places = tree.readers(fields);
        self.set_weights(&tree, places)
    }

    fn set_weights(&mut self, tree: &Tree, mut places: Vec<usize>) -> Block {
        let weights = places.iter().map(|&place| tree.weights[place]);
        let mut block: Block = weights
            .filter_map(|weight| Some(Stmt::Set { local: weight.kept?, value: weight.value }))
            .collect();
        for (level, sums) in tree.sums.iter().enumerate() {
            places.iter_mut().for_each(|place| *place /= tree.width);
            places.dedup();
            for &place in &places {
                let children = self.numbers(tree, level, tree.children(level + 1, place));
                let add = |a, b| self.kernel.exprs.binary(BinaryOp::Add, a, b);
                let value = children.into_iter().reduce(add);
                block.extend(value.map(|value| Stmt::Set { local: sums[place], value }));
            }
        }
        block
    }

    /// Weights (level 0) or sums.
    fn numbers(&mut self, tree: &Tree, level: usize, places: std::ops::Range<usize>) -> Vec<ExprId> {
        let kernel = &mut self.kernel;
        let number = |place: usize| match level.checked_sub(1) {
            None => {
                let weight = tree.weights[place];
                weight.kept.map_or(weight.value, |local| kernel.get(local))
            }
            Some(above) => kernel.get(tree.sums[above][place]),
        };
        places.map(number).collect()
    }

    /// The numbers of the highest level, added up.
    pub(super) fn sums_at_root(&mut self, tree: &Tree) -> (Block, Sums) {
        let level = tree.sums.len();
        let numbers = self.numbers(tree, level, 0..tree.len(level));
        self.add_up("sum", &numbers, self.plan.weights.arithmetic)
    }

    /// The slot that a drawn number falls on, looked for from the root downwards, and its step.
    pub(super) fn choose_kept(&mut self, tree: &Tree, sums: &Sums, often_alone: bool) -> Block {
        let (mut block, drawn) = self.draw("pick", sums, often_alone);
        block.extend(self.descend(tree, tree.sums.len(), 0, drawn, sums));
        block
    }

    /// Takes the slot that a drawn number falls on, among numbers of a level from `first` on, whose sums are these.
    fn descend(&mut self, tree: &Tree, level: usize, first: usize, drawn: Local, sums: &Sums) -> Block {
        let choices: Vec<usize> = (0..sums.len()).collect();
        self.decide(drawn, sums, &choices, &mut |builder: &mut Self, choice| {
            let place = first + choice;
            if level == 0 {
                return builder.take(tree.weights[place].slot);
            }
            let children = tree.children(level, place);
            let (first, mut block, mut rest) = (children.start, Vec::new(), drawn);
            // Locals of this node alone: live for so short a time that they need no room in the frame.
            if let Some(before) = sums.before(choice) {
                rest = builder.temporary(format!("rest{level}_{place}"), tree.ty);
                let value = builder.kernel.get(drawn);
                let value = builder.kernel.exprs.binary(BinaryOp::Sub, value, before);
                block.push(Stmt::Set { local: rest, value });
            }
            let numbers = builder.numbers(tree, level - 1, children);
            let name = format!("upto{level}_{place}_");
            let (add, inner) = builder.add_up(&name, &numbers, builder.plan.weights.arithmetic);
            block.extend(add);
            block.extend(builder.descend(tree, level - 1, first, rest, &inner));
            block
        })
    }

    /// Whether a slot has no weight; `None` where it never has.
    pub(super) fn is_disabled(&mut self, sums: &Sums, slot: usize) -> Option<ExprId> {
        let (before, upto) = match self.tree.clone() {
            Some(tree) => {
                let place = tree.weights.binary_search_by_key(&slot, |weight| weight.slot).ok()?;
                (None, self.numbers(&tree, 0, place..place + 1)[0])
            }
            // The slot has a weight where the sum grows with it.
            None if sums.is_nothing(&self.kernel.exprs, slot) => return None,
            None => (sums.before(slot), sums.upto(slot)),
        };
        let e = &mut self.kernel.exprs;
        let ty = e.ty(upto);
        let before = before.unwrap_or_else(|| e.constant(Const { ty, bits: 0 }));
        Some(e.binary(BinaryOp::Eq, before, upto))
    }
}

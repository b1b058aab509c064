//! Incremental propensity updates: weights are kept between steps. After a step, only those are re-evaluated
//! whose guards or rates read a field that the step assigned.
//!
//! This is for models with many combinations, of which a step affects few: networks of reactions, of queues,
//! of machines. The weights are the leaves of a tree, in the order of the combinations. Its inner nodes,
//! which are also kept, are the sums of their children. A combination is found from the root downwards, among
//! a few children at each level. A step updates the nodes above the weights that it changes. All this is
//! unrolled for every branch, since it is known when the kernel is built which weights a branch changes.
//!
//! The drawn number, and the combination that it selects, are the same as in the other shapes. Sums of
//! integers do not depend on the order of additions. Doubles are added up in each step in the order of the
//! combinations, as in the other shapes, so their tree is flat. Weights that may fail are not kept: they fail
//! on arrival in a state, after the decisions of the state.

use super::builder::Builder;
use super::interface::Shape;
use super::plan::Plan;
use super::reads::Reads;
use super::sums::{Sums, number_type};
use super::weight_tree::{CombinationWeight, Tree};
use crate::combinations::{Branch, Combination};
use crate::weights::Arithmetic;
use std::rc::Rc;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Kernel, Local, Stmt};

/// Limits of incremental updates, and the width of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncrementalLimits {
    /// Children of a node of the tree, at least two.
    pub width: usize,
    /// Limit of the share of weights that a branch re-evaluates, on average over all branches.
    pub share: f64,
    /// Limit of weights that all branches together re-evaluate, which determines the size of the code.
    pub reevaluated: usize,
}

impl Default for IncrementalLimits {
    /// Limits within which incremental updates may pay, for code that compiles in some seconds.
    fn default() -> Self {
        IncrementalLimits { width: 8, share: 0.5, reevaluated: 20_000 }
    }
}

/// A path kernel with incremental updates.
#[derive(Clone, Debug)]
pub struct IncrementalKernel {
    /// The kernel; parameters and buffers are those of the nested shape.
    pub kernel: Kernel,
    /// Weights that differ between states.
    pub weights: usize,
    /// Number of re-evaluated weights, summed over the branches of all combinations.
    pub reevaluated: usize,
    /// Branches of all combinations.
    pub branches: usize,
}

/// Builds the path kernel with incremental updates; `None` if evaluating a weight may fail, or if too many
/// weights would be re-evaluated.
pub fn incremental(plan: &Plan, keeping: IncrementalLimits) -> Option<IncrementalKernel> {
    // With a single combination, nothing is drawn.
    if plan.combinations.len() < 2 {
        return None;
    }
    let mut builder = Builder::new(plan, Shape::Nested, None);
    let reads = builder.reads.clone()?;
    let tree = builder.tree(&reads, keeping.width)?;
    let weights = tree.weights.iter().filter(|weight| weight.kept.is_some()).count();
    let (mut branches, mut reevaluated) = (0, 0usize);
    for combination in &plan.combinations {
        for fields in assigned(combination) {
            branches += 1;
            reevaluated += tree.readers(&fields).len();
            if reevaluated > keeping.reevaluated {
                return None;
            }
        }
    }
    if reevaluated as f64 > keeping.share * weights as f64 * branches as f64 {
        return None;
    }
    builder.tree = Some(Rc::new(tree));
    let visit = builder.visit();
    let kernel = builder.build(visit);
    Some(IncrementalKernel { kernel, weights, reevaluated, branches })
}

/// The sets of fields assigned by each way through the stages of a combination: one set per branch of a
/// single stage. For several stages, one set of all fields that they may assign, since these are written
/// together.
fn assigned(combination: &Combination) -> Vec<Vec<usize>> {
    let fields = |branch: &Branch| branch.assignments.iter().map(|a| a.field.index()).collect::<Vec<_>>();
    match combination.stages.as_slice() {
        [stage] => stage.iter().map(fields).collect(),
        stages => vec![stages.iter().flatten().flat_map(fields).collect()],
    }
}

impl Builder<'_> {
    /// The tree of the weights; `None` if evaluating one may fail, or if all are zero.
    fn tree(&mut self, reads: &Reads, width: usize) -> Option<Tree> {
        let plan = self.plan;
        let arithmetic = plan.weights.arithmetic;
        let ty = number_type(arithmetic);
        let mut readers = vec![Vec::new(); plan.program.fields.len()];
        let mut weights: Vec<CombinationWeight> = Vec::new();
        for (combination, &weight) in plan.weights.values.iter().enumerate() {
            let guards = &plan.combinations[combination].guards;
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
                kept = Some(self.kernel.local(format!("weight{combination}"), ty));
            }
            weights.push(CombinationWeight { combination, value, kept });
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

    /// Evaluates all weights and sums, at the beginning of a path.
    pub(super) fn evaluate_all_weights(&mut self) -> Block {
        let Some(tree) = self.tree.clone() else { return Vec::new() };
        self.set_weights(&tree, (0..tree.weights.len()).collect())
    }

    /// Re-evaluates the weights that read some of these fields, and the sums above them.
    pub(super) fn reevaluate_weights(&mut self, fields: &[usize]) -> Block {
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

    /// The combination selected by a drawn number, found from the root downwards, and its step.
    pub(super) fn choose_in_tree(&mut self, tree: &Tree, sums: &Sums, often_alone: bool) -> Block {
        let (mut block, drawn) = self.draw("pick", sums, often_alone);
        block.extend(self.descend(tree, tree.sums.len(), 0, drawn, sums));
        block
    }

    /// Takes the combination selected by a drawn number, among the nodes of a level from `first` on, with
    /// these sums.
    fn descend(&mut self, tree: &Tree, level: usize, first: usize, drawn: Local, sums: &Sums) -> Block {
        let choices: Vec<usize> = (0..sums.len()).collect();
        self.decide(drawn, sums, &choices, &mut |builder: &mut Self, choice| {
            let place = first + choice;
            if level == 0 {
                return builder.take(tree.weights[place].combination);
            }
            let children = tree.children(level, place);
            let (first, mut block, mut rest) = (children.start, Vec::new(), drawn);
            // Locals of this node alone; they live so briefly that they need no room in the frame.
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

    /// Whether a combination has weight zero; `None` if it always has.
    pub(super) fn is_disabled(&mut self, sums: &Sums, combination: usize) -> Option<ExprId> {
        let (before, upto) = match self.tree.clone() {
            Some(tree) => {
                let place =
                    tree.weights.binary_search_by_key(&combination, |weight| weight.combination).ok()?;
                (None, self.numbers(&tree, 0, place..place + 1)[0])
            }
            // The combination has a weight if the sum grows with it.
            None if sums.is_nothing(&self.kernel.exprs, combination) => return None,
            None => (sums.before(combination), sums.upto(combination)),
        };
        let e = &mut self.kernel.exprs;
        let ty = e.ty(upto);
        let before = before.unwrap_or_else(|| e.constant(Const { ty, bits: 0 }));
        Some(e.binary(BinaryOp::Eq, before, upto))
    }
}

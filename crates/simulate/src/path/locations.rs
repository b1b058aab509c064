//! The path kernel specialised over control locations: each reachable valuation of the control fields
//! (`control`) has a block of code, which jumps to the block of the next one. There, guards are folded,
//! disabled combinations are removed, sums of weights are constants, and known fields are not stored.
//!
//! The kernel draws the same random numbers in the same order as the other shapes. If a valuation may have
//! states whose transitions all lead back to them, it has a second block, specialised to such states.

use super::builder::Builder;
use super::control;
use super::interface::{Shape, param};
use super::location::{Limits, Place};
use super::plan::Plan;
use super::translate::FieldValue;
use volvelle_kernel::{Block, Const, ExprId, Kernel, Stmt, Type};
use volvelle_model::FieldId;

/// A path kernel with a block for each location.
#[derive(Clone, Debug)]
pub struct Locations {
    /// The kernel; parameters and buffers are those of the shape.
    pub kernel: Kernel,
    /// The control fields.
    pub fields: Vec<FieldId>,
    /// Number of blocks.
    pub locations: usize,
    /// Statements of all blocks.
    pub statements: usize,
}

/// The path kernel specialised over control locations, in the nested shape or with a single path per lane.
/// `None` if there are no control fields, or if the code would exceed the limits.
pub fn locations(plan: &Plan, shape: Shape, limits: Limits) -> Option<Locations> {
    Builder::new(plan, shape, None).located(limits)
}

impl Builder<'_> {
    /// The kernel, specialised.
    pub(super) fn located(mut self, limits: Limits) -> Option<Locations> {
        if self.shape.is_flat() || self.rows.is_some() {
            return None;
        }
        let reads = self.reads.clone()?;
        let (fields, _) = control::choose(self.plan, &reads, limits.locations)?;
        self.place = Some(Place::new(self.plan, &fields));
        let (blocks, statements) = self.blocks(limits)?;
        let locations = blocks.len();
        let kernel = self.machine(blocks);
        let fields = fields.into_iter().map(|field| FieldId(field as u32)).collect();
        Some(Locations { kernel, fields, locations, statements })
    }

    /// The blocks of all locations reachable from the first, and their number of statements.
    fn blocks(&mut self, limits: Limits) -> Option<(Vec<Block>, usize)> {
        let general = self.translator.clone();
        let mut blocks: Vec<Block> = Vec::new();
        let mut statements = 0;
        while let Some(place) = self.place.as_mut().filter(|place| blocks.len() < place.keys.len()) {
            // Blocks for states that are never left come on top.
            if place.keys.len() > 2 * limits.locations {
                return None;
            }
            place.enter(blocks.len());
            self.translator = general.clone();
            for (position, &field) in place.fields.iter().enumerate() {
                self.translator.set_field(field, FieldValue::Known(place.here.0[position]));
            }
            let block = self.visit();
            statements += count(&block);
            if statements > limits.statements {
                return None;
            }
            blocks.push(block);
        }
        Some((blocks, statements))
    }

    fn machine(mut self, blocks: Vec<Block>) -> Kernel {
        let from = self.kernel.exprs.constant(Const::int(Type::U32, 0));
        let to = self.kernel.get(self.params[param::MAX_STEPS]);
        let steps = Stmt::Machine { local: self.steps, from, to, start: from, blocks };
        self.kernel.body = self.over_paths(steps);
        self.kernel
    }

    /// Whether it is known on arrival that no step leaves the state.
    pub(super) fn absorbed(&mut self) -> ExprId {
        match &self.place {
            Some(place) => self.kernel.exprs.bool(place.here.1),
            None => self.kernel.get(self.absorbed),
        }
    }

    /// In code specialised by location: ends a step by a jump to where control fields have other values.
    /// `still` tells whether the step leads back to its state.
    pub(super) fn leave(&mut self, target: Vec<i64>, still: ExprId) -> Block {
        let mut block = Vec::new();
        if self.plan.clock {
            let value = self.kernel.get(self.then);
            block.push(Stmt::Set { local: self.now, value });
        }
        let mut stays = self.kernel.exprs.bool(false);
        if self.kernel.exprs.as_const(still) != Some(Const::bool(false))
            && let Some(sums) = self.sums.clone()
        {
            let nothing = self.nothing_changes(&sums);
            stays = self.both(still, nothing);
        }
        let never_stays = self.kernel.exprs.as_const(stays) == Some(Const::bool(false));
        let Some(place) = &mut self.place else { return block };
        let on = place.goto(target.clone(), false);
        let end = if never_stays { Vec::new() } else { vec![place.goto(target, true)] };
        block.extend(self.when(stays, end, vec![on]));
        block
    }
}

/// Number of statements in a block, including nested ones.
fn count(block: &Block) -> usize {
    let mut stack = vec![block];
    let mut count = 0;
    while let Some(block) = stack.pop() {
        count += block.len();
        for statement in block {
            match statement {
                Stmt::If { then, otherwise, .. } => stack.extend([then, otherwise]),
                Stmt::For { body, .. } => stack.push(body),
                _ => {}
            }
        }
    }
    count
}

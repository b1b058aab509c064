//! The path kernel specialised over control locations: a block of code for each reachable valuation of the control fields
//! (`control`), which jumps to the block of the next. There, guards are folded, slots that are not enabled are gone, sums of
//! weights are constants, and fields that are known are nowhere stored.
//!
//! What is drawn, and in which order, is what the other shapes draw. Where a state may be left for itself, and nothing leads
//! out of it, there is a second block for the valuation, which knows that.

use super::{Builder, Plan, Shape, control, param};
use crate::path::FieldValue;
use rustc_hash::FxHashMap;
use volvelle_kernel::interp::Evaluator;
use volvelle_kernel::{Block, Const, ExprId, Exprs, Kernel, Stmt, Type};
use volvelle_model::{Domain, FieldId};

/// How much code may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Valuations of control fields.
    pub locations: usize,
    /// Statements of all blocks.
    pub statements: usize,
}

/// A path kernel with a block for each location.
#[derive(Clone, Debug)]
pub struct Locations {
    /// The kernel; parameters and buffers are those of the shape.
    pub kernel: Kernel,
    /// The control fields.
    pub fields: Vec<FieldId>,
    /// How many blocks there are.
    pub locations: usize,
    /// Statements of all blocks.
    pub statements: usize,
}

/// The path kernel specialised over control locations, in the nested shape or with a single path a lane; `None` where there are
/// no control fields, or the code would be larger than the limits allow.
pub fn locations(plan: &Plan, shape: Shape, limits: Limits) -> Option<Locations> {
    Builder::new(plan, shape, None).located(limits)
}

/// Values of the control fields, and whether nothing leads out of the state.
type Key = (Vec<i64>, bool);

/// The location that code is being made for, and those that are known of.
pub(super) struct Place {
    here: Key,
    /// The control fields, in increasing order.
    fields: Vec<usize>,
    /// For each field its place among them.
    positions: Vec<Option<usize>>,
    numbers: FxHashMap<Key, u32>,
    /// In the order of their numbers.
    keys: Vec<Key>,
    evaluator: Evaluator,
    /// Values here; those of other fields mean nothing.
    values: Vec<Const>,
}

impl Place {
    fn new(plan: &Plan, fields: &[usize]) -> Self {
        let mut positions = vec![None; plan.program.fields.len()];
        for (position, &field) in fields.iter().enumerate() {
            positions[field] = Some(position);
        }
        let here = (fields.iter().map(|&field| plan.initial[field]).collect::<Vec<i64>>(), false);
        let zero = |field: &volvelle_model::Field| match field.domain {
            Domain::Bool => Const::bool(false),
            _ => Const::i64(0),
        };
        Place {
            numbers: FxHashMap::from_iter([(here.clone(), 0)]),
            keys: vec![here.clone()],
            here,
            fields: fields.to_vec(),
            positions,
            evaluator: Evaluator::new(),
            values: plan.program.fields.iter().map(zero).collect(),
        }
    }

    /// Whether a field is a control field.
    pub fn knows(&self, field: usize) -> bool {
        self.positions[field].is_some()
    }

    /// Its place among the control fields.
    pub fn position(&self, field: usize) -> Option<usize> {
        self.positions[field]
    }

    /// Values of the control fields here.
    pub fn here(&self) -> &[i64] {
        &self.here.0
    }

    /// The value of a control field here.
    pub fn value(&self, field: usize) -> Option<i64> {
        self.positions[field].map(|position| self.here.0[position])
    }

    /// The value here of an expression that reads control fields only; `None` where it fails.
    pub fn evaluate(&mut self, exprs: &Exprs, expr: ExprId) -> Option<i64> {
        let value = self.evaluator.eval(exprs, expr, &self.values).ok()?;
        value.as_bool().map(i64::from).or(value.as_i64())
    }

    fn enter(&mut self, number: usize) {
        self.here = self.keys[number].clone();
        for (position, &field) in self.fields.iter().enumerate() {
            let value = self.here.0[position];
            self.values[field] = match self.values[field].ty {
                Type::Bool => Const::bool(value != 0),
                ty => Const::int(ty, value),
            };
        }
    }

    /// A jump to a location.
    fn goto(&mut self, target: Vec<i64>, absorbed: bool) -> Stmt {
        let key = (target, absorbed);
        let next = self.keys.len() as u32;
        let keys = &mut self.keys;
        let block = *self.numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            next
        });
        Stmt::Goto { block }
    }
}

impl Builder<'_> {
    /// The kernel, specialised.
    pub(super) fn located(mut self, limits: Limits) -> Option<Locations> {
        if self.shape.is_flat() {
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

    /// The blocks of all locations that can be reached from the first, and how many statements they have.
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

    /// Whether it is known on arrival that nothing leads out of the state.
    pub(super) fn absorbed(&mut self) -> ExprId {
        match &self.place {
            Some(place) => self.kernel.exprs.bool(place.here.1),
            None => self.kernel.get(self.absorbed),
        }
    }

    /// Where code is made for locations: the end of a step to where control fields have other values. `still` tells whether
    /// the step leads back to its state.
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

/// Statements of a block, those inside of others too.
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

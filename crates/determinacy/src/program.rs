//! The locations of a program as code, and the conditions under which its schedules can be compared.

use crate::accesses::{QueueUse, offer_reads, queue_use, slots, touches, uses};
use crate::code::{Code, CodeBuilder, Op};
use crate::memory::MemoryLayout;
use crate::names;
use crate::refusal::Refusal;
use volvelle_kernel::{BinaryOp, Block, ExprId, Node, Stmt};
use volvelle_model::{
    AccessMode, Alternative, Condition, FieldId, Item, LocationId, Origin, Part, Program, SharedResource,
};

const NUMBERS: &str = "numbers of processes or channels as values";

/// An alternative of a location.
pub struct AlternativeCode {
    /// Its number among all alternatives of the program.
    pub number: u32,
    pub part: Part,
    pub guard: Code,
    /// Whether the guard is constantly true.
    pub is_always: bool,
    /// The channel of a handshake.
    pub at: Option<Code>,
    /// The values that it sends.
    pub gives: Vec<Code>,
    /// Number of values of an offer.
    pub items: usize,
    pub effect: Code,
    pub target: LocationId,
    pub is_exclusive: bool,
    /// Shared fields to which it adds a constant amount, and which it uses in no other way.
    pub adds: Vec<(FieldId, i64)>,
    pub origin: Origin,
}

/// Alternatives of one priority.
pub struct BlockCode {
    pub condition: Condition,
    pub is_escape: bool,
    pub alternatives: Vec<AlternativeCode>,
}

/// A control location.
#[derive(Default)]
pub struct LocationCode {
    pub blocks: Vec<BlockCode>,
    /// Whether some alternative receives.
    pub has_takes: bool,
    /// Whether some alternative is an offer (a send or receive by handshake).
    pub has_offers: bool,
    /// Whether some step is always possible.
    pub is_total: bool,
    /// Whether a process has ended here.
    pub is_last: bool,
    /// Whether a step is possible only at a `timeout`.
    pub has_timeout: bool,
    /// The fields that guards read.
    pub reads: Vec<FieldId>,
    /// The fields on which the channels of offers depend.
    pub at_reads: Vec<FieldId>,
    /// The fields on which offers depend: their guards, channels and values.
    pub offer_reads: Vec<FieldId>,
    /// The shared resources that a step from here may use, with the rest of its atomic sequence. Channels of
    /// handshakes do not count.
    pub touches: Vec<SharedResource>,
    /// The queue that steps from here use, if they all send to it or all receive from it.
    pub queue: Option<QueueUse>,
    /// By field: whether a process may use it here or later.
    pub uses: Vec<bool>,
}

/// A program as code.
pub struct Compiled<'p> {
    pub program: &'p Program,
    pub layout: MemoryLayout,
    pub locations: Vec<LocationCode>,
    pub initialisation: Code,
    /// Number of temporaries of a step.
    pub temporaries: usize,
    /// Fields whose accesses are ignored: the number of slots in use, and what a slot holds.
    pub is_exempt: Vec<bool>,
    /// The field that holds the location of a process.
    pub location: FieldId,
    /// Whether a step of some location is possible only at a `timeout`.
    pub has_timeout: bool,
    /// By number of an alternative: whether it uses queues.
    pub uses_slots: Vec<bool>,
}

impl<'p> Compiled<'p> {
    /// Compiles the locations of a program.
    ///
    /// # Errors
    /// The program contains something that is not analysed.
    pub fn new(program: &'p Program) -> Result<Self, Refusal> {
        let network = &program.network;
        let unsupported = |what| Err(Refusal::Unsupported { what, origin: None });
        let Some(location) = network.location.filter(|_| !network.is_empty()) else {
            return unsupported("a program without processes");
        };
        if network.priority.is_some() {
            return unsupported("priorities of processes");
        }
        if network.last.is_some() {
            return unsupported("`_last`");
        }
        if network.has_remote_reads {
            return unsupported("references to variables or labels of other processes");
        }
        if network.types.iter().any(|ty| ty.guard.is_some()) {
            return unsupported("`provided`");
        }
        let layout = MemoryLayout::new(program);
        let mut is_exempt = vec![false; program.fields.len()];
        for pool in &network.pools {
            is_exempt[pool.count.index()] = true;
            pool.kind.iter().for_each(|kind| is_exempt[kind.index()] = true);
        }
        // Slots are not reused here, so their numbers differ from those of real runs.
        if !names::are_opaque(program) {
            return unsupported(NUMBERS);
        }
        let mut builder = CodeBuilder::new(program, &layout);
        let initialisation = builder.effect(&network.initialisation, None)?;
        let mut number = 0;
        let mut locations = Vec::with_capacity(network.locations.len());
        for info in &network.locations {
            let is_last = info.alternatives().any(|a| a.target() == LocationId::NOWHERE);
            let mut location = LocationCode { is_last, ..LocationCode::default() };
            location.reads = info.alternatives().flat_map(|a| program.reads(a.guard)).collect();
            let channels = info.alternatives().filter_map(|a| a.offer.as_ref()?.at);
            location.at_reads = channels.flat_map(|at| program.reads(at)).collect();
            location.offer_reads = offer_reads(program, info);
            location.queue = queue_use(info);
            for block in &info.blocks {
                let mut alternatives = Vec::with_capacity(block.alternatives.len());
                for alternative in &block.alternatives {
                    if !location.is_last {
                        alternatives.push(compiled(&mut builder, program, alternative, number)?);
                    }
                    number += 1;
                }
                let (condition, is_escape) = (block.condition, block.is_escape);
                location.blocks.push(BlockCode { condition, is_escape, alternatives });
            }
            let all = || location.blocks.iter().flat_map(|block| &block.alternatives);
            location.has_takes = all().any(|a| a.part == Part::Takes);
            location.has_offers = all().any(|a| a.part != Part::Alone);
            location.has_timeout = all().any(|a| a.guard.iter().any(is_timeout));
            let all = || location.blocks.iter().flat_map(|block| &block.alternatives);
            if location.has_offers && location.blocks.len() > 1 {
                let origin = all().next().map(|a| a.origin);
                let what = "`else` or `unless` beside a send or receive";
                return Err(Refusal::Unsupported { what, origin });
            }
            let is_mixed = location.has_timeout && location.blocks.len() > 1;
            if let Some(other) = all().find(|a| is_mixed || has_timeout_inside(a)) {
                let what = "`timeout` beside `else` or `unless`, or inside a statement";
                return Err(Refusal::Unsupported { what, origin: Some(other.origin) });
            }
            let has_else = location
                .blocks
                .iter()
                .skip(1)
                .any(|b| b.condition == Condition::NothingBefore && !b.is_escape);
            location.is_total =
                all().any(|a| a.part == Part::Alone && a.is_always) || has_else && !location.has_offers;
            locations.push(location);
        }
        let temporaries = builder.temporaries as usize;
        for (location, uses) in locations.iter_mut().zip(uses(program)) {
            location.uses = uses;
        }
        for (location, touches) in locations.iter_mut().zip(touches(program)) {
            location.touches = touches;
        }
        let has_timeout = locations.iter().any(|location| location.has_timeout);
        Ok(Compiled {
            program,
            layout,
            locations,
            initialisation,
            temporaries,
            is_exempt,
            location,
            has_timeout,
            uses_slots: network
                .alternatives()
                .map(|alternative| slots(alternative).next().is_some())
                .collect(),
        })
    }

    /// The code of an observation.
    ///
    /// # Errors
    /// The expression contains something that is not analysed.
    pub fn observation(&self, expr: ExprId) -> Result<Code, Refusal> {
        // Here the count still includes processes that have ended.
        if self.program.reads(expr).iter().any(|field| self.is_exempt[field.index()]) {
            return Err(Refusal::Unsupported { what: NUMBERS, origin: None });
        }
        let code = CodeBuilder::new(self.program, &self.layout).expression(expr, None)?;
        match code.iter().any(is_timeout) {
            true => Err(Refusal::Unsupported { what: "`timeout` in a question", origin: None }),
            false => Ok(code),
        }
    }

    /// The alternative with a number.
    pub fn alternative(&self, location: u32, number: u32) -> Option<&AlternativeCode> {
        let location = &self.locations[location as usize];
        location.blocks.iter().flat_map(|block| &block.alternatives).find(|a| a.number == number)
    }
}

fn is_timeout(op: &Op) -> bool {
    matches!(op, Op::Timeout)
}

/// Whether `timeout` occurs anywhere but in the guard of a step of one process.
fn has_timeout_inside(alternative: &AlternativeCode) -> bool {
    let guard = (alternative.part != Part::Alone).then_some(&alternative.guard);
    let codes = alternative.gives.iter().chain(&alternative.at).chain([&alternative.effect]).chain(guard);
    codes.flat_map(|code| code.iter()).any(is_timeout)
}

fn compiled(
    builder: &mut CodeBuilder<'_>,
    program: &Program,
    alternative: &Alternative,
    number: u32,
) -> Result<AlternativeCode, Refusal> {
    let origin = Some(alternative.origin);
    let guard = builder.expression(alternative.guard, origin)?;
    let is_always =
        matches!(program.exprs.node(alternative.guard), Node::Const(c) if c.as_bool() == Some(true));
    let at = match alternative.offer.as_ref().map(|offer| offer.at) {
        Some(Some(at)) => Some(builder.expression(at, origin)?),
        Some(None) => return Err(Refusal::Unsupported { what: "an offer at a group", origin }),
        None => None,
    };
    let mut gives = Vec::new();
    for item in alternative.items() {
        if let Item::Give(value) = item {
            gives.push(builder.expression(*value, origin)?);
        }
    }
    Ok(AlternativeCode {
        number,
        part: alternative.part(),
        guard,
        is_always,
        at,
        gives,
        items: alternative.items().len(),
        effect: builder.effect(alternative.effect(), origin)?,
        target: alternative.target(),
        is_exclusive: alternative.then_exclusive(),
        adds: adds(program, alternative),
        origin: alternative.origin,
    })
}

/// The shared fields to which an alternative adds a constant amount, and which it uses in no other way.
fn adds(program: &Program, alternative: &Alternative) -> Vec<(FieldId, i64)> {
    let uses = |field: FieldId, adding: bool| {
        alternative.accesses.iter().any(|access| {
            matches!(access.resource, SharedResource::Field(f, _) if f == field)
                && (access.mode == AccessMode::Add) == adding
        })
    };
    let mut fields: Vec<(FieldId, i64)> = alternative
        .accesses
        .iter()
        .filter_map(|access| match access.resource {
            SharedResource::Field(field, _) if access.mode == AccessMode::Add => Some(field),
            _ => None,
        })
        .filter(|&field| !uses(field, false))
        .filter_map(|field| Some((field, amount(program, alternative.effect(), field)?)))
        .collect();
    fields.dedup();
    fields
}

/// The amount that an effect adds to a field, if it is the same at every store.
fn amount(program: &Program, effect: &Block, field: FieldId) -> Option<i64> {
    let mut values = Vec::new();
    stored(program, effect, field, &mut values);
    let is_read = |id: ExprId| match program.exprs.node(id) {
        Node::Local(local, _) => program.place(local).field() == Some(field),
        Node::Load { buffer, .. } => program.place(buffer).field() == Some(field),
        _ => false,
    };
    let mut amounts = program.needed(values).into_iter().filter_map(|id| {
        let Node::Binary { op, lhs, rhs } = program.exprs.node(id) else { return None };
        let amount = program.exprs.as_const(rhs).and_then(|c| c.as_i64()).filter(|_| is_read(lhs))?;
        match op {
            BinaryOp::Add => Some(amount),
            BinaryOp::Sub => amount.checked_neg(),
            _ => None,
        }
    });
    let first = amounts.next()?;
    amounts.all(|amount| amount == first).then_some(first)
}

/// The values that a block stores to a field. Recursion is as deep as blocks nest, which front ends limit.
fn stored(program: &Program, block: &Block, field: FieldId, values: &mut Vec<ExprId>) {
    for statement in block {
        match statement {
            Stmt::Set { local, value } if program.place(*local).field() == Some(field) => values.push(*value),
            Stmt::Store { buffer, value, .. } if program.place(*buffer).field() == Some(field) => {
                values.push(*value)
            }
            Stmt::If { then, otherwise, .. } => {
                stored(program, then, field, values);
                stored(program, otherwise, field, values);
            }
            Stmt::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, block)| stored(program, block, field, values));
                stored(program, default, field, values);
            }
            Stmt::For { body, .. } => stored(program, body, field, values),
            Stmt::Machine { blocks, .. } => {
                blocks.iter().for_each(|block| stored(program, block, field, values));
            }
            _ => {}
        }
    }
}

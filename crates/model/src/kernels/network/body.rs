//! The loop over states, processes and transitions.

use super::access::{Context, Version, Who};
use super::builder::Builder;
use super::{ACCEPTING, NetworkOptions, PROGRESS, RELEASE, TRANSIENT};
use crate::ids::{FieldId, LocationId, PoolId};
use crate::kernels::dispatch::dispatch;
use crate::network::{Condition, Location, PriorityBlock};
use crate::offers::Offer;
use crate::places::Place;
use crate::program::{Program, SiteSubject};
use crate::steps::{Alternative, Part};
use volvelle_kernel::{BinaryOp, Block, Buffer, Const, ExprId, Local, MAX_COPY, Node, Site, Stmt, Type};

/// Elements of an offer before its values: channel, step, target, number of values.
const OFFER_HEAD: usize = 4;

/// Limit of elements of all offers of a location.
pub(super) fn offers_capacity(program: &Program) -> usize {
    let stride = OFFER_HEAD + program.network.offered as usize;
    let offers = |l: &Location| l.alternatives().filter(|a| a.gives()).count();
    stride * program.network.locations.iter().map(offers).max().unwrap_or(0)
}

/// Number of words up to which copies of states are unrolled.
const MOST_COPIED: u64 = 256;

/// Limit of notes of a site in one run of a machine.
const MOST_NOTES: u64 = 64;

const PROCESSES: PoolId = PoolId(0);

impl<'a> Builder<'a> {
    pub(super) fn program(&self) -> &'a Program {
        self.access.program
    }

    pub(super) fn get(&mut self, local: Local) -> ExprId {
        self.access.get(local)
    }

    pub(super) fn u64(&mut self, value: u64) -> ExprId {
        self.access.exprs().u64(value)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.access.exprs().binary(op, lhs, rhs)
    }

    pub(super) fn len(&mut self, buffer: Buffer) -> ExprId {
        self.access.exprs().add(Node::Len(buffer))
    }

    /// Whether nothing was emitted since `mark` was set.
    pub(super) fn nothing_since(&mut self, mark: Local) -> ExprId {
        let (now, then) = (self.len(self.steps), self.get(mark));
        self.binary(BinaryOp::Eq, now, then)
    }

    pub(super) fn set_len(&mut self, local: Local, buffer: Buffer) -> Stmt {
        let value = self.len(buffer);
        Stmt::Set { local, value }
    }

    /// A global scalar of the source.
    fn global(&mut self, field: FieldId) -> ExprId {
        self.access.scalar(field, (Version::Source, Who::Mover))
    }

    /// The kernel that makes the initial state.
    pub fn initialisation(&mut self) -> Block {
        let zero = self.u64(0);
        let words = self.u64(self.access.layout.words() as u64);
        let mut body = vec![
            Stmt::For {
                local: self.copied,
                from: zero,
                to: words,
                body: vec![Stmt::Emit { buffer: self.access.successors, value: zero }],
            },
            Stmt::Set { local: self.access.target, value: zero },
        ];
        let program = self.program();
        body.extend(self.block(&program.network.initialisation, (Version::Target, Who::Mover), None));
        body
    }

    /// The kernel that expands states.
    pub fn all_states(&mut self, options: &NetworkOptions) -> Block {
        if options.ordered && self.classes.is_none() {
            return self.one_process(options);
        }
        let mut inner = self.state_begin();
        inner.extend(self.passes());
        inner.extend(self.run_on());
        inner.extend(self.nothing_moves());
        inner.extend(self.observe(options));
        let len = self.len(self.steps);
        let ends = self.access.exprs().convert(Type::U32, len);
        inner.push(Stmt::Emit { buffer: self.ends, value: ends });
        let (zero, one) = (self.u64(0), self.u64(1));
        let from = self.access.exprs().load(self.range, Type::U64, zero);
        let to = self.access.exprs().load(self.range, Type::U64, one);
        vec![Stmt::For { local: self.state, from, to, body: inner }]
    }

    pub(super) fn state_begin(&mut self) -> Block {
        let state = self.get(self.state);
        let words = self.u64(self.access.layout.words() as u64);
        let first = self.binary(BinaryOp::Mul, state, words);
        let mut block = vec![
            Stmt::Set { local: self.access.source, value: first },
            self.set_len(self.before, self.steps),
        ];
        let count = self.program().network.pools[0].count;
        let live = self.global(count);
        let live = self.access.exprs().convert(Type::U64, live);
        block.push(Stmt::Set { local: self.live, value: live });
        let (zero, live) = (self.u64(0), self.get(self.live));
        block.push(Stmt::Set { local: self.from, value: zero });
        block.push(Stmt::Set { local: self.to, value: live });
        if let Some(owner) = self.program().network.owner {
            let owner = self.global(owner);
            let e = self.access.exprs();
            let nobody = e.i64(0);
            let alone = e.binary(BinaryOp::Ne, owner, nobody);
            let to = e.convert(Type::U64, owner);
            let one = e.u64(1);
            let from = e.binary(BinaryOp::Sub, to, one);
            block.push(Stmt::If {
                cond: alone,
                then: vec![
                    Stmt::Set { local: self.from, value: from },
                    Stmt::Set { local: self.to, value: to },
                ],
                otherwise: vec![],
            });
        }
        block
    }

    /// Whether a process has exclusive control in the source.
    pub(super) fn alone(&mut self) -> Option<ExprId> {
        let owner = self.program().network.owner?;
        let owner = self.global(owner);
        let nobody = self.access.exprs().i64(0);
        Some(self.binary(BinaryOp::Ne, owner, nobody))
    }

    /// All processes, and once more with the timeout set if the program reads it.
    fn passes(&mut self) -> Block {
        let program = self.program();
        let asked = program.places.contains(Place::Timeout);
        let local = self.access.timeout;
        let no = self.access.exprs().bool(false);
        if !asked {
            let mut block = vec![Stmt::Set { local, value: no }];
            block.extend(self.movers());
            return block;
        }
        // The code is emitted once, inside a loop of one or two passes.
        let (zero, two) = (self.u64(0), self.u64(2));
        let pass = self.get(self.pass);
        let first = self.binary(BinaryOp::Eq, pass, zero);
        let second = self.access.exprs().not(first);
        let mut body = vec![Stmt::Set { local, value: second }];
        body.extend(self.movers());
        let mut again = self.nothing_since(self.before);
        if let Some(alone) = self.alone() {
            let e = self.access.exprs();
            let free = e.not(alone);
            again = e.and(again, free);
        }
        let done = self.access.exprs().not(again);
        body.push(Stmt::If { cond: done, then: vec![Stmt::Break], otherwise: vec![] });
        vec![Stmt::For { local: self.pass, from: zero, to: two, body }]
    }

    /// The steps of the processes in a range of slots.
    fn movers(&mut self) -> Block {
        if self.classes.is_some() {
            return self.by_class();
        }
        let (from, to) = (self.get(self.from), self.get(self.to));
        let from = self.access.exprs().convert(Type::I64, from);
        let to = self.access.exprs().convert(Type::I64, to);
        let mut body = self.enter(Who::Mover);
        body.extend(self.process());
        vec![Stmt::For { local: self.access.slots[0], from, to, body }]
    }

    /// The steps of the current process.
    pub(super) fn process(&mut self) -> Block {
        let mut body = Block::new();
        let has_offers = offers_capacity(self.program()) > 0;
        if has_offers {
            let zero = self.u64(0);
            body.push(Stmt::Truncate { buffer: self.offers, len: zero });
        }
        let cases = self.cases(Who::Mover);
        let location = self.location(Who::Mover);
        body.push(Stmt::Switch { on: location, cases, default: vec![] });
        if has_offers {
            body.extend(self.offered());
        }
        body
    }

    /// Finds the record of a process.
    pub(super) fn enter(&mut self, who: Who) -> Block {
        let slot = self.get(self.access.slots[who as usize]);
        let base = self.access.slot_base(PROCESSES, slot);
        vec![
            Stmt::Set { local: self.access.bases[who as usize], value: base.word },
            Stmt::Set { local: self.access.shifts[who as usize], value: base.shift },
        ]
    }

    fn location(&mut self, who: Who) -> ExprId {
        let field = self.program().network.location.expect("a network has a field for locations");
        self.access.scalar(field, (Version::Source, who))
    }

    /// The code for the transitions of a process, by location.
    fn cases(&mut self, who: Who) -> Vec<(i64, Block)> {
        let program = self.program();
        let mut cases = Vec::new();
        for process in &program.network.types {
            for l in process.first.0..process.first.0 + process.count {
                let mut block = self.at_location(LocationId(l), who);
                if block.is_empty() {
                    continue;
                }
                if let Some(guard) = process.guard {
                    let cond = self.access.expr(guard, (Version::Source, who));
                    block = vec![Stmt::If { cond, then: block, otherwise: vec![] }];
                }
                cases.push((i64::from(l), block));
            }
        }
        cases
    }

    fn at_location(&mut self, location: LocationId, who: Who) -> Block {
        let program = self.program();
        let priorities = &program.network.locations[location.index()].blocks;
        let mut number = self.numbers[location];
        let mut blocks = Vec::new();
        for priority in priorities {
            let mut block = Vec::new();
            for alternative in &priority.alternatives {
                block.extend(match (alternative.part(), who) {
                    (Part::Alone, Who::Mover) => self.alone_step(alternative, number),
                    (Part::Gives, Who::Mover) => self.offer(alternative, number),
                    (Part::Takes, Who::Partner) => self.take(alternative),
                    _ => Vec::new(),
                });
                number += 1;
            }
            if who == Who::Mover {
                // All guards read the source, which steps do not change.
                block = dispatch(block, self.access.exprs(), &|_| true);
            }
            blocks.push(block);
        }
        if who == Who::Partner {
            return self.takes(priorities, blocks);
        }
        if blocks.len() <= 1 {
            return blocks.into_iter().flatten().collect();
        }
        let mut all = vec![self.set_len(self.mine, self.steps)];
        let has_escapes = priorities.iter().any(|p| p.is_escape);
        let mut escaping = has_escapes;
        for (i, (priority, block)) in priorities.iter().zip(blocks).enumerate() {
            if escaping && !priority.is_escape {
                escaping = false;
                all.push(self.set_len(self.escaped, self.steps));
            }
            let cond = match priority.condition {
                _ if i == 0 => self.access.exprs().bool(true),
                Condition::NothingBefore => self.nothing_since(self.mine),
                Condition::NoEscape if has_escapes => {
                    let (mine, escaped) = (self.get(self.mine), self.get(self.escaped));
                    self.binary(BinaryOp::Eq, mine, escaped)
                }
                Condition::NoEscape => self.access.exprs().bool(true),
            };
            all.extend(self.when(cond, block));
            let decides =
                |later: &PriorityBlock| priority.is_escape || later.condition == Condition::NothingBefore;
            if priority.alternatives.iter().any(Alternative::gives) && priorities[i + 1..].iter().any(decides)
            {
                // Later blocks depend on whether an offer of this block is received.
                all.extend(self.offered());
                let zero = self.u64(0);
                all.push(Stmt::Truncate { buffer: self.offers, len: zero });
            }
        }
        all
    }

    /// The code for the receives of a process at a location: by an escape, or else in the part that it
    /// interrupts.
    fn takes(&mut self, priorities: &[PriorityBlock], blocks: Vec<Block>) -> Block {
        let mut rest = Vec::new();
        let mut all = Vec::new();
        for (priority, block) in priorities.iter().zip(blocks) {
            if !priority.is_escape || block.is_empty() {
                rest.extend(block);
            } else if all.is_empty() {
                all.push(self.set_len(self.taken, self.steps));
                all.extend(block);
            } else {
                let cond = self.nothing_since(self.taken);
                all.extend(self.when(cond, block));
            }
        }
        if all.is_empty() || rest.is_empty() {
            all.extend(rest);
        } else {
            let cond = self.nothing_since(self.taken);
            all.extend(self.when(cond, rest));
        }
        all
    }

    /// Copies the source state, and sets the beginning of the copy.
    fn copy(&mut self) -> Block {
        let successors = self.access.successors;
        let states = self.access.states;
        let target = self.set_len(self.access.target, successors);
        let words = self.access.layout.words() as u64;
        if words <= MOST_COPIED {
            let mut block = vec![target];
            for first in (0..words).step_by(MAX_COPY as usize) {
                let source = self.get(self.access.source);
                let offset = self.u64(first);
                let start = self.access.add(source, offset);
                let count = (words - first).min(u64::from(MAX_COPY)) as u32;
                block.push(Stmt::Copy { buffer: successors, from: states, start, count });
            }
            return block;
        }
        let (source, copied) = (self.get(self.access.source), self.get(self.copied));
        let at = self.binary(BinaryOp::Add, source, copied);
        let value = self.access.exprs().load(states, Type::U64, at);
        let (zero, words) = (self.u64(0), self.u64(words));
        let body = vec![Stmt::Emit { buffer: successors, value }];
        vec![target, Stmt::For { local: self.copied, from: zero, to: words, body }]
    }

    pub(super) fn step_of(&mut self, number: u32, atomic: bool) -> ExprId {
        let slot = self.get(self.access.slots[0]);
        let e = self.access.exprs();
        let slot = e.convert(Type::U32, slot);
        let sixteen = e.constant(Const::int(Type::U32, 16));
        let high = e.binary(BinaryOp::Shl, slot, sixteen);
        let low = e.constant(Const::int(Type::U32, i64::from(number | if atomic { TRANSIENT } else { 0 })));
        e.binary(BinaryOp::BitOr, high, low)
    }

    fn alone_step(&mut self, alternative: &'a Alternative, number: u32) -> Block {
        let cond = self.access.expr(alternative.guard, (Version::Source, Who::Mover));
        let mut then = self.copy();
        then.extend(self.follow(alternative, number));
        self.when(cond, then)
    }

    fn when(&mut self, cond: ExprId, then: Block) -> Block {
        match self.access.exprs().as_const(cond).and_then(Const::as_bool) {
            Some(true) => then,
            Some(false) => Vec::new(),
            None => vec![Stmt::If { cond, then, otherwise: Vec::new() }],
        }
    }

    pub(super) fn move_to(&mut self, who: Who, target: ExprId) -> Block {
        let field = self.program().network.location.expect("a network has a field for locations");
        let base = self.access.own_base(field, who);
        let zero = self.u64(0);
        self.access.write(field, base, zero, target)
    }

    /// Records which process has exclusive control, and which one moved last.
    pub(super) fn bookkeeping(&mut self, who: Who, atomic: bool) -> Block {
        let mut block = Vec::new();
        let slot = self.get(self.access.slots[who as usize]);
        let (zero, globals) = (self.u64(0), self.access.globals());
        if let Some(owner) = self.program().network.owner {
            let e = self.access.exprs();
            let one = e.i64(1);
            let value = if atomic { e.binary(BinaryOp::Add, slot, one) } else { e.i64(0) };
            block.extend(self.access.write(owner, globals, zero, value));
        }
        if let Some(last) = self.program().network.last {
            block.extend(self.access.write(last, globals, zero, slot));
        }
        block
    }

    fn offer(&mut self, alternative: &Alternative, number: u32) -> Block {
        let Some(Offer { at: Some(at), items: given, .. }) = &alternative.offer else { return Vec::new() };
        let values: Vec<ExprId> = alternative.offer.iter().flat_map(Offer::given).collect();
        debug_assert_eq!(values.len(), given.len(), "an instance gives all values or takes all");
        if values.len() > self.program().network.offered as usize {
            // No process receives this many values, so there is no such handshake.
            return Vec::new();
        }
        let context: Context = (Version::Source, Who::Mover);
        let cond = self.access.expr(alternative.guard, context);
        let mut items = vec![self.access.expr(*at, context)];
        let e = self.access.exprs();
        items.push(e.i64(i64::from(number)));
        items.push(e.i64(i64::from(alternative.target().0)));
        items.push(e.i64(values.len() as i64));
        // A longer offer than any receive fits none, since its length differs.
        let longest = self.program().network.offered as usize;
        for &value in values.iter().take(longest) {
            items.push(self.access.expr(value, context));
        }
        let padding = longest.saturating_sub(values.len());
        let zero = self.access.exprs().i64(0);
        items.extend(std::iter::repeat_n(zero, padding));
        let then = items.into_iter().map(|value| Stmt::Emit { buffer: self.offers, value }).collect();
        self.when(cond, then)
    }

    /// Matches every offer with every process that receives it.
    fn offered(&mut self) -> Block {
        let stride = OFFER_HEAD + self.access.offered.len();
        let offer = self.get(self.offer);
        let stride_u64 = self.u64(stride as u64);
        let first = self.binary(BinaryOp::Mul, offer, stride_u64);
        let mut body = Vec::new();
        let heads = [self.offer_at, self.offer_step, self.offer_target, self.offer_count];
        let locals: Vec<Local> = heads.into_iter().chain(self.access.offered.iter().copied()).collect();
        for (i, local) in locals.into_iter().enumerate() {
            let offset = self.u64(i as u64);
            let at = self.binary(BinaryOp::Add, first, offset);
            let value = self.access.exprs().load(self.offers, Type::I64, at);
            body.push(Stmt::Set { local, value });
        }
        let mut inner = self.enter(Who::Partner);
        let cases = self.cases(Who::Partner);
        let location = self.location(Who::Partner);
        inner.push(Stmt::Switch { on: location, cases, default: vec![] });
        let (me, partner) = (self.get(self.access.slots[0]), self.get(self.access.slots[1]));
        let other = self.binary(BinaryOp::Ne, me, partner);
        let zero = self.access.exprs().i64(0);
        let live = self.get(self.live);
        let live = self.access.exprs().convert(Type::I64, live);
        body.push(Stmt::For {
            local: self.access.slots[1],
            from: zero,
            to: live,
            body: vec![Stmt::If { cond: other, then: inner, otherwise: vec![] }],
        });
        let zero = self.u64(0);
        let len = self.len(self.offers);
        // Division by a constant that is no power of two is slow; there are few offers, so multiply.
        let cond = self.binary(BinaryOp::Ge, first, len);
        body.insert(0, Stmt::If { cond, then: vec![Stmt::Break], otherwise: vec![] });
        vec![Stmt::For { local: self.offer, from: zero, to: len, body }]
    }

    fn take(&mut self, alternative: &'a Alternative) -> Block {
        let Some(Offer { at: Some(at), items: taken, .. }) = &alternative.offer else { return Vec::new() };
        let context: Context = (Version::Source, Who::Partner);
        let at = self.access.expr(*at, context);
        let offered_at = self.get(self.offer_at);
        let same = self.binary(BinaryOp::Eq, at, offered_at);
        let count = self.access.exprs().i64(taken.len() as i64);
        let offered_count = self.get(self.offer_count);
        let fits = self.binary(BinaryOp::Eq, count, offered_count);
        let guard = self.access.expr(alternative.guard, context);
        let e = self.access.exprs();
        let cond = e.and(fits, same);
        let cond = e.and(cond, guard);
        let slot = self.get(self.access.slots[0]);
        let number = self.get(self.offer_step);
        let e = self.access.exprs();
        let sixteen = e.i64(16);
        let high = e.binary(BinaryOp::Shl, slot, sixteen);
        let step = e.binary(BinaryOp::BitOr, high, number);
        let step = e.convert(Type::U32, step);
        let flag = e.constant(Const::int(Type::U32, i64::from(TRANSIENT)));
        let step = if alternative.then_exclusive() { e.binary(BinaryOp::BitOr, step, flag) } else { step };
        let mut then = self.copy();
        let sender = self.get(self.offer_target);
        then.extend(self.move_to(Who::Mover, sender));
        then.extend(self.block(alternative.effect(), (Version::Target, Who::Partner), Some(step)));
        let target = self.access.exprs().i64(i64::from(alternative.target().0));
        then.extend(self.move_to(Who::Partner, target));
        then.extend(self.bookkeeping(Who::Partner, alternative.then_exclusive()));
        then.push(Stmt::Emit { buffer: self.steps, value: step });
        if self.is_fusing && self.choices(alternative).is_some() {
            self.entries.insert(alternative.target());
        }
        self.when(cond, then)
    }

    /// Code for states in which no process could move: exclusive control ends, or this is an end state.
    pub(super) fn nothing_moves(&mut self) -> Block {
        let stuck = self.nothing_since(self.before);
        let mut end = Vec::new();
        if let Some(site) = self.program().network.end_site {
            end = self.check_end(site);
        }
        let then = match self.alone() {
            Some(alone) => {
                let owner = self.program().network.owner.expect("somebody goes on alone");
                let mut release = self.copy();
                let (zero, globals) = (self.u64(0), self.access.globals());
                let nobody = self.access.exprs().i64(0);
                release.extend(self.access.write(owner, globals, zero, nobody));
                let from = self.get(self.from);
                let e = self.access.exprs();
                let from = e.convert(Type::U32, from);
                let sixteen = e.constant(Const::int(Type::U32, 16));
                let high = e.binary(BinaryOp::Shl, from, sixteen);
                let low = e.constant(Const::int(Type::U32, i64::from(RELEASE)));
                let value = e.binary(BinaryOp::BitOr, high, low);
                release.push(Stmt::Emit { buffer: self.steps, value });
                if self.is_counting {
                    let value = self.access.exprs().constant(Const::int(Type::U32, 1));
                    release.push(Stmt::Emit { buffer: self.lengths, value });
                }
                vec![Stmt::If { cond: alone, then: release, otherwise: end }]
            }
            None => end,
        };
        self.when(stuck, then)
    }

    pub(super) fn flags_of(&mut self) -> ExprId {
        let location = self.location(Who::Mover);
        let location = self.access.exprs().convert(Type::U64, location);
        self.access.exprs().load(self.flags, Type::U64, location)
    }

    /// Combines the flags of all processes in `bits`, by or, or by and if `all`.
    fn collect_flags(&mut self, all: bool) -> Block {
        let start = self.u64(if all { 1 } else { 0 });
        let flags = self.flags_of();
        let bits = self.get(self.bits);
        let value = self.binary(if all { BinaryOp::BitAnd } else { BinaryOp::BitOr }, bits, flags);
        let mut body = self.enter(Who::Mover);
        body.push(Stmt::Set { local: self.bits, value });
        let zero = self.access.exprs().i64(0);
        let live = self.get(self.live);
        let live = self.access.exprs().convert(Type::I64, live);
        vec![
            Stmt::Set { local: self.bits, value: start },
            Stmt::For { local: self.access.slots[0], from: zero, to: live, body },
        ]
    }

    fn check_end(&mut self, site: Site) -> Block {
        let mut block = self.collect_flags(true);
        let bits = self.get(self.bits);
        let zero = self.u64(0);
        let bad = self.binary(BinaryOp::Eq, bits, zero);
        let none = self.u64(u64::MAX);
        let step = self.u64(0);
        let then = self.error(none, site, step);
        let mut otherwise = Vec::new();
        if let Some((complete, site)) = self.program().network.completion {
            let complete = self.access.expr(complete, (Version::Source, Who::Mover));
            let cond = self.access.exprs().not(complete);
            let then = self.error(none, site, step);
            otherwise.push(Stmt::If { cond, then, otherwise: vec![] });
        }
        block.push(Stmt::If { cond: bad, then, otherwise });
        block
    }

    /// Limits how often a failure is reported: a machine may reach the same site in each of its rounds. Of
    /// notes, only values below the previous one are reported.
    fn limited(&mut self, site: Site, value: Option<ExprId>, told: Block) -> Block {
        let Some(failed) = &mut self.failed else { return told };
        let [count, last] = match failed.iter().find(|(other, _)| *other == site) {
            Some(&(_, locals)) => locals,
            None => {
                let kernel = &mut self.access.kernel;
                let locals = [
                    kernel.local(format!("failed{}", site.0), Type::U64),
                    kernel.local(format!("last{}", site.0), Type::I64),
                ];
                failed.push((site, locals));
                locals
            }
        };
        let so_far = self.get(count);
        let (none, one) = (self.u64(0), self.u64(1));
        let is_first = self.binary(BinaryOp::Eq, so_far, none);
        let more = self.binary(BinaryOp::Add, so_far, one);
        let mut then = vec![Stmt::Set { local: count, value: more }];
        let mut cond = is_first;
        if let Some(value) = value {
            let (before, most) = (self.get(last), self.u64(MOST_NOTES));
            let is_less = self.binary(BinaryOp::Lt, value, before);
            let is_told = self.binary(BinaryOp::Lt, so_far, most);
            let e = self.access.exprs();
            let again = e.and(is_less, is_told);
            cond = e.or(is_first, again);
            then.push(Stmt::Set { local: last, value });
        }
        then.extend(told);
        vec![Stmt::If { cond, then, otherwise: vec![] }]
    }

    fn error(&mut self, successor: ExprId, site: Site, step: ExprId) -> Block {
        let source = self.len(self.ends);
        let site = self.u64(u64::from(site.0));
        let step = self.access.exprs().convert(Type::U64, step);
        [source, successor, site, step].map(|value| Stmt::Emit { buffer: self.errors, value }).into()
    }

    /// Computes the bits of the labels, and the marks.
    pub(super) fn observe(&mut self, options: &NetworkOptions) -> Block {
        let program = self.program();
        let mut block = Vec::new();
        let mut word = self.u64(0);
        if options.marks {
            block.extend(self.collect_flags(false));
            for (flag, bit) in [(2, ACCEPTING), (4, PROGRESS)] {
                let bits = self.get(self.bits);
                let (flag, zero, bit) = (self.u64(flag), self.u64(0), self.u64(bit));
                let e = self.access.exprs();
                let set = e.binary(BinaryOp::BitAnd, bits, flag);
                let set = e.binary(BinaryOp::Ne, set, zero);
                let mark = e.select(set, bit, zero);
                word = e.binary(BinaryOp::BitOr, word, mark);
            }
        }
        block.extend(self.no_progress());
        for (bit, &label) in options.labels.iter().enumerate() {
            let value = self.access.expr(program.labels[label].expr, (Version::Source, Who::Mover));
            let e = self.access.exprs();
            let value = e.convert(Type::U64, value);
            let bit = e.u64(bit as u64);
            let value = e.binary(BinaryOp::Shl, value, bit);
            word = e.binary(BinaryOp::BitOr, word, value);
        }
        block.push(Stmt::Emit { buffer: self.observations, value: word });
        block
    }

    /// Sets the flag that labels read as "no progress", if some label may read it.
    fn no_progress(&mut self) -> Block {
        let program = self.program();
        if !program.places.contains(Place::NoProgress) {
            return Vec::new();
        }
        let local = self.access.no_progress;
        let mut block = self.collect_flags(false);
        let bits = self.get(self.bits);
        let stuck = self.nothing_since(self.before);
        let (flag, zero) = (self.u64(4), self.u64(0));
        let e = self.access.exprs();
        let set = e.binary(BinaryOp::BitAnd, bits, flag);
        let none = e.binary(BinaryOp::Eq, set, zero);
        let moves = e.not(stuck);
        let value = e.and(none, moves);
        block.push(Stmt::Set { local, value });
        block
    }

    /// Translates statements of the program. `step` is the step whose errors they report.
    ///
    /// Recursion is as deep as blocks nest, which front ends limit.
    pub(super) fn block(&mut self, block: &Block, context: Context, step: Option<ExprId>) -> Block {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            match *statement {
                Stmt::Set { local, value } => {
                    out.extend(self.access.store(local, None, value, context));
                }
                Stmt::Store { buffer, index, value } => {
                    out.extend(self.access.store(buffer, Some(index), value, context));
                }
                Stmt::If { cond, ref then, ref otherwise } => {
                    let cond = self.access.expr(cond, context);
                    let then = self.block(then, context, step);
                    let otherwise = self.block(otherwise, context, step);
                    out.push(Stmt::If { cond, then, otherwise });
                }
                Stmt::For { local, from, to, ref body } => {
                    let from = self.access.expr(from, context);
                    let to = self.access.expr(to, context);
                    let local = self.access.local_of(self.program().place(local), context.1);
                    let body = self.block(body, context, step);
                    out.push(Stmt::For { local, from, to, body });
                }
                Stmt::Machine { local, from, to, start, ref blocks } => {
                    let [from, to, start] = [from, to, start].map(|id| self.access.expr(id, context));
                    let local = self.access.local_of(self.program().place(local), context.1);
                    let (before, behind) = self.access.hold(blocks, context);
                    self.failed = Some(Vec::new());
                    let blocks = blocks.iter().map(|block| self.block(block, context, step)).collect();
                    self.access.release();
                    out.extend(before);
                    let zero = self.u64(0);
                    for (_, [count, _]) in self.failed.take().unwrap_or_default() {
                        out.push(Stmt::Set { local: count, value: zero });
                    }
                    out.push(Stmt::Machine { local, from, to, start, blocks });
                    out.extend(behind);
                }
                Stmt::Goto { block } => out.push(Stmt::Goto { block }),
                Stmt::Break => out.push(Stmt::Break),
                Stmt::Fail { site } => match (self.program().sites[site.index()].subject, step) {
                    // A note is reported in place of a successor. The initialisation has no step to report it
                    // for.
                    (SiteSubject::Note, step) => {
                        if let Some(step) = step {
                            let value = self.get(self.access.noted);
                            let number = self.access.exprs().convert(Type::U64, value);
                            let note = self.error(number, site, step);
                            out.extend(self.limited(site, Some(value), note));
                        }
                    }
                    (SiteSubject::Assertion, Some(step)) => {
                        let successor = self.len(self.steps);
                        let error = self.error(successor, site, step);
                        out.extend(self.limited(site, None, error));
                    }
                    _ => out.push(Stmt::Fail { site }),
                },
                Stmt::Switch { on, ref cases, ref default } => {
                    let on = self.access.expr(on, context);
                    let cases = cases.iter().map(|(k, b)| (*k, self.block(b, context, step))).collect();
                    let default = self.block(default, context, step);
                    out.push(Stmt::Switch { on, cases, default });
                }
                Stmt::Take { .. }
                | Stmt::Emit { .. }
                | Stmt::Copy { .. }
                | Stmt::Truncate { .. }
                | Stmt::Return => unreachable!("no statement of an effect"),
            }
        }
        out
    }
}

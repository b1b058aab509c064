//! The loop of an ordered kernel: one process at a time, for depth-first searches.
//!
//! The kernel expands a state up to the first process that has a step. So a search that continues from its
//! successors does not pay for other processes. Called again behind that slot ([`ordered_mode`]), the kernel
//! emits the steps of the next process. The order is the usual one of depth-first searches of such programs
//! (G. J. Holzmann, *The SPIN Model Checker*, 2003, chapter 8): from the last created process to the first,
//! with the transitions of each as they are written. A process whose transitions use only its own resources
//! has precedence: then it alone moves.

use super::access::Who;
use super::builder::Builder;
use super::{NetworkOptions, ordered_mode};
use crate::accesses::SharedResource;
use crate::ids::{LocationId, PoolId};
use crate::places::Place;
use crate::program::Program;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Stmt, Type};

/// The flag of locations whose transitions use only resources of their own process.
const OWN: u64 = 8;

/// Passes: processes with precedence; all processes; all processes with the timeout set.
const PRECEDENCE: u64 = 0;
const EVERYONE: u64 = 1;
const TIMEOUT: u64 = 2;

impl Builder<'_> {
    /// The kernel that expands states process by process.
    pub(super) fn one_process(&mut self, options: &NetworkOptions) -> Block {
        let [bound, mode, turn, found] =
            ["bound", "mode", "turn", "found"].map(|name| self.access.kernel.local(name, Type::U64));
        let mut inner = self.state_begin();
        inner.extend(self.begin_at(bound, mode));
        let zero = self.u64(0);
        inner.push(Stmt::Set { local: found, value: zero });
        inner.extend(self.passes_in_order(mode, turn, found));
        inner.extend(self.run_on());
        let resumed = self.is_set(mode, ordered_mode::RESUMED);
        let mut first = self.nothing_moves();
        first.extend(self.observe(options));
        let nothing = vec![Stmt::Emit { buffer: self.observations, value: zero }];
        inner.push(Stmt::If { cond: resumed, then: nothing, otherwise: first });
        inner.push(self.end_with_marks(found));
        let (zero, one) = (self.u64(0), self.u64(1));
        let from = self.access.exprs().load(self.range, Type::U64, zero);
        let to = self.access.exprs().load(self.range, Type::U64, one);
        vec![Stmt::For { local: self.state, from, to, body: inner }]
    }

    fn is_set(&mut self, mode: Local, bit: u64) -> ExprId {
        let (mode, bit, zero) = (self.get(mode), self.u64(bit), self.u64(0));
        let set = self.binary(BinaryOp::BitAnd, mode, bit);
        self.binary(BinaryOp::Ne, set, zero)
    }

    /// Reads where to begin, and skips the processes before.
    fn begin_at(&mut self, bound: Local, mode: Local) -> Block {
        let (two, three) = (self.u64(2), self.u64(3));
        let range = self.range;
        let e = self.access.exprs();
        let (bound_value, mode_value) = (e.load(range, Type::U64, two), e.load(range, Type::U64, three));
        let mut block = vec![
            Stmt::Set { local: bound, value: bound_value },
            Stmt::Set { local: mode, value: mode_value },
        ];
        let (resumed, ascending) =
            (self.is_set(mode, ordered_mode::RESUMED), self.is_set(mode, ordered_mode::ASCENDING));
        let (slot, from, to) = (self.get(bound), self.get(self.from), self.get(self.to));
        let (before, behind) = (self.binary(BinaryOp::Lt, from, slot), self.binary(BinaryOp::Lt, slot, to));
        let e = self.access.exprs();
        let (later, earlier) = (e.select(before, slot, from), e.select(behind, slot, to));
        // If a process has exclusive control, it is the only one.
        let cut = vec![Stmt::If {
            cond: ascending,
            then: vec![Stmt::Set { local: self.from, value: later }],
            otherwise: vec![Stmt::Set { local: self.to, value: earlier }],
        }];
        block.push(Stmt::If { cond: resumed, then: cut, otherwise: vec![] });
        block
    }

    /// The steps of the first process that has any.
    fn passes_in_order(&mut self, mode: Local, turn: Local, found: Local) -> Block {
        let asked = self.program().places.contains(Place::Timeout);
        let (resumed, all_same, at_timeout) = (
            self.is_set(mode, ordered_mode::RESUMED),
            self.is_set(mode, ordered_mode::NO_PRECEDENCE),
            self.is_set(mode, ordered_mode::TIMEOUT),
        );
        let (precedence, everyone, timeout, end) =
            (self.u64(PRECEDENCE), self.u64(EVERYONE), self.u64(TIMEOUT), self.u64(TIMEOUT + 1));
        let e = self.access.exprs();
        let skip = e.or(resumed, all_same);
        let first = e.select(skip, everyone, precedence);
        let first = e.select(at_timeout, timeout, first);
        let mut last = timeout;
        if asked {
            // Whether there is a timeout depends on all processes.
            last = e.select(resumed, timeout, end);
            if let Some(alone) = self.alone() {
                last = self.access.exprs().select(alone, timeout, last);
            }
            last = self.access.exprs().select(at_timeout, end, last);
        }
        let pass = self.get(self.pass);
        let with_timeout = self.binary(BinaryOp::Eq, pass, timeout);
        let for_all = self.binary(BinaryOp::Ne, pass, precedence);
        let mut body = vec![Stmt::Set { local: self.access.timeout, value: with_timeout }];
        let mut inner = self.enter_in_order(mode, turn);
        let flags = self.flags_of();
        let (own, zero) = (self.u64(OWN), self.u64(0));
        let own = self.binary(BinaryOp::BitAnd, flags, own);
        let own = self.binary(BinaryOp::Ne, own, zero);
        let may = self.access.exprs().or(for_all, own);
        let then = self.process();
        inner.push(Stmt::If { cond: may, then, otherwise: vec![] });
        let stop = |builder: &mut Self| {
            let nothing = builder.nothing_since(builder.before);
            let cond = builder.access.exprs().not(nothing);
            let one = builder.u64(1);
            let pass = builder.get(builder.pass);
            let value = builder.binary(BinaryOp::Add, pass, one);
            Stmt::If { cond, then: vec![Stmt::Set { local: found, value }, Stmt::Break], otherwise: vec![] }
        };
        inner.push(stop(self));
        let (zero, from, to) = (self.u64(0), self.get(self.from), self.get(self.to));
        // No process is left if another one has exclusive control.
        let some = self.binary(BinaryOp::Lt, from, to);
        let count = self.binary(BinaryOp::Sub, to, from);
        let count = self.access.exprs().select(some, count, zero);
        body.push(Stmt::For { local: turn, from: zero, to: count, body: inner });
        body.push(stop(self));
        vec![Stmt::For { local: self.pass, from: first, to: last, body }]
    }

    /// Finds the record of the next process in order.
    fn enter_in_order(&mut self, mode: Local, turn: Local) -> Block {
        let ascending = self.is_set(mode, ordered_mode::ASCENDING);
        let (turn, one) = (self.get(turn), self.u64(1));
        let (from, to) = (self.get(self.from), self.get(self.to));
        let up = self.binary(BinaryOp::Add, from, turn);
        let down = self.binary(BinaryOp::Sub, to, turn);
        let down = self.binary(BinaryOp::Sub, down, one);
        let e = self.access.exprs();
        let slot = e.select(ascending, up, down);
        let value = e.convert(Type::I64, slot);
        let mut block = vec![Stmt::Set { local: self.access.slots[Who::Mover as usize], value }];
        block.extend(self.enter(Who::Mover));
        block
    }

    /// The number of successors, with marks.
    fn end_with_marks(&mut self, found: Local) -> Stmt {
        let found = self.get(found);
        let len = self.len(self.steps);
        let mut ends = self.access.exprs().convert(Type::U32, len);
        for (pass, mark) in [(PRECEDENCE, ordered_mode::PRECEDES), (TIMEOUT, ordered_mode::AT_TIMEOUT)] {
            let pass = self.u64(pass + 1);
            let is_it = self.binary(BinaryOp::Eq, found, pass);
            let e = self.access.exprs();
            let (mark, none) =
                (e.constant(Const::int(Type::U32, i64::from(mark))), e.constant(Const::int(Type::U32, 0)));
            let mark = e.select(is_it, mark, none);
            ends = e.binary(BinaryOp::BitOr, ends, mark);
        }
        Stmt::Emit { buffer: self.ends, value: ends }
    }
}

/// The locations whose transitions use nothing that other processes use, apart from creation and end. A
/// process there moves first; this is a heuristic order, and no proof of independence.
pub(super) fn own_locations(program: &Program) -> Vec<bool> {
    let network = &program.network;
    let is_watched = network.has_remote_reads || network.last.is_some() || network.priority.is_some();
    let mut is_guarded = vec![false; network.locations.len()];
    for process in network.types.iter().filter(|process| process.guard.is_some()) {
        let first = process.first.index();
        is_guarded[first..first + process.count as usize].fill(true);
    }
    let comes_or_goes = |resource: SharedResource| {
        let processes = PoolId(0);
        resource == SharedResource::Count(processes)
            || matches!(resource, SharedResource::Slot(pool, _) if pool == processes)
    };
    let is_own = |l: usize| {
        let location = &network.locations[l];
        let mut any = false;
        let all = location.alternatives().all(|alternative| {
            any = true;
            alternative.offer.is_none() && alternative.accesses.iter().all(|a| comes_or_goes(a.resource))
        });
        any && all && !location.is_observed
    };
    let own: Vec<bool> =
        (0..network.locations.len()).map(|l| !is_watched && !is_guarded[l] && is_own(l)).collect();
    // An atomic sequence is one step, so all of it counts.
    let mut goes_on_alone: Vec<bool> = own.clone();
    loop {
        let mut changed = false;
        for (l, location) in network.locations.iter().enumerate() {
            let leads_out = |target: LocationId| !goes_on_alone.get(target.index()).copied().unwrap_or(false);
            if goes_on_alone[l]
                && location.alternatives().any(|a| a.then_exclusive() && leads_out(a.target()))
            {
                goes_on_alone[l] = false;
                changed = true;
            }
        }
        if !changed {
            return goes_on_alone;
        }
    }
}

//! The frame around the steps: loops over paths and steps, the beginning of a path and its end.

use super::builder::Builder;
use super::interface::{Shape, param};
use crate::measure::UNDECIDED;
use volvelle_kernel::{BinaryOp, Block, Buffer, Const, ExprId, Kernel, Local, Stmt, Type, UnaryOp};

impl Builder<'_> {
    /// The kernel around the code of a visit to a state.
    pub(super) fn build(mut self, visit: Block) -> Kernel {
        self.kernel.body = match self.shape {
            Shape::Nested | Shape::Single => {
                let from_step = self.first_step();
                let most = self.kernel.get(self.params[param::MAX_STEPS]);
                let steps = Stmt::For { local: self.steps, from: from_step, to: most, body: visit };
                self.over_paths(steps)
            }
            Shape::Flat | Shape::Claiming => {
                let turn = self.kernel.local("turn", Type::U64);
                let refill = self.refill();
                let running = self.kernel.get(self.running);
                let e = &mut self.kernel.exprs;
                let (zero, for_ever, idle) = (e.u64(0), e.u64(u64::MAX), e.not(running));
                let mut body = vec![Stmt::If { cond: idle, then: refill, otherwise: vec![] }];
                body.extend(visit);
                vec![Stmt::For { local: turn, from: zero, to: for_ever, body }]
            }
        };
        self.kernel
    }

    /// In a flat loop: stores the results of the ended path, if any, and begins the next one, if any.
    fn refill(&mut self) -> Block {
        let started = self.kernel.local("started", Type::Bool);
        let is_started = self.kernel.get(started);
        let end = self.kernel.get(self.params[param::END]);
        let from = self.first_path();
        let (begin, store) = (self.begin(), self.store());
        let path = self.kernel.get(self.path);
        let none_left = self.kernel.exprs.binary(BinaryOp::Ge, path, end);
        let yes = self.kernel.exprs.bool(true);
        let start = Stmt::Set { local: started, value: yes };
        let mut refill = match self.next {
            None => {
                let lanes = self.kernel.get(self.params[param::LANES]);
                let value = self.kernel.exprs.binary(BinaryOp::Add, path, lanes);
                let mut advance = store;
                advance.push(Stmt::Set { local: self.path, value });
                let first = vec![Stmt::Set { local: self.path, value: from }, start];
                vec![Stmt::If { cond: is_started, then: advance, otherwise: first }]
            }
            Some(next) => {
                let taken = self.kernel.local("taken", Type::U32);
                let first = self.kernel.get(self.params[param::FIRST]);
                let number = self.kernel.get(taken);
                let e = &mut self.kernel.exprs;
                let (index, number) = (e.u64(0), e.convert(Type::U64, number));
                let value = e.binary(BinaryOp::Add, first, number);
                vec![
                    Stmt::If { cond: is_started, then: store, otherwise: vec![start] },
                    Stmt::Take { local: taken, buffer: next, index },
                    Stmt::Set { local: self.path, value },
                ]
            }
        };
        refill.push(Stmt::If { cond: none_left, then: vec![Stmt::Break], otherwise: vec![] });
        refill.extend(begin);
        let zero_steps = self.kernel.exprs.constant(Const::int(Type::U32, 0));
        refill.push(Stmt::Set { local: self.steps, value: zero_steps });
        refill.push(Stmt::Set { local: self.running, value: yes });
        refill
    }

    /// The loop over paths around one over steps; or the one path of a lane.
    pub(super) fn over_paths(&mut self, steps: Stmt) -> Block {
        let end = self.kernel.get(self.params[param::END]);
        let from = self.first_path();
        let mut body = self.begin();
        body.push(steps);
        body.extend(self.store());
        if self.shape == Shape::Single {
            let path = self.kernel.get(self.path);
            let cond = self.kernel.exprs.binary(BinaryOp::Lt, path, end);
            let set = Stmt::Set { local: self.path, value: from };
            return vec![set, Stmt::If { cond, then: body, otherwise: vec![] }];
        }
        vec![Stmt::For { local: self.path, from, to: end, body }]
    }

    fn first_path(&mut self) -> ExprId {
        let first = self.kernel.get(self.params[param::FIRST]);
        let lane = self.kernel.get(self.params[param::LANE]);
        self.kernel.exprs.binary(BinaryOp::Add, first, lane)
    }

    /// Begins a path: its stream, the initial state, nothing decided.
    fn begin(&mut self) -> Block {
        let seed = self.kernel.get(self.params[param::SEED]);
        let path = self.kernel.get(self.path);
        let mut block = self.stream.seed(&mut self.kernel, seed, path);
        for (i, &local) in self.fields.iter().enumerate() {
            if self.place.as_ref().is_some_and(|place| place.knows(i)) {
                continue;
            }
            let value = self.plan.initial[i];
            let constant = match self.kernel.locals[local.index()].ty {
                Type::Bool => Const::bool(value != 0),
                ty => Const::int(ty, value),
            };
            let value = self.kernel.exprs.constant(constant);
            block.push(Stmt::Set { local, value });
        }
        block.extend(self.first_row());
        for (monitor, kept) in self.plan.monitors.all().iter().enumerate() {
            if kept.tells_values() {
                block.extend(self.begin_curve(monitor));
            }
            let at_first = if kept.tells_moment() { f64::INFINITY } else { 0.0 };
            let value = self.kernel.exprs.f64(at_first);
            block.push(Stmt::Set { local: self.values[monitor], value });
            block.extend(self.begin_spending(monitor));
        }
        let e = &mut self.kernel.exprs;
        let (zero, yes, no) = (e.f64(0.0), e.bool(true), e.bool(false));
        if !self.ends_with_its_measure() {
            block.extend(self.open.iter().map(|&local| Stmt::Set { local, value: yes }));
        }
        if self.place.is_none() && self.rows.is_none() && self.plan.ends_where_nothing_changes() {
            block.push(Stmt::Set { local: self.absorbed, value: no });
        }
        let first = self.kernel.exprs.constant(Const::int(Type::U32, 0));
        block
            .extend(self.automata.iter().map(|automaton| Stmt::Set { local: automaton.state, value: first }));
        if self.plan.clock {
            block.push(Stmt::Set { local: self.now, value: zero });
        }
        block.extend(self.begin_segment());
        block.extend(self.evaluate_all_weights());
        block
    }

    /// The position of the path's results.
    pub(super) fn results_of_path(&mut self) -> ExprId {
        let path = self.kernel.get(self.path);
        let first = self.kernel.get(self.params[param::FIRST]);
        let e = &mut self.kernel.exprs;
        let number = e.binary(BinaryOp::Sub, path, first);
        let columns = e.u64(self.plan.monitors.columns() as u64);
        e.binary(BinaryOp::Mul, number, columns)
    }

    /// A path has ended: its results.
    fn store(&mut self) -> Block {
        let path = self.kernel.get(self.path);
        let first = self.kernel.get(self.params[param::FIRST]);
        let steps = self.kernel.get(self.steps);
        let begun = self.first_step();
        let most = self.kernel.get(self.params[param::MAX_STEPS]);
        let e = &mut self.kernel.exprs;
        let number = e.binary(BinaryOp::Sub, path, first);
        let is_given_up = e.binary(BinaryOp::Eq, steps, most);
        let given_up = e.convert(Type::U64, is_given_up);
        let taken = if e.as_const(begun).is_some() { steps } else { e.binary(BinaryOp::Sub, steps, begun) };
        let twice = e.convert(Type::U64, taken);
        let twice = e.binary(BinaryOp::Add, twice, twice);
        let status = e.binary(BinaryOp::Add, twice, given_up);
        let base = self.results_of_path();
        let mut block = vec![Stmt::Store { buffer: self.status, index: number, value: status }];
        for (k, kept) in self.plan.monitors.all().iter().enumerate() {
            if kept.tells_values() {
                // Was reported on the way.
                continue;
            }
            let value = self.kernel.get(self.values[k]);
            let mut is_open = is_given_up;
            if !self.ends_with_its_measure() {
                let open = self.kernel.get(self.open[k]);
                is_open = self.kernel.exprs.and(is_given_up, open);
            }
            let undecided = if kept.tells_moment() {
                let not_before = self.moment();
                self.kernel.exprs.unary(UnaryOp::Neg, not_before)
            } else {
                self.kernel.exprs.f64(UNDECIDED)
            };
            let e = &mut self.kernel.exprs;
            let value = e.select(is_open, undecided, value);
            let offset = e.u64(kept.column as u64);
            let index = if kept.column == 0 { base } else { e.binary(BinaryOp::Add, base, offset) };
            block.push(Stmt::Store { buffer: self.results, index, value });
        }
        block.extend(self.store_ends(number));
        block.extend(self.store_segment());
        block
    }

    /// Stores the final state of the path, if requested. `number` counts paths from the first on.
    fn store_ends(&mut self, number: ExprId) -> Block {
        let Some(ends) = self.ends else { return Vec::new() };
        let e = &mut self.kernel.exprs;
        let state = match &self.rows {
            Some(rows) => vec![rows.row],
            None => self.fields.clone(),
        };
        let all: Vec<Local> = state.into_iter().chain(self.automata.iter().map(|w| w.state)).collect();
        let width = e.u64(all.len() as u64);
        let row = e.binary(BinaryOp::Mul, number, width);
        self.store_row(ends, row, &all)
    }

    /// Stores the values of some locals, as `i64`, one after the other from a position on.
    pub(super) fn store_row(&mut self, buffer: Buffer, row: ExprId, locals: &[Local]) -> Block {
        let mut block = Vec::with_capacity(locals.len());
        for (i, &local) in locals.iter().enumerate() {
            let value = self.kernel.get(local);
            let e = &mut self.kernel.exprs;
            let value = e.convert(Type::I64, value);
            let offset = e.u64(i as u64);
            let index = if i == 0 { row } else { e.binary(BinaryOp::Add, row, offset) };
            block.push(Stmt::Store { buffer, index, value });
        }
        block
    }
}

//! Statements.

use super::Lowering;
use crate::program::{Arith, Class, Cmp, Counter, Inst, Label, Logic, Loop, Num, Reg};
use volvelle_kernel::{Block, CompileError, Const, ExprId, Local, Stmt, Type};
use volvelle_store::BitSet;

/// Whether a lane can reach the end of a block.
type Reached = bool;

/// The bounds of a loop.
#[derive(Clone, Copy)]
struct Range {
    local: Local,
    from: Reg,
    to: Reg,
    /// The local has a value that is read.
    counted: bool,
}

impl Lowering<'_> {
    pub(super) fn body(&mut self) -> Result<(), CompileError> {
        let kernel = self.kernel;
        let nothing = self.summaries().no_locals();
        self.block(&kernel.body, &nothing, &nothing)?;
        Ok(())
    }

    /// Lowers a block under the current mask, and leaves the mask of the lanes that reached its end. `after`
    /// is live after it, `out` after the enclosing loop. The depth of recursion is the nesting of blocks,
    /// which the verifier limits.
    fn block(&mut self, block: &Block, after: &BitSet, out: &BitSet) -> Result<Reached, CompileError> {
        // The live variables after each statement, the last first.
        let mut summaries = self.summaries.take().expect("put back below");
        let mut behind = Vec::with_capacity(block.len());
        let mut live = after.clone();
        for statement in block.iter().rev() {
            behind.push(live.clone());
            summaries.before(statement, &mut live, out);
        }
        self.summaries = Some(summaries);
        let known = self.given_log.len();
        let mut reached = true;
        for statement in block {
            let after = behind.pop().expect("one per statement");
            self.count_work()?;
            self.next_statement();
            reached = self.statement(statement, &after, out)?;
            if !reached {
                break;
            }
        }
        for (variable, before) in self.given_log.drain(known..).rev() {
            match before {
                Some(before) => self.given.insert(variable, before),
                None => self.given.remove(&variable),
            };
        }
        Ok(reached)
    }

    fn statement(&mut self, statement: &Stmt, after: &BitSet, out: &BitSet) -> Result<Reached, CompileError> {
        match *statement {
            Stmt::Set { local, value } => {
                let value = self.eval(value)?;
                self.assign(local, value);
            }
            Stmt::Store { buffer, index, value } => {
                let index = self.eval(index)?;
                let value = self.eval(value)?;
                let value = if self.class(value) == Class::Mask {
                    self.convert(Type::Bool, Type::U8, value)
                } else {
                    value
                };
                self.push(Inst::Store { buffer, index, value, mask: self.mask });
                self.buffer_versions[buffer.index()] += 1;
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                return self.choice(cond, then, otherwise, after, out);
            }
            Stmt::Switch { on, ref cases, ref default } => {
                return self.switch(on, cases, default, after, out);
            }
            Stmt::For { local, from, to, ref body } => return self.repeat(local, from, to, body, after),
            Stmt::Break => return Ok(false),
            Stmt::Return => {
                if let Some(alive) = self.alive {
                    match self.mask {
                        Some(mask) => {
                            self.write(Inst::Logic { op: Logic::AndNot, dst: alive, a: mask, b: alive });
                        }
                        None => {
                            let none = self.constant(Class::Mask, 0);
                            self.write(Inst::Assign { dst: alive, src: none, mask: None });
                        }
                    }
                }
                return Ok(false);
            }
            Stmt::Fail { site } => {
                self.push(Inst::Fail { mask: self.mask, site });
                return Ok(false);
            }
            Stmt::Emit { .. } | Stmt::Copy { .. } | Stmt::Truncate { .. } => {
                return Err(CompileError("vector code has no buffers that grow".into()));
            }
            Stmt::Take { .. } => {
                return Err(CompileError("vector code has lanes with numbers, which take none".into()));
            }
            Stmt::Machine { .. } | Stmt::Goto { .. } => {
                return Err(CompileError("lanes do not jump: vector code has no machines".into()));
            }
        }
        Ok(true)
    }

    /// Sets a local in the lanes of the mask; in all lanes if it is not live in the others.
    fn assign(&mut self, local: Local, value: Reg) {
        let dst = self.locals[local.index()];
        if value != dst {
            // The value may refer to the variable's old value: evaluate it before facts about the variable change.
            let given = self.given_value(value);
            self.write_local(local, dst, value);
            self.give(dst, given);
        }
    }

    fn write_local(&mut self, local: Local, dst: Reg, value: Reg) {
        let mask = self.mask.filter(|_| self.outside.contains(local.index()));
        let (Some(set), Class::Mask) = (mask, self.class(dst)) else {
            self.write(Inst::Assign { dst, src: value, mask });
            return;
        };
        match self.as_constant(value) {
            Some(0) => self.write(Inst::Logic { op: Logic::AndNot, dst, a: set, b: dst }),
            Some(_) => self.write(Inst::Logic { op: Logic::Or, dst, a: dst, b: set }),
            None => {
                let taken = self.logic(Logic::And, value, set);
                // Not by `value`: what is known of the variable holds only in the lanes that are set, but
                // here the others matter.
                let kept = self.fresh(Class::Mask, false);
                self.push(Inst::Logic { op: Logic::AndNot, dst: kept, a: set, b: dst });
                self.write(Inst::Logic { op: Logic::Or, dst, a: kept, b: taken });
            }
        }
    }

    fn choice(
        &mut self,
        cond: ExprId,
        then: &Block,
        otherwise: &Block,
        after: &BitSet,
        out: &BitSet,
    ) -> Result<Reached, CompileError> {
        let cond = self.eval(cond)?;
        match self.as_constant(cond) {
            Some(0) => return self.block(otherwise, after, out),
            Some(_) => return self.block(then, after, out),
            None => {}
        }
        let leaves = ends_early(self, then) || ends_early(self, otherwise);
        let entry = self.mask;
        let taken = self.and_mask(entry, cond);
        let current = leaves.then(|| self.current_mask());
        let waiting = self.summaries().entering(otherwise, after, out);
        let mut reached = self.region(taken, then, current, &waiting, after, out)?;
        if otherwise.is_empty() {
            reached = true;
        } else {
            let rest = self.and_not_mask(self.mask, taken);
            reached |= self.region(rest, otherwise, current, after, after, out)?;
        }
        Ok(reached)
    }

    /// Makes the mask a variable, from which leaving lanes are removed.
    fn current_mask(&mut self) -> Reg {
        if let Some(mask) = self.mask.filter(|mask| self.is_variable(*mask)) {
            return mask;
        }
        let current = self.fresh(Class::Mask, true);
        let entry = match self.mask {
            Some(mask) => mask,
            None => self.constant(Class::Mask, 1),
        };
        self.write(Inst::Assign { dst: current, src: entry, mask: None });
        if let Some(entry) = self.mask {
            self.parents.insert(current, (entry, self.versions[entry.index()]));
        }
        self.mask = Some(current);
        current
    }

    /// Lowers a block for the lanes of a mask. `waiting` is live for other lanes of the statement meanwhile.
    /// Lanes that do not reach the end are removed from the mask `current`.
    fn region(
        &mut self,
        mask: Reg,
        block: &Block,
        current: Option<Reg>,
        waiting: &BitSet,
        after: &BitSet,
        out: &BitSet,
    ) -> Result<Reached, CompileError> {
        if self.as_constant(mask) == Some(0) {
            return Ok(false);
        }
        let summary = self.summaries().get(block);
        let skips = summary.loops || summary.cost >= self.choices.skip_cost;
        let mut outside = self.outside.clone();
        outside.unite(waiting);
        let outside = std::mem::replace(&mut self.outside, outside);
        let outer = self.mask.replace(mask);
        let skip = skips.then(|| {
            let label = self.label();
            self.push(Inst::Skip { mask, to: label });
            (label, self.open())
        });
        let reached = self.block(block, after, out)?;
        if let Some(current) = current {
            let left = match self.mask.filter(|_| reached) {
                Some(last) => self.logic(Logic::AndNot, last, mask),
                None => mask,
            };
            if self.as_constant(left) != Some(0) && !(reached && self.mask == Some(mask)) {
                self.write(Inst::Logic { op: Logic::AndNot, dst: current, a: left, b: current });
            }
        }
        if let Some((label, scope)) = skip {
            self.close(scope);
            self.push(Inst::Label { label });
        }
        self.outside = outside;
        self.mask = outer;
        Ok(reached)
    }

    fn switch(
        &mut self,
        on: ExprId,
        cases: &[(i64, Block)],
        default: &Block,
        after: &BitSet,
        out: &BitSet,
    ) -> Result<Reached, CompileError> {
        let ty = self.kernel.exprs.ty(on);
        let on = self.eval(on)?;
        // Cases may set the local that it is.
        let on = self.copied(on);
        // The locals that are live before the default and each later case.
        let mut waiting = vec![self.summaries().entering(default, after, out)];
        waiting[0].unite(after);
        for (_, block) in cases.iter().skip(1).rev() {
            let mut more = self.summaries().entering(block, after, out);
            more.unite(&waiting[waiting.len() - 1]);
            waiting.push(more);
        }
        let leaves = cases.iter().any(|(_, block)| ends_early(self, block)) || ends_early(self, default);
        let mut rest = self.mask;
        let current = leaves.then(|| self.current_mask());
        let mut reached = false;
        for (key, block) in cases {
            let key = self.typed(Const::int(ty, *key));
            let equal = self.compare(Cmp::Eq, Num::of(ty), on, key);
            let taken = self.and_mask(rest, equal);
            let mut live = waiting.pop().unwrap_or_else(|| after.clone());
            live.unite(after);
            // Before lanes leave, which may be taken from this very mask.
            let others = self.and_not_mask(rest, taken);
            reached |= self.region(taken, block, current, &live, after, out)?;
            rest = Some(others);
        }
        match rest {
            Some(rest) => reached |= self.region(rest, default, current, after, after, out)?,
            // No cases.
            None => reached |= self.block(default, after, out)?,
        }
        Ok(reached)
    }

    fn repeat(
        &mut self,
        local: Local,
        from: ExprId,
        to: ExprId,
        body: &Block,
        after: &BitSet,
    ) -> Result<Reached, CompileError> {
        let from = self.eval(from)?;
        let to = self.eval(to)?;
        // The body may set locals that they are.
        let (from, to) = (self.copied(from), self.copied(to));
        let uniform = self.is_uniform(from) && self.is_uniform(to);
        let is_read = self.summaries().get(body).reads.contains(local.index())
            || after.contains(local.index())
            || self.outside.contains(local.index());
        let range = Range { local, from, to, counted: is_read || !uniform };
        if range.counted {
            self.assign(local, from);
        }
        let (entry, summary) = (self.mask, self.summaries().get(body));
        let returns = summary.returns;
        let leaves = ends_early(self, body);
        // The lanes in the loop. They do not change if all lanes run the same number of iterations.
        let lanes = (leaves || !uniform).then(|| self.fresh(Class::Mask, true));
        let (head, end) = (self.label(), self.label());
        let signed = self.kernel.locals[local.index()].ty.is_signed();
        let counter = uniform.then(|| self.counter());
        self.enter_loop(range, entry, lanes, counter, signed, end);

        let inside = self.summaries().in_loop(body, after);
        self.keep(head, &inside, after, local, range.counted);
        let summary = self.summaries().get(body);
        let (sets, stores) = (summary.sets.clone(), summary.stores.clone());
        for i in sets.iter() {
            self.versions[self.locals[i].index()] += 1;
        }
        for i in stores.iter() {
            self.buffer_versions[i] += 1;
        }
        let counting = self.locals[local.index()];
        self.versions[counting.index()] += 1;
        lanes.iter().for_each(|l| self.versions[l.index()] += 1);
        if let Some(alive) = self.alive {
            self.versions[alive.index()] += 1;
        }
        let mut outside = self.outside.clone();
        outside.unite(after);
        let outside = std::mem::replace(&mut self.outside, outside);
        self.push(Inst::Head { label: head });
        let scope = self.open();
        if lanes.is_some() {
            self.mask = lanes;
        }
        if let (Some(lanes), Some(entry)) = (lanes, entry) {
            self.parents.insert(lanes, (entry, self.versions[entry.index()]));
        }
        let mut end_live = inside.clone();
        end_live.insert(local.index());
        if self.block(body, &end_live, after)? {
            self.next_round(range, lanes, counter, head);
        }
        self.close(scope);
        self.push(Inst::Label { label: end });
        self.outside = outside;
        self.mask = entry;
        if returns {
            // Lanes that returned do not continue; without a mask, `alive` would change while it is in use.
            let alive = self.alive.expect("made where lanes return");
            let rest = self.and_mask(entry, alive);
            self.mask = Some(rest);
        }
        Ok(true)
    }

    /// The lanes that run the first iteration; jumps to the end if there are none.
    fn enter_loop(
        &mut self,
        range: Range,
        entry: Option<Reg>,
        lanes: Option<Reg>,
        counter: Option<Counter>,
        signed: bool,
        end: Label,
    ) {
        let Range { from, to, .. } = range;
        if let Some(counter) = counter {
            self.push(Inst::Count { counter, from, to, signed, end });
        }
        let Some(lanes) = lanes else { return };
        let first = if counter.is_some() {
            match entry {
                Some(entry) => entry,
                None => self.constant(Class::Mask, 1),
            }
        } else {
            let ty = self.kernel.locals[range.local.index()].ty;
            let is_below = self.compare(Cmp::Lt, Num::of(ty), from, to);
            self.and_mask(entry, is_below)
        };
        self.write(Inst::Assign { dst: lanes, src: first, mask: None });
        self.push(Inst::Skip { mask: lanes, to: end });
    }

    /// The end of a round, reached by the lanes of the mask.
    fn next_round(&mut self, range: Range, lanes: Option<Reg>, counter: Option<Counter>, head: Label) {
        let ty = self.kernel.locals[range.local.index()].ty;
        let num = Num::of(ty);
        if range.counted {
            let one = self.constant(num.class(), 1);
            let current = self.locals[range.local.index()];
            let next = self.arith(Arith::Add, num, current, one);
            self.assign(range.local, next);
        }
        if let Some(lanes) = lanes {
            let reached = self.mask.expect("a loop that is left has a mask");
            let next = if counter.is_some() {
                reached
            } else {
                let current = self.locals[range.local.index()];
                let is_below = self.compare(Cmp::Lt, num, current, range.to);
                self.and_mask(Some(reached), is_below)
            };
            if next != lanes {
                self.write(Inst::Assign { dst: lanes, src: next, mask: None });
            }
        }
        self.push(Inst::Repeat { head, mask: lanes, counter });
    }

    /// Records the variables that a loop must not overwrite: those live from one iteration to the next, for
    /// lanes in the loop, after it or elsewhere.
    fn keep(&mut self, head: Label, inside: &BitSet, after: &BitSet, counter: Local, counted: bool) {
        let mut kept = inside.clone();
        kept.unite(after);
        kept.unite(&self.outside);
        if counted {
            kept.insert(counter.index());
        } else {
            kept.remove(counter.index());
        }
        let mut keeps: Vec<Reg> = kept.iter().map(|i| self.locals[i]).collect();
        keeps.extend(self.alive);
        self.program.loops.push(Loop { head, keeps });
    }

    /// Whether it is computed from constants, lengths and parameters other than the number of the lane.
    fn is_uniform(&self, reg: Reg) -> bool {
        self.is_uniform_within(reg, 8)
    }

    fn is_uniform_within(&self, reg: Reg, levels: u32) -> bool {
        let Some((inst, _)) = self.defs[reg.index()] else { return false };
        match inst {
            Inst::Constant { .. } | Inst::Param { .. } | Inst::Len { .. } => true,
            Inst::Unary { a, .. } | Inst::Shift { a, .. } => {
                levels > 0 && self.is_uniform_within(a, levels - 1)
            }
            Inst::Binary { a, b, .. } => {
                levels > 0 && self.is_uniform_within(a, levels - 1) && self.is_uniform_within(b, levels - 1)
            }
            _ => false,
        }
    }
}

/// Whether some lanes may leave a block early while the run continues; a failure ends the run.
fn ends_early(lowering: &Lowering<'_>, block: &Block) -> bool {
    let summary = lowering.summaries().get(block);
    summary.breaks || summary.returns
}

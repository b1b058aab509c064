//! Assignments: branches of stages, in parallel as the program means them.

use super::Builder;
use super::choice::Sums;
use crate::slots::Branch;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Node, Stmt, Type};
use volvelle_model::{Assignment, Domain};

/// Whether an assignment changes its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Never,
    Maybe,
    Always,
}

impl Builder<'_> {
    /// Draws the branches of a slot that was taken, and does what they say.
    pub(super) fn stages(&mut self, slot: usize) -> Block {
        let plan = self.plan;
        let stages = &plan.slots[slot].stages;
        if let [stage] = stages.as_slice() {
            return self.stage(slot, 0, stage.len(), |builder, branch| builder.assign(slot, &stage[branch]));
        }
        // All stages read the state before the step: they write copies first.
        let mut written: Vec<usize> =
            stages.iter().flatten().flat_map(|b| &b.assignments).map(|a| a.field.index()).collect();
        written.sort_unstable();
        written.dedup();
        let copies: Vec<(usize, Local)> = written
            .into_iter()
            .map(|field| {
                let ty = self.kernel.locals[self.fields[field].index()].ty;
                (field, self.kernel.local(format!("next{slot}_{field}"), ty))
            })
            .collect();
        let mut block: Block = copies
            .iter()
            .map(|&(field, local)| Stmt::Set { local, value: self.kernel.get(self.fields[field]) })
            .collect();
        for (number, stage) in stages.iter().enumerate() {
            block.extend(self.stage(slot, number, stage.len(), |builder, branch| {
                let assignments = &stage[branch].assignments;
                assignments
                    .iter()
                    .map(|assignment| {
                        let value = builder.assigned(slot, assignment);
                        let copy = copies.iter().find(|(field, _)| *field == assignment.field.index());
                        Stmt::Set { local: copy.expect("listed above").1, value }
                    })
                    .collect()
            }));
        }
        if self.plan.ends_where_nothing_changes() {
            let mut same = self.kernel.exprs.bool(true);
            for &(field, copy) in &copies {
                let (old, new) = (self.kernel.get(self.fields[field]), self.kernel.get(copy));
                let equal = self.equal(old, new);
                same = self.kernel.exprs.and(same, equal);
            }
            block.push(Stmt::Set { local: self.still, value: same });
        }
        for &(field, copy) in &copies {
            let value = self.kernel.get(copy);
            block.push(Stmt::Set { local: self.fields[field], value });
        }
        block
    }

    fn stage(
        &mut self,
        slot: usize,
        stage: usize,
        branches: usize,
        mut leaf: impl FnMut(&mut Self, usize) -> Block,
    ) -> Block {
        match &self.plan.stage_weights[slot][stage] {
            Some(weights) if branches > 1 => {
                let (mut block, sums) = self.stage_sums(slot, stage, weights);
                block.extend(self.choose(&format!("pick{slot}_{stage}"), &sums, false, leaf));
                block
            }
            _ => leaf(self, 0),
        }
    }

    /// The assignments of one branch, in parallel.
    fn assign(&mut self, slot: usize, branch: &Branch) -> Block {
        let mut block = Vec::new();
        if self.plan.ends_where_nothing_changes() {
            let changes: Vec<Change> = branch.assignments.iter().map(|a| self.change(slot, a)).collect();
            if !changes.contains(&Change::Always) {
                let value = self.identity(slot, branch);
                block.push(Stmt::Set { local: self.still, value });
            }
        }
        let reads: Vec<Vec<usize>> = branch
            .assignments
            .iter()
            .map(|a| self.plan.program.reads(a.value).iter().map(|f| f.index()).collect())
            .collect();
        // A value that is read after its field was written is computed before, into a copy.
        let mut late: Vec<(Local, Local)> = Vec::new();
        let mut writes: Block = Vec::new();
        for (i, assignment) in branch.assignments.iter().enumerate() {
            let field = assignment.field.index();
            let value = self.assigned(slot, assignment);
            if self.kernel.exprs.node(value) == Node::Local(self.fields[field], self.field_type(field)) {
                continue;
            }
            if reads[i + 1..].iter().any(|r| r.contains(&field)) {
                let ty = self.field_type(field);
                let copy = self.kernel.local(format!("next{slot}_{}_{i}", self.kernel.locals.len()), ty);
                block.push(Stmt::Set { local: copy, value });
                late.push((self.fields[field], copy));
            } else {
                writes.push(Stmt::Set { local: self.fields[field], value });
            }
        }
        // What needs no copy is read by nothing that comes after it; copies were made of the old state.
        block.extend(writes);
        for (local, copy) in late {
            let value = self.kernel.get(copy);
            block.push(Stmt::Set { local, value });
        }
        block
    }

    fn field_type(&self, field: usize) -> Type {
        self.kernel.locals[self.fields[field].index()].ty
    }

    /// The value assigned, in the type of the field; fails where the field has no such value.
    fn assigned(&mut self, slot: usize, assignment: &Assignment) -> ExprId {
        let field = assignment.field.index();
        let plan = self.plan;
        if plan.program.fields[field].domain == Domain::Bool {
            return self.expr(assignment.value);
        }
        let range = plan.domain(field);
        let exprs = &plan.program.exprs;
        let env = plan.slots[slot]
            .guards
            .iter()
            .fold(volvelle_model::interval::Env::new(&plan.program), |env, &guard| env.assume(exprs, guard));
        let growing = matches!(plan.program.fields[field].domain, Domain::Growing { .. });
        let known = if growing { None } else { volvelle_model::interval::of(exprs, assignment.value, &env) };
        let mut value = self.expr(assignment.value);
        let e = &mut self.kernel.exprs;
        if !known.is_some_and(|v| v.within(range.lo, range.hi)) {
            let seen = self.translator.values(&mut self.kernel, exprs, assignment.value);
            if !seen.is_some_and(|v| v.within(range.lo, range.hi)) {
                let e = &mut self.kernel.exprs;
                let (lo, hi) = match e.ty(value) {
                    Type::I32 => (range.lo.max(i32::MIN.into()), range.hi.min(i32::MAX.into())),
                    _ => (range.lo, range.hi),
                };
                value = e.add(Node::Range { arg: value, lo, hi, site: assignment.site });
            }
            return self.kernel.exprs.convert(self.field_type(field), value);
        }
        let ty = self.kernel.locals[self.fields[field].index()].ty;
        e.convert(ty, value)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let e = &mut self.kernel.exprs;
        if a == b {
            return e.bool(true);
        }
        let (a, b) =
            if e.ty(a) == e.ty(b) { (a, b) } else { (e.convert(Type::I64, a), e.convert(Type::I64, b)) };
        e.binary(BinaryOp::Eq, a, b)
    }

    /// Whether an assignment changes its field.
    fn change(&mut self, slot: usize, assignment: &Assignment) -> Change {
        let value = self.expr(assignment.value);
        let field = self.kernel.get(self.fields[assignment.field.index()]);
        if value == field {
            return Change::Never;
        }
        let plan = self.plan;
        if plan.program.fields[assignment.field.index()].domain == Domain::Bool {
            return Change::Maybe;
        }
        let exprs = &plan.program.exprs;
        // `x + 1` differs from `x`, and `3` from an `x` that the guard keeps away from it.
        if let Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs }
        | Node::Checked {
            op: volvelle_kernel::CheckedOp::Add | volvelle_kernel::CheckedOp::Sub,
            lhs,
            rhs,
            ..
        } = exprs.node(assignment.value)
            && matches!(exprs.node(lhs), Node::Local(local, _) if local.0 == assignment.field.0)
            && exprs.as_const(rhs).and_then(Const::as_i64).is_some_and(|c| c != 0)
        {
            return Change::Always;
        }
        let env = plan.slots[slot]
            .guards
            .iter()
            .fold(volvelle_model::interval::Env::new(&plan.program), |env, &guard| env.assume(exprs, guard));
        let before = env.field(assignment.field);
        match volvelle_model::interval::of(exprs, assignment.value, &env) {
            Some(after) if after.hi < before.lo || after.lo > before.hi => Change::Always,
            Some(after) if after == before && after.lo == after.hi => Change::Never,
            _ => Change::Maybe,
        }
    }

    /// Whether a branch leads back to the state, where its slot is enabled.
    fn identity(&mut self, slot: usize, branch: &Branch) -> ExprId {
        let mut same = self.kernel.exprs.bool(true);
        for assignment in &branch.assignments {
            match self.change(slot, assignment) {
                Change::Always => return self.kernel.exprs.bool(false),
                Change::Never => {}
                Change::Maybe => {
                    let new = self.expr(assignment.value);
                    let old = self.kernel.get(self.fields[assignment.field.index()]);
                    let equal = self.equal(new, old);
                    same = self.kernel.exprs.and(same, equal);
                }
            }
        }
        same
    }

    /// Whether some step may lead back to its state.
    pub(super) fn may_stay(&mut self) -> bool {
        let plan = self.plan;
        (0..plan.slots.len()).any(|slot| {
            plan.slots[slot].stages.iter().flatten().any(|branch| {
                !branch.assignments.iter().any(|assignment| self.change(slot, assignment) == Change::Always)
            })
        })
    }

    /// Whether everything that is enabled leads back to the state.
    pub(super) fn nothing_changes(&mut self, sums: &Sums) -> ExprId {
        let plan = self.plan;
        let mut all = self.kernel.exprs.bool(true);
        for slot in 0..plan.slots.len() {
            let mut same = self.kernel.exprs.bool(true);
            for branch in plan.slots[slot].stages.iter().flatten() {
                let identity = self.identity(slot, branch);
                same = self.kernel.exprs.and(same, identity);
            }
            // The slot has a weight where the sum grows with it.
            let e = &mut self.kernel.exprs;
            let upto = sums.upto(slot);
            let before = match sums.before(slot) {
                Some(before) => before,
                None => {
                    let ty = e.ty(upto);
                    e.constant(Const { ty, bits: 0 })
                }
            };
            let disabled = if before == upto { e.bool(true) } else { e.binary(BinaryOp::Eq, before, upto) };
            let harmless = e.or(disabled, same);
            all = e.and(all, harmless);
        }
        all
    }
}

//! Assignments: branches of stages, in parallel as the program means them.

use super::builder::Builder;
use super::sums::Sums;
use crate::combinations::Branch;
use volvelle_kernel::{BinaryOp, Block, CheckedOp, Const, ExprId, Local, Node, Stmt, Type};
use volvelle_model::interval;
use volvelle_model::{Assignment, Domain};

/// Whether an assignment changes its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Never,
    Maybe,
    Always,
}

impl Builder<'_> {
    /// Draws the branches of the taken combination, and performs them.
    pub(super) fn stages(&mut self, combination: usize) -> Block {
        let plan = self.plan;
        let stages = &plan.combinations[combination].stages;
        if let [stage] = stages.as_slice() {
            return self.stage(combination, 0, stage.len(), |builder, branch| {
                builder.assign(combination, &stage[branch])
            });
        }
        // All stages read the state before the step: they write copies first.
        let mut target = self.place.as_ref().map(|place| place.here().to_vec());
        let is_known = |builder: &Self, field| builder.place.as_ref().is_some_and(|place| place.knows(field));
        let assigned = stages.iter().flatten().flat_map(|b| &b.assignments);
        let mut written: Vec<usize> =
            assigned.map(|a| a.field.index()).filter(|&field| !is_known(self, field)).collect();
        written.sort_unstable();
        written.dedup();
        let copies: Vec<(usize, Local)> = written
            .into_iter()
            .map(|field| (field, self.temporary(format!("copy{field}"), self.field_type(field))))
            .collect();
        let mut block: Block = copies
            .iter()
            .map(|&(field, local)| Stmt::Set { local, value: self.kernel.get(self.fields[field]) })
            .collect();
        for (number, stage) in stages.iter().enumerate() {
            if let (Some(target), [branch]) = (&mut target, stage.as_slice()) {
                for assignment in &branch.assignments {
                    let becomes = self.becomes(assignment);
                    let place =
                        self.place.as_ref().and_then(|place| place.position(assignment.field.index()));
                    if let (Some(value), Some(place)) = (becomes, place) {
                        target[place] = value;
                    }
                }
            }
            block.extend(self.stage(combination, number, stage.len(), |builder, branch| {
                let assignments = &stage[branch].assignments;
                assignments
                    .iter()
                    .filter_map(|assignment| {
                        let field = assignment.field.index();
                        let copy = copies.iter().find(|(copied, _)| *copied == field);
                        if copy.is_none() && builder.becomes(assignment).is_some() {
                            return None;
                        }
                        let value = builder.assigned(combination, assignment);
                        // Without a copy the value is known to fail.
                        let local = match copy {
                            Some(&(_, local)) => local,
                            None => builder.temporary("failed".to_owned(), builder.field_type(field)),
                        };
                        Some(Stmt::Set { local, value })
                    })
                    .collect()
            }));
        }
        let mut still = self.kernel.exprs.bool(false);
        if self.plan.ends_where_nothing_changes() {
            let moves = self.place.as_ref().is_some_and(|place| target.as_deref() != Some(place.here()));
            let mut same = self.kernel.exprs.bool(!moves);
            for &(field, copy) in &copies {
                let (old, new) = (self.kernel.get(self.fields[field]), self.kernel.get(copy));
                let equal = self.equal(old, new);
                same = self.both(same, equal);
            }
            still = self.note_still(same, &mut block);
        }
        for &(field, copy) in &copies {
            let value = self.kernel.get(copy);
            block.push(Stmt::Set { local: self.fields[field], value });
        }
        let fields: Vec<usize> = copies.iter().map(|&(field, _)| field).collect();
        block.extend(self.reevaluate_weights(&fields));
        if let Some(target) = target {
            block.extend(self.leave(target, still));
        }
        block
    }

    /// Records whether a step leads back to its state, before fields are written.
    fn note_still(&mut self, same: ExprId, block: &mut Block) -> ExprId {
        let known = self.kernel.exprs.as_const(same).and_then(Const::as_bool);
        if known == Some(false) || self.place.is_some() && known.is_some() {
            return same;
        }
        block.push(Stmt::Set { local: self.still, value: same });
        self.kernel.get(self.still)
    }

    /// The new value of a field that is known at the location; `None` for other fields, and if the step
    /// fails.
    fn becomes(&mut self, assignment: &Assignment) -> Option<i64> {
        let field = assignment.field.index();
        let range = self.plan.domain(field);
        let place = self.place.as_mut().filter(|place| place.knows(field))?;
        let value = place.evaluate(&self.plan.program.exprs, assignment.value)?;
        (range.lo <= value && value <= range.hi).then_some(value)
    }

    fn stage(
        &mut self,
        combination: usize,
        stage: usize,
        branches: usize,
        mut leaf: impl FnMut(&mut Self, usize) -> Block,
    ) -> Block {
        match &self.plan.stage_weights[combination][stage] {
            Some(weights) if branches > 1 => {
                let (mut block, sums) = self.stage_sums(combination, stage, weights);
                block.extend(self.choose(&format!("pick{combination}_{stage}"), &sums, false, leaf));
                block
            }
            _ => leaf(self, 0),
        }
    }

    /// The assignments of one branch, in parallel.
    fn assign(&mut self, combination: usize, branch: &Branch) -> Block {
        let mut block = Vec::new();
        let mut target = self.place.as_ref().map(|place| place.here().to_vec());
        let mut open: Vec<(usize, &Assignment, ExprId)> = Vec::new();
        let mut fails = None;
        for (i, assignment) in branch.assignments.iter().enumerate() {
            let position = self.place.as_ref().and_then(|place| place.position(assignment.field.index()));
            if let (Some(target), Some(position)) = (&mut target, position) {
                match self.becomes(assignment) {
                    Some(value) => {
                        target[position] = value;
                        continue;
                    }
                    None => fails = fails.or(Some(assignment.site)),
                }
            }
            open.push((i, assignment, self.assigned(combination, assignment)));
        }
        let watched = self.plan.ends_where_nothing_changes()
            && !branch.assignments.iter().any(|a| self.change(combination, a) == Change::Always);
        let mut still = self.kernel.exprs.bool(false);
        if open.iter().any(|&(.., value)| !self.kernel.exprs.is_infallible(value)) {
            // The first failing assignment in the text is reported, so values are computed in this order.
            let mut copies = Vec::new();
            let mut same = self.kernel.exprs.bool(true);
            for (i, assignment, value) in open {
                let field = assignment.field.index();
                let copy = self.temporary(format!("next{i}"), self.field_type(field));
                block.push(Stmt::Set { local: copy, value });
                copies.push((self.fields[field], copy));
                let (old, new) = (self.field(field), self.kernel.get(copy));
                let equal = self.equal(old, new);
                same = self.both(same, equal);
            }
            if let Some(site) = fails {
                // It has failed by now.
                block.push(Stmt::Fail { site });
                return block;
            }
            if watched {
                still = self.note_still(same, &mut block);
            }
            for (local, copy) in copies {
                let value = self.kernel.get(copy);
                block.push(Stmt::Set { local, value });
            }
        } else {
            if watched {
                let same = self.identity(combination, branch);
                still = self.note_still(same, &mut block);
            }
            self.write(branch, open, &mut block);
        }
        let fields: Vec<usize> = branch.assignments.iter().map(|a| a.field.index()).collect();
        block.extend(self.reevaluate_weights(&fields));
        if let Some(target) = target {
            block.extend(self.leave(target, still));
        }
        block
    }

    /// Writes values that cannot fail, in parallel.
    fn write(&mut self, branch: &Branch, values: Vec<(usize, &Assignment, ExprId)>, block: &mut Block) {
        // A value that reads a field written earlier is computed before, into a copy.
        let mut late: Vec<(Local, Local)> = Vec::new();
        let mut writes: Block = Vec::new();
        for (i, assignment, value) in values {
            let field = assignment.field.index();
            if self.kernel.exprs.node(value) == Node::Local(self.fields[field], self.field_type(field)) {
                continue;
            }
            let reads = self.reads.clone();
            let reads_field = |a: &Assignment| reads.as_ref().is_none_or(|r| r.contains(a.value, field));
            if branch.assignments[i + 1..].iter().any(reads_field) {
                let copy = self.temporary(format!("next{i}"), self.field_type(field));
                block.push(Stmt::Set { local: copy, value });
                late.push((self.fields[field], copy));
            } else {
                writes.push(Stmt::Set { local: self.fields[field], value });
            }
        }
        // No later value reads a field that is written directly; copies were computed from the old state.
        block.extend(writes);
        for (local, copy) in late {
            let value = self.kernel.get(copy);
            block.push(Stmt::Set { local, value });
        }
    }

    fn field_type(&self, field: usize) -> Type {
        self.kernel.locals[self.fields[field].index()].ty
    }

    /// The assigned value, in the type of the field; fails if it is outside the field's domain.
    fn assigned(&mut self, combination: usize, assignment: &Assignment) -> ExprId {
        let field = assignment.field.index();
        let plan = self.plan;
        if plan.program.fields[field].domain == Domain::Bool {
            return self.expr(assignment.value);
        }
        let range = plan.domain(field);
        let exprs = &plan.program.exprs;
        let known = interval::of(exprs, assignment.value, self.env(combination));
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
    fn change(&mut self, combination: usize, assignment: &Assignment) -> Change {
        let plan = self.plan;
        let (field, exprs) = (assignment.field.index(), &plan.program.exprs);
        if let Some(place) = self.place.as_mut().filter(|place| place.knows(field))
            && let Some(value) = place.evaluate(exprs, assignment.value)
        {
            return if place.value(field) == Some(value) { Change::Never } else { Change::Always };
        }
        let value = self.expr(assignment.value);
        if value == self.field(field) {
            return Change::Never;
        }
        if plan.program.fields[field].domain == Domain::Bool || !self.kernel.exprs.is_infallible(value) {
            return Change::Maybe;
        }
        // `x + 1` differs from `x`; and `3` differs from an `x` that the guard keeps away from it.
        if let Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs }
        | Node::Checked { op: CheckedOp::Add | CheckedOp::Sub, lhs, rhs, .. } =
            exprs.node(assignment.value)
            && matches!(exprs.node(lhs), Node::Local(local, _) if local.index() == field)
            && exprs.as_const(rhs).and_then(Const::as_i64).is_some_and(|c| c != 0)
        {
            return Change::Always;
        }
        let env = self.env(combination);
        let before = env.field(assignment.field);
        match interval::of(exprs, assignment.value, env) {
            Some(after) if after.hi < before.lo || after.lo > before.hi => Change::Always,
            Some(after) if after == before && after.lo == after.hi => Change::Never,
            _ => Change::Maybe,
        }
    }

    /// Whether a branch leads back to the state, given that its combination is enabled.
    fn identity(&mut self, combination: usize, branch: &Branch) -> ExprId {
        let mut same = self.kernel.exprs.bool(true);
        for assignment in &branch.assignments {
            let equal = match self.change(combination, assignment) {
                Change::Always => self.kernel.exprs.bool(false),
                Change::Never => continue,
                Change::Maybe => {
                    let new = self.expr(assignment.value);
                    let old = self.field(assignment.field.index());
                    self.equal(new, old)
                }
            };
            same = self.both(same, equal);
        }
        same
    }

    /// Whether some step may lead back to its state.
    pub(super) fn may_stay(&mut self) -> bool {
        let plan = self.plan;
        (0..plan.combinations.len()).any(|combination| {
            plan.combinations[combination].stages.iter().flatten().any(|branch| {
                !branch
                    .assignments
                    .iter()
                    .any(|assignment| self.change(combination, assignment) == Change::Always)
            })
        })
    }

    /// Whether everything that is enabled leads back to the state.
    pub(super) fn nothing_changes(&mut self, sums: &Sums) -> ExprId {
        let plan = self.plan;
        let mut all = self.kernel.exprs.bool(true);
        for combination in 0..plan.combinations.len() {
            let Some(disabled) = self.is_disabled(sums, combination) else { continue };
            let mut same = self.kernel.exprs.bool(true);
            for branch in plan.combinations[combination].stages.iter().flatten() {
                let identity = self.identity(combination, branch);
                same = self.both(same, identity);
            }
            let harmless = self.kernel.exprs.or(disabled, same);
            all = self.both(all, harmless);
            if self.kernel.exprs.as_const(all).is_some_and(|c| c.bits == 0) {
                break;
            }
        }
        all
    }
}

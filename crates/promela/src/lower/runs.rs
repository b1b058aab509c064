//! `run` inside expressions: what starts the processes becomes statements before the one that uses the value.
//!
//! SPIN allows it where a value is assigned, asserted or printed, and the C compiler of its verifier evaluates operands from left
//! to right: what an operand has read stays as it was when an operand to its right starts a process, and the right side of `&&`,
//! `||` and `->` starts one only where C evaluates it.

use super::code::{Code, Context, Runs};
use super::types::Scalar;
use super::values::Value;
use crate::ast::{self, ExprKind, Place};
use volvelle_kernel::{BinaryOp, Block, ExprId, Stmt, Type as Ty};

impl Code<'_, '_> {
    /// What `f` gives, whose expressions may start processes, with the statements that start them.
    pub(super) fn with_runs<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> Option<(Block, T)> {
        self.runs = Some(Runs::default());
        let value = f(self);
        let runs = self.runs.take().unwrap_or_default();
        value.map(|value| (runs.block, value))
    }

    /// `run` as an operand: the number of the new process.
    pub(super) fn run_operand(&mut self, cx: Context<'_>, id: ast::ExprId, place: Place) -> Option<Value> {
        let ExprKind::Run { name, args, priority } = &self.env.model.exprs.get(id).kind else { return None };
        if self.runs.is_none() {
            let help = "assign the number of the process before: `p = run P()`";
            let message = "`run` cannot be an operand here: only values that are assigned, asserted or printed \
                           start processes";
            self.unsupported(place, message, help);
            return None;
        }
        let (op, slot) = self.run(cx, name, args, *priority)?;
        if let Some(runs) = &mut self.runs {
            runs.block.extend(op.effect);
        }
        Some(Value { id: self.saved(slot), lo: 0, hi: Scalar::Pid.bounds().1 })
    }

    /// A value (`i64` or `bool`), and what `f` gives, which is evaluated after it.
    pub(super) fn before<T>(
        &mut self,
        value: ExprId,
        f: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(ExprId, T)> {
        let (later, result) = self.apart(f);
        if later.is_empty() {
            return Some((value, result?));
        }
        let value = self.saved(value);
        self.start(later);
        Some((value, result?))
    }

    /// A condition, and what `f` gives, which is evaluated where the condition has the value `when`.
    pub(super) fn only_if<T>(
        &mut self,
        cond: ExprId,
        when: bool,
        f: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(ExprId, T)> {
        let (later, result) = self.apart(f);
        if later.is_empty() {
            return Some((cond, result?));
        }
        let cond = self.saved(cond);
        let (then, otherwise) = if when { (later, Block::new()) } else { (Block::new(), later) };
        self.start(vec![Stmt::If { cond, then, otherwise }]);
        Some((cond, result?))
    }

    /// What `f` gives, and what it starts.
    fn apart<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> (Block, Option<T>) {
        let earlier = self.runs.as_mut().map(|runs| std::mem::take(&mut runs.block));
        let result = f(self);
        match (&mut self.runs, earlier) {
            (Some(runs), Some(earlier)) => (std::mem::replace(&mut runs.block, earlier), result),
            _ => (Block::new(), result),
        }
    }

    fn start(&mut self, block: Block) {
        if let Some(runs) = &mut self.runs {
            runs.block.extend(block);
        }
    }

    /// A value (`i64` or `bool`) as it is at this point.
    fn saved(&mut self, value: ExprId) -> ExprId {
        let Some(runs) = &mut self.runs else { return value };
        let local = self.out.run_local(runs.locals);
        runs.locals += 1;
        let e = &mut self.out.program.exprs;
        let is_bool = e.ty(value) == Ty::Bool;
        let value = if is_bool { e.convert(Ty::I64, value) } else { value };
        runs.block.push(Stmt::Set { local, value });
        let read = e.local(local, Ty::I64);
        if !is_bool {
            return read;
        }
        let zero = e.i64(0);
        e.binary(BinaryOp::Ne, read, zero)
    }
}

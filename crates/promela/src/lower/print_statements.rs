//! Statements that print, in simulations.

use super::code::{Code, Context, Op};
use super::printing::{LOG_LENGTH, Print};
use super::types::Scalar;
use super::variables::Access;
use crate::ast;
use volvelle_kernel::{BinaryOp, ExprId, Stmt, Type as Ty};
use volvelle_model::{FieldId, Place};

impl Code<'_, '_> {
    /// A step that prints, and does nothing else.
    pub(super) fn print(&mut self, cx: Context<'_>, format: &str, args: &[ast::ExprId]) -> Option<Vec<Op>> {
        let (effect, values) =
            self.with_runs(|code| args.iter().map(|&arg| code.expr(cx, arg)).collect::<Option<Vec<_>>>())?;
        let arguments = args.iter().map(|&arg| self.env.set_of(cx.scope, arg)).collect();
        let op = self.nothing();
        let mut op = Op { effect, ..op };
        // A claim observes: it takes no step that could print.
        if let (Some(fields), Some(_)) = (self.env.fields.print, cx.scope.process) {
            let number = self.number(self.out.prints.len() as i64);
            let needed = 1 + values.len() as i64;
            let mut then = Vec::new();
            for (i, value) in std::iter::once(number).chain(values).enumerate() {
                let element = Some(self.position(fields.length, i as i64));
                then.push(self.write(Access::own(fields.log, Scalar::Int, element), value));
            }
            let value = self.position(fields.length, needed);
            then.push(self.out.program.set(Place::Field(fields.length), value));
            let most = self.out.program.exprs.i64(i64::from(LOG_LENGTH));
            let cond = self.out.program.exprs.binary(BinaryOp::Le, value, most);
            op.effect.push(Stmt::If { cond, then, otherwise: Vec::new() });
            self.out.prints.push(Print { format: format.to_owned(), arguments });
        }
        Some(vec![op])
    }

    /// The position of a number behind those that a step has noted.
    fn position(&mut self, length: FieldId, offset: i64) -> ExprId {
        let length = self.out.program.field(length);
        let e = &mut self.out.program.exprs;
        debug_assert_eq!(e.ty(length), Ty::I64);
        let offset = e.i64(offset);
        e.binary(BinaryOp::Add, length, offset)
    }
}

//! Groups of steps that yield to more urgent ones.

use super::KernelError;
use super::builder::Builder;
use volvelle_kernel::{BinaryOp, Block, ExprId, Local, Node, Stmt, Type};

impl Builder<'_> {
    /// All groups, the more urgent first. A group that yields is evaluated only if nothing too urgent for it
    /// was found.
    pub fn by_urgency(&mut self) -> Result<Block, KernelError> {
        let program = self.state.program;
        let found = self.state.kernel.local("found", Type::I64);
        let before = self.state.kernel.local("before", Type::U64);
        let zero = self.state.exprs().i64(0);
        let length = self.length();
        let mut block =
            vec![Stmt::Set { local: found, value: zero }, Stmt::Set { local: before, value: length }];
        let order = program.groups_by_urgency();
        for level in
            order.chunk_by(|&a, &b| program.groups[a].class.urgency == program.groups[b].class.urgency)
        {
            for &group in level {
                let steps = self.groups([group])?;
                block.extend(match program.groups[group].class.yields_above {
                    Some(most) => {
                        let happens = self.compare(BinaryOp::Le, found, i64::from(most));
                        self.when(happens, steps)
                    }
                    None => steps,
                });
            }
            let urgency = i64::from(program.groups[level[0]].class.urgency);
            if urgency > 0 {
                // Groups that were found before are at least as urgent as this one.
                let first = self.compare(BinaryOp::Eq, found, 0);
                let (length, before) = (self.length(), self.state.kernel.get(before));
                let e = self.state.exprs();
                let some = e.binary(BinaryOp::Gt, length, before);
                let cond = e.and(first, some);
                let value = e.i64(urgency);
                let then = vec![Stmt::Set { local: found, value }];
                block.push(Stmt::If { cond, then, otherwise: vec![] });
            }
        }
        Ok(block)
    }

    fn length(&mut self) -> ExprId {
        let weights = self.weights;
        self.state.exprs().add(Node::Len(weights))
    }

    fn compare(&mut self, op: BinaryOp, local: Local, with: i64) -> ExprId {
        let value = self.state.kernel.get(local);
        let e = self.state.exprs();
        let with = e.i64(with);
        e.binary(op, value, with)
    }
}

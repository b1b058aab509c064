//! Expressions: values, and conditions as branches.
//!
//! The walk is a small stack machine ([`Task`]) so that no nesting of expressions can exhaust the stack.
//! Operands are evaluated from left to right; a lazy operand is evaluated eagerly where that is invisible
//! and cheap (see `cost`), else in a block of its own.
//!
//! Within one statement nothing an expression reads can change, so a node's value is reused wherever the
//! block that computed it dominates ([`Memo`](super::memo::Memo)).

use super::cost::CHEAP;
use super::state::Task;
use super::{Lowering, TooLarge};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use volvelle_kernel::{ExprId, Node, Type, UnaryOp};

impl Lowering<'_> {
    /// The value of an expression at this point.
    pub(super) fn value(&mut self, id: ExprId) -> Result<Value, TooLarge> {
        self.tasks.push(Task::Value(id));
        self.walk()?;
        Ok(self.values.pop().expect("an expression leaves one value"))
    }

    /// Ends the block: goes to `yes` where the condition holds, else to `no`.
    pub(super) fn branch(&mut self, cond: ExprId, yes: Block, no: Block) -> Result<(), TooLarge> {
        self.tasks.push(Task::Branch { cond, yes, no });
        self.walk()
    }

    fn walk(&mut self) -> Result<(), TooLarge> {
        while let Some(task) = self.tasks.pop() {
            self.check_size()?;
            match task {
                Task::Value(id) => self.begin(id),
                Task::Apply(id) => {
                    let value = self.apply(id);
                    self.finish(id, value);
                }
                Task::Lazy(id) => self.lazy(id),
                Task::Branch { cond, yes, no } => self.begin_branch(cond, yes, no),
                Task::BranchOn { yes, no } => {
                    let cond = self.pop();
                    self.b.ins().brif(cond, yes, &[], no, &[]);
                }
                Task::Open(block) => {
                    self.start(block);
                    self.memo.open();
                }
                Task::Close => self.memo.close(),
                Task::Arrive { join } => {
                    let value = self.pop();
                    self.b.ins().jump(join, &[BlockArg::Value(value)]);
                    self.memo.close();
                }
                Task::Join { join, id } => {
                    self.start(join);
                    let value = self.b.block_params(join)[0];
                    self.finish(id, value);
                }
            }
        }
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Value {
        self.values.pop().expect("operands were pushed")
    }

    fn finish(&mut self, id: ExprId, value: Value) {
        self.memo.insert(id, value);
        self.values.push(value);
    }

    fn is_cheap(&self, id: ExprId) -> bool {
        self.costs[id.index()] <= CHEAP
    }

    /// Schedules the evaluation of a node.
    fn begin(&mut self, id: ExprId) {
        if let Some(value) = self.memo.get(id) {
            self.values.push(value);
            return;
        }
        let exprs = &self.kernel.exprs;
        match exprs.node(id) {
            Node::Const(c) => {
                let value = self.constant(c);
                self.finish(id, value);
            }
            Node::Local(local, _) => {
                let value = self.read_local(local);
                self.finish(id, value);
            }
            Node::Len(buffer) => {
                let value = self.length(buffer);
                self.finish(id, value);
            }
            Node::And { lhs, rhs } | Node::Or { lhs, rhs } if !self.is_cheap(rhs) => {
                self.tasks.extend([Task::Lazy(id), Task::Value(lhs)]);
            }
            Node::Select { cond, yes, no } if !(self.is_cheap(yes) && self.is_cheap(no)) => {
                let (then, otherwise) = (self.b.create_block(), self.b.create_block());
                let join = self.join(exprs.ty(id));
                self.tasks.extend([
                    Task::Join { join, id },
                    Task::Arrive { join },
                    Task::Value(no),
                    Task::Open(otherwise),
                    Task::Arrive { join },
                    Task::Value(yes),
                    Task::Open(then),
                    Task::Branch { cond, yes: then, no: otherwise },
                ]);
            }
            node => {
                self.tasks.push(Task::Apply(id));
                let first = self.tasks.len();
                let tasks = &mut self.tasks;
                volvelle_kernel::Exprs::each_operand(&node, |operand| tasks.push(Task::Value(operand)));
                // The last pushed runs first: the left operand.
                self.tasks[first..].reverse();
            }
        }
    }

    /// A block that takes the value of an expression computed on several paths.
    fn join(&mut self, ty: Type) -> Block {
        let join = self.b.create_block();
        self.b.append_block_param(join, super::clif_type(ty));
        join
    }

    fn lazy(&mut self, id: ExprId) {
        let (Node::And { rhs, .. } | Node::Or { rhs, .. }) = self.kernel.exprs.node(id) else {
            unreachable!("only these are scheduled as lazy");
        };
        let lhs = self.pop();
        let (more, join) = (self.b.create_block(), self.join(Type::Bool));
        let known = [BlockArg::Value(lhs)];
        if matches!(self.kernel.exprs.node(id), Node::And { .. }) {
            self.b.ins().brif(lhs, more, &[], join, &known);
        } else {
            self.b.ins().brif(lhs, join, &known, more, &[]);
        }
        self.tasks.extend([
            Task::Join { join, id },
            Task::Arrive { join },
            Task::Value(rhs),
            Task::Open(more),
        ]);
    }

    /// Schedules a branch. Conditions that are cheap as a whole are computed without jumps; longer chains of
    /// `And`, `Or` and `Not` become short-circuit jumps.
    fn begin_branch(&mut self, cond: ExprId, yes: Block, no: Block) {
        if self.memo.get(cond).is_none() && !self.is_cheap(cond) {
            let between =
                |lowering: &mut Self, lhs, rhs, first: fn(Block, Block, Block) -> (Block, Block)| {
                    let more = lowering.b.create_block();
                    let (first_yes, first_no) = first(more, yes, no);
                    lowering.tasks.extend([
                        Task::Close,
                        Task::Branch { cond: rhs, yes, no },
                        Task::Open(more),
                        Task::Branch { cond: lhs, yes: first_yes, no: first_no },
                    ]);
                };
            match self.kernel.exprs.node(cond) {
                Node::And { lhs, rhs } => return between(self, lhs, rhs, |more, _, no| (more, no)),
                Node::Or { lhs, rhs } => return between(self, lhs, rhs, |more, yes, _| (yes, more)),
                Node::Unary { op: UnaryOp::Not, arg } => {
                    self.tasks.push(Task::Branch { cond: arg, yes: no, no: yes });
                    return;
                }
                _ => {}
            }
        }
        self.tasks.extend([Task::BranchOn { yes, no }, Task::Value(cond)]);
    }
}

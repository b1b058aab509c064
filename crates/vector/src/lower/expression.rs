//! Expressions, evaluated with an explicit stack, since they may be long chains.
//!
//! Operations that may fail, load or call are evaluated under the mask of the lanes that need them. All
//! others are evaluated in all lanes, so that their value can be reused under any mask.

use super::{Lowering, Memo, NOWHERE};
use crate::program::{Class, Inst, Logic, Num, PerLane, Reg};
use volvelle_kernel::{CompileError, ExprId, Exprs, Node, Type};

#[derive(Clone, Copy, Debug)]
enum Task {
    /// Put the register of an expression on the stack.
    Eval(ExprId),
    /// Operands are on the stack: replace them by the result.
    Apply(ExprId),
    /// The condition of a lazy choice is on the stack.
    Choose(ExprId),
    /// The left operand of a lazy conjunction or disjunction is on the stack.
    Second(ExprId),
    /// Go on under this mask.
    Mask(Option<Reg>),
    /// The register on the stack is that of this expression: remember it.
    Keep(ExprId),
}

impl Lowering<'_> {
    /// Begins a new statement: remembered values of expressions may be outdated.
    pub(super) fn next_statement(&mut self) {
        self.statement += 1;
        self.masked_memo.clear();
    }

    /// Evaluates an expression for the lanes of the current mask.
    pub(super) fn eval(&mut self, root: ExprId) -> Result<Reg, CompileError> {
        let mut tasks = vec![Task::Eval(root)];
        let mut values: Vec<Reg> = Vec::new();
        while let Some(task) = tasks.pop() {
            self.count_work()?;
            match task {
                Task::Eval(id) => self.begin(id, &mut tasks, &mut values),
                Task::Apply(id) => {
                    let value = self.apply(id, &mut values);
                    values.push(value);
                }
                Task::Choose(id) => {
                    let Node::Select { yes, no, .. } = self.kernel.exprs.node(id) else { continue };
                    let cond = values[values.len() - 1];
                    let mask = self.mask;
                    let (for_yes, for_no) = (self.and_mask(mask, cond), self.and_not_mask(mask, cond));
                    tasks.extend([
                        Task::Apply(id),
                        Task::Mask(mask),
                        Task::Eval(no),
                        Task::Mask(Some(for_no)),
                        Task::Eval(yes),
                        Task::Mask(Some(for_yes)),
                    ]);
                }
                Task::Second(id) => {
                    let first = values[values.len() - 1];
                    let mask = self.mask;
                    let (rhs, taken) = match self.kernel.exprs.node(id) {
                        Node::And { rhs, .. } => (rhs, self.and_mask(mask, first)),
                        Node::Or { rhs, .. } => (rhs, self.and_not_mask(mask, first)),
                        _ => continue,
                    };
                    tasks.extend([
                        Task::Apply(id),
                        Task::Mask(mask),
                        Task::Eval(rhs),
                        Task::Mask(Some(taken)),
                    ]);
                }
                Task::Mask(mask) => self.mask = mask,
                Task::Keep(id) => {
                    let reg = values[values.len() - 1];
                    if self.lazy[id.index()] {
                        self.masked_memo.insert((id, self.mask), reg);
                    } else {
                        self.memo[id.index()] = Memo { statement: self.statement, reg };
                    }
                }
            }
        }
        Ok(pop(&mut values))
    }

    fn begin(&mut self, id: ExprId, tasks: &mut Vec<Task>, values: &mut Vec<Reg>) {
        let lazy = |e: ExprId| self.lazy[e.index()];
        let known = if lazy(id) {
            self.masked_memo.get(&(id, self.mask)).copied()
        } else {
            let memo = self.memo[id.index()];
            (memo.statement == self.statement).then_some(memo.reg)
        };
        if let Some(reg) = known {
            values.push(reg);
            return;
        }
        let node = self.kernel.exprs.node(id);
        match node {
            Node::Const(c) => values.push(self.constant(Class::of(c.ty), c.bits)),
            Node::Local(local, _) => values.push(self.locals[local.index()]),
            Node::Len(buffer) => {
                values.push(self.invariant(Class::Double, Inst::Len { dst: NOWHERE, buffer }))
            }
            Node::Select { cond, yes, no } if lazy(yes) || lazy(no) => {
                tasks.extend([Task::Keep(id), Task::Choose(id), Task::Eval(cond)]);
            }
            Node::And { lhs, rhs } | Node::Or { lhs, rhs } if lazy(rhs) => {
                tasks.extend([Task::Keep(id), Task::Second(id), Task::Eval(lhs)]);
            }
            _ => {
                tasks.extend([Task::Keep(id), Task::Apply(id)]);
                let first = tasks.len();
                Exprs::each_operand(&node, |operand| tasks.push(Task::Eval(operand)));
                tasks[first..].reverse();
            }
        }
    }

    fn apply(&mut self, id: ExprId, values: &mut Vec<Reg>) -> Reg {
        let exprs = &self.kernel.exprs;
        let node = exprs.node(id);
        match node {
            Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("leaves have no operands"),
            Node::Load { buffer, ty, .. } => {
                let index = pop(values);
                let mask = self.mask;
                if ty == Type::Bool {
                    let byte = self.value(Class::Word, Inst::Load { dst: NOWHERE, buffer, index, mask });
                    return self.is_nonzero(Type::U32, byte);
                }
                self.value(Class::of(ty), Inst::Load { dst: NOWHERE, buffer, index, mask })
            }
            Node::Unary { op, arg } => {
                let ty = exprs.ty(arg);
                let a = pop(values);
                self.unary(op, ty, a)
            }
            Node::Binary { op, lhs, .. } => {
                let ty = exprs.ty(lhs);
                let (a, b) = pop_two(values);
                self.binary(op, ty, a, b)
            }
            Node::Checked { op, lhs, site, .. } => {
                let ty = exprs.ty(lhs);
                let (a, b) = pop_two(values);
                self.checked(op, ty, a, b, site)
            }
            Node::Convert { to, arg } => {
                let from = exprs.ty(arg);
                let a = pop(values);
                self.convert(from, to, a)
            }
            Node::Reinterpret { to, arg } => {
                let from = exprs.ty(arg);
                let a = pop(values);
                self.reinterpret(from, to, a)
            }
            Node::CheckedConvert { to, arg, site } => {
                let from = exprs.ty(arg);
                let a = pop(values);
                self.checked_convert(from, to, a, site)
            }
            Node::Range { arg, lo, hi, site } => {
                let ty = exprs.ty(arg);
                let a = pop(values);
                self.range(ty, a, lo, hi, site);
                a
            }
            Node::Select { yes, .. } => {
                let ty = exprs.ty(yes);
                let no = pop(values);
                let (cond, yes) = pop_two(values);
                self.blend(Class::of(ty), cond, yes, no)
            }
            Node::And { .. } => {
                let (a, b) = pop_two(values);
                self.logic(Logic::And, a, b)
            }
            Node::Or { .. } => {
                let (a, b) = pop_two(values);
                self.logic(Logic::Or, a, b)
            }
            Node::MulAdd { args } => {
                let ty = exprs.ty(args[0]);
                let c = pop(values);
                let (a, b) = pop_two(values);
                self.mul_add(ty, [a, b, c])
            }
            Node::Math { f, .. } => {
                let (a, b) = if f.arity() == 2 {
                    pop_two(values)
                } else {
                    let a = pop(values);
                    (a, a)
                };
                let mask = self.mask;
                self.value(Class::Double, Inst::PerLane { op: PerLane::Math(f), dst: NOWHERE, a, b, mask })
            }
        }
    }

    fn mul_add(&mut self, ty: Type, [a, b, c]: [Reg; 3]) -> Reg {
        let num = Num::of(ty);
        self.value(num.class(), Inst::MulAdd { num, dst: NOWHERE, a, b, c })
    }

    pub(super) fn blend(&mut self, class: Class, mask: Reg, yes: Reg, no: Reg) -> Reg {
        if class != Class::Mask {
            return self.value(class, Inst::Blend { dst: NOWHERE, mask, yes, no });
        }
        let (taken, other) = (self.logic(Logic::And, mask, yes), self.logic(Logic::AndNot, mask, no));
        self.logic(Logic::Or, taken, other)
    }
}

fn pop(values: &mut Vec<Reg>) -> Reg {
    values.pop().expect("operands were evaluated before")
}

/// Two operands, the left one first.
fn pop_two(values: &mut Vec<Reg>) -> (Reg, Reg) {
    let b = pop(values);
    (pop(values), b)
}

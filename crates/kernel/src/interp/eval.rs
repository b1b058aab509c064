//! Evaluating one expression with an explicit stack: nothing here recurses, however deep or long the
//! expression is.
//!
//! A node that occurs several times in one expression is evaluated once. That is not observable, since
//! expressions only read; without it, `n` nodes could take `2^n` steps.

use super::scalar;
use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::{Exprs, Node};
use crate::types::{Const, Type};

/// Why [`eval`] gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A site failed.
    Failed(Site),
    /// The expression reads a buffer, and there are none.
    Buffer(Buffer),
    /// The expression reads a local for which no value of its type was given.
    Local(Local),
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EvalError::Failed(site) => write!(f, "site @{} failed", site.0),
            EvalError::Buffer(buffer) => write!(f, "reads buffer {}", buffer.0),
            EvalError::Local(local) => write!(f, "local {} has no value of its type", local.0),
        }
    }
}

impl std::error::Error for EvalError {}

/// Evaluates an expression that reads only locals: `locals[i]` is the value of local `i`.
///
/// # Panics
/// Where `root` is not of this arena.
pub fn eval(exprs: &Exprs, root: ExprId, locals: &[Const]) -> Result<Const, EvalError> {
    Evaluator::new().eval(exprs, root, locals)
}

/// [`eval`] for many expressions: keeps its memory from one to the next.
#[derive(Debug, Default)]
pub struct Evaluator {
    tasks: Vec<Task>,
    values: Vec<Const>,
    memo: Vec<Memo>,
    now: u64,
}

/// The value of a node, if it was computed in evaluation number `when`.
#[derive(Clone, Copy, Debug)]
struct Memo {
    when: u64,
    value: Const,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    /// Put the value of a node on the stack.
    Eval(ExprId),
    /// Operands (or the operand that decides) are on the stack: replace them by the value of the node.
    Apply(ExprId),
    /// The value of a node is on the stack: remember it.
    Keep(ExprId),
}

/// The environment of expressions, and how leaving an evaluation is reported.
pub(super) trait Environment {
    type Stop;
    fn local(&self, local: Local, ty: Type) -> Result<Const, Self::Stop>;
    fn load(&self, buffer: Buffer, index: u64) -> Result<Const, Self::Stop>;
    fn len(&self, buffer: Buffer) -> Result<u64, Self::Stop>;
    fn failed(site: Site) -> Self::Stop;
}

struct OnlyLocals<'a>(&'a [Const]);

impl Environment for OnlyLocals<'_> {
    type Stop = EvalError;

    fn local(&self, local: Local, ty: Type) -> Result<Const, EvalError> {
        self.0.get(local.index()).copied().filter(|c| c.ty == ty).ok_or(EvalError::Local(local))
    }

    fn load(&self, buffer: Buffer, _index: u64) -> Result<Const, EvalError> {
        Err(EvalError::Buffer(buffer))
    }

    fn len(&self, buffer: Buffer) -> Result<u64, EvalError> {
        Err(EvalError::Buffer(buffer))
    }

    fn failed(site: Site) -> EvalError {
        EvalError::Failed(site)
    }
}

impl Evaluator {
    /// Nothing evaluated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`eval`].
    ///
    /// # Panics
    /// Where `root` is not of this arena.
    pub fn eval(&mut self, exprs: &Exprs, root: ExprId, locals: &[Const]) -> Result<Const, EvalError> {
        self.eval_in(exprs, root, &OnlyLocals(locals))
    }

    pub(super) fn eval_in<E: Environment>(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        env: &E,
    ) -> Result<Const, E::Stop> {
        self.now += 1;
        self.tasks.clear();
        self.values.clear();
        if self.memo.len() <= root.index() {
            self.memo.resize(root.index() + 1, Memo { when: 0, value: Const::bool(false) });
        }
        self.tasks.push(Task::Eval(root));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Eval(id) => self.begin(exprs, id, env)?,
                Task::Apply(id) => self.apply(exprs, id, env)?,
                Task::Keep(id) => {
                    let value = *self.values.last().expect("an evaluated node left its value");
                    self.memo[id.index()] = Memo { when: self.now, value };
                }
            }
        }
        Ok(self.pop())
    }

    fn begin<E: Environment>(&mut self, exprs: &Exprs, id: ExprId, env: &E) -> Result<(), E::Stop> {
        let node = exprs.node(id);
        match node {
            Node::Const(c) => self.values.push(c),
            Node::Local(local, ty) => self.values.push(env.local(local, ty)?),
            Node::Len(buffer) => self.values.push(Const::u64(env.len(buffer)?)),
            _ if self.memo[id.index()].when == self.now => self.values.push(self.memo[id.index()].value),
            _ => {
                self.tasks.push(Task::Keep(id));
                self.tasks.push(Task::Apply(id));
                match node {
                    // The first operand decides whether there is another.
                    Node::And { lhs, .. } | Node::Or { lhs, .. } => self.tasks.push(Task::Eval(lhs)),
                    Node::Select { cond, .. } => self.tasks.push(Task::Eval(cond)),
                    _ => {
                        let first = self.tasks.len();
                        Exprs::each_operand(&node, |operand| self.tasks.push(Task::Eval(operand)));
                        self.tasks[first..].reverse();
                    }
                }
            }
        }
        Ok(())
    }

    fn apply<E: Environment>(&mut self, exprs: &Exprs, id: ExprId, env: &E) -> Result<(), E::Stop> {
        let value = match exprs.node(id) {
            Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("a leaf has no operands"),
            Node::Load { buffer, .. } => {
                let index = self.pop();
                env.load(buffer, index.bits)?
            }
            Node::Unary { op, .. } => scalar::unary(op, self.pop()),
            Node::Binary { op, .. } => {
                let (lhs, rhs) = self.pop_pair();
                scalar::binary(op, lhs, rhs)
            }
            Node::Checked { op, site, .. } => {
                let (lhs, rhs) = self.pop_pair();
                scalar::checked(op, lhs, rhs).ok_or_else(|| E::failed(site))?
            }
            Node::Convert { to, .. } => scalar::convert(to, self.pop()),
            Node::Reinterpret { to, .. } => scalar::reinterpret(to, self.pop()),
            Node::CheckedConvert { to, site, .. } => {
                scalar::checked_convert(to, self.pop()).ok_or_else(|| E::failed(site))?
            }
            Node::Range { lo, hi, site, .. } => {
                let value = self.pop();
                if !scalar::in_range(value, lo, hi) {
                    return Err(E::failed(site));
                }
                value
            }
            Node::Select { yes, no, .. } => {
                let chosen = if self.pop().bits != 0 { yes } else { no };
                self.tasks.push(Task::Eval(chosen));
                return Ok(());
            }
            Node::And { rhs, .. } => {
                if self.pop().bits != 0 {
                    self.tasks.push(Task::Eval(rhs));
                    return Ok(());
                }
                Const::bool(false)
            }
            Node::Or { rhs, .. } => {
                if self.pop().bits == 0 {
                    self.tasks.push(Task::Eval(rhs));
                    return Ok(());
                }
                Const::bool(true)
            }
            Node::Math { f, .. } => {
                let y = if f.arity() == 2 { self.pop() } else { Const::f64(0.0) };
                let x = self.pop();
                scalar::math(f, x, y)
            }
        };
        self.values.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Const {
        self.values.pop().expect("operands were evaluated before")
    }

    fn pop_pair(&mut self) -> (Const, Const) {
        let rhs = self.pop();
        (self.pop(), rhs)
    }
}

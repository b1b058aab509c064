//! Evaluating one expression: by recursion to a fixed depth, with an explicit stack from there on, so that an expression
//! may be as deep or long as it likes.
//!
//! A node that occurs several times in one expression is evaluated once. That is not observable, since
//! expressions only read; without it, `n` nodes could take `2^n` steps.

use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::{Exprs, Node};
use crate::scalar;
use crate::types::{Const, Type};

/// Why [`eval`] gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A site failed.
    Failed(Site),
    /// The expression reads a buffer that there is not, or beyond its end.
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

/// Depth to which evaluation recurses, unless said otherwise: a few kilobytes of stack.
const RECURSION: u32 = 48;

/// [`eval`] for many expressions: keeps its memory from one to the next.
#[derive(Debug)]
pub struct Evaluator {
    /// Depth to which it recurses.
    recursion: u32,
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
    /// The value with which evaluation goes on where a range check fails.
    fn recovered(&self, _site: Site) -> Option<Const> {
        None
    }
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

/// Locals and elements that functions give.
struct Reading<L, B> {
    local: L,
    load: B,
}

impl<L, B> Environment for Reading<L, B>
where
    L: Fn(Local) -> Option<Const>,
    B: Fn(Buffer, u64) -> Option<Const>,
{
    type Stop = EvalError;

    fn local(&self, local: Local, ty: Type) -> Result<Const, EvalError> {
        (self.local)(local).filter(|c| c.ty == ty).ok_or(EvalError::Local(local))
    }

    fn load(&self, buffer: Buffer, index: u64) -> Result<Const, EvalError> {
        (self.load)(buffer, index).ok_or(EvalError::Buffer(buffer))
    }

    fn len(&self, buffer: Buffer) -> Result<u64, EvalError> {
        Err(EvalError::Buffer(buffer))
    }

    fn failed(site: Site) -> EvalError {
        EvalError::Failed(site)
    }
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new()
    }
}

impl Evaluator {
    /// Nothing evaluated yet.
    pub fn new() -> Self {
        Self::recursing_to(RECURSION)
    }

    /// Nothing evaluated yet, and recursion to this depth; the result does not depend on it.
    pub fn recursing_to(depth: u32) -> Self {
        Evaluator { recursion: depth, tasks: Vec::new(), values: Vec::new(), memo: Vec::new(), now: 0 }
    }

    /// See [`eval`].
    ///
    /// # Panics
    /// Where `root` is not of this arena.
    pub fn eval(&mut self, exprs: &Exprs, root: ExprId, locals: &[Const]) -> Result<Const, EvalError> {
        self.eval_in(exprs, root, &OnlyLocals(locals))
    }

    /// [`eval`] for an expression that may read buffers, too: with the value of each local and of each element, `None` where there is
    /// none. Lengths of buffers are not known.
    ///
    /// # Panics
    /// Where `root` is not of this arena.
    pub fn eval_reading(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        local: impl Fn(Local) -> Option<Const>,
        load: impl Fn(Buffer, u64) -> Option<Const>,
    ) -> Result<Const, EvalError> {
        self.eval_in(exprs, root, &Reading { local, load })
    }

    pub(super) fn eval_in<E: Environment>(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        env: &E,
    ) -> Result<Const, E::Stop> {
        self.now += 1;
        if self.memo.len() <= root.index() {
            self.memo.resize(root.index() + 1, Memo { when: 0, value: Const::bool(false) });
        }
        self.shallow(exprs, root, env, self.recursion)
    }

    fn remembered(&self, id: ExprId) -> Option<Const> {
        let memo = self.memo[id.index()];
        (memo.when == self.now).then_some(memo.value)
    }

    fn shallow<E: Environment>(
        &mut self,
        exprs: &Exprs,
        id: ExprId,
        env: &E,
        depth: u32,
    ) -> Result<Const, E::Stop> {
        let node = exprs.node(id);
        if let Some(leaf) = leaf(&node, env) {
            return leaf;
        }
        if let Some(value) = self.remembered(id) {
            return Ok(value);
        }
        let Some(depth) = depth.checked_sub(1) else { return self.deep(exprs, id, env) };
        let value = match node {
            Node::And { lhs, rhs } => match self.shallow(exprs, lhs, env, depth)?.bits != 0 {
                true => self.shallow(exprs, rhs, env, depth)?,
                false => Const::bool(false),
            },
            Node::Or { lhs, rhs } => match self.shallow(exprs, lhs, env, depth)?.bits == 0 {
                true => self.shallow(exprs, rhs, env, depth)?,
                false => Const::bool(true),
            },
            Node::Select { cond, yes, no } => {
                let chosen = if self.shallow(exprs, cond, env, depth)?.bits != 0 { yes } else { no };
                self.shallow(exprs, chosen, env, depth)?
            }
            Node::MulAdd { args } => {
                let [x, y, z] = args;
                let x = self.shallow(exprs, x, env, depth)?;
                let y = self.shallow(exprs, y, env, depth)?;
                scalar::mul_add(x, y, self.shallow(exprs, z, env, depth)?)
            }
            _ => {
                let (first, second) = operands(&node);
                let first = self.shallow(exprs, first, env, depth)?;
                let second = match second {
                    Some(second) => self.shallow(exprs, second, env, depth)?,
                    None => first,
                };
                apply(&node, first, second, env)?
            }
        };
        self.memo[id.index()] = Memo { when: self.now, value };
        Ok(value)
    }

    fn deep<E: Environment>(&mut self, exprs: &Exprs, id: ExprId, env: &E) -> Result<Const, E::Stop> {
        self.tasks.clear();
        self.values.clear();
        self.tasks.push(Task::Eval(id));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Eval(id) => self.begin(exprs, id, env)?,
                Task::Apply(id) => self.finish(exprs, id, env)?,
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
        if let Some(leaf) = leaf(&node, env) {
            self.values.push(leaf?);
            return Ok(());
        }
        if let Some(value) = self.remembered(id) {
            self.values.push(value);
            return Ok(());
        }
        self.tasks.push(Task::Keep(id));
        self.tasks.push(Task::Apply(id));
        match node {
            // The first operand decides whether there is another.
            Node::And { lhs: first, .. } | Node::Or { lhs: first, .. } | Node::Select { cond: first, .. } => {
                self.tasks.push(Task::Eval(first));
            }
            Node::MulAdd { args } => self.tasks.extend(args.into_iter().rev().map(Task::Eval)),
            _ => {
                let (first, second) = operands(&node);
                self.tasks.extend(second.map(Task::Eval));
                self.tasks.push(Task::Eval(first));
            }
        }
        Ok(())
    }

    fn finish<E: Environment>(&mut self, exprs: &Exprs, id: ExprId, env: &E) -> Result<(), E::Stop> {
        let node = exprs.node(id);
        let last = self.pop();
        let value = match node {
            Node::Select { yes, no, .. } => {
                self.tasks.push(Task::Eval(if last.bits != 0 { yes } else { no }));
                return Ok(());
            }
            Node::And { rhs, .. } | Node::Or { rhs, .. } => {
                let is_decided = (last.bits != 0) == matches!(node, Node::Or { .. });
                if !is_decided {
                    self.tasks.push(Task::Eval(rhs));
                    return Ok(());
                }
                last
            }
            Node::MulAdd { .. } => {
                let second = self.pop();
                scalar::mul_add(self.pop(), second, last)
            }
            _ => match operands(&node).1 {
                Some(_) => apply(&node, self.pop(), last, env)?,
                None => apply(&node, last, last, env)?,
            },
        };
        self.values.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Const {
        self.values.pop().expect("operands were evaluated before")
    }
}

/// The value of a node without operands.
fn leaf<E: Environment>(node: &Node, env: &E) -> Option<Result<Const, E::Stop>> {
    match *node {
        Node::Const(c) => Some(Ok(c)),
        Node::Local(local, ty) => Some(env.local(local, ty)),
        Node::Len(buffer) => Some(env.len(buffer).map(Const::u64)),
        _ => None,
    }
}

/// The operands of a node that needs all of them, in the order of evaluation.
fn operands(node: &Node) -> (ExprId, Option<ExprId>) {
    match *node {
        Node::Load { index: only, .. }
        | Node::Unary { arg: only, .. }
        | Node::Convert { arg: only, .. }
        | Node::Reinterpret { arg: only, .. }
        | Node::CheckedConvert { arg: only, .. }
        | Node::Range { arg: only, .. } => (only, None),
        Node::Binary { lhs, rhs, .. } | Node::Checked { lhs, rhs, .. } => (lhs, Some(rhs)),
        Node::Math { f, args } => (args[0], (f.arity() == 2).then_some(args[1])),
        Node::MulAdd { .. } => unreachable!("its three operands are evaluated where it is found"),
        Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("a leaf has no operands"),
        Node::And { .. } | Node::Or { .. } | Node::Select { .. } => {
            unreachable!("the first operand decides about the others")
        }
    }
}

/// The value of a node that needs all its operands; where it has one, `second` is not looked at.
fn apply<E: Environment>(node: &Node, first: Const, second: Const, env: &E) -> Result<Const, E::Stop> {
    Ok(match *node {
        Node::Load { buffer, .. } => env.load(buffer, first.bits)?,
        Node::Unary { op, .. } => scalar::unary(op, first),
        Node::Binary { op, .. } => scalar::binary(op, first, second),
        Node::Checked { op, site, .. } => {
            scalar::checked(op, first, second).ok_or_else(|| E::failed(site))?
        }
        Node::Convert { to, .. } => scalar::convert(to, first),
        Node::Reinterpret { to, .. } => scalar::reinterpret(to, first),
        Node::CheckedConvert { to, site, .. } => {
            scalar::checked_convert(to, first).ok_or_else(|| E::failed(site))?
        }
        Node::Range { lo, hi, site, .. } => match scalar::in_range(first, lo, hi) {
            true => first,
            false => env.recovered(site).ok_or_else(|| E::failed(site))?,
        },
        Node::Math { f, .. } => scalar::math(f, first, second),
        Node::MulAdd { .. } => unreachable!("its three operands are evaluated where it is found"),
        Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("a leaf has no operands"),
        Node::And { .. } | Node::Or { .. } | Node::Select { .. } => {
            unreachable!("the first operand decides about the others")
        }
    })
}

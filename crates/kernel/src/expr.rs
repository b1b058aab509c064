//! Expressions: an arena of typed, hash-consed nodes.
//!
//! Children always have smaller ids than their parents, so most passes are one loop over the arena.
//! An expression is evaluated afresh where a statement uses it: sharing a node saves memory, and lets a
//! back end reuse a value where nothing it reads has changed in between.
//!
//! Expressions only read (locals, buffers); they may fail, which exits the kernel. `Select`, `And` and
//! `Or` are lazy: the operand that is not chosen is not evaluated and cannot fail. Every other node
//! evaluates its operands from left to right.

use crate::entities::{Buffer, ExprId, Local, Site};
use crate::operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
use crate::types::{Const, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// One node of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // operands are named by their role
pub enum Node {
    /// A constant.
    Const(Const),
    /// The current value of a local.
    Local(Local, Type),
    /// Element `index` (`u64`) of a buffer. An index at or beyond its length exits the kernel.
    Load { buffer: Buffer, ty: Type, index: ExprId },
    /// Number of elements of a buffer (for an append buffer: appended so far), `u64`.
    Len(Buffer),
    /// Total operation on one operand.
    Unary { op: UnaryOp, arg: ExprId },
    /// Total operation on two operands of the same type.
    Binary { op: BinaryOp, lhs: ExprId, rhs: ExprId },
    /// Operation that may fail.
    Checked { op: CheckedOp, lhs: ExprId, rhs: ExprId, site: Site },
    /// Conversion to `to`, total, as Rust's `as`: integers wrap, floats to integers saturate (NaN to 0),
    /// Booleans become 0 or 1; to `bool`: whether the value differs from zero.
    Convert { to: Type, arg: ExprId },
    /// The same bits as another type of the same width, between numbers. A NaN counts as the positive quiet NaN
    /// without payload (as integers: `0x7ff8_0000_0000_0000`, `0x7fc0_0000`), since which NaN an operation gives is
    /// not defined.
    Reinterpret { to: Type, arg: ExprId },
    /// Conversion to an integer type that fails where the value (floats: truncated towards zero) does not
    /// fit, or is NaN.
    CheckedConvert { to: Type, arg: ExprId, site: Site },
    /// The integer `arg`, which must lie in `lo..=hi` (as `i64`, or for `u64` operands as `u64` bits).
    Range { arg: ExprId, lo: i64, hi: i64, site: Site },
    /// `yes` if `cond`, else `no`; only the chosen one is evaluated.
    Select { cond: ExprId, yes: ExprId, no: ExprId },
    /// Short-circuit conjunction.
    And { lhs: ExprId, rhs: ExprId },
    /// Short-circuit disjunction.
    Or { lhs: ExprId, rhs: ExprId },
    /// A mathematical function; `args[1]` repeats `args[0]` where there is one argument.
    Math { f: MathFn, args: [ExprId; 2] },
    /// `args[0] * args[1] + args[2]` of floats of one type, rounded once (`fusedMultiplyAdd` of IEEE 754).
    MulAdd { args: [ExprId; 3] },
}

/// The arena.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Node>,
    types: Vec<Type>,
    /// Longest path to a leaf, where stepping to the *left* operand of a chain is free: the recursion
    /// depth that a back end needs.
    nesting: Vec<u32>,
    shared: FxHashMap<Node, ExprId>,
}

impl PartialEq for Exprs {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl Exprs {
    /// No nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node behind an id.
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()]
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Type {
        self.types[id.index()]
    }

    /// Recursion depth that evaluating needs when chains are followed to the left in a loop.
    pub fn nesting(&self, id: ExprId) -> u32 {
        self.nesting[id.index()]
    }

    /// Ids in an order in which children come first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.nodes.len() as u32).map(ExprId)
    }

    /// Adds a node as it is, sharing an equal one. Panics where operand types do not fit: callers build
    /// typed trees, and [`crate::text`] checks before it calls.
    pub fn add(&mut self, node: Node) -> ExprId {
        if let Some(&id) = self.shared.get(&node) {
            return id;
        }
        let ty = match self.type_of(&node) {
            Ok(ty) => ty,
            Err(why) => panic!("ill-typed node {node:?}: {why}"),
        };
        let nesting = self.nesting_of(&node);
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.types.push(ty);
        self.nesting.push(nesting);
        self.shared.insert(node, id);
        id
    }

    /// The type a node would have, or why it is ill-typed.
    pub fn type_of(&self, node: &Node) -> Result<Type, &'static str> {
        let ty = |id: ExprId| self.types.get(id.index()).copied().ok_or("operand does not exist");
        Ok(match *node {
            Node::Const(c) => c.ty,
            Node::Local(_, t) => t,
            Node::Load { ty: t, index, .. } => {
                if ty(index)? != Type::U64 {
                    return Err("an index is u64");
                }
                t
            }
            Node::Len(_) => Type::U64,
            Node::Unary { op, arg } => type_of_unary(op, ty(arg)?)?,
            Node::Binary { op, lhs, rhs } => type_of_binary(op, ty(lhs)?, ty(rhs)?)?,
            Node::Checked { op, lhs, rhs, .. } => {
                let t = ty(lhs)?;
                if ty(rhs)? != t {
                    return Err("operands differ in type");
                }
                if !(t.is_int() || (t.is_float() && op == CheckedOp::Div)) {
                    return Err(MISFIT);
                }
                t
            }
            Node::Convert { to, arg } => {
                ty(arg)?;
                to
            }
            Node::Reinterpret { to, arg } => {
                let from = ty(arg)?;
                if from == to || from == Type::Bool || to == Type::Bool || from.bytes() != to.bytes() {
                    return Err("bits become those of another number type of the same width");
                }
                to
            }
            Node::CheckedConvert { to, arg, .. } => {
                if !to.is_int() || ty(arg)? == Type::Bool {
                    return Err("a checked conversion goes from a number to an integer type");
                }
                to
            }
            Node::Range { arg, .. } => {
                if !ty(arg)?.is_int() {
                    return Err("a range is checked on integers");
                }
                ty(arg)?
            }
            Node::Select { cond, yes, no } => {
                if ty(cond)? != Type::Bool {
                    return Err("a condition is bool");
                }
                if ty(yes)? != ty(no)? {
                    return Err("branches differ in type");
                }
                ty(yes)?
            }
            Node::And { lhs, rhs } | Node::Or { lhs, rhs } => {
                if ty(lhs)? != Type::Bool || ty(rhs)? != Type::Bool {
                    return Err("operands are bool");
                }
                Type::Bool
            }
            Node::Math { args, .. } => {
                if ty(args[0])? != Type::F64 || ty(args[1])? != Type::F64 {
                    return Err("arguments are f64");
                }
                Type::F64
            }
            Node::MulAdd { args } => {
                let t = ty(args[0])?;
                if ty(args[1])? != t || ty(args[2])? != t {
                    return Err("operands differ in type");
                }
                if !t.is_float() {
                    return Err(MISFIT);
                }
                t
            }
        })
    }

    fn nesting_of(&self, node: &Node) -> u32 {
        let n = |id: ExprId| self.nesting[id.index()];
        match *node {
            Node::Const(_) | Node::Local(..) | Node::Len(_) => 0,
            Node::Binary { lhs, rhs, .. }
            | Node::Checked { lhs, rhs, .. }
            | Node::And { lhs, rhs }
            | Node::Or { lhs, rhs } => n(lhs).max(n(rhs) + 1),
            Node::Unary { arg, .. }
            | Node::Convert { arg, .. }
            | Node::Reinterpret { arg, .. }
            | Node::CheckedConvert { arg, .. }
            | Node::Range { arg, .. } => n(arg) + 1,
            Node::Load { index, .. } => n(index) + 1,
            Node::Select { cond, yes, no } => n(cond).max(n(yes)).max(n(no)) + 1,
            Node::Math { args, .. } => n(args[0]).max(n(args[1])) + 1,
            Node::MulAdd { args } => args.into_iter().map(n).max().unwrap_or(0) + 1,
        }
    }

    /// Calls `f` for every operand of a node.
    pub fn each_operand(node: &Node, mut f: impl FnMut(ExprId)) {
        match *node {
            Node::Const(_) | Node::Local(..) | Node::Len(_) => {}
            Node::Load { index, .. } => f(index),
            Node::Unary { arg, .. }
            | Node::Convert { arg, .. }
            | Node::Reinterpret { arg, .. }
            | Node::CheckedConvert { arg, .. }
            | Node::Range { arg, .. } => f(arg),
            Node::Binary { lhs, rhs, .. }
            | Node::Checked { lhs, rhs, .. }
            | Node::And { lhs, rhs }
            | Node::Or { lhs, rhs } => {
                f(lhs);
                f(rhs);
            }
            Node::Select { cond, yes, no } => {
                f(cond);
                f(yes);
                f(no);
            }
            Node::Math { f: function, args } => {
                f(args[0]);
                if function.arity() == 2 {
                    f(args[1]);
                }
            }
            Node::MulAdd { args } => args.into_iter().for_each(f),
        }
    }

    /// The constant behind an id, if it is one.
    pub fn as_const(&self, id: ExprId) -> Option<Const> {
        match self.node(id) {
            Node::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The nodes that `roots` need, operands first. The work follows their number and not that of all nodes, so that it may be asked for
    /// every root.
    pub fn needed(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        self.needed_by(roots, |node, f| Self::each_operand(node, f))
    }

    /// The same for what `each_operand` gives as the operands of a node, all of which have smaller numbers.
    pub fn needed_by(
        &self,
        roots: impl IntoIterator<Item = ExprId>,
        each_operand: impl Fn(&Node, &mut dyn FnMut(ExprId)),
    ) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut found: Vec<ExprId> = roots.into_iter().filter(|&root| seen.insert(root)).collect();
        let mut next = 0;
        while let Some(id) = found.get(next) {
            each_operand(&self.nodes[id.index()], &mut |operand| {
                if seen.insert(operand) {
                    found.push(operand);
                }
            });
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// The same as a flag per node.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        for root in roots {
            seen[root.index()] = true;
        }
        for id in self.ids().rev() {
            if seen[id.index()] {
                Self::each_operand(&self.nodes[id.index()], |c| seen[c.index()] = true);
            }
        }
        seen
    }
}

/// Builder methods. They fold constants where that cannot change bits or lose a failure.
impl Exprs {
    /// A constant.
    pub fn constant(&mut self, c: Const) -> ExprId {
        self.add(Node::Const(c))
    }

    /// `bool` constant.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(Const::bool(value))
    }

    /// `i64` constant.
    pub fn i64(&mut self, value: i64) -> ExprId {
        self.constant(Const::i64(value))
    }

    /// `u64` constant.
    pub fn u64(&mut self, value: u64) -> ExprId {
        self.constant(Const::u64(value))
    }

    /// `f64` constant.
    pub fn f64(&mut self, value: f64) -> ExprId {
        self.constant(Const::f64(value))
    }

    /// A local of a known type.
    pub fn local(&mut self, local: Local, ty: Type) -> ExprId {
        self.add(Node::Local(local, ty))
    }

    /// Element of a buffer.
    pub fn load(&mut self, buffer: Buffer, ty: Type, index: ExprId) -> ExprId {
        self.add(Node::Load { buffer, ty, index })
    }

    /// Total operation on one operand, folded where constant.
    pub fn unary(&mut self, op: UnaryOp, arg: ExprId) -> ExprId {
        if let Some(c) = self.as_const(arg) {
            let folded = crate::scalar::unary(op, c);
            return self.constant(folded);
        }
        if let (UnaryOp::Not, Node::Unary { op: UnaryOp::Not, arg }) = (op, self.node(arg)) {
            return arg;
        }
        self.add(Node::Unary { op, arg })
    }

    /// Total operation on two operands, folded where both are constant.
    pub fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        if let (Some(a), Some(b)) = (self.as_const(lhs), self.as_const(rhs)) {
            let folded = crate::scalar::binary(op, a, b);
            return self.constant(folded);
        }
        self.add(Node::Binary { op, lhs, rhs })
    }

    /// Operation that may fail; folded where both operands are constant and it does not.
    pub fn checked(&mut self, op: CheckedOp, lhs: ExprId, rhs: ExprId, site: Site) -> ExprId {
        if let (Some(a), Some(b)) = (self.as_const(lhs), self.as_const(rhs))
            && let Some(folded) = crate::scalar::checked(op, a, b)
        {
            return self.constant(folded);
        }
        self.add(Node::Checked { op, lhs, rhs, site })
    }

    /// Total conversion; none where the type is the same.
    pub fn convert(&mut self, to: Type, arg: ExprId) -> ExprId {
        if self.ty(arg) == to {
            return arg;
        }
        if let Some(c) = self.as_const(arg) {
            let folded = crate::scalar::convert(to, c);
            return self.constant(folded);
        }
        self.add(Node::Convert { to, arg })
    }

    /// The same bits as a type of the same width; none where the type is the same.
    pub fn reinterpret(&mut self, to: Type, arg: ExprId) -> ExprId {
        if self.ty(arg) == to {
            return arg;
        }
        if let Some(c) = self.as_const(arg) {
            let folded = crate::scalar::reinterpret(to, c);
            return self.constant(folded);
        }
        self.add(Node::Reinterpret { to, arg })
    }

    /// Logical negation.
    pub fn not(&mut self, arg: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, arg)
    }

    /// Short-circuit conjunction, simplified where a side is constant.
    pub fn and(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.as_const(lhs).and_then(Const::as_bool), self.as_const(rhs).and_then(Const::as_bool)) {
            (Some(true), _) => rhs,
            (Some(false), _) | (_, Some(true)) => lhs,
            _ if lhs == rhs => lhs,
            _ => self.add(Node::And { lhs, rhs }),
        }
    }

    /// Short-circuit disjunction, simplified where a side is constant.
    pub fn or(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.as_const(lhs).and_then(Const::as_bool), self.as_const(rhs).and_then(Const::as_bool)) {
            (Some(false), _) => rhs,
            (Some(true), _) | (_, Some(false)) => lhs,
            _ if lhs == rhs => lhs,
            _ => self.add(Node::Or { lhs, rhs }),
        }
    }

    /// Lazy choice, simplified where the condition is constant.
    pub fn select(&mut self, cond: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        match self.as_const(cond).and_then(Const::as_bool) {
            Some(true) => yes,
            Some(false) => no,
            None if yes == no && self.is_infallible(cond) => yes,
            None => self.add(Node::Select { cond, yes, no }),
        }
    }

    /// A mathematical function of one argument.
    pub fn math1(&mut self, f: MathFn, x: ExprId) -> ExprId {
        self.add(Node::Math { f, args: [x, x] })
    }

    /// A mathematical function of two arguments.
    pub fn math2(&mut self, f: MathFn, x: ExprId, y: ExprId) -> ExprId {
        self.add(Node::Math { f, args: [x, y] })
    }

    /// `x * y + z`, rounded once; folded where all are constant.
    pub fn mul_add(&mut self, x: ExprId, y: ExprId, z: ExprId) -> ExprId {
        if let (Some(a), Some(b), Some(c)) = (self.as_const(x), self.as_const(y), self.as_const(z)) {
            let folded = crate::scalar::mul_add(a, b, c);
            return self.constant(folded);
        }
        self.add(Node::MulAdd { args: [x, y, z] })
    }

    /// Whether evaluating can neither fail nor leave the kernel. Linear in the size of the expression.
    pub fn is_infallible(&self, root: ExprId) -> bool {
        let mut stack = vec![root];
        let mut budget = 4096usize;
        while let Some(id) = stack.pop() {
            budget -= 1;
            if budget == 0 {
                return false;
            }
            let node = self.node(id);
            if matches!(
                node,
                Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. } | Node::Load { .. }
            ) {
                return false;
            }
            Self::each_operand(&node, |c| stack.push(c));
        }
        true
    }
}

const MISFIT: &str = "operand type does not fit the operation";

fn type_of_unary(op: UnaryOp, of_operand: Type) -> Result<Type, &'static str> {
    let fits = match op {
        UnaryOp::Not => !of_operand.is_float(),
        UnaryOp::Neg => of_operand != Type::Bool,
        UnaryOp::Abs => of_operand.is_signed() || of_operand.is_float(),
        UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc => of_operand.is_float(),
    };
    if fits { Ok(of_operand) } else { Err(MISFIT) }
}

fn type_of_binary(op: BinaryOp, lhs: Type, rhs: Type) -> Result<Type, &'static str> {
    use BinaryOp::*;
    if lhs != rhs {
        return Err("operands differ in type");
    }
    let fits = match op {
        Add | Sub | Mul | Min | Max | Lt | Le | Gt | Ge => lhs != Type::Bool,
        Div => lhs.is_float(),
        BitAnd | BitOr | BitXor => !lhs.is_float(),
        Shl | Shr => lhs.is_int(),
        Eq | Ne => true,
    };
    match fits {
        true if op.is_comparison() => Ok(Type::Bool),
        true => Ok(lhs),
        false => Err(MISFIT),
    }
}

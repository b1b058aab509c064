//! Expressions of a program as expressions of a kernel in which fields are locals or constants.
//!
//! Integers become `i32` if their intervals show that this loses nothing: a vector then has twice as many
//! lanes, and no machine is slower. Checks that cannot fail are omitted, and comparisons decided by intervals
//! become constants.

use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, Exprs, Kernel, Local, Node, Type, UnaryOp};
use volvelle_model::interval::{self, Interval};

/// The representation of a field in the kernel.
#[derive(Clone, Copy, Debug)]
pub enum FieldValue {
    /// A local of type `bool`, `i32` or `i64`, with the values that it takes.
    Local(Local, Type, Interval),
    /// A known value.
    Known(i64),
}

/// A translated expression.
#[derive(Clone, Copy, Debug)]
struct Made {
    id: ExprId,
    /// For integers: the possible values when evaluation does not fail; `None` if unknown.
    values: Option<Interval>,
    /// Whether evaluating may fail.
    fallible: bool,
}

/// Translates expressions of one arena, with fixed values of fields.
#[derive(Clone, Debug)]
pub struct Translator {
    fields: Vec<FieldValue>,
    made: Vec<Option<Made>>,
}

const I32: Interval = Interval { lo: i32::MIN as i64, hi: i32::MAX as i64 };

impl Translator {
    /// A translator for fields that are represented in these ways.
    pub fn new(fields: Vec<FieldValue>) -> Self {
        Translator { fields, made: Vec::new() }
    }

    /// The kernel's expression for one of the program; integers may be `i32` or `i64`.
    pub fn expr(&mut self, kernel: &mut Kernel, exprs: &Exprs, root: ExprId) -> ExprId {
        self.translated(kernel, exprs, root).id
    }

    /// The same as `i64`.
    pub fn wide(&mut self, kernel: &mut Kernel, exprs: &Exprs, root: ExprId) -> ExprId {
        let id = self.expr(kernel, exprs, root);
        kernel.exprs.convert(Type::I64, id)
    }

    /// The possible values of an integer expression, if known.
    pub fn values(&mut self, kernel: &mut Kernel, exprs: &Exprs, root: ExprId) -> Option<Interval> {
        self.translated(kernel, exprs, root).values
    }

    /// Changes the representation of a field; before anything is translated.
    pub fn set_field(&mut self, field: usize, value: FieldValue) {
        debug_assert!(self.made.is_empty(), "something was translated");
        self.fields[field] = value;
    }

    /// The representation of a field in the kernel.
    pub fn field(&self, field: usize) -> FieldValue {
        self.fields[field]
    }

    fn translated(&mut self, kernel: &mut Kernel, exprs: &Exprs, root: ExprId) -> Made {
        if self.made.len() < exprs.len() {
            self.made.resize(exprs.len(), None);
        }
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.made[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let node = exprs.node(id);
            Exprs::each_operand(&node, |operand| {
                if self.made[operand.index()].is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                self.made[id.index()] = Some(self.node(kernel, exprs, id, node));
                stack.pop();
            }
        }
        self.made[root.index()].expect("made above")
    }

    fn operand(&self, id: ExprId) -> Made {
        self.made[id.index()].expect("operands come first")
    }

    fn node(&self, kernel: &mut Kernel, exprs: &Exprs, id: ExprId, node: Node) -> Made {
        let e = &mut kernel.exprs;
        let is_int = exprs.ty(id) == Type::I64;
        match node {
            Node::Const(c) if is_int => known(e, c.bits as i64),
            Node::Const(c) => sure(e.constant(c)),
            Node::Local(local, ty) => match self.fields[local.index()] {
                FieldValue::Known(value) if ty == Type::Bool => sure(e.bool(value != 0)),
                FieldValue::Known(value) => known(e, value),
                FieldValue::Local(local, ty, values) => {
                    Made { id: e.local(local, ty), values: Some(values), fallible: false }
                }
            },
            Node::Unary { op, arg } => self.unary(e, op, self.operand(arg), is_int),
            Node::Binary { op, lhs, rhs } => {
                self.binary(e, op, self.operand(lhs), self.operand(rhs), exprs.ty(lhs) == Type::I64)
            }
            Node::Checked { op, lhs, rhs, site } => {
                let (a, b) = (self.operand(lhs), self.operand(rhs));
                if !is_int {
                    let id = e.checked(op, a.id, b.id, site);
                    let fallible = a.fallible || b.fallible || !e.is_infallible(id);
                    return Made { id, values: None, fallible };
                }
                self.checked(e, op, a, b, site)
            }
            Node::Convert { to: Type::I64, arg } => {
                let a = self.operand(arg);
                match e.ty(a.id) {
                    Type::Bool => {
                        let id = e.convert(Type::I32, a.id);
                        Made { id, values: Interval::new(0, 1), fallible: a.fallible }
                    }
                    Type::I32 => a,
                    _ => Made { id: e.convert(Type::I64, a.id), values: None, fallible: a.fallible },
                }
            }
            Node::Convert { to, arg } => {
                let a = self.operand(arg);
                Made { id: e.convert(to, a.id), values: None, fallible: a.fallible }
            }
            Node::CheckedConvert { to, arg, site } => {
                let a = self.operand(arg);
                let id = e.add(Node::CheckedConvert { to, arg: a.id, site });
                Made { id, values: None, fallible: true }
            }
            Node::Range { arg, lo, hi, site } => {
                let a = self.operand(arg);
                if a.values.is_some_and(|v| v.within(lo, hi)) {
                    return a;
                }
                let (from, to) = match e.ty(a.id) {
                    Type::I32 => (lo.max(I32.lo), hi.min(I32.hi)),
                    _ => (lo, hi),
                };
                let id = e.add(Node::Range { arg: a.id, lo: from, hi: to, site });
                let values =
                    a.values.map_or(Interval::new(lo, hi), |v| Interval::new(v.lo.max(lo), v.hi.min(hi)));
                narrow(e, Made { id, values: values.or(Interval::new(lo, hi)), fallible: true })
            }
            Node::Select { cond, yes, no } => {
                let (c, mut a, mut b) = (self.operand(cond), self.operand(yes), self.operand(no));
                if is_int {
                    (a, b) = alike(e, a, b);
                }
                let id = e.select(c.id, a.id, b.id);
                let values = match e.as_const(c.id).and_then(Const::as_bool) {
                    Some(true) => a.values,
                    Some(false) => b.values,
                    None => a.values.zip(b.values).map(|(a, b)| a.hull(b)),
                };
                Made { id, values, fallible: c.fallible || a.fallible || b.fallible }
            }
            Node::And { lhs, rhs } => {
                let (a, b) = (self.operand(lhs), self.operand(rhs));
                if !a.fallible && e.as_const(b.id).and_then(Const::as_bool) == Some(false) {
                    return b;
                }
                Made { id: e.and(a.id, b.id), values: None, fallible: a.fallible || b.fallible }
            }
            Node::Or { lhs, rhs } => {
                let (a, b) = (self.operand(lhs), self.operand(rhs));
                if !a.fallible && e.as_const(b.id).and_then(Const::as_bool) == Some(true) {
                    return b;
                }
                Made { id: e.or(a.id, b.id), values: None, fallible: a.fallible || b.fallible }
            }
            Node::Math { f, args } => {
                let (a, b) = (self.operand(args[0]), self.operand(args[f.arity() - 1]));
                let id = e.add(Node::Math { f, args: [a.id, b.id] });
                Made { id, values: None, fallible: a.fallible || b.fallible }
            }
            Node::MulAdd { args } => {
                let operands = args.map(|arg| self.operand(arg));
                let [a, b, c] = operands.map(|operand| operand.id);
                let fallible = operands.iter().any(|operand| operand.fallible);
                Made { id: e.mul_add(a, b, c), values: None, fallible }
            }
            // Programs read fields only, and have no bits to reinterpret.
            other => Made { id: e.add(other), values: None, fallible: true },
        }
    }

    fn unary(&self, e: &mut Exprs, op: UnaryOp, a: Made, is_int: bool) -> Made {
        if !is_int {
            return Made { id: e.unary(op, a.id), values: None, fallible: a.fallible };
        }
        let values = a.values.and_then(|v| match op {
            UnaryOp::Neg => Interval::new(v.hi.checked_neg()?, v.lo.checked_neg()?),
            UnaryOp::Abs => {
                let most = v.lo.checked_abs()?.max(v.hi.checked_abs()?);
                Interval::new(if v.lo <= 0 && v.hi >= 0 { 0 } else { v.lo.abs().min(v.hi.abs()) }, most)
            }
            _ => None,
        });
        let arg =
            if values.is_some_and(|v| v.within(I32.lo, I32.hi)) { a.id } else { e.convert(Type::I64, a.id) };
        let id = e.unary(op, arg);
        narrow(e, Made { id, values, fallible: a.fallible })
    }

    fn binary(&self, e: &mut Exprs, op: BinaryOp, a: Made, b: Made, of_ints: bool) -> Made {
        let fallible = a.fallible || b.fallible;
        if !of_ints {
            return Made { id: e.binary(op, a.id, b.id), values: None, fallible };
        }
        if op.is_comparison() {
            if let (Some(x), Some(y), false) = (a.values, b.values, fallible)
                && let Some(truth) = decided(op, x, y)
            {
                return sure(e.bool(truth));
            }
            let (a, b) = alike(e, a, b);
            return Made { id: e.binary(op, a.id, b.id), values: None, fallible };
        }
        let values = a.values.zip(b.values).and_then(|(x, y)| interval::arithmetic(op, x, y));
        let small = values.is_some_and(|v| v.within(I32.lo, I32.hi));
        let both_small = e.ty(a.id) == Type::I32 && e.ty(b.id) == Type::I32;
        let (x, y) = if small && both_small {
            (a.id, b.id)
        } else {
            (e.convert(Type::I64, a.id), e.convert(Type::I64, b.id))
        };
        let id = e.binary(op, x, y);
        narrow(e, Made { id, values, fallible })
    }

    fn checked(&self, e: &mut Exprs, op: CheckedOp, a: Made, b: Made, site: volvelle_kernel::Site) -> Made {
        let total = match op {
            CheckedOp::Add => Some(BinaryOp::Add),
            CheckedOp::Sub => Some(BinaryOp::Sub),
            CheckedOp::Mul => Some(BinaryOp::Mul),
            _ => None,
        };
        if let (Some(op), Some(x), Some(y)) = (total, a.values, b.values)
            && interval::arithmetic(op, x, y).is_some()
        {
            return self.binary(e, op, a, b, true);
        }
        let both_small = e.ty(a.id) == Type::I32 && e.ty(b.id) == Type::I32;
        // In fewer bits, `MIN / -1` may overflow where it does not in more.
        let divides = matches!(op, CheckedOp::Div | CheckedOp::Rem | CheckedOp::Mod)
            && a.values.is_some_and(|v| v.lo > I32.lo);
        if both_small && divides {
            let values = match (op, a.values, b.values) {
                (CheckedOp::Mod, Some(x), Some(y)) if y.lo > 0 => {
                    Interval::new(0, if x.lo >= 0 { x.hi.min(y.hi - 1) } else { y.hi - 1 })
                }
                (CheckedOp::Div | CheckedOp::Rem, Some(x), _) => {
                    let most = x.lo.abs().max(x.hi.abs());
                    Interval::new(-most, most)
                }
                _ => Some(I32),
            };
            let never_fails = b.values.is_some_and(|v| v.lo > 0 || v.hi < 0);
            let id = e.checked(op, a.id, b.id, site);
            return Made { id, values, fallible: a.fallible || b.fallible || !never_fails };
        }
        let (x, y) = (e.convert(Type::I64, a.id), e.convert(Type::I64, b.id));
        let id = e.checked(op, x, y, site);
        let folded = e.as_const(id).and_then(Const::as_i64);
        match folded {
            Some(value) => known(e, value),
            None => Made { id, values: None, fallible: true },
        }
    }
}

fn sure(id: ExprId) -> Made {
    Made { id, values: None, fallible: false }
}

fn known(e: &mut Exprs, value: i64) -> Made {
    let id = match i32::try_from(value) {
        Ok(_) => e.constant(Const::int(Type::I32, value)),
        Err(_) => e.i64(value),
    };
    Made { id, values: Interval::new(value, value), fallible: false }
}

/// Converts to `i32` if the values fit.
fn narrow(e: &mut Exprs, made: Made) -> Made {
    if e.ty(made.id) == Type::I64 && made.values.is_some_and(|v| v.within(I32.lo, I32.hi)) {
        return Made { id: e.convert(Type::I32, made.id), ..made };
    }
    made
}

/// Two integers in one type.
fn alike(e: &mut Exprs, mut a: Made, mut b: Made) -> (Made, Made) {
    if e.ty(a.id) != e.ty(b.id) {
        a.id = e.convert(Type::I64, a.id);
        b.id = e.convert(Type::I64, b.id);
    }
    (a, b)
}

/// A comparison that is the same for all values.
fn decided(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let (below, not_above) = (a.hi < b.lo, a.hi <= b.lo);
    let (above, not_below) = (a.lo > b.hi, a.lo >= b.hi);
    let same = a.lo == a.hi && a == b;
    let choose = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match op {
        BinaryOp::Eq => choose(same, below || above),
        BinaryOp::Ne => choose(below || above, same),
        BinaryOp::Lt => choose(below, not_below),
        BinaryOp::Le => choose(not_above, above),
        BinaryOp::Gt => choose(above, not_above),
        BinaryOp::Ge => choose(not_below, below),
        _ => None,
    }
}

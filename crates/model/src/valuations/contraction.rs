//! Narrows the intervals of fields to those values for which a condition may hold.
//!
//! A forward pass over the nodes of the condition computes the possible values of each, operands first. A
//! backward pass computes which values each must have for the condition to hold (Benhamou and others,
//! Revising hull and box consistency, ICLP 1999). Valuations for which the evaluation fails are kept, since
//! the caller reports them as failures of the model.

use super::known::{self, Known};
use crate::interval::Interval;
use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Node, Type, UnaryOp};

/// A condition, with its nodes in an order where operands come first.
pub struct Condition {
    nodes: Vec<(Node, Type, [u32; 3])>,
    /// The fields that it reads.
    pub fields: Vec<u32>,
}

/// Whether a condition holds for all valuations in a box, for none, or perhaps for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// For all; evaluation fails for none.
    Always,
    /// For none; evaluation fails for none.
    Never,
    /// Possibly for some.
    Perhaps,
}

/// Memory of the two passes, kept between conditions.
#[derive(Default)]
pub struct Scratch {
    rationals: bool,
    is: Vec<Known>,
    fails: Vec<bool>,
    must: Vec<Known>,
    /// For each field of the last condition, its narrowed interval.
    pub narrowed: Vec<Interval>,
}

impl Scratch {
    /// `rationals`: whether doubles stand for rational numbers near them.
    pub fn new(rationals: bool) -> Self {
        Scratch { rationals, ..Scratch::default() }
    }
}

impl Condition {
    /// The condition below `root`.
    pub fn new(exprs: &Exprs, root: ExprId) -> Self {
        let mut places: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut nodes = Vec::new();
        let mut fields = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if places.contains_key(&id) {
                continue;
            }
            let node = exprs.node(id);
            if !ready {
                stack.push((id, true));
                Exprs::each_operand(&node, |operand| stack.push((operand, false)));
                continue;
            }
            let mut operands = [0; 3];
            let mut count = 0;
            Exprs::each_operand(&node, |operand| {
                operands[count] = places[&operand];
                count += 1;
            });
            if let Node::Local(field, _) = node {
                fields.push(field.0);
            }
            places.insert(id, nodes.len() as u32);
            nodes.push((node, exprs.ty(id), operands));
        }
        fields.sort_unstable();
        fields.dedup();
        Condition { nodes, fields }
    }

    /// Narrows the fields of a box to values for which the condition may hold; results are in
    /// `scratch.narrowed`.
    pub fn contract(&self, bounds: &[Interval], scratch: &mut Scratch) -> Holds {
        self.forward(bounds, scratch);
        let Some(root) = self.nodes.len().checked_sub(1) else {
            return Holds::Perhaps;
        };
        if !scratch.fails[root] {
            if scratch.is[root].is_true() {
                scratch.narrowed.clear();
                scratch.narrowed.extend(self.fields.iter().map(|&f| bounds[f as usize]));
                return Holds::Always;
            }
            if scratch.is[root].is_false() {
                return Holds::Never;
            }
        }
        if self.backward(bounds, scratch).is_none() {
            return Holds::Never;
        }
        Holds::Perhaps
    }

    fn forward(&self, bounds: &[Interval], Scratch { rationals, is, fails, .. }: &mut Scratch) {
        is.clear();
        fails.clear();
        for &(node, ty, operands) in &self.nodes {
            let [a, b, c] = operands.map(|place| place as usize);
            let (known, fail) = match node {
                Node::Const(constant) => (Known::constant(constant), false),
                Node::Local(field, ty) => (Known::field(bounds[field.index()], ty), false),
                Node::Unary { op, .. } => (known::unary(op, is[a], ty), fails[a]),
                Node::Binary { op, .. } => (known::binary(op, is[a], is[b], ty), fails[a] || fails[b]),
                Node::Checked { op, .. } => {
                    let (known, fail) = known::checked(op, is[a], is[b], ty);
                    (known, fail || fails[a] || fails[b])
                }
                Node::Convert { to, .. } => (known::convert(is[a], to), fails[a]),
                Node::CheckedConvert { to, .. } => {
                    let (known, fail) = known::checked_convert(is[a], to);
                    (known, fail || fails[a])
                }
                Node::Range { lo, hi, .. } => match is[a] {
                    Known::Int(x) if x.within(lo, hi) => (is[a], fails[a]),
                    _ => (Known::of_type(ty), true),
                },
                Node::And { .. } => match (is[a], is[b]) {
                    (Known::Bool(f, t), Known::Bool(g, u)) => {
                        (Known::Bool(f || (t && g), t && u), fails[a] || (t && fails[b]))
                    }
                    _ => (Known::Any, true),
                },
                Node::Or { .. } => match (is[a], is[b]) {
                    (Known::Bool(f, t), Known::Bool(g, u)) => {
                        (Known::Bool(f && g, t || (f && u)), fails[a] || (f && fails[b]))
                    }
                    _ => (Known::Any, true),
                },
                Node::Select { .. } => match is[a] {
                    Known::Bool(false, true) => (is[b], fails[a] || fails[b]),
                    Known::Bool(true, false) => (is[c], fails[a] || fails[c]),
                    _ => (is[b].join(is[c]), fails[a] || fails[b] || fails[c]),
                },
                Node::Reinterpret { .. } | Node::Math { .. } | Node::MulAdd { .. } => (
                    Known::of_type(ty),
                    operands.iter().any(|&place| fails.get(place as usize) == Some(&true)),
                ),
                Node::Load { .. } | Node::Len(_) => (Known::of_type(ty), true),
            };
            is.push(if *rationals { known.widened() } else { known });
            fails.push(fail);
        }
    }

    /// `None` if the condition holds nowhere in the box, and fails nowhere.
    fn backward(&self, bounds: &[Interval], scratch: &mut Scratch) -> Option<()> {
        let Scratch { is, fails, must, narrowed, .. } = scratch;
        must.clear();
        must.resize(self.nodes.len(), Known::Any);
        narrowed.clear();
        narrowed.extend(self.fields.iter().map(|&f| bounds[f as usize]));
        if let Some(last) = must.last_mut() {
            *last = Known::Bool(false, true);
        }
        let yes = Known::Bool(false, true);
        for at in (0..self.nodes.len()).rev() {
            let (node, _, operands) = self.nodes[at];
            if must[at] == Known::Any {
                continue;
            }
            let [a, b, _] = operands.map(|place| place as usize);
            // If the left side is false, the right one is not evaluated. So the left side may be narrowed
            // although the right may fail.
            if let (Node::And { .. }, true) = (node, fails[at]) {
                if must[at].is_true() {
                    must[a] = must[a].meet(yes)?;
                    if !fails[a] {
                        must[b] = must[b].meet(yes)?;
                    }
                }
                continue;
            }
            if fails[at] {
                continue;
            }
            let must_be = must[at].meet(is[at])?;
            match node {
                Node::Local(field, ty) => {
                    let place = self.fields.binary_search(&field.0).ok()?;
                    let now = &mut narrowed[place];
                    *now = match (must_be, ty) {
                        (Known::Bool(no, yes), Type::Bool) => {
                            let (lo, hi) = (i64::from(!no), i64::from(yes));
                            Interval::new(now.lo.max(lo), now.hi.min(hi))?
                        }
                        (Known::Int(x), _) => Interval::new(now.lo.max(x.lo), now.hi.min(x.hi))?,
                        _ => *now,
                    };
                }
                _ => Operands { nodes: &self.nodes, is, must }.narrow(at, must_be)?,
            }
        }
        Some(())
    }
}

/// The operands of a node, which are narrowed to what its value must be.
struct Operands<'a> {
    nodes: &'a [(Node, Type, [u32; 3])],
    is: &'a [Known],
    must: &'a mut [Known],
}

impl Operands<'_> {
    #[inline]
    fn want(&mut self, place: usize, known: Known) -> Option<()> {
        self.must[place] = self.must[place].meet(known)?;
        Some(())
    }

    /// Narrows the operands of the node at a place whose value must be that; `None` if there are no values left.
    #[inline]
    fn narrow(&mut self, at: usize, must_be: Known) -> Option<()> {
        let (node, ty, operands) = self.nodes[at];
        let [a, b, _] = operands.map(|place| place as usize);
        let yes = Known::Bool(false, true);
        match node {
            Node::Unary { op, .. } => match (op, must_be) {
                (UnaryOp::Not | UnaryOp::Neg, _) => self.want(a, known::unary(op, must_be, ty))?,
                (UnaryOp::Floor, Known::Real(lo, hi)) => self.want(a, Known::real(lo, hi + 1.0))?,
                (UnaryOp::Ceil, Known::Real(lo, hi)) => self.want(a, Known::real(lo - 1.0, hi))?,
                _ => {}
            },
            Node::Binary { op, .. } if op.is_comparison() => {
                if let Known::Bool(no, yes) = must_be
                    && no != yes
                {
                    let (x, y) = compared(op, yes, self.is[a], self.is[b])?;
                    self.want(a, x)?;
                    self.want(b, y)?;
                }
            }
            Node::Binary { op: BinaryOp::BitAnd, .. } if must_be.is_true() => {
                self.want(a, yes)?;
                self.want(b, yes)?;
            }
            Node::Binary { op: BinaryOp::BitOr, .. } if must_be == Known::Bool(true, false) => {
                self.want(a, must_be)?;
                self.want(b, must_be)?;
            }
            Node::Binary { op, .. } => {
                let (x, y) = known::operands(op, must_be, self.is[a], self.is[b]);
                self.want(a, x)?;
                self.want(b, y)?;
            }
            Node::Checked { op, .. } => {
                if let Some(op) = plain(op, self.is[a], self.is[b]) {
                    let (x, y) = known::operands(op, must_be, self.is[a], self.is[b]);
                    self.want(a, x)?;
                    self.want(b, y)?;
                }
            }
            Node::Convert { to, .. } => match (must_be, self.is[a]) {
                (Known::Real(lo, hi), Known::Int(_)) => self.want(a, known::integers(lo, hi))?,
                (Known::Int(x), Known::Bool(..)) => self.want(a, Known::Bool(x.lo <= 0, x.hi >= 1))?,
                (Known::Bool(true, false), Known::Int(_)) => {
                    self.want(a, Known::Int(Interval { lo: 0, hi: 0 }))?
                }
                (known, operand) if same_kind(known, operand) && to == self.nodes[a].1 => {
                    self.want(a, known)?
                }
                _ => {}
            },
            Node::CheckedConvert { .. } => match (must_be, self.is[a]) {
                (Known::Int(x), Known::Real(..)) => {
                    self.want(a, Known::real(x.lo as f64 - 1.0, x.hi as f64 + 1.0))?;
                }
                (known, operand) if same_kind(known, operand) => self.want(a, known)?,
                _ => {}
            },
            Node::Range { .. } => self.want(a, must_be)?,
            Node::And { .. } | Node::Or { .. } | Node::Select { .. } => self.narrow_lazy(at, must_be)?,
            _ => {}
        }
        Some(())
    }

    /// As [`Operands::narrow`], for nodes that do not evaluate all operands.
    #[inline]
    fn narrow_lazy(&mut self, at: usize, must_be: Known) -> Option<()> {
        let (node, _, operands) = self.nodes[at];
        let [a, b, c] = operands.map(|place| place as usize);
        let yes = Known::Bool(false, true);
        match node {
            Node::And { .. } => {
                if must_be.is_true() {
                    self.want(a, yes)?;
                    self.want(b, yes)?;
                } else if must_be.is_false() {
                    // At least one side must be false.
                    if self.is[a].is_true() {
                        self.want(b, must_be)?;
                    } else if self.is[b].is_true() {
                        self.want(a, must_be)?;
                    }
                }
            }
            Node::Or { .. } => {
                if must_be.is_false() {
                    self.want(a, must_be)?;
                    self.want(b, must_be)?;
                } else if must_be.is_true() {
                    if self.is[a].is_false() {
                        self.want(b, yes)?;
                    } else if self.is[b].is_false() {
                        self.want(a, yes)?;
                    }
                }
            }
            Node::Select { .. } => {
                if self.is[a].is_true() {
                    self.want(b, must_be)?;
                } else if self.is[a].is_false() {
                    self.want(c, must_be)?;
                } else if must_be.meet(self.is[b]).is_none() {
                    self.want(a, Known::Bool(true, false))?;
                    self.want(c, must_be)?;
                } else if must_be.meet(self.is[c]).is_none() {
                    self.want(a, yes)?;
                    self.want(b, must_be)?;
                }
            }
            _ => {}
        }
        Some(())
    }
}

/// The unchecked operation, if its checks cannot fail and operands can be inferred from the result.
fn plain(op: volvelle_kernel::CheckedOp, a: Known, b: Known) -> Option<BinaryOp> {
    use volvelle_kernel::CheckedOp;
    match (op, a, b) {
        (CheckedOp::Add, ..) => Some(BinaryOp::Add),
        (CheckedOp::Sub, ..) => Some(BinaryOp::Sub),
        (CheckedOp::Mul, ..) => Some(BinaryOp::Mul),
        (CheckedOp::Div, Known::Real(..), Known::Real(..)) => Some(BinaryOp::Div),
        _ => None,
    }
}

fn same_kind(a: Known, b: Known) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

/// The values that both sides of a comparison must have if its result is to be `holds`; `None` if it cannot
/// be.
fn compared(op: BinaryOp, holds: bool, a: Known, b: Known) -> Option<(Known, Known)> {
    use BinaryOp::*;
    // Without NaN, the negation of a comparison is the opposite comparison.
    let op = match (op, holds) {
        (op, true) => op,
        (Lt, false) => Ge,
        (Le, false) => Gt,
        (Gt, false) => Le,
        (Ge, false) => Lt,
        (Eq, false) => Ne,
        (_, false) => Eq,
    };
    let int = |lo: i64, hi: i64| Interval::new(lo, hi).map(Known::Int);
    Some(match (a, b) {
        (Known::Int(x), Known::Int(y)) => match op {
            Lt => (int(i64::MIN, y.hi.checked_sub(1)?)?, int(x.lo.checked_add(1)?, i64::MAX)?),
            Le => (int(i64::MIN, y.hi)?, int(x.lo, i64::MAX)?),
            Gt => (int(y.lo.checked_add(1)?, i64::MAX)?, int(i64::MIN, x.hi.checked_sub(1)?)?),
            Ge => (int(y.lo, i64::MAX)?, int(i64::MIN, x.hi)?),
            Eq => (b, a),
            _ => (Known::Int(without(x, y)?), Known::Int(without(y, x)?)),
        },
        (Known::Real(xl, xh), Known::Real(yl, yh)) => match op {
            Lt | Le => (Known::real(f64::NEG_INFINITY, yh), Known::real(xl, f64::INFINITY)),
            Gt | Ge => (Known::real(yl, f64::INFINITY), Known::real(f64::NEG_INFINITY, xh)),
            Eq => (b, a),
            _ => (a, b),
        },
        (Known::Bool(..), Known::Bool(..)) => match op {
            Eq => (b, a),
            Ne => (known::unary(UnaryOp::Not, b, Type::Bool), known::unary(UnaryOp::Not, a, Type::Bool)),
            _ => (a, b),
        },
        _ => (a, b),
    })
}

/// `x` without the value of `y`, if `y` is a single value at an end of `x`.
fn without(x: Interval, y: Interval) -> Option<Interval> {
    match y.lo == y.hi {
        true if x.lo == y.lo => Interval::new(x.lo.checked_add(1)?, x.hi),
        true if x.hi == y.lo => Interval::new(x.lo, x.hi.checked_sub(1)?),
        _ => Some(x),
    }
}

//! Runs the code of guards, values and effects.
//!
//! A [`Store`] provides the cells. It is either the memory of a run, which also records accesses, or the
//! values that a step has read, with some replaced by values that another schedule may give them.

use crate::code::{Cells, Op, Whose};
use crate::value::{Nest, Undecided, Value};
use volvelle_kernel::interp;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Site, Type, UnaryOp};
use volvelle_model::PoolId;

/// Limit of backward jumps in one piece of code.
const MOST_ROUNDS: u32 = 1 << 14;

/// Why code stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A decision is not the same in all iterations of a loop.
    Undecided,
    /// A site fails.
    Failed(Site),
    /// A slot or an element does not exist.
    OutOfBounds,
    /// A cell whose value is not known.
    Unknown,
    /// A loop within one step exceeds [`MOST_ROUNDS`].
    Limit,
}

impl From<Undecided> for Stop {
    fn from(_: Undecided) -> Self {
        Stop::Undecided
    }
}

/// Where cells are read and written.
pub trait Store {
    /// The value of a cell.
    fn read(&mut self, cell: u32) -> Result<Value, Stop>;
    /// Changes a cell.
    fn write(&mut self, cell: u32, value: Value);
    /// The first cell of a slot.
    fn base(&mut self, pool: PoolId, slot: i64) -> Option<u32>;
}

/// The state of evaluation besides cells.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Temporaries of the step.
    pub temporaries: Vec<Value>,
    /// The values of the message that is exchanged.
    pub offered: Vec<Value>,
    /// The slot of the moving process.
    pub mover: i64,
    /// The first cell of the moving process.
    pub own: u32,
    /// Whether the step is a `timeout`.
    pub is_timeout: bool,
    /// The operand stack.
    pub stack: Vec<Value>,
}

impl Frame {
    /// Runs code. Returns the top of the stack at the end, or 0 if it is empty.
    pub fn run(&mut self, code: &[Op], store: &mut impl Store, nest: &mut Nest) -> Result<Value, Stop> {
        self.stack.clear();
        let (mut at, mut rounds) = (0, 0);
        while let Some(&op) = code.get(at) {
            at += 1;
            match op {
                Op::Constant(value) => self.stack.push(Value::constant(value)),
                Op::Temporary(t) => self.stack.push(self.temporaries[t as usize]),
                Op::Offered(k) => {
                    let value = self.offered.get(k as usize).copied().unwrap_or(Value::constant(0));
                    self.stack.push(value);
                }
                Op::Mover => self.stack.push(Value::constant(self.mover)),
                Op::Timeout => self.stack.push(Value::constant(i64::from(self.is_timeout))),
                Op::SetTemporary(t) => self.temporaries[t as usize] = self.pop(),
                Op::Load(cells) => {
                    let cell = self.cell(&cells, store)?;
                    let value = store.read(cell)?;
                    self.stack.push(value);
                }
                Op::Store(cells) => {
                    let value = self.pop();
                    let cell = self.cell(&cells, store)?;
                    store.write(cell, value);
                }
                Op::JumpIfFalse(target) => {
                    let cond = self.pop().as_constant().ok_or(Stop::Undecided)?;
                    if cond == 0 {
                        at = target as usize;
                    }
                }
                Op::Jump(target) => {
                    rounds += u32::from((target as usize) < at);
                    if rounds > MOST_ROUNDS {
                        return Err(Stop::Limit);
                    }
                    at = target as usize;
                }
                Op::Fail(site) => return Err(Stop::Failed(site)),
                Op::Unary(op, ty) => {
                    let arg = self.pop();
                    self.stack.push(unary(op, ty, arg)?);
                }
                Op::Binary(op, ty) => {
                    let (rhs, lhs) = (self.pop(), self.pop());
                    self.stack.push(binary(op, ty, lhs, rhs, nest)?);
                }
                Op::Checked(op, ty, site) => {
                    let (rhs, lhs) = (self.pop(), self.pop());
                    self.stack.push(checked(op, ty, lhs, rhs, site, nest)?);
                }
                Op::Convert(from, to) => {
                    let arg = self.pop();
                    self.stack.push(convert(from, to, arg, nest)?);
                }
                Op::CheckedConvert(from, to, site) => {
                    let arg = self.pop().as_constant().ok_or(Stop::Undecided)?;
                    let value = interp::checked_convert(to, constant(from, arg)).ok_or(Stop::Failed(site))?;
                    self.stack.push(Value::constant(value.bits as i64));
                }
                Op::Range(ty, lo, hi, site) => {
                    let arg = self.pop();
                    if !in_range(ty, &arg, lo, hi, nest)? {
                        return Err(Stop::Failed(site));
                    }
                    self.stack.push(arg);
                }
                Op::MulAdd(ty) => {
                    let (z, y, x) = (self.pop(), self.pop(), self.pop());
                    let (Some(x), Some(y), Some(z)) = (x.as_constant(), y.as_constant(), z.as_constant())
                    else {
                        return Err(Stop::Undecided);
                    };
                    let value = interp::mul_add(constant(ty, x), constant(ty, y), constant(ty, z));
                    self.stack.push(Value::constant(value.bits as i64));
                }
                Op::Math(f) => {
                    let (y, x) = (self.pop(), self.pop());
                    let (Some(x), Some(y)) = (x.as_constant(), y.as_constant()) else {
                        return Err(Stop::Undecided);
                    };
                    let value = interp::math(f, constant(Type::F64, x), constant(Type::F64, y));
                    self.stack.push(Value::constant(value.bits as i64));
                }
            }
        }
        Ok(self.stack.pop().unwrap_or(Value::constant(0)))
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::constant(0))
    }

    fn cell(&mut self, cells: &Cells, store: &mut impl Store) -> Result<u32, Stop> {
        let mut element = 0;
        if cells.is_indexed {
            element = self.pop().as_constant().ok_or(Stop::Undecided)?;
        }
        let first = match cells.home {
            Whose::Global => 0,
            Whose::Own => self.own,
            Whose::Slot(pool) => {
                let slot = self.pop().as_constant().ok_or(Stop::Undecided)?;
                store.base(pool, slot).ok_or(Stop::OutOfBounds)?
            }
        };
        if element < 0 || element >= i64::from(cells.length) {
            return Err(Stop::OutOfBounds);
        }
        Ok(first + cells.offset + element as u32)
    }
}

fn constant(ty: Type, bits: i64) -> Const {
    Const { ty, bits: bits as u64 }
}

fn unary(op: UnaryOp, ty: Type, arg: Value) -> Result<Value, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(Value::constant(interp::unary(op, constant(ty, value)).bits as i64));
    }
    match (op, ty) {
        (UnaryOp::Neg, Type::I64) => Ok(arg.times(-1)?),
        _ => Err(Stop::Undecided),
    }
}

fn binary(op: BinaryOp, ty: Type, lhs: Value, rhs: Value, nest: &mut Nest) -> Result<Value, Stop> {
    if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
        return Ok(Value::constant(interp::binary(op, constant(ty, a), constant(ty, b)).bits as i64));
    }
    let truth = |value: bool| Value::constant(i64::from(value));
    // Signed and unsigned order agree where no number has the highest bit.
    if ty == Type::U64 {
        if nest.is_negative(&lhs)? || nest.is_negative(&rhs)? {
            return Err(Stop::Undecided);
        }
    } else if ty != Type::I64 {
        return Err(Stop::Undecided);
    }
    Ok(match op {
        BinaryOp::Add => lhs.plus(rhs)?,
        BinaryOp::Sub if ty == Type::I64 => lhs.minus(rhs)?,
        BinaryOp::Mul => match (lhs.as_constant(), rhs.as_constant()) {
            (Some(factor), _) => rhs.times(factor)?,
            (_, Some(factor)) => lhs.times(factor)?,
            _ => return Err(Stop::Undecided),
        },
        BinaryOp::Shl => match rhs.as_constant() {
            Some(by @ 0..=61) => lhs.times(1 << by)?,
            _ => return Err(Stop::Undecided),
        },
        BinaryOp::Lt => truth(nest.is_less(&lhs, &rhs)?),
        BinaryOp::Le => truth(!nest.is_less(&rhs, &lhs)?),
        BinaryOp::Gt => truth(nest.is_less(&rhs, &lhs)?),
        BinaryOp::Ge => truth(!nest.is_less(&lhs, &rhs)?),
        BinaryOp::Eq => truth(nest.are_equal(&lhs, &rhs)?),
        BinaryOp::Ne => truth(!nest.are_equal(&lhs, &rhs)?),
        BinaryOp::Min => {
            if nest.is_less(&rhs, &lhs)? {
                rhs
            } else {
                lhs
            }
        }
        BinaryOp::Max => {
            if nest.is_less(&lhs, &rhs)? {
                rhs
            } else {
                lhs
            }
        }
        _ => return Err(Stop::Undecided),
    })
}

fn checked(
    op: CheckedOp,
    ty: Type,
    lhs: Value,
    rhs: Value,
    site: Site,
    nest: &mut Nest,
) -> Result<Value, Stop> {
    if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
        let value = interp::checked(op, constant(ty, a), constant(ty, b)).ok_or(Stop::Failed(site))?;
        return Ok(Value::constant(value.bits as i64));
    }
    if ty != Type::I64 {
        return Err(Stop::Undecided);
    }
    Ok(match op {
        // An affine value stays within its ends over all iterations, and both ends fit an `i64`.
        CheckedOp::Add => lhs.plus(rhs)?,
        CheckedOp::Sub => lhs.minus(rhs)?,
        CheckedOp::Mul => match (lhs.as_constant(), rhs.as_constant()) {
            (Some(factor), _) => rhs.times(factor)?,
            (_, Some(factor)) => lhs.times(factor)?,
            _ => return Err(Stop::Undecided),
        },
        CheckedOp::Div | CheckedOp::Rem | CheckedOp::Mod => {
            let Some(divisor) = rhs.as_constant().filter(|&d| d > 0) else { return Err(Stop::Undecided) };
            // The quotient is affine only if each iteration changes the dividend by a multiple of the
            // divisor, without a change of sign.
            if lhs.slopes.iter().any(|slope| slope % divisor != 0) || nest.is_negative(&lhs)? {
                return Err(Stop::Undecided);
            }
            match op {
                CheckedOp::Div => {
                    let mut quotient = lhs;
                    quotient.base /= divisor;
                    quotient.slopes.iter_mut().for_each(|slope| *slope /= divisor);
                    quotient
                }
                _ => Value::constant(lhs.base % divisor),
            }
        }
        CheckedOp::Pow => return Err(Stop::Undecided),
    })
}

fn convert(from: Type, to: Type, arg: Value, nest: &mut Nest) -> Result<Value, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(Value::constant(interp::convert(to, constant(from, value)).bits as i64));
    }
    if !from.is_int() {
        return Err(Stop::Undecided);
    }
    let (lo, hi) = match (to, to.limits()) {
        (Type::Bool, _) => {
            let is_zero = nest.is_zero(&arg)?;
            return Ok(Value::constant(i64::from(!is_zero)));
        }
        (Type::I64 | Type::U64, _) if from == to => return Ok(arg),
        (Type::I64 | Type::U64, _) => (0, i64::MAX),
        (_, Some(limits)) => limits,
        (_, None) => return Err(Stop::Undecided),
    };
    if in_range(Type::I64, &arg, lo, hi, nest)? { Ok(arg) } else { Err(Stop::Undecided) }
}

fn in_range(ty: Type, arg: &Value, lo: i64, hi: i64, nest: &mut Nest) -> Result<bool, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(interp::in_range(constant(ty, value), lo, hi));
    }
    let below = nest.is_less(arg, &Value::constant(lo))?;
    let above = hi != i64::MAX && nest.is_less(&Value::constant(hi), arg)?;
    Ok(!below && !above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation on affine values gives, for each iteration, the result of the operation on the values of
    /// that iteration.
    #[test]
    fn affine_operations_are_those_of_each_iteration() {
        let at = |value: &Value, k: i64| value.base + value.slopes[0] * k;
        let mut decided = 0;
        for (a, b) in (-6..7).flat_map(|a| (-6..7).map(move |b| (a, b))) {
            for (s, t) in [(0, 1), (1, 0), (1, 1), (2, -1), (-1, 0), (3, 3), (-2, 4)] {
                let x = Value::constant(a).with_slope(0, s);
                let y = Value::constant(b).with_slope(0, t);
                for op in BinaryOp::ALL {
                    let mut nest = Nest::open();
                    if op == BinaryOp::Div {
                        continue;
                    }
                    let Ok(result) = binary(op, Type::I64, x, y, &mut nest) else { continue };
                    decided += 1;
                    for k in 0..=nest.limit.min(9) {
                        let each = interp::binary(op, Const::i64(at(&x, k)), Const::i64(at(&y, k)));
                        assert_eq!(at(&result, k), each.bits as i64, "{op:?} {x:?} {y:?} {k}");
                    }
                }
                for op in [CheckedOp::Div, CheckedOp::Rem, CheckedOp::Mod, CheckedOp::Mul, CheckedOp::Sub] {
                    let mut nest = Nest::open();
                    let Ok(result) = checked(op, Type::I64, x, y, Site(0), &mut nest) else { continue };
                    for k in 0..=nest.limit.min(9) {
                        let each = interp::checked(op, Const::i64(at(&x, k)), Const::i64(at(&y, k)));
                        assert_eq!(
                            Some(at(&result, k)),
                            each.map(|c| c.bits as i64),
                            "{op:?} {x:?} {y:?} {k}"
                        );
                    }
                }
            }
        }
        assert!(decided > 5_000, "{decided}");
    }
}

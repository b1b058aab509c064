//! Runs the code of guards, values and effects.
//!
//! A [`Store`] provides the cells. It is either the memory of a run, which also records accesses, or the
//! values that a step has read, with some replaced by values that another schedule may give them.

use crate::affine::{Stop, binary, checked, constant, convert, in_range, unary};
use crate::code::{Cells, Op, Whose};
use crate::value::{Nest, Value};
use volvelle_kernel::{Type, interp};
use volvelle_model::PoolId;

/// Limit of backward jumps in one piece of code.
const MOST_ROUNDS: u32 = 1 << 14;

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

//! The value of an expression of a process in a packed state: for showing steps, one at a time.
//!
//! The slow and obvious way: no code is made, all operands are evaluated, and an expression that fails has no value.

use volvelle_kernel::{Const, ExprId, Node, Type, interp};
use volvelle_model::{FieldId, NetworkLayout, Place, Program};

/// Where expressions are evaluated.
pub(super) struct Evaluation<'a> {
    pub program: &'a Program,
    pub layout: &'a NetworkLayout,
    /// Packed.
    pub state: &'a [u64],
    /// The process that moves.
    pub slot: usize,
    /// Values that another process offers.
    pub offered: &'a [i64],
}

impl Evaluation<'_> {
    /// The value; `None` where evaluating fails, or reads what only the inside of a step knows.
    pub fn value(&self, root: ExprId) -> Option<Const> {
        let exprs = &self.program.exprs;
        // Children have smaller ids than their parents: the needed ones in that order need no recursion.
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for id in (0..=root.index()).rev().filter_map(|i| u32::try_from(i).ok()).map(ExprId) {
            if needed[id.index()] {
                self.program.each_operand(&exprs.node(id), |child| needed[child.index()] = true);
            }
        }
        let mut values: Vec<Option<Const>> = vec![None; root.index() + 1];
        for id in exprs.ids().take(root.index() + 1) {
            if needed[id.index()] {
                values[id.index()] = self.node(exprs.node(id), &values);
            }
        }
        values[root.index()]
    }

    /// The same for a number.
    pub fn number(&self, root: ExprId) -> Option<i64> {
        self.value(root)?.as_i64()
    }

    /// The same for a condition.
    pub fn holds(&self, root: ExprId) -> Option<bool> {
        self.value(root)?.as_bool()
    }

    fn node(&self, node: Node, values: &[Option<Const>]) -> Option<Const> {
        let at = |id: ExprId| values[id.index()];
        match node {
            Node::Const(value) => Some(value),
            Node::Local(local, ty) => self.read(self.program.place(local), 0, values).map(|v| of_type(ty, v)),
            Node::Load { buffer, ty, index } => {
                let index = at(index)?.bits;
                self.read(self.program.place(buffer), index, values).map(|v| of_type(ty, v))
            }
            Node::Len(_) => None,
            Node::Unary { op, arg } => Some(interp::unary(op, at(arg)?)),
            Node::Binary { op, lhs, rhs } => Some(interp::binary(op, at(lhs)?, at(rhs)?)),
            Node::Checked { op, lhs, rhs, .. } => interp::checked(op, at(lhs)?, at(rhs)?),
            Node::Convert { to, arg } => Some(interp::convert(to, at(arg)?)),
            Node::Reinterpret { to, arg } => Some(interp::reinterpret(to, at(arg)?)),
            Node::CheckedConvert { to, arg, .. } => interp::checked_convert(to, at(arg)?),
            Node::Range { arg, lo, hi, .. } => at(arg).filter(|&v| interp::in_range(v, lo, hi)),
            Node::Select { cond, yes, no } => at(if at(cond)?.as_bool()? { yes } else { no }),
            Node::And { lhs, rhs } => {
                if at(lhs)?.as_bool()? {
                    at(rhs)
                } else {
                    at(lhs)
                }
            }
            Node::Or { lhs, rhs } => {
                if at(lhs)?.as_bool()? {
                    at(lhs)
                } else {
                    at(rhs)
                }
            }
            Node::Math { f, args } => Some(interp::math(f, at(args[0])?, at(args[1])?)),
            Node::MulAdd { args: [x, y, z] } => Some(interp::mul_add(at(x)?, at(y)?, at(z)?)),
        }
    }

    /// The value in a place; of an array, that of an element.
    fn read(&self, place: Place, element: u64, values: &[Option<Const>]) -> Option<i64> {
        let element = usize::try_from(element).ok()?;
        match place {
            Place::Field(field) => self.field(field, self.slot, element),
            Place::Slot { slot, field, .. } => {
                let slot = usize::try_from(values[slot.index()]?.as_i64()?).ok()?;
                self.field(field, slot, element)
            }
            Place::Mover => Some(self.slot as i64),
            Place::Offered(number) => self.offered.get(number as usize).copied(),
            _ => None,
        }
    }

    fn field(&self, field: FieldId, slot: usize, element: usize) -> Option<i64> {
        let is_there = self.layout.place(field).pool.is_none() || self.layout.has(field, slot);
        let length = self.program.fields[field.index()].length as usize;
        (is_there && element < length).then(|| self.layout.get(self.state, field, slot, element))
    }
}

fn of_type(ty: Type, value: i64) -> Const {
    if ty == Type::Bool { Const::bool(value != 0) } else { Const::int(ty, value) }
}

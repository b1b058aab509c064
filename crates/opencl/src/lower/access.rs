//! Accesses to memory: their address space, and the distance between those of neighbours.

use super::{Lowerer, Space, Value};
use crate::expression::{Expr, Op, add, mul};
use crate::kernel::{Access, Touch};
use tree_sitter::Node as Syntax;

/// The direction of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
    Both,
}

impl Lowerer<'_> {
    /// The place that a subscript or a dereference names.
    pub(super) fn place(&mut self, node: Syntax<'_>) -> Value {
        match node.kind() {
            "subscript_expression" => {
                let base = node.child_by_field_name("argument").map(|base| self.pointer(base));
                let index = node.child_by_field_name("index").map(|index| self.expression(index));
                self.advance(base.unwrap_or(Value::Data), index.unwrap_or(Value::Data), true)
            }
            "pointer_expression" => {
                node.child_by_field_name("argument").map_or(Value::Data, |inner| self.pointer(inner))
            }
            "field_expression" => {
                node.child_by_field_name("argument").map_or(Value::Data, |inner| self.place(inner))
            }
            "parenthesized_expression" => node.named_child(0).map_or(Value::Data, |inner| self.place(inner)),
            _ => self.expression(node),
        }
    }

    /// The variable of which an expression is a component, if it is not in memory: `v.x`, `s.position.y`.
    pub(super) fn component<'n>(&self, mut node: Syntax<'n>) -> Option<Syntax<'n>> {
        let mut is_component = false;
        loop {
            node = match node.kind() {
                "field_expression" => {
                    is_component = true;
                    node.child_by_field_name("argument")?
                }
                "parenthesized_expression" => node.named_child(0)?,
                "identifier" if is_component => {
                    let is_pointer =
                        matches!(self.lookup(self.code(node)), Some(Value::Pointer { .. }) | None);
                    return (!is_pointer).then_some(node);
                }
                _ => return None,
            }
        }
    }

    /// An expression whose value is a pointer. An array with missing dimensions is an address: nothing is
    /// loaded.
    fn pointer(&mut self, node: Syntax<'_>) -> Value {
        if node.kind() == "subscript_expression" {
            let place = self.place(node);
            if matches!(&place, Value::Pointer { inner, .. } if !inner.is_empty()) || self.is_row(node) {
                return place;
            }
            self.access(node, &place, Direction::Load);
            return Value::Data;
        }
        self.expression(node)
    }

    /// Whether a subscript names a row of an array of two or more dimensions.
    fn is_row(&self, node: Syntax<'_>) -> bool {
        let mut base = node;
        let mut subscripts = 0;
        while base.kind() == "subscript_expression" {
            subscripts += 1;
            match base.child_by_field_name("argument") {
                Some(inner) => base = inner,
                None => return false,
            }
        }
        match self.lookup(self.code(base)) {
            Some(Value::Pointer { inner, .. }) => subscripts <= inner.len(),
            _ => false,
        }
    }

    /// A pointer some elements further; a subscript takes away a dimension.
    pub(super) fn advance(&mut self, base: Value, by: Value, is_subscript: bool) -> Value {
        let Value::Pointer { space, bytes, offset, mut inner } = base else { return Value::Data };
        let width = inner.iter().cloned().fold(Expr::Int(1), mul);
        if is_subscript && !inner.is_empty() {
            inner.remove(0);
        }
        let offset = match (offset, by) {
            (Some(offset), Value::Int(by)) => Some(add(offset, mul(by, width))),
            _ => None,
        };
        let offset = offset.filter(|offset| !offset.is_too_deep());
        Value::Pointer { space, bytes, offset, inner }
    }

    /// Charges an access.
    pub(super) fn access(&mut self, node: Syntax<'_>, place: &Value, direction: Direction) {
        let Value::Pointer { space, bytes, offset, .. } = place else {
            let help = "give the time of the statement: `// volvelle: cost = 4`";
            return self.refuse(node, "this access to memory goes through an unknown pointer", help);
        };
        let count = if direction == Direction::Both { 2 } else { 1 };
        let is_private = *space == Space::Private;
        let touch = Touch { bytes: *bytes, is_private, offset: offset.clone() };
        self.charge.touches.extend(std::iter::repeat_n(touch, count as usize));
        match space {
            Space::Local | Space::Constant => self.charge.local += count,
            Space::Private => self.charge.private += count,
            Space::Global => {
                let strides = offset
                    .as_ref()
                    .and_then(|offset| Some([stride(offset, 0)?, stride(offset, 1)?, stride(offset, 2)?]));
                let access = Access { bytes: *bytes, strides };
                if direction != Direction::Store {
                    self.charge.loads.push(access.clone());
                }
                if direction != Direction::Load {
                    self.charge.stores.push(access);
                }
            }
        }
    }
}

/// How much an index grows from one work-item to the next in a dimension, if that is the same for all.
fn stride(expr: &Expr, dimension: u8) -> Option<Expr> {
    let depends = expr.dependence();
    if !depends.local {
        return Some(Expr::Int(0));
    }
    match expr {
        Expr::Local(of) => Some(Expr::Int(i64::from(*of == dimension))),
        Expr::Binary(op, both, _) => {
            let (a, b) = (stride(&both.0, dimension)?, stride(&both.1, dimension)?);
            let fixed = |expr: &Expr| !expr.dependence().local;
            match op {
                Op::Add => Some(add(a, b)),
                Op::Sub => Some(Expr::binary(Op::Sub, a, b)),
                Op::Mul if fixed(&both.1) => Some(mul(a, both.1.clone())),
                Op::Mul if fixed(&both.0) => Some(mul(both.0.clone(), b)),
                Op::Shl if fixed(&both.1) => Some(Expr::binary(Op::Shl, a, both.1.clone())),
                _ => None,
            }
        }
        Expr::Choose(all, _) if !all.0.dependence().local => {
            let (a, b) = (stride(&all.1, dimension)?, stride(&all.2, dimension)?);
            (a == b).then_some(a)
        }
        _ => None,
    }
}

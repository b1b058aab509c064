//! The value of an expression of a program in packed states.
//!
//! Goals, costs and parameters are expressions over global fields. Most are a single field, which is read
//! directly. Others are evaluated node by node: children have smaller numbers than their parents, so
//! evaluation in the order of numbers needs no recursion.

use volvelle_kernel::{Const, ExprId, Node, Type, interp};
use volvelle_model::{FieldId, NetworkLayout, Place, Program};

/// An expression, prepared for evaluation in many states.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    root: Root,
}

#[derive(Clone, Debug)]
enum Root {
    /// The first element of a global field.
    Field(FieldId),
    /// Nodes with the numbers of their operands in this list; the last is the root.
    Nodes { ids: Vec<ExprId>, nodes: Vec<Node> },
}

impl Expression {
    /// Prepares an expression. `None` if it reads something that is not in states.
    pub fn new(program: &Program, root: ExprId) -> Option<Self> {
        let exprs = &program.exprs;
        if let Node::Local(local, _) = exprs.node(root)
            && let Place::Field(field) = program.place(local)
        {
            let is_global = program.fields[field.index()].component.is_none();
            return is_global.then_some(Expression { root: Root::Field(field) });
        }
        let ids = program.needed([root]);
        let nodes: Vec<Node> = ids.iter().map(|&id| exprs.node(id)).collect();
        let is_known = |node: &Node| match program.place_read(node) {
            None => !matches!(node, Node::Len(_)),
            Some(Place::Field(field)) => program.fields[field.index()].component.is_none(),
            Some(Place::Slot { .. }) => true,
            Some(_) => false,
        };
        nodes.iter().all(is_known).then_some(Expression { root: Root::Nodes { ids, nodes } })
    }

    /// Its value; `None` where evaluating fails. Truth values are 0 and 1.
    pub fn value(&self, program: &Program, layout: &NetworkLayout, state: &[u64]) -> Option<i64> {
        match &self.root {
            Root::Field(field) => Some(layout.get(state, *field, 0, 0)),
            Root::Nodes { ids, nodes } => {
                let mut values: Vec<Option<Const>> = Vec::with_capacity(nodes.len());
                for &node in nodes {
                    let value = Evaluation { program, layout, state, ids, values: &values }.node(node);
                    values.push(value);
                }
                let value = (*values.last()?)?;
                if value.ty == Type::Bool { value.as_bool().map(i64::from) } else { value.as_i64() }
            }
        }
    }
}

struct Evaluation<'a> {
    program: &'a Program,
    layout: &'a NetworkLayout,
    state: &'a [u64],
    ids: &'a [ExprId],
    values: &'a [Option<Const>],
}

impl Evaluation<'_> {
    fn at(&self, id: ExprId) -> Option<Const> {
        self.values[self.ids.binary_search(&id).ok()?]
    }

    fn node(&self, node: Node) -> Option<Const> {
        match node {
            Node::Const(value) => Some(value),
            Node::Local(local, ty) => self.read(self.program.place(local), 0).map(|v| of_type(ty, v)),
            Node::Load { buffer, ty, index } => {
                let index = self.at(index)?.bits;
                self.read(self.program.place(buffer), index).map(|v| of_type(ty, v))
            }
            Node::Len(_) => None,
            Node::Unary { op, arg } => Some(interp::unary(op, self.at(arg)?)),
            Node::Binary { op, lhs, rhs } => Some(interp::binary(op, self.at(lhs)?, self.at(rhs)?)),
            Node::Checked { op, lhs, rhs, .. } => interp::checked(op, self.at(lhs)?, self.at(rhs)?),
            Node::Convert { to, arg } => Some(interp::convert(to, self.at(arg)?)),
            Node::Reinterpret { to, arg } => Some(interp::reinterpret(to, self.at(arg)?)),
            Node::CheckedConvert { to, arg, .. } => interp::checked_convert(to, self.at(arg)?),
            Node::Range { arg, lo, hi, .. } => self.at(arg).filter(|&v| interp::in_range(v, lo, hi)),
            Node::Select { cond, yes, no } => self.at(if self.at(cond)?.as_bool()? { yes } else { no }),
            Node::And { lhs, rhs } => self.at(if self.at(lhs)?.as_bool()? { rhs } else { lhs }),
            Node::Or { lhs, rhs } => self.at(if self.at(lhs)?.as_bool()? { lhs } else { rhs }),
            Node::Math { f, args } => Some(interp::math(f, self.at(args[0])?, self.at(args[1])?)),
            Node::MulAdd { args: [x, y, z] } => Some(interp::mul_add(self.at(x)?, self.at(y)?, self.at(z)?)),
        }
    }

    fn read(&self, place: Place, element: u64) -> Option<i64> {
        let element = usize::try_from(element).ok()?;
        let (field, slot) = match place {
            Place::Field(field) => (field, 0),
            Place::Slot { slot, field, .. } => {
                let slot = usize::try_from(self.at(slot)?.as_i64()?).ok()?;
                (field, slot)
            }
            _ => return None,
        };
        let is_there = self.layout.place(field).pool.is_none() || self.layout.has(field, slot);
        let length = self.program.fields[field.index()].length as usize;
        (is_there && element < length).then(|| self.layout.get(self.state, field, slot, element))
    }
}

fn of_type(ty: Type, value: i64) -> Const {
    if ty == Type::Bool { Const::bool(value != 0) } else { Const::int(ty, value) }
}

//! The question about a program.

use volvelle_kernel::{ExprId, Node};
use volvelle_model::{FieldId, Place, Program};

/// The question: the least cost of a state in which the goal holds, for all values of the parameters.
#[derive(Clone, Debug)]
pub struct Question {
    /// `bool`
    pub goal: ExprId,
    /// `i64`; no step may decrease it.
    pub cost: ExprId,
    /// `i64` or `bool`: global variables, or elements of them at constant indices ([`Question::field`]).
    pub parameters: Vec<ExprId>,
}

impl Question {
    /// The global field that a parameter is, or an element of; `None` for other expressions.
    pub fn field(program: &Program, parameter: ExprId) -> Option<FieldId> {
        let exprs = &program.exprs;
        let node = match exprs.node(parameter) {
            // A truth value converted to a number.
            Node::Convert { arg, .. } => exprs.node(arg),
            node => node,
        };
        let place = match node {
            Node::Local(local, _) => program.place(local),
            Node::Load { buffer, index, .. } if exprs.as_const(index).is_some() => program.place(buffer),
            _ => return None,
        };
        match place {
            Place::Field(field) if program.fields[field.index()].component.is_none() => Some(field),
            _ => None,
        }
    }
}

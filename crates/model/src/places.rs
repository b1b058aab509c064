//! Places: everything that expressions and effects of a program read and write.
//!
//! Expressions of a program are expressions of the kernel IR. In them, a local or a buffer is the number of a
//! place ([`PlaceId`]), which [`Program::place`](crate::Program::place) looks up. Kernels generated from the
//! program access the packed state instead. [`Node::Local`](volvelle_kernel::Node::Local) reads a scalar
//! place, and [`Node::Load`](volvelle_kernel::Node::Load) an element of an array; [`Stmt::Set`] and
//! [`Stmt::Store`] write them.
//!
//! A place may depend on an expression: the slot of [`Place::Slot`]. The node that reads the place does not
//! show this operand. Therefore traversals of a program's expressions use
//! [`Program::each_operand`](crate::Program::each_operand) and
//! [`Program::reachable`](crate::Program::reachable), not those of [`Exprs`](volvelle_kernel::Exprs).
//!
//! The place of a field has the number of the field. Programs without processes write no other places, so a
//! kernel whose first locals are the fields uses their expressions unchanged.

use crate::ids::{ComponentId, FieldId, FunctionId, PlaceId, PoolId, TemporaryId};
use rustc_hash::FxHashMap;
use volvelle_kernel::{Block, ExprId, Stmt};

/// The first number of a place that is not a field.
const FIRST_OTHER: u32 = 1 << 30;

/// Something that a step reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A field: global, or of the instance that moves.
    Field(FieldId),
    /// A field of the instance in some slot.
    Slot {
        /// The pool.
        pool: PoolId,
        /// `i64`: the number of the slot.
        slot: ExprId,
        /// A field of the pool's header or of one of its members.
        field: FieldId,
    },
    /// A temporary: a variable that exists within one step.
    Temporary(TemporaryId),
    /// The n-th value that the participants of the step exchange, from 0 (`i64`; truth values are 0 and 1):
    /// the one that an instance receives, or on which all participants agree.
    Offered(u32),
    /// The slot of the instance that moves (`i64`).
    Mover,
    /// Whether no other step is possible (`bool`).
    Timeout,
    /// For labels: whether some step is possible while no process is at a progress location (`bool`).
    NoProgress,
    /// The value (`i64`) that a `Fail` at a site of subject [`SiteSubject::Note`](crate::SiteSubject) reports.
    Noted,
    /// The bits for which a slot has room (`u64`); 0 beyond the last.
    Room {
        /// The pool.
        pool: PoolId,
        /// `i64`: the number of the slot.
        slot: ExprId,
    },
    /// The bits that an instance of a component takes (`u64`).
    Size(ComponentId),
    /// The known results of a function (`i64`): a [`Table`](crate::tables::Table), which only
    /// [`Program::apply`](crate::Program::apply) reads.
    Table(FunctionId),
    /// A number (`f64` or `i64`) whose value is given when a kernel runs ([`crate::Parametric`]).
    Parameter(u32),
}

impl Place {
    /// The expression that chooses the slot.
    pub fn slot(self) -> Option<ExprId> {
        match self {
            Place::Slot { slot, .. } | Place::Room { slot, .. } => Some(slot),
            _ => None,
        }
    }

    /// The field, of the moving instance or of any other.
    pub fn field(self) -> Option<FieldId> {
        match self {
            Place::Field(field) | Place::Slot { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// The places of a program that are not fields, each once.
#[derive(Clone, Debug, Default)]
pub struct Places {
    others: Vec<Place>,
    numbers: FxHashMap<Place, PlaceId>,
}

impl PartialEq for Places {
    fn eq(&self, other: &Self) -> bool {
        self.others == other.others
    }
}

impl Places {
    /// Whether some expression or effect reads or writes a place.
    pub fn contains(&self, place: Place) -> bool {
        matches!(place, Place::Field(_)) || self.numbers.contains_key(&place)
    }

    /// The place of a number.
    pub fn get(&self, place: impl Into<PlaceId>) -> Place {
        let PlaceId(number) = place.into();
        match number.checked_sub(FIRST_OTHER) {
            None => Place::Field(FieldId(number)),
            Some(other) => self.others[other as usize],
        }
    }

    /// The number of a place. A new place gets a new number.
    pub fn id(&mut self, place: Place) -> PlaceId {
        if let Place::Field(FieldId(number)) = place {
            return PlaceId(number);
        }
        *self.numbers.entry(place).or_insert_with(|| {
            self.others.push(place);
            PlaceId(FIRST_OTHER + self.others.len() as u32 - 1)
        })
    }
}

/// Calls `f` for every place that an effect writes, and whether it is an element of an array. Recursion is as
/// deep as blocks nest, which front ends limit.
pub fn each_write(block: &Block, f: &mut impl FnMut(PlaceId, bool)) {
    for statement in block {
        match statement {
            Stmt::Set { local, .. } => f((*local).into(), false),
            Stmt::Store { buffer, .. } => f((*buffer).into(), true),
            Stmt::If { then, otherwise, .. } => {
                each_write(then, f);
                each_write(otherwise, f);
            }
            Stmt::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, block)| each_write(block, f));
                each_write(default, f);
            }
            Stmt::For { body, .. } => each_write(body, f),
            Stmt::Machine { blocks, .. } => blocks.iter().for_each(|block| each_write(block, f)),
            _ => {}
        }
    }
}

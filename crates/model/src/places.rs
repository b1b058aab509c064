//! Places: the things that expressions and effects of a program read and write.
//!
//! Expressions of a program are expressions of the kernel IR. A local or a buffer in them is the number of a place
//! ([`PlaceId`]), which [`Program::place`](crate::Program::place) looks up; kernels that are made from the program put accesses to the packed state
//! in its stead. [`Node::Local`](volvelle_kernel::Node::Local) reads a place that is a scalar; [`Node::Load`](volvelle_kernel::Node::Load) reads an element of one that is an array,
//! and [`Stmt::Set`] and [`Stmt::Store`] write them.
//!
//! A place may be chosen by an expression (the slot of [`Place::Slot`]), which the node that reads it does not show:
//! traversals of a program's expressions use [`Program::each_operand`](crate::Program::each_operand) and [`Program::reachable`](crate::Program::reachable), and not those of
//! [`Exprs`](volvelle_kernel::Exprs).
//!
//! The place of a field has the number of the field. Programs without processes have no other places to write, so that a
//! kernel whose first locals are the fields takes their expressions as they are.

use crate::ids::{ComponentId, FieldId, FunctionId, PlaceId, PoolId, TemporaryId};
use rustc_hash::FxHashMap;
use volvelle_kernel::{Block, ExprId, Stmt};

/// The number of the first place that is no field.
const FIRST_OTHER: u32 = 1 << 30;

/// Something that a step reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A field: of the state, or of the instance that moves.
    Field(FieldId),
    /// A field of the instance in some slot.
    Slot {
        /// The pool.
        pool: PoolId,
        /// `i64`: which slot.
        slot: ExprId,
        /// A field of the pool's header or of one of its members.
        field: FieldId,
    },
    /// A variable of the step, with the value that the step gives it.
    Temporary(TemporaryId),
    /// A value (`i64`; truth values are 0 and 1) that the participants of the step exchange, counted from 0: what an instance is given, or what all
    /// participants agree on.
    Offered(u32),
    /// The slot of the instance that moves (`i64`).
    Mover,
    /// Whether nothing else can move (`bool`).
    Timeout,
    /// For labels: whether something can move while no process is at a progress location (`bool`).
    NoProgress,
    /// The value (`i64`) that a `Fail` at a site of subject [`SiteSubject::Note`](crate::SiteSubject) reports.
    Noted,
    /// The bits that a slot has room for (`u64`); 0 beyond the last.
    Room {
        /// The pool.
        pool: PoolId,
        /// `i64`: which slot.
        slot: ExprId,
    },
    /// The bits that an instance of a component takes (`u64`).
    Size(ComponentId),
    /// What is known of a function (`i64`): a [`Table`](crate::tables::Table), which nothing but [`Program::apply`](crate::Program::apply) reads.
    Table(FunctionId),
    /// A number (`f64` or `i64`) that stays open until a kernel runs ([`crate::Parametric`]).
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

    /// The field, be it of the instance that moves or of another one.
    pub fn field(self) -> Option<FieldId> {
        match self {
            Place::Field(field) | Place::Slot { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// The places of a program that are no fields, each once.
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
    /// Whether an expression or effect was made that reads or writes a place.
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

    /// The number of a place, a new one where it has none.
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

/// Calls `f` for every place that an effect writes, with whether that is one element of an array. Recursion is as
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

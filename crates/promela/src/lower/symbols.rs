//! Symbols: variables, process types, channel types, and the scopes in which names hold.

use super::types::{Scalar, Type};
use crate::ast::{Initial, Place};
use rustc_hash::FxHashMap;
use volvelle_kernel::{ExprId, entity};
use volvelle_model::{ComponentId, FieldId, LocationId};

entity!(
    /// A variable.
    VarId
);
entity!(
    /// A process type.
    ProcessId
);
entity!(
    /// A type of channels.
    ChannelTypeId
);

/// A process type.
#[derive(Clone, Debug)]
pub struct ProcessInfo {
    /// Its name; `:init:` for the initial process.
    pub name: String,
    /// Whether it is `init`.
    pub is_init: bool,
    /// Its fields.
    pub component: ComponentId,
    /// Its parameters.
    pub parameters: Vec<VarId>,
    /// Its first location, and the number of its locations.
    pub locations: (u32, u32),
    /// Numbers of the processes of this type in the initial state.
    pub slots: Vec<i64>,
    /// Statements that its control flow does not reach.
    pub unreachable: Vec<Place>,
    /// Locations of its labels.
    pub labels: FxHashMap<String, LocationId>,
}

/// A scalar, or an array of scalars: a field of the program. Arrays of structures with arrays are flattened: the
/// element is `(… (i₁ · n₂ + i₂) · n₃ …)`.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Members on the way, `a.b`; empty for a variable that is a scalar itself.
    pub path: Vec<String>,
    /// Its type.
    pub ty: Scalar,
    /// Its field.
    pub field: FieldId,
    /// Lengths on the way, from the variable to the last member; 1 where there is no array.
    pub lengths: Vec<u32>,
    /// The type of the channels that are its initial values.
    pub channel: Option<ChannelTypeId>,
    /// The initial value of a member of a structure.
    pub initial: Option<Initial>,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its length; `None` for a single one.
    pub length: Option<u32>,
    /// The process it belongs to; `None` for a global.
    pub process: Option<ProcessId>,
    /// Its scalars.
    pub leaves: Vec<Leaf>,
    /// Its name in its declaration.
    pub place: Place,
    /// `= …`
    pub initial: Option<Initial>,
    /// Declared after a statement: a step of its own assigns the initial value.
    pub late: bool,
    /// The type of the channels of `= [n] of { … }`.
    pub channel: Option<ChannelTypeId>,
    /// `hidden`
    pub hidden: bool,
}

/// Channels of one capacity with messages of one type.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// Messages it holds; 0 is a rendezvous.
    pub capacity: u32,
    /// Scalars of a message, structures flattened.
    pub fields: Vec<Scalar>,
    /// The component of the pool.
    pub component: ComponentId,
    /// The number of messages in it; `None` for a rendezvous.
    pub length: Option<FieldId>,
    /// One array for each scalar of a message.
    pub messages: Vec<FieldId>,
}

/// The process whose fields the name of a local variable means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instance {
    /// The process that moves.
    Own,
    /// The process in a slot (`i64`).
    At(ExprId),
}

/// The names that hold at some point of a text.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The process, where there is one.
    pub process: Option<ProcessId>,
    /// The process whose local variables are meant.
    pub instance: Instance,
    /// Local names, innermost last.
    pub names: Vec<(String, VarId)>,
}

impl Scope {
    /// Outside of all processes.
    pub fn global() -> Self {
        Scope { process: None, instance: Instance::Own, names: Vec::new() }
    }

    /// Opens a block; [`Scope::close`] takes the result.
    pub fn open(&self) -> usize {
        self.names.len()
    }

    /// Closes a block.
    pub fn close(&mut self, mark: usize) {
        self.names.truncate(mark);
    }
}

//! Symbols: variables, process types, channel types, and the scopes in which names hold.

use super::types::{Scalar, Type};
use crate::ast::{Initial, Place};
use rustc_hash::FxHashMap;
use std::rc::Rc;
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
    /// Local names.
    pub names: LocalNames,
}

/// Local names with what they mean; of equal names the one that was added last counts. Each statement keeps those of its place, so that
/// copies share what they have in common: maps, each of which is larger than the next.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalNames(Vec<Rc<FxHashMap<String, VarId>>>);

impl LocalNames {
    /// Adds a name, in a time that grows with the logarithm of their number on average.
    pub fn push(&mut self, name: String, id: VarId) {
        let mut newest = FxHashMap::from_iter([(name, id)]);
        while let Some(last) = self.0.pop_if(|last| last.len() <= newest.len()) {
            let mut merged = Rc::unwrap_or_clone(last);
            merged.extend(newest);
            newest = merged;
        }
        self.0.push(Rc::new(newest));
    }

    /// What a name means.
    pub fn get(&self, name: &str) -> Option<VarId> {
        self.0.iter().rev().find_map(|names| names.get(name).copied())
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.0.iter().flat_map(|names| names.keys())
    }
}

impl FromIterator<(String, VarId)> for LocalNames {
    fn from_iter<T: IntoIterator<Item = (String, VarId)>>(names: T) -> Self {
        let mut all = LocalNames::default();
        names.into_iter().for_each(|(name, id)| all.push(name, id));
        all
    }
}

impl Scope {
    /// Outside of all processes.
    pub fn global() -> Self {
        Scope { process: None, instance: Instance::Own, names: LocalNames::default() }
    }

    /// Opens a block; [`Scope::close`] takes the result.
    pub fn open(&self) -> LocalNames {
        self.names.clone()
    }

    /// Closes a block.
    pub fn close(&mut self, before: LocalNames) {
        self.names = before;
    }
}

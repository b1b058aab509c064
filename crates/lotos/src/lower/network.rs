//! Networks of sequential components: units, the locations at which they stand, and forks.
//!
//! Module `units` says what these are.

use super::config::{Constants, Gate, Shape};
use crate::core::NodeId;
use crate::data::VariableId;
use volvelle_model::{ComponentId, Domain, FieldId};

/// Number of a unit.
pub(super) type UnitId = usize;
/// Number of a fork.
pub(super) type ForkId = usize;
/// Number of a location, over all units.
pub(super) type LocationId = usize;

/// What a unit is at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum At {
    Node(NodeId),
    Fork(ForkId),
    /// It has ended, and waits for others.
    Ended,
}

/// What tells locations apart: where they are in the text, with which gates, inside which operators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub unit: UnitId,
    pub at: At,
    pub gates: Vec<Gate>,
    pub frames: Vec<(NodeId, Vec<Gate>)>,
}

/// What is known of a variable at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    Constant(i64),
    Varies,
}

/// A location.
#[derive(Debug)]
pub(super) struct Location {
    pub key: Key,
    /// Its variables, those of the frames last, with what is known of them.
    pub variables: Vec<(VariableId, Known)>,
    /// Which field has the value, for those that vary.
    pub fields: Vec<Option<FieldId>>,
    /// Its number in the field of the unit's location.
    pub number: i64,
}

/// A parallel operator, with what was constant where it was met.
pub(super) type Operator = (NodeId, Constants);

/// A unit.
#[derive(Debug)]
pub(super) struct Unit {
    /// The fork that it belongs to; `None` for the units of the whole.
    pub fork: Option<ForkId>,
    /// The parallel operators around it, through all forks.
    pub around: Vec<Operator>,
    pub locations: Vec<LocationId>,
    /// The field of its location.
    pub field: FieldId,
    /// Fields of variables, by domain.
    pub slots: Vec<(Domain, FieldId)>,
    pub component: ComponentId,
    pub forks: Vec<ForkId>,
}

/// A composition inside a unit.
#[derive(Debug)]
pub(super) struct Fork {
    pub shape: Shape,
    pub units: Vec<UnitId>,
}

//! The parts of the state that alternatives use: read, write and test sets, for reductions.
//!
//! The front end lists what alternatives of instances use besides the instance's own fields
//! ([`Alternative::accesses`](crate::Alternative)). For a component that is always there, the accesses of an alternative
//! are found from its expressions ([`Program::accesses`](crate::Program::accesses)).

use crate::ids::{FieldId, PoolId};

/// Which element of a field, or slot of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Which {
    /// This one.
    Constant(i64),
    /// The element whose number is the value of a scalar field of the instance, minus a constant. The field
    /// keeps the value that it gets when the instance is created.
    Own(FieldId, i64),
    /// The slot of the instance itself.
    Mover,
    /// Any.
    Any,
}

/// A part of the state that several components may use. Fields that only their own instance uses are not
/// listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SharedResource {
    /// An element of a global field.
    Field(FieldId, Which),
    /// The contents of a slot.
    Slot(PoolId, Which),
    /// The number of slots in use.
    Count(PoolId),
    /// The whole state.
    Everything,
}

/// How a resource is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessMode {
    /// The guard or a weight reads it, so it decides whether the step is possible.
    Test,
    /// The effect or the guard reads it.
    Read,
    /// It changes it.
    Write,
    /// An amount is added to it, whatever its value. Additions commute.
    Add,
    /// A message is appended to a queue, if there is room.
    Put,
    /// A message is taken from the front of a queue, if there is one.
    Take,
    /// A channel without capacity, over which the instance synchronises with another one.
    Meet,
}

/// A use of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// The resource that is used.
    pub resource: SharedResource,
    /// How it is used.
    pub mode: AccessMode,
}

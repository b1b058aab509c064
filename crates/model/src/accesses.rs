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
    /// The one whose number is the value of a scalar field of the instance, less a constant. The field keeps the value
    /// that it gets when the instance is created.
    Own(FieldId, i64),
    /// That of the instance itself.
    Mover,
    /// Any.
    Any,
}

/// A part of the state that several components may use. Fields of an instance that only it uses are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SharedResource {
    /// An element of a field that is no field of instances.
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
    /// Its guard or a weight reads it: whether it can happen depends on it.
    Test,
    /// Its effect reads it, or its guard.
    Read,
    /// It changes it.
    Write,
    /// It adds something to it, whatever it was. Additions commute.
    Add,
    /// It puts something at the end of a queue, where there is room.
    Put,
    /// It takes something from the front of a queue, where there is something.
    Take,
    /// It meets another instance there.
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

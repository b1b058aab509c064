//! Typed numbers of the parts of a program.

use volvelle_kernel::{Buffer, Local, entity};

entity!(
    /// A field of the state.
    FieldId
);
entity!(
    /// A component: a module, a type of processes or of channels.
    ComponentId
);
entity!(
    /// An action. Action 0 is the silent one, with the empty name.
    ActionId
);
entity!(
    /// A transition group.
    GroupId
);
entity!(
    /// A pool of slots.
    PoolId
);
entity!(
    /// A control location, over all types of processes. Location 0 is that of an empty slot.
    LocationId
);
entity!(
    /// The number of a place, which is what locals and buffers in expressions of a program are.
    PlaceId
);
entity!(
    /// A variable of a single step.
    TemporaryId
);

entity!(
    /// A sort of values.
    SortId
);
entity!(
    /// A function that the front end evaluates.
    FunctionId
);
entity!(
    /// An application of a function in a program.
    ApplicationId
);

impl ActionId {
    /// The action without a name.
    pub const SILENT: ActionId = ActionId(0);
}

impl LocationId {
    /// Where no process is.
    pub const NOWHERE: LocationId = LocationId(0);
}

impl PlaceId {
    /// The number as expressions have it that read a scalar.
    pub fn local(self) -> Local {
        Local(self.0)
    }

    /// The number as expressions have it that read an element.
    pub fn buffer(self) -> Buffer {
        Buffer(self.0)
    }
}

impl From<Local> for PlaceId {
    fn from(local: Local) -> Self {
        PlaceId(local.0)
    }
}

impl From<Buffer> for PlaceId {
    fn from(buffer: Buffer) -> Self {
        PlaceId(buffer.0)
    }
}

/// A place in the text that a person wrote: an index into the front end's own table (for PRISM the table
/// that its lowering returns beside the program). Opaque to everyone else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

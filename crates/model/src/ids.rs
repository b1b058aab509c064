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
    /// The number of a place. Locals and buffers in expressions of a program are such numbers.
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
    /// The location of an empty slot.
    pub const NOWHERE: LocationId = LocationId(0);
}

impl PlaceId {
    /// The number as a local, for expressions that read a scalar.
    pub fn local(self) -> Local {
        Local(self.0)
    }

    /// The number as a buffer, for expressions that read an element.
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

/// A place in the model's text: an index into a table of the front end (for PRISM, the table that its
/// lowering returns beside the program). Nothing else can interpret it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

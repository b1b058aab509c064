//! What is known while a kernel is lowered: where scalars and buffers are, which machines are around, and what is still to be computed.

use cranelift_codegen::ir::{Block, MemFlagsData, StackSlot, Value, types};
use cranelift_frontend::Variable;
use volvelle_kernel::{ExprId, Local};

/// A mutable scalar.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Register(Variable),
    Frame(Slot),
}

/// A scalar that is set once, at entry.
#[derive(Clone, Copy)]
pub(super) enum Fixed {
    Register(Value),
    Frame(Slot),
}

/// A scalar in the stack frame.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub slot: StackSlot,
    pub ty: types::Type,
    pub flags: MemFlagsData,
}

/// Where generated code finds a buffer.
#[derive(Clone, Copy)]
pub(super) struct BufferRef {
    /// Address of the first element.
    pub data: Fixed,
    pub extent: Extent,
    /// For accesses to elements: no two buffers of a run overlap.
    pub flags: MemFlagsData,
    /// log2 of the bytes of an element.
    pub shift: i64,
}

#[derive(Clone, Copy)]
pub(super) enum Extent {
    /// The number of elements.
    Len(Fixed),
    /// Addresses of the next element, and of the end of the room for elements.
    Growing { cursor: Place, limit: Fixed },
}

/// A machine whose blocks are being lowered.
pub(super) struct Machine {
    pub local: Local,
    /// The second bound.
    pub to: Value,
    /// Sealed when the machine ends.
    pub blocks: Vec<Block>,
    pub end: Block,
}

/// A step of the walk over an expression. Values pass through `Lowering::values`.
pub(super) enum Task {
    /// Pushes the value of an expression.
    Value(ExprId),
    /// Pops the operands of a node, pushes its value.
    Apply(ExprId),
    /// Pops the left operand of an `And` or `Or`, goes on with the right one in a block of its own.
    Lazy(ExprId),
    /// Ends the block: goes to `yes` if the expression holds, else to `no`.
    Branch { cond: ExprId, yes: Block, no: Block },
    /// Pops a value and ends the block as `Branch` does.
    BranchOn { yes: Block, no: Block },
    /// Continues in a block whose predecessors are done, in a scope of its own.
    Open(Block),
    /// Ends the scope.
    Close,
    /// Pops a value, hands it to `join`, and ends the scope.
    Arrive { join: Block },
    /// Continues in a join, pushes its parameter as the value of an expression.
    Join { join: Block, id: ExprId },
}

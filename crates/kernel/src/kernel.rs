//! Kernels: buffers, locals, and a body of structured statements.

use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::Exprs;
use crate::types::Type;

/// The access of a kernel to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Loads only.
    Read,
    /// Loads and stores below its length.
    Write,
    /// `emit` appends; loads and stores below the number of elements so far. Starts empty.
    /// A kernel that emits beyond the capacity exits with [`crate::Exit::Full`].
    Append,
}

/// Declaration of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferDecl {
    /// Name, an identifier.
    pub name: String,
    /// Element type.
    pub ty: Type,
    /// Permission.
    pub access: Access,
}

/// Declaration of a local.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalDecl {
    /// Name, an identifier, unique in the kernel.
    pub name: String,
    /// Type.
    pub ty: Type,
}

/// Why a kernel fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailKind {
    /// A zero divisor.
    Division,
    /// A result that its type cannot hold.
    Overflow,
    /// A number outside its declared range.
    Range,
    /// A float that no integer represents.
    Conversion,
    /// An assertion of the front end.
    Assertion,
}

/// Declaration of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteDecl {
    /// Why it fails.
    pub kind: FailKind,
    /// For the caller: an index into its own table of source places. Means nothing to the IR.
    pub tag: u32,
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// Most elements of a [`Stmt::Copy`]: back ends write them out one by one.
pub const MAX_COPY: u32 = 64;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum Stmt {
    /// `local := value`.
    Set { local: Local, value: ExprId },
    /// `buffer[index] := value`; an index (`u64`) at or beyond the length exits the kernel, after both
    /// operands have been evaluated (index first).
    Store { buffer: Buffer, index: ExprId, value: ExprId },
    /// `local := buffer[index]`, and then `buffer[index] := local + 1`, wrapping: a number that no other lane gets. Where many lanes
    /// run at once they may do this to the same element, each in one go. Local and elements are `u32`; an index (`u64`) at or
    /// beyond the length exits the kernel.
    Take { local: Local, buffer: Buffer, index: ExprId },
    /// Appends; exits with `Full` where there is no room.
    Emit { buffer: Buffer, value: ExprId },
    /// Appends `count` elements of another buffer, from index `start` (`u64`) on. Where they are not all there, or
    /// there is no room for all, exits (`OutOfBounds` first) and appends none. `count` is at most [`MAX_COPY`].
    Copy { buffer: Buffer, from: Buffer, start: ExprId, count: u32 },
    /// Drops the elements of an append buffer from index `len` (`u64`) on; no effect if there are fewer.
    Truncate { buffer: Buffer, len: ExprId },
    /// Two-way choice.
    If { cond: ExprId, then: Block, otherwise: Block },
    /// Choice by an integer; keys are distinct.
    Switch { on: ExprId, cases: Vec<(i64, Block)>, default: Block },
    /// `local` (any integer type) takes `from`, `from + 1`, … below `to`; bounds are evaluated once, before.
    /// The body must not set `local`. Afterwards `local` holds the first value that was not run, or the
    /// value at the `break`.
    For { local: Local, from: ExprId, to: ExprId, body: Block },
    /// Control locations: numbered blocks, of which each says by a `Goto` where control goes next. `local` (any integer
    /// type) takes `from` and, if that is below `to`, control starts in block `start` (`u32`; none if there is no such
    /// block). Bounds and start are evaluated once, before, in this order. The end of a block that comes to no `Goto` is the
    /// end of the machine, and so is `Break`. No statement of the blocks may set `local`, which counts the jumps: afterwards
    /// it holds the value at the end, or `to` where that was reached.
    Machine { local: Local, from: ExprId, to: ExprId, start: ExprId, blocks: Vec<Block> },
    /// Ends a block of the innermost `Machine`, from anywhere inside but a `For`: adds one to its local, and goes on in
    /// another block, or the same one, unless the local has reached `to`.
    Goto { block: u32 },
    /// Leaves the innermost `For` or `Machine`.
    Break,
    /// Leaves the kernel with a failure.
    Fail { site: Site },
    /// Leaves the kernel, done.
    Return,
}

/// A kernel: the unit that a back end compiles.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Kernel {
    /// Name, an identifier.
    pub name: String,
    /// Buffers, lent by the caller in this order.
    pub buffers: Vec<BufferDecl>,
    /// Locals; the first `params` are set by the caller.
    pub locals: Vec<LocalDecl>,
    /// Number of parameters.
    pub params: usize,
    /// Places at which it may fail.
    pub sites: Vec<SiteDecl>,
    /// All expressions of the body.
    pub exprs: Exprs,
    /// Its statements.
    pub body: Block,
}

impl Kernel {
    /// An empty kernel.
    pub fn new(name: impl Into<String>) -> Self {
        Kernel { name: name.into(), ..Self::default() }
    }

    /// Declares a buffer.
    pub fn buffer(&mut self, name: impl Into<String>, ty: Type, access: Access) -> Buffer {
        self.buffers.push(BufferDecl { name: name.into(), ty, access });
        Buffer((self.buffers.len() - 1) as u32)
    }

    /// Declares a local that is not a parameter.
    pub fn local(&mut self, name: impl Into<String>, ty: Type) -> Local {
        self.locals.push(LocalDecl { name: name.into(), ty });
        Local((self.locals.len() - 1) as u32)
    }

    /// Declares a parameter; all parameters must be declared before any other local.
    pub fn param(&mut self, name: impl Into<String>, ty: Type) -> Local {
        assert_eq!(self.params, self.locals.len(), "parameters come first");
        self.params += 1;
        self.local(name, ty)
    }

    /// Declares a site.
    pub fn site(&mut self, kind: FailKind, tag: u32) -> Site {
        self.sites.push(SiteDecl { kind, tag });
        Site((self.sites.len() - 1) as u32)
    }

    /// A read of a local.
    pub fn get(&mut self, local: Local) -> ExprId {
        let ty = self.locals[local.index()].ty;
        self.exprs.local(local, ty)
    }
}

//! The typed indices of a kernel.

use volvelle_entity::entity;

entity!(
    /// A node of an expression: index into [`crate::Exprs`].
    ExprId
);
entity!(
    /// A mutable scalar of a kernel. The first [`crate::Kernel::params`] locals are its parameters; the others
    /// start as zero (`false`).
    Local
);
entity!(
    /// A buffer that the caller lends to a kernel.
    Buffer
);
entity!(
    /// A place at which a kernel may fail: index into [`crate::Kernel::sites`].
    Site
);

//! A kernel as far as its time is concerned: loops, conditions, barriers, and the work between them.

use crate::expression::{Expr, NameId, Names};
use crate::launch::Launch;
use volvelle_diagnostics::Span;

/// A kernel, abstracted from its text, and independent of platform and configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The name of its function.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Names in its expressions.
    pub names: Names,
    /// How it is launched.
    pub launch: Launch,
    /// What a work-item does.
    pub body: Vec<Node>,
    /// Number of loops: counters are numbered below this.
    pub counters: u16,
    /// Bytes of local memory of a work-group.
    pub local_bytes: Expr,
    /// Names that stand in the text of the kernel: macros of the build.
    pub macros: Vec<NameId>,
    /// Macros of the build that have the same value in all configurations.
    pub constants: Vec<(String, i64)>,
}

/// A piece of what a work-item does.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Work of one statement.
    Work(Charge),
    /// A barrier of the work-group.
    Barrier(Span),
    /// A loop.
    Loop(Loop),
    /// A conditional.
    If {
        /// Its condition.
        test: Test,
        /// Where the condition stands.
        span: Span,
        /// The first branch.
        then: Vec<Node>,
        /// The second branch.
        other: Vec<Node>,
    },
}

/// A loop whose counter goes up from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Number of its counter.
    pub counter: u16,
    /// The loop continues while this holds. Once false for a work-item, it stays false.
    pub test: Expr,
    /// How often it holds, if there is an expression for it.
    pub trips: Option<Expr>,
    /// Where its head stands.
    pub span: Span,
    /// Its body.
    pub body: Vec<Node>,
}

/// The condition of a conditional.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// A condition on parameters, ids and counters.
    Known(Expr),
    /// A condition on data. Elements that step independently take the longer branch; lanes of a warp take
    /// both.
    Data,
    /// A condition on data for which an annotation says that lanes take both branches, in turn.
    Both,
}

/// What a statement costs each work-item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Charge {
    /// Arithmetic operations on data.
    pub operations: u32,
    /// Accesses to local memory.
    pub local: u32,
    /// Accesses to private arrays.
    pub private: u32,
    /// Loads from global memory.
    pub loads: Vec<Access>,
    /// Stores to global memory.
    pub stores: Vec<Access>,
    /// Whether it copies from global to local memory: the slower of both accesses determines the time.
    pub is_copy: bool,
    /// Units of time that an annotation adds.
    pub annotated: Vec<Expr>,
    /// All accesses to memory, one by one.
    pub touches: Vec<Touch>,
    /// Whether the statement computes a variable from its own last value.
    pub recurrence: Option<Recurrence>,
}

/// An access to memory of whatever kind, as a processor with caches sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Bytes of the element.
    pub bytes: u32,
    /// Whether each work-item has its own array.
    pub is_private: bool,
    /// Elements from the start of the array, if known.
    pub offset: Option<Expr>,
}

/// A statement such as `sum += x`: each execution waits for the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// Whether it computes with real numbers, whose sums must not be reordered.
    pub is_real: bool,
    /// Whether the variable is an element of a private array.
    pub in_array: bool,
}

impl Charge {
    /// Whether it costs nothing on any platform.
    pub fn is_empty(&self) -> bool {
        *self == Charge::default()
    }

    /// Whether it only loads from global memory.
    pub fn only_loads(&self) -> bool {
        let computes = self.operations > 0 || self.private > 0 || !self.annotated.is_empty();
        !computes && self.stores.is_empty() && !self.loads.is_empty() && (self.local == 0 || self.is_copy)
    }
}

/// An access to global memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Bytes of the element.
    pub bytes: u32,
    /// Distance, in elements, between the accesses of neighbours in each dimension; `None` if it is not the
    /// same everywhere.
    pub strides: Option<[Expr; 3]>,
}

impl Access {
    /// Whether neighbours access neighbouring elements, or the same.
    pub fn is_coalesced(&self) -> bool {
        self.strides.as_ref().is_some_and(|strides| matches!(strides[0], Expr::Int(-1..=1)))
    }
}

//! Steps of a model and their pieces of work.

use crate::expression::{Dependence, Expr, Names};
use crate::kernel::{Recurrence, Test, Touch};
use crate::launch::Launch;
use crate::platform::Platform;
use volvelle_diagnostics::Span;

/// The execution of a kernel on a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The name of the kernel.
    pub name: String,
    /// The place of its name.
    pub span: Span,
    /// Names in its expressions.
    pub names: Names,
    /// How it is launched.
    pub launch: Launch,
    /// Where it runs.
    pub platform: Platform,
    /// What a work-group does.
    pub steps: Vec<Step>,
    /// Number of counters of loops.
    pub counters: u16,
    /// Bytes of local memory of a work-group.
    pub local_bytes: Expr,
    /// Whether the time of a group depends on which it is.
    pub depends_on_group: bool,
}

/// A step of a work-group.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Work without barriers.
    Region(Region),
    /// All wait for each other.
    Barrier,
    /// A loop with barriers: all items execute the same iterations.
    Loop {
        /// Number of its counter.
        counter: u16,
        /// The loop continues while this holds.
        test: Expr,
        /// How often it holds, if there is an expression for it.
        trips: Option<Expr>,
        /// Its body.
        body: Vec<Step>,
        /// Whether all iterations are alike.
        is_alike: bool,
    },
    /// A conditional with barriers.
    If {
        /// Its condition, the same for all items of the group.
        test: Expr,
        /// The first branch.
        then: Vec<Step>,
        /// The second branch.
        other: Vec<Step>,
    },
}

/// Work without barriers.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What a warp does.
    pub work: Vec<Piece>,
    /// What its cost depends on.
    pub depends: Dependence,
    /// Whether it only loads from global memory.
    pub only_loads: bool,
}

/// A piece of the work of a warp.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Work that takes this time.
    Cost(Cost),
    /// A loop.
    Loop {
        /// Number of its counter.
        counter: u16,
        /// The loop continues while this holds. Once false for an item, it stays false.
        test: Expr,
        /// How often it holds, if there is an expression for it.
        trips: Option<Expr>,
        /// Its body.
        body: Vec<Piece>,
        /// Whether all iterations are alike.
        is_alike: bool,
        /// What the cost of the body depends on.
        body_depends: Dependence,
    },
    /// A conditional.
    If {
        /// Its condition.
        test: Test,
        /// The first branch.
        then: Vec<Piece>,
        /// The second branch.
        other: Vec<Piece>,
    },
}

/// What a statement costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Units of time of a warp.
    pub time: Expr,
    /// Arithmetic operations of each item.
    pub operations: u32,
    /// Accesses of each item to local memory and private arrays.
    pub local: u32,
    /// Accesses of each item to global memory that are adjacent to those of its neighbours.
    pub coalesced: u32,
    /// Other accesses of each item to global memory.
    pub strided: u32,
    /// All accesses of each item.
    pub touches: Vec<Touch>,
    /// Whether the statement computes a variable from its own last value.
    pub recurrence: Option<Recurrence>,
}

/// What pieces of work depend on.
pub fn depends(pieces: &[Piece]) -> Dependence {
    let of = |piece: &Piece| match piece {
        Piece::Cost(cost) => cost.time.dependence(),
        Piece::Loop { test, body, .. } => test.dependence().or(depends(body)),
        Piece::If { test, then, other } => {
            let test = if let Test::Known(test) = test { test.dependence() } else { Dependence::default() };
            test.or(depends(then)).or(depends(other))
        }
    };
    pieces.iter().map(of).fold(Dependence::default(), Dependence::or)
}

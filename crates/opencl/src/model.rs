//! The model of execution: a kernel on a platform.
//!
//! A host starts devices, a device hands work-groups to its units one by one, a unit runs one work-group at a
//! time (Garanina, Staroletov and Gorlatch, Sections 3 and 4). The items of a group form warps. A unit runs
//! as many warps at the same time as its elements allow ([`Platform::slots`]): warp `w` runs in slot
//! `w mod slots`. Code between barriers is a *region*: each slot executes it for its warps one after another.
//! At a barrier, all slots wait for each other.
//!
//! Lanes of a warp step together: if a condition differs among them, the warp executes both branches in turn,
//! and it stays in a loop as long as one of its lanes does. With warps of one lane, this is the paper's
//! model.

mod build;

use crate::expression::{Dependence, Expr, Names};
use crate::kernel::{Recurrence, Test, Touch};
use crate::launch::Launch;
use crate::platform::Platform;
use volvelle_diagnostics::{Diagnostic, Span};

pub use build::transactions;

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

impl Model {
    /// The model of a kernel on a platform, or diagnostics if there is none.
    pub fn new(kernel: &crate::Kernel, platform: &Platform) -> Result<Model, Vec<Diagnostic>> {
        build::build(kernel, platform)
    }

    /// Size of a work-group in a dimension.
    pub fn local_size(&self, dimension: usize) -> Expr {
        self.launch.local.get(dimension).cloned().unwrap_or(Expr::Int(1))
    }

    /// Number of work-groups in a dimension.
    pub fn groups(&self, dimension: usize) -> Expr {
        let global = self.launch.global.get(dimension).cloned().unwrap_or(Expr::Int(1));
        Expr::binary(crate::expression::Op::Div, global, self.local_size(dimension))
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.launch.local.len()
    }
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

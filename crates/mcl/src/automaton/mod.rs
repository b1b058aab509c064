//! Formulas to alternating parity automata over transition systems.
//!
//! A vertex belongs to one of two players: at an *or* vertex the player who claims the formula moves, at an *and* vertex the one
//! who denies it. A move stays in the state or takes a transition whose label is in a set; a player without a move loses. An
//! endless play is won by the first player iff the greatest priority that it meets infinitely often is even (Emerson and
//! Jutla 1991). A formula holds in a state iff the first player wins from its vertex there. A pair of vertex and state is a
//! variable of a Boolean equation system (Mateescu and Sighireanu, *Efficient on-the-fly model-checking for regular
//! alternation-free mu-calculus*, Science of Computer Programming 46, 2003, doi:10.1016/S0167-6423(02)00094-1): an equation
//! per pair, blocks where priorities do not mix.
//!
//! A modality over a regular formula is a small nondeterministic automaton of vertices that belong to one player, with moves that
//! stay (Thompson); a star is a least fixpoint in `<R>`, a greatest in `[R]`, so that stars in stars need no care.

mod blocks;
mod simplify;
mod translate;

pub(crate) use blocks::{Block, Kind};

use crate::tree::Formula;

/// A set of labels in a [`Move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(pub u32);

impl Step {
    /// No transition: the state stays.
    pub const STAY: Step = Step(0);
    /// Any transition.
    pub const ANY: Step = Step(1);
    /// Steps from here on are action formulas.
    pub const FIRST_ACTION: u32 = 2;
}

/// A move to a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub step: Step,
    pub target: u32,
}

/// A vertex while the automaton is built.
#[derive(Clone, Debug)]
struct Draft {
    /// Whether the player who claims the formula moves.
    is_or: bool,
    /// 0 where it has none.
    priority: u32,
    moves: Vec<Move>,
}

/// A vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    /// Whether the player who claims the formula moves.
    pub is_or: bool,
    /// 0 where it has none.
    pub priority: u32,
    /// Its value, if it has the same one in all states.
    pub constant: Option<bool>,
    /// Whether all its moves lead to constants.
    pub is_leaf: bool,
    /// Its block.
    pub block: u32,
    /// Its number within the block.
    pub local: u32,
    /// Its moves: `first..inner` leave the block, `inner..end` stay in it.
    pub first: u32,
    pub inner: u32,
    pub end: u32,
}

/// An alternating automaton, cut into blocks.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub vertices: Vec<Vertex>,
    pub moves: Vec<Move>,
    pub blocks: Vec<Block>,
    pub root: u32,
}

impl Automaton {
    /// The automaton of a formula.
    pub fn new(formula: &Formula) -> Self {
        let (drafts, root) = translate::translate(formula);
        let (drafts, root) = simplify::simplify(drafts, root);
        blocks::cut(&drafts, root)
    }

    pub fn vertex(&self, vertex: u32) -> &Vertex {
        &self.vertices[vertex as usize]
    }
}

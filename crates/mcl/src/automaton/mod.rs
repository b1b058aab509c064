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
mod vertex;

pub use vertex::{Automaton, Block, Kind, Move, Step, Vertex};

use vertex::Draft;

use crate::tree::Formula;

impl Automaton {
    /// The automaton of a formula.
    pub fn new(formula: &Formula) -> Self {
        let (drafts, root) = translate::translate(formula);
        let (drafts, root) = simplify::simplify(drafts, root);
        blocks::cut(&drafts, root)
    }

    /// A vertex, by its number.
    pub fn vertex(&self, vertex: u32) -> &Vertex {
        &self.vertices[vertex as usize]
    }
}

//! ALDEBARAN: labelled transition systems as text, in the dialects of CADP, mCRL2 and LTSmin.
//!
//! ```text
//! des (0, 3, 2)
//! (0, "ask !1", 1)
//! (1, i, 0)
//! (0, "coin", 0 1/2 1)
//! ```
//!
//! The first line gives the initial state, the number of transitions and the number of states. A target of mCRL2 can be a
//! distribution: states with a probability between two of them, the last one has the rest. In CADP's files labels such as
//! `rate 2.5`, `prob 0.1` or `a; prob 0.1` make transitions of a Markov chain or automaton. The internal action (`i` for
//! CADP, `tau` for the others) is the action without a name in the model.

mod edges;
mod label;
mod labelled;
mod read;
mod stochastic;
mod stream;
mod system;
mod write;

pub use labelled::read_lts;
pub(crate) use read::read;
pub(crate) use write::{write, write_lts};

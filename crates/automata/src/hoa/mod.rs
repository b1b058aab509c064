//! Deterministic automata in the Hanoi Omega-Automata format, version 1.
//!
//! In: the text of a file. Out: an [`OmegaAutomaton`], or the first mistake with its place. The format and its semantics are
//! those of T. Babiak et al., *The Hanoi Omega-Automata Format*, CAV 2015 (doi:10.1007/978-3-319-21690-4_31). What the header
//! says about the automaton (`properties`, `acc-name`) is not relied on: determinism is checked, and a missing transition
//! rejects. Labels become disjunctions of cubes of literals.
//!
//! | module | subject |
//! |---|---|
//! | `token` | words of the format |
//! | `condition` | labels and acceptance conditions |
//! | `header`, `body` | the two parts of a file |

mod body;
mod condition;
mod error;
mod header;
mod token;

pub use error::HoaError;
use error::MOST;

use token::Tokens;
use volvelle_logic::OmegaAutomaton;

/// Reads an automaton.
///
/// # Errors
/// The text is not in the format, or the automaton is not deterministic, alternating, or too large.
pub fn parse(text: &str) -> Result<OmegaAutomaton, HoaError> {
    let mut tokens = Tokens::new(text)?;
    let header = header::read(&mut tokens)?;
    body::read(&mut tokens, header)
}

//! The modal mu-calculus: formulas, Boolean equation systems, parity games, diagnostics.
//!
//! [`parse`] takes the text of a formula in the syntax of MCL (model-checking language of CADP, version 3) and gives a [`Formula`] or
//! diagnostics. [`check`] takes a formula and a [`System`], given as a whole ([`volvelle_space::Lts`]), in part ([`Part`]) or
//! explored as far as the verdict needs ([`OnTheFly`]), and gives the verdict in the initial state with [`Evidence`]. Recursion is only as deep as
//! formulas nest, which the parser bounds.
//!
//! ```
//! use volvelle_control::Control;
//! use volvelle_diagnostics::FileId;
//! use volvelle_mcl::{Shape, check, parse};
//! use volvelle_space::{Labels, Lts};
//!
//! let mut labels = Labels::new();
//! let (put, get) = (labels.number("PUT !1"), labels.number("GET !1"));
//! let lts = Lts::from_transitions(3, 0, labels, &[(0, put, 1), (1, get, 0), (1, 0, 2)]);
//! let (formula, diagnostics) = parse(FileId(0), "[true*] <true> true");
//! let answer = check(&formula.expect("no errors"), &lts, &Control::unlimited()).expect("no limits");
//! assert!(diagnostics.is_empty() && !answer.holds);
//! let evidence = answer.evidence.expect("a short one");
//! let trace: Vec<&str> = evidence.transitions.iter().map(|t| lts.labels.text(t.label)).collect();
//! assert_eq!((evidence.shape, trace), (Shape::Trace, vec!["PUT !1", "i"]));
//! ```

mod absent;
pub mod automaton;
mod evidence;
mod library;
mod parity;
mod parse;
mod print;
mod solve;
mod system;
pub mod token;
pub mod tree;

pub use absent::absent_labels;
pub use evidence::{Evidence, Shape, Transition};
pub use library::LIBRARY;
pub use parity::{ParityGame, Solution};
pub use parse::{parse, parse_as};
pub use system::{OnTheFly, Part, System};
pub use token::Dialect;
pub use tree::Formula;

use automaton::Automaton;
use solve::Solver;
use volvelle_control::{Control, Stop};

/// A verdict, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the formula holds in the initial state.
    pub holds: bool,
    /// A part of the system that is enough for the verdict; `None` where it is larger than was asked for.
    pub evidence: Option<Evidence>,
}

/// How many pairs of formula and state [`check`] lets evidence have.
pub const EVIDENCE_LIMIT: usize = 10_000;

/// Checks a formula in the initial state of a system, and gives evidence of up to [`EVIDENCE_LIMIT`] pairs of formula and state.
///
/// # Errors
/// The control says stop, or the system cannot be explored further.
pub fn check<S: System>(formula: &Formula, system: S, control: &Control) -> Result<Answer, Stop> {
    check_with_evidence(formula, system, EVIDENCE_LIMIT, control)
}

/// Checks a formula in the initial state of a system, and gives evidence of up to `most` pairs of formula and state.
///
/// # Errors
/// The control says stop, or the system cannot be explored further.
pub fn check_with_evidence<S: System>(
    formula: &Formula,
    system: S,
    most: usize,
    control: &Control,
) -> Result<Answer, Stop> {
    let automaton = Automaton::new(formula);
    let mut solver = Solver::new(system, &automaton, formula, control);
    let holds = solver.root()?;
    let evidence = if most == 0 { None } else { solver.proof(holds, most)? };
    Ok(Answer { holds, evidence })
}

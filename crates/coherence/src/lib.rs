//! Cache-coherence protocols as tables.
//!
//! [`read`] makes a [`Protocol`] of a declaration in TOML: states of a line in a cache, from invalid to strongest, and rows that say what
//! a load, a store or an atomic operation does, by the requester's own state and the strongest state among the other caches. [`check`]
//! decides whether the table is complete and coherent **for any number of caches**, or gives a shortest run that goes wrong.
//! [`SHIPPED`] are protocols from the literature.
//!
//! ```
//! use volvelle_coherence::{Operation, State, check, read, shipped};
//! use volvelle_diagnostics::Sources;
//!
//! let text = shipped("mesi").expect("MESI is there");
//! let (protocol, diagnostics) = read(Sources::new().add("mesi.toml", text), text);
//! assert!(diagnostics.is_empty());
//! let protocol = protocol.expect("no diagnostics, so there is a protocol");
//! let invalid = State::INVALID;
//! let rule = protocol.rule(Operation::Load, invalid, invalid).expect("a first load has a row");
//! assert_eq!(protocol.state(rule.own), "E");
//! assert!(check(&protocol).is_proved());
//! ```

mod check;
mod counts;
mod explore;
mod protocol;
mod read;
mod rows;
mod shipped;
mod step;
mod trace;
mod violation;

pub use check::{Checked, MOST_CACHES, Reason, Verdict, check};
pub use protocol::{
    MOST_STATES, MOST_TRANSFERS, Operation, Protocol, Rule, Source, State, Transfer, TransferId,
};
pub use read::read;
pub use shipped::{SHIPPED, shipped, unknown};
pub use trace::{Counterexample, Line, Step};
pub use violation::Violation;

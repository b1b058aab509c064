//! Cache-coherence protocols as tables.
//!
//! [`read`] makes a [`Protocol`] of a declaration in TOML: states of a line in a cache, from invalid to strongest, and rows that say what
//! a load, a store or an atomic operation does, by the requester's own state and the strongest state among the other caches. [`check`]
//! decides whether the table is complete and coherent **for any number of caches**, or gives a shortest run that goes wrong.
//! [`SHIPPED`] are protocols from the literature.
//!
//! A declaration, here without most rows:
//!
//! ```toml
//! name = "A"
//! about = "MESI in which a load takes a modified line away (migratory)"
//! states = ["I", "S", "E", "M"]   # from invalid to strongest
//! exclusive = ["E", "M"]          # no other cache holds the line then
//! dirty = ["M"]                   # this cache is responsible for the data: memory may be stale
//! rows = [                        # operation, own states, strongest other -> new own state, others, transfer
//!     "load  S|E|M  *  ->  =  =  Hit",
//!     "load  I      M  ->  E  I  Cache",
//!     "store E|M    I  ->  M  I  Hit",
//! ]
//! [transfers]                     # where the line comes from; these are there if none are declared
//! Hit = "none"
//! Mem = "home"
//! "Mem+lookup" = "home"
//! "Mem+inv" = "home"
//! Cache = "provider"
//! ```
//!
//! The new state of the others is `=` (each keeps its own), one state for each of them that holds the line, or pairs by present state such
//! as `M:O,E:S`. The order of rows means nothing: rows that overlap must agree. Without rows for `atomic`, atomic operations are stores.
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
mod form;
mod protocol;
mod read;
mod rows;
mod shipped;
mod step;
mod trace;
mod violation;

pub use check::{Checked, MOST_CACHES, Reason, Verdict, check};
pub use form::PROTOCOL;
pub use protocol::{
    MOST_STATES, MOST_TRANSFERS, Operation, Protocol, Rule, Source, State, Transfer, TransferId,
};
pub use read::read;
pub use shipped::{SHIPPED, shipped, unknown};
pub use trace::{Counterexample, Line, Step};
pub use violation::Violation;

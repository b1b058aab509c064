//! The PRISM language: models and properties.
//!
//! Takes the text of a model (and of property files); gives a `Program` of `volvelle-model` and
//! properties of `volvelle-logic`, or diagnostics. Parsing never fails: it returns a tree and what it
//! reports errors about; only lowering gates on errors. Knows nothing of engines.
//!
//! Reference: the PRISM manual, parts *The PRISM Language* and *Property Specification*, and the
//! behaviour of PRISM 4.x where the manual is silent.

pub mod ast;
pub mod lex;
pub mod lower;
pub mod parse;
pub mod print;
pub mod properties;
pub mod summary;
#[cfg(feature = "testing")]
pub mod testing;

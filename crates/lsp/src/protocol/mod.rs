//! The Language Server Protocol, as far as this server speaks it: messages, and the types of their parameters.
//!
//! Follows version 3.17 of the specification. Of the many fields of its types, those are here that are read or written; what a client
//! says besides is passed over, whatever it is. Tests read every answer as the types that are generated from the specification.

pub mod messages;
pub mod types;
pub mod typing;

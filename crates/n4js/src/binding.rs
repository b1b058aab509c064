//! Names of programs: in which scope they are declared, and what they mean elsewhere.
//!
//! Everything is found in passes over the flat tree. A node that can hold names is a scope; what a name means is looked for in the scopes
//! around its use, from the inside out, and then among the names of the library.

mod ends;
mod facts;
mod fields;
mod host;
mod imports;
mod modules;
pub(crate) mod names;
mod paths;
mod scopes;

pub(crate) use fields::Fields;
pub(crate) use host::{Bound, FUNCTIONS};

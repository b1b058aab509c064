//! Programs of the golden set, and small ones that are put together here; arithmetic; traces.

mod assembler;
mod compressed;
mod corpus;
mod files;
mod floats;
mod machine;
mod random;
mod signals;
mod support;
mod traces;
mod wrong;

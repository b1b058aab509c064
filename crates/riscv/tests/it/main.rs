//! Programs of the golden set, and small ones that are put together here.

mod corpus;
mod support;

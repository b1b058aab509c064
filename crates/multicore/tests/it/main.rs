//! Golden data, laws, and comparisons of fast with slow.

mod corpus;
mod predictors;

//! Golden data, laws, and comparisons of fast with slow.

mod caches;
mod corpus;
mod laws;
mod machines;
mod mutants;
mod predictors;
mod programs;
mod slow;
mod slow_predictors;
mod streams;
mod tasks;
mod text;
mod timing;
mod wrong;

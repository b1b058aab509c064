//! Golden data, laws, and comparisons of fast with slow.

mod budgets;
mod caches;
mod corpus;
mod estimates;
mod history;
mod laws;
mod machines;
mod mutants;
mod predictor_names;
mod predictors;
mod programs;
mod sampling;
mod slow;
mod slow_predictors;
mod streams;
mod tasks;
mod text;
mod timing;
mod wrong;

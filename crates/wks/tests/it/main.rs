//! Tests of texts of weighted systems, as one program.

mod examples;
mod formulas;
mod json;
mod literal;
mod models;
mod parsing;
mod random_systems;
mod structures;
mod support;
mod unfolding;

//! Tests of texts of weighted systems, as one program.

mod examples;
mod formulas;
mod json;
mod json_text;
mod literal;
mod models;
mod parsing;
mod random_systems;
mod structures;
mod support;
mod tokens;
mod unfolding;

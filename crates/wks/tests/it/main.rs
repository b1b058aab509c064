//! Tests of the front end of weighted systems.

mod literal;
mod models;
mod parsing;
mod random_systems;
mod support;
mod unfolding;

//! The integration tests of this crate: one program, which is linked once. Each module is about a subject.

mod bisimulation;
mod distances;
mod formula_systems;
mod formulas;
mod least_bounds;
mod limits;
mod paths;
mod published;
mod reference;
mod simulation;

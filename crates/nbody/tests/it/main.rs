//! Simulations on devices and ranks, against plain sums, published orbits, and conservation laws.

mod blocks;
mod devices;
mod fastest;
mod files;
mod initial;
mod laws;
mod orbits;
mod starts;
mod support;
mod trees;
mod troubles;

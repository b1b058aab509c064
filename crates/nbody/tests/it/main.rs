//! Simulations on devices and ranks, against plain sums, published orbits, and conservation laws.

mod devices;
mod fastest;
mod orbits;
mod support;
mod troubles;

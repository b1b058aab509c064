//! Particle systems under their own gravity.
//!
//! In: [`Bodies`], from initial conditions or a file. Out: the same at later times, on the devices and ranks of a context of the
//! runtime. Units are those of N-body simulations (D. C. Heggie and R. D. Mathieu, *Standardised units and time scales*, 1986): the
//! gravitational constant is 1.
//!
//! [`Simulation`] has the state on the devices; [`Physics`] says what attracts, and how time passes; [`Totals`] are what should not change.

mod bodies;
mod energy;
mod gravity;
mod integrators;
mod kernels;
mod physics;
mod ranks;
mod simulation;
mod state;
mod system;
mod trouble;

pub use bodies::Bodies;
pub use energy::Totals;
pub use gravity::Law;
pub use physics::{Arithmetic, Force, Integrator, Physics, Solver};
pub use simulation::Simulation;
pub use system::Advanced;
pub use trouble::Trouble;

//! Particle systems under their own gravity.
//!
//! In: [`Bodies`], from initial conditions or a file. Out: the same bodies at later times, computed on the
//! devices and ranks of a context of the runtime. Units are those of N-body simulations (D. C. Heggie and R.
//! D. Mathieu, *Standardised units and time scales*, 1986): the gravitational constant is 1.
//!
//! [`Simulation`] holds the state on the devices; [`Physics`] defines forces and integrators; [`Totals`] are
//! conserved quantities.

//!
//! ```
//! use std::num::NonZeroUsize;
//! use volvelle_control::Control;
//! use volvelle_nbody::{Bodies, Physics, Simulation};
//! use volvelle_runtime::{Context, Technology};
//! use volvelle_technologies::Threads;
//!
//! // Two bodies on a circle around each other, with a period of 2 pi.
//! let bodies = Bodies {
//!     time: 0.0,
//!     ids: vec![1, 2],
//!     masses: vec![0.5, 0.5],
//!     positions: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
//!     velocities: vec![[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]],
//!     ..Bodies::default()
//! };
//! let context = Context::of(vec![Threads::new(NonZeroUsize::MIN).open(0)?])?;
//! let mut simulation = Simulation::new(&context, &bodies, &Physics::direct(0.0, 0.001))?;
//! simulation.advance(std::f64::consts::PI, &Control::unlimited())?;
//! assert!((simulation.bodies()?.positions[0][0] - 0.5).abs() < 1e-6);
//! assert!((simulation.totals()?.energy + 0.125).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
pub mod configuration;
mod doubts;
mod energy;
pub mod files;
mod gravity;
pub mod initial;
mod integrators;
mod kernels;
mod law;
mod physics;
pub mod pictures;
mod ranks;
mod schedule;
mod simulation;
mod state;
mod system;
mod trouble;

pub use bodies::{Bodies, Column};
pub use doubts::{Doubt, doubts};
pub use energy::Totals;
pub use law::Law;
pub use physics::{Arithmetic, Force, Integrator, Physics, Solver};
pub use schedule::{Due, Schedule};
pub use simulation::Simulation;
pub use system::Advanced;
pub use trouble::Trouble;

//! Particle systems under their own gravity.
//!
//! In: [`Bodies`], from initial conditions or a file. Out: the same at later times, on the devices and ranks of a context of the
//! runtime. Units are those of N-body simulations (D. C. Heggie and R. D. Mathieu, *Standardised units and time scales*, 1986): the
//! gravitational constant is 1.

mod bodies;

pub use bodies::Bodies;

//! How time passes.

mod hermite;
mod leapfrog;

use crate::physics::{Integrator, Physics};
use crate::state::State;
use crate::system::{Advanced, System};
use crate::trouble::Trouble;
use hermite::Hermite;
use leapfrog::Leapfrog;
use volvelle_control::Control;

/// An integrator with its kernels.
pub(crate) enum Method {
    Leapfrog(Box<Leapfrog>),
    Hermite(Box<Hermite>),
}

impl Method {
    pub(crate) fn new(state: &State, physics: &Physics) -> Result<Self, Trouble> {
        match physics.integrator {
            Integrator::Leapfrog { step } => {
                Ok(Method::Leapfrog(Box::new(Leapfrog::new(state, physics, step)?)))
            }
            Integrator::Hermite { accuracy, largest_step, smallest_step } => {
                let hermite = Hermite::new(state, physics.softening, accuracy, largest_step, smallest_step)?;
                Ok(Method::Hermite(Box::new(hermite)))
            }
        }
    }

    /// For each body, the number of steps so far that were too long to resolve its motion; empty if steps
    /// adapt to the motion.
    pub(crate) fn unresolved(&self) -> Result<Vec<f64>, Trouble> {
        match self {
            Method::Leapfrog(leapfrog) => leapfrog.unresolved(),
            Method::Hermite(_) => Ok(Vec::new()),
        }
    }

    /// Moves all bodies to a time, or until the control stops it.
    pub(crate) fn advance(
        &mut self,
        system: &mut System,
        until: f64,
        control: &Control<'_>,
    ) -> Result<Advanced, Trouble> {
        match self {
            Method::Leapfrog(leapfrog) => leapfrog.advance(system, until, control),
            Method::Hermite(hermite) => hermite.advance(system, until, control),
        }
    }
}

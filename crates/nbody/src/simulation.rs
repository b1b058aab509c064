//! A particle system in the memory of devices, as it changes with time.

use crate::bodies::Bodies;
use crate::energy::Totals;
use crate::gravity::Gravity;
use crate::integrators::Method;
use crate::physics::{Force, Physics};
use crate::state::State;
use crate::system::{Advanced, System};
use crate::trouble::Trouble;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_runtime::Context;

/// A particle system on the devices of a context.
///
/// All ranks of the context call the same functions in the same order, with the same arguments. The resulting
/// bodies have the same bits on all devices and ranks.
pub struct Simulation {
    system: System,
    method: Method,
}

impl Simulation {
    /// Copies bodies to the devices. The simulation starts at their time.
    ///
    /// # Errors
    /// Bodies or physics are not valid, two bodies without softening are at the same place, or a device
    /// failed.
    pub fn new(context: &Arc<Context>, bodies: &Bodies, physics: &Physics) -> Result<Self, Trouble> {
        physics.check()?;
        let state = State::new(context, bodies)?;
        if physics.softening == 0.0
            && physics.force == Force::Newton
            && let Some(trouble) = state.coincident(&bodies.positions)
        {
            return Err(trouble);
        }
        let gravity = Gravity::new(&state, physics)?;
        let method = Method::new(&state, physics)?;
        Ok(Simulation { system: System { state, gravity, physics: physics.clone() }, method })
    }

    /// The time of the bodies.
    pub fn time(&self) -> f64 {
        self.system.state.time
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.system.state.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Advances all bodies to a time, or until the control stops it. Then all bodies are at the returned
    /// time, and the simulation can continue from there. To follow the progress, call it for shorter times.
    ///
    /// # Errors
    /// The time is before that of the bodies, or any other [`Trouble`] occurred: then the bodies are those of
    /// that moment, unless a device failed.
    pub fn advance(&mut self, until: f64, control: &Control<'_>) -> Result<Advanced, Trouble> {
        let now = self.time();
        if !until.is_finite() || until < now {
            return Err(Trouble::Physics(format!("time is {now}, and cannot become {until}")));
        }
        self.method.advance(&mut self.system, until, control)
    }

    /// The bodies as they are now, all of them on every rank.
    ///
    /// # Errors
    /// A device failed.
    pub fn bodies(&self) -> Result<Bodies, Trouble> {
        Ok(self.system.state.bodies()?)
    }

    /// The accelerations of the bodies as they are now, all of them on every rank.
    ///
    /// # Errors
    /// A device failed, or an acceleration is not a number.
    pub fn accelerations(&mut self) -> Result<Vec<[f64; 3]>, Trouble> {
        let outcome = self.system.accelerate(&[])?.agreed(&self.system.state.context)?;
        self.system.gravity.trouble(outcome).map_or(Ok(()), Err)?;
        let found: Vec<f64> = self.system.state.acceleration.values()?;
        let finite = found.iter().all(|x| x.is_finite());
        match finite {
            true => Ok(found.as_chunks::<3>().0.to_vec()),
            false => Err(self.system.state.diagnose(self.system.physics.softening)?),
        }
    }

    /// For each body, the number of steps of the leapfrog so far that were too long for its motion: the
    /// acceleration changed so much that the step is no small fraction of the time in which the motion
    /// changes. Empty for the Hermite integrator, whose steps adapt to the motion.
    ///
    /// # Errors
    /// A device failed.
    pub fn unresolved(&self) -> Result<Vec<f64>, Trouble> {
        self.method.unresolved()
    }

    /// Energy, momentum and other sums over the current bodies. Potentials are summed over all pairs whatever
    /// the solver is.
    ///
    /// # Errors
    /// A device failed, or a sum overflows: [`Trouble::Overflow`].
    pub fn totals(&self) -> Result<Totals, Trouble> {
        let potentials = self.system.gravity.potentials(&self.system.state)?;
        let totals = Totals::of(&self.bodies()?, &potentials);
        match totals.beyond_doubles() {
            Some(what) => Err(Trouble::Overflow { what, time: totals.time }),
            None => Ok(totals),
        }
    }
}

//! Kick, drift, kick: the leapfrog.
//!
//! Each step is half a kick, a drift, and half a kick (L. Verlet 1967): symplectic and of second order. Once
//! all accelerations are known, each device moves the bodies that it owns; then all devices receive the new
//! positions.

mod few;
mod kernels;

use crate::physics::Physics;
use crate::ranks::Outcome;
use crate::state::{State, VECTOR};
use crate::system::{Advanced, News, System};
use crate::trouble::Trouble;
use few::Few;
use kernels::{COUNT, kick, kick_and_drift};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Layout};
use volvelle_runtime::{Argument, Function, Kernel};

/// The integrator.
pub(crate) struct Leapfrog {
    step: f64,
    kick_and_drift: Kernel,
    kick: Kernel,
    /// For each body, the number of steps that were too long.
    unresolved: Arc<Array>,
    /// Replaces the kernels if there are few bodies.
    few: Option<Few>,
    /// Whether the accelerations belong to the current positions.
    is_current: bool,
}

impl Leapfrog {
    pub(crate) fn new(state: &State, physics: &Physics, step: f64) -> Result<Self, Trouble> {
        let array = |fields: &[(&str, u64)]| {
            let width: u64 = fields.iter().map(|(_, width)| width).sum();
            let layout = Layout::several(Type::F64, width as usize);
            Array::new(&state.context, layout, state.len() as u64).map(Arc::new)
        };
        let (before, unresolved) = (array(VECTOR)?, array(COUNT)?);
        let mut kernels = Vec::new();
        for ir in [kick_and_drift(), kick()] {
            let mut kernel = Kernel::new(&state.context, Function::of(ir))?;
            kernel.set("first", Argument::First)?;
            kernel.set("acceleration", state.acceleration.clone())?;
            kernel.set("velocity", state.velocity.clone())?;
            kernel.set("before", before.clone())?;
            kernels.push(kernel);
        }
        let [mut kick_and_drift, mut kick] = <[Kernel; 2]>::try_from(kernels).ok().expect("two kernels");
        kick_and_drift.set("position", state.position.clone())?;
        kick.set("unresolved", unresolved.clone())?;
        let few = Few::new(state, physics)?;
        Ok(Leapfrog { step, kick_and_drift, kick, unresolved, few, is_current: false })
    }

    pub(crate) fn advance(
        &mut self,
        system: &mut System,
        until: f64,
        control: &Control<'_>,
    ) -> Result<Advanced, Trouble> {
        let start = system.state.time;
        let mut advanced = Advanced { time: start, steps: 0, forces: 0, stopped: None };
        let steps = steps(start, until, self.step)?;
        let step = (until - start) / steps as f64;
        self.kick_and_drift.set("half_step", 0.5 * step)?;
        self.kick_and_drift.set("step", step)?;
        self.kick.set("half_step", 0.5 * step)?;
        self.kick.set("step", step)?;
        if let Some(few) = &mut self.few {
            few.set_step(step)?;
        }
        let mut is_loaded = false;
        let bodies = system.state.len() as u64;
        let mut news = News::new(&system.state, until, control);
        let mut outcome = Outcome::Done;
        loop {
            self.check(system, outcome)?;
            if advanced.steps == steps {
                return Ok(advanced);
            }
            let check = control.check().map_or_else(Outcome::Stop, |()| Outcome::Done);
            if let Outcome::Stop(stop) = check.agreed(&system.state.context)? {
                advanced.stopped = Some(stop);
                return Ok(advanced);
            }
            if !self.is_current {
                let outcome = system.accelerate(&[])?;
                self.check(system, outcome)?;
                advanced.forces += bodies;
            }
            // Until the end of the step, positions and velocities belong to different times.
            self.is_current = false;
            let mut count = 1;
            outcome = match &mut self.few {
                Some(few) => {
                    if !is_loaded {
                        few.load(&system.state)?;
                        is_loaded = true;
                    }
                    let (outcome, begun) =
                        few.advance(&system.state, few.at_once().min(steps - advanced.steps))?;
                    count = begun;
                    outcome
                }
                None => system.accelerate_behind(&self.kick_and_drift, &[&self.kick])?,
            };
            self.is_current = true;
            advanced.steps += count;
            advanced.forces += count * bodies;
            let time = if advanced.steps == steps { until } else { start + advanced.steps as f64 * step };
            (system.state.time, advanced.time) = (time, time);
            news.step(count * bodies, time, advanced.steps);
        }
    }

    /// For each body, the number of steps so far that were too long to resolve its motion. All ranks call it.
    pub(crate) fn unresolved(&self) -> Result<Vec<f64>, Trouble> {
        match &self.few {
            Some(few) => Ok(few.unresolved()?),
            None => Ok(self.unresolved.values()?),
        }
    }

    /// Whether all ranks can continue.
    fn check(&self, system: &mut System, outcome: Outcome) -> Result<(), Trouble> {
        let outcome = outcome.agreed(&system.state.context)?;
        if outcome == Outcome::Done {
            return Ok(());
        }
        // Several kernels ran one after the other, and any of them may have failed. Forces depend on the
        // positions only, which are unchanged, so they are computed again to find out.
        let force = system.accelerate(&[])?.agreed(&system.state.context)?;
        system.gravity.trouble(force).map_or(Ok(()), Err)?;
        match outcome {
            // An acceleration is not a number.
            Outcome::Failed => Err(system.state.diagnose(system.physics.softening)?),
            other => other.trouble(&self.kick).map_or(Ok(()), Err),
        }
    }
}

/// The number of equal steps to a time, none of which is longer than `step` except by rounding.
fn steps(from: f64, until: f64, step: f64) -> Result<u64, Trouble> {
    let count = (until - from) / step;
    if count > 1e15 {
        return Err(Trouble::Physics(format!("{count:e} steps of {step:e} are too many")));
    }
    // Times are rounded; a multiple of the step is meant as one.
    Ok((count * (1.0 - 1e-9)).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_steps() {
        for (until, step, expected) in
            [(1.0, 0.1, 10), (1.0, 0.3, 4), (1.0, 2.0, 1), (0.0, 1.0, 0), (0.7, 0.1, 7)]
        {
            assert_eq!(steps(0.0, until, step), Ok(expected));
        }
        assert_eq!(steps(0.3, 0.6, 0.1), Ok(3));
        assert!(steps(0.0, 1.0, 1e-300).is_err());
    }
}

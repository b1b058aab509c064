//! Many steps of few bodies at once.
//!
//! A step of few bodies takes less time than starting kernels. So on a single device, one lane does many
//! steps of all bodies, with the formulas of the kernels in the order of their lanes, which keeps the bits
//! the same.

use super::kernels::{COUNT, Rows, begin, end};
use crate::gravity::pull_on;
use crate::kernels::Writer;
use crate::physics::{Arithmetic, Force, Physics, Solver};
use crate::ranks::Outcome;
use crate::state::{BODY, State, VECTOR};
use crate::trouble::Trouble;
use std::sync::Arc;
use volvelle_kernel::{Access, Type};
use volvelle_runtime::contents::{Array, Layout};
use volvelle_runtime::{Error, Function, Kernel, Place};

/// Limits of "few" bodies: on a processor, and on other devices, whose lanes are slower.
const FEW: [usize; 2] = [32, 4];

/// Number of pairs between two checks whether to stop: about a millisecond.
const PAIRS_AT_ONCE: u64 = 1 << 16;

/// The record of the number of begun steps.
const DONE: &[(&str, u64)] = &[("steps", 1)];

/// Steps of all bodies, by a single lane.
fn steps(softened: bool) -> volvelle_kernel::Kernel {
    let writer = &Writer::new("steps");
    let (bodies, count) = (writer.index("bodies"), writer.index("count"));
    let (half_step, step) = (writer.number("half_step"), writer.number("step"));
    let softening = writer.number("softening");
    let position = writer.record("position", Access::Write, BODY);
    let velocity = writer.record("velocity", Access::Write, VECTOR);
    let acceleration = writer.record("acceleration", Access::Write, VECTOR);
    let before = writer.record("before", Access::Write, VECTOR);
    let unresolved = writer.record("unresolved", Access::Write, COUNT);
    let done = writer.record("done", Access::Write, DONE);
    let started = writer.total();
    writer.each(count, |_| {
        started.add(writer.constant(1.0));
        done.at(writer.count(0)).set("steps", started.value());
        writer.each(bodies, |i| {
            let rows = Rows {
                position: position.at(i),
                velocity: velocity.at(i),
                acceleration: acceleration.at(i),
                before: before.at(i),
            };
            begin(writer, &rows, half_step, step);
        });
        writer.each(bodies, |i| {
            let pull = pull_on(writer, position, i, bodies, softening, softened);
            acceleration.at(i).set_vector("vector", pull);
        });
        writer.each(bodies, |i| {
            let rows = [velocity.at(i), acceleration.at(i), before.at(i), unresolved.at(i)];
            end(writer, rows, half_step, step);
        });
    });
    writer.take()
}

/// Few bodies, and the kernel that moves them.
pub(super) struct Few {
    kernel: Kernel,
    bodies: u64,
    position: Arc<Array>,
    velocity: Arc<Array>,
    acceleration: Arc<Array>,
    unresolved: Arc<Array>,
    done: Arc<Array>,
}

impl Few {
    /// `None` if there are many bodies, several devices, or forces other than the sum of all pairs.
    pub(super) fn new(state: &State, physics: &Physics) -> Result<Option<Self>, Trouble> {
        let context = &state.context;
        let [device] = context.devices() else { return Ok(None) };
        let few = FEW[usize::from(device.offer().device.place != Place::Host)];
        let is_plain = physics.solver == Solver::Direct
            && physics.force == Force::Newton
            && physics.arithmetic == Arithmetic::Portable;
        if !is_plain || context.network().size() > 1 || state.len() == 0 || state.len() > few {
            return Ok(None);
        }
        // All of a kind are one element, for a single lane.
        let array = |width: usize| {
            Array::new(context, Layout::several(Type::F64, width * state.len()), 1).map(Arc::new)
        };
        let mut kernel = Kernel::new(context, Function::of(steps(physics.softening > 0.0)))?;
        let bodies = state.len() as u64;
        kernel.set("bodies", bodies)?;
        kernel.set("softening", physics.softening)?;
        let (position, velocity, acceleration) = (array(4)?, array(3)?, array(3)?);
        let unresolved = array(1)?;
        let done = Arc::new(Array::new(context, Layout::several(Type::F64, 1), 1)?);
        for (name, content) in [
            ("position", &position),
            ("velocity", &velocity),
            ("acceleration", &acceleration),
            ("before", &array(3)?),
            ("unresolved", &unresolved),
            ("done", &done),
        ] {
            kernel.set(name, content.clone())?;
        }
        Ok(Some(Few { kernel, bodies, position, velocity, acceleration, unresolved, done }))
    }

    /// Sets the length of a step.
    pub(super) fn set_step(&mut self, step: f64) -> Result<(), Error> {
        self.kernel.set("half_step", 0.5 * step)?;
        self.kernel.set("step", step)
    }

    /// Number of steps before the next check whether to stop.
    pub(super) fn at_once(&self) -> u64 {
        (PAIRS_AT_ONCE / (self.bodies * (self.bodies + 8))).max(1)
    }

    /// Takes the bodies from the state.
    pub(super) fn load(&self, state: &State) -> Result<(), Error> {
        self.position.fill(&state.position.values::<f64>()?)?;
        self.velocity.fill(&state.velocity.values::<f64>()?)?;
        self.acceleration.fill(&state.acceleration.values::<f64>()?)
    }

    /// Does some steps, and copies the bodies to the state. Also returns the number of begun steps.
    pub(super) fn advance(&mut self, state: &State, steps: u64) -> Result<(Outcome, u64), Error> {
        self.kernel.set("count", steps)?;
        let outcome = Outcome::of(self.kernel.start(1, None))?;
        state.position.fill(&self.position.values::<f64>()?)?;
        state.velocity.fill(&self.velocity.values::<f64>()?)?;
        state.acceleration.fill(&self.acceleration.values::<f64>()?)?;
        let begun = match outcome {
            Outcome::Done => steps,
            _ => self.done.values::<f64>()?.first().map_or(0, |begun| *begun as u64),
        };
        Ok((outcome, begun))
    }

    /// For each body, the number of steps that were too long.
    pub(super) fn unresolved(&self) -> Result<Vec<f64>, Error> {
        self.unresolved.values()
    }
}

//! The Hermite integrator of fourth order with block steps.
//!
//! The host predicts all bodies, and corrects those whose step ends (`motion`, `blocks`). The devices sum the
//! forces on these (`forces`), as the GRAPE computers do. On the host, all ranks do the same, so they agree
//! without messages. Outputs between steps are extrapolated with all known derivatives. They have no effect:
//! the orbits do not depend on the times of outputs.

mod blocks;
mod forces;
mod kernel;
mod motion;

use crate::ranks::Outcome;
use crate::state::State;
use crate::system::{Advanced, News, System};
use crate::trouble::Trouble;
use blocks::Blocks;
use forces::Forces;
use kernel::{Order, WIDTH};
use motion::{Motion, Pull, Vector};
use volvelle_control::Control;

/// The integrator.
pub(crate) struct Hermite {
    accuracy: f64,
    blocks: Blocks,
    forces: Forces,
    /// When the simulation began.
    start: f64,
    masses: Vec<f64>,
    motions: Vec<Motion>,
    /// The time of each body, in units from the start on.
    times: Vec<u64>,
    /// The step that each takes next, in units; empty before the first force.
    steps: Vec<u64>,
    /// Reused by each step.
    predicted: Vec<[f64; WIDTH]>,
    active: Vec<u32>,
}

impl Hermite {
    pub(crate) fn new(
        state: &State,
        softening: f64,
        accuracy: f64,
        largest: f64,
        smallest: f64,
    ) -> Result<Self, Trouble> {
        let blocks = Blocks::new(smallest, largest).ok_or_else(|| {
            Trouble::Physics(format!("there are too many steps between {smallest:e} and {largest:e}"))
        })?;
        let bodies = state.bodies()?;
        let motion = |(&place, &velocity)| Motion { place, velocity, ..Motion::default() };
        Ok(Hermite {
            accuracy,
            blocks,
            forces: Forces::new(state, softening)?,
            start: bodies.time,
            motions: bodies.positions.iter().zip(&bodies.velocities).map(motion).collect(),
            times: vec![0; bodies.len()],
            steps: Vec::new(),
            predicted: vec![[0.0; WIDTH]; bodies.len()],
            active: Vec::with_capacity(bodies.len()),
            masses: bodies.masses,
        })
    }

    pub(crate) fn advance(
        &mut self,
        system: &mut System,
        until: f64,
        control: &Control<'_>,
    ) -> Result<Advanced, Trouble> {
        let mut advanced = Advanced { time: until, steps: 0, forces: 0, stopped: None };
        let too_long = || Trouble::Physics(format!("time {until} is too many steps away"));
        let end = self.blocks.units(until - self.start).ok_or_else(too_long)?;
        if self.steps.is_empty() && !self.motions.is_empty() {
            self.begin(system)?;
            advanced.forces += 3 * self.motions.len() as u64;
        }
        let mut now = self.times.iter().copied().max().unwrap_or(0);
        let mut news = News::new(&system.state, until, control);
        while let Some(next) = self.next().filter(|&next| next <= end) {
            let check = control.check().map_or_else(Outcome::Stop, |()| Outcome::Done);
            if let Outcome::Stop(stop) = check.agreed(&system.state.context)? {
                advanced.stopped = Some(stop);
                advanced.time = system.state.time.max(self.start + self.blocks.length(now));
                break;
            }
            now = next;
            self.step(system, now)?;
            advanced.steps += 1;
            let forces = self.active.len() as u64;
            advanced.forces += forces;
            news.step(forces, self.start + self.blocks.length(now), advanced.steps);
        }
        self.show(system, advanced.time)?;
        Ok(advanced)
    }

    /// When the next step ends.
    fn next(&self) -> Option<u64> {
        self.times.iter().zip(&self.steps).map(|(time, step)| time + step).min()
    }

    /// The first forces, and the steps that follow from them.
    fn begin(&mut self, system: &mut System) -> Result<(), Trouble> {
        self.active.clear();
        self.active.extend(0..self.motions.len() as u32);
        // Each derivative needs the lower ones of all bodies.
        for order in [Order::Jerk, Order::Snap, Order::Crackle] {
            self.predict(0);
            let jerks: Vec<Vector> = self.motions.iter().map(|motion| motion.derivatives[1]).collect();
            self.forces.set_jerks(&jerks)?;
            let pulls = self.forces.on(&self.active, &self.predicted, order)?;
            for (motion, pull) in self.motions.iter_mut().zip(pulls) {
                let [a, j, highest] = pull.derivatives;
                motion.error = motion.rounding(&pull);
                let [.., s, c] = &mut motion.derivatives;
                match order {
                    Order::Jerk => {}
                    Order::Snap => *s = highest,
                    Order::Crackle => *c = highest,
                }
                (motion.derivatives[0], motion.derivatives[1]) = (a, j);
            }
            self.check(system, 0)?;
        }
        let wanted: Vec<f64> = self.motions.iter().map(|motion| motion.step(self.accuracy)).collect();
        // If all derivatives of a body vanish, as in the centre of a symmetric system, they do not determine
        // its step: those of the other bodies do.
        let least = wanted.iter().copied().fold(f64::INFINITY, f64::min);
        let steps: Result<Vec<u64>, (usize, f64)> = wanted
            .iter()
            .map(|step| if step.is_finite() { *step } else { least })
            .enumerate()
            .map(|(body, wanted)| self.blocks.first(wanted).map_err(|enough| (body, enough)))
            .collect();
        self.steps = steps.map_err(|(body, enough)| self.too_large(system, 0, body, enough))?;
        Ok(())
    }

    /// Places, velocities and accelerations of all bodies at a time.
    fn predict(&mut self, now: u64) {
        for (body, row) in self.predicted.iter_mut().enumerate() {
            let motion = &self.motions[body];
            let ([x, y, z], [u, v, w]) = motion.predicted(self.blocks.length(now - self.times[body]));
            let [a, b, c] = motion.derivatives[0];
            *row = [x, y, z, self.masses[body], u, v, w, a, b, c];
        }
    }

    /// Moves the bodies whose steps end at `now`.
    fn step(&mut self, system: &mut System, now: u64) -> Result<(), Trouble> {
        self.active.clear();
        let ends = self.times.iter().zip(&self.steps).map(|(time, step)| time + step);
        let bodies = ends.enumerate().filter(|&(_, end)| end == now).map(|(body, _)| body as u32);
        self.active.extend(bodies);
        self.predict(now);
        let pulls: Vec<Pull> = self.forces.on(&self.active, &self.predicted, Order::Jerk)?;
        for (&body, pull) in self.active.iter().zip(pulls) {
            let body = body as usize;
            let h = self.blocks.length(self.steps[body]);
            self.motions[body] = self.motions[body].corrected(h, &pull);
            self.times[body] = now;
        }
        self.check(system, now)?;
        for i in 0..self.active.len() {
            let body = self.active[i] as usize;
            let wanted = self.motions[body].step(self.accuracy);
            match self.blocks.next(self.steps[body], now, wanted) {
                Ok(step) => self.steps[body] = step,
                Err(enough) => return Err(self.too_large(system, now, body, enough)),
            }
        }
        Ok(())
    }

    /// Whether all that is known of the active bodies is a number.
    fn check(&self, system: &mut System, now: u64) -> Result<(), Trouble> {
        let lost = self.active.iter().find(|&&body| !self.motions[body as usize].is_finite());
        let Some(&body) = lost else { return Ok(()) };
        let time = self.start + self.blocks.length(now);
        system.state.time = time;
        let places: Vec<[f64; 3]> = self.predicted.iter().map(|row| [row[0], row[1], row[2]]).collect();
        let finite = places.iter().flatten().all(|x| x.is_finite());
        if finite
            && system.physics.softening == 0.0
            && let Some(trouble) = system.state.coincident(&places)
        {
            return Err(trouble);
        }
        Err(Trouble::NotANumber { body: system.state.id(body as usize), time })
    }

    /// The smallest step is too large for a body.
    fn too_large(&self, system: &mut System, now: u64, body: usize, enough: f64) -> Trouble {
        let time = self.start + self.blocks.length(now);
        // After a failure, the devices show the bodies before it. The failure takes precedence over an error
        // while showing them.
        let shown = self.show(system, time);
        let step = self.blocks.length(1);
        match shown {
            Ok(()) => Trouble::StepTooLarge { body: system.state.id(body), time, step, enough },
            Err(trouble) => trouble,
        }
    }

    /// Gives the devices all bodies at a time, which is not before that of any body.
    fn show(&self, system: &mut System, time: f64) -> Result<(), Trouble> {
        let (mut places, mut velocities) = (Vec::new(), Vec::new());
        for (body, motion) in self.motions.iter().enumerate() {
            let own = self.blocks.length(self.times[body]);
            let ([x, y, z], velocity) = motion.extrapolated((time - self.start) - own);
            places.push([x, y, z, self.masses[body]]);
            velocities.push(velocity);
        }
        system.state.position.fill(places.as_flattened())?;
        system.state.velocity.fill(velocities.as_flattened())?;
        system.state.time = time;
        Ok(())
    }
}

//! Reasons to doubt the results of a run in which nothing failed: energy that is not conserved, steps that
//! are too long for an encounter, lost digits.

use crate::bodies::Bodies;
use crate::energy::Totals;
use crate::physics::{Integrator, Physics};

/// Beyond this ratio of masses, the energies of heavy bodies absorb those of light ones.
const MASSES: f64 = 1e12;

/// Beyond this ratio of the bodies' common distance from the origin to the distances among them, too few
/// digits of positions distinguish bodies.
const DISTANCE: f64 = 1e8;

/// A reason to doubt results. Bodies are named by their ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The energy has changed by more than it may.
    Energy {
        /// When that was seen.
        time: f64,
        /// The relative change.
        drift: f64,
        /// Its limit.
        most: f64,
    },
    /// Steps were too long for the motion of bodies, as in a close encounter.
    Unresolved {
        /// The body for which most steps were.
        body: u64,
        /// Number of steps that were too long for it.
        steps: u64,
        /// Number of bodies for which some step was too long.
        bodies: usize,
        /// When that was seen.
        time: f64,
        /// The step.
        step: f64,
    },
    /// Steps are so short that moving bodies keep their positions.
    Standstill {
        /// The body.
        body: u64,
        /// When that was seen.
        time: f64,
        /// The step.
        step: f64,
    },
    /// The bodies are far from the origin.
    Far {
        /// Their distance from the origin, divided by the distances among them.
        ratio: f64,
        /// When that was seen.
        time: f64,
    },
    /// Masses differ by many orders.
    Masses {
        /// The ratio of the largest to the smallest that is not 0.
        ratio: f64,
    },
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doubt::Energy { time, drift, most } => {
                write!(
                    f,
                    "the energy has changed by {drift:.1e} of its value by time {time}, more than {most:e}"
                )
            }
            Doubt::Unresolved { body, steps, bodies, time, step } => {
                let more = match bodies {
                    1 => String::new(),
                    2 => ", and some for another one".to_owned(),
                    others => format!(", and some for {} others", others - 1),
                };
                write!(
                    f,
                    "{steps} steps of {step:e} by time {time} were too long for an encounter of body {body}{more}"
                )
            }
            Doubt::Standstill { body, time, step } => write!(
                f,
                "body {body} moves, but by less in a step of {step:e} than its position can tell, at time {time}"
            ),
            Doubt::Far { ratio, time } => write!(
                f,
                "at time {time}, the bodies are {ratio:.0e} times as far from the origin as from each other: {} digits of \
                 their distances are lost",
                ratio.log10().floor()
            ),
            Doubt::Masses { ratio } => write!(
                f,
                "masses differ by a factor of {ratio:.0e}: the drift of the energy says nothing about the light bodies"
            ),
        }
    }
}

impl Doubt {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Doubt::Energy { .. } => {
                "give `[physics]` a smaller `step`, or `integrator = \"hermite\"`; the bound is `largest_drift`"
            }
            Doubt::Unresolved { .. } => {
                "give `[physics]` a smaller `step`, a `softening`, or `integrator = \"hermite\"`, whose steps follow the motion"
            }
            Doubt::Standstill { .. } => {
                "give `[physics]` a longer `step`, or move the bodies near the origin"
            }
            Doubt::Far { .. } => "subtract the position of their centre of mass",
            Doubt::Masses { .. } => "bodies of mass 0 are pulled as well, and need no energy",
        }
    }

    /// Whether both are of the same kind: each kind is reported once.
    pub fn is_like(&self, other: &Doubt) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The change of the energy since the start, relative to its initial value; relative to kinetic and potential
/// energy if these nearly cancel out.
fn change(first: &Totals, now: &Totals) -> f64 {
    let parts = first.kinetic.abs() + first.potential.abs();
    let scale = if first.energy.abs() < 1e-3 * parts { parts } else { first.energy.abs() };
    let change = now.energy - first.energy;
    if change == 0.0 { 0.0 } else { change / scale }
}

/// The reasons to doubt a run at the time of `bodies`.
///
/// `first` and `now` are sums over the bodies at the start and at that time; `unresolved` is the result of
/// [`Simulation::unresolved`](crate::Simulation::unresolved); `largest_drift` is how much the energy may
/// change.
pub fn doubts(
    [first, now]: [&Totals; 2],
    bodies: &Bodies,
    unresolved: &[f64],
    physics: &Physics,
    largest_drift: f64,
) -> Vec<Doubt> {
    let mut found = Vec::new();
    let time = now.time;
    let drift = change(first, now);
    // A change that is not a number is not small.
    if drift.is_nan() || drift.abs() > largest_drift {
        found.push(Doubt::Energy { time, drift, most: largest_drift });
    }
    if let Integrator::Leapfrog { step } = physics.integrator {
        let worst = (0..unresolved.len()).max_by(|a, b| unresolved[*a].total_cmp(&unresolved[*b]));
        if let Some(worst) = worst.filter(|worst| unresolved[*worst] > 0.0) {
            let several = unresolved.iter().filter(|steps| **steps > 0.0).count();
            let (body, steps) = (bodies.ids[worst], unresolved[worst] as u64);
            found.push(Doubt::Unresolved { body, steps, bodies: several, time, step });
        }
        if let Some(body) = (0..bodies.len()).find(|body| stands_still(bodies, *body, step)) {
            found.push(Doubt::Standstill { body: bodies.ids[body], time, step });
        }
    }
    if let Some(ratio) = distance(bodies).filter(|ratio| *ratio > DISTANCE) {
        found.push(Doubt::Far { ratio, time });
    }
    let masses = || bodies.masses.iter().copied().filter(|mass| *mass > 0.0);
    let (most, least) = (masses().fold(0.0, f64::max), masses().fold(f64::INFINITY, f64::min));
    if most / least > MASSES {
        found.push(Doubt::Masses { ratio: most / least });
    }
    found
}

/// Whether a moving body keeps its position in a step, by rounding.
fn stands_still(bodies: &Bodies, body: usize, step: f64) -> bool {
    let (x, v) = (bodies.positions[body], bodies.velocities[body]);
    v.iter().any(|v| *v != 0.0) && (0..3).all(|axis| x[axis] + v[axis] * step == x[axis])
}

/// The distance of the centre of all bodies from the origin, in units of the largest distance from this
/// centre; `None` for a single body.
fn distance(bodies: &Bodies) -> Option<f64> {
    let bounds = |axis: usize| {
        let along = bodies.positions.iter().map(|place| place[axis]);
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
    };
    let bounds = [0, 1, 2].map(bounds);
    let norm = |of: &dyn Fn((f64, f64)) -> f64| bounds.iter().map(|b| of(*b) * of(*b)).sum::<f64>().sqrt();
    let (far, size) = (norm(&|(lo, hi)| 0.5 * lo + 0.5 * hi), norm(&|(lo, hi)| 0.5 * (hi - lo)));
    (size > 0.0 && bodies.len() > 1).then_some(far / size)
}

//! Forces and integrators.

use crate::law::Law;
use crate::trouble::Trouble;
use std::sync::Arc;

/// The law of motion, and the methods that follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Physics {
    /// Length `e` of Plummer's softening: the attraction is proportional to `1 / (r^2 + e^2)` instead of
    /// `1 / r^2`. 0 disables it.
    pub softening: f64,
    /// How forces are summed.
    pub solver: Solver,
    /// How time passes.
    pub integrator: Integrator,
    /// Whether results are to be the same on all devices.
    pub arithmetic: Arithmetic,
    /// The force between two bodies.
    pub force: Force,
}

/// The force between two bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Force {
    /// Newton's, with Plummer's softening.
    #[default]
    Newton,
    /// Another one, for direct sums with the leapfrog.
    Law(Arc<Law>),
}

/// Whether results are to be the same on all devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// The same bits on all devices and ranks, from one kernel for all. The relative error of the force
    /// between two bodies is below 2e-15; sums add the errors of adding one by one.
    #[default]
    Portable,
    /// For direct sums with the leapfrog, a kernel written for the technology, if there is one (processors
    /// with AVX-512, OpenCL). Relative errors of forces are below 2e-15. The bits depend on the kind of
    /// devices, but not on their number.
    Fastest,
}

/// How forces are summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// All pairs.
    Direct,
    /// Near bodies as pairs, distant bodies as groups (J. Barnes and P. Hut, *A hierarchical O(N log N)
    /// force-calculation algorithm*, Nature 324, 1986).
    Tree {
        /// A cell counts as a whole if its edge divided by its distance is less than this: from 0 to 1; 0
        /// sums all pairs.
        opening_angle: f64,
        /// Whether cells have quadrupole moments in addition to their masses.
        quadrupole: bool,
    },
}

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Second order, symplectic: half a kick, a drift, half a kick, with the same step for all.
    Leapfrog {
        /// The longest step. Steps are shortened a little so that a whole number of them ends at each output.
        step: f64,
    },
    /// Fourth order, with an individual step for each body that adapts to its motion (J. Makino and S. J.
    /// Aarseth, *On a Hermite integrator with Ahmad-Cohen scheme for gravitational many-body problems*, PASJ
    /// 44, 1992). Steps are powers of two. Sums all pairs.
    Hermite {
        /// `eta` of the criterion for steps (S. J. Aarseth 1985): about 0.01 to 0.02; smaller is more accurate.
        accuracy: f64,
        /// No step is longer. It is rounded down to a power of two.
        largest_step: f64,
        /// Limit of steps, rounded down to a power of two. A body that needs a shorter step ends the
        /// simulation.
        smallest_step: f64,
    },
}

impl Physics {
    /// Leapfrog on the sum of all pairs.
    pub fn direct(softening: f64, step: f64) -> Self {
        Physics {
            softening,
            solver: Solver::Direct,
            integrator: Integrator::Leapfrog { step },
            arithmetic: Arithmetic::Portable,
            force: Force::Newton,
        }
    }

    /// Whether all values are in their ranges.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), Trouble> {
        let expect = |fits: bool, what: &str, value: f64, range: &str| match fits {
            true => Ok(()),
            false => Err(Trouble::Physics(format!("{what} is {value}, but must be {range}"))),
        };
        let positive = |what: &str, value: f64| {
            expect(value.is_finite() && value > 0.0, what, value, "a number above 0")
        };
        let softening = self.softening;
        // Its square must neither overflow nor underflow.
        let fits = softening == 0.0 || (1e-80..=1e100).contains(&softening);
        expect(fits, "the softening length", softening, "0, or from 1e-80 to 1e100")?;
        if let Solver::Tree { opening_angle, .. } = self.solver {
            expect((0.0..=1.0).contains(&opening_angle), "the opening angle", opening_angle, "from 0 to 1")?;
        }
        let is_plain =
            matches!((self.solver, self.integrator), (Solver::Direct, Integrator::Leapfrog { .. }));
        if self.force != Force::Newton && !is_plain {
            return Err(Trouble::Physics(
                "a force law of one's own is for direct sums with the leapfrog".to_owned(),
            ));
        }
        match self.integrator {
            Integrator::Leapfrog { step } => positive("the step", step),
            Integrator::Hermite { accuracy, largest_step, smallest_step } => {
                positive("the accuracy", accuracy)?;
                positive("the largest step", largest_step)?;
                positive("the smallest step", smallest_step)?;
                let range = "no longer than the largest one";
                expect(smallest_step <= largest_step, "the smallest step", smallest_step, range)?;
                match self.solver {
                    Solver::Direct => Ok(()),
                    Solver::Tree { .. } => Err(Trouble::Physics(
                        "the Hermite integrator sums all pairs: a tree gives no derivatives of accelerations"
                            .to_owned(),
                    )),
                }
            }
        }
    }
}

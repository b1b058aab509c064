//! Initial conditions: bodies of well-known models, drawn from streams of random numbers.
//!
//! In: a [`Model`], the number of bodies, and a seed. Out: [`Bodies`] of equal masses in N-body units (D. C.
//! Heggie and R. D. Mathieu, *Standardised units and time scales*, 1986): the gravitational constant and the
//! total mass are 1, and the energy of the model is -1/4, so in equilibrium its virial radius is 1. The
//! energy of the bodies differs from that by the error of sampling. Their centre of mass rests at the origin.
//!
//! The random numbers of a body depend only on the seed and the number of the body, and all functions round
//! the same on every machine: arithmetic, square roots, and the logarithms and powers of
//! [`volvelle_streams::plain`]. So the bodies have the same bits everywhere.
//!
//! ```
//! use volvelle_nbody::initial::{Model, bodies};
//!
//! let bodies = bodies(&Model::Plummer, 1000, 7)?;
//! assert_eq!(bodies.len(), 1000);
//! # Ok::<(), volvelle_nbody::initial::Refused>(())
//! ```

mod arithmetic;
mod collapse;
mod draw;
mod encounter;
mod hernquist;
mod king;
mod model;
mod plummer;
mod sphere;

pub use king::concentration;
pub use model::{Encounter, Model, Refused};

use crate::bodies::Bodies;
use sphere::{Sphere, centre, sample};

/// Bodies of a model, with the ids 0, 1, ….
///
/// # Errors
/// A value of the model is out of its range, there are too few bodies for it, or too many for the memory.
pub fn bodies(model: &Model, count: u64, seed: u64) -> Result<Bodies, Refused> {
    let mut bodies = match model {
        Model::Encounter(encounter) => encounter::bodies(encounter, count, seed, sphere)?,
        one => sample(&*sphere(one)?, count, 0, seed)?,
    };
    bodies.ids = (0..count).collect();
    centre(&mut bodies);
    Ok(bodies)
}

/// The distribution of a model that is a single sphere.
fn sphere(model: &Model) -> Result<Box<dyn Sphere>, Refused> {
    Ok(match model {
        Model::Plummer => Box::new(plummer::Plummer),
        Model::Hernquist => Box::new(hernquist::Hernquist),
        Model::King { w0 } => Box::new(king::King::new(*w0)?),
        Model::ColdCollapse { virial_ratio } => Box::new(collapse::Collapse::new(*virial_ratio)?),
        Model::Encounter(_) => {
            return Err(Refused::new("galaxies", "each galaxy of an encounter is a single sphere"));
        }
    })
}

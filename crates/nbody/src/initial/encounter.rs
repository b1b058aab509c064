//! Two galaxies on an orbit.

use super::arithmetic::cosine_and_sine;
use super::model::{Encounter, Model, Refused};
use super::sphere::{Orbit, Sphere, centre, sample};
use crate::bodies::Bodies;

/// The bodies of both galaxies, the first one first; `sphere` gives the distribution of a model.
pub fn bodies(
    encounter: &Encounter,
    count: u64,
    seed: u64,
    sphere: impl Fn(&Model) -> Result<Box<dyn Sphere>, Refused>,
) -> Result<Bodies, Refused> {
    let (position, velocity) = orbit(encounter)?;
    let second = encounter.mass_ratio / (1.0 + encounter.mass_ratio);
    if count < 2 {
        return Err(Refused::new("count", "an encounter needs two bodies"));
    }
    let many = ((count as f64 * second).round() as u64).clamp(1, count - 1);
    let mut both = Bodies::default();
    let parts = [(0, count - many, 0, 1.0 - second, -second), (1, many, count - many, second, 1.0 - second)];
    for (galaxy, count, first, mass, along) in parts {
        let mut bodies = sample(&*sphere(&encounter.galaxies[galaxy])?, count, first, seed)?;
        centre(&mut bodies);
        let size = encounter.sizes[galaxy];
        let speed = (mass / size).sqrt();
        let [cosine, sine] = cosine_and_sine(encounter.tilts[galaxy]);
        let turned = |[x, y, z]: [f64; 3]| [x, cosine * y - sine * z, sine * y + cosine * z];
        let moved = |vector: [f64; 3], scale: f64, by: [f64; 3]| {
            let vector = turned(vector);
            std::array::from_fn(|k| vector[k] * scale + along * by[k])
        };
        both.positions.extend(bodies.positions.iter().map(|&x| moved(x, size, position)));
        both.velocities.extend(bodies.velocities.iter().map(|&v| moved(v, speed, velocity)));
        both.masses.extend(std::iter::repeat_n(mass / count as f64, bodies.len()));
    }
    Ok(both)
}

/// Position and velocity of the second galaxy relative to the first, on the way to the pericentre. The total
/// mass is 1.
fn orbit(encounter: &Encounter) -> Result<Orbit, Refused> {
    let Encounter { pericentre, eccentricity, separation, .. } = *encounter;
    let above_0 = |value: &'static str, x: f64| match x > 0.0 && x.is_finite() {
        true => Ok(()),
        false => Err(Refused::new(value, format!("{x} is not above 0"))),
    };
    above_0("mass_ratio", encounter.mass_ratio)?;
    encounter.sizes.iter().try_for_each(|&size| above_0("sizes", size))?;
    above_0("pericentre", pericentre)?;
    above_0("separation", separation)?;
    if let Some(tilt) = encounter.tilts.iter().find(|tilt| !tilt.is_finite()) {
        return Err(Refused::new("tilts", format!("{tilt} is no angle")));
    }
    if !(eccentricity >= 0.0 && eccentricity.is_finite()) {
        return Err(Refused::new("eccentricity", format!("{eccentricity} is below 0 or no number")));
    }
    let parameter = pericentre * (1.0 + eccentricity);
    if separation < pericentre {
        return Err(Refused::new(
            "separation",
            format!("{separation} is below the pericentre, {pericentre}"),
        ));
    }
    let apocentre = parameter / (1.0 - eccentricity);
    if eccentricity < 1.0 && separation > apocentre {
        return Err(Refused::new("separation", format!("{separation} is above the apocentre, {apocentre}")));
    }
    // The distance is parameter / (1 + eccentricity cosine) at the true anomaly, which is negative before the pericentre.
    let cosine = match eccentricity > 0.0 {
        true => ((parameter / separation - 1.0) / eccentricity).clamp(-1.0, 1.0),
        false => 1.0,
    };
    let sine = -(1.0 - cosine * cosine).sqrt();
    let speed = 1.0 / parameter.sqrt();
    Ok(([separation * cosine, separation * sine, 0.0], [-speed * sine, speed * (eccentricity + cosine), 0.0]))
}

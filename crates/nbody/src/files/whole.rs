//! Requirements on the bodies of every file.

use super::format::Precision;
use crate::bodies::Bodies;

/// Whether bodies can be written so that they are read again.
pub fn fits(bodies: &Bodies, precision: Precision) -> Result<(), String> {
    check(bodies)?;
    // Numbers above this become infinite when they are rounded to 32 bits.
    let small = |x: &f64| (*x as f32).is_finite();
    let vectors = bodies.positions.iter().chain(&bodies.velocities).flatten();
    match precision == Precision::Double || vectors.chain(&bodies.masses).all(small) {
        true => Ok(()),
        false => Err("a number is too large for 32 bits".to_owned()),
    }
}

/// Whether the lists have the same length and all numbers can be read again.
pub fn check(bodies: &Bodies) -> Result<(), String> {
    let count = bodies.masses.len();
    let others = [bodies.ids.len(), bodies.positions.len(), bodies.velocities.len()];
    if let Some(column) = bodies.others.iter().find(|column| column.values.len() != count) {
        return Err(format!(
            "there are {count} masses, but {} values of `{}`",
            column.values.len(),
            column.name
        ));
    }
    if let Some(other) = others.iter().find(|&&other| other != count) {
        return Err(format!("there are {count} masses, but {other} ids, positions or velocities"));
    }
    if !bodies.time.is_finite() {
        return Err(format!("the time is {}", bodies.time));
    }
    for body in 0..count {
        let vectors = bodies.positions[body].iter().chain(&bodies.velocities[body]);
        if bodies.masses[body] < 0.0 || !vectors.chain([&bodies.masses[body]]).all(|x| x.is_finite()) {
            return Err(format!(
                "a value of particle {} is infinite, no number, or a negative mass",
                body + 1
            ));
        }
    }
    if let Some((first, second)) = repeated(&bodies.ids) {
        let id = bodies.ids[first];
        return Err(format!("particles {} and {} both have the id {id}", first + 1, second + 1));
    }
    Ok(())
}

/// Two bodies with the same id: indices, the smaller one first.
pub fn repeated(ids: &[u64]) -> Option<(usize, usize)> {
    if ids.windows(2).all(|pair| pair[0] < pair[1]) {
        return None;
    }
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by_key(|&body| (ids[body], body));
    let pairs = order.windows(2).filter(|pair| ids[pair[0]] == ids[pair[1]]);
    pairs.map(|pair| (pair[0], pair[1])).min_by_key(|pair| pair.1)
}

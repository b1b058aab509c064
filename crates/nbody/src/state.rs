//! The state of the bodies in the memory of devices.

use crate::bodies::{Bodies, Column};
use crate::trouble::Trouble;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Layout, SyncedArray};
use volvelle_runtime::{Context, Error};

/// The record of a body in the array of positions.
pub(crate) const BODY: &[(&str, u64)] = &[("place", 3), ("mass", 1)];
/// The record of a velocity or an acceleration.
pub(crate) const VECTOR: &[(&str, u64)] = &[("vector", 3)];

/// Positions and velocities, spread over the devices of a context.
pub(crate) struct State {
    pub(crate) context: Arc<Context>,
    pub(crate) time: f64,
    ids: Vec<u64>,
    others: Vec<Column>,
    /// x, y, z and mass of all bodies, on every device.
    pub(crate) position: Arc<SyncedArray>,
    /// Of the bodies that a device owns.
    pub(crate) velocity: Arc<Array>,
    /// Of the bodies that a device owns.
    pub(crate) acceleration: Arc<Array>,
}

impl State {
    pub(crate) fn new(context: &Arc<Context>, bodies: &Bodies) -> Result<Self, Trouble> {
        check(bodies)?;
        let count = bodies.len() as u64;
        let array = || Array::new(context, Layout::several(Type::F64, 3), count).map(Arc::new);
        let state = State {
            context: context.clone(),
            time: bodies.time,
            ids: bodies.ids.clone(),
            others: bodies.others.clone(),
            position: Arc::new(SyncedArray::new(context, Layout::several(Type::F64, 4), count)?),
            velocity: array()?,
            acceleration: array()?,
        };
        let with_mass = |(&[x, y, z], &mass): (&[f64; 3], &f64)| [x, y, z, mass];
        let positions: Vec<[f64; 4]> = bodies.positions.iter().zip(&bodies.masses).map(with_mass).collect();
        state.position.fill(positions.as_flattened())?;
        state.velocity.fill(bodies.velocities.as_flattened())?;
        Ok(state)
    }

    /// Number of bodies.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The id of a body.
    pub(crate) fn id(&self, body: usize) -> u64 {
        self.ids[body]
    }

    /// The bodies as they are. All ranks call it.
    pub(crate) fn bodies(&self) -> Result<Bodies, Error> {
        let positions: Vec<f64> = self.position.values()?;
        let (positions, _) = positions.as_chunks::<4>();
        let velocities: Vec<f64> = self.velocity.values()?;
        Ok(Bodies {
            time: self.time,
            ids: self.ids.clone(),
            masses: positions.iter().map(|p| p[3]).collect(),
            positions: positions.iter().map(|&[x, y, z, _]| [x, y, z]).collect(),
            velocities: velocities.as_chunks::<3>().0.to_vec(),
            others: self.others.clone(),
        })
    }

    /// Two bodies at the same place, with the smallest indices.
    pub(crate) fn coincident(&self, positions: &[[f64; 3]]) -> Option<Trouble> {
        let mut order: Vec<usize> = (0..positions.len()).collect();
        // Zeros of both signs are the same place.
        let key = |body: usize| positions[body].map(|x| x + 0.0);
        let compare = |a: &usize, b: &usize| {
            let (x, y) = (key(*a), key(*b));
            let axes = x.iter().zip(&y).map(|(x, y)| x.total_cmp(y));
            axes.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(b))
        };
        order.sort_unstable_by(compare);
        let pairs = order.windows(2).filter(|pair| key(pair[0]) == key(pair[1]));
        let least = pairs.map(|pair| (pair[0], pair[1])).min();
        least.map(|(a, b)| Trouble::Coincident { first: self.id(a), second: self.id(b), time: self.time })
    }

    /// Finds out why accelerations are not numbers. All ranks call it.
    pub(crate) fn diagnose(&self, softening: f64) -> Result<Trouble, Error> {
        let accelerations: Vec<f64> = self.acceleration.values()?;
        let bodies = self.bodies()?;
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let is_lost = |&body: &usize| !finite(&bodies.positions[body]) || !finite(&bodies.velocities[body]);
        let lost = (0..self.len()).find(is_lost);
        if lost.is_none()
            && softening == 0.0
            && let Some(trouble) = self.coincident(&bodies.positions)
        {
            return Ok(trouble);
        }
        let accelerated = || accelerations.as_chunks::<3>().0.iter().position(|a| !finite(a));
        let body = lost.or_else(accelerated).unwrap_or(0);
        Ok(Trouble::NotANumber { body: self.id(body), time: self.time })
    }
}

/// Whether bodies can be simulated.
fn check(bodies: &Bodies) -> Result<(), Trouble> {
    let count = bodies.masses.len();
    let lengths = [
        ("ids", bodies.ids.len()),
        ("positions", bodies.positions.len()),
        ("velocities", bodies.velocities.len()),
    ];
    if let Some(column) = bodies.others.iter().find(|column| column.values.len() != count) {
        let (name, found) = (&column.name, column.values.len());
        return Err(Trouble::Bodies(format!("there are {count} masses, but {found} values of `{name}`")));
    }
    if let Some((what, found)) = lengths.into_iter().find(|&(_, found)| found != count) {
        return Err(Trouble::Bodies(format!("there are {count} masses, but {found} {what}")));
    }
    let mut ids = bodies.ids.clone();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Trouble::Bodies(format!("two bodies have the id {}", pair[0])));
    }
    if !bodies.time.is_finite() {
        return Err(Trouble::Bodies(format!("the time of the bodies is {}", bodies.time)));
    }
    let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
    for body in 0..count {
        let (id, mass) = (bodies.ids[body], bodies.masses[body]);
        if !finite(&[mass]) || !finite(&bodies.positions[body]) || !finite(&bodies.velocities[body]) {
            return Err(Trouble::NotANumber { body: id, time: bodies.time });
        }
        if mass < 0.0 {
            return Err(Trouble::Bodies(format!("body {id} has the negative mass {mass}")));
        }
    }
    Ok(())
}

//! Features of a configuration: counts from which a linear model predicts its run time on a real device.
//!
//! All counts are those of the busiest unit; [`crate::platform::COEFFICIENTS`] explains the [`NAMES`]. The
//! work of items is summed over a work-group, and the work of groups over the unit with most work.

use crate::classes::Classes;
use crate::expression::Fault;
use crate::kernel::Test;
use crate::model::{Model, Piece, Step};
use crate::platform::COEFFICIENTS;
use crate::shape::{Cursor, Obstacle, shape};
use crate::tally::tally;

/// Names of the features, in their order.
pub const NAMES: [&str; COEFFICIENTS.len()] = COEFFICIENTS;

/// The nanoseconds that a calibrated platform predicts for a configuration; `None` if it is not calibrated.
pub fn nanoseconds(model: &Model, names: &[i64]) -> Result<Option<f64>, Obstacle> {
    if let Some(processor) = &model.platform.processor {
        let (work, items) = tally(model, names, &processor.caches)?;
        return Ok(Some(processor.predict(&work, items)));
    }
    let Some(known) = &model.platform.nanoseconds else { return Ok(None) };
    Ok(Some(known.predict(&features(model, names)?)))
}

/// The features of a configuration, in the order of [`NAMES`]. `names` has the value of each name of the model.
pub fn features(model: &Model, names: &[i64]) -> Result<Vec<f64>, Obstacle> {
    let shape = shape(model, names)?;
    let platform = &model.platform;
    let items = shape.items() as f64;
    let mut counter = Counter { at: Cursor::new(model, names, shape), counts: Counts::default() };
    let classes = Classes::of(model, &mut counter.at)?;
    let mut by_class = Vec::with_capacity(classes.all.len());
    for class in &classes.all {
        counter.at.enter_at(class.representative());
        counter.counts = Counts::default();
        counter.steps(&model.steps, 1.0)?;
        by_class.push(counter.counts);
    }
    let loads: Vec<f64> = by_class.iter().map(|counts| items + counts.all().iter().sum::<f64>()).collect();
    let shares = classes.on_busiest(u64::from(platform.units) * u64::from(platform.devices), &loads);
    let groups: f64 = shares.iter().sum();
    let mut of_work = [0.0; 6];
    for (counts, share) in by_class.iter().zip(&shares) {
        of_work.iter_mut().zip(counts.all()).for_each(|(sum, count)| *sum += share * count);
    }
    let [operations, iterations, coalesced, strided, local, barriers] = of_work;
    // Lanes of the last round of warps that no item fills.
    let lanes = f64::from(platform.slots().min(u32::MAX / platform.warp.max(1)) * platform.warp);
    let idle = (items / lanes).ceil() * lanes - items;
    Ok(vec![
        1.0,
        groups,
        groups * items,
        operations,
        iterations,
        coalesced,
        strided,
        local,
        barriers,
        groups * idle,
    ])
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    operations: f64,
    iterations: f64,
    coalesced: f64,
    strided: f64,
    local: f64,
    barriers: f64,
}

impl Counts {
    fn all(&self) -> [f64; 6] {
        [self.operations, self.iterations, self.coalesced, self.strided, self.local, self.barriers]
    }
}

struct Counter<'m> {
    at: Cursor<'m>,
    counts: Counts,
}

impl Counter<'_> {
    /// Counts steps that are executed `times` times.
    fn steps(&mut self, steps: &[Step], times: f64) -> Result<(), Obstacle> {
        let items = self.at.shape.items();
        for step in steps {
            self.at.spend()?;
            match step {
                Step::Barrier => self.counts.barriers += times,
                Step::Region(region) if region.depends.local && !self.at.is_uniform(&region.work) => {
                    for item in 0..items {
                        self.pieces(&region.work, item, times)?;
                    }
                }
                Step::Region(region) => self.pieces(&region.work, 0, times * items as f64)?,
                Step::If { test, then, other } => {
                    let branch = if test.holds(&self.at.values(0))? { then } else { other };
                    self.steps(branch, times)?;
                }
                Step::Loop { trips: Some(trips), body, is_alike: true, .. } => {
                    let trips = trips.value(&self.at.values(0))?.max(0) as f64;
                    self.counts.iterations += times * trips * items as f64;
                    self.steps(body, times * trips)?;
                }
                Step::Loop { counter, test, body, .. } => {
                    let counter = usize::from(*counter);
                    self.at.counters[counter] = 0;
                    while test.holds(&self.at.values(0))? {
                        self.counts.iterations += times * items as f64;
                        self.steps(body, times)?;
                        self.at.counters[counter] += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts the work of an item that is done `times` times.
    fn pieces(&mut self, pieces: &[Piece], item: i64, times: f64) -> Result<(), Obstacle> {
        for piece in pieces {
            self.at.spend()?;
            match piece {
                Piece::Cost(cost) => {
                    self.counts.operations += times * f64::from(cost.operations);
                    self.counts.local += times * f64::from(cost.local);
                    self.counts.coalesced += times * f64::from(cost.coalesced);
                    self.counts.strided += times * f64::from(cost.strided);
                }
                Piece::If { test: Test::Known(test), then, other } => {
                    let branch = if test.holds(&self.at.values(item))? { then } else { other };
                    self.pieces(branch, item, times)?;
                }
                Piece::If { then, other, .. } => {
                    self.pieces(then, item, times)?;
                    self.pieces(other, item, times)?;
                }
                Piece::Loop { trips: Some(trips), body, is_alike: true, .. } => {
                    let trips = trips.value(&self.at.values(item))?.max(0) as f64;
                    self.counts.iterations += times * trips;
                    self.pieces(body, item, times * trips)?;
                }
                Piece::Loop { counter, test, body, .. } => {
                    let counter = usize::from(*counter);
                    self.at.counters[counter] = 0;
                    while test.holds(&self.at.values(item))? {
                        self.counts.iterations += times;
                        self.pieces(body, item, times)?;
                        self.at.counters[counter] =
                            self.at.counters[counter].checked_add(1).ok_or(Fault::Overflow)?;
                    }
                }
            }
        }
        Ok(())
    }
}

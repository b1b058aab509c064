//! The order in which epochs are solved, in any arithmetic, and how long the values of each are needed.

use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_control::Control;
use volvelle_solver::CheckError;

use super::costs::Costs;

/// Epochs above this number are refused.
const MOST_EPOCHS: usize = 1 << 27;

/// Solves epochs one after another, in some arithmetic.
pub trait Solver {
    /// Solves an epoch; those that its steps lead to are kept. `key` gives the key of an epoch.
    fn solve(&mut self, epoch: &[u32], key: &dyn Fn(&[u32]) -> u64) -> Result<(), CheckError>;

    /// Keeps the epoch that was solved last.
    fn keep(&mut self, key: u64, epoch: &[u32]) -> Result<(), CheckError>;

    /// Forgets an epoch.
    fn forget(&mut self, key: u64);
}

/// Epochs in the order in which they are solved.
pub struct Schedule {
    /// The numbers of epochs.
    pub key: Keys,
    order: Vec<u64>,
    asked: FxHashSet<u64>,
}

impl Schedule {
    /// All that steps lead to from some epochs whose values are asked for.
    pub fn new<'s>(
        costs: &Costs,
        asked: impl Iterator<Item = &'s Vec<u32>>,
        control: &Control,
    ) -> Result<Self, CheckError> {
        let key = Keys::new(costs);
        if !key.fit() {
            return Err(too_large());
        }
        let asked: FxHashSet<u64> = asked.map(|epoch| key.of(epoch)).collect();
        let order = reachable(costs, &key, asked.iter().copied().collect(), control)?;
        Ok(Schedule { key, order, asked })
    }

    /// Number of epochs.
    pub fn epochs(&self) -> u64 {
        self.order.len() as u64
    }

    /// The numbers of the epochs.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.order.iter().copied()
    }

    /// The demands that are met, for every epoch.
    pub fn met<'s>(&'s self, costs: &'s Costs) -> impl Iterator<Item = u32> + 's {
        self.order.iter().map(|&epoch| costs.met(&self.key.epoch(epoch)))
    }

    /// Solves all epochs; `found` is told of those that are asked for, with their numbers, right after they are solved.
    pub fn run<S: Solver>(
        &self,
        costs: &Costs,
        solver: &mut S,
        mut found: impl FnMut(&mut S, u64, &[u32]) -> Result<(), CheckError>,
    ) -> Result<(), CheckError> {
        let key = &self.key;
        // How often an epoch is needed by later ones.
        let mut users: FxHashMap<u64, u32> = FxHashMap::default();
        for &epoch in &self.order {
            for_each_successor(costs, key, epoch, |next| *users.entry(next).or_default() += 1);
        }
        for &number in &self.order {
            let epoch = key.epoch(number);
            solver.solve(&epoch, &|epoch| key.of(epoch))?;
            if self.asked.contains(&number) {
                found(solver, number, &epoch)?;
            }
            if users.contains_key(&number) {
                solver.keep(number, &epoch)?;
            }
            for_each_successor(costs, key, number, |next| {
                if let Some(count) = users.get_mut(&next) {
                    *count -= 1;
                    if *count == 0 {
                        solver.forget(next);
                    }
                }
            });
        }
        Ok(())
    }
}

fn too_large() -> CheckError {
    CheckError::TooLarge { what: "epochs (amounts that can be left of the bounds)".to_string() }
}

/// Numbers of epochs: an epoch that follows another has a smaller one.
pub struct Keys {
    sizes: Vec<u64>,
}

impl Keys {
    /// The numbers for the amounts of some costs.
    pub fn new(costs: &Costs) -> Self {
        Keys { sizes: costs.dimensions.iter().map(|d| u64::from(d.limit) + 1).collect() }
    }

    /// Whether numbers fit.
    pub fn fit(&self) -> bool {
        self.sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size)).is_some()
    }

    /// The number of an epoch.
    pub fn of(&self, epoch: &[u32]) -> u64 {
        epoch.iter().zip(&self.sizes).fold(0, |key, (&left, size)| key * size + u64::from(left))
    }

    /// The epoch with a number.
    pub fn epoch(&self, mut key: u64) -> Vec<u32> {
        let mut epoch = vec![0; self.sizes.len()];
        for (left, size) in epoch.iter_mut().zip(&self.sizes).rev() {
            *left = (key % size) as u32;
            key /= size;
        }
        epoch
    }
}

/// The epochs that steps lead to from some different ones, in an order in which they can be solved.
fn reachable(
    costs: &Costs,
    key: &Keys,
    mut work: Vec<u64>,
    control: &Control,
) -> Result<Vec<u64>, CheckError> {
    let mut known: FxHashSet<u64> = work.iter().copied().collect();
    let mut visited = 0u64;
    while let Some(epoch) = work.pop() {
        if visited.is_multiple_of(1 << 14) {
            control.check()?;
            // The set, the list of what waits, and the order.
            control.check_memory(48 * known.len() as u64)?;
        }
        visited += 1;
        for_each_successor(costs, key, epoch, |next| {
            if known.insert(next) {
                work.push(next);
            }
        });
        if known.len() > MOST_EPOCHS {
            return Err(too_large());
        }
    }
    let mut order: Vec<u64> = known.into_iter().collect();
    order.sort_unstable();
    Ok(order)
}

/// The different epochs that steps lead to.
fn for_each_successor(costs: &Costs, key: &Keys, number: u64, mut visit: impl FnMut(u64)) {
    let epoch = key.epoch(number);
    let met = costs.met(&epoch);
    let mut rest = epoch.clone();
    for step in 0..costs.steps.len() as u32 {
        if costs.counts(step, met) && costs.after(&epoch, step, &mut rest) {
            visit(key.of(&rest));
        }
    }
}

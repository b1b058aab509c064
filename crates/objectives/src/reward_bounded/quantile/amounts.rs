//! The search over amounts, and what it finds.

use dashu_ratio::RBig;
use rustc_hash::FxHashSet;
use volvelle_logic::StopReason;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

use crate::reward_bounded::costs::Costs;
use crate::reward_bounded::schedule::Solver;

/// What is known of the amount of a state.
#[derive(Clone, Copy, PartialEq)]
pub enum Found {
    /// Not the one before; goes on.
    Open,
    /// This many units.
    Units(u32),
    /// Every amount will do.
    Infinite,
    /// No amount will do.
    Never,
}

/// The amounts for all states, in units.
pub struct Amounts {
    pub(super) found: Vec<Found>,
    pub(super) unit: RBig,
    pub(super) method: String,
    pub(super) stop: StopReason,
}

impl Amounts {
    /// The amounts as numbers of some kind.
    pub fn each<T: Clone>(
        &self,
        needed: &BitSet,
        elsewhere: T,
        infinity: T,
        number: impl Fn(&RBig) -> T,
    ) -> Result<Vec<T>, CheckError> {
        let value = |(s, found): (usize, &Found)| match found {
            _ if !needed.contains(s) => Ok(elsewhere.clone()),
            Found::Units(units) => Ok(number(&(&self.unit * RBig::from(*units)))),
            Found::Infinite => Ok(infinity.clone()),
            Found::Never | Found::Open => Err(CheckError::NoAmount { state: s as u32 }),
        };
        self.found.iter().enumerate().map(value).collect()
    }

    /// The method, for users.
    pub fn method(&self) -> &str {
        &self.method
    }
}

/// The search over amounts.
pub struct Search<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) needed: &'a BitSet,
    pub(super) found: Vec<Found>,
    /// Whether the amounts that will do are those from one on.
    pub(super) from: bool,
    /// The open dimension.
    pub(super) open: usize,
    /// The amounts of the bounds; that of the open dimension has no meaning.
    pub(super) start: Vec<u32>,
    /// What choices spend.
    pub costs: &'a Costs,
}

impl Search<'_> {
    pub(super) fn is_open(&self) -> bool {
        self.needed.iter().any(|s| self.found[s] == Found::Open)
    }

    /// Notes whether an amount will do, for every state that is open.
    pub(super) fn note(
        &mut self,
        units: u32,
        holds: impl Fn(usize) -> Result<bool, CheckError>,
    ) -> Result<(), CheckError> {
        for s in self.needed.iter().filter(|&s| self.found[s] == Found::Open).collect::<Vec<_>>() {
            match (holds(s)?, self.from) {
                (true, true) => self.found[s] = Found::Units(units),
                (false, false) => self.found[s] = units.checked_sub(1).map_or(Found::Never, Found::Units),
                _ => {}
            }
        }
        Ok(())
    }

    /// The amounts that can be left in the other dimensions, in an order in which epochs can be solved.
    pub(super) fn others(&self) -> Vec<Vec<u32>> {
        let mut first = self.start.clone();
        first[self.open] = 0;
        let mut known: FxHashSet<Vec<u32>> = FxHashSet::from_iter([first.clone()]);
        let mut work = vec![first];
        while let Some(epoch) = work.pop() {
            let mut rest = epoch.clone();
            for step in 0..self.costs.steps.len() as u32 {
                // What the open dimension spends makes no difference here.
                if self.costs.after_others(&epoch, step, self.open, &mut rest) && known.insert(rest.clone()) {
                    work.push(rest.clone());
                }
            }
        }
        let mut order: Vec<Vec<u32>> = known.into_iter().collect();
        order.sort_unstable();
        order
    }

    /// The most that a step spends in the open dimension.
    pub(super) fn longest(&self) -> u32 {
        self.costs.steps.iter().map(|step| step[self.open]).max().unwrap_or(0)
    }

    pub(super) fn at(&self, units: u32, other: &[u32]) -> Vec<u32> {
        let mut epoch = other.to_vec();
        epoch[self.open] = units;
        epoch
    }

    /// The demands that may be met in epochs.
    pub fn met(&self) -> Vec<u32> {
        let others = self.others();
        others.iter().flat_map(|other| [0, 1].map(|units| self.costs.met(&self.at(units, other)))).collect()
    }

    /// Solves epochs for one amount after another. `holds` says whether the threshold is met in a state, in the epoch that
    /// was solved last.
    pub fn by_epochs<S: Solver>(
        &mut self,
        solver: &mut S,
        holds: impl Fn(&S, &[u32], usize) -> Result<bool, CheckError>,
    ) -> Result<(), CheckError> {
        let open = self.open;
        let others = self.others();
        let place = |epoch: &[u32]| {
            let mut other = epoch.to_vec();
            other[open] = 0;
            let place = others.binary_search(&other).unwrap_or(0);
            u64::from(epoch[open]) * others.len() as u64 + place as u64
        };
        let longest = self.longest();
        let last = self.at(0, &self.start);
        let mut units = 0;
        while self.is_open() {
            for other in &others {
                let epoch = self.at(units, other);
                solver.solve(&epoch, &place)?;
                solver.keep(place(&epoch), &epoch)?;
                if *other == last {
                    self.note(units, |s| holds(solver, &epoch, s))?;
                }
            }
            if let Some(past) = units.checked_sub(longest) {
                for other in &others {
                    solver.forget(place(&self.at(past, other)));
                }
            }
            if units + 1 >= self.costs.dimensions[open].limit {
                return Err(CheckError::TooLarge { what: "amounts below the quantile".to_string() });
            }
            units += 1;
        }
        Ok(())
    }
}

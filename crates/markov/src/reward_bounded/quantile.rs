//! Quantiles: the least or the largest amount with which a probability meets a threshold.
//!
//! The probability is monotone in the amount, so epochs are solved for one amount after another until the threshold is
//! crossed. Whether it ever is follows from the limit of the probability for large amounts: of the unbounded formula for a
//! budget; for a demand, of paths that spend without end (Ummels and Baier, *Computing quantiles in Markov reward models*,
//! FoSSaCS 2013, doi:10.1007/978-3-642-37075-5_23). That all paths, rather than almost all, keep within a budget is decided by
//! the graph alone ([`surely`]).

mod limit;
mod surely;

use dashu_ratio::RBig;
use rustc_hash::FxHashSet;
use volvelle_control::Fact;
use volvelle_logic::{Comparison, CostBound, Optimum, Quantile, StopReason};
use volvelle_space::BitSet;

use super::costs::Costs;
use super::engine::Engine;
use super::layer::Problem;
use super::{layers, require_discrete};
use crate::context::Context;
use crate::error::CheckError;
use crate::interval::decide;
use crate::numbers::Numbers;
use crate::reach::prob01_until;

/// Amounts that follow one another without another in between, as the precision of components assumes.
const CHAIN: u64 = 1_000;

/// What is known of the amount of a state.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// Not the one before; goes on.
    Open,
    /// This many units.
    Units(u32),
    /// Every amount will do.
    Infinite,
    /// No amount will do.
    Never,
}

/// The amount for every state; only for those of `needed` (`None`: all).
///
/// # Errors
/// Some amount is undefined, since none meets the threshold; or bounds on a probability do not decide the comparison.
pub fn quantile(
    context: &Context,
    (left, right): (&BitSet, &BitSet),
    quantile: &Quantile,
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    require_discrete(context)?;
    let optimum = if context.is_chain() { Optimum::Max } else { optimum };
    let states = context.states();
    let Quantile { bounds, open, upper, bound, .. } = quantile;
    let at_least = matches!(bound.comparison, Comparison::Ge | Comparison::Gt);
    // The amounts that will do are those from one on, or those up to one.
    let from = at_least == *upper;
    let needed = needed.cloned().unwrap_or_else(|| BitSet::full(states));
    let zero = prob01_until(context, left, right, optimum).zero;
    let mut relevant = left.clone();
    relevant.subtract(&zero);
    let costs = Costs::new(context, &[bounds], &relevant, Some((*open, *upper)))?;
    let open = costs.dimension(*open, *upper);
    let unit = costs.dimensions[open].unit.clone();
    let certain =
        *upper && bound.threshold == 1.0 && matches!(bound.comparison, Comparison::Ge | Comparison::Lt);
    let mut found = vec![Found::Open; states];
    let mut method = String::new();
    let Some(start) = costs.start(bounds) else {
        // Another bound cannot be met.
        let holds = decide(bound.comparison, [0.0; 2], [bound.threshold; 2]) == Some(true);
        let all = match (holds, from) {
            (true, true) => Found::Units(0),
            (true, false) => Found::Infinite,
            (false, true) => Found::Infinite,
            (false, false) => Found::Never,
        };
        found.fill(all);
        return numbers(&found, &needed, &unit, "graph analysis".to_string(), StopReason::Computed);
    };
    if !certain {
        let limit = limit::probability(context, left, right, quantile, optimum, &needed)?;
        for s in needed.iter() {
            let met = decide(bound.comparison, limit.bounds[s], [bound.threshold; 2]);
            let met = met.ok_or_else(|| undecided(s, limit.bounds[s], bound.threshold))?;
            // No amount but infinity will do, or all of them do.
            if met != from {
                found[s] = Found::Infinite;
            }
        }
        method = limit.method;
    }
    let mut search = Search { context, needed: &needed, found, from, open, start, costs: &costs };
    let mut stop = StopReason::Computed;
    if certain {
        surely::search(&mut search, left, right, optimum, at_least)?;
        method = "graph analysis".to_string();
    } else if search.is_open() {
        let problem = Problem::new(context, (left, right), zero, optimum, search.costs.clone());
        let what = |bounds: [f64; 2], s: usize| {
            decide(bound.comparison, bounds, [bound.threshold; 2])
                .ok_or_else(|| undecided(s, bounds, bound.threshold))
        };
        let (how, reason) = by_epochs(&mut search, &problem, what)?;
        method =
            if method.is_empty() || method == "graph analysis" { how } else { format!("{how}; {method}") };
        stop = reason;
    }
    let found = search.found;
    numbers(&found, &needed, &unit, method, stop)
}

fn undecided(state: usize, [lo, hi]: [f64; 2], threshold: f64) -> CheckError {
    CheckError::CannotDecide { state: state as u32, lo, hi, threshold }
}

/// Amounts as numbers.
fn numbers(
    found: &[Found],
    needed: &BitSet,
    unit: &RBig,
    method: String,
    stop: StopReason,
) -> Result<Numbers, CheckError> {
    let value = |(s, found): (usize, &Found)| match found {
        _ if !needed.contains(s) => Ok([0.0, f64::INFINITY]),
        Found::Units(units) => Ok(enclosure(&(unit * RBig::from(*units)))),
        Found::Infinite => Ok([f64::INFINITY; 2]),
        Found::Never | Found::Open => Err(CheckError::NoAmount { state: s as u32 }),
    };
    let bounds = found.iter().enumerate().map(value).collect::<Result<_, _>>()?;
    Ok(Numbers { bounds, method, stop })
}

/// Doubles around a rational.
fn enclosure(value: &RBig) -> [f64; 2] {
    let near = value.to_f64().value();
    if RBig::try_from(near).is_ok_and(|back| back == *value) {
        [near; 2]
    } else {
        [near.next_down(), near.next_up()]
    }
}

/// The search over amounts.
struct Search<'a> {
    context: &'a Context<'a>,
    needed: &'a BitSet,
    found: Vec<Found>,
    /// Whether the amounts that will do are those from one on.
    from: bool,
    /// The open dimension.
    open: usize,
    /// The amounts of the bounds; that of the open dimension has no meaning.
    start: Vec<u32>,
    costs: &'a Costs,
}

impl Search<'_> {
    fn is_open(&self) -> bool {
        self.needed.iter().any(|s| self.found[s] == Found::Open)
    }

    /// Notes whether an amount will do, for every state that is open.
    fn note(
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
    fn others(&self) -> Vec<Vec<u32>> {
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
    fn longest(&self) -> u32 {
        self.costs.steps.iter().map(|step| step[self.open]).max().unwrap_or(0)
    }
}

/// Solves epochs for one amount after another.
fn by_epochs(
    search: &mut Search,
    problem: &Problem,
    holds: impl Fn([f64; 2], usize) -> Result<bool, CheckError>,
) -> Result<(String, StopReason), CheckError> {
    let (costs, open) = (search.costs, search.open);
    let others = search.others();
    let at = |units: u32, other: &[u32]| {
        let mut epoch = other.to_vec();
        epoch[open] = units;
        epoch
    };
    let kinds = others.iter().flat_map(|other| [0, 1].map(|units| costs.met(&at(units, other))));
    let layers = layers(problem, kinds)?;
    let mut engine = Engine::new(problem, &layers, &search.context.options, CHAIN);
    let place = |epoch: &[u32]| {
        let mut other = epoch.to_vec();
        other[open] = 0;
        let place = others.binary_search(&other).unwrap_or(0);
        u64::from(epoch[open]) * others.len() as u64 + place as u64
    };
    let longest = search.longest();
    let last = {
        let mut other = search.start.clone();
        other[open] = 0;
        other
    };
    let mut units = 0;
    while search.is_open() {
        for other in &others {
            let epoch = at(units, other);
            let error = engine.solve(&epoch, place)?;
            engine.keep(place(&epoch), &epoch, error)?;
            if *other == last {
                let solved = engine.last(&epoch, error);
                search.note(units, |s| holds(solved.bounds(s), s))?;
            }
        }
        if let Some(past) = units.checked_sub(longest) {
            for other in &others {
                engine.forget(place(&at(past, other)));
            }
        }
        if units + 1 >= costs.dimensions[open].limit {
            return Err(CheckError::TooLarge { what: "amounts below the quantile".to_string() });
        }
        units += 1;
    }
    let why = "amounts are tried in increasing order until the threshold is crossed";
    search.context.note(Fact::count("epochs", engine.solved).because(why));
    Ok((engine.method(), engine.stop()))
}

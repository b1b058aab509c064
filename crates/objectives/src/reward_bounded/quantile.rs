//! Quantiles: the least or the largest amount with which a probability meets a threshold.
//!
//! The probability is monotone in the amount, so epochs are solved for one amount after another until the threshold is
//! crossed. Whether it ever is follows from the limit of the probability for large amounts: of the unbounded formula for a
//! budget; for a demand, of paths that spend without end (Ummels and Baier, *Computing quantiles in Markov reward models*,
//! FoSSaCS 2013, doi:10.1007/978-3-642-37075-5_23). With which amounts the probability is positive ([`possible`], [`endless`]),
//! and that all paths, rather than almost all, keep within a budget is decided by the graph alone ([`surely`]).

mod amounts;
mod endless;
mod limit;
mod possible;
mod sets;
mod surely;

use dashu_ratio::RBig;
use volvelle_control::Fact;
use volvelle_logic::{Bound, Comparison, Counted, Optimum, Quantile, StopReason};
use volvelle_space::BitSet;

pub use amounts::{Amounts, Search};
pub use limit::Large;

use amounts::Found;

use volvelle_solver::interval::decide;
use volvelle_solver::reach::prob01_until;
use volvelle_solver::reward::choice_rewards;
use volvelle_solver::{CheckError, Context, Numbers};

use super::costs::Costs;
use super::engine::Engine;
use super::layer::Problem;
use super::{layers, require_discrete};

/// Amounts that follow one another without another in between, as the precision of components assumes.
const CHAIN: u64 = 1_000;

/// What the search asks of an arithmetic.
pub trait Decided {
    /// Whether the threshold is one.
    fn is_one(&self) -> bool;

    /// Whether the threshold is zero.
    fn is_zero(&self) -> bool;

    /// Whether a probability of zero meets the threshold.
    fn zero_meets(&self) -> bool;

    /// Whether the probability for large amounts meets the threshold, for the states of `needed`; and the method.
    fn in_the_limit(&mut self, limit: &Large, needed: &BitSet) -> Result<(BitSet, String), CheckError>;

    /// Searches with probabilities of epochs; see [`Search::by_epochs`].
    fn search(&mut self, search: &mut Search) -> Result<(String, StopReason), CheckError>;
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
    let Question { optimum, zero, relevant, needed } = Question::new(context, left, right, optimum, needed)?;
    let open = Some((quantile.open, quantile.upper));
    let costs = Costs::new(context, &[&quantile.bounds], &relevant, open)?;
    let spent = match quantile.bounds[quantile.open].counted {
        Counted::Steps => vec![1.0; context.space.num_choices()],
        Counted::Reward(id) => choice_rewards(context, id)?,
    };
    let spends = |choice: usize| spent[choice] > 0.0;
    let mut bounds = Bounds { context, left, right, optimum, zero, bound: quantile.bound };
    let amounts = search(context, (left, right), quantile, optimum, &needed, &costs, &spends, &mut bounds)?;
    let bounds = amounts.each(&needed, [0.0, f64::INFINITY], [f64::INFINITY; 2], enclosure)?;
    Ok(Numbers { bounds, method: amounts.method, stop: amounts.stop })
}

/// What has to be known first.
pub struct Question {
    /// The optimum; the largest for chains.
    pub optimum: Optimum,
    /// The states where the probability is zero whatever the bounds are.
    pub zero: BitSet,
    /// The states whose choices have costs that matter.
    pub relevant: BitSet,
    /// The states whose amounts are asked for.
    pub needed: BitSet,
}

impl Question {
    /// For `left U right`.
    pub fn new(
        context: &Context,
        left: &BitSet,
        right: &BitSet,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Self, CheckError> {
        require_discrete(context)?;
        let optimum = if context.is_chain() { Optimum::Max } else { optimum };
        let zero = prob01_until(context, left, right, optimum).zero;
        let mut relevant = left.clone();
        relevant.subtract(&zero);
        let needed = needed.cloned().unwrap_or_else(|| BitSet::full(context.states()));
        Ok(Question { optimum, zero, relevant, needed })
    }
}

/// The amounts of the states in `needed`. `spends` says which choices spend something of what is open.
#[allow(clippy::too_many_arguments, reason = "the parts of one question")]
pub fn search(
    context: &Context,
    (left, right): (&BitSet, &BitSet),
    quantile: &Quantile,
    optimum: Optimum,
    needed: &BitSet,
    costs: &Costs,
    spends: &dyn Fn(usize) -> bool,
    decided: &mut dyn Decided,
) -> Result<Amounts, CheckError> {
    let Quantile { bounds, open, upper, bound, .. } = quantile;
    let at_least = matches!(bound.comparison, Comparison::Ge | Comparison::Gt);
    // The amounts that will do are those from one on, or those up to one.
    let from = at_least == *upper;
    let open = costs.dimension(*open, *upper);
    let unit = costs.dimensions[open].unit.clone();
    let certain = *upper && decided.is_one() && matches!(bound.comparison, Comparison::Ge | Comparison::Lt);
    let mut found = vec![Found::Open; context.states()];
    let mut method = String::new();
    let Some(start) = costs.start(bounds) else {
        // Another bound cannot be met.
        let all = match (decided.zero_meets(), from) {
            (true, true) => Found::Units(0),
            (true, false) => Found::Infinite,
            (false, true) => Found::Infinite,
            (false, false) => Found::Never,
        };
        found.fill(all);
        return Ok(Amounts { found, unit, method: "graph analysis".to_string(), stop: StopReason::Computed });
    };
    let is_about_possible = decided.is_zero() && matches!(bound.comparison, Comparison::Gt | Comparison::Le);
    if is_about_possible && !*upper && optimum == Optimum::Max && bounds.len() == 1 {
        // Quick, whatever the amounts are.
        let endless = endless::states(context, left, right, spends);
        needed.iter().filter(|&s| endless.contains(s)).for_each(|s| found[s] = Found::Infinite);
    }
    if !certain && !is_about_possible {
        let limit = Large::new(context, left, right, quantile, optimum, spends)?;
        let (met, how) = decided.in_the_limit(&limit, needed)?;
        for s in needed.iter() {
            // No amount but infinity will do, or all of them do.
            if met.contains(s) != from {
                found[s] = Found::Infinite;
            }
        }
        method = how;
    }
    let mut search = Search { context, needed, found, from, open, start, costs };
    let mut stop = StopReason::Computed;
    if certain || is_about_possible {
        match certain {
            true => surely::search(&mut search, left, right, optimum, at_least)?,
            false => possible::search(&mut search, left, right, optimum, at_least)?,
        }
        method = "graph analysis".to_string();
    } else if search.is_open() {
        let (how, reason) = decided.search(&mut search)?;
        method = if method.is_empty() { how } else { format!("{how}; {method}") };
        stop = reason;
    }
    Ok(Amounts { found: search.found, unit, method, stop })
}

/// Decisions by bounds on probabilities.
struct Bounds<'a> {
    context: &'a Context<'a>,
    left: &'a BitSet,
    right: &'a BitSet,
    optimum: Optimum,
    zero: BitSet,
    bound: Bound,
}

impl Bounds<'_> {
    fn holds(&self, state: usize, [lo, hi]: [f64; 2]) -> Result<bool, CheckError> {
        let threshold = self.bound.threshold;
        decide(self.bound.comparison, [lo, hi], [threshold; 2]).ok_or(CheckError::CannotDecide {
            state: state as u32,
            lo,
            hi,
            threshold,
        })
    }
}

impl Decided for Bounds<'_> {
    fn is_one(&self) -> bool {
        self.bound.threshold == 1.0
    }

    fn is_zero(&self) -> bool {
        self.bound.threshold == 0.0
    }

    fn zero_meets(&self) -> bool {
        decide(self.bound.comparison, [0.0; 2], [self.bound.threshold; 2]) == Some(true)
    }

    fn in_the_limit(&mut self, limit: &Large, needed: &BitSet) -> Result<(BitSet, String), CheckError> {
        let numbers = limit::probability(self.context, (self.left, self.right), limit, self.optimum, needed)?;
        let mut met = BitSet::new(needed.len());
        for s in needed.iter() {
            if self.holds(s, numbers.bounds[s])? {
                met.insert(s);
            }
        }
        Ok((met, numbers.method))
    }

    fn search(&mut self, search: &mut Search) -> Result<(String, StopReason), CheckError> {
        let (sets, zero) = ((self.left, self.right), self.zero.clone());
        let problem = Problem::new(self.context, sets, zero, self.optimum, search.costs.clone());
        let layers = layers(&problem, search.met().into_iter())?;
        let mut engine = Engine::new(&problem, &layers, &self.context.options, CHAIN, 1.0);
        let holds = |engine: &Engine, epoch: &[u32], s: usize| self.holds(s, engine.last(epoch).bounds(s));
        search.by_epochs(&mut engine, holds)?;
        let why = "amounts are tried in increasing order until the threshold is crossed";
        self.context.note(Fact::count("epochs", engine.solved).because(why));
        Ok((engine.method(), engine.stop()))
    }
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

//! Whether uniformisation goes on, or implicit steps take over.
//!
//! In: how far a series is from its end, each time this is looked at. Out: whether it is to go on. The steps of the horizon are
//! only an upper limit, as a series ends as soon as its remainder is known: a chain that mixes needs few of them, a stiff one
//! all. So the decision is taken after some steps, and again while more of them are made: by the steps extrapolated from two
//! looks, and by those that were made already, as one who does not know how long to rent skis buys them for what renting has
//! cost (A. R. Karlin et al., *Competitive snoopy caching*, Algorithmica 3, 1988). Small chains have a third way, repeated
//! squaring: where it costs less than the coefficients of the series, it comes first; else it competes with implicit steps, and
//! takes over where these do not reach the precision.

use volvelle_solver::{Context, Detection};

use super::implicit::{Plan, Problem};
use super::squaring;

/// Multiplications that uniformisation must take before another method is considered.
const LEAST_WORK: f64 = 3e7;

/// Steps after which the first decision is taken.
pub const FIRST_DECISION: u64 = 128;

/// Steps that finding a plan may cost, about.
const PRICE_OF_A_PLAN: f64 = 400.0;

/// Beyond this many steps, implicit steps are tried first: the coefficients alone take much memory.
const MOST_STEPS: f64 = 1e10;

/// A series that seems to take this many times the cost of the plan is left at once.
const FAR: f64 = 8.0;

/// The share of a plan's cost that a series may spend before it is left for less than that: the distance also shrinks in
/// leaps, and a series that seems to take long may end soon.
const SHARE: f64 = 0.3;

/// How much more than extrapolated a plan may cost to be looked for.
const RESERVE: f64 = 8.0;

/// The choice between uniformisation and implicit steps for one problem.
pub struct MethodChoice<'a, 'c> {
    problem: Problem<'a>,
    context: &'a Context<'c>,
    /// Multiplications of one step of uniformisation.
    step: f64,
    /// Steps and distances that were looked at.
    looks: Vec<(u64, f64)>,
    plan: Option<Plan>,
    /// What repeated squaring costs, where the chain is small.
    squaring: Option<f64>,
    /// Work up to which no plan was found to be worth it.
    tried: f64,
    /// Whether nothing is left to choose.
    is_settled: bool,
}

impl<'a, 'c> MethodChoice<'a, 'c> {
    /// The choice for a problem whose matrix has this many entries.
    pub fn new(problem: Problem<'a>, entries: usize, context: &'a Context<'c>) -> Self {
        let is_asked_for_device = context.sweeps().is_some_and(|s| s.is_asked());
        let is_settled = context.options.detection != Detection::Sound
            || is_asked_for_device
            || problem.other_work < LEAST_WORK;
        MethodChoice {
            problem,
            context,
            step: entries as f64,
            looks: Vec::new(),
            plan: None,
            squaring: squaring::cost(problem.states.len(), entries, problem.events),
            tried: 0.0,
            is_settled,
        }
    }

    /// Whether the horizon is so long that repeated squaring costs less than to begin with uniformisation.
    pub fn begins_with_squaring(&self) -> bool {
        !self.is_settled && self.squaring.is_some_and(|cost| squaring::is_cheapest(cost, self.problem.events))
    }

    /// Whether repeated squaring costs less than uniformisation.
    pub fn may_square(&self) -> bool {
        !self.is_settled && self.squaring.is_some_and(|cost| cost < self.problem.other_work)
    }

    /// Whether it also costs less than implicit steps.
    ///
    /// # Errors
    /// If the work is stopped.
    pub fn prefers_squaring(&mut self) -> Result<bool, volvelle_control::Stop> {
        let Some(cost) = self.squaring.filter(|_| self.may_square()) else { return Ok(false) };
        Ok(self.plan()?.is_none_or(|(plan, _)| cost < plan.cost()))
    }

    /// Uniformisation only.
    pub fn settle(&mut self) {
        self.is_settled = true;
    }

    /// Whether the horizon is so long that implicit steps come first.
    pub fn begins_implicit(&self) -> bool {
        !self.is_settled && self.problem.events > MOST_STEPS
    }

    /// Whether a series goes on after `done` steps, when the bounds of its result are `distance` times as wide as
    /// requested.
    pub fn goes_on(&mut self, done: u64, distance: f64) -> bool {
        if self.is_settled {
            return true;
        }
        self.looks.push((done, distance));
        if done < FIRST_DECISION {
            return true;
        }
        let left = self.steps_left(done, distance);
        if self.plan.is_none() {
            if left < PRICE_OF_A_PLAN {
                return true;
            }
            self.make_plan(left);
        }
        let squaring = self.squaring.unwrap_or(f64::INFINITY);
        let cost = self.plan.as_ref().map_or(squaring, |plan| plan.cost().min(squaring));
        let (spent, left) = (done as f64 * self.step, left * self.step);
        !(left > FAR * cost || (left > cost && spent > SHARE * cost) || (left > SHARE * cost && spent > cost))
    }

    /// Steps until the distance is one, as far as can be seen, and at most those of the horizon.
    fn steps_left(&self, done: u64, distance: f64) -> f64 {
        let horizon = (self.problem.events - done as f64).max(0.0);
        let earlier = self.looks.iter().rev().find(|&&(at, _)| at as f64 <= 0.7 * done as f64);
        let Some(&(at, before)) = earlier else { return horizon };
        let shrunk = (before / distance).ln();
        if !distance.is_finite() || !before.is_finite() || shrunk.is_nan() || shrunk <= 1e-3 {
            return horizon;
        }
        (distance.ln() / shrunk * (done - at) as f64).clamp(0.0, horizon)
    }

    /// Looks for a plan that is worth it if `left` steps are left.
    fn make_plan(&mut self, left: f64) {
        let work = (RESERVE * left * self.step).min(self.problem.other_work);
        if work < RESERVE * self.tried && work < self.problem.other_work {
            return;
        }
        self.tried = work;
        let problem = Problem { other_work: work, ..self.problem };
        // Where the work is to stop, the series will end as well, and say so.
        self.plan = Plan::new(&problem, self.context).ok().flatten();
        self.is_settled = self.plan.is_none() && work >= self.problem.other_work && !self.may_square();
    }

    /// The problem, and the plan for it; makes it if there is none.
    ///
    /// # Errors
    /// If the work is stopped.
    pub fn plan(&mut self) -> Result<Option<(&Plan, &Problem<'a>)>, volvelle_control::Stop> {
        if self.plan.is_none() {
            self.plan = Plan::new(&self.problem, self.context)?;
        }
        Ok(self.plan.as_ref().map(|plan| (plan, &self.problem)))
    }
}

#[cfg(test)]
mod tests {
    use volvelle_control::Control;
    use volvelle_reference::{Random, Rows, space};
    use volvelle_solver::Options;
    use volvelle_space::{BitSet, Kind};

    use super::*;
    use crate::transient::Transient;

    /// The expectation of a value at a time, in a chain in which every state goes to some others at random, in two halves
    /// that are connected by transitions of this rate.
    fn later(link: f64, time: f64, detection: Detection) -> (String, Vec<[f64; 2]>) {
        let mut random = Random(7);
        let n = 100;
        let rows: Rows = (0..n)
            .map(|s| {
                let half = n / 2 * (s / (n / 2));
                let mut row: Vec<_> = (0..5).map(|k| (half + random.below(n / 2), 1.0 + k as f64)).collect();
                row.push(((s + n / 2) % n, link));
                vec![row]
            })
            .collect();
        let space = space(Kind::Ctmc, &rows);
        let control = Control::unlimited();
        let options = Options { detection, ..Options::default() };
        let context = Context::new(&space, options, &control);
        let mut transient = Transient::new(&context, None);
        let value: Vec<[f64; 2]> = (0..n).map(|s| [if s < n / 2 { 1.0 } else { 3.0 }; 2]).collect();
        let bounds = transient.elapse(&BitSet::full(n), &value, time).unwrap();
        (transient.numbers(bounds.clone()).method, bounds)
    }

    #[test]
    fn a_series_that_ends_soon_is_not_left() {
        let (method, bounds) = later(0.5, 1e6, Detection::Sound);
        assert!(method.starts_with("uniformisation"), "{method}");
        bounds.iter().for_each(|&[lo, hi]| assert!(lo <= 2.0 && 2.0 <= hi && hi - lo < 1e-5, "{lo} {hi}"));
    }

    #[test]
    fn a_series_that_does_not_end_is_left() {
        // The half changes at rate 1e-5, so that the expectation is 2 ± exp(-2e-5 t).
        let (method, bounds) = later(1e-5, 3e4, Detection::Sound);
        assert!(method.starts_with("implicit steps"), "{method}");
        let expected = 2.0 - (-2e-5f64 * 3e4).exp();
        let [lo, hi] = bounds[0];
        assert!(lo <= expected * (1.0 + 1e-12) && expected * (1.0 - 1e-12) <= hi, "{lo} {hi} {expected}");
        let (method, others) = later(1e-5, 3e4, Detection::Off);
        assert!(method.starts_with("uniformisation"), "{method}");
        for ([lo, hi], [low, high]) in bounds.iter().zip(&others) {
            assert!(lo <= high && low <= hi);
        }
    }
}

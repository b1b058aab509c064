//! Transient analysis of Markov chains, discrete and continuous: everything with a time or step bound.
//!
//! Backwards: one vector gives the result for all states. Two building blocks suffice (Baier, Haverkort,
//! Hermanns, Katoen, IEEE TSE 29, 2003):
//!
//! - *hit*: probability to reach a set through another within a time, `sum_k Pr(N > k) P^k b` for a CTMC, where N
//!   counts the events of the uniformised chain, P is the chain on the states passed through and b the
//!   probability to enter the target in one step; `sum_(k < steps) P^k b` for a DTMC;
//! - *elapse*: expectation of a value after a time spent in a set, `sum_k Pr(N = k) P^k v`.

mod chain;
mod coefficients;
mod horizons;
mod implicit;
mod method_choice;
mod power_series;
mod row_order;
pub(crate) mod squaring;
mod stencils;
mod vectors;

pub use chain::Chain;
pub use coefficients::Coefficients;
pub use power_series::{PowerSeries, Request};

use implicit::{Problem, Solution, System};
use method_choice::MethodChoice;
use squaring::Squared;

use std::cell::Cell;

use volvelle_control::Fact;
use volvelle_logic::{StopReason, TimeBound};
use volvelle_solver::horizon_cache::{Bounds, Key, Reached, SteadyState};
use volvelle_solver::rounding::{Sum, U, above, below, slack};
use volvelle_solver::{CheckError, Context, Detection, MethodUse, Numbers};
use volvelle_space::{BitSet, Kind};

/// PRISM's uniformisation rate over the largest exit rate.
const PRISM_FACTOR: f64 = 1.02;

/// Multiplications of a series from which a better order of the rows is looked for.
const WORTH_AN_ORDER: u64 = 100_000_000;

/// Steps of such a series at least: finding the order takes as long as some ten of them.
const ROUNDS_FOR_AN_ORDER: u64 = 200;

/// Uniformisation beyond this many steps is refused.
const MAX_STEPS: f64 = 1e13;

/// A time bound made regular: closed ends, steps or time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// No time satisfies the bound.
    Empty,
    /// `lower..=upper`; `None`: unbounded.
    Range {
        /// Earliest.
        lower: f64,
        /// Latest.
        upper: Option<f64>,
    },
}

/// Checks a time bound and makes it regular: integer steps for discrete time; strictness of an end does
/// not matter in continuous time.
pub fn window(kind: Kind, bound: &TimeBound) -> Result<Window, CheckError> {
    let bad = |what: String| Err(CheckError::BadBound { what });
    let (mut lower, mut upper) = (bound.lower, bound.upper);
    if !lower.is_finite() || upper.is_some_and(|u| !u.is_finite()) {
        return bad("a time bound must be finite".to_string());
    }
    if lower < 0.0 || upper.is_some_and(|u| u < 0.0) {
        return bad("a time bound must not be negative".to_string());
    }
    if kind == Kind::Ctmc {
        if upper == Some(0.0) && bound.upper_strict {
            return Ok(Window::Empty);
        }
        if upper.is_some_and(|u| u < lower || (u == lower && (bound.lower_strict || bound.upper_strict))) {
            return Ok(Window::Empty);
        }
        return Ok(Window::Range { lower, upper });
    }
    if lower.fract() != 0.0 || upper.is_some_and(|u| u.fract() != 0.0) {
        return bad(format!("a step bound of a {} must be an integer", kind.name()));
    }
    if lower >= MAX_STEPS || upper.is_some_and(|u| u >= MAX_STEPS) {
        return bad("the step bound is too large".to_string());
    }
    lower += f64::from(u8::from(bound.lower_strict));
    if bound.upper_strict {
        match upper {
            Some(0.0) => return Ok(Window::Empty),
            Some(u) => upper = Some(u - 1.0),
            None => {}
        }
    }
    Ok(if upper.is_some_and(|u| u < lower) { Window::Empty } else { Window::Range { lower, upper } })
}

/// Transient analysis of one chain.
pub struct Transient<'a, 'b> {
    context: &'a Context<'b>,
    /// States whose result is requested; `None`: all.
    needed: Option<&'a BitSet>,
    steps: Cell<u64>,
    stop: Cell<StopReason>,
    stopped_at: Cell<Option<SteadyState>>,
    /// Systems of equations solved.
    solved: Cell<u64>,
    /// Squarings of a matrix.
    squarings: Cell<u64>,
}

/// One result for each of several times.
type Results = Result<Vec<Reached>, CheckError>;

impl<'a, 'b> Transient<'a, 'b> {
    /// Begins an analysis of the chain of a context.
    pub fn new(context: &'a Context<'b>, needed: Option<&'a BitSet>) -> Self {
        debug_assert!(context.is_chain());
        context.note_method(MethodUse::StepByStep);
        let stop = Cell::new(StopReason::StepsDone);
        let (stopped_at, solved, squarings) = (Cell::new(None), Cell::new(0), Cell::new(0));
        Transient { context, needed, steps: Cell::new(0), stop, stopped_at, solved, squarings }
    }

    /// The result: bounds with the method that gave them.
    pub fn numbers(&self, bounds: Vec<[f64; 2]>) -> Numbers {
        let name = if self.continuous() { "uniformisation" } else { "step-wise iteration" };
        let method = match self.stopped_at.get() {
            None if self.solved.get() > 0 => {
                format!("implicit steps ({}, {} systems of equations)", self.steps.get(), self.solved.get())
            }
            None if self.squarings.get() > 0 => {
                format!("repeated squaring ({} squarings)", self.squarings.get())
            }
            None => format!("{name} ({} steps)", self.steps.get()),
            Some(SteadyState { step, of, time }) => format!(
                "{name}, stopped by PRISM's steady-state test at step {step} of {of}{}",
                if self.continuous() { format!(" (time {time:.4})") } else { String::new() }
            ),
        };
        Numbers { bounds, method, stop: self.stop.get() }
    }

    /// Adds the steps of another phase of the same analysis.
    pub fn add(&mut self, other: &Transient) {
        self.steps.set(self.steps.get() + other.steps.get());
        self.stop.set(self.stop.get().max(other.stop.get()));
        self.stopped_at.set(self.stopped_at.get().or(other.stopped_at.get()));
        self.solved.set(self.solved.get() + other.solved.get());
        self.squarings.set(self.squarings.get() + other.squarings.get());
    }

    fn continuous(&self) -> bool {
        self.context.space.kind == Kind::Ctmc
    }

    /// Probability to reach `right` through `left` within `time`, for every state.
    pub fn hit(&mut self, left: &BitSet, right: &BitSet, time: f64) -> Result<Vec<[f64; 2]>, CheckError> {
        let key = || Key::Hit(left.clone(), right.clone(), self.needed.cloned());
        self.together(time, &key, &|times| self.hits(left, right, times))
    }

    /// Expectation of `value` after `time`, on paths that stay in `inside`; zero outside.
    pub fn elapse(
        &mut self,
        inside: &BitSet,
        value: &[[f64; 2]],
        time: f64,
    ) -> Result<Vec<[f64; 2]>, CheckError> {
        let key = || Key::Elapse(inside.clone(), value.to_vec(), self.needed.cloned());
        self.together(time, &key, &|times| self.elapses(inside, value, times))
    }

    /// Expected accumulation of `reward` (per unit of time, or per step) up to `time`.
    pub fn accumulate(&mut self, reward: &[f64], time: f64) -> Result<Vec<[f64; 2]>, CheckError> {
        let key = || Key::Accumulate(reward.to_vec(), self.needed.cloned());
        self.together(time, &key, &|times| self.accumulates(reward, times))
    }

    /// The result for a time: from an earlier pass, or from one that also serves the times that will be requested.
    fn together(
        &self,
        time: f64,
        key: &dyn Fn() -> Key,
        pass: &dyn Fn(&[f64]) -> Results,
    ) -> Result<Vec<[f64; 2]>, CheckError> {
        let states = self.context.states();
        let cache = self.context.horizons();
        let companions = cache.and_then(|c| c.companions(time, states, self.needed.is_none()));
        let reached = match (cache, companions) {
            (Some(cache), Some(times)) => {
                let key = key();
                match cache.find(&key, time) {
                    Some(reached) => reached,
                    None => {
                        let all = pass(&times)?;
                        let first = all.first().cloned();
                        cache.keep(key, times.into_iter().zip(all));
                        first.ok_or(CheckError::EmptyFilter)?
                    }
                }
            }
            _ => pass(&[time])?.pop().ok_or(CheckError::EmptyFilter)?,
        };
        self.steps.set(self.steps.get() + reached.steps);
        self.stop.set(self.stop.get().max(reached.stop));
        self.stopped_at.set(self.stopped_at.get().or(reached.stopped_at));
        self.solved.set(self.solved.get() + reached.solved);
        self.squarings.set(self.squarings.get() + reached.squarings);
        Ok(reached.bounds.expand(states))
    }

    fn hits(&self, left: &BitSet, right: &BitSet, times: &[f64]) -> Result<Vec<Reached>, CheckError> {
        let space = self.context.space;
        let mut via = left.clone();
        via.subtract(right);
        let mut inside = self.context.predecessors().reach(right, Some(&via));
        inside.subtract(right);
        let outside = |s: usize| [f64::from(u8::from(right.contains(s))); 2];
        let longest = times.iter().copied().fold(0.0, f64::max);
        if longest == 0.0 || inside.count() == 0 {
            return Ok(times.iter().map(|_| self.without_steps(&outside)).collect());
        }
        let chain = self.chain(&inside, longest);
        // Rates into the target, and those that leave for neither the target nor the chain.
        let rates_to = |is_meant: &dyn Fn(usize) -> bool| -> Vec<f64> {
            let rate = |&s: &u32| {
                let mut sum = Sum::default();
                space.transitions(s as usize).filter(|&(t, _)| is_meant(t)).for_each(|(_, v)| sum.add(v));
                sum.value()
            };
            chain.states.iter().map(rate).collect()
        };
        let entering = rates_to(&|t| right.contains(t));
        let escaping = rates_to(&|t| !right.contains(t) && !inside.contains(t));
        let excess = self.context.options.excess();
        let nothing = vec![0.0; chain.len()];
        let x: Vec<f64> = entering.iter().map(|rate| rate / chain.rate).collect();
        let task = Task {
            system: System { start: &nothing, forcing: Some(&entering) },
            escaping: Some(&escaping),
            highest: 1.0,
            x: &x,
            error: slack(8) + excess,
        };
        let tail = |events| Coefficients::poisson_tail(events, 1.0);
        let runs = self.runs(&chain, &task, times, &|| self.coefficients(&chain, times, tail))?;
        let cap = |[lo, hi]: [f64; 2]| [lo.min(1.0), hi.min(1.0)];
        Ok(runs.into_iter().map(|run| self.reached(&chain, run, &outside, cap, [0.0, 1.0])).collect())
    }

    fn elapses(
        &self,
        inside: &BitSet,
        value: &[[f64; 2]],
        times: &[f64],
    ) -> Result<Vec<Reached>, CheckError> {
        let space = self.context.space;
        let n = space.num_states();
        let longest = times.iter().copied().fold(0.0, f64::max);
        if longest == 0.0 {
            let still = |s: usize| if inside.contains(s) { value[s] } else { [0.0; 2] };
            return Ok(times.iter().map(|_| self.without_steps(&still)).collect());
        }
        let outside = |_: usize| [0.0; 2];
        let support = BitSet::of(n, inside.iter().filter(|&s| value[s][1] > 0.0));
        let relevant = self.context.predecessors().reach(&support, Some(inside));
        if support.count() == 0 {
            return Ok(times.iter().map(|_| self.without_steps(&outside)).collect());
        }
        let chain = self.chain(&relevant, longest);
        // The result scales with the vector: one run with its middle does where it is known well.
        let middle = |[lo, hi]: [f64; 2]| lo + 0.5 * (hi - lo);
        let (mut shrink, mut grow, mut largest) = (1.0f64, 1.0f64, 0.0f64);
        for &s in &chain.states {
            let [lo, hi] = value[s as usize];
            largest = largest.max(hi);
            if hi > 0.0 {
                shrink = shrink.min(lo / middle([lo, hi]) * (1.0 - 4.0 * U));
                grow = grow.max(hi / middle([lo, hi]) * (1.0 + 4.0 * U));
            }
        }
        // An average of values, whatever the state.
        let otherwise = [0.0, above(largest, 1e-6)];
        if grow - shrink <= 0.5 * self.context.options.precision {
            let x = chain.states.iter().map(|&s| middle(value[s as usize])).collect();
            let runs = self.values_later(&chain, x, times)?;
            let widen = |[lo, hi]: [f64; 2]| [below(lo * shrink, 4.0 * U), above(hi * grow, 4.0 * U)];
            let reached = runs.into_iter().map(|run| self.reached(&chain, run, &outside, widen, otherwise));
            return Ok(reached.collect());
        }
        let side = |k: usize| chain.states.iter().map(|&s| value[s as usize][k]).collect();
        let lower = self.values_later(&chain, side(0), times)?;
        let upper = self.values_later(&chain, side(1), times)?;
        let both = lower.into_iter().zip(upper).map(|(mut lower, upper)| {
            let ends = lower.series.bounds.iter().zip(&upper.series.bounds);
            lower.series.bounds = ends.map(|(l, u)| [l[0], u[1]]).collect();
            lower.series.steps += upper.series.steps;
            lower.series.stop = lower.series.stop.max(upper.series.stop);
            lower.stopped_at = lower.stopped_at.or(upper.stopped_at);
            lower.solved += upper.solved;
            lower.squarings += upper.squarings;
            lower
        });
        Ok(both.map(|run| self.reached(&chain, run, &outside, |b| b, otherwise)).collect())
    }

    fn accumulates(&self, reward: &[f64], times: &[f64]) -> Result<Vec<Reached>, CheckError> {
        let space = self.context.space;
        let n = space.num_states();
        let support = BitSet::of(n, (0..n).filter(|&s| reward[s] > 0.0));
        let outside = |_: usize| [0.0; 2];
        let longest = times.iter().copied().fold(0.0, f64::max);
        if longest == 0.0 || support.count() == 0 {
            return Ok(times.iter().map(|_| self.without_steps(&outside)).collect());
        }
        let relevant = self.context.predecessors().reach(&support, None);
        let chain = self.chain(&relevant, longest);
        let x: Vec<f64> = chain.states.iter().map(|&s| reward[s as usize]).collect();
        let otherwise = [0.0, above(x.iter().copied().fold(0.0, f64::max) * longest, 1e-6)];
        let nothing = vec![0.0; chain.len()];
        let system = System { start: &nothing, forcing: Some(&x) };
        let task = Task { system, escaping: None, highest: otherwise[1], x: &x, error: slack(8) };
        let tail = |events| Coefficients::poisson_tail(events, 1.0 / chain.rate);
        let runs = self.runs(&chain, &task, times, &|| self.coefficients(&chain, times, tail))?;
        Ok(runs.into_iter().map(|run| self.reached(&chain, run, &outside, |b| b, otherwise)).collect())
    }

    /// Expectations of these values at each time.
    fn values_later(&self, chain: &Chain, x: Vec<f64>, times: &[f64]) -> Result<Vec<Run>, CheckError> {
        let system = System { start: &x, forcing: None };
        let highest = x.iter().copied().fold(0.0, f64::max);
        let task = Task { system, escaping: None, highest, x: &x, error: 0.0 };
        self.runs(chain, &task, times, &|| match self.continuous() {
            true => self.coefficients(chain, times, Coefficients::poisson),
            false => Ok(times.iter().map(|&time| Coefficients::at(time as u64)).collect()),
        })
    }

    /// The solution of a task at each time: by a series with these coefficients, or by implicit steps where they are cheaper.
    fn runs(
        &self,
        chain: &Chain,
        task: &Task,
        times: &[f64],
        coefficients: &dyn Fn() -> Result<Vec<Coefficients>, CheckError>,
    ) -> Result<Vec<Run>, CheckError> {
        let rows = self.requested_rows(chain);
        let events = chain.rate * times.iter().copied().fold(0.0, f64::max);
        let problem = Problem {
            states: &chain.states,
            system: task.system,
            escaping: task.escaping,
            input_error: task.error,
            times,
            rows: rows.as_deref(),
            highest: task.highest,
            other_work: events * chain.entries() as f64,
            events,
        };
        let mut choice = MethodChoice::new(problem, chain.entries(), self.context);
        if !self.continuous() {
            choice.settle();
        }
        // Sound bounds that are wider than requested.
        let mut wide = None;
        if choice.begins_with_squaring() {
            match self.squared(&problem)? {
                Some((runs, true)) => return Ok(runs),
                found => wide = found,
            }
        }
        loop {
            if !choice.begins_implicit()
                && let Some(runs) = self.series(chain, task, &coefficients()?, &mut choice)?
            {
                return Ok(runs);
            }
            let squares_first = choice.prefers_squaring()?;
            for squares in [squares_first, !squares_first] {
                if squares && wide.is_none() && choice.may_square() {
                    match self.squared(&problem)? {
                        Some((runs, true)) => return Ok(runs),
                        found => wide = found,
                    }
                } else if !squares
                    && let Some((plan, problem)) = choice.plan()?
                    && let Some(solution) = plan.solve(problem, self.context)?
                {
                    let Solution { bounds, steps, solved, stop } = solution;
                    let run = |bounds| {
                        let series = PowerSeries { bounds, steps, stop };
                        Run { series, stopped_at: None, rows: rows.clone(), solved, squarings: 0 }
                    };
                    return Ok(bounds.into_iter().map(run).collect());
                }
            }
            if let Some((runs, _)) = wide {
                // Uniformisation would take long, and lose more digits on the way.
                return Ok(runs);
            }
            choice.settle();
        }
    }

    /// The solution of a problem by repeated squaring, and whether it is as precise as requested.
    fn squared(&self, problem: &Problem) -> Result<Option<(Vec<Run>, bool)>, CheckError> {
        let found = squaring::solve(problem, self.context)?;
        Ok(found.map(|Squared { bounds, squarings, is_precise, stop }| {
            let rows = problem.rows.map(<[u32]>::to_vec);
            let run = |bounds| {
                let series = PowerSeries { bounds, steps: 0, stop };
                Run { series, stopped_at: None, rows: rows.clone(), solved: 0, squarings }
            };
            (bounds.into_iter().map(run).collect(), is_precise)
        }))
    }

    /// The rows whose result is requested; `None`: all.
    fn requested_rows(&self, chain: &Chain) -> Option<Vec<u32>> {
        let is_needed = |set: &BitSet, row: u32| set.contains(chain.states[row as usize] as usize);
        self.needed.map(|set| (0..chain.len() as u32).filter(|&row| is_needed(set, row)).collect())
    }

    /// The coefficients for each time: those of `poisson` for as many events as are expected, or as many steps.
    fn coefficients(
        &self,
        chain: &Chain,
        times: &[f64],
        poisson: impl Fn(f64) -> Coefficients,
    ) -> Result<Vec<Coefficients>, CheckError> {
        let one = |&time: &f64| {
            Ok(if self.continuous() {
                poisson(self.events(chain, time)?)
            } else {
                Coefficients::first(time as u64)
            })
        };
        times.iter().map(one).collect()
    }

    /// A result that needs no step.
    fn without_steps(&self, value: &dyn Fn(usize) -> [f64; 2]) -> Reached {
        let bounds = Bounds::All((0..self.context.states()).map(value).collect());
        Reached { bounds, steps: 0, stop: StopReason::StepsDone, stopped_at: None, solved: 0, squarings: 0 }
    }

    /// The result of a run, for states of the space; `otherwise` holds for those that are not requested.
    fn reached(
        &self,
        chain: &Chain,
        run: Run,
        outside: &dyn Fn(usize) -> [f64; 2],
        of_row: impl Fn([f64; 2]) -> [f64; 2],
        otherwise: [f64; 2],
    ) -> Reached {
        let Run { series, stopped_at, rows, solved, squarings } = run;
        let bounds = match (rows, self.needed) {
            (Some(rows), Some(needed)) => {
                let mut listed: Vec<(u32, [f64; 2])> =
                    needed.iter().map(|s| (s as u32, outside(s))).collect();
                for (row, bounds) in rows.into_iter().zip(series.bounds) {
                    let state = chain.states[row as usize];
                    if let Ok(at) = listed.binary_search_by_key(&state, |l| l.0) {
                        listed[at].1 = of_row(bounds);
                    }
                }
                Bounds::Listed { otherwise, listed }
            }
            (_, _) => {
                let mut all: Vec<[f64; 2]> = (0..self.context.states()).map(outside).collect();
                for (&s, bounds) in chain.states.iter().zip(series.bounds) {
                    all[s as usize] = of_row(bounds);
                }
                Bounds::All(all)
            }
        };
        Reached { bounds, steps: series.steps, stop: series.stop, stopped_at, solved, squarings }
    }

    /// The chain on some states, uniformised as the detection of steady states requires.
    fn chain(&self, inside: &BitSet, time: f64) -> Chain {
        let mut chain = match self.context.options.detection {
            Detection::Prism => Chain::uniformised(self.context.space, inside, time, |_| PRISM_FACTOR),
            _ => Chain::new(self.context.space, inside, time),
        };
        chain.add_error(self.context.options.excess());
        chain
    }

    fn events(&self, chain: &Chain, time: f64) -> Result<f64, CheckError> {
        let events = chain.rate * time;
        if events > MAX_STEPS {
            let what =
                format!("time × rate is {events:.1e}, but uniformisation is limited to {MAX_STEPS:.0e}");
            return Err(CheckError::BadBound { what });
        }
        Ok(events)
    }

    /// The series of a task for each of the coefficients; `None` where another method is chosen.
    fn series(
        &self,
        chain: &Chain,
        task: &Task,
        coefficients: &[Coefficients],
        choice: &mut MethodChoice,
    ) -> Result<Option<Vec<Run>>, CheckError> {
        let context = self.context;
        let needed = self.requested_rows(chain);
        let kept = coefficients.len() * needed.as_ref().map_or(chain.len(), Vec::len);
        let bytes = 12 * chain.entries() + 40 * chain.len() + 32 * context.states() + 24 * kept;
        context.control.check_memory(bytes as u64)?;
        let mut goes_on = |done, distance| choice.goes_on(done, distance);
        let longest = coefficients.iter().map(Coefficients::len).max().unwrap_or(1);
        let is_worth_an_order = longest.saturating_mul(chain.entries() as u64) > WORTH_AN_ORDER
            && longest > ROUNDS_FOR_AN_ORDER
            && context.control.check_memory(3 * bytes as u64).is_ok();
        if is_worth_an_order {
            // Most series that end early do so after a few steps.
            let x = task.x.to_vec();
            let rows = needed.clone();
            if let Some(runs) = self.series_of(chain, x, rows, task.error, coefficients, &mut |_, _| false)? {
                self.note(chain, coefficients);
                return Ok(Some(runs));
            }
        }
        let Some((reordered, order)) = is_worth_an_order.then(|| chain.reordered()).flatten() else {
            if is_worth_an_order {
                chain.find_stencils();
            }
            let x = task.x.to_vec();
            let runs = self.series_of(chain, x, needed, task.error, coefficients, &mut goes_on)?;
            if runs.is_some() {
                self.note(chain, coefficients);
            }
            return Ok(runs);
        };
        let x = order.iter().map(|&row| task.x[row as usize]).collect();
        let place = row_order::places(&order);
        let sorted = needed.as_ref().map(|rows| {
            let mut rows: Vec<u32> = rows.iter().map(|&row| place[row as usize]).collect();
            rows.sort_unstable();
            rows
        });
        let found = self.series_of(&reordered, x, sorted.clone(), task.error, coefficients, &mut goes_on)?;
        let Some(mut runs) = found else { return Ok(None) };
        self.note(chain, coefficients);
        context.note(Fact::text("order of the rows", "in lines").because("neighbouring rows are alike then"));
        for run in &mut runs {
            let bounds = &run.series.bounds;
            let at = |row: u32| place[row as usize];
            run.series.bounds = match (&run.rows, &needed, &sorted) {
                (Some(_), Some(needed), Some(sorted)) => {
                    let position = |row| sorted.partition_point(|&r| r < at(row));
                    needed.iter().map(|&row| bounds[position(row)]).collect()
                }
                _ => (0..chain.len() as u32).map(|row| bounds[at(row) as usize]).collect(),
            };
            run.rows = run.rows.take().and(needed.clone());
        }
        Ok(Some(runs))
    }

    /// The same, for these rows alone if they are given, by the chain as it is.
    fn series_of(
        &self,
        chain: &Chain,
        x: Vec<f64>,
        needed: Option<Vec<u32>>,
        start_error: f64,
        coefficients: &[Coefficients],
        goes_on: &mut dyn FnMut(u64, f64) -> bool,
    ) -> Result<Option<Vec<Run>>, CheckError> {
        let context = self.context;
        // Relative errors of time × rate.
        let start_error = start_error + 8.0 * U;
        let options = &context.options;
        let width = match options.detection {
            Detection::Off => -1.0,
            _ if options.relative => 0.45 * options.precision,
            _ => 0.0,
        };
        let prism = options.detection == Detection::Prism && self.continuous();
        if (coefficients.len() > 1 || needed.is_some()) && !prism {
            let request = Request { start_error, rows: needed.as_deref(), width, goes_on };
            let all = chain.series_many(x, coefficients, request, context)?;
            let run =
                |series| Run { series, stopped_at: None, rows: needed.clone(), solved: 0, squarings: 0 };
            return Ok(all.map(|all| all.into_iter().map(run).collect()));
        }
        let mut runs = Vec::new();
        for coefficients in coefficients {
            if prism {
                // PRISM divides epsilon by eight in its transient analyses.
                let series = chain.series_until_small_change(
                    x.clone(),
                    coefficients,
                    options.epsilon / 8.0,
                    options.relative,
                    context,
                )?;
                if series.stop == StopReason::SteadyStateTest {
                    let stopped = SteadyState {
                        step: series.steps,
                        of: coefficients.len() - 1,
                        time: series.steps as f64 / chain.rate,
                    };
                    runs.push(Run { series, stopped_at: Some(stopped), rows: None, solved: 0, squarings: 0 });
                    continue;
                }
            }
            let request = Request { start_error, rows: needed.as_deref(), width, goes_on };
            let Some(series) = chain.series(x.clone(), coefficients, request, context)? else {
                return Ok(None);
            };
            runs.push(Run { series, stopped_at: None, rows: None, solved: 0, squarings: 0 });
        }
        Ok(Some(runs))
    }

    /// Notes in the context what was computed.
    fn note(&self, chain: &Chain, coefficients: &[Coefficients]) {
        let context = self.context;
        let longest = coefficients.iter().map(Coefficients::len).max().unwrap_or(1);
        let steps = longest.saturating_sub(1);
        if self.continuous() {
            let above = "slightly above the largest exit rate, so that the diagonal keeps its digits";
            context.note(Fact::number("uniformisation rate", chain.rate).because(above));
        }
        let most = "an upper limit; the computation ends earlier if the bounds meet";
        context.note(Fact::count("steps of the horizon", steps).because(most));
        context
            .note(Fact::count("states of the chain", chain.len() as u64).because(
                "states from which the result can change; for the others it follows from the graph",
            ));
        context.note(Fact::count("entries of the matrix", chain.entries() as u64));
        if coefficients.len() > 1 {
            let why = "they differ only in their times, on which the vectors do not depend";
            context.note(Fact::count("horizons in one pass", coefficients.len() as u64).because(why));
        }
        let threads = chain.chunks(context.control.threads).len();
        let why = if threads == 1 { "the matrix is small, or one thread is allowed" } else { "" };
        context.note(Fact::count("threads", threads as u64).because(why));
    }
}

/// What is computed over a chain.
struct Task<'a> {
    /// The system whose solution it is, in continuous time.
    system: System<'a>,
    /// Where its forcing is the rate into the target: the rates into other states outside of the chain.
    escaping: Option<&'a [f64]>,
    /// No value is above this.
    highest: f64,
    /// The first vector of the series.
    x: &'a [f64],
    /// The relative error of the vectors.
    error: f64,
}

/// A series for the rows of a chain, or for some of them.
struct Run {
    series: PowerSeries,
    stopped_at: Option<SteadyState>,
    /// The rows that bounds are given for; `None`: all.
    rows: Option<Vec<u32>>,
    /// Systems of equations solved; 0 for uniformisation.
    solved: u64,
    /// Squarings of a matrix.
    squarings: u64,
}

#[cfg(test)]
mod steady_state_test;
#[cfg(test)]
mod tests;

//! Long-run averages: of Markov chains (the steady state) here, of MDPs in `average_reward`.
//!
//! Every run ends in a bottom strongly connected component; within one the average does not depend on
//! where it was entered. So: one average per component, then the expected value of the component reached,
//! which is a reachability problem with these averages as values.
//!
//! An average is found by state elimination, which needs no convergence and gives nearly all digits, where fill-in
//! allows, and otherwise from an approximate solution h of Poisson's equation `r + Q h = g`: for *any*
//! vector h, since `pi Q = 0`, the average `pi r` lies between the least and the largest entry of `r + Q h`.
//! So h may come from any iteration, and only the last evaluation is rounded with care. The
//! iteration is BiCGSTAB, preconditioned by a Gauss–Seidel sweep (van der Vorst 1992), restarted from the
//! best h found, with plain Gauss–Seidel sweeps where it breaks down.

mod average_reward;
mod poisson_equation;
mod ratio;
mod reference_state;

use volvelle_control::{ProgressEvent, Stop};
use volvelle_logic::gate::Range;
use volvelle_logic::{Optimum, StopReason};
use volvelle_space::{BitSet, Space, components};

use crate::context::Context;
use crate::error::CheckError;
use crate::numbers::Numbers;
use crate::options::{Method, MethodUse};
use crate::reach::terminal;
use crate::rounding::{above, below, relative};
use crate::solve::{Elimination, GiveUp, predicts_little_fill_in};
use crate::wide::{Number, Wide};
pub use average_reward::{Gain, biases, gains, optimal_average};
use poisson_equation::{Average, Poisson, average, by_value_iteration};
pub use ratio::{UNDEFINED, ratio};
use reference_state::order_by_distance_to_reference_state;
pub use reference_state::reference_state;

/// Components beyond this size are not eliminated.
const LARGEST_ELIMINATION: usize = 500_000;

/// Components up to this size are eliminated at once.
const SMALL: usize = 1_000;

/// Components beyond this size are solved without the graph backwards in memory.
const FORGETTING: usize = 100_000;

/// Work per entry of an elimination that finds little fill-in.
const CHEAP: u64 = 40;

/// One way to bound an average.
enum Attempt {
    /// At most so many iterations of a method of projection.
    Projection(u64),
    /// At most so many steps of value iteration.
    ValueIteration(u64),
    /// Elimination in the order of nested dissection, with at most that much work per entry.
    Dissection(u64),
}

/// The ways to bound an average, each tried if those before it have not sufficed.
fn attempts(tries_elimination: bool, limit: u64) -> Vec<Attempt> {
    use Attempt::{Dissection, Projection, ValueIteration};
    let mut all = vec![Projection(200), Dissection(10_000), Projection(1_200), ValueIteration(20_000)];
    all.extend([Dissection(40_000), Projection(limit), ValueIteration(limit)]);
    if !tries_elimination {
        all.retain(|attempt| !matches!(attempt, Dissection(_)));
    }
    for attempt in &mut all {
        if let Projection(most) | ValueIteration(most) = attempt {
            *most = limit.min(*most);
        }
    }
    all
}

/// An average lies between the smallest and the largest of what is averaged: bounds of an iteration that was stopped may not.
fn within_rewards(bounds: [f64; 2], members: &[u32], reward: &[f64]) -> [f64; 2] {
    let rewards = members.iter().map(|&s| reward[s as usize]);
    let (least, most) = rewards.fold((f64::INFINITY, 0.0f64), |(a, b), r| (a.min(r), b.max(r)));
    Range::between(least, most).admit_or_whole(bounds)
}

/// The bottom components of a chain, and the states outside of them.
pub fn bottom_components(space: &Space) -> (Vec<Vec<u32>>, BitSet) {
    let n = space.num_states();
    let found = components(n, |s| space.successors(s), |_| true);
    let mut component_of = vec![u32::MAX; n];
    let mut transient = BitSet::full(n);
    let mut bottom = Vec::new();
    for (c, members) in found.iter().enumerate() {
        members.iter().for_each(|&s| component_of[s as usize] = c as u32);
        if members.iter().all(|&s| space.transitions(s as usize).all(|(t, _)| component_of[t] == c as u32)) {
            members.iter().for_each(|&s| transient.remove(s as usize));
            bottom.push(members.to_vec());
        }
    }
    (bottom, transient)
}

/// Long-run average of `reward` (per unit of time, or per step) on a chain, not negative, for every state.
pub fn long_run(context: &Context, reward: &[f64]) -> Result<Numbers, CheckError> {
    let n = context.states();
    // Position of a state within its component.
    let mut place = vec![0u32; n];
    let mut bounds = vec![[0.0f64; 2]; n];
    let mut summary = Summary::default();
    let (bottom, transient) = bottom_components(context.space);
    for members in &bottom {
        for (i, &s) in members.iter().enumerate() {
            place[s as usize] = i as u32;
        }
        summary.components += 1;
        let gain = component_average(context, members, &mut place, reward, &mut summary)?;
        let gain = within_rewards(gain, members, reward);
        for &s in members {
            bounds[s as usize] = gain;
        }
    }
    arriving(context, &transient, bounds, summary.describe(), summary.stop())
}

/// The expected value of the bottom component that is reached, for the states of `transient`, from which nothing else is;
/// `bounds` has the values of the others.
fn arriving(
    context: &Context,
    transient: &BitSet,
    mut bounds: Vec<[f64; 2]>,
    mut method: String,
    mut stop: StopReason,
) -> Result<Numbers, CheckError> {
    if transient.count() == 0 {
        return Ok(Numbers { bounds, method, stop });
    }
    let known = || (0..bounds.len()).filter(|&s| !transient.contains(s)).map(|s| bounds[s]);
    let finite = known().filter(|value| value[1].is_finite());
    let largest = finite.fold(0.0f64, |largest, value| largest.max(value[1]));
    let all_alike = {
        let mut values = known();
        let first = values.next();
        values.all(|v| Some(v) == first).then_some(first).flatten()
    };
    if let Some(value) = all_alike {
        // One value in all bottom components: no matter which is reached.
        transient.iter().for_each(|s| bounds[s] = value);
        return Ok(Numbers { bounds, method, stop });
    }
    // Values within 0..=1, as for probabilities.
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let value = |s: usize| {
        let [lo, hi] = bounds[s];
        if largest == 0.0 {
            [0.0; 2]
        } else if lo == hi && lo == largest {
            [1.0; 2]
        } else {
            [below(lo / scale, 1e-15), if hi > 0.0 { above(hi / scale, 1e-15).min(1.0) } else { 0.0 }]
        }
    };
    let reached = terminal(context, transient, Optimum::Max, value)?;
    for s in transient.iter() {
        let [lo, hi] = reached.bounds[s];
        bounds[s] =
            [below(lo * scale, 1e-15), if hi > 0.0 { above(hi * scale, 1e-15).min(largest) } else { 0.0 }];
    }
    method = format!("{method}; reaching them: {}", reached.method);
    stop = stop.max(reached.stop);
    Ok(Numbers { bounds, method, stop })
}

#[derive(Default)]
struct Summary {
    components: usize,
    eliminated: usize,
    iterated: usize,
    iterations: u64,
    unfinished: usize,
    /// A limit ended the iteration.
    interrupted: bool,
}

impl Summary {
    fn describe(&self) -> String {
        let mut parts = vec![match self.components {
            1 => "1 bottom component".to_string(),
            c => format!("{c} bottom components"),
        }];
        if self.eliminated > 0 {
            parts.push("state elimination".to_string());
        }
        if self.iterated > 0 {
            parts.push(format!("bounds from Poisson's equation ({} iterations)", self.iterations));
        }
        parts.join(", ")
    }

    fn add_iterated(&mut self, result: &Average, is_accepted: bool) {
        self.iterated += 1;
        self.iterations = self.iterations.max(result.iterations);
        self.interrupted |= result.stop.is_some();
        self.unfinished += usize::from(!is_accepted);
    }

    fn stop(&self) -> StopReason {
        match (self.unfinished, self.iterated) {
            _ if self.interrupted => StopReason::Interrupted,
            (0, 0) => StopReason::Computed,
            (0, _) => StopReason::Converged,
            _ => StopReason::IterationLimit,
        }
    }
}

/// Bounds of the average in one bottom component.
fn component_average(
    context: &Context,
    members: &[u32],
    place: &mut [u32],
    reward: &[f64],
    summary: &mut Summary,
) -> Result<[f64; 2], CheckError> {
    let first = reward[members[0] as usize];
    if members.iter().all(|&s| reward[s as usize] == first) {
        return Ok([first, first]);
    }
    let space = context.space;
    let options = &context.options;
    match options.method {
        Method::Classical(_) => context.note_method(MethodUse::Replaced),
        Method::Iteration => context.note_method(MethodUse::Used),
        Method::Elimination | Method::Auto => {}
    }
    let order = order_by_distance_to_reference_state(space, &context.predecessors(), members, place);
    for (i, &s) in order.iter().enumerate() {
        place[s as usize] = i as u32;
    }
    let (members, place) = (&order[..], &*place);
    let entries: u64 = members.iter().map(|&s| space.row(s as usize).len() as u64).sum();
    let tries_elimination = options.method != Method::Iteration && members.len() <= LARGEST_ELIMINATION;
    if members.len() > FORGETTING {
        context.forget_predecessors();
    }
    let accepts = |lo: f64, hi: f64| options.accepts(lo, hi);
    let report = |done, error| {
        context.control.progress.report(ProgressEvent::Solving {
            what: "Poisson's equation",
            done,
            total: 0,
            error,
        });
        context.control.check()
    };
    let work = match options.method {
        Method::Elimination => u64::MAX,
        _ if members.len() <= SMALL => 4_000_000_000,
        _ => CHEAP * entries,
    };
    let mut start = None;
    let eliminated = || {
        if options.method == Method::Elimination {
            context.note_method(MethodUse::Used);
        }
    };
    if tries_elimination
        && (options.method == Method::Elimination || has_little_fill_in(space, members, place))
    {
        let dissects = options.method == Method::Elimination;
        match eliminate(&Eliminated { context, members, place, reward, dissects }, work)? {
            EliminationOutcome::Bounds(bounds) => {
                summary.eliminated += 1;
                eliminated();
                return Ok(bounds);
            }
            EliminationOutcome::Guess(bias) => start = Some(bias),
            EliminationOutcome::Nothing => {}
        }
    }
    let mut system = Poisson::new(space, members, place, reward, options.input);
    context.control.check_memory(system.bytes())?;
    if let Some(bias) = start {
        system.guess(bias);
    }
    let limit = options.max_iterations;
    // By turns what is quick where it works, and what takes longer but for certain.
    let mut result = Average { bounds: [0.0, f64::INFINITY], iterations: 0, stop: None };
    for attempt in attempts(tries_elimination, limit) {
        if accepts(result.bounds[0], result.bounds[1]) || result.stop.is_some() {
            break;
        }
        let mut report = |done, width| report(done, width);
        match attempt {
            Attempt::Projection(most) => result.add(average(&mut system, most, &accepts, &mut report)),
            Attempt::ValueIteration(most) => {
                let tolerance = |lo, hi| options.tolerance(lo, hi);
                result.add(by_value_iteration(&mut system, most, &tolerance, &mut report));
            }
            Attempt::Dissection(work) => {
                let component = Eliminated { context, members, place, reward, dissects: true };
                match eliminate(&component, work.saturating_mul(entries))? {
                    EliminationOutcome::Bounds(bounds) => {
                        summary.eliminated += 1;
                        eliminated();
                        return Ok(bounds);
                    }
                    EliminationOutcome::Guess(bias) => system.guess(bias),
                    EliminationOutcome::Nothing => {}
                }
            }
        }
    }
    if options.method == Method::Elimination {
        context.note_method(MethodUse::Replaced);
    }
    summary.add_iterated(&result, accepts(result.bounds[0], result.bounds[1]));
    Ok(result.bounds)
}

/// Whether elimination of the states of a component adds few entries.
fn has_little_fill_in(space: &Space, members: &[u32], place: &[u32]) -> bool {
    let row_len = |i: usize| space.row(members[i] as usize).len();
    let entries = (0..members.len()).map(row_len).sum();
    let columns = members.iter().flat_map(|&s| &space.columns[space.row(s as usize)]);
    predicts_little_fill_in(members.len(), entries, columns.map(|&t| place[t as usize]), row_len)
}

/// The result of elimination.
enum EliminationOutcome {
    /// Bounds of the average.
    Bounds([f64; 2]),
    /// A bias to start an iteration from: numbers left the range of doubles, and those with exponents of their own took too much work.
    Guess(Vec<f64>),
    /// Too much work.
    Nothing,
}

/// A component whose states are eliminated.
struct Eliminated<'a> {
    context: &'a Context<'a>,
    members: &'a [u32],
    place: &'a [u32],
    reward: &'a [f64],
    dissects: bool,
}

impl Eliminated<'_> {
    fn load<N: Number>(&self, elimination: &mut Elimination<N>) {
        let space: &Space = self.context.space;
        let last = self.members.len() as u32 - 1;
        elimination.begin(self.members.len());
        if self.dissects && self.members.len() > SMALL {
            elimination.dissect();
        }
        for &s in self.members.iter().rev() {
            // The reference state comes first in the order, and is left over at the end.
            let entries = space.transitions(s as usize).map(|(t, v)| (last - self.place[t], N::of(v)));
            elimination.row(entries, N::default(), [self.reward[s as usize], 1.0].map(N::of));
        }
    }

    /// Bounds of an average that elimination found with this error.
    fn bounds(&self, value: f64, error: f64) -> [f64; 2] {
        let error = relative(error + 4.0 * self.members.len() as f64 * self.context.options.excess());
        [below(value, error), above(value, error)]
    }
}

/// The average by elimination, if `work` suffices: in doubles, and where these do not reach, with exponents of their own.
fn eliminate(component: &Eliminated, work: u64) -> Result<EliminationOutcome, Stop> {
    let control = component.context.control;
    let mut elimination = Elimination::<f64>::default();
    component.load(&mut elimination);
    let bias = match elimination.ratio(work, control) {
        Ok((value, f64::INFINITY, sums)) => {
            // Reward less average times time, until a fixed state.
            sums.iter().rev().map(|[r, t]| r - value * t).collect()
        }
        Ok((value, error, _)) => return Ok(EliminationOutcome::Bounds(component.bounds(value, error))),
        Err(GiveUp::Stopped(stop)) => return Err(stop),
        Err(GiveUp::Work) => return Ok(EliminationOutcome::Nothing),
        // Weights have become zero.
        Err(GiveUp::Closed) => Vec::new(),
    };
    drop(elimination);
    let mut elimination = Elimination::<Wide>::default();
    component.load(&mut elimination);
    match elimination.ratio(work, control) {
        Ok((value, error, _)) => Ok(EliminationOutcome::Bounds(component.bounds(value.to_f64(), error))),
        Err(GiveUp::Stopped(stop)) => Err(stop),
        Err(GiveUp::Work | GiveUp::Closed) if bias.is_empty() => Ok(EliminationOutcome::Nothing),
        Err(GiveUp::Work | GiveUp::Closed) => Ok(EliminationOutcome::Guess(bias)),
    }
}

#[cfg(test)]
mod tests;

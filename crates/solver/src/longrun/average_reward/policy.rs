//! Policy iteration in a maximal end component (Howard 1960; Puterman, *Markov Decision Processes*, section 8.6), for
//! components in which value iteration converges slowly.
//!
//! In: any vector h. Out: the bias of a policy that is greedy for its own bias, if the work suffices. It is a guess: the next
//! step of value iteration from it gives bounds of the gain, as from any other vector.
//!
//! A policy with one recurrent class is solved by state elimination, by way of the returns to a state of that class. Where
//! a policy has several, the best of them is kept and all other states are sent there, which is possible within an end
//! component; so the gain never gets worse.

use volvelle_control::{Control, Stop};
use volvelle_logic::Optimum;
use volvelle_space::components;

use super::component::{Component, OnThread};
use crate::graph::Backwards;
use crate::rounding::{above, below, relative};
use crate::scheduling::HostSteps;
use crate::solve::{Elimination, GiveUp};

/// Policies that are tried in a row.
const ROUNDS: usize = 40;

/// Sweeps between the bias of a policy and the next policy.
const SWEEPS_BETWEEN: usize = 64;

/// Gains of a choice over another, relative to the values, that rounding may have made up.
const MARGIN: f64 = 1e-13;

/// Moves `h` to the bias of a good policy, of one whose bounds are accepted if there is one; all evaluations may take that
/// much work. Gives bounds of the gain of the last policy, if `h` moved, which no scheduler need be content with less than.
pub fn improve(
    component: &Component,
    h: &mut [f64],
    work: u64,
    accepts: &dyn Fn(f64, f64) -> bool,
    control: &Control,
) -> Result<Option<[f64; 2]>, Stop> {
    let mut solver = Solver { component, elimination: Elimination::default(), work, control };
    let mut policy: Vec<u32> =
        (0..component.len()).map(|i| component.choices[i] + component.best(i, h) as u32).collect();
    let mut gain = None;
    let mut steps = OnThread::new(component);
    for _ in 0..ROUNDS {
        control.check()?;
        let reference = match solver.one_class(&mut policy) {
            Ok(reference) => reference,
            Err(GiveUp::Stopped(stop)) => return Err(stop),
            Err(GiveUp::Work | GiveUp::Closed) => break,
        };
        let all: Vec<u32> = (0..component.len() as u32).collect();
        match solver.evaluate(&policy, &all, reference, Some(&mut *h)) {
            Ok(bounds) => gain = Some(bounds),
            Err(GiveUp::Stopped(stop)) => return Err(stop),
            Err(GiveUp::Work | GiveUp::Closed) => break,
        }
        if !switch(component, h, &mut policy, accepts) {
            break;
        }
        // A policy looks one step ahead; sweeps carry what it gains to states further away.
        let mut swept = h.to_vec();
        (0..SWEEPS_BETWEEN).for_each(|_| _ = steps.step(&mut swept));
        switch(component, &swept, &mut policy, &|_, _| false);
    }
    Ok(gain)
}

/// Switches to choices that are better for `h`; whether there are any, unless the bounds that `h` gives are accepted.
fn switch(component: &Component, h: &[f64], policy: &mut [u32], accepts: &dyn Fn(f64, f64) -> bool) -> bool {
    let largest = h.iter().chain(&component.rewards).fold(0.0f64, |largest, v| largest.max(v.abs()));
    let mut switched = false;
    let mut span = [f64::INFINITY, f64::NEG_INFINITY];
    for (i, chosen) in policy.iter_mut().enumerate() {
        let best = component.choices[i] + component.best(i, h) as u32;
        let image = component.value(best as usize, i, h);
        span = [span[0].min(image), span[1].max(image)];
        if (image - component.value(*chosen as usize, i, h)).abs() > MARGIN * largest {
            *chosen = best;
            switched = true;
        }
    }
    switched && !accepts(span[0], span[1])
}

/// Biases beyond this are not used.
const LARGEST_BIAS: f64 = 1e290;

/// Steps of a simulated run for each state, and most steps.
const STEPS_PER_STATE: usize = 64;
const MOST_STEPS: usize = 30_000;

struct Solver<'a> {
    component: &'a Component,
    elimination: Elimination,
    work: u64,
    control: &'a Control<'a>,
}

impl Solver<'_> {
    /// Places of the entries of a choice.
    fn row(&self, choice: u32) -> std::ops::Range<usize> {
        self.component.rows[choice as usize] as usize..self.component.rows[choice as usize + 1] as usize
    }

    /// The targets of a choice, without its own state.
    fn targets(&self, choice: u32) -> &[u32] {
        &self.component.columns[self.row(choice)]
    }

    /// Sends all states to the best recurrent class of a policy, if it has several; gives a state of it.
    fn one_class(&mut self, policy: &mut [u32]) -> Result<u32, GiveUp> {
        let n = policy.len();
        let found = components(n, |i| self.targets(policy[i]), |_| true);
        let mut class_of = vec![0u32; n];
        for (class, members) in found.iter().enumerate() {
            members.iter().for_each(|&i| class_of[i as usize] = class as u32);
        }
        let is_closed = |class: &&[u32]| {
            let inside = |i: u32| {
                self.targets(policy[i as usize]).iter().all(|&j| class_of[j as usize] == class_of[i as usize])
            };
            class.iter().all(|&i| inside(i))
        };
        let classes: Vec<Vec<u32>> = found.iter().filter(is_closed).map(<[u32]>::to_vec).collect();
        if let [class] = classes.as_slice() {
            return Ok(self.often_visited(policy, class[0]));
        }
        let mut best: Option<(f64, &[u32])> = None;
        for class in &classes {
            let reference = self.often_visited(policy, class[0]);
            let gain = self.evaluate(policy, class, reference, None)?;
            let is_better = |known: f64| match self.component.optimum {
                Optimum::Min => gain[1] < known,
                Optimum::Max => gain[0] > known,
            };
            if best.is_none_or(|(known, _)| is_better(known)) {
                let known = match self.component.optimum {
                    Optimum::Min => gain[1],
                    Optimum::Max => gain[0],
                };
                best = Some((known, class));
            }
        }
        let Some((_, class)) = best else { return Err(GiveUp::Closed) };
        self.send(policy, class);
        Ok(self.often_visited(policy, class[0]))
    }

    /// The state in which the second half of a simulated run from a recurrent state spends most time: sums until it is reached
    /// stay small, so that little of the bias is cancelled. The seed is fixed.
    fn often_visited(&self, policy: &[u32], start: u32) -> u32 {
        let steps = MOST_STEPS.min(STEPS_PER_STATE * policy.len());
        let mut time = vec![0.0f64; policy.len()];
        let mut best = start;
        let mut state = start;
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for step in 0..steps {
            let row = self.row(policy[state as usize]);
            let (columns, values) = (&self.component.columns[row.clone()], &self.component.values[row]);
            let total: f64 = values.iter().sum();
            if total <= 0.0 {
                return state;
            }
            if 2 * step >= steps {
                time[state as usize] += 1.0 / total;
                if time[state as usize] > time[best as usize] {
                    best = state;
                }
            }
            // xorshift64
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut left = (random >> 11) as f64 * 2f64.powi(-53) * total;
            for (&target, &value) in columns.iter().zip(values) {
                state = target;
                left -= value;
                if left < 0.0 {
                    break;
                }
            }
        }
        best
    }

    /// Makes a policy arrive in `class` from everywhere. States that do so keep their choices; elsewhere as few as possible are
    /// switched, so that little of what the policy has gained is lost.
    fn send(&self, policy: &mut [u32], class: &[u32]) {
        let component = self.component;
        let owned = (0..policy.len()).flat_map(|i| {
            (component.choices[i]..component.choices[i + 1]).map(move |choice| (i as u32, choice))
        });
        let edges = owned.flat_map(|edge| self.targets(edge.1).iter().map(move |&target| (target, edge)));
        let entering = Backwards::new(policy.len(), &component.columns, edges);
        let mut settled = vec![false; policy.len()];
        class.iter().for_each(|&i| settled[i as usize] = true);
        // States whose predecessors by the policy are to be looked at, and settled ones whose other predecessors are.
        let mut work = class.to_vec();
        let (mut others, mut next) = (Vec::new(), 0);
        loop {
            while let Some(i) = work.pop() {
                others.push(i);
                for &(source, choice) in entering.of(i as usize) {
                    let source = source as usize;
                    if policy[source] == choice && !std::mem::replace(&mut settled[source], true) {
                        work.push(source as u32);
                    }
                }
            }
            let Some(&i) = others.get(next) else { break };
            let switched = entering.of(i as usize).iter().find(|(source, _)| !settled[*source as usize]);
            match switched {
                Some(&(source, choice)) => {
                    policy[source as usize] = choice;
                    settled[source as usize] = true;
                    work.push(source);
                }
                None => next += 1,
            }
        }
    }

    /// The gain of a policy on `states`, which it does not leave, and on which it returns to `reference` for ever. Its bias goes
    /// to `bias`, which is for all states.
    fn evaluate(
        &mut self,
        policy: &[u32],
        states: &[u32],
        reference: u32,
        bias: Option<&mut [f64]>,
    ) -> Result<[f64; 2], GiveUp> {
        let component = self.component;
        let mut order: Vec<u32> = states.iter().copied().filter(|&i| i != reference).collect();
        order.push(reference);
        let mut place = vec![0u32; component.len()];
        order.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at as u32);
        self.elimination.begin(order.len());
        for &i in &order {
            let choice = policy[i as usize];
            let row = component.rows[choice as usize] as usize..component.rows[choice as usize + 1] as usize;
            let columns = component.columns[row.clone()].iter().map(|&j| place[j as usize]);
            let entries = columns.zip(component.values[row].iter().copied());
            self.elimination.row(entries, 0.0, [component.rewards[choice as usize], 1.0]);
        }
        let limit = self.work;
        let found = self.elimination.ratio(limit, self.control).map(|(gain, error, _)| (gain, error));
        self.work = limit.saturating_sub(self.elimination.work());
        let (gain, error) = found?;
        let sums = self.elimination.solution();
        if let Some(bias) = bias {
            for (&i, [earned, steps]) in order.iter().zip(sums) {
                bias[i as usize] = earned - gain * steps;
            }
            // Differences of larger ones would leave the range of doubles.
            if bias.iter().any(|h| !h.is_finite() || h.abs() > LARGEST_BIAS) {
                bias.fill(0.0);
            }
        }
        // Without a bound of the error this is infinite: from zero to infinity.
        let error = relative(error);
        Ok([below(gain, error), above(gain, error)])
    }
}

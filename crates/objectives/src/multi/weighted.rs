//! One direction: the scheduler with the largest weighted sum of the objectives, its value in each of them, and an upper
//! bound for all schedulers in that direction.
//!
//! Policy iteration (Howard), where the value of a policy is put together from the values of the single objectives under
//! it: each of them is a sum of rewards that are not negative on a Markov chain, which `solve` knows with bounds. So
//! the values of the last policy have bounds, whether it is the best or not.
//!
//! The residual bounds the values of all other schedulers. Let x be any vector, zero at the end, and d the largest gain of
//! `max over choices (r + P x) - x`. Every scheduler that ends almost surely has
//!
//! `value = x + sum over steps of E[gain] <= x + d E[steps]`.
//!
//! Without costs the number of steps is bounded by its maximum G. With costs there are end components that pay; between
//! two payments there are at most G steps, so `E[steps] <= G + K E[cost]` with `K = (1 + G) / least payment`, and the
//! half-space has a weight of that cost that is a little larger. End components that cost nothing in this direction (the
//! weight of their cost is zero) share one value, so that they count no steps.

use volvelle_logic::Optimum;
use volvelle_solver::graph::end_components;
use volvelle_solver::rounding::{U, above, below, relative, slack};
use volvelle_solver::solve::{Classes, NONE, Parts, System, solve};
use volvelle_solver::{CheckError, Context, Method, MethodUse, Options, interval};
use volvelle_space::BitSet;

use super::quotient::Quotient;

/// Policies to try.
const ROUNDS: usize = 300;

/// Most sweeps between two policies that are evaluated.
const SWEEPS: usize = 100;

/// Sweeps in a row without a change of the policy that end them.
const QUIET: usize = 4;

/// Gains below this part of the values are left to the bounds.
const GAIN: f64 = 1e-12;

/// Bounds of every objective in every state.
type ValuesOfPolicy = Vec<Vec<[f64; 2]>>;

/// A supporting half-space `weights · y <= limit` of the achievable set, and a point near it that a scheduler achieves.
#[derive(Clone, Debug)]
pub struct Support {
    /// The direction, not negative.
    pub weights: Vec<f64>,
    /// Upper bound.
    pub limit: f64,
    /// The point: bounds of each coordinate, in the direction of improvement (costs are negated).
    pub point: Vec<[f64; 2]>,
}

/// The search for supporting half-spaces of the achievable set.
pub struct Weighted<'a> {
    context: Context<'a>,
    quotient: &'a Quotient,
    /// Whether each objective is a cost.
    cost: &'a [bool],
    singles: Classes,
    policy: Vec<u32>,
}

impl<'a> Weighted<'a> {
    /// Begins a search on a quotient.
    pub fn new(context: &Context<'a>, quotient: &'a Quotient, cost: &'a [bool]) -> Self {
        if matches!(context.options.method, Method::Classical(_)) {
            context.note_method(MethodUse::Replaced);
        }
        let options = Options {
            precision: (context.options.precision * 1e-4).clamp(1e-12, 1e-8),
            method: match context.options.method {
                Method::Classical(_) => Method::Auto,
                method => method,
            },
            ..context.options
        };
        let context = context.inner(&quotient.space, options, context.control);
        let last = quotient.space.num_states() - 1;
        let mut unknown = BitSet::full(last + 1);
        unknown.remove(last);
        let singles = Classes::new(&unknown, std::iter::empty());
        let policy = ending_policy(&context, last);
        Weighted { context, quotient, cost, singles, policy }
    }

    /// The support in a direction.
    pub fn support(&mut self, weights: &[f64]) -> Result<Support, CheckError> {
        let signed = self.signed(weights);
        let (values, x) = self.optimise(&signed)?;
        let certain = self.values_from_graph();
        let point: Vec<[f64; 2]> = values
            .iter()
            .zip(self.cost)
            .zip(certain)
            .enumerate()
            .map(|(i, ((bounds, &cost), certain))| {
                let [lo, mut hi] = bounds[self.quotient.initial];
                if i < self.quotient.formulas {
                    hi = hi.min(1.0);
                }
                let [lo, hi] = certain.map_or([lo, hi], |value| [value; 2]);
                if cost { [-hi, -lo] } else { [lo, hi] }
            })
            .collect();
        let (weights, limit) = self.limit(&x, weights, &signed)?;
        Ok(Support { weights, limit, point })
    }

    /// About the weighted sum of the objectives in each state under a policy that is about the best in a direction.
    pub fn guide(&mut self, weights: &[f64]) -> Result<Vec<f64>, CheckError> {
        let signed = self.signed(weights);
        Ok(self.optimise(&signed)?.1)
    }

    /// Weights of the rewards: those of costs are negated.
    fn signed(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(self.cost).map(|(&w, &c)| if c { -w } else { w }).collect()
    }

    /// Policy iteration: bounds of every objective under the last policy, and their weighted sum.
    fn optimise(&mut self, signed: &[f64]) -> Result<(ValuesOfPolicy, Vec<f64>), CheckError> {
        let mut values = self.evaluate()?;
        let mut x = combine(&values, signed);
        let mut is_careless = true;
        for _ in 0..ROUNDS {
            self.context.control.check()?;
            let before = self.policy.clone();
            if !self.improve(&x, signed) {
                break;
            }
            if is_careless {
                let mut y = x.clone();
                self.sweep(&mut y, signed);
            }
            let next = self.evaluate()?;
            let worse = {
                let s = self.quotient.initial;
                let y = combine(&next, signed);
                !(y[s].is_finite() && y.iter().all(|v| v.is_finite()))
            };
            if worse {
                // Gains of rounding, or values between those of policies, led to a policy that does not end.
                self.policy = before;
                if !is_careless {
                    break;
                }
                is_careless = false;
                continue;
            }
            x = combine(&next, signed);
            values = next;
        }
        Ok((values, x))
    }

    /// States of the quotient.
    pub fn num_states(&self) -> usize {
        self.quotient.space.num_states()
    }

    /// The policy of the last support: one choice for every state of the quotient.
    pub fn policy(&self) -> &[u32] {
        &self.policy
    }

    /// Bounds of every objective under the policy, in all states.
    fn evaluate(&self) -> Result<ValuesOfPolicy, CheckError> {
        let space = &self.quotient.space;
        let allowed = BitSet::of(space.num_choices(), self.policy.iter().map(|&choice| choice as usize));
        let mut all = Vec::new();
        for rewards in &self.quotient.rewards {
            let parts = Parts {
                space,
                classes: &self.singles,
                optimum: Optimum::Max,
                allowed: Some(&allowed),
                reward: |choice: usize| rewards[choice],
                stay: &[],
                known: |_| [0.0; 2],
            };
            let system = System::new(&parts);
            let solution = solve(&system, false, &self.context.options, &self.context)?;
            let numbers = solution.numbers(&system, |_| [0.0; 2]);
            all.push(numbers.bounds);
        }
        if self.quotient.merged {
            // Added probabilities are off by more than those of the model.
            let error = relative(2.0 * space.num_states() as f64 * 4.0 * U);
            for b in all.iter_mut().flatten().filter(|b| b[1] > 0.0) {
                *b = [below(b[0], error), above(b[1], error)];
            }
        }
        Ok(all)
    }

    /// Values that follow from the graph of the policy alone: no reward is ever earned, or a formula is satisfied almost
    /// surely.
    fn values_from_graph(&self) -> Vec<Option<f64>> {
        let space = &self.quotient.space;
        let last = space.num_states() - 1;
        let mut seen = BitSet::new(last + 1);
        seen.insert(self.quotient.initial);
        let mut work = vec![self.quotient.initial];
        let count = self.quotient.rewards.len();
        let (mut never, mut always) = (vec![true; count], vec![true; count]);
        while let Some(s) = work.pop() {
            let choice = self.policy[s] as usize;
            let ends = s != last && space.columns[space.row(choice)].contains(&(last as u32));
            for (i, rewards) in self.quotient.rewards.iter().enumerate() {
                never[i] &= rewards[choice] == 0.0;
                always[i] &= !ends || rewards[choice] > 0.0;
            }
            for (t, _) in space.transitions(choice) {
                if seen.insert(t) {
                    work.push(t);
                }
            }
        }
        (0..count)
            .map(|i| match (never[i], always[i] && i < self.quotient.formulas) {
                (true, _) => Some(0.0),
                (_, true) => Some(1.0),
                _ => None,
            })
            .collect()
    }

    /// Changes the policy where another choice gains; returns whether one did.
    fn improve(&mut self, x: &[f64], signed: &[f64]) -> bool {
        let mut changed = false;
        for s in 0..self.policy.len() - 1 {
            let mut best = GAIN * (1.0 + x[s].abs());
            for choice in self.quotient.space.choices_of(s) {
                if let Some((gain, _)) = self.gain(choice, s, x, signed, |t| t == s)
                    && gain > best
                {
                    best = gain;
                    self.policy[s] = choice as u32;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Sweeps of value iteration from the values of a policy, which moves to the choices that gain: evaluating one policy
    /// takes as long as many sweeps, which carry what it gains to all other states.
    fn sweep(&mut self, x: &mut [f64], signed: &[f64]) {
        let space = &self.quotient.space;
        let reward: Vec<f64> = (0..space.num_choices())
            .map(|choice| self.quotient.rewards.iter().zip(signed).map(|(r, w)| w * r[choice]).sum())
            .collect();
        let last = self.policy.len() - 1;
        let mut quiet = 0;
        for round in 0..SWEEPS {
            let mut changed = false;
            for at in 0..last {
                let s = if round % 2 == 0 { at } else { last - 1 - at };
                let value = |choice: usize, x: &[f64]| {
                    let (mut sum, mut leaving) = (reward[choice], 0.0);
                    for (t, p) in space.transitions(choice).filter(|&(t, _)| t != s) {
                        sum += p * x[t];
                        leaving += p;
                    }
                    if leaving > 0.0 { sum / leaving } else { f64::NEG_INFINITY }
                };
                let mut best = value(self.policy[s] as usize, x);
                let margin = GAIN * (1.0 + best.abs());
                for choice in space.choices_of(s) {
                    let value = value(choice, x);
                    if value > best + margin {
                        best = value;
                        self.policy[s] = choice as u32;
                        changed = true;
                    }
                }
                x[s] = best;
            }
            quiet = if changed { 0 } else { quiet + 1 };
            if quiet == QUIET {
                break;
            }
        }
    }

    /// The gain of a choice per step that leaves its class, and how far rounding may have moved it; `None` where it does
    /// not leave.
    fn gain(
        &self,
        choice: usize,
        state: usize,
        x: &[f64],
        signed: &[f64],
        same: impl Fn(usize) -> bool,
    ) -> Option<(f64, f64)> {
        let (mut sum, mut size) = (0.0, 0.0);
        for (rewards, &weight) in self.quotient.rewards.iter().zip(signed) {
            sum += weight * rewards[choice];
            size += (weight * rewards[choice]).abs();
        }
        let mut leaving = 0.0;
        let mut entries = signed.len();
        for (t, p) in self.quotient.space.transitions(choice) {
            if !same(t) {
                sum += p * (x[t] - x[state]);
                size += p * (x[t].abs() + x[state].abs());
                leaving += p;
                entries += 1;
            }
        }
        if leaving == 0.0 {
            return None;
        }
        let error = (self.context.options.input + 4.0 * U + slack(2 * entries + 10)) * 2.0;
        Some((sum / leaving, size / leaving * error))
    }

    /// A half-space that contains the values of all schedulers.
    fn limit(&self, x: &[f64], weights: &[f64], signed: &[f64]) -> Result<(Vec<f64>, f64), CheckError> {
        let space = &self.quotient.space;
        let last = space.num_states() - 1;
        let mut active = BitSet::full(last + 1);
        active.remove(last);
        let payment = |choice: usize| -> f64 {
            let costs = self.quotient.rewards.iter().zip(signed).filter(|(_, w)| **w < 0.0);
            costs.map(|(rewards, w)| -w * rewards[choice]).sum()
        };
        // Where staying costs nothing in this direction all states have the same value.
        let found = end_components(space, &active, |choice| payment(choice) == 0.0);
        let mut class: Vec<u32> = (0..=last as u32).collect();
        let mut x = x.to_vec();
        for members in found.iter() {
            let largest = members.iter().map(|&s| x[s as usize]).fold(f64::NEG_INFINITY, f64::max);
            for &s in members {
                class[s as usize] = members[0];
                x[s as usize] = largest;
            }
        }
        let (mut gain, mut least) = (0.0f64, f64::INFINITY);
        for s in active.iter() {
            for choice in space.choices_of(s) {
                let same = |t: usize| class[t] == class[s];
                if let Some((value, error)) = self.gain(choice, s, &x, signed, same) {
                    gain = gain.max(value + error);
                }
                let paid = payment(choice);
                if paid > 0.0 {
                    least = least.min(paid);
                }
            }
        }
        let start = x[self.quotient.initial];
        let rounding = 8.0 * U * (start.abs() + 1e-300);
        if gain <= 0.0 {
            return Ok((weights.to_vec(), start + rounding));
        }
        let (steps, most) = self.steps(&found, &class, payment)?;
        let mut weights = weights.to_vec();
        if least < f64::INFINITY {
            let factor = 1.0 + gain * (1.0 + most) / least * (1.0 + 1e-12);
            if !factor.is_finite() {
                return Ok((weights, f64::INFINITY));
            }
            for (weight, &cost) in weights.iter_mut().zip(self.cost) {
                if cost {
                    *weight *= factor;
                }
            }
        }
        let mut limit = start + gain * steps * (1.0 + 1e-12) + rounding;
        let width = gain * steps / start;
        if signed.iter().all(|&w| w >= 0.0) && width > 10.0 * self.context.options.precision {
            // The sum of all rewards is a non-negative reward: solving for it directly may give tighter bounds.
            limit = limit.min(self.direct(signed, width / 10.0)?);
        }
        Ok((weights, limit))
    }

    /// Upper bounds of the number of steps between classes before the first payment: from the initial state, and from
    /// any state.
    fn steps(
        &self,
        found: &volvelle_solver::graph::EndComponents,
        class: &[u32],
        payment: impl Fn(usize) -> f64,
    ) -> Result<(f64, f64), CheckError> {
        let space = &self.quotient.space;
        let last = space.num_states() - 1;
        let mut allowed = BitSet::new(space.num_choices());
        let mut going = BitSet::new(last + 1);
        let mut leaving = vec![0.0f64; space.num_choices()];
        for s in 0..last {
            for choice in space.choices_of(s) {
                let others = space.transitions(choice).filter(|&(t, _)| class[t] != class[s]);
                leaving[choice] = others.map(|(_, p)| p).sum::<f64>() * (1.0 + 1e-12);
                if payment(choice) == 0.0 && leaving[choice] > 0.0 {
                    allowed.insert(choice);
                    going.insert(class[s] as usize);
                }
            }
        }
        let mut unknown = BitSet::new(last + 1);
        for (s, &of) in class.iter().enumerate().take(last) {
            if going.contains(of as usize) {
                unknown.insert(s);
            }
        }
        let groups = found.iter().filter(|members| unknown.contains(members[0] as usize));
        let classes = Classes::new(&unknown, groups);
        let parts = Parts {
            space,
            classes: &classes,
            optimum: Optimum::Max,
            allowed: Some(&allowed),
            reward: |choice: usize| leaving[choice],
            stay: &[],
            known: |_| [0.0; 2],
        };
        let system = System::new(&parts);
        // A rough bound is enough.
        let options = Options { precision: 1e-2, relative: true, ..self.context.options };
        let solution = solve(&system, false, &options, &self.context)?;
        let most = solution.bounds.iter().map(|b| b[1]).fold(0.0, f64::max);
        let at = match system.unknown_of[self.quotient.initial] {
            NONE => 0.0,
            unknown => solution.bounds[unknown as usize][1],
        };
        Ok((at, most))
    }

    /// The largest weighted sum of rewards, all weights not negative, within about the relative `width`.
    fn direct(&self, weights: &[f64], width: f64) -> Result<f64, CheckError> {
        let space = &self.quotient.space;
        let last = space.num_states() - 1;
        let mut active = BitSet::full(last + 1);
        active.remove(last);
        // Where the weights are zero staying may cost nothing.
        let found = end_components(space, &active, |_| true);
        let classes = Classes::new(&active, found.iter());
        let total = |choice: usize| -> f64 {
            let products = self.quotient.rewards.iter().zip(weights).map(|(r, &w)| w * r[choice]);
            above(products.sum(), slack(weights.len() + 2))
        };
        let rewarded: Vec<f64> = (0..space.num_choices())
            .map(|choice| {
                let zero = self.quotient.rewards.iter().zip(weights).all(|(r, &w)| w * r[choice] == 0.0);
                if zero { 0.0 } else { total(choice) }
            })
            .collect();
        let parts = Parts {
            space,
            classes: &classes,
            optimum: Optimum::Max,
            allowed: None,
            reward: |choice: usize| rewarded[choice],
            stay: &[],
            known: |_| [0.0; 2],
        };
        let system = System::new(&parts);
        let options = Options { precision: width.min(1e-2), relative: true, ..self.context.options };
        let solution = solve(&system, false, &options, &self.context)?;
        let unknown = system.unknown_of[self.quotient.initial];
        let hi = solution.bounds[unknown as usize][1];
        Ok(if self.quotient.merged {
            above(hi, relative(2.0 * space.num_states() as f64 * 4.0 * U))
        } else {
            hi
        })
    }
}

/// The weighted sum of the objectives, from the middles of their bounds.
fn combine(values: &[Vec<[f64; 2]>], signed: &[f64]) -> Vec<f64> {
    let n = values.first().map_or(0, Vec::len);
    (0..n)
        .map(|s| {
            let parts = values.iter().zip(signed).filter(|(_, w)| **w != 0.0);
            parts.map(|(v, &w)| w * (v[s][0] + 0.5 * (v[s][1] - v[s][0]))).sum()
        })
        .collect()
}

/// A policy under which every run ends: each state steps towards the end with some probability.
fn ending_policy(context: &Context, last: usize) -> Vec<u32> {
    let mut policy = vec![NONE; last + 1];
    policy[last] = context.space.choices_of(last).start as u32;
    let mut work = vec![last];
    let mut next = 0;
    while next < work.len() {
        for &choice in context.predecessors().of(work[next]) {
            let s = context.predecessors().owner(choice);
            if policy[s] == NONE {
                policy[s] = choice;
                work.push(s);
            }
        }
        next += 1;
    }
    policy
}

/// `sum of weights · point` as bounds.
pub fn along(weights: &[f64], point: &[[f64; 2]]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (&w, &p) in weights.iter().zip(point) {
        let product = if w == 0.0 { Some([0.0; 2]) } else { interval::mul([w; 2], p) };
        sum = product.and_then(|p| interval::add(sum, p)).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    }
    sum
}

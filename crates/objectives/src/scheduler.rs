//! Optimal memoryless schedulers for reachability and expected rewards.
//!
//! In: an objective on an MDP. Out: one choice for every state, and bounds on the value of the induced chain.
//!
//! Bounds of the optimal values come first; a choice that attains them in one step need not be optimal, however: in an
//! end component where staying is worth as much as leaving, a scheduler that always stays never arrives. Therefore
//! where the value has to be *earned by arriving* (maximal probabilities, minimal rewards) choices are given
//! backwards from the target, so that from every state a path under the scheduler leads there; where it is enough that
//! no step is wrong (minimal probabilities, maximal rewards) any optimal choice will do (Puterman, *Markov Decision
//! Processes*, section 7.2; de Alfaro 1999). Values have errors, so that a choice may be taken that is
//! optimal only nearly: the induced chain is solved, and if its value is worse than the bounds promise, the
//! scheduler is improved as in policy iteration.

use volvelle_logic::{Bound, Comparison, Optimum};
use volvelle_solver::reach::{prob01_until, until};
use volvelle_solver::reward::reachability_reward;
use volvelle_solver::{CheckError, Context, Numbers, Options};
use volvelle_space::{BitSet, Kind, Space};

/// Reaching `right` through `left`, or a reward until `right` is reached.
#[derive(Clone, Debug)]
pub struct Objective {
    /// Whether the value is to be large or small.
    pub optimum: Optimum,
    /// The states before the target; for rewards all.
    pub left: BitSet,
    /// The target.
    pub right: BitSet,
    /// For expected rewards: the reward of every choice.
    pub reward: Option<Vec<f64>>,
    /// The value of the property is one minus this one.
    pub negated: bool,
    /// The bound with which the property compares its value.
    pub bound: Option<Bound>,
    /// The states whose values are requested.
    pub start: BitSet,
}

impl Objective {
    /// The bound on the probability of reaching the target, where the property demands that it is small.
    pub fn upper_limit(&self) -> Option<Bound> {
        let Bound { comparison, threshold } = self.bound.filter(|_| self.reward.is_none())?;
        match (self.negated, comparison) {
            (false, Comparison::Le | Comparison::Lt) => Some(Bound { comparison, threshold }),
            // Rounded upwards: a value that exceeds this one exceeds the true difference.
            (true, Comparison::Ge) => {
                Some(Bound { comparison: Comparison::Le, threshold: (1.0 - threshold).next_up() })
            }
            (true, Comparison::Gt) => {
                Some(Bound { comparison: Comparison::Lt, threshold: (1.0 - threshold).next_up() })
            }
            _ => None,
        }
    }
}

/// A scheduler with its value.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// The choice taken in every state, a number of the space.
    pub choices: Vec<u32>,
    /// Bounds of the value of the induced chain in every state.
    pub value: Vec<[f64; 2]>,
}

/// Rounds of improvement.
const ROUNDS: usize = 30;

/// How much better a choice must be to replace another: what a choice loses in one step, a scheduler may lose in each.
const BETTER: f64 = 1e-10;

/// The numbers of an objective on a space.
pub fn values(context: &Context, objective: &Objective) -> Result<Numbers, CheckError> {
    match &objective.reward {
        Some(reward) => reachability_reward(context, reward, &objective.right, objective.optimum),
        None => until(context, &objective.left, &objective.right, objective.optimum),
    }
}

/// An optimal scheduler.
pub fn optimal(context: &Context, objective: &Objective) -> Result<Scheduler, CheckError> {
    let mut best = values(context, objective)?;
    let wide = |s: usize| !context.options.accepts(best.bounds[s][0], best.bounds[s][1]);
    if objective.start.iter().any(wide) {
        // Widths of components add up: once more, finer, as for an answer.
        let precision = (context.options.precision * 1e-3).max(1e-12);
        let finer = Context::new(context.space, Options { precision, ..context.options }, context.control);
        best = values(&finer, objective)?;
    }
    let mut choices = Builder { context, objective, bounds: &best.bounds }.build();
    let mut value = worth(context, objective, &choices)?;
    let precision = context.options.precision;
    let start = &objective.start;
    for _ in 0..ROUNDS {
        let loss = |value: &[[f64; 2]], s: usize| loss(objective.optimum, value[s], best.bounds[s]);
        let scale = |s: usize| best.bounds[s][1].abs().min(f64::MAX);
        if (0..context.states()).all(|s| loss(&value, s) <= 4.0 * precision * scale(s)) {
            break;
        }
        let mut improved = choices.clone();
        if !improve(context, objective, &value, &mut improved) {
            break;
        }
        let next = worth(context, objective, &improved)?;
        // Rounding may lead astray: what was better stays.
        let sum = |value: &[[f64; 2]]| start.iter().map(|s| loss(value, s)).sum::<f64>();
        if sum(&next) > sum(&value) {
            break;
        }
        (choices, value) = (improved, next);
    }
    Ok(Scheduler { choices, value })
}

/// How far a value may be from the optimum, on the wrong side.
fn loss(optimum: Optimum, [lo, hi]: [f64; 2], [best_lo, best_hi]: [f64; 2]) -> f64 {
    if lo == best_lo && hi == best_hi && (lo == hi || hi == f64::INFINITY) {
        return 0.0;
    }
    match optimum {
        Optimum::Max => best_hi - lo,
        Optimum::Min => hi - best_lo,
    }
}

/// The chain that a scheduler induces on a space. A chain is unchanged.
pub fn induced(space: &Space, choices: &[u32]) -> Space {
    let mut row_start = vec![0u32];
    let mut columns = Vec::new();
    let mut values = Vec::new();
    for &choice in choices {
        let row = space.row(choice as usize);
        columns.extend_from_slice(&space.columns[row.clone()]);
        values.extend(space.values.range(row));
        row_start.push(columns.len() as u32);
    }
    Space {
        kind: if space.kind == Kind::Mdp { Kind::Dtmc } else { space.kind },
        choices: None,
        row_start,
        columns,
        values: values.into_iter().collect(),
        initial: space.initial.clone(),
        deadlocks: space.deadlocks.clone(),
        labels: Vec::new(),
        rewards: Vec::new(),
        actions: space.actions.clone(),
    }
}

/// The objective on the chain of a scheduler.
pub fn restricted(objective: &Objective, choices: &[u32]) -> Objective {
    let of_states = |reward: &Vec<f64>| choices.iter().map(|&c| reward[c as usize]).collect();
    Objective { reward: objective.reward.as_ref().map(of_states), ..objective.clone() }
}

/// Bounds of the value of a scheduler, narrower than what was requested.
fn worth(context: &Context, objective: &Objective, choices: &[u32]) -> Result<Vec<[f64; 2]>, CheckError> {
    let chain = induced(context.space, choices);
    let precision = (context.options.precision * 1e-4).max(1e-12);
    let options = Options { precision, ..context.options };
    let context = Context::new(&chain, options, context.control);
    Ok(values(&context, &restricted(objective, choices))?.bounds)
}

/// Replaces choices by clearly better ones; returns whether there were any.
fn improve(context: &Context, objective: &Objective, value: &[[f64; 2]], choices: &mut [u32]) -> bool {
    let space = context.space;
    let middle = |s: usize| 0.5 * (value[s][0] + value[s][1]);
    let mut changed = false;
    for (s, chosen) in choices.iter_mut().enumerate() {
        let waiting = objective.left.contains(s) && !objective.right.contains(s);
        if !waiting || !middle(s).is_finite() {
            continue;
        }
        let mut best = middle(s);
        for choice in space.choices_of(s) {
            let Some(worth) = one_step(space, objective, s, choice, middle) else { continue };
            let better = match objective.optimum {
                Optimum::Max => worth > best + BETTER * best.abs(),
                Optimum::Min => worth < best - BETTER * best.abs(),
            };
            if better && worth.is_finite() {
                best = worth;
                *chosen = choice as u32;
                changed = true;
            }
        }
    }
    changed
}

/// The value of a choice that is repeated until it leaves its state; `None` where it never does.
fn one_step(
    space: &Space,
    objective: &Objective,
    state: usize,
    choice: usize,
    value: impl Fn(usize) -> f64,
) -> Option<f64> {
    let (mut sum, mut leaves) = (objective.reward.as_ref().map_or(0.0, |r| r[choice]), 0.0);
    for (t, v) in space.transitions(choice).filter(|&(t, v)| t != state && v > 0.0) {
        leaves += v;
        let value = value(t);
        if value != 0.0 {
            sum += v * value;
        }
    }
    (leaves > 0.0).then(|| sum / leaves)
}

struct Builder<'a> {
    context: &'a Context<'a>,
    objective: &'a Objective,
    bounds: &'a [[f64; 2]],
}

/// The choices given so far.
struct Given {
    choices: Vec<u32>,
    /// The states from which they lead to the target.
    settled: BitSet,
}

/// How good a choice is, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Best,
    Possible,
    Worse,
}

impl Builder<'_> {
    fn build(&self) -> Vec<u32> {
        let (context, objective) = (self.context, self.objective);
        let space = context.space;
        // Where nothing depends on the choice, the first will do.
        let choices = (0..context.states()).map(|s| space.choices_of(s).start as u32).collect();
        let mut given = Given { choices, settled: BitSet::new(context.states()) };
        let (left, right) = (&objective.left, &objective.right);
        let mut waiting = left.clone();
        waiting.subtract(right);
        match (objective.optimum, &objective.reward) {
            (Optimum::Max, None) => {
                let certain = prob01_until(context, left, right, Optimum::Max);
                given.settled = right.clone();
                let mut sure = certain.one.clone();
                sure.intersect(&waiting);
                self.towards(&mut given, &sure, |c| self.stays(c, &certain.one), |_, _| Rank::Best);
                let mut rest = certain.zero.complement();
                rest.intersect(&waiting);
                self.towards(&mut given, &rest, |_| true, |s, c| self.rank(s, c));
            }
            (Optimum::Min, None) => {
                let zero = prob01_until(context, left, right, Optimum::Min).zero;
                self.keep_within(&mut given, &zero);
                let mut rest = zero.complement();
                rest.intersect(&waiting);
                self.greedy(&mut given, &rest);
            }
            (Optimum::Min, Some(_)) => {
                let finite = prob01_until(context, left, right, Optimum::Max).one;
                given.settled = right.clone();
                let mut rest = finite.clone();
                rest.intersect(&waiting);
                self.towards(&mut given, &rest, |c| self.stays(c, &finite), |s, c| self.rank(s, c));
            }
            (Optimum::Max, Some(_)) => {
                let certain = prob01_until(context, left, right, Optimum::Min);
                self.keep_within(&mut given, &certain.zero);
                // Where the target may be missed: go to where it is missed for ever.
                given.settled = certain.zero.clone();
                let mut missing = certain.one.complement();
                missing.intersect(&waiting);
                self.towards(&mut given, &missing, |_| true, |_, _| Rank::Best);
                let mut rest = certain.one.clone();
                rest.intersect(&waiting);
                self.greedy(&mut given, &rest);
            }
        }
        given.choices
    }

    fn stays(&self, choice: usize, set: &BitSet) -> bool {
        let space = self.context.space;
        space.columns[space.row(choice)].iter().all(|&t| set.contains(t as usize))
    }

    /// In the states of a set: a choice that does not leave it, where there is one.
    fn keep_within(&self, given: &mut Given, set: &BitSet) {
        for s in set.iter() {
            if let Some(choice) = self.context.space.choices_of(s).find(|&c| self.stays(c, set)) {
                given.choices[s] = choice as u32;
            }
        }
    }

    /// In the states of a set: the choice with the best value.
    fn greedy(&self, given: &mut Given, set: &BitSet) {
        for s in set.iter() {
            let mut best: Option<(f64, usize)> = None;
            for choice in self.context.space.choices_of(s) {
                let Some(worth) = self.worth(s, choice) else { continue };
                let better = best.is_none_or(|(known, _)| match self.objective.optimum {
                    Optimum::Max => worth > known,
                    Optimum::Min => worth < known,
                });
                if better {
                    best = Some((worth, choice));
                }
            }
            if let Some((_, choice)) = best {
                given.choices[s] = choice as u32;
            }
        }
    }

    fn worth(&self, state: usize, choice: usize) -> Option<f64> {
        let middle = |t: usize| 0.5 * (self.bounds[t][0] + self.bounds[t][1]);
        one_step(self.context.space, self.objective, state, choice, middle)
    }

    fn rank(&self, state: usize, choice: usize) -> Rank {
        let space = self.context.space;
        let worth = |side: usize| one_step(space, self.objective, state, choice, |t| self.bounds[t][side]);
        let [lo, hi] = self.bounds[state];
        let slack = 1e-11;
        let (Some(low), Some(high), Some(middle)) = (worth(0), worth(1), self.worth(state, choice)) else {
            return Rank::Worse;
        };
        let own = 0.5 * (lo + hi);
        let (best, possible) = match self.objective.optimum {
            Optimum::Max => (middle >= own * (1.0 - slack), high >= lo * (1.0 - slack)),
            Optimum::Min => (middle <= own * (1.0 + slack), low <= hi * (1.0 + slack)),
        };
        if best {
            Rank::Best
        } else if possible {
            Rank::Possible
        } else {
            Rank::Worse
        }
    }

    /// Gives every state of a set a choice that may lead to a state with a choice, as good a one as there is. Choices
    /// that are `Possible` or `Worse` are taken only where nothing better leads on.
    fn towards(
        &self,
        given: &mut Given,
        set: &BitSet,
        allowed: impl Fn(usize) -> bool,
        rank: impl Fn(usize, usize) -> Rank,
    ) {
        let predecessors = self.context.predecessors();
        let Given { choices, settled } = given;
        let mut work: Vec<u32> = settled.iter().map(|s| s as u32).collect();
        let mut later: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        let mut next = 0;
        loop {
            let Some(&target) = work.get(next) else {
                let deferred = later.iter_mut().find_map(Vec::pop);
                let Some(choice) = deferred else { break };
                let source = predecessors.owner(choice);
                if settled.insert(source) {
                    choices[source] = choice;
                    work.push(source as u32);
                }
                continue;
            };
            next += 1;
            for &choice in predecessors.of(target as usize) {
                let source = predecessors.owner(choice);
                if !set.contains(source) || settled.contains(source) || !allowed(choice as usize) {
                    continue;
                }
                match rank(source, choice as usize) {
                    Rank::Best => {
                        settled.insert(source);
                        choices[source] = choice;
                        work.push(source as u32);
                    }
                    Rank::Possible => later[0].push(choice),
                    Rank::Worse => later[1].push(choice),
                }
            }
        }
    }
}

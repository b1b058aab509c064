//! Expected reward that is accumulated within budgets: `C{"b"}<=B`.
//!
//! A choice earns its reward if what is spent, itself included, keeps within all budgets; with the first one that does not, a
//! run is over. So in each epoch the reward is a total one: a choice that spends something earns, once, what it is worth in
//! the epoch that it leads to, and ends.
//!
//! Where every choice that spends nothing leads on to one that does, or to where nothing is earned any more, the equations of all
//! epochs are those of one [layer](super::layer) with rewards, and are solved as those of probabilities are. Where a run may stay in
//! an epoch for ever, each is a problem of total rewards of its own, and both bounds of it are carried from epoch to epoch; if
//! rewards are earned again and again without spending anything, the value is infinite.

use rustc_hash::FxHashMap;
use volvelle_control::{Fact, ProgressEvent};
use volvelle_logic::{CostBound, Optimum, StopReason};
use volvelle_solver::reward::total;
use volvelle_solver::{CheckError, Context, Numbers, Options};
use volvelle_space::BitSet;

use super::costs::{Costs, NONE};
use super::engine;
use super::layer::{Layer, Origin, Problem, budget_space};
use super::require_discrete;
use super::schedule::{Schedule, Solver};

/// Narrowest relative width of an epoch.
const FINEST: f64 = 1e-13;

/// The expected reward within budgets in every state; `reward` per choice, not negative.
pub fn accumulated(
    context: &Context,
    reward: &[f64],
    bounds: &[CostBound],
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    require_discrete(context)?;
    let states = context.states();
    let costs = Costs::new(context, &[bounds], &BitSet::full(states), None)?;
    let Some(start) = costs.start(bounds) else {
        return Ok(Numbers::exact((0..states).map(|_| 0.0), "graph analysis"));
    };
    let schedule = Schedule::new(&costs, [&start].into_iter(), context.control)?;
    context.note(Fact::count("epochs", schedule.epochs()).because("amounts that can be left of the bounds"));
    let optimum = if context.is_chain() { Optimum::Max } else { optimum };
    let chain: u64 = costs.dimensions.iter().map(|d| u64::from(d.limit)).sum();
    let chain = chain.clamp(1, schedule.epochs().max(1));
    match by_layer(context, reward, &costs, &schedule, chain, optimum)? {
        Some(numbers) => Ok(numbers),
        None => by_epochs(context, reward, &costs, &schedule, chain, optimum),
    }
}

/// The same by a problem of total rewards for each epoch, of which `chain` follow one another at most.
fn by_epochs(
    context: &Context,
    reward: &[f64],
    costs: &Costs,
    schedule: &Schedule,
    chain: u64,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let width = context.options.precision / (2.0 * chain as f64);
    let options = Options { precision: width.max(FINEST), ..context.options };
    let mut engine = Engine {
        context,
        reward,
        costs,
        options,
        optimum,
        store: FxHashMap::default(),
        x: Vec::new(),
        solved: 0,
        method: String::new(),
        stop: StopReason::Computed,
    };
    let mut values = Vec::new();
    schedule.run(costs, &mut engine, |engine, _, _| {
        values.clone_from(&engine.x);
        Ok(())
    })?;
    let epochs = if engine.solved == 1 { "1 epoch".to_string() } else { format!("{} epochs", engine.solved) };
    Ok(Numbers { bounds: values, method: format!("{epochs}, {}", engine.method), stop: engine.stop })
}

/// The same by one layer of equations; `None` where a run may stay in an epoch, or this is not as precise as requested.
fn by_layer(
    context: &Context,
    reward: &[f64],
    costs: &Costs,
    schedule: &Schedule,
    chain: u64,
    optimum: Optimum,
) -> Result<Option<Numbers>, CheckError> {
    if costs.dimensions.iter().any(|dimension| !dimension.upper) {
        return Ok(None);
    }
    let (space, states) = (context.space, context.states());
    let earns = |s: &usize| space.choices_of(*s).any(|choice| reward[choice] > 0.0);
    let earning = BitSet::of(states, (0..states).filter(earns));
    let zero = context.predecessors().reach(&earning, None).complement();
    let (all, none) = (BitSet::full(states), BitSet::new(states));
    let problem = Problem::new(context, (&all, &none), zero, optimum, costs.clone());
    let Some(layer) = Layer::of_rewards(&problem, reward)? else { return Ok(None) };
    let layers = FxHashMap::from_iter([(0, layer)]);
    let mut engine = engine::Engine::new(&problem, &layers, &context.options, chain, f64::INFINITY);
    engine.total = schedule.epochs();
    let mut bounds = Vec::new();
    schedule.run(costs, &mut engine, |engine, _, epoch| {
        bounds = engine.last(epoch).all(states);
        Ok(())
    })?;
    // Iterations may get stuck where rewards differ by orders of magnitude; total rewards have more ways.
    let is_precise = !engine.is_stuck() && bounds.iter().all(|&[lo, hi]| context.options.accepts(lo, hi));
    Ok(is_precise.then(|| Numbers { bounds, method: engine.method(), stop: engine.stop() }))
}

struct Engine<'a> {
    context: &'a Context<'a>,
    reward: &'a [f64],
    costs: &'a Costs,
    options: Options,
    optimum: Optimum,
    /// Bounds of all states, in epochs that others need.
    store: FxHashMap<u64, Vec<[f64; 2]>>,
    /// Those of the epoch that was solved last.
    x: Vec<[f64; 2]>,
    solved: u64,
    method: String,
    stop: StopReason,
}

impl Engine<'_> {
    /// What a choice that spends something is worth with what is left after it.
    fn worth(&self, choice: usize, previous: Option<&Vec<[f64; 2]>>) -> [f64; 2] {
        let Some(previous) = previous else { return [0.0; 2] };
        let reward = self.reward[choice];
        let (mut low, mut high, mut terms) = (reward, reward, 1.0);
        for (t, p) in self.context.space.transitions(choice).filter(|t| t.1 > 0.0) {
            low += p * previous[t][0];
            high += p * previous[t][1];
            terms += 1.0;
        }
        if low == f64::INFINITY {
            return [f64::INFINITY; 2];
        }
        // Each term and each sum is rounded, and so may the numbers of the model be.
        let error = self.context.options.input + (terms + 2.0) * 2.0 * volvelle_solver::rounding::U;
        [
            (low * (1.0 - error)).next_down().max(0.0),
            if high > 0.0 { (high * (1.0 + error)).next_up() } else { 0.0 },
        ]
    }
}

impl Solver for Engine<'_> {
    fn solve(&mut self, epoch: &[u32], key: &dyn Fn(&[u32]) -> u64) -> Result<(), CheckError> {
        let (costs, control, n) = (self.costs, self.context.control, self.context.states());
        control.check()?;
        let done = self.solved;
        control.progress.report(ProgressEvent::Solving { what: "epochs", done, total: 0, error: 0.0 });
        self.solved += 1;
        let mut rest = epoch.to_vec();
        let previous: Vec<Option<&Vec<[f64; 2]>>> = (0..costs.steps.len() as u32)
            .map(|step| if costs.after(epoch, step, &mut rest) { self.store.get(&key(&rest)) } else { None })
            .collect();
        let worth = |choice: usize| match costs.step_of[choice] {
            NONE => [0.0; 2],
            step => self.worth(choice, previous[step as usize]),
        };
        // A bound of what a choice is worth may be infinite where the other is not: each has its own problem.
        let solved = |end: usize| {
            let is_infinite = |choice| worth(choice)[end] == f64::INFINITY;
            let (space, origins) = budget_space(self.context, costs, is_infinite);
            let reward = origins.iter().enumerate().map(|(place, origin)| match *origin {
                Origin::Stays(choice) => self.reward[choice as usize],
                // It leads to where something is earned for ever.
                Origin::Spends(choice) if is_infinite(choice as usize) => 0.0,
                Origin::Spends(choice) => worth(choice as usize)[end],
                // The last state stands for what is infinite.
                Origin::Loop if place + 1 == origins.len() => 1.0,
                Origin::Loop => 0.0,
            });
            let reward: Vec<f64> = reward.collect();
            total(&self.context.inner(&space, self.options, control), &reward, self.optimum)
        };
        let is_known = (0..costs.step_of.len()).all(|choice| {
            let [low, high] = worth(choice);
            low == high
        });
        let least = solved(0)?;
        let most = if is_known { least.clone() } else { solved(1)? };
        let bounds = least.bounds.iter().zip(&most.bounds).take(n).map(|(a, b)| [a[0], b[1]]);
        self.x = bounds.collect();
        self.stop = self.stop.max(least.stop).max(most.stop);
        self.method = most.method;
        Ok(())
    }

    fn keep(&mut self, key: u64, _: &[u32]) -> Result<(), CheckError> {
        let bytes = 16 * self.x.len() as u64;
        self.context.control.check_memory((self.store.len() as u64 + 1) * bytes)?;
        self.store.insert(key, self.x.clone());
        Ok(())
    }

    fn forget(&mut self, key: u64) {
        self.store.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use volvelle_control::Control;
    use volvelle_logic::{Counted, Limit, RewardId};
    use volvelle_reference::{Random, random_rows, space};
    use volvelle_space::{Kind, RewardVectors};

    use super::*;

    #[test]
    fn one_layer_and_problems_of_their_own_agree() {
        let mut random = Random(41);
        let (mut layers, mut cyclic, mut infinite, mut others) = (0, 0, 0, 0);
        for round in 0..200 {
            let kind = [Kind::Dtmc, Kind::Mdp][round % 2];
            let mut space = space(kind, &random_rows(&mut random, 7, if kind == Kind::Mdp { 2 } else { 1 }));
            let free = 1 + random.below(3);
            let cost: Vec<f64> =
                (0..space.num_choices()).map(|_| random.below(5).saturating_sub(free) as f64).collect();
            space.rewards.push(RewardVectors {
                name: "cost".to_string(),
                state: None,
                choice: Some(cost.into()),
                mixed: false,
                accuracy: Default::default(),
            });
            let reward: Vec<f64> =
                (0..space.num_choices()).map(|_| [0.0, 0.0, 1.0, 0.3, 1e9][random.below(5)]).collect();
            let bound = CostBound {
                counted: Counted::Reward(RewardId(0)),
                lower: None,
                upper: Some(Limit { amount: RBig::from(random.below(40) as u64), strict: false }),
            };
            let optimum = [Optimum::Min, Optimum::Max][round / 2 % 2];
            let control = Control::unlimited();
            let context = Context::new(&space, Options::default(), &control);
            let costs =
                Costs::new(&context, &[std::slice::from_ref(&bound)], &BitSet::full(7), None).unwrap();
            let start = costs.start(&[bound]).unwrap();
            let schedule = Schedule::new(&costs, [&start].into_iter(), &control).unwrap();
            let chain = schedule.epochs();
            let optimum = if kind == Kind::Dtmc { Optimum::Max } else { optimum };
            let one = by_layer(&context, &reward, &costs, &schedule, chain, optimum).unwrap();
            let each = by_epochs(&context, &reward, &costs, &schedule, chain, optimum).unwrap();
            let Some(one) = one else {
                infinite += usize::from(each.bounds.iter().any(|b| b[0] == f64::INFINITY));
                others += 1;
                continue;
            };
            layers += 1;
            cyclic += usize::from(one.method.contains("iteration") || one.method.contains("elimination"));
            for (s, (&[lo, hi], &[low, high])) in one.bounds.iter().zip(&each.bounds).enumerate() {
                assert!(lo <= high && low <= hi, "round {round} {s}: [{lo}, {hi}] and [{low}, {high}]");
                assert!(hi - lo <= 1e-6 * lo, "round {round} {s}: [{lo}, {hi}]");
            }
        }
        assert!(
            layers > 50 && cyclic > 10 && infinite > 10 && others > infinite,
            "{layers} {cyclic} {infinite} {others}"
        );
    }
}

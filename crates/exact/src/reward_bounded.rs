//! Bounds on rewards over rationals: the epochs of [`mod@volvelle_objectives::reward_bounded`], each a [`Task`] of its own.
//!
//! Costs, epochs, their order and graphs are the same as in floating point. A choice that spends something earns, once, what
//! it is worth in the epoch that it leads to; so an epoch asks for a reward until its choices are taken or the right side is
//! reached. The policy of one epoch is where the next one with the same graph begins.

use crate::arithmetic::holds;
use crate::linear::{add_product, size};
use crate::model::Model;
use crate::policy::Task;
use crate::reach::{self, ExactValues, until};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_control::{Fact, ProgressEvent};
use volvelle_logic::{Comparison, CostBound, Counted, Optimum, Quantile, Ratio, RewardId, StopReason};
use volvelle_objectives::reward_bounded::{
    Costs, Decided, EpochGraph, Large, Origin, Problem, Question, Schedule, Search, Solver, Spent,
    budget_space, require_discrete, search,
};
use volvelle_solver::CheckError;
use volvelle_space::{BitSet, ExactSpace, Kind, RatiosBuilder};

/// The probability of `left U right` within bounds.
pub fn probability(
    model: &Model<'_>,
    left: &BitSet,
    right: &BitSet,
    bounds: &[CostBound],
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let Question { optimum, zero, relevant, .. } = Question::new(context, left, right, optimum, None)?;
    let costs =
        Costs::spending(context, &[bounds], &relevant, None, |id, choices| spent(model, id, choices))?;
    let mut values = vec![Ratio::ZERO; context.states()];
    let Some(start) = costs.start(bounds) else {
        return Ok((values, "graph analysis".to_string()));
    };
    let schedule = Schedule::new(&costs, [&start].into_iter(), context.control)?;
    context.note(Fact::count("epochs", schedule.epochs()).because("amounts that can be left of the bounds"));
    let problem = Problem::new(context, (left, right), zero, optimum, costs);
    let mut engine = Engine::new(model, &problem);
    schedule.run(&problem.costs, &mut engine, |engine, _, _| {
        for s in (0..values.len()).filter(|&s| model.is_needed(s)) {
            values[s] = engine.x[s].clone().into();
        }
        Ok(())
    })?;
    Ok((values, engine.method()))
}

/// The amount with which the probability meets a threshold.
pub fn quantile(
    model: &Model<'_>,
    (left, right): (&BitSet, &BitSet),
    quantile: &Quantile,
    threshold: &Ratio,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let Question { optimum, zero, relevant, needed } =
        Question::new(context, left, right, optimum, model.focus)?;
    let open = Some((quantile.open, quantile.upper));
    let bounds: &[CostBound] = &quantile.bounds;
    let costs =
        Costs::spending(context, &[bounds], &relevant, open, |id, choices| spent(model, id, choices))?;
    let rewards = match quantile.bounds[quantile.open].counted {
        Counted::Steps => vec![RBig::ONE; context.space.num_choices()],
        Counted::Reward(id) => model.visit_rewards(id)?,
    };
    let spends = |choice: usize| !rewards[choice].is_zero();
    let comparison = quantile.bound.comparison;
    let mut values = Fractions { model, left, right, optimum, zero, comparison, threshold };
    let amounts = search(context, (left, right), quantile, optimum, &needed, &costs, &spends, &mut values)?;
    let method = amounts.method().to_string();
    Ok((amounts.each(&needed, Ratio::ZERO, Ratio::Infinity, |amount| amount.clone().into())?, method))
}

/// The expected reward, not negative and given per choice, that is accumulated within budgets.
pub fn accumulated(
    model: &Model<'_>,
    reward: &[RBig],
    bounds: &[CostBound],
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    require_discrete(context)?;
    let n = context.states();
    let costs =
        Costs::spending(context, &[bounds], &BitSet::full(n), None, |id, choices| spent(model, id, choices))?;
    let mut values = vec![Ratio::ZERO; n];
    let Some(start) = costs.start(bounds) else {
        return Ok((values, "graph analysis".to_string()));
    };
    let schedule = Schedule::new(&costs, [&start].into_iter(), context.control)?;
    let optimum = if context.is_chain() { Optimum::Max } else { optimum };
    let mut engine = Budgets {
        model,
        reward,
        costs: &costs,
        optimum,
        store: FxHashMap::default(),
        x: Vec::new(),
        solved: 0,
    };
    schedule.run(&costs, &mut engine, |engine, _, _| {
        values.clone_from(&engine.x);
        Ok(())
    })?;
    let epochs = if engine.solved == 1 { "1 epoch".to_string() } else { format!("{} epochs", engine.solved) };
    Ok((values, format!("{epochs}, rational arithmetic")))
}

/// Rewards within budgets: total rewards, epoch by epoch, as in floating point.
struct Budgets<'a> {
    model: &'a Model<'a>,
    reward: &'a [RBig],
    costs: &'a Costs,
    optimum: Optimum,
    store: FxHashMap<u64, Vec<Ratio>>,
    /// The values of the epoch that was solved last.
    x: Vec<Ratio>,
    solved: u64,
}

impl Solver for Budgets<'_> {
    fn solve(&mut self, epoch: &[u32], key: &dyn Fn(&[u32]) -> u64) -> Result<(), CheckError> {
        let (model, costs) = (self.model, self.costs);
        let (context, n) = (model.context, model.context.states());
        context.control.check()?;
        self.solved += 1;
        let mut rest = epoch.to_vec();
        let previous: Vec<Option<&Vec<Ratio>>> = (0..costs.steps.len() as u32)
            .map(|step| if costs.after(epoch, step, &mut rest) { self.store.get(&key(&rest)) } else { None })
            .collect();
        let worth: Vec<Option<RBig>> = (0..context.space.num_choices())
            .map(|choice| {
                let Some(previous) = previous[costs.step_of[choice] as usize] else {
                    return Some(RBig::ZERO);
                };
                let mut worth = self.reward[choice].clone();
                for (t, p) in model.transitions(choice).filter(|(_, p)| !p.is_zero()) {
                    add_product(&mut worth, p, previous[t].finite()?);
                }
                Some(worth)
            })
            .collect();
        let (mut space, origins) = budget_space(context, costs, |choice| worth[choice].is_none());
        let (mut values, mut rewards) = (RatiosBuilder::default(), Vec::new());
        for (place, origin) in origins.iter().enumerate() {
            match *origin {
                Origin::Stays(choice) => {
                    model.transitions(choice as usize).for_each(|(_, p)| values.push(p.clone()));
                    rewards.push(self.reward[choice as usize].clone());
                }
                Origin::Spends(choice) => {
                    values.push(RBig::ONE);
                    rewards.push(worth[choice as usize].clone().unwrap_or(RBig::ZERO));
                }
                // The last state stands for what is infinite.
                Origin::Loop => {
                    values.push(RBig::ONE);
                    rewards.push(if place + 1 == origins.len() { RBig::ONE } else { RBig::ZERO });
                }
            }
        }
        if context.is_chain() {
            space.kind = Kind::Dtmc;
            space.choices = None;
        }
        let exact = ExactSpace { values: values.finish(), ..ExactSpace::default() };
        let inner = context.inner(&space, context.options, context.control);
        let (mut found, _) = reach::total(&Model::new(&inner, &exact), &rewards, self.optimum)?;
        found.truncate(n);
        self.x = found;
        Ok(())
    }

    fn keep(&mut self, key: u64, _: &[u32]) -> Result<(), CheckError> {
        let bits: u64 = self.x.iter().filter_map(Ratio::finite).map(size).sum();
        self.model
            .context
            .control
            .check_memory((self.store.len() as u64 + 1) * (bits / 8 + 64 * self.x.len() as u64))?;
        self.store.insert(key, self.x.clone());
        Ok(())
    }

    fn forget(&mut self, key: u64) {
        self.store.remove(&key);
    }
}

/// What choices spend of a reward structure.
fn spent(model: &Model<'_>, id: RewardId, choices: &[usize]) -> Result<Spent, CheckError> {
    let rewards = model.visit_rewards(id)?;
    model.check_not_negative(id, &rewards)?;
    Ok(Spent::fractions(choices.iter().map(|&choice| &rewards[choice])))
}

/// The epochs in which the same demands are met.
enum Layer {
    /// No bound is left: the values.
    Fixed(Vec<RBig>),
    /// Equations.
    Equal(Box<Equal>),
}

/// The graph of a layer with its numbers.
struct Equal {
    graph: EpochGraph,
    exact: ExactSpace,
    /// The optimal policy of the epoch that was solved last.
    policy: Option<Vec<u32>>,
}

impl Layer {
    fn new(model: &Model<'_>, problem: &Problem<'_>, met: u32) -> Result<Self, CheckError> {
        if problem.is_unbounded(met) {
            let (values, _) = until(&model.focused(None), problem.left, problem.right, problem.optimum)?;
            return Ok(Layer::Fixed(values.into_iter().map(finite).collect()));
        }
        let mut graph = EpochGraph::new(problem, met);
        let mut values = RatiosBuilder::default();
        for origin in &graph.origins {
            match *origin {
                Origin::Stays(from) => {
                    model.transitions(from as usize).for_each(|(_, p)| values.push(p.clone()));
                }
                Origin::Loop | Origin::Spends(_) => values.push(RBig::ONE),
            }
        }
        if model.context.is_chain() {
            graph.space.kind = Kind::Dtmc;
            graph.space.choices = None;
        }
        let exact = ExactSpace { values: values.finish(), ..ExactSpace::default() };
        Ok(Layer::Equal(Box::new(Equal { graph, exact, policy: None })))
    }
}

/// The values of the entries of an epoch, and their size in bits.
struct Slot {
    values: Vec<RBig>,
    bits: u64,
}

/// Epochs that were solved, as long as others need them.
struct Engine<'a> {
    model: &'a Model<'a>,
    problem: &'a Problem<'a>,
    layers: FxHashMap<u32, Layer>,
    store: FxHashMap<u64, Slot>,
    bits: u64,
    /// The values of the epoch that was solved last.
    x: Vec<RBig>,
    solved: u64,
}

impl<'a> Engine<'a> {
    fn new(model: &'a Model<'a>, problem: &'a Problem<'a>) -> Self {
        Engine {
            model,
            problem,
            layers: FxHashMap::default(),
            store: FxHashMap::default(),
            bits: 0,
            x: Vec::new(),
            solved: 0,
        }
    }

    fn method(&self) -> String {
        let epochs = if self.solved == 1 { "1 epoch".to_string() } else { format!("{} epochs", self.solved) };
        format!("{epochs}, rational arithmetic")
    }

    /// What a choice that spends something is worth in the epoch that it leads to.
    fn worth(&self, choice: usize, previous: Option<&Slot>) -> RBig {
        let Some(slot) = previous else { return RBig::ZERO };
        let mut worth = RBig::ZERO;
        for (t, p) in self.model.transitions(choice) {
            add_product(&mut worth, p, &slot.values[self.problem.entry_of[t] as usize]);
        }
        worth
    }
}

impl Solver for Engine<'_> {
    fn solve(&mut self, epoch: &[u32], key: &dyn Fn(&[u32]) -> u64) -> Result<(), CheckError> {
        let (model, problem) = (self.model, self.problem);
        let (costs, control) = (&problem.costs, model.context.control);
        control.check()?;
        control.progress.report(ProgressEvent::Solving {
            what: "epochs",
            done: self.solved,
            total: 0,
            error: 0.0,
        });
        self.solved += 1;
        let met = costs.met(epoch);
        let mut layer = match self.layers.remove(&met) {
            Some(layer) => layer,
            None => Layer::new(model, problem, met)?,
        };
        match &mut layer {
            Layer::Fixed(values) => self.x.clone_from(values),
            Layer::Equal(layer) => {
                let mut rest = epoch.to_vec();
                let mut leads = |step: u32| {
                    let leads = costs.counts(step, met) && costs.after(epoch, step, &mut rest);
                    if leads { self.store.get(&key(&rest)) } else { None }
                };
                let previous: Vec<Option<&Slot>> = (0..costs.steps.len() as u32).map(&mut leads).collect();
                let worth = |origin: &Origin| match *origin {
                    Origin::Spends(from) => {
                        self.worth(from as usize, previous[costs.step_of[from as usize] as usize])
                    }
                    Origin::Loop | Origin::Stays(_) => RBig::ZERO,
                };
                let reward: Vec<RBig> = layer.graph.origins.iter().map(worth).collect();
                let EpochGraph { space, inside, ones, .. } = &layer.graph;
                let context = model.context.inner(space, model.context.options, control);
                let task = Task {
                    model: &Model::new(&context, &layer.exact),
                    unknown: inside,
                    allowed: None,
                    may_stop: None,
                    reward: Some(&reward),
                    known: &|s| if ones.contains(s) { RBig::ONE } else { RBig::ZERO },
                    optimum: problem.optimum,
                    guide: None,
                };
                let (values, policy, _) = task.optimise_from(layer.policy.take())?;
                layer.policy = Some(policy);
                self.x = values;
            }
        }
        self.layers.insert(met, layer);
        Ok(())
    }

    fn keep(&mut self, key: u64, _: &[u32]) -> Result<(), CheckError> {
        let values: Vec<RBig> = self.problem.entries.iter().map(|&s| self.x[s as usize].clone()).collect();
        let bits = values.iter().map(|value| size(value) + 8 * size_of::<RBig>() as u64).sum();
        self.bits += bits;
        self.model.context.control.check_memory(self.bits / 8)?;
        self.store.insert(key, Slot { values, bits });
        Ok(())
    }

    fn forget(&mut self, key: u64) {
        if let Some(slot) = self.store.remove(&key) {
            self.bits -= slot.bits;
        }
    }
}

/// Decisions by exact probabilities.
struct Fractions<'a> {
    model: &'a Model<'a>,
    left: &'a BitSet,
    right: &'a BitSet,
    optimum: Optimum,
    zero: BitSet,
    comparison: Comparison,
    threshold: &'a Ratio,
}

impl Decided for Fractions<'_> {
    fn is_one(&self) -> bool {
        *self.threshold == Ratio::Finite(RBig::ONE)
    }

    fn is_zero(&self) -> bool {
        *self.threshold == Ratio::ZERO
    }

    fn zero_meets(&self) -> bool {
        holds(self.comparison, &Ratio::ZERO, self.threshold)
    }

    fn in_the_limit(&mut self, limit: &Large, needed: &BitSet) -> Result<(BitSet, String), CheckError> {
        let (model, left, right) = (&self.model.focused(Some(needed)), self.left, self.right);
        let context = model.context;
        let n = context.states();
        let (values, method) = match limit {
            Large::Unbounded => until(model, left, right, self.optimum)?,
            Large::Within(bounds) => probability(model, left, right, bounds, self.optimum)?,
            Large::Avoids(fails) => reach::complement(until(model, &BitSet::full(n), fails, Optimum::Max)?),
            Large::Through(paying) => {
                let (then, _) = until(&model.focused(None), left, right, self.optimum)?;
                let then: Vec<RBig> = then.into_iter().map(finite).collect();
                let unknown = Large::on_the_way(context, left, paying);
                let known = |s: usize| if paying.contains(s) { then[s].clone() } else { RBig::ZERO };
                reach::terminal(model, &unknown, &known)?
            }
        };
        let met =
            (0..n).filter(|&s| needed.contains(s) && holds(self.comparison, &values[s], self.threshold));
        Ok((BitSet::of(n, met), method))
    }

    fn search(&mut self, search: &mut Search) -> Result<(String, StopReason), CheckError> {
        let (sets, zero) = ((self.left, self.right), self.zero.clone());
        let problem = Problem::new(self.model.context, sets, zero, self.optimum, search.costs.clone());
        let mut engine = Engine::new(self.model, &problem);
        let met = |engine: &Engine, _: &[u32], s: usize| {
            Ok(holds(self.comparison, &engine.x[s].clone().into(), self.threshold))
        };
        search.by_epochs(&mut engine, met)?;
        let why = "amounts are tried in increasing order until the threshold is crossed";
        self.model.context.note(Fact::count("epochs", engine.solved).because(why));
        Ok((engine.method(), StopReason::Computed))
    }
}

/// A probability.
fn finite(value: Ratio) -> RBig {
    match value {
        Ratio::Finite(value) => value,
        _ => RBig::ONE,
    }
}

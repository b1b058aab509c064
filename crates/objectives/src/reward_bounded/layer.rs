//! The equations of all epochs in which the same demands are met.
//!
//! In an epoch a choice that spends something leads to earlier epochs, whose values are known; the other choices stay in the
//! epoch. The graph of these is the same in all epochs of a layer, so that components, end components and the states without
//! hope are found once, and an epoch is one pass over the rows.

use volvelle_logic::Optimum;
use volvelle_solver::graph::{Predecessors, end_components, plain_space, prob01};
use volvelle_solver::rounding::U;
use volvelle_solver::solve::{self, Classes, Parts, System};
use volvelle_solver::{CheckError, Context, reach};
use volvelle_space::{BitSet, Choices, Kind, Space, Values, ValuesBuilder};

use super::costs::{Costs, NONE};

/// The place of a state whose value is zero.
pub const ZERO: u32 = u32::MAX;

/// The place of a state whose value is one.
pub const ONE: u32 = u32::MAX - 1;

/// `left U right` within bounds.
pub struct Problem<'a> {
    /// The model.
    pub context: &'a Context<'a>,
    /// States that may be passed.
    pub left: &'a BitSet,
    /// States to be reached.
    pub right: &'a BitSet,
    /// States where the probability is zero whatever the bounds are.
    pub zero: BitSet,
    /// The optimum over schedulers.
    pub optimum: Optimum,
    /// What choices spend.
    pub costs: Costs,
    /// The states that choices lead to which spend something: epochs are kept by their values.
    pub entries: Vec<u32>,
    /// The place of a state among `entries`, or `NONE`.
    pub entry_of: Vec<u32>,
}

impl<'a> Problem<'a> {
    /// A problem; `zero` and `costs` belong to `left U right`.
    pub fn new(
        context: &'a Context<'a>,
        (left, right): (&'a BitSet, &'a BitSet),
        zero: BitSet,
        optimum: Optimum,
        costs: Costs,
    ) -> Self {
        let space = context.space;
        let spends = |step: u32| step != NONE && costs.counts(step, 0);
        let mut reached = BitSet::new(context.states());
        for choice in (0..space.num_choices()).filter(|&choice| spends(costs.step_of[choice])) {
            for &t in &space.columns[space.row(choice)] {
                reached.insert(t as usize);
            }
        }
        let entries: Vec<u32> = reached.iter().map(|s| s as u32).collect();
        let mut entry_of = vec![NONE; context.states()];
        for (place, &s) in entries.iter().enumerate() {
            entry_of[s as usize] = place as u32;
        }
        Problem { context, left, right, zero, optimum, costs, entries, entry_of }
    }

    /// Whether no bound is left where these demands are met.
    pub fn is_unbounded(&self, met: u32) -> bool {
        self.costs.accepts(met) && self.costs.dimensions.iter().all(|d| !d.upper)
    }
}

/// The graph of all epochs in which the same demands are met.
pub struct EpochGraph {
    /// The choices of states whose value is not known; those that spend something lead to one more state, which stands for
    /// other epochs. Other states have a loop.
    pub space: Space,
    /// Where each choice comes from.
    pub origins: Vec<Origin>,
    /// The states whose value depends on other epochs or on the right side.
    pub inside: BitSet,
    /// The states where the right side counts. Neither here nor inside: the value is zero.
    pub ones: BitSet,
}

impl EpochGraph {
    /// The graph of epochs in which the demands of `met` are met.
    pub fn new(problem: &Problem, met: u32) -> Self {
        let Problem { context, left, right, zero, optimum, costs, .. } = problem;
        let n = context.states();
        let mut unknown = (*left).clone();
        unknown.subtract(zero);
        let mut ones = BitSet::new(n + 1);
        if costs.accepts(met) {
            unknown.subtract(right);
            ones = BitSet::of(n + 1, right.iter());
        }
        let (space, origins) = epoch_space(problem, met, &unknown);
        let mut inside = BitSet::of(n + 1, unknown.iter());
        let mut goal = ones.clone();
        goal.insert(n);
        // What never gets to another epoch or to the right side has no hope in any epoch of the layer.
        let hopeless = prob01(&space, &Predecessors::new(&space), &inside, &goal, *optimum).zero;
        inside.subtract(&hopeless);
        EpochGraph { space, origins, inside, ones }
    }
}

/// Where a choice of an [`EpochGraph`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The loop of a state whose value is known.
    Loop,
    /// A choice of the model that stays in the epoch.
    Stays(u32),
    /// A choice of the model that spends something.
    Spends(u32),
}

/// The equations, in the order in which they are solved.
pub struct Layer {
    /// For every state its unknown, [`ONE`] or [`ZERO`].
    pub place: Vec<u32>,
    /// The places of the entries.
    pub entries: Vec<u32>,
    /// Choices of unknown `i`: `choice_start[i]..choice_start[i + 1]`.
    choice_start: Vec<u32>,
    /// Entries of choice `c`: `row_start[c]..row_start[c + 1]`.
    row_start: Vec<u32>,
    /// Unknowns, for a choice that spends something entries of the epoch that it leads to.
    columns: Vec<u32>,
    values: Values,
    /// Constant part of each choice: what is known without other epochs, and what it earns.
    base: Vec<f64>,
    /// The step of each choice; [`NONE`] if it spends nothing.
    step: Vec<u32>,
    /// Component `k` has the unknowns `component_start[k]..component_start[k + 1]`.
    component_start: Vec<u32>,
    /// The system, where it has components of several unknowns.
    pub system: Option<System>,
    /// First-order relative error of an epoch that is added to that of those before, without that of components.
    pub error: f64,
    /// Components of several unknowns on one path, at most.
    pub blocks: usize,
    /// The smallest number of a row.
    pub smallest: f64,
    /// The values themselves with their relative error, where no bound is left.
    pub fixed: Option<(Vec<f64>, f64)>,
}

impl Layer {
    /// The layer of epochs in which the demands of `met` are met.
    pub fn new(problem: &Problem, met: u32) -> Result<Self, CheckError> {
        let Problem { context, optimum, .. } = problem;
        if problem.is_unbounded(met) {
            return Self::unbounded(problem);
        }
        let EpochGraph { space, origins: original, inside, ones } = EpochGraph::new(problem, met);
        let collapsed = match optimum {
            Optimum::Max if !context.is_chain() => end_components(&space, &inside, |_| true),
            _ => Default::default(),
        };
        let classes = Classes::new(&inside, collapsed.iter());
        let parts = Parts {
            space: &space,
            classes: &classes,
            optimum: *optimum,
            allowed: None,
            reward: |_| 0.0,
            stay: &[],
            known: |s: usize| [f64::from(u8::from(ones.contains(s))); 2],
        };
        let (system, origins) = System::with_origins(&parts);
        context.control.check_memory(space.bytes() + 2 * system.bytes())?;
        Ok(Self::of_system(problem, system, &origins, &original, &ones))
    }

    /// The layer of all epochs of a reward that is accumulated within budgets, where it is a contraction: `None` where
    /// some scheduler can stay in an epoch for ever. The problem's states of value zero are those that earn nothing any more.
    pub fn of_rewards(problem: &Problem, reward: &[f64]) -> Result<Option<Self>, CheckError> {
        let context = problem.context;
        let n = context.states();
        let (space, original) = epoch_space(problem, 0, &problem.zero.complement());
        let inside = BitSet::of(n + 1, problem.zero.complement().iter());
        let staying = end_components(&space, &inside, |_| true);
        if staying.iter().next().is_some() {
            return Ok(None);
        }
        let classes = Classes::new(&inside, staying.iter());
        let parts = Parts {
            space: &space,
            classes: &classes,
            optimum: problem.optimum,
            allowed: None,
            reward: |choice: usize| match original[choice] {
                Origin::Loop => 0.0,
                Origin::Stays(from) | Origin::Spends(from) => reward[from as usize],
            },
            stay: &[],
            known: |_: usize| [0.0; 2],
        };
        let (system, origins) = System::with_origins(&parts);
        context.control.check_memory(space.bytes() + 2 * system.bytes())?;
        Ok(Some(Self::of_system(problem, system, &origins, &original, &BitSet::new(n + 1))))
    }

    /// Takes the rows of choices that stay from the system, those of the others from the model.
    fn of_system(
        problem: &Problem,
        system: System,
        origins: &[u32],
        original: &[Origin],
        ones: &BitSet,
    ) -> Self {
        let model = problem.context.space;
        let choices = origins.len();
        let mut layer = Layer {
            place: Vec::with_capacity(model.num_states()),
            entries: Vec::new(),
            choice_start: system.choice_start.clone(),
            row_start: Vec::with_capacity(choices + 1),
            columns: Vec::new(),
            values: Vec::new().into(),
            base: Vec::with_capacity(choices),
            step: Vec::with_capacity(choices),
            component_start: system.component_start.clone(),
            system: None,
            error: 0.0,
            blocks: 0,
            smallest: 1.0,
            fixed: None,
        };
        for (s, &unknown) in system.unknown_of.iter().take(model.num_states()).enumerate() {
            layer.place.push(match unknown {
                solve::NONE if ones.contains(s) => ONE,
                solve::NONE => ZERO,
                unknown => unknown,
            });
        }
        layer.entries = problem.entries.iter().map(|&s| layer.place[s as usize]).collect();
        let mut values = ValuesBuilder::new();
        let mut longest = 0;
        layer.row_start.push(0);
        for (choice, &origin) in origins.iter().enumerate() {
            let original = original[origin as usize];
            let [lo, hi] = system.constant.get(choice);
            layer.base.push(0.5 * (lo + hi));
            if let Origin::Spends(from) = original {
                // The row was replaced.
                layer.step.push(problem.costs.step_of[from as usize]);
                for (t, v) in model.transitions(from as usize) {
                    layer.columns.push(problem.entry_of[t]);
                    values.push(v);
                }
            } else {
                layer.step.push(NONE);
                let row = system.row_start[choice] as usize..system.row_start[choice + 1] as usize;
                layer.columns.extend_from_slice(&system.columns[row.clone()]);
                row.for_each(|at| values.push(system.values.get(at)));
            }
            longest = longest.max(layer.columns.len() - layer.row_start[choice] as usize);
            layer.row_start.push(layer.columns.len() as u32);
        }
        layer.values = values.finish();
        layer.smallest = match layer.values.distinct() {
            Some(distinct) => distinct.iter().copied().fold(1.0, f64::min),
            None => layer.values.iter().fold(1.0, f64::min),
        };
        let (depth, blocks) = layer.depths();
        // Each row is off by the errors of its numbers and of its sum; `slack(12)` is in constants.
        layer.error = depth as f64 * (2.0 * problem.context.options.input + (longest + 24) as f64 * U);
        layer.blocks = blocks;
        layer.system = (blocks > 0).then_some(system);
        layer
    }

    /// Values without any bound.
    fn unbounded(problem: &Problem) -> Result<Self, CheckError> {
        let reached = reach::until(problem.context, problem.left, problem.right, problem.optimum)?;
        let mut error = 0.0f64;
        let values = reached.bounds.iter().map(|&[lo, hi]| {
            let middle = lo + 0.5 * (hi - lo);
            if lo != hi {
                error = error.max((hi - middle) / middle + 2.0 * U);
            }
            middle
        });
        let values: Vec<f64> = values.collect();
        Ok(Layer {
            place: (0..values.len() as u32).collect(),
            entries: problem.entries.clone(),
            choice_start: vec![0],
            row_start: vec![0],
            columns: Vec::new(),
            values: Vec::new().into(),
            base: Vec::new(),
            step: Vec::new(),
            component_start: vec![0],
            system: None,
            error: 0.0,
            blocks: 0,
            smallest: 1.0,
            fixed: Some((values, error)),
        })
    }

    /// The most unknowns, and the most components of several unknowns, on a path.
    fn depths(&self) -> (usize, usize) {
        let mut deepest = (0, 0);
        let mut of = vec![(0u32, 0u32); self.len()];
        for component in self.component_start.windows(2) {
            let (first, end) = (component[0] as usize, component[1] as usize);
            let (mut depth, mut blocks) = (0, 0);
            for choice in self.choice_start[first] as usize..self.choice_start[end] as usize {
                if self.step[choice] != NONE {
                    continue;
                }
                for &j in &self.columns[self.row(choice)] {
                    if (j as usize) < first {
                        depth = depth.max(of[j as usize].0);
                        blocks = blocks.max(of[j as usize].1);
                    }
                }
            }
            let here = (depth + 1, blocks + u32::from(end - first > 1));
            of[first..end].fill(here);
            deepest = (deepest.0.max(here.0 as usize), deepest.1.max(here.1 as usize));
        }
        deepest
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.choice_start.len() - 1
    }

    /// Components.
    pub fn components(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.component_start.windows(2).map(|w| w[0] as usize..w[1] as usize)
    }

    /// Choices of unknowns.
    pub fn choices(&self, unknowns: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.choice_start[unknowns.start] as usize..self.choice_start[unknowns.end] as usize
    }

    fn row(&self, choice: usize) -> std::ops::Range<usize> {
        self.row_start[choice] as usize..self.row_start[choice + 1] as usize
    }

    /// The numbers of the rows.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The value of a choice all of whose unknowns are known.
    #[inline]
    pub fn value_known(
        &self,
        choice: usize,
        x: &[f64],
        previous: &[Option<&[f64]>],
        weight: &impl Fn(usize) -> f64,
    ) -> f64 {
        let row = self.row(choice);
        let columns = &self.columns[row.clone()];
        let step = self.step[choice];
        let (start, values) = match step {
            NONE => (self.base[choice], x),
            step => match previous[step as usize] {
                Some(values) => (self.base[choice], values),
                None => return 0.0,
            },
        };
        columns.iter().zip(row).fold(start, |sum, (&j, at)| sum + weight(at) * values[j as usize])
    }

    /// The value of a choice; of a choice that stays in the epoch, without the unknowns from `inner` on.
    #[inline]
    pub fn value(
        &self,
        choice: usize,
        inner: usize,
        x: &[f64],
        previous: &[Option<&[f64]>],
        weight: &impl Fn(usize) -> f64,
    ) -> f64 {
        if self.step[choice] != NONE {
            return self.value_known(choice, x, previous, weight);
        }
        let row = self.row(choice);
        let entries = self.columns[row.clone()].iter().zip(row);
        let known = entries.filter(|(j, _)| (**j as usize) < inner);
        known.fold(self.base[choice], |sum, (&j, at)| sum + weight(at) * x[j as usize])
    }

    /// The unknowns of a component that a choice leads to.
    pub fn inner(&self, choice: usize, first: usize) -> impl Iterator<Item = usize> + '_ {
        let row = if self.step[choice] == NONE { self.row(choice) } else { 0..0 };
        self.columns[row].iter().map(|&j| j as usize).filter(move |&j| j >= first)
    }
}

/// The graph of an epoch: the choices of unknown states; those that spend something lead to one more state, which stands for
/// other epochs. With the origin of each choice.
fn epoch_space(problem: &Problem, met: u32, unknown: &BitSet) -> (Space, Vec<Origin>) {
    let Problem { context, costs, .. } = problem;
    let other = context.states();
    build(context, unknown, 1, |choice| costs.counts(costs.step_of[choice], met).then_some(other))
}

/// The graph of an epoch with two more states: the last one for choices with `infinite` worth, the other for all others that
/// spend something. All states of the model have their choices.
pub fn budget_space(
    context: &Context,
    costs: &Costs,
    infinite: impl Fn(usize) -> bool,
) -> (Space, Vec<Origin>) {
    let n = context.states();
    build(context, &BitSet::full(n), 2, |choice| {
        let leads = || if infinite(choice) { n + 1 } else { n };
        costs.counts(costs.step_of[choice], 0).then(leads)
    })
}

/// The graph of an epoch with two more states: one for choices that spend something and lead to where the right side is
/// reached for sure, by `after` for each step; and one for all others that spend something.
pub fn sure_space(
    context: &Context,
    costs: &Costs,
    met: u32,
    via: &BitSet,
    after: &[Option<&BitSet>],
) -> Space {
    let (model, n) = (context.space, context.states());
    let target = |choice: usize| {
        let step = costs.step_of[choice];
        if step == NONE {
            return Some(n + 1);
        }
        let sure = |set: &&BitSet| model.columns[model.row(choice)].iter().all(|&t| set.contains(t as usize));
        let leads = || if after[step as usize].as_ref().is_some_and(sure) { n } else { n + 1 };
        costs.counts(step, met).then(leads)
    };
    build(context, via, 2, target).0
}

/// The choices of unknown states, some of which lead to a state of their own, and `more` states.
fn build(
    context: &Context,
    unknown: &BitSet,
    more: usize,
    leads_to: impl Fn(usize) -> Option<usize>,
) -> (Space, Vec<Origin>) {
    let model = context.space;
    let n = model.num_states();
    let mut choices = Choices::new(vec![0], Vec::new());
    let mut row_start = vec![0];
    let mut columns = Vec::new();
    let mut values = ValuesBuilder::new();
    let mut original = Vec::new();
    for s in 0..n + more {
        if s < n && unknown.contains(s) {
            for choice in model.choices_of(s) {
                match leads_to(choice) {
                    Some(target) => {
                        columns.push(target as u32);
                        values.push(1.0);
                        original.push(Origin::Spends(choice as u32));
                    }
                    None => {
                        columns.extend_from_slice(&model.columns[model.row(choice)]);
                        model.row(choice).for_each(|at| values.push(model.values.get(at)));
                        original.push(Origin::Stays(choice as u32));
                    }
                }
                row_start.push(columns.len() as u32);
            }
        } else {
            columns.push(s as u32);
            values.push(1.0);
            original.push(Origin::Loop);
            row_start.push(columns.len() as u32);
        }
        choices.start.push(original.len() as u32);
    }
    choices.action = vec![0; original.len()];
    (plain_space(Kind::Mdp, Some(choices), row_start, columns, values.finish()), original)
}

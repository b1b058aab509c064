//! Conversion of an explicit model to a [`Space`], which engines work on, and back.
//!
//! DTMCs, CTMCs, MDPs, labelled transition systems and Markov automata can be converted; the other kinds are refused by
//! name. States keep their numbers. Branches without probability are dropped, those of a choice with the same target merged,
//! rows sorted. Values of CTMCs and of Markovian states become rates. Rewards of branches become the expected reward of
//! their choice. In a labelled transition system every branch is a choice of its own with probability 1. A state without
//! a branch gets a self-loop if the caller wants that, and is marked as a deadlock, as are the states that the file marks.

mod from;
mod weight;

use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Control as Deciding, Kind, Label, Measure, Model, Numbers, Reward, Time};
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_space::{
    Accuracy, BitSet, Choices, ExactRewards, ExactSpace, Kind as SpaceKind, Ratios, RewardVectors, Space,
    StateId, Values,
};
use weight::Weight;

/// Name of the label that marks states as deadlocks although they have a self-loop.
const DEADLOCK: &str = "deadlock";

/// A model as engines take it.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// States, choices and transitions. Labels and rewards are in the order of the model; a label `deadlock` is not
    /// among them but part of [`Space::deadlocks`].
    pub space: Space,
    /// The numbers as rationals, where the model has rationals.
    pub exact: Option<ExactSpace>,
    /// States without a branch in the model.
    pub deadlocks: usize,
    /// Branches that were dropped, because their probability is 0, or merged with another one.
    pub merged: usize,
}

impl Model {
    /// The model as engines take it. `fix_deadlocks` gives states without a branch a self-loop.
    pub fn to_space(&self, fix_deadlocks: bool, control: &Control<'_>) -> Result<Converted, Finding> {
        let allowance = Allowance::new(control);
        let kind = self.engine_kind()?;
        if self.is_exact() && self.values.is_some() {
            let (rows, exact) =
                Conversion::<dashu_ratio::RBig>::new(self, kind, fix_deadlocks).rows(&allowance)?;
            let rewards =
                exact.rewards.iter().map(|r| ExactRewards { state: r.0.clone(), choice: r.1.clone() });
            let exact =
                ExactSpace { values: exact.values.clone(), rewards: rewards.collect(), numbers: Vec::new() };
            let doubles = |ratios: &Ratios| -> Values {
                let table: Vec<f64> = ratios.distinct().iter().map(Weight::to_f64).collect();
                ratios.codes().iter().map(|&code| table[code as usize]).collect()
            };
            let values = doubles(&exact.values);
            let vectors =
                exact.rewards.iter().map(|r| (r.state.as_ref().map(doubles), r.choice.as_ref().map(doubles)));
            let vectors = vectors.collect();
            return Ok(self.converted(kind, rows, Numeric { values, rewards: vectors }, Some(exact)));
        }
        let (rows, numeric) = Conversion::<f64>::new(self, kind, fix_deadlocks).rows(&allowance)?;
        Ok(self.converted(kind, rows, numeric, None))
    }

    /// The kind of engine for this model.
    fn engine_kind(&self) -> Result<SpaceKind, Finding> {
        let kind = self.kind();
        let plain = !kind.interval && !kind.parametric && !kind.observations;
        match (kind.time, kind.control) {
            (Time::Discrete, Deciding::Chance) if plain => Ok(SpaceKind::Dtmc),
            (Time::Stochastic, Deciding::Chance) if plain => Ok(SpaceKind::Ctmc),
            (Time::Discrete, Deciding::Nondeterminism) if plain => Ok(SpaceKind::Mdp),
            (Time::UrgentStochastic, Deciding::Chance | Deciding::Nondeterminism) if plain => {
                Ok(SpaceKind::MarkovAutomaton)
            }
            _ => Err(no_engine(kind)),
        }
    }

    fn converted(
        &self,
        kind: SpaceKind,
        rows: MergedRows,
        numeric: Numeric<Values>,
        exact: Option<ExactSpace>,
    ) -> Converted {
        let mut deadlocks = rows.deadlocks;
        let count = deadlocks.count();
        if let Some(marked) = self.label(DEADLOCK) {
            deadlocks.unite(&marked.states);
        }
        let is_listed = |label: &&Label| label.name != DEADLOCK;
        let rewards = self.rewards.iter().zip(numeric.rewards);
        let space = Space {
            kind,
            choices: rows.choices,
            row_start: rows.row_start,
            columns: rows.columns,
            values: numeric.values,
            initial: self.initial.iter().map(|state| StateId(state as u32)).collect(),
            deadlocks,
            labels: self
                .labels
                .iter()
                .filter(is_listed)
                .map(|l| (l.name.clone(), l.states.clone()))
                .collect(),
            rewards: rewards
                .map(|(reward, (state, choice))| {
                    let mixed = self.is_mixed(reward);
                    let accuracy = written(state.iter().chain(&choice));
                    RewardVectors { name: reward.name.clone(), state, choice, mixed, accuracy }
                })
                .collect(),
            actions: rows.actions,
        };
        Converted { space, exact, deadlocks: count, merged: rows.merged }
    }

    /// Whether branches of one choice have different rewards.
    fn is_mixed(&self, reward: &Reward) -> bool {
        fn differ<T: PartialEq>(model: &Model, values: &[T]) -> bool {
            (0..model.num_choices()).any(|choice| {
                let of_choice = &values[model.branches.range(choice)];
                of_choice.windows(2).any(|pair| pair[0] != pair[1])
            })
        }
        match &reward.branches {
            None => false,
            Some(Numbers::Double(values)) => differ(self, values),
            Some(_) => true,
        }
    }
}

fn no_engine(kind: Kind) -> Finding {
    let article = if kind.name().starts_with(['A', 'I', 'a', 'i']) { "an" } else { "a" };
    Finding::error(codes::EXPLICIT_UNSUPPORTED, format!("there is no engine for {article} {kind}"))
        .note("the model can be shown and converted to other formats")
        .help("values are computed for DTMCs, CTMCs, MDPs and labelled transition systems")
}

/// The structure of a space.
struct MergedRows {
    choices: Option<Choices>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    deadlocks: BitSet,
    actions: Vec<String>,
    merged: usize,
}

/// The numbers of a space: of its transitions, and of the states and choices of every reward structure.
struct Numeric<V> {
    values: V,
    rewards: Vec<(Option<V>, Option<V>)>,
}

/// Numbers by position in one arithmetic.
type Collected<W> = <<W as Weight>::Builder as weight::Collect<W>>::Done;

/// Structure and numbers in one arithmetic.
type Built<W> = (MergedRows, Numeric<Collected<W>>);

/// Conversion in one arithmetic.
struct Conversion<'m, W: Weight> {
    model: &'m Model,
    kind: SpaceKind,
    fix_deadlocks: bool,
    /// One row of the space: targets and their weights.
    row: Vec<(u32, W)>,
}

/// Actions of a space: 0 is the empty name.
struct ActionTable {
    names: Vec<String>,
    /// For the actions of choices and of branches, their places in `names`.
    places: [Vec<u32>; 2],
}

impl ActionTable {
    fn new(model: &Model) -> Self {
        let mut names = vec![String::new()];
        let mut by_name = std::collections::HashMap::from([(String::new(), 0)]);
        let places = [&model.choice_actions, &model.branch_actions].map(|actions| {
            let all = actions.iter().flat_map(|actions| &actions.names);
            all.map(|name| {
                *by_name.entry(name.clone()).or_insert_with(|| {
                    names.push(name.clone());
                    names.len() as u32 - 1
                })
            })
            .collect()
        });
        ActionTable { names, places }
    }

    /// Of a chain.
    fn none() -> Self {
        ActionTable { names: vec![String::new()], places: [Vec::new(), Vec::new()] }
    }

    fn of_choice(&self, model: &Model, choice: usize) -> u32 {
        model.choice_actions.as_ref().map_or(0, |actions| self.places[0][actions.of[choice] as usize])
    }

    fn of_branch(&self, model: &Model, branch: usize) -> u32 {
        model.branch_actions.as_ref().map_or(0, |actions| self.places[1][actions.of[branch] as usize])
    }
}

impl<'m, W: Weight> Conversion<'m, W> {
    fn new(model: &'m Model, kind: SpaceKind, fix_deadlocks: bool) -> Self {
        Conversion { model, kind, fix_deadlocks, row: Vec::new() }
    }

    fn has_choices(&self) -> bool {
        matches!(self.kind, SpaceKind::Mdp | SpaceKind::MarkovAutomaton)
    }

    /// Whether the branches of a state race.
    fn passes_time(&self, state: usize) -> bool {
        let is_markovian = || self.model.markovian.as_ref().is_some_and(|set| set.contains(state));
        self.kind == SpaceKind::Ctmc || self.kind == SpaceKind::MarkovAutomaton && is_markovian()
    }

    /// The factor that turns values of the state's branches into those of the space.
    fn factor(&self, state: usize) -> Option<W> {
        let has_probabilities = self.passes_time(state) && self.model.measure == Measure::Probabilities;
        let rates = self.model.exit_rates.as_ref().filter(|_| has_probabilities)?;
        Some(W::of(rates, state))
    }

    fn weight(&self, branch: usize, factor: Option<&W>) -> W {
        let Some(values) = &self.model.values else { return W::one() };
        let weight = W::of(values, branch);
        match factor {
            Some(factor) => weight.times(factor),
            None => weight,
        }
    }

    fn rows(mut self, allowance: &Allowance<'_>) -> Result<Built<W>, Finding> {
        use weight::Collect;
        let model = self.model;
        let states = model.num_states();
        let is_lts = model.values.is_none();
        let choices = if is_lts { model.num_branches() } else { model.num_choices() };
        let has_choices = self.has_choices();
        let too_many = model.num_branches().max(choices).saturating_add(states) >= u32::MAX as usize;
        if too_many {
            return Err(Finding::error(
                codes::EXPLICIT_TOO_LARGE,
                "the model has too many transitions for an engine",
            ));
        }
        if let Some(done) = self.as_it_is(allowance)? {
            return Ok(done);
        }
        let table = ActionTable::new(model);
        let mut row_start: Vec<u32> = allowance.vec(choices.max(states) + states + 1)?;
        let mut columns: Vec<u32> = allowance.vec(model.num_branches())?;
        allowance.take(8 * model.num_branches() as u64)?;
        let mut starts: Vec<u32> = allowance.vec(if has_choices { states + 1 } else { 0 })?;
        let mut actions: Vec<u32> = allowance.vec(if has_choices { choices + states } else { 0 })?;
        let mut values = W::Builder::default();
        let mut rewards: Vec<_> = model.rewards.iter().map(|reward| Earned::<W>::new(reward)).collect();
        allowance.take(8 * (rewards.len() * (states + choices)) as u64)?;
        let mut deadlocks = BitSet::new(states);
        let mut markovian: Vec<u32> = Vec::new();
        let mut merged = 0;
        row_start.push(0);
        starts.push(0);
        for state in 0..states {
            if state.is_multiple_of(1 << 14) {
                allowance.check()?;
            }
            let (factor, passes_time) = (self.factor(state), self.passes_time(state));
            let before = row_start.len();
            for choice in model.choices.range(state) {
                let branches = model.branches.range(choice);
                let pieces =
                    if is_lts { branches.clone().map(|b| b..b + 1).collect() } else { vec![branches] };
                for branches in pieces {
                    self.gather(branches.clone(), factor.as_ref());
                    merged += branches.len() - self.row.len();
                    if self.row.is_empty() {
                        continue;
                    }
                    columns.extend(self.row.iter().map(|&(target, _)| target));
                    values.extend(self.row.drain(..).map(|(_, weight)| weight));
                    if has_choices && passes_time {
                        markovian.push(row_start.len() as u32 - 1);
                    }
                    row_start.push(columns.len() as u32);
                    for earned in &mut rewards {
                        earned.take_choice(&self, choice, branches.clone(), factor.as_ref(), passes_time);
                    }
                    if has_choices {
                        let of_branch = if is_lts { table.of_branch(model, branches.start) } else { 0 };
                        let action = if of_branch == 0 { table.of_choice(model, choice) } else { of_branch };
                        actions.push(action);
                    }
                }
            }
            if row_start.len() == before {
                deadlocks.insert(state);
                if self.fix_deadlocks {
                    columns.push(state as u32);
                    values.extend(std::iter::once(W::one()));
                    if self.kind == SpaceKind::MarkovAutomaton {
                        // Time passes in a state that nothing leaves.
                        markovian.push(row_start.len() as u32 - 1);
                    }
                }
                // A chain has a row for every state.
                if self.fix_deadlocks || !has_choices {
                    row_start.push(columns.len() as u32);
                    rewards.iter_mut().for_each(Earned::take_nothing);
                    if has_choices {
                        actions.push(0);
                    }
                }
            }
            if has_choices {
                starts.push(row_start.len() as u32 - 1);
            }
        }
        let choices = has_choices.then(|| Choices {
            markovian: (self.kind == SpaceKind::MarkovAutomaton)
                .then(|| BitSet::of(row_start.len() - 1, markovian.iter().map(|&choice| choice as usize))),
            ..Choices::new(starts, actions)
        });
        let actions = if has_choices { table.names } else { vec![String::new()] };
        let rewards = rewards.into_iter().map(|earned| earned.finish(states)).collect();
        let numeric = Numeric { values: values.finish(), rewards };
        Ok((MergedRows { choices, row_start, columns, deadlocks, actions, merged }, numeric))
    }

    /// The rows and numbers of a model in which nothing is sorted, merged, dropped or added, as tools write them: copied
    /// as a whole.
    fn as_it_is(&self, allowance: &Allowance<'_>) -> Result<Option<Built<W>>, Finding> {
        let model = self.model;
        let (states, choices) = (model.num_states(), model.num_choices());
        let has_choices = self.has_choices();
        let rates_fit = match self.kind {
            SpaceKind::Dtmc | SpaceKind::Mdp => true,
            SpaceKind::Ctmc => model.measure == Measure::Rates,
            SpaceKind::MarkovAutomaton => false,
        };
        let Some(values) = model.values.as_ref().filter(|_| rates_fit) else {
            return Ok(None);
        };
        let in_order = |row: usize| {
            let targets = &model.targets[model.branches.range(row)];
            !targets.is_empty() && targets.is_sorted_by(|a, b| a < b)
        };
        let has_choice = |state: usize| !model.choices.range(state).is_empty();
        if !(0..states).all(has_choice) || !(0..choices).all(in_order) {
            return Ok(None);
        }
        allowance.take(16 * model.num_branches() as u64 + 8 * (choices + states) as u64)?;
        let Some(values) = W::all(values) else { return Ok(None) };
        let mut rewards: Vec<_> = model.rewards.iter().map(|reward| Earned::<W>::new(reward)).collect();
        for earned in rewards.iter_mut().filter(|earned| earned.choices.is_some()) {
            for choice in 0..choices {
                let passes_time = self.kind == SpaceKind::Ctmc;
                earned.take_choice(self, choice, model.branches.range(choice), None, passes_time);
            }
        }
        let actions = if has_choices { ActionTable::new(model) } else { ActionTable::none() };
        let of = |choice: usize| actions.of_choice(model, choice);
        let rows = MergedRows {
            choices: has_choices
                .then(|| Choices::new(model.choices.starts().collect(), (0..choices).map(of).collect())),
            row_start: model.branches.starts().collect(),
            columns: model.targets.clone(),
            deadlocks: BitSet::new(states),
            actions: actions.names,
            merged: 0,
        };
        let rewards = rewards.into_iter().map(|earned| earned.finish(states)).collect();
        Ok(Some((rows, Numeric { values, rewards })))
    }

    /// Fills `row` with the targets of the branches, in increasing order, each once, none without weight.
    fn gather(&mut self, branches: std::ops::Range<usize>, factor: Option<&W>) {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.extend(branches.map(|branch| (self.model.targets[branch], self.weight(branch, factor))));
        row.retain(|(_, weight)| !weight.is_zero());
        if !row.is_sorted_by(|a, b| a.0 < b.0) {
            // Stable, so that equal targets are added in the order of the file.
            row.sort_by_key(|&(target, _)| target);
            row.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1.add(&later.1);
                }
                same
            });
        }
        self.row = row;
    }
}

/// A reward structure being folded.
struct Earned<'m, W: Weight> {
    reward: &'m Reward,
    choices: Option<W::Builder>,
}

impl<'m, W: Weight> Earned<'m, W> {
    fn new(reward: &'m Reward) -> Self {
        let is_earned = reward.choices.is_some() || reward.branches.is_some();
        Earned { reward, choices: is_earned.then(W::Builder::default) }
    }

    /// The reward of a choice, and the expected one of its branches; times the exit rate where time passes.
    fn take_choice(
        &mut self,
        conversion: &Conversion<'m, W>,
        choice: usize,
        branches: std::ops::Range<usize>,
        factor: Option<&W>,
        passes_time: bool,
    ) {
        use weight::Collect;
        let Some(collected) = &mut self.choices else { return };
        let mut sum = W::zero();
        if let Some(numbers) = &self.reward.choices {
            sum = W::of(numbers, choice);
            if passes_time && !sum.is_zero() {
                let mut exit_rate = W::zero();
                branches.clone().for_each(|branch| exit_rate.add(&conversion.weight(branch, factor)));
                sum = sum.times(&exit_rate);
            }
        }
        if let Some(numbers) = &self.reward.branches {
            for branch in branches {
                let reward = W::of(numbers, branch);
                if !reward.is_zero() {
                    sum.add(&reward.times(&conversion.weight(branch, factor)));
                }
            }
        }
        collected.extend(std::iter::once(sum));
    }

    /// A deadlock earns nothing.
    fn take_nothing(&mut self) {
        use weight::Collect;
        if let Some(collected) = &mut self.choices {
            collected.extend(std::iter::once(W::zero()));
        }
    }

    fn finish(self, states: usize) -> (Option<Collected<W>>, Option<Collected<W>>) {
        use weight::Collect;
        let of_states = self.reward.states.as_ref().map(|numbers: &Numbers| {
            let mut collected = W::Builder::default();
            collected.extend((0..states).map(|state| W::of(numbers, state)));
            collected.finish()
        });
        (of_states, self.choices.map(Collect::finish))
    }
}

/// The accuracy of numbers that were written in decimal notation. Doubles of few bits are what was written, unless that
/// has more digits than a double holds.
fn written<'v>(values: impl Iterator<Item = &'v Values>) -> Accuracy {
    const GRID: f64 = 1_048_576.0;
    let is_short = |v: f64| (v * GRID).fract() == 0.0 && v.abs() < GRID;
    let mut all = values.map(|values| match values.distinct() {
        Some(distinct) => distinct.iter().copied().all(is_short),
        None => values.iter().all(is_short),
    });
    if all.all(|short| short) { Accuracy::Exact } else { Accuracy::default() }
}

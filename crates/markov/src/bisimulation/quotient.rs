//! The quotient of a space by its coarsest bisimulation.
//!
//! Blocks are numbered by their first state, so that the order of discovery is kept. A block has the choices of its first
//! state, one for each block of choices, and goes to other blocks with the sum of what the state goes to them with,
//! rounded once. The sums of all states of a block are equal *as sums of the numbers that the space stores*, without
//! any rounding; two numbers of the model are taken for equal exactly if their doubles are equal. So the quotient is
//! equivalent to the space except for one rounding of each of its entries. Together with the rounding of the number
//! itself these are the two roundings that are added to the relative error of the input ([`crate::Options::input`]).

use volvelle_control::{Control, Stop};
use volvelle_logic::{Formula, Property, RewardQuery};
use volvelle_space::{Accuracy, BitSet, Choices, RewardVectors, Space, StateId};

use super::refine::{Bisimulation, coarsest, refine_keys};
use super::sums::{in_range, rounded_sum};

/// A quotient that preserves what one property observes.
#[derive(Debug)]
pub struct Quotient {
    /// The space of blocks; labels and rewards that the property does not observe are empty.
    pub space: Space,
    /// The numeric observations of the blocks.
    pub numbers: Vec<Vec<f64>>,
    /// The block of every state.
    pub block_of: Vec<u32>,
    /// The first state of every block.
    pub first: Vec<u32>,
}

/// The observations of states that a property depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    labels: Vec<usize>,
    numbers: Vec<usize>,
    rewards: Vec<usize>,
    initial: bool,
    deadlocks: bool,
}

impl Observed {
    /// Collects the observations of the formulas of a property.
    pub fn by(property: &Property) -> Self {
        let mut observed = Observed::default();
        for id in property.formulas.ids() {
            observed.rewards.extend(property.formulas.get(id).rewards().map(|id| id.index()));
            match property.formulas.get(id) {
                Formula::Label(label) => observed.labels.push(label.index()),
                Formula::Observation(number) => observed.numbers.push(number.index()),
                Formula::Init => observed.initial = true,
                Formula::Deadlock => observed.deadlocks = true,
                _ => {}
            }
        }
        for list in [&mut observed.labels, &mut observed.numbers, &mut observed.rewards] {
            list.sort_unstable();
            list.dedup();
        }
        observed
    }
}

/// The bits of a number, the same for both zeros.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

impl Quotient {
    /// Builds the quotient by the coarsest bisimulation that preserves the observations. `None` where numbers are so small or
    /// large that sums could not be exact, or where an observation is missing.
    pub fn new(
        space: &Space,
        numbers: &[Vec<f64>],
        observed: &Observed,
        control: &Control,
    ) -> Result<Option<Self>, Stop> {
        let usable = match space.values.distinct() {
            Some(distinct) => distinct.iter().copied().all(in_range),
            None => space.values.iter().all(in_range),
        };
        let n = space.num_states();
        let there = observed.labels.iter().all(|&i| i < space.labels.len())
            && observed.numbers.iter().all(|&i| numbers.get(i).is_some_and(|v| v.len() == n))
            && observed.rewards.iter().all(|&i| i < space.rewards.len());
        if !usable || !there {
            return Ok(None);
        }
        let (mut states, mut choices) = (vec![0u32; n], vec![0u32; space.num_choices()]);
        let member = |set: &BitSet, s: usize| u64::from(set.contains(s));
        for &i in &observed.labels {
            refine_keys(&mut states, |s| member(&space.labels[i].1, s));
        }
        for &i in &observed.numbers {
            refine_keys(&mut states, |s| bits(numbers[i][s]));
        }
        for &i in &observed.rewards {
            if let Some(values) = &space.rewards[i].state {
                refine_keys(&mut states, |s| bits(values.get(s)));
            }
            if let Some(values) = &space.rewards[i].choice {
                refine_keys(&mut choices, |c| bits(values.get(c)));
            }
        }
        if observed.deadlocks {
            refine_keys(&mut states, |s| member(&space.deadlocks, s));
        }
        if observed.initial {
            let initial = initial(space);
            refine_keys(&mut states, |s| member(&initial, s));
        }
        let found = coarsest(space, states, choices, control)?;
        Ok(Some(build(space, numbers, observed, &found)))
    }
}

fn initial(space: &Space) -> BitSet {
    BitSet::of(space.num_states(), space.initial.iter().map(|s| s.index()))
}

fn build(space: &Space, numbers: &[Vec<f64>], observed: &Observed, found: &Bisimulation) -> Quotient {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; found.states.len()];
    let mut first: Vec<u32> = Vec::with_capacity(found.states.len());
    let mut block_of = Vec::with_capacity(space.num_states());
    for s in 0..space.num_states() {
        let block = &mut number[found.states.of(s) as usize];
        if *block == NONE {
            *block = first.len() as u32;
            first.push(s as u32);
        }
        block_of.push(*block);
    }
    let rows = Rows::new(space, found, &first, &block_of);
    let states = first.len();
    let of_set = |set: &BitSet| {
        let mut blocks = BitSet::new(states);
        for (b, &s) in first.iter().enumerate() {
            if set.contains(s as usize) {
                blocks.insert(b);
            }
        }
        blocks
    };
    let labels = space.labels.iter().enumerate().map(|(i, (name, set))| {
        let kept = observed.labels.contains(&i);
        (name.clone(), if kept { of_set(set) } else { BitSet::new(states) })
    });
    let rewards = space.rewards.iter().enumerate().map(|(i, rewards)| {
        let kept = observed.rewards.contains(&i);
        let state = rewards.state.as_ref().filter(|_| kept);
        let choice = rewards.choice.as_ref().filter(|_| kept);
        RewardVectors {
            name: rewards.name.clone(),
            state: state.map(|v| first.iter().map(|&s| v.get(s as usize)).collect()),
            choice: choice.map(|v| rows.origin.iter().map(|&c| v.get(c as usize)).collect()),
            accuracy: merged_accuracy(&rewards.accuracy, kept, &block_of, &rows, space),
            mixed: rewards.mixed,
        }
    });
    let mut initial: Vec<StateId> =
        space.initial.iter().map(|s| StateId(block_of[s.index()])).collect::<Vec<_>>();
    let mut seen = BitSet::new(states);
    initial.retain(|s| seen.insert(s.index()));
    let numbers = numbers.iter().enumerate().map(|(i, values)| {
        if observed.numbers.contains(&i) {
            first.iter().map(|&s| values[s as usize]).collect()
        } else {
            Vec::new()
        }
    });
    let numbers = numbers.collect();
    let quotient = Space {
        kind: space.kind,
        labels: labels.collect(),
        rewards: rewards.collect(),
        initial,
        deadlocks: of_set(&space.deadlocks),
        choices: space.choices.as_ref().map(|levels| {
            let action = rows.origin.iter().map(|&c| levels.action[c as usize]).collect();
            Choices::new(rows.choice_start, action)
        }),
        row_start: rows.row_start,
        columns: rows.columns,
        values: rows.values.into_iter().collect(),
        actions: space.actions.clone(),
    };
    Quotient { space: quotient, numbers, block_of, first }
}

/// The accuracy of rewards in the quotient: errors are those of the least accurate member of each block.
fn merged_accuracy(
    accuracy: &Accuracy,
    kept: bool,
    block_of: &[u32],
    rows: &Rows,
    space: &Space,
) -> Accuracy {
    let Accuracy::Within { state, choice } = accuracy else { return accuracy.clone() };
    if !kept {
        return Accuracy::default();
    }
    let blocks = rows.choice_start.len() - 1;
    let state = state.as_ref().map(|errors| {
        let mut largest = vec![0.0f64; blocks];
        for (s, error) in errors.iter().enumerate() {
            let block = &mut largest[block_of[s] as usize];
            *block = block.max(error);
        }
        largest.into()
    });
    let choice = choice.as_ref().map(|errors| {
        // Of all choices of all members: which of them are merged does not matter then.
        let mut largest = vec![0.0f64; blocks];
        for s in 0..space.num_states() {
            let block = &mut largest[block_of[s] as usize];
            *block = space.choices_of(s).fold(*block, |largest, c| largest.max(errors.get(c)));
        }
        let of_block = rows.choice_start.windows(2).zip(&largest);
        of_block.flat_map(|(ends, &error)| (ends[0]..ends[1]).map(move |_| error)).collect()
    });
    Accuracy::Within { state, choice }
}

/// The matrix of the quotient.
struct Rows {
    choice_start: Vec<u32>,
    /// The choice of the space behind each.
    origin: Vec<u32>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    fn new(space: &Space, found: &Bisimulation, first: &[u32], block_of: &[u32]) -> Self {
        let mut rows = Rows {
            choice_start: vec![0],
            origin: Vec::new(),
            row_start: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        };
        let mut taken: Vec<u32> = Vec::new();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for &s in first {
            taken.clear();
            for choice in space.choices_of(s as usize) {
                let block = found.choices.of(choice);
                if taken.contains(&block) {
                    continue;
                }
                taken.push(block);
                row.clear();
                row.extend(space.transitions(choice).map(|(t, v)| (block_of[t], v)));
                row.sort_by_key(|&(block, _)| block);
                for entries in row.chunk_by(|a, b| a.0 == b.0) {
                    rows.columns.push(entries[0].0);
                    rows.values.push(match entries {
                        [(_, value)] => *value,
                        several => rounded_sum(several.iter().map(|&(_, v)| v)),
                    });
                }
                rows.row_start.push(rows.columns.len() as u32);
                rows.origin.push(choice as u32);
            }
            rows.choice_start.push(rows.origin.len() as u32);
        }
        rows
    }
}

/// The longest time or number of steps that a property looks ahead.
pub fn horizon(property: &Property) -> f64 {
    let mut longest = 0.0f64;
    for id in property.formulas.ids() {
        longest = longest.max(match property.formulas.get(id) {
            Formula::Until(_, _, bound)
            | Formula::WeakUntil(_, _, bound)
            | Formula::Release(_, _, bound)
            | Formula::Next(_, bound) => bound.upper.unwrap_or(0.0).max(bound.lower),
            Formula::Reward { what: RewardQuery::Cumulative(t) | RewardQuery::Instantaneous(t), .. } => *t,
            _ => 0.0,
        });
    }
    longest
}

//! The Markov chain that a strategy makes of an MDP: pairs of a state and a memory, as far as they can be reached.

use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_objectives::strategy::{Move, Strategy};
use volvelle_space::{Accuracy, BitSet, Kind, RewardVectors, Space, StateId, Values, ValuesBuilder};

/// Pairs between two looks at limits.
const BATCH: usize = 4096;

/// A chain with what its states are.
#[derive(Clone, Debug)]
pub struct Induced {
    /// The chain, with the labels and rewards of the MDP.
    pub space: Space,
    /// For every state of the chain that of the MDP.
    pub state_of: Vec<u32>,
    /// For every state of the chain the memory.
    pub memory_of: Vec<u32>,
    /// The most choices that a state makes a row of.
    pub mixed: u32,
}

/// Why there is no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfollowed {
    /// The strategy says nothing about a state and a memory that it comes to.
    Undecided {
        /// The state.
        state: u32,
        /// The memory.
        memory: u32,
    },
    /// A limit was reached.
    Stopped(Stop),
}

impl From<Stop> for Unfollowed {
    fn from(stop: Stop) -> Self {
        Unfollowed::Stopped(stop)
    }
}

impl Induced {
    /// Numbers of the states of the MDP, for the states of the chain.
    pub fn of_states(&self, numbers: &[f64]) -> Vec<f64> {
        self.state_of.iter().map(|&s| numbers[s as usize]).collect()
    }

    /// A set of states of the MDP as a set of states of the chain.
    pub fn set_of(&self, set: &BitSet) -> BitSet {
        let members = self.state_of.iter().enumerate().filter(|(_, s)| set.contains(**s as usize));
        BitSet::of(self.state_of.len(), members.map(|(i, _)| i))
    }
}

/// The pairs found so far.
#[derive(Default)]
struct Pairs {
    states: Vec<u32>,
    memories: Vec<u32>,
    numbers: FxHashMap<(u32, u32), u32>,
}

impl Pairs {
    fn number(&mut self, state: u32, memory: u32) -> Result<u32, Stop> {
        if let Some(&known) = self.numbers.get(&(state, memory)) {
            return Ok(known);
        }
        let number = place(self.states.len())?;
        self.states.push(state);
        self.memories.push(memory);
        self.numbers.insert((state, memory), number);
        Ok(number)
    }

    fn bytes(&self) -> usize {
        4 * (self.states.capacity() + self.memories.capacity()) + 13 * self.numbers.capacity()
    }
}

/// The chain from these states of the MDP, which are its initial states.
///
/// # Errors
/// The strategy is incomplete, or a limit was reached.
pub fn induced(
    space: &Space,
    strategy: &Strategy,
    start: impl Iterator<Item = u32>,
    control: &Control,
) -> Result<Induced, Unfollowed> {
    let mut found = Pairs::default();
    // Where decisions do not change any more, steps need not be counted.
    let steady = strategy.steady(space);
    let counted = |state: u32, memory: u32| match &steady {
        Some(steady) if steady.contains(state as usize) => 0,
        _ => memory,
    };
    let mut initial = Vec::new();
    for state in start {
        initial.push(StateId(found.number(state, counted(state, strategy.initial))?));
    }
    let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), ValuesBuilder::new());
    let mut earned: Vec<Option<ValuesBuilder>> =
        space.rewards.iter().map(|r| r.choice.as_ref().map(|_| ValuesBuilder::new())).collect();
    let mut moves: Vec<Move> = Vec::new();
    let mut mixed = 0;
    let mut row: Vec<(u32, f64)> = Vec::new();
    let mut next = 0;
    while next < found.states.len() {
        if next % BATCH == 0 {
            control.check()?;
            let rewards: u64 = earned.iter().flatten().map(|e| e.so_far().bytes()).sum();
            let held = 4 * (row_start.capacity() + columns.capacity()) + found.bytes();
            control.check_memory(held as u64 + values.so_far().bytes() + rewards)?;
        }
        let (state, memory) = (found.states[next], found.memories[next]);
        strategy.moves(state as usize, memory, &mut moves);
        if moves.is_empty() {
            return Err(Unfollowed::Undecided { state, memory });
        }
        mixed = mixed.max(moves.len() as u32);
        row.clear();
        for then in &moves {
            for (t, v) in space.transitions(then.choice as usize) {
                let next = counted(t as u32, then.next);
                row.push((found.number(t as u32, next)?, v * then.probability));
            }
        }
        row.sort_by_key(|entry| entry.0);
        row.dedup_by(|second, first| {
            let same = second.0 == first.0;
            if same {
                first.1 += second.1;
            }
            same
        });
        columns.extend(row.iter().map(|entry| entry.0));
        row.iter().for_each(|entry| values.push(entry.1));
        row_start.push(place(columns.len())?);
        for (earned, rewards) in earned.iter_mut().zip(&space.rewards) {
            if let (Some(earned), Some(of_choice)) = (earned, &rewards.choice) {
                earned.push(match moves.as_slice() {
                    [only] => of_choice.get(only.choice as usize),
                    several => several.iter().map(|m| m.probability * of_choice.get(m.choice as usize)).sum(),
                });
            }
        }
        next += 1;
    }
    let Pairs { states, memories, .. } = found;
    let mut result = Induced {
        space: Space {
            kind: Kind::Dtmc,
            choices: None,
            row_start,
            columns,
            values: values.finish(),
            initial,
            deadlocks: BitSet::new(0),
            labels: Vec::new(),
            rewards: Vec::new(),
            actions: vec![String::new()],
        },
        state_of: states,
        memory_of: memories,
        mixed,
    };
    let of_states = |values: &Values| result.state_of.iter().map(|&s| values.get(s as usize)).collect();
    let rewards = space.rewards.iter().zip(earned).map(|(rewards, earned)| RewardVectors {
        name: rewards.name.clone(),
        state: rewards.state.as_ref().map(of_states),
        choice: earned.map(ValuesBuilder::finish),
        accuracy: accuracy_of(rewards, &result, strategy),
        mixed: rewards.mixed || result.mixed > 1,
    });
    let rewards = rewards.collect();
    // What was not observed is empty.
    let projected = |set: &BitSet| if set.is_empty() { BitSet::new(0) } else { result.set_of(set) };
    let labels = space.labels.iter().map(|(name, set)| (name.clone(), projected(set))).collect();
    let deadlocks = result.set_of(&space.deadlocks);
    result.space = Space { deadlocks, labels, rewards, ..result.space };
    Ok(result)
}

/// How far the rewards of the chain are from those of the model: what is taken over keeps its error, and the mean over the
/// choices of a state is rounded.
fn accuracy_of(rewards: &RewardVectors, chain: &Induced, strategy: &Strategy) -> Accuracy {
    let mut moves = Vec::new();
    let pairs = || chain.state_of.iter().zip(&chain.memory_of).map(|(&s, &memory)| (s as usize, memory));
    if chain.mixed <= 1 && !matches!(rewards.accuracy, Accuracy::Within { .. }) {
        return rewards.accuracy.clone();
    }
    let error = |values: &Values, within: Option<&Values>, at: usize| match &rewards.accuracy {
        Accuracy::Exact => 0.0,
        Accuracy::Relative(error) => error * values.get(at).abs(),
        Accuracy::Within { .. } => within.map_or(0.0, |errors| errors.get(at)),
    };
    let (of_state, of_choice) = match &rewards.accuracy {
        Accuracy::Within { state, choice } => (state.as_ref(), choice.as_ref()),
        _ => (None, None),
    };
    let state =
        rewards.state.as_ref().map(|values| pairs().map(|(s, _)| error(values, of_state, s)).collect());
    let choice = rewards.choice.as_ref().map(|values| {
        let of_pair = |(s, memory)| {
            strategy.moves(s, memory, &mut moves);
            let (mut errors, mut sizes) = (0.0, 0.0);
            for then in &moves {
                let choice = then.choice as usize;
                errors += then.probability * error(values, of_choice, choice);
                sizes += then.probability * values.get(choice).abs();
            }
            match moves.len() {
                1 => errors,
                // A product and a sum each, and what the sums of this bound lose themselves.
                several => {
                    (errors + several as f64 * f64::EPSILON * sizes) * (1.0 + several as f64 * f64::EPSILON)
                }
            }
        };
        pairs().map(of_pair).collect()
    });
    Accuracy::Within { state, choice }
}

/// A position in lists whose places have 32 bits.
fn place(length: usize) -> Result<u32, Stop> {
    u32::try_from(length).ok().filter(|&n| n != u32::MAX).ok_or(Stop::Memory)
}

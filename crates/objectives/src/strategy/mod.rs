//! Strategies: schedulers with finite memory, perhaps randomised.
//!
//! A strategy observes the state and its own memory; the pair determines a distribution over moves, each a choice and the
//! next memory (a stochastic-update Moore machine: Forejt, Kwiatkowska, Norman and Parker, *Automated Verification
//! Techniques for Probabilistic Systems*, SFM 2011, section 4).
//!
//! | module | subject |
//! |---|---|
//! | `amounts` | what memories stand for where bounds on rewards are left |
//! | `policy` | memoryless policies on a product: within end components, and between them |
//! | `tabulate` | a policy on a product as a strategy |

mod amounts;
mod policy;
mod tabulate;

pub use amounts::{Amounts, Remaining};
pub use policy::Policy;
pub use tabulate::{Tabulation, View};

use volvelle_solver::graph::Backwards;
use volvelle_space::{BitSet, Space};

/// The meaning of the memory of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// There is none: the decision depends on the state alone.
    None,
    /// The number of steps that are left; it falls by one in each step until it is zero.
    StepsLeft,
    /// What is left of bounds on rewards; [`Strategy::amounts`] says how much.
    Amounts,
    /// The states of the automata of path formulas.
    Automata,
    /// The scheduler that was drawn at the beginning, with the states of its automata.
    Mix,
}

/// What a strategy may do where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// A choice, as a number of the space.
    pub choice: u32,
    /// Its probability.
    pub probability: f64,
    /// The memory after it.
    pub next: u32,
}

/// A strategy on the states of a space.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// The meaning of the memory.
    pub memory: Memory,
    /// The memory at the beginning.
    pub initial: u32,
    /// How much is left with each memory, where it says that.
    pub amounts: Option<Amounts>,
    table: Table,
}

#[derive(Clone, Debug, PartialEq)]
enum Table {
    /// One choice for every state, without memory.
    Choices(Vec<u32>),
    /// The decisions of state `s` have the places `start[s]..start[s + 1]`; decision `i` begins when `from[i]` steps are left,
    /// and applies until another one begins. The first begins with none left.
    Steps { start: Vec<u32>, from: Vec<u32>, choice: Vec<u32> },
    /// The memories of state `s` have the places `start[s]..start[s + 1]`, in increasing order; the moves of place `i` are
    /// `moves[first[i]..first[i + 1]]`.
    Pairs { start: Vec<u32>, memory: Vec<u32>, first: Vec<u32>, moves: Vec<Move> },
}

/// A line of a table of decisions: a move, and the memories from which it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The state.
    pub state: u32,
    /// The first and the last memory.
    pub memory: [u32; 2],
    /// The move. Its next memory is void where the memory is the number of steps left.
    pub then: Move,
}

/// Why decisions are no strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Conflict {
    /// Two decisions for the same state and memory, with the index of the second.
    Twice(usize),
    /// Probabilities that do not add up to one, with the index of the first.
    Sum(usize, f64),
}

/// How far probabilities of a decision may be from one in sum.
const TOLERANCE: f64 = 1e-9;

impl Strategy {
    /// The strategy that takes one choice in every state.
    pub fn memoryless(choices: Vec<u32>) -> Self {
        Strategy { memory: Memory::None, initial: 0, amounts: None, table: Table::Choices(choices) }
    }

    /// The strategy that counts `steps` steps. Its decisions, in any order: from which number of steps left on a state takes a
    /// choice. Every state needs one for zero.
    pub fn counting(states: usize, steps: u32, mut decisions: Vec<(u32, u32, u32)>) -> Self {
        decisions.sort_unstable();
        let mut start = vec![0u32; states + 1];
        decisions.iter().for_each(|d| start[d.0 as usize + 1] += 1);
        (0..states).for_each(|s| start[s + 1] += start[s]);
        let from = decisions.iter().map(|d| d.1).collect();
        let choice = decisions.iter().map(|d| d.2).collect();
        let table = Table::Steps { start, from, choice };
        Strategy { memory: Memory::StepsLeft, initial: steps, amounts: None, table }
    }

    /// The strategy with these moves, each of a state and a memory; several moves of the same pair are drawn by chance.
    ///
    /// # Errors
    /// The moves contradict each other; the index is that of a move.
    pub fn of_moves(
        states: usize,
        memory: Memory,
        initial: u32,
        moves: &[(u32, u32, Move)],
    ) -> Result<Self, Conflict> {
        let mut order: Vec<u32> = (0..moves.len() as u32).collect();
        order.sort_by_key(|&i| (moves[i as usize].0, moves[i as usize].1));
        let (mut start, mut memories, mut first) = (vec![0u32; states + 1], Vec::new(), Vec::new());
        let mut sorted: Vec<Move> = Vec::with_capacity(moves.len());
        let mut at = 0;
        while at < order.len() {
            let (state, memory, _) = moves[order[at] as usize];
            let same = |&&i: &&u32| (moves[i as usize].0, moves[i as usize].1) == (state, memory);
            let count = order[at..].iter().take_while(same).count();
            let group = &order[at..at + count];
            first.push(sorted.len() as u32);
            memories.push(memory);
            start[state as usize + 1] += 1;
            let sum: f64 = group.iter().map(|&i| moves[i as usize].2.probability).sum();
            if (sum - 1.0).abs() > TOLERANCE {
                let whole = |&&i: &&u32| moves[i as usize].2.probability == 1.0;
                let second = group.iter().filter(whole).nth(1);
                return Err(match second {
                    Some(&second) => Conflict::Twice(second as usize),
                    None => Conflict::Sum(group[0] as usize, sum),
                });
            }
            sorted.extend(group.iter().map(|&i| moves[i as usize].2));
            at += count;
        }
        first.push(sorted.len() as u32);
        (0..states).for_each(|s| start[s + 1] += start[s]);
        let table = Table::Pairs { start, memory: memories, first, moves: sorted };
        Ok(Strategy { memory, initial, amounts: None, table })
    }

    /// The moves of a state and a memory; empty where the strategy says nothing.
    pub fn moves(&self, state: usize, memory: u32, moves: &mut Vec<Move>) {
        moves.clear();
        let one = |choice: u32, next: u32| Move { choice, probability: 1.0, next };
        match &self.table {
            Table::Choices(choices) => moves.push(one(choices[state], 0)),
            Table::Steps { start, from, choice } => {
                let places = start[state] as usize..start[state + 1] as usize;
                let begun = from[places.clone()].partition_point(|&from| from <= memory);
                if let Some(last) = begun.checked_sub(1) {
                    moves.push(one(choice[places.start + last], memory.saturating_sub(1)));
                }
            }
            Table::Pairs { start, memory: memories, first, moves: all } => {
                let places = start[state] as usize..start[state + 1] as usize;
                if let Ok(place) = memories[places.clone()].binary_search(&memory) {
                    let place = places.start + place;
                    moves.extend_from_slice(&all[first[place] as usize..first[place + 1] as usize]);
                }
            }
        }
    }

    /// The choices, where there is neither memory nor chance.
    pub fn choices(&self) -> Option<&[u32]> {
        match &self.table {
            Table::Choices(choices) => Some(choices),
            _ => None,
        }
    }

    /// Whether moves are drawn by chance somewhere.
    pub fn is_randomised(&self) -> bool {
        matches!(&self.table, Table::Pairs { memory, moves, .. } if moves.len() > memory.len())
    }

    /// The states from which no decision depends on the number of steps left; `None` if steps are not counted.
    pub fn steady(&self, space: &Space) -> Option<BitSet> {
        let Table::Steps { start, choice, .. } = &self.table else { return None };
        let n = start.len() - 1;
        let has_one = |s: usize| start[s + 1] - start[s] == 1;
        let targets = |s: usize| space.columns[space.row(choice[start[s] as usize] as usize)].iter().copied();
        let edges = || (0..n).filter(|&s| has_one(s)).flat_map(|s| targets(s).map(move |t| (t, s as u32)));
        let ends: Vec<u32> = edges().map(|(t, _)| t).collect();
        let before = Backwards::new(n, &ends, edges());
        let mut steady = BitSet::of(n, (0..n).filter(|&s| has_one(s)));
        let mut work: Vec<u32> = (0..n as u32).filter(|&s| !has_one(s as usize)).collect();
        while let Some(state) = work.pop() {
            for &source in before.of(state as usize) {
                if steady.contains(source as usize) {
                    steady.remove(source as usize);
                    work.push(source);
                }
            }
        }
        Some(steady)
    }

    /// All decisions, by state, then by memory.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let states = match &self.table {
            Table::Choices(choices) => choices.len(),
            Table::Steps { start, .. } | Table::Pairs { start, .. } => start.len() - 1,
        };
        (0..states).flat_map(move |state| self.lines_of(state))
    }

    /// The decisions of a state.
    fn lines_of(&self, state: usize) -> Vec<Line> {
        let line = |memory: [u32; 2], then: Move| Line { state: state as u32, memory, then };
        let one = |choice: u32| Move { choice, probability: 1.0, next: 0 };
        match &self.table {
            Table::Choices(choices) => vec![line([0; 2], one(choices[state]))],
            Table::Steps { start, from, choice } => {
                let places = start[state] as usize..start[state + 1] as usize;
                let lines = places.clone().map(|i| {
                    let last = if i + 1 < places.end { from[i + 1] - 1 } else { self.initial };
                    line([from[i], last], one(choice[i]))
                });
                lines.collect()
            }
            Table::Pairs { start, memory, first, moves } => {
                let places = start[state] as usize..start[state + 1] as usize;
                let of_place = |i: usize| {
                    let moves = &moves[first[i] as usize..first[i + 1] as usize];
                    moves.iter().map(move |&then| line([memory[i]; 2], then))
                };
                places.flat_map(of_place).collect()
            }
        }
    }

    /// The number of values that the memory has.
    pub fn memories(&self) -> u32 {
        match &self.table {
            Table::Choices(_) => 1,
            Table::Steps { .. } => self.initial.saturating_add(1),
            Table::Pairs { memory, moves, .. } => {
                let all = memory.iter().copied().chain(moves.iter().map(|m| m.next));
                all.max().unwrap_or(0).max(self.initial) + 1
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.table {
            Table::Choices(choices) => 4 * choices.len(),
            Table::Steps { start, from, choice } => 4 * (start.len() + from.len() + choice.len()),
            Table::Pairs { start, memory, first, moves } => {
                4 * (start.len() + memory.len() + first.len()) + size_of::<Move>() * moves.len()
            }
        };
        (bytes + self.amounts.as_ref().map_or(0, Amounts::bytes)) as u64
    }
}

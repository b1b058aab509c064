//! A policy on a product as a strategy: its decisions by state and memory, as far as they can be reached.
//!
//! The memory after a step depends on where the step begins, not on where it leads: automata read the state that is left.

use rustc_hash::FxHashMap;
use volvelle_control::Stop;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Space};

use super::policy::Policy;
use super::{Memory, Move, Strategy};

/// The product that a policy is on.
pub struct View<'a> {
    /// The product.
    pub space: &'a Space,
    /// For every state of the product that of the space.
    pub state_of: &'a dyn Fn(usize) -> u32,
    /// For every choice of the product that of the space.
    pub choice_of: &'a [u32],
    /// For every state of the product the number of its memory.
    pub memory_of: &'a dyn Fn(usize) -> u32,
    /// Whether nothing matters from a state of the product on: the product does not follow runs further.
    pub is_over: &'a dyn Fn(usize) -> bool,
}

/// Decisions that are collected.
#[derive(Default)]
pub struct Tabulation {
    moves: Vec<(u32, u32, Move)>,
    /// Numbers of memories: by the policy, and the number that it has in the product.
    memories: FxHashMap<(u32, u32), u32>,
    /// The choice of every state where nothing matters any more; if empty, the first ones.
    idle: Vec<u32>,
    /// States of the space in which nothing matters any more, as they are found.
    free: Vec<u32>,
    /// The memory in them.
    done: Option<u32>,
    /// The number that it has in the product, if any.
    ended: Option<u32>,
}

impl Tabulation {
    /// Without decisions; with a choice of every state where nothing matters any more, and the memory of the first policy in the
    /// product that says so.
    pub fn idling(idle: Vec<u32>, ended: u32) -> Self {
        Tabulation { idle, ended: Some(ended), ..Tabulation::default() }
    }

    /// The number of a new memory.
    pub fn fresh(&mut self) -> u32 {
        let number = self.memories.len() as u32;
        self.memories.insert((u32::MAX, number), number);
        number
    }

    /// Gives a memory of a policy the number of a fresh one.
    pub fn rename(&mut self, fresh: u32, policy: u32, memory: u32) {
        self.memories.remove(&(u32::MAX, fresh));
        self.memories.insert((policy, memory), fresh);
    }

    /// The number of a memory of a policy.
    pub fn memory(&mut self, policy: u32, memory: u32) -> u32 {
        let next = self.memories.len() as u32;
        *self.memories.entry((policy, memory)).or_insert(next)
    }

    /// The memories of a policy: the number of each, and the number that it has in the product.
    pub fn memories_of(&self, policy: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let of_policy = self.memories.iter().filter(move |((of, _), _)| *of == policy);
        of_policy.map(|(&(_, memory), &number)| (number, memory))
    }

    /// The moves of a policy from a state of the product.
    pub fn moves_of(&mut self, view: &View<'_>, number: u32, policy: &Policy, at: usize) -> Vec<Move> {
        let choices = policy.of(at);
        let probability = 1.0 / choices.len() as f64;
        let of_choice = |&choice: &u32| {
            let successor = view.space.columns[view.space.row_start[choice as usize] as usize] as usize;
            let next = self.memory(number, (view.memory_of)(successor));
            Move { choice: view.choice_of[choice as usize], probability, next }
        };
        choices.iter().map(of_choice).collect()
    }

    /// Adds moves of a state and a memory.
    pub fn add(&mut self, state: u32, memory: u32, moves: impl IntoIterator<Item = Move>) {
        self.moves.extend(moves.into_iter().map(|then| (state, memory, then)));
    }

    /// Adds the decisions of a policy wherever it leads to from these states of the product. `number` tells policies apart.
    pub fn walk(
        &mut self,
        context: &Context,
        view: &View<'_>,
        number: u32,
        policy: &Policy,
        start: impl Iterator<Item = usize>,
    ) -> Result<(), CheckError> {
        let mut seen = BitSet::new(view.space.num_states());
        let mut work: Vec<usize> = start.filter(|&p| seen.insert(p)).collect();
        let mut next = 0;
        while next < work.len() {
            if next % 4096 == 0 {
                context.control.check()?;
                let held = size_of::<(u32, u32, Move)>() * self.moves.capacity() + 8 * work.capacity();
                context.control.check_memory(held as u64)?;
            }
            let at = work[next];
            next += 1;
            let (state, memory) = ((view.state_of)(at), self.memory(number, (view.memory_of)(at)));
            if (view.is_over)(at) {
                let done = match (self.done, self.ended) {
                    (Some(done), _) => done,
                    (None, Some(ended)) => self.memory(0, ended),
                    (None, None) => self.fresh(),
                };
                self.done = Some(done);
                if memory == done {
                    self.free.push(state);
                    continue;
                }
                let choice = self.idle_choice(context, state);
                self.add(state, memory, [Move { choice, probability: 1.0, next: done }]);
                self.free.extend(context.space.transitions(choice as usize).map(|(t, _)| t as u32));
                continue;
            }
            let moves = self.moves_of(view, number, policy, at);
            self.add(state, memory, moves);
            for &choice in policy.of(at) {
                let successors = view.space.transitions(choice as usize).map(|(p, _)| p);
                work.extend(successors.filter(|&p| seen.insert(p)));
            }
        }
        Ok(())
    }

    fn idle_choice(&self, context: &Context, state: u32) -> u32 {
        let first = || context.space.choices_of(state as usize).start as u32;
        self.idle.get(state as usize).copied().unwrap_or_else(first)
    }

    /// The strategy, which begins with a memory.
    pub fn finish(mut self, context: &Context, memory: Memory, initial: u32) -> Result<Strategy, CheckError> {
        let space = context.space;
        // Where nothing matters the same choice is taken for ever.
        let mut seen = BitSet::new(space.num_states());
        while let (Some(state), Some(done)) = (self.free.pop(), self.done) {
            if seen.insert(state as usize) {
                let choice = self.idle_choice(context, state);
                self.add(state, done, [Move { choice, probability: 1.0, next: done }]);
                self.free.extend(space.transitions(choice as usize).map(|(t, _)| t as u32));
            }
        }
        if u32::try_from(self.moves.len()).is_err() {
            return Err(CheckError::Limit(Stop::Memory));
        }
        Strategy::of_moves(space.num_states(), memory, initial, &self.moves)
            .map_err(|conflict| CheckError::Undefined { what: format!("a decision ({conflict:?})") })
    }
}

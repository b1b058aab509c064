//! Memoryless policies on a space or a product, perhaps randomised: put together from pieces for end components.
//!
//! Within an end component a policy either leads to a state, by choices that stay, or remains for ever. A run that remains
//! and takes all staying choices by chance visits every state again and again almost surely, as the component is the only
//! bottom component of that chain; where a single set of states has to be visited again and again, chance is not needed.

use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_solver::collapsed::END;
use volvelle_solver::graph::Predecessors;
use volvelle_space::{BitSet, Space};

/// A policy: one choice for every state, or several that are equally likely.
#[derive(Clone, Debug)]
pub struct Policy {
    choices: Vec<u32>,
    mixed: FxHashMap<u32, Vec<u32>>,
}

impl Policy {
    /// The first choice of every state.
    pub fn first(space: &Space) -> Self {
        let choices = (0..space.num_states()).map(|s| space.choices_of(s).start as u32).collect();
        Policy { choices, mixed: FxHashMap::default() }
    }

    /// The policy with these choices.
    pub fn of_choices(choices: Vec<u32>) -> Self {
        Policy { choices, mixed: FxHashMap::default() }
    }

    /// The choices of a state, all equally likely.
    pub fn of(&self, state: usize) -> &[u32] {
        self.mixed.get(&(state as u32)).map_or(std::slice::from_ref(&self.choices[state]), Vec::as_slice)
    }

    /// Whether every state has one choice.
    pub fn is_deterministic(&self) -> bool {
        self.mixed.is_empty()
    }

    /// The choices of the states, where each has one.
    pub fn into_choices(self) -> Vec<u32> {
        self.choices
    }

    /// Sets the choice of a state.
    pub fn set(&mut self, state: usize, choice: u32) {
        self.mixed.remove(&(state as u32));
        self.choices[state] = choice;
    }

    /// Takes over the choices of another policy in some states.
    pub fn take(&mut self, states: &BitSet, from: &Policy) {
        for s in states.iter() {
            match from.mixed.get(&(s as u32)) {
                Some(several) => {
                    self.mixed.insert(s as u32, several.clone());
                }
                None => self.set(s, from.choices[s]),
            }
        }
    }

    /// Remains among the members: any choice for which `staying` holds.
    pub fn stay(&mut self, space: &Space, members: &[u32], staying: impl Fn(usize) -> bool) {
        for &s in members {
            if let Some(choice) = space.choices_of(s as usize).find(|&c| staying(c)) {
                self.set(s as usize, choice as u32);
            }
        }
    }

    /// Remains among the members, an end component of the choices for which `staying` holds, and visits all of them again and
    /// again: by chance.
    pub fn roam(&mut self, space: &Space, members: &[u32], staying: impl Fn(usize) -> bool) {
        for &s in members {
            let all: Vec<u32> =
                space.choices_of(s as usize).filter(|&c| staying(c)).map(|c| c as u32).collect();
            match all.as_slice() {
                [] => {}
                [only] => self.set(s as usize, *only),
                _ => {
                    self.mixed.insert(s, all);
                }
            }
        }
    }

    /// Leads to targets, whose own choices stay as they are, from every state from which choices lead there for which
    /// `allowed` holds: with positive probability in each step.
    pub fn lead(
        &mut self,
        predecessors: &Predecessors,
        targets: impl Iterator<Item = u32>,
        allowed: impl Fn(usize) -> bool,
    ) {
        let mut work: Vec<u32> = targets.collect();
        let mut settled: FxHashSet<u32> = work.iter().copied().collect();
        let mut next = 0;
        while next < work.len() {
            for &choice in predecessors.of(work[next] as usize) {
                if !allowed(choice as usize) {
                    continue;
                }
                let source = predecessors.owner(choice) as u32;
                if settled.insert(source) {
                    self.set(source as usize, choice);
                    work.push(source);
                }
            }
            next += 1;
        }
    }

    /// Puts a policy of a quotient into effect. `taken` is one choice for every class; `choice_of` gives for a choice of the
    /// quotient the choice behind it, or [`END`] for remaining, on which this has no influence. `class_of` is the class of a
    /// state, and `staying` holds for the choices by which a class of several states is connected.
    pub fn leave_classes(
        &mut self,
        predecessors: &Predecessors,
        class_of: &[u32],
        taken: &[u32],
        choice_of: &[u32],
        staying: impl Fn(usize) -> bool,
    ) {
        let behind = |class: u32| taken.get(class as usize).map_or(END, |&t| choice_of[t as usize]);
        let leaves = |state: usize| behind(class_of[state]) != END;
        let exits: Vec<u32> = (0..taken.len() as u32).map(behind).filter(|&c| c != END).collect();
        for &choice in &exits {
            self.set(predecessors.owner(choice), choice);
        }
        let targets = exits.iter().map(|&choice| predecessors.owner(choice) as u32);
        let within = |choice: usize| staying(choice) && leaves(predecessors.owner(choice as u32));
        self.lead(predecessors, targets, within);
    }
}

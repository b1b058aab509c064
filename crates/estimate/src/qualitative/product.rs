//! The product of a model and an automaton: the pairs from which almost all paths are accepted, and those
//! from which almost none is.
//!
//! In a chain almost every path reaches a bottom component and visits all of its states infinitely often: C. Baier and
//! J.-P. Katoen, *Principles of Model Checking*, section 10.3.

use rustc_hash::FxHashMap;
use volvelle_simulate::automaton::{ACCEPTS, MonitorAutomaton, REJECTS, STATE_BITS};
use volvelle_space::{BitSet, Space, components};

/// The almost-sure verdicts on pairs of a state and an automaton state.
pub struct Product {
    numbers: FxHashMap<(u32, u32), u32>,
    accepted: BitSet,
    rejected: BitSet,
}

impl Product {
    /// Builds the product of a chain with one initial state, whose states have the letters `letters`. `None`
    /// if it has more than `most` pairs, or if the acceptance condition of the automaton is unknown.
    pub fn new(space: &Space, letters: &[u32], automaton: &MonitorAutomaton, most: usize) -> Option<Product> {
        let acceptance = automaton.acceptance.as_ref()?;
        let width = automaton.conditions.len() as u32;
        let place = |(state, at): (u32, u32)| (at << width | letters[state as usize]) as usize;
        let first = (space.initial.first()?.0, 0);
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::from_iter([(first, 0)]);
        let mut pairs = vec![first];
        let (mut starts, mut targets) = (vec![0], Vec::new());
        let mut next = 0;
        while next < pairs.len() {
            let entry = automaton.steps[place(pairs[next])];
            let at = entry & ((1 << STATE_BITS) - 1);
            for t in space.row(pairs[next].0 as usize) {
                let pair = (space.columns[t], at);
                let fresh = pairs.len() as u32;
                let number = *numbers.entry(pair).or_insert(fresh);
                if number == fresh {
                    pairs.push(pair);
                }
                targets.push(number);
            }
            if pairs.len() > most {
                return None;
            }
            starts.push(targets.len());
            next += 1;
        }
        let mut may: Vec<(bool, bool)> = vec![(false, false); pairs.len()];
        let components = components(pairs.len(), |pair| &targets[starts[pair]..starts[pair + 1]], |_| true);
        let mut owner = vec![0; pairs.len()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&pair| owner[pair as usize] = number);
        }
        // Components come in reverse topological order, so successors are classified first.
        for (this, component) in components.iter().enumerate() {
            let (mut accept, mut reject, mut is_bottom) = (false, false, true);
            let (mut marks, mut known) = (0, 0);
            for &number in component {
                marks |= acceptance.marks[place(pairs[number as usize])];
                known |= automaton.steps[place(pairs[number as usize])] >> STATE_BITS;
                for &target in &targets[starts[number as usize]..starts[number as usize + 1]] {
                    if owner[target as usize] != this {
                        is_bottom = false;
                        accept |= may[target as usize].0;
                        reject |= may[target as usize].1;
                    }
                }
            }
            if is_bottom {
                accept = match known {
                    ACCEPTS => true,
                    REJECTS => false,
                    _ => acceptance.accepts(marks),
                };
                reject = !accept;
            }
            component.iter().for_each(|&number| may[number as usize] = (accept, reject));
        }
        let (mut accepted, mut rejected) = (BitSet::new(pairs.len()), BitSet::new(pairs.len()));
        for (number, &(accept, reject)) in may.iter().enumerate() {
            if !reject {
                accepted.insert(number);
            } else if !accept {
                rejected.insert(number);
            }
        }
        Some(Product { numbers, accepted, rejected })
    }

    /// Whether the verdicts end paths that would not end by themselves: some pair has a `wanted` verdict, the
    /// automaton alone does not decide there, and paths do not end in its state (`ends`).
    pub fn matters(
        &self,
        automaton: &MonitorAutomaton,
        letters: &[u32],
        wanted: impl Fn(bool) -> bool,
        ends: impl Fn(usize) -> bool,
    ) -> bool {
        let width = automaton.conditions.len() as u32;
        self.numbers.keys().any(|&(state, at)| {
            let entry = automaton.steps[(at << width | letters[state as usize]) as usize];
            entry >> STATE_BITS == 0 && self.decided(state, at).is_some_and(&wanted) && !ends(state as usize)
        })
    }

    /// Whether almost all paths from a pair are accepted (`true`) or rejected (`false`); `None` if neither.
    pub fn decided(&self, state: u32, at: u32) -> Option<bool> {
        let number = *self.numbers.get(&(state, at))? as usize;
        match (self.accepted.contains(number), self.rejected.contains(number)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

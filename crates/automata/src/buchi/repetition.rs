//! Invariance under stuttering of an automaton whose complement is not known, such as a claim that was written by hand.
//!
//! There are two ways to prove it, either of which may fail:
//!
//! - by shape: every step on a letter can also be made as two steps on that letter, and two steps as one, up to direct
//!   simulation of the states reached; so every run on a word becomes a run on any word with other repetitions, step by
//!   step;
//! - by the complement: where the automaton is deterministic, its complement is made of two copies of it, and
//!   [`is_stutter_invariant`] decides.
//!
//! Either shows more than the invariance of the language: a run that is to be accepted still can be, whatever the automaton did
//! so far, when the next letter is repeated. Searches of products depend on that where they leave successors out.

use crate::buchi::stutter::is_stutter_invariant;
use crate::buchi::{Buchi, BuchiEdge, BuchiState};

/// Propositions up to which letters are enumerated.
const PROPOSITIONS_LIMIT: u32 = 8;

/// Most states of an automaton that is looked at.
const STATES_LIMIT: usize = 128;

/// Whether the language of an automaton is known to be invariant under stuttering.
pub fn is_known_stutter_invariant(automaton: &Buchi) -> bool {
    let edges = automaton.states.iter().flat_map(|s| &s.edges);
    let used = edges.fold(0, |used, e| used | e.must | e.must_not);
    if used.count_ones() > PROPOSITIONS_LIMIT || automaton.states.len() > STATES_LIMIT {
        return false;
    }
    let moves = Moves::new(automaton, used);
    moves.repeat()
        || moves.is_deterministic()
            && is_stutter_invariant(automaton, &opposite(automaton, used)) == Some(true)
}

/// The targets of each state under each letter.
struct Moves<'a> {
    automaton: &'a Buchi,
    /// The targets, by letter and state.
    targets: Vec<Vec<Vec<usize>>>,
}

impl<'a> Moves<'a> {
    fn new(automaton: &'a Buchi, used: u64) -> Self {
        let enabled = |state: &BuchiState, letter: u64| {
            let edges = state.edges.iter().filter(|e| letter & e.must == e.must && letter & e.must_not == 0);
            edges.map(|e| e.target as usize).collect()
        };
        let of_letter = |letter| automaton.states.iter().map(|state| enabled(state, letter)).collect();
        Moves { automaton, targets: letters(used).into_iter().map(of_letter).collect() }
    }

    fn is_deterministic(&self) -> bool {
        self.targets.iter().flatten().all(|targets| targets.windows(2).all(|pair| pair[0] == pair[1]))
    }

    fn accepts(&self, state: usize) -> bool {
        self.automaton.states[state].accepting
    }

    /// For each pair of states, whether the second simulates the first.
    fn simulation(&self) -> Vec<Vec<bool>> {
        let n = self.automaton.states.len();
        let fits = |p: usize, q: usize| !self.accepts(p) || self.accepts(q);
        let mut covers: Vec<Vec<bool>> = (0..n).map(|p| (0..n).map(|q| fits(p, q)).collect()).collect();
        loop {
            let mut changed = false;
            for p in 0..n {
                for q in 0..n {
                    let follows = |of_letter: &Vec<Vec<usize>>| {
                        of_letter[p].iter().all(|&p| of_letter[q].iter().any(|&q| covers[p][q]))
                    };
                    if covers[p][q] && !self.targets.iter().all(follows) {
                        covers[p][q] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return covers;
            }
        }
    }

    /// Whether letters can be repeated, and repetitions left out, step by step.
    fn repeat(&self) -> bool {
        let covers = self.simulation();
        self.targets.iter().all(|of_letter| {
            (0..of_letter.len()).all(|from| {
                of_letter[from].iter().all(|&to| {
                    let twice = of_letter[from]
                        .iter()
                        .any(|&between| of_letter[between].iter().any(|&end| covers[to][end]));
                    // Acceptance on the way must not be lost with it.
                    let needed = self.accepts(to) && !self.accepts(from);
                    let once = |end: usize| {
                        let fits = |&other: &usize| covers[end][other] && (!needed || self.accepts(other));
                        of_letter[from].iter().any(fits)
                    };
                    twice && of_letter[to].iter().all(|&end| once(end))
                })
            })
        })
    }
}

/// All letters over some propositions.
fn letters(used: u64) -> Vec<u64> {
    let mut letters = vec![0];
    while let Some(more) = letters.last().map(|l: &u64| l.wrapping_sub(used) & used).filter(|&l| l != 0) {
        letters.push(more);
    }
    letters
}

/// The complement of a deterministic automaton: it accepts runs that end, and those that leave its accepting states for
/// ever. It guesses when that happens, and goes over to a copy without accepting states.
fn opposite(automaton: &Buchi, used: u64) -> Buchi {
    let n = automaton.states.len() as u32;
    let sink = 2 * n;
    let is_plain = |state: u32| !automaton.states[state as usize].accepting;
    let letters = letters(used);
    let mut states = Vec::with_capacity(2 * n as usize + 1);
    for copy in [false, true] {
        for state in &automaton.states {
            let mut edges = Vec::new();
            for &letter in &letters {
                let enabled = |e: &&BuchiEdge| letter & e.must == e.must && letter & e.must_not == 0;
                let target = state.edges.iter().find(enabled).map(|e| e.target);
                let mut add =
                    |target| edges.push(BuchiEdge { must: letter, must_not: used & !letter, target });
                match target {
                    None => add(sink),
                    Some(target) => {
                        if !copy {
                            add(target);
                        }
                        if is_plain(target) {
                            add(n + target);
                        }
                    }
                }
            }
            states.push(BuchiState { accepting: copy, edges });
        }
    }
    states
        .push(BuchiState { accepting: true, edges: vec![BuchiEdge { must: 0, must_not: 0, target: sink }] });
    Buchi { states, initial: automaton.initial }
}

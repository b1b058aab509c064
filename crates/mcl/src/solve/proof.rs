//! The part of a system that a verdict rests on.
//!
//! The player who wins the play from the formula in the initial state follows a strategy; all moves of the other one are followed.
//! Where the winner would lose endless plays, his moves must lead on: along a shortest path to an exit.

use super::{Pair, Solver, known};
use crate::automaton::{Kind, Step};
use crate::evidence::{Evidence, Transition};
use crate::system::System;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_control::Stop;

/// How far back a circle is looked for.
const LONGEST_WALK: usize = 1000;

impl<S: System> Solver<'_, S> {
    /// Evidence for a value of the formula in the initial state; `None` where it has more than `most` pairs of formula and state.
    pub fn proof(&mut self, holds: bool, most: usize) -> Result<Option<Evidence>, Stop> {
        let initial = self.system.initial();
        let root = Pair { state: initial, vertex: self.automaton.root };
        let mut seen = FxHashSet::default();
        seen.insert(root);
        let mut waiting = vec![root];
        let mut transitions = Vec::new();
        let mut known_transitions = FxHashSet::default();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(&pair) = waiting.get(at) {
            self.tick(0)?;
            at += 1;
            let vertex = *self.automaton.vertex(pair.vertex);
            let chosen = if vertex.is_or == holds { Some(self.choice(pair, holds)?) } else { None };
            for place in vertex.first..vertex.end {
                let m = self.automaton.moves[place as usize];
                if chosen.is_some_and(|chosen| chosen.vertex != m.target) {
                    continue;
                }
                found.clear();
                if m.step == Step::STAY {
                    found.push((None, Pair { state: pair.state, vertex: m.target }));
                } else {
                    self.expand(pair.state)?;
                    for edge in self.system.outgoing(pair.state) {
                        if self.sets.contains(m.step, edge.label) {
                            let target = Pair { state: edge.target, vertex: m.target };
                            let transition =
                                Transition { source: pair.state, label: edge.label, target: edge.target };
                            found.push((Some(transition), target));
                        }
                    }
                }
                let mut is_done = false;
                for &(transition, target) in &found {
                    if chosen.is_some_and(|chosen| chosen != target) {
                        continue;
                    }
                    if let Some(transition) = transition
                        && known_transitions.insert(transition)
                    {
                        transitions.push(transition);
                    }
                    if self.automaton.vertex(target.vertex).constant.is_none() && seen.insert(target) {
                        waiting.push(target);
                    }
                    is_done = chosen.is_some();
                    if is_done {
                        break;
                    }
                }
                if waiting.len() > most || transitions.len() > most {
                    return Ok(None);
                }
                if is_done {
                    break;
                }
            }
        }
        Ok(Some(Evidence::new(initial, transitions)))
    }

    /// A move with which the owner of a pair wins.
    fn choice(&mut self, pair: Pair, holds: bool) -> Result<Pair, Stop> {
        let vertex = *self.automaton.vertex(pair.vertex);
        if let Some(&chosen) = self.strategy.get(&pair) {
            return Ok(chosen);
        }
        let block = self.automaton.blocks[vertex.block as usize];
        if !vertex.is_leaf && matches!(block.kind, Kind::Reach | Kind::Circle) && block.goal == holds {
            self.plan(pair, block.kind == Kind::Circle)?;
            if let Some(&chosen) = self.strategy.get(&pair) {
                return Ok(chosen);
            }
        }
        // Endless plays in the block are won, or there are none.
        let mut found = Vec::new();
        for place in vertex.first..vertex.end {
            let m = self.automaton.moves[place as usize];
            found.clear();
            self.targets(pair.state, m, &mut found)?;
            for &target in &found {
                if self.value(target)? == holds {
                    return Ok(target);
                }
            }
        }
        unreachable!("who wins a pair has a move to one that he wins")
    }

    /// Finds a shortest way from a pair with the goal's value to an exit with that value, or to a circle where that will do, and notes
    /// its moves. Only pairs whose values are known are passed: a search left a way through them.
    fn plan(&mut self, root: Pair, circles: bool) -> Result<(), Stop> {
        let automaton = self.automaton;
        let block = automaton.vertex(root.vertex).block;
        let goal = automaton.blocks[block as usize].goal;
        let mut met = vec![(root, usize::MAX)];
        let mut place: FxHashMap<Pair, usize> = FxHashMap::default();
        place.insert(root, 0);
        let mut found = Vec::new();
        let mut at = 0;
        while at < met.len() {
            self.tick(0)?;
            let (pair, _) = met[at];
            if circles {
                if self.circle_budget == 0 {
                    return Ok(());
                }
                self.circle_budget -= 1;
            } else if let Some(&behind) = self.strategy.get(&pair) {
                // Its moves lead to an exit already.
                self.note(&met, at, Some(behind));
                return Ok(());
            }
            let vertex = *automaton.vertex(pair.vertex);
            match self.exits(pair)? {
                super::breadth::Exits::Goal(behind) => {
                    self.note(&met, at, behind);
                    return Ok(());
                }
                super::breadth::Exits::Other => unreachable!("its value is the goal"),
                super::breadth::Exits::Open => {}
            }
            for m in vertex.inner..vertex.end {
                found.clear();
                self.targets(pair.state, automaton.moves[m as usize], &mut found)?;
                for &target in &found {
                    if self.get(target) != known(goal) {
                        continue;
                    }
                    match place.get(&target) {
                        None => {
                            place.insert(target, met.len());
                            met.push((target, at));
                        }
                        Some(&earlier) if circles && is_before(&met, earlier, at) => {
                            self.note(&met, at, Some(target));
                            return Ok(());
                        }
                        Some(_) => {}
                    }
                }
            }
            at += 1;
        }
        // Only a circle that is too long to be looked for is left: any pair with the goal's value will do.
        debug_assert!(circles);
        Ok(())
    }

    /// Notes the moves along the pairs that were met up to `at`, and the last one.
    fn note(&mut self, met: &[(Pair, usize)], mut at: usize, mut behind: Option<Pair>) {
        loop {
            let (pair, before) = met[at];
            if let Some(behind) = behind {
                self.strategy.insert(pair, behind);
            }
            if before == usize::MAX {
                return;
            }
            (at, behind) = (before, Some(pair));
        }
    }
}

/// Whether the way to `at` passes `earlier`.
fn is_before(met: &[(Pair, usize)], earlier: usize, mut at: usize) -> bool {
    for _ in 0..LONGEST_WALK {
        if at == earlier {
            return true;
        }
        // Pairs are met after those before them.
        if at < earlier || at == usize::MAX {
            return false;
        }
        at = met[at].1;
    }
    false
}

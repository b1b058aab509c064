//! Blocks in which both players choose, and of whose endless plays one player wins all: local resolution with counters.
//!
//! The goal is the value that needs a reason within finitely many moves: true in a least fixpoint, false in a greatest. Pairs are explored
//! breadth first until the one that is asked for has it; each pair knows those that depend on it, and a pair of the player who
//! does not want the goal counts the moves that avoid it (Liu and Smolka, *Simple linear-time algorithms for minimal fixed
//! points*, ICALP 1998, doi:10.1007/BFb0055040). What was explored stays for the next question.

use super::memo::Explored;
use super::{FALSE, OPEN, Pair, Solver, TRUE, UNKNOWN, known};
use crate::system::System;
use volvelle_control::Stop;

const NONE: u32 = u32::MAX;

impl<S: System> Solver<'_, S> {
    /// Solves a block of kind `Mixed` as far as the value of a pair needs.
    pub(super) fn mixed(&mut self, root: Pair) -> Result<bool, Stop> {
        let block = self.automaton.vertex(root.vertex).block as usize;
        let goal = self.automaton.blocks[block].goal;
        let mut explored = std::mem::take(&mut self.memos[block].explored);
        if self.get(root) == UNKNOWN {
            self.meet(block, root, &mut explored);
        }
        let mut found = Vec::new();
        while self.get(root) == OPEN && explored.expanded < explored.pairs.len() {
            self.tick(explored.bytes())?;
            self.expand_mixed(block, &mut explored, &mut found)?;
        }
        if self.get(root) == OPEN {
            // Nothing is left to explore, and nothing has given these the goal's value.
            for &pair in &explored.pairs {
                if self.get(pair) == OPEN {
                    self.set(pair, known(!goal));
                }
            }
            explored = Explored::default();
        }
        self.memos[block].explored = explored;
        Ok((self.get(root) == known(goal)) == goal)
    }

    fn meet(&mut self, block: usize, pair: Pair, explored: &mut Explored) {
        self.set(pair, OPEN);
        self.number(block, pair, explored.pairs.len() as u32);
        explored.pairs.push(pair);
        explored.avoiding.push(0);
        explored.first.push(NONE);
    }

    /// Looks at the moves of the next pair.
    fn expand_mixed(
        &mut self,
        block: usize,
        explored: &mut Explored,
        found: &mut Vec<Pair>,
    ) -> Result<(), Stop> {
        let automaton = self.automaton;
        let goal = automaton.blocks[block].goal;
        let number = explored.expanded as u32;
        explored.expanded += 1;
        let pair = explored.pairs[number as usize];
        let vertex = *automaton.vertex(pair.vertex);
        let chooses = vertex.is_or == goal;
        let mut undecided = 0;
        for place in vertex.first..vertex.end {
            found.clear();
            self.targets(pair.state, automaton.moves[place as usize], found)?;
            for &target in found.iter() {
                let value = match place < vertex.inner {
                    true => known(self.value(target)?),
                    false => self.get(target),
                };
                match value {
                    TRUE | FALSE if (value == known(goal)) == chooses => {
                        if chooses {
                            self.strategy.insert(pair, target);
                            self.decide(block, number, explored);
                        } else {
                            self.set(pair, known(!goal));
                        }
                        return Ok(());
                    }
                    TRUE | FALSE => continue,
                    UNKNOWN => self.meet(block, target, explored),
                    _ => {}
                }
                undecided += 1;
                let on = self.order(block, target) as usize;
                explored.dependents.push((number, explored.first[on]));
                explored.first[on] = explored.dependents.len() as u32 - 1;
            }
        }
        explored.avoiding[number as usize] = undecided;
        match (undecided, chooses) {
            (0, true) => self.set(pair, known(!goal)),
            (0, false) => self.decide(block, number, explored),
            _ => {}
        }
        Ok(())
    }

    /// Gives a pair the goal's value, and all those that thereby have it.
    fn decide(&mut self, block: usize, number: u32, explored: &mut Explored) {
        let goal = self.automaton.blocks[block].goal;
        let mut waiting = vec![number];
        self.set(explored.pairs[number as usize], known(goal));
        while let Some(decided) = waiting.pop() {
            let behind = explored.pairs[decided as usize];
            let mut entry = explored.first[decided as usize];
            while entry != NONE {
                let (dependent, next) = explored.dependents[entry as usize];
                entry = next;
                let pair = explored.pairs[dependent as usize];
                if self.get(pair) != OPEN {
                    continue;
                }
                if self.automaton.vertex(pair.vertex).is_or == goal {
                    self.strategy.insert(pair, behind);
                } else {
                    let avoiding = &mut explored.avoiding[dependent as usize];
                    *avoiding -= 1;
                    if *avoiding > 0 {
                        continue;
                    }
                }
                self.set(pair, known(goal));
                waiting.push(dependent);
            }
        }
    }
}

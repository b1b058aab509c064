//! The search from the initial state, breadth first, so that the path to an exit is one of the shortest.

use super::{Pair, Solver, UNKNOWN, known};
use crate::automaton::Step;
use crate::system::System;
use volvelle_control::Stop;

/// A pair that was met, and the place of the one before it.
#[derive(Clone, Copy)]
struct Met {
    pair: Pair,
    before: u32,
}

/// What looking at the exits of a pair gave.
pub(super) enum Exits {
    /// The pair has the value of the player who chooses; behind it lies this pair, if any.
    Goal(Option<Pair>),
    /// It has the other value.
    Other,
    /// That depends on pairs of the block.
    Open,
}

impl<S: System> Solver<'_, S> {
    /// Solves a block of kind `Reach` from a pair that no search has met.
    pub(super) fn breadth_first(&mut self, root: Pair) -> Result<bool, Stop> {
        let block = self.automaton.vertex(root.vertex).block as usize;
        let goal = self.automaton.blocks[block].goal;
        // No lower block asks for these pairs, so they may have the value that they have if no exit is found.
        let unless_found = known(!goal);
        self.set(root, unless_found);
        let mut met = vec![Met { pair: root, before: u32::MAX }];
        let mut at = 0;
        let mut last = None;
        while at < met.len() {
            self.tick(size_of::<Met>() * met.capacity())?;
            let pair = met[at].pair;
            match self.exits(pair)? {
                Exits::Goal(behind) => {
                    last = Some((at, behind));
                    break;
                }
                Exits::Other => {}
                Exits::Open => self.meet_inner(block, pair, at as u32, unless_found, &mut met),
            }
            at += 1;
        }
        if let Some((mut at, mut behind)) = last {
            met.iter().for_each(|m| self.set(m.pair, UNKNOWN));
            loop {
                let Met { pair, before } = met[at];
                self.set(pair, known(goal));
                if let Some(behind) = behind {
                    self.strategy.insert(pair, behind);
                }
                if before == u32::MAX {
                    break;
                }
                (at, behind) = (before as usize, Some(pair));
            }
        }
        Ok((last.is_some()) == goal)
    }

    /// Looks at the moves of a pair that leave its block.
    pub(super) fn exits(&mut self, pair: Pair) -> Result<Exits, Stop> {
        let automaton = self.automaton;
        let vertex = automaton.vertex(pair.vertex);
        let goal = automaton.blocks[vertex.block as usize].goal;
        let chooses = vertex.is_or == goal;
        // The value that decides at once.
        let decisive = if chooses { goal } else { !goal };
        self.expand(pair.state)?;
        for m in &automaton.moves[vertex.first as usize..vertex.inner as usize] {
            let constant = automaton.vertex(m.target).constant;
            if constant == Some(!decisive) {
                continue;
            }
            let mut at = 0;
            loop {
                let target = match m.step {
                    Step::STAY if at == 0 => pair.state,
                    Step::STAY => break,
                    step => match self.next_edge(pair.state, step, at) {
                        Some((found, edge)) => {
                            at = found;
                            edge.target
                        }
                        None => break,
                    },
                };
                at += 1;
                let behind = Pair { state: target, vertex: m.target };
                if self.value(behind)? == decisive {
                    return Ok(if chooses { Exits::Goal(Some(behind)) } else { Exits::Other });
                }
            }
        }
        // Where all ways out of the other player's vertex lead to the goal and none stays in the block, it is reached.
        let ends = !chooses && vertex.inner == vertex.end;
        Ok(if ends { Exits::Goal(None) } else { Exits::Open })
    }

    /// Adds the pairs that a pair leads to within its block.
    fn meet_inner(&mut self, block: usize, pair: Pair, before: u32, mark: u8, met: &mut Vec<Met>) {
        let automaton = self.automaton;
        let vertex = automaton.vertex(pair.vertex);
        self.make_room(block);
        let memo = &mut self.memos[block];
        for m in &automaton.moves[vertex.inner as usize..vertex.end as usize] {
            let local = automaton.vertex(m.target).local as usize;
            let mut meet = |state: u32| {
                let value = &mut memo.values[state as usize * memo.width + local];
                if *value == UNKNOWN {
                    *value = mark;
                    met.push(Met { pair: Pair { state, vertex: m.target }, before });
                }
            };
            let edges = self.system.outgoing(pair.state).iter();
            match m.step {
                Step::STAY => meet(pair.state),
                Step::ANY => edges.for_each(|edge| meet(edge.target)),
                step => {
                    let set = self.sets.set(step);
                    edges.filter(|edge| set.contains(edge.label)).for_each(|edge| meet(edge.target));
                }
            }
        }
    }
}

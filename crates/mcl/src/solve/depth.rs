//! Depth-first searches within a block: is an exit with the goal's value reached, or a circle?
//!
//! When an exit is found, every pair on the path reaches it. Where circles do not count, so does every pair of a component that the
//! path has not left (Tarjan's stack), and a finished component has the other value; where they count, a pair that the path
//! returns to closes one, and pairs are decided as soon as they are finished. Either way all pairs that were met have their
//! final values afterwards (Mateescu 2006, algorithms A3 and A4).

use super::memo::Frame;
use super::{OPEN, Pair, Solver, UNKNOWN, known};
use crate::automaton::Step;
use crate::system::System;
use volvelle_control::Stop;

impl<S: System> Solver<'_, S> {
    /// Solves a block from a pair. `CIRCLES`: whether a circle is a goal.
    pub(super) fn depth_first<const CIRCLES: bool>(&mut self, root: Pair) -> Result<bool, Stop> {
        let block = self.automaton.vertex(root.vertex).block as usize;
        let goal = self.automaton.blocks[block].goal;
        let mut path = std::mem::take(&mut self.memos[block].path);
        let mut open = std::mem::take(&mut self.memos[block].open);
        let result = self.search::<CIRCLES>(root, block, &mut path, &mut open);
        if matches!(result, Ok(true)) {
            if CIRCLES {
                path.iter().for_each(|frame| self.set(frame.pair, known(goal)));
            } else {
                open.iter().for_each(|&pair| self.set(pair, known(goal)));
            }
        }
        path.clear();
        open.clear();
        self.memos[block].path = path;
        self.memos[block].open = open;
        Ok(result? == goal)
    }

    /// Whether the goal is reached. If so, the pairs on the path (or the stack) have its value; all others are decided.
    fn search<const CIRCLES: bool>(
        &mut self,
        root: Pair,
        block: usize,
        path: &mut Vec<Frame>,
        open: &mut Vec<Pair>,
    ) -> Result<bool, Stop> {
        let automaton = self.automaton;
        let goal = automaton.blocks[block].goal;
        let mut entered = 0;
        let mut next = Some(root);
        loop {
            if let Some(pair) = next.take() {
                self.tick(size_of::<Frame>() * path.capacity() + size_of::<Pair>() * open.capacity())?;
                self.expand(pair.state)?;
                self.set(pair, OPEN);
                if !CIRCLES {
                    self.number(block, pair, entered);
                    open.push(pair);
                }
                let at = automaton.vertex(pair.vertex).first;
                path.push(Frame { pair, at, edge: 0, low: entered, order: entered });
                entered += 1;
            }
            let Some(&Frame { pair, .. }) = path.last() else { return Ok(false) };
            let vertex = automaton.vertex(pair.vertex);
            let chooses = vertex.is_or == goal;
            // Where the other player has one way out with his value, the pair has it.
            let mut is_lost = false;
            while let Some((m, target)) = self.advance(path.last_mut().expect("not empty")) {
                if m < vertex.inner {
                    let value = self.value(target)?;
                    if chooses && value == goal {
                        return Ok(true);
                    }
                    if !chooses && value != goal {
                        is_lost = true;
                        break;
                    }
                    continue;
                }
                match self.get(target) {
                    UNKNOWN => {
                        next = Some(target);
                        break;
                    }
                    OPEN if CIRCLES => return Ok(true),
                    OPEN => {
                        let order = self.order(block, target);
                        let frame = path.last_mut().expect("not empty");
                        frame.low = frame.low.min(order);
                    }
                    value if value == known(goal) => return Ok(true),
                    _ => {}
                }
            }
            if next.is_some() {
                continue;
            }
            if !chooses && !is_lost && vertex.inner == vertex.end {
                return Ok(true);
            }
            let Frame { low, order, .. } = path.pop().expect("not empty");
            if CIRCLES {
                self.set(pair, known(!goal));
                continue;
            }
            if low == order {
                while let Some(member) = open.pop() {
                    self.set(member, known(!goal));
                    if member == pair {
                        break;
                    }
                }
            } else if let Some(above) = path.last_mut() {
                above.low = above.low.min(low);
            }
        }
    }

    /// The next pair that a frame leads to, with its move.
    fn advance(&self, frame: &mut Frame) -> Option<(u32, Pair)> {
        let automaton = self.automaton;
        let vertex = automaton.vertex(frame.pair.vertex);
        while frame.at < vertex.end {
            let m = automaton.moves[frame.at as usize];
            if m.step == Step::STAY {
                frame.at += 1;
                return Some((frame.at - 1, Pair { state: frame.pair.state, vertex: m.target }));
            }
            if let Some((place, edge)) = self.next_edge(frame.pair.state, m.step, frame.edge) {
                frame.edge = place + 1;
                return Some((frame.at, Pair { state: edge.target, vertex: m.target }));
            }
            frame.at += 1;
            frame.edge = 0;
        }
        None
    }
}

//! Blocks with priorities of both parities: the part that is reached becomes a parity game.

use super::{FALSE, OPEN, Pair, Solver, TRUE, known};
use crate::parity::ParityGame;
use crate::system::System;
use volvelle_control::Stop;

/// Vertices of the game where everything is decided.
const WON: u32 = 0;
const LOST: u32 = 1;
const FIRST: u32 = 2;

impl<S: System> Solver<'_, S> {
    /// Solves a block from a pair. All pairs of the block that it reaches are decided afterwards, and the strategy of the winners is
    /// kept.
    pub(super) fn game(&mut self, root: Pair) -> Result<bool, Stop> {
        let automaton = self.automaton;
        let block = automaton.vertex(root.vertex).block as usize;
        // Player 0 is the one who claims the formula.
        let mut owners = vec![0u8, 0];
        let mut priorities = vec![0u32, 1];
        let mut starts = vec![0u32, 1, 2];
        let mut successors = vec![WON, LOST];
        // What each edge of the game leads to; the decided vertices stand for many.
        let mut leads_to: Vec<Option<Pair>> = vec![None, None];
        let mut pairs = vec![root];
        self.set(root, OPEN);
        self.number(block, root, FIRST);
        let mut at = 0;
        let mut found = Vec::new();
        while at < pairs.len() {
            self.tick(size_of::<Pair>() * pairs.capacity() + 20 * successors.capacity())?;
            let pair = pairs[at];
            at += 1;
            let vertex = *automaton.vertex(pair.vertex);
            let begin = successors.len();
            // An exit that is worth moving to decides the vertex; others are left out, as a player without a move loses.
            let mut is_decided = false;
            for (place, &m) in automaton.moves[vertex.first as usize..vertex.end as usize].iter().enumerate()
            {
                let is_exit = place < (vertex.inner - vertex.first) as usize;
                found.clear();
                self.targets(pair.state, m, &mut found)?;
                for &target in &found {
                    let value = match (is_exit, is_exit || self.get(target) == OPEN) {
                        (true, _) => Some(self.value(target)?),
                        (false, true) => None,
                        (false, false) => match self.get(target) {
                            TRUE => Some(true),
                            FALSE => Some(false),
                            _ => {
                                self.set(target, OPEN);
                                self.number(block, target, FIRST + pairs.len() as u32);
                                pairs.push(target);
                                None
                            }
                        },
                    };
                    match value {
                        None => {
                            successors.push(self.order(block, target));
                            leads_to.push(Some(target));
                        }
                        Some(value) if value == vertex.is_or => {
                            successors.truncate(begin);
                            leads_to.truncate(begin);
                            successors.push(if value { WON } else { LOST });
                            leads_to.push(Some(target));
                            is_decided = true;
                        }
                        Some(_) => {}
                    }
                    if is_decided {
                        break;
                    }
                }
                if is_decided {
                    break;
                }
            }
            if successors.len() == begin {
                successors.push(if vertex.is_or { LOST } else { WON });
                leads_to.push(None);
            }
            owners.push(u8::from(!vertex.is_or));
            priorities.push(vertex.priority);
            starts.push(successors.len() as u32);
        }
        let offsets = starts.clone();
        let game = ParityGame::new(owners, priorities, starts, successors);
        let solution = game.solve(self.control)?;
        for (number, &pair) in pairs.iter().enumerate() {
            let number = number + FIRST as usize;
            let winner = solution.winners[number];
            self.set(pair, known(winner == 0));
            if winner == game.owner(number as u32) {
                let moves = game.successors(number as u32);
                let place = moves.iter().position(|&s| s == solution.strategy[number]);
                let edge = offsets[number] as usize + place.expect("strategies are moves");
                if let Some(target) = leads_to[edge] {
                    self.strategy.insert(pair, target);
                }
            }
        }
        Ok(solution.winners[FIRST as usize] == 0)
    }
}

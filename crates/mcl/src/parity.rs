//! Parity games: Zielonka's algorithm.
//!
//! W. Zielonka, *Infinite games on finitely coloured graphs with applications to automata on infinite trees*, Theoretical Computer
//! Science 200, 1998, doi:10.1016/S0304-3975(98)00009-7. The greatest priority that occurs infinitely often decides: even for
//! player 0. Exponential in the number of priorities at worst, linear for one and two that do not alternate.
//!
//! The call for the game without the vertices attracted to the greatest priority is a recursion, as deep as there are priorities; the
//! one without a region that the opponent has won is a loop.

use volvelle_control::{Control, Stop};

/// A game. Every vertex has a successor.
#[derive(Clone, Debug, Default)]
pub struct ParityGame {
    owners: Vec<u8>,
    priorities: Vec<u32>,
    starts: Vec<u32>,
    successors: Vec<u32>,
}

/// Who wins from where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The winner from each vertex: 0 or 1.
    pub winners: Vec<u8>,
    /// A winning move from each vertex whose owner wins; no meaning elsewhere.
    pub strategy: Vec<u32>,
}

impl ParityGame {
    /// A game from its arrays: owner (0 or 1) and priority of each vertex, and successors of vertex `v` at
    /// `starts[v]..starts[v + 1]`.
    ///
    /// # Panics
    /// The arrays do not fit together, or a vertex has no successor.
    pub fn new(owners: Vec<u8>, priorities: Vec<u32>, starts: Vec<u32>, successors: Vec<u32>) -> Self {
        assert!(owners.len() == priorities.len() && starts.len() == owners.len() + 1, "one entry per vertex");
        assert!(
            starts.first() == Some(&0) && starts.last() == Some(&(successors.len() as u32)),
            "all successors"
        );
        assert!(starts.windows(2).all(|w| w[0] < w[1]), "every vertex has a successor");
        assert!(owners.iter().all(|&o| o < 2), "there are two players");
        assert!(successors.iter().all(|&s| (s as usize) < owners.len()), "successors are vertices");
        ParityGame { owners, priorities, starts, successors }
    }

    /// How many vertices there are.
    pub fn num_vertices(&self) -> usize {
        self.owners.len()
    }

    /// The player who moves at a vertex.
    pub fn owner(&self, vertex: u32) -> u8 {
        self.owners[vertex as usize]
    }

    /// The priority of a vertex.
    pub fn priority(&self, vertex: u32) -> u32 {
        self.priorities[vertex as usize]
    }

    /// The vertices behind a vertex.
    pub fn successors(&self, vertex: u32) -> &[u32] {
        let range = self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
        &self.successors[range]
    }

    /// Winners and strategies.
    ///
    /// # Errors
    /// The control says stop.
    pub fn solve(&self, control: &Control) -> Result<Solution, Stop> {
        let count = self.num_vertices();
        let (before_starts, before) = self.reversed();
        let mut zielonka = Zielonka {
            game: self,
            before_starts,
            before,
            region: vec![0; count],
            met: vec![NOT_MET; count],
            winners: vec![0; count],
            strategy: vec![u32::MAX; count],
            control,
        };
        zielonka.solve((0..count as u32).collect(), 0)?;
        Ok(Solution { winners: zielonka.winners, strategy: zielonka.strategy })
    }

    fn reversed(&self) -> (Vec<u32>, Vec<u32>) {
        let count = self.num_vertices();
        let mut starts = vec![0u32; count + 1];
        self.successors.iter().for_each(|&s| starts[s as usize + 1] += 1);
        for vertex in 0..count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut before = vec![0; self.successors.len()];
        for vertex in 0..count as u32 {
            for &s in self.successors(vertex) {
                before[next[s as usize] as usize] = vertex;
                next[s as usize] += 1;
            }
        }
        (starts, before)
    }
}

/// No subgame holds the vertex any more.
const DECIDED: u32 = u32::MAX;

/// The attractor has not met the vertex.
const NOT_MET: u32 = u32::MAX;

struct Zielonka<'a> {
    game: &'a ParityGame,
    before_starts: Vec<u32>,
    before: Vec<u32>,
    /// The depth of the subgame that holds each vertex.
    region: Vec<u32>,
    /// During an attraction: successors in the subgame that do not lead to the attractor; 0 for those in it.
    met: Vec<u32>,
    winners: Vec<u8>,
    strategy: Vec<u32>,
    control: &'a Control<'a>,
}

impl Zielonka<'_> {
    /// Decides the vertices of a subgame: those whose region is `depth`.
    fn solve(&mut self, mut vertices: Vec<u32>, depth: u32) -> Result<(), Stop> {
        while !vertices.is_empty() {
            self.control.check()?;
            let priorities = vertices.iter().map(|&v| self.game.priority(v));
            let greatest = priorities.max().expect("not empty");
            let player = (greatest % 2) as u8;
            let tops: Vec<u32> =
                vertices.iter().copied().filter(|&v| self.game.priority(v) == greatest).collect();
            for &top in &tops {
                let inside = self.game.successors(top).iter().find(|&&s| self.region[s as usize] == depth);
                self.strategy[top as usize] = *inside.expect("subgames are total");
            }
            let attracted = self.attract(player, tops, depth);
            attracted.iter().for_each(|&v| self.region[v as usize] = DECIDED);
            let rest: Vec<u32> =
                vertices.iter().copied().filter(|&v| self.region[v as usize] == depth).collect();
            rest.iter().for_each(|&v| self.region[v as usize] = depth + 1);
            self.solve(rest.clone(), depth + 1)?;
            vertices.iter().for_each(|&v| self.region[v as usize] = depth);
            attracted.iter().for_each(|&v| self.winners[v as usize] = player);
            let lost: Vec<u32> =
                rest.iter().copied().filter(|&v| self.winners[v as usize] != player).collect();
            if lost.is_empty() {
                break;
            }
            let lost = self.attract(1 - player, lost, depth);
            for &v in &lost {
                self.winners[v as usize] = 1 - player;
                self.region[v as usize] = DECIDED;
            }
            vertices.retain(|&v| self.region[v as usize] == depth);
        }
        Ok(())
    }

    /// The vertices of the subgame `depth` from which a player can force a play into some of them; notes his moves.
    fn attract(&mut self, player: u8, mut found: Vec<u32>, depth: u32) -> Vec<u32> {
        found.iter().for_each(|&v| self.met[v as usize] = 0);
        let mut touched: Vec<u32> = Vec::new();
        let mut at = 0;
        while at < found.len() {
            let vertex = found[at];
            at += 1;
            for place in self.before_starts[vertex as usize]..self.before_starts[vertex as usize + 1] {
                let before = self.before[place as usize];
                let b = before as usize;
                if self.region[b] != depth || self.met[b] == 0 {
                    continue;
                }
                if self.game.owner(before) == player {
                    self.met[b] = 0;
                    self.strategy[b] = vertex;
                    found.push(before);
                    continue;
                }
                if self.met[b] == NOT_MET {
                    let inside =
                        self.game.successors(before).iter().filter(|&&s| self.region[s as usize] == depth);
                    self.met[b] = inside.count() as u32;
                    touched.push(before);
                }
                self.met[b] -= 1;
                if self.met[b] == 0 {
                    found.push(before);
                }
            }
        }
        found.iter().chain(&touched).for_each(|&v| self.met[v as usize] = NOT_MET);
        found
    }
}

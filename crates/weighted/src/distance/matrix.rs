//! Distances of all pairs of states at once.
//!
//! The relation is first computed at large bounds. Then the bound is lowered repeatedly to the largest
//! deviation that some answer needs. Pairs without a better answer leave, with this bound as their distance,
//! and so do pairs that relied on them. Each pair leaves once, so the relation is not computed anew at every
//! bound. (Peeling, as for the core numbers of a graph: V. Batagelj, M. Zaversnik, *An O(m) algorithm for
//! cores decomposition of networks*, 2003.)

use super::Distance;
use crate::Failure;
use crate::game::answer::Arena;
use crate::game::bound::{Bound, Kind, Ratio, check_weights};
use crate::game::play::Game;
use crate::game::rule::Rule;
use dashu_ratio::RBig;
use std::collections::BinaryHeap;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// Distances between all states.
#[derive(Clone, Debug)]
pub struct Distances {
    states: u32,
    /// Different distances in increasing order.
    levels: Vec<RBig>,
    /// By first state, then by second state: an index into `levels`, or the number of levels if the distance
    /// is infinite.
    level_of: Vec<u32>,
}

impl Distances {
    /// How many states there are.
    pub fn num_states(&self) -> u32 {
        self.states
    }

    /// The finite distances that occur, in increasing order.
    pub fn levels(&self) -> &[RBig] {
        &self.levels
    }

    /// The rank of the distance from `s` to `t` in [`Self::levels`]; their number if it is infinite.
    pub fn level(&self, s: u32, t: u32) -> u32 {
        self.level_of[s as usize * self.states as usize + t as usize]
    }

    /// The rank of the larger of the distances from `s` to `t` and from `t` to `s`.
    pub fn symmetric_level(&self, s: u32, t: u32) -> u32 {
        self.level(s, t).max(self.level(t, s))
    }

    /// The distance with a rank.
    pub fn at_level(&self, level: u32) -> Distance {
        self.levels.get(level as usize).map_or(Distance::Infinite, |number| Distance::Finite(number.clone()))
    }

    /// The distance from `s` to `t`.
    pub fn distance(&self, s: u32, t: u32) -> Distance {
        self.at_level(self.level(s, t))
    }

    /// The larger of the distances from `s` to `t` and from `t` to `s`.
    pub fn symmetric(&self, s: u32, t: u32) -> Distance {
        self.at_level(self.symmetric_level(s, t))
    }
}

/// The distances between all states.
///
/// # Errors
/// A limit was reached; weights are too large, or there are more than 2^16 states.
pub fn all_pairs(structure: &WeightedStructure, kind: Kind, control: &Control) -> Result<Distances, Failure> {
    check_weights(structure)?;
    let arena = Arena::new(structure);
    let mut game = Game::global(&arena, Rule::Distance(kind, Bound::Finite), control)?;
    game.run(None, control)?;
    const INFINITE: u32 = u32::MAX;
    const RELATED: u32 = u32::MAX - 1;
    let pairs = game.pairs.len() as u32;
    let mut level_of: Vec<u32> =
        (0..pairs).map(|pair| if game.is_refuted(pair) { INFINITE } else { RELATED }).collect();
    let mut levels: Vec<Ratio> = Vec::new();
    let mut queue: BinaryHeap<(Ratio, u32)> = BinaryHeap::new();
    let deviating =
        |game: &Game, pair: u32| Some((game.deviation(pair), pair)).filter(|&(d, _)| d > Ratio::ZERO);
    queue.extend((0..pairs).filter(|&pair| !game.is_refuted(pair)).filter_map(|pair| deviating(&game, pair)));
    game.touched.clear();
    while let Some((largest, pair)) = queue.pop() {
        // Outdated entries stay in the queue when a pair changes.
        if game.is_refuted(pair) || game.deviation(pair) != largest {
            continue;
        }
        if levels.last() != Some(&largest) {
            levels.push(largest);
            game.rule = Rule::Distance(kind, Bound::Below(largest));
        }
        game.tighten(pair)?;
        game.run(None, control)?;
        let mut touched = std::mem::take(&mut game.touched);
        for pair in touched.drain(..) {
            if game.is_refuted(pair) {
                level_of[pair as usize] = levels.len() as u32 - 1;
            } else {
                queue.extend(deviating(&game, pair));
            }
        }
        game.touched = touched;
    }
    // Distances were found in decreasing order. Related pairs have distance 0.
    let positive = levels.len() as u32;
    for level in &mut level_of {
        *level = match *level {
            INFINITE => positive + 1,
            RELATED => 0,
            found => positive - found,
        };
    }
    let exact = levels.iter().rev().map(|level| level.exact());
    let levels = std::iter::once(RBig::ZERO).chain(exact).collect();
    Ok(Distances { states: structure.num_states() as u32, levels, level_of })
}

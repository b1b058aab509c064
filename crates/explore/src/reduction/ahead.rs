//! Sets of processes whose steps suffice, by what the others may do from the present state.
//!
//! In: a state, and the processes that can move. Out: a set of processes with which none of the others
//! interferes before it moves (module `interference`). It starts with one process and those with which it may
//! synchronise. As long as some process interferes, that is added. Each process that can move is tried as the
//! start. States with the same locations as an earlier state begin with what was found there.

use super::hint::Hint;
use super::{CHANNELS, Reducer, Seen, is};
use crate::interference::Look;
use crate::resources::{MODES, mode_number};
use volvelle_model::AccessMode;
use volvelle_model::independence::{Commuting, commute};

/// Number of such failures after which only some states are tried.
const MOST_FAILURES: u32 = 4;

impl Reducer<'_> {
    /// Like [`Reducer::sufficient`], by what the other processes may do from this state on.
    pub(super) fn sufficient_ahead(
        &mut self,
        state: &[u64],
        movers: &[(usize, usize)],
        live: usize,
        seen: Seen,
    ) -> Option<u64> {
        let moving = movers.iter().fold(0u64, |all, mover| all | 1 << mover.0);
        let size =
            |chosen: u64| -> usize { movers.iter().filter(|m| chosen >> m.0 & 1 != 0).map(|m| m.1).sum() };
        let all = size(moving);
        let mut hint = self.hints.get(&self.locations).copied().unwrap_or_default();
        // After several failures, try less and less often.
        if hint.size == 0 && hint.failures >= MOST_FAILURES && !hint.failures.is_power_of_two() {
            hint.failures += 1;
            self.hints.insert(self.locations.clone(), hint);
            return None;
        }
        let mut best: Option<(usize, u64)> = None;
        if hint.size > 0 && movers.iter().any(|m| m.0 == hint.seed) {
            self.tried.clear();
            let found =
                self.around(state, hint.seed, live, (seen, hint.is_short), all.min(hint.size + 1), &size);
            if found.is_some() {
                return found;
            }
        }
        // Senders must move together with receivers, and often with all that wait for the same.
        let is_giver = |m: &&(usize, usize)| seen.offering >> m.0 & 1 != 0;
        // Usually some process interferes with none before an observed proposition changes; this short prefix
        // is quickly examined.
        'search: for is_short in [true, false] {
            self.tried.clear();
            let ordered = movers.iter().filter(|m| !is_giver(m)).chain(movers.iter().filter(is_giver));
            for &(seed, _) in ordered {
                let less = best.map_or(all, |best| best.0);
                if let Some(chosen) = self.around(state, seed, live, (seen, is_short), less, &size) {
                    best = Some((size(chosen), chosen));
                    hint = Hint { seed, size: size(chosen), is_short, failures: 0 };
                    if hint.size == 1 {
                        break 'search;
                    }
                }
            }
        }
        if best.is_none() {
            hint = Hint { failures: hint.failures + 1, size: 0, ..hint };
        }
        self.hints.insert(self.locations.clone(), hint);
        best.map(|(_, chosen)| chosen)
    }

    /// The least sufficient set around a process, if it has fewer than `less` successors.
    fn around(
        &mut self,
        state: &[u64],
        seed: usize,
        live: usize,
        (seen, is_short): (Seen, bool),
        less: usize,
        size: &impl Fn(u64) -> usize,
    ) -> Option<u64> {
        let mut chosen = self.with_partners(1 << seed, live);
        loop {
            // A set examined before leads to the same again.
            if seen.forbid(chosen) || size(chosen) >= less || self.tried.contains(&chosen) {
                return None;
            }
            self.tried.push(chosen);
            match self.look_ahead(state, chosen, live, is_short) {
                Look::Clear => return Some(chosen),
                Look::InTheWay(other) => chosen = self.with_partners(chosen | 1 << other, live),
                Look::Unknown => return None,
            }
        }
    }

    /// Adds processes that may now synchronise with one of these, until there are none.
    fn with_partners(&self, chosen: u64, live: usize) -> u64 {
        let meets = mode_number(AccessMode::Meet);
        let (mut chosen, mut looked_at) = (chosen, 0u64);
        while chosen != looked_at {
            let next = (chosen & !looked_at).trailing_zeros() as usize;
            looked_at |= 1 << next;
            let mine = &self.sets[self.here[next] as usize].0.by_mode[meets];
            for other in 0..live {
                if mine.intersects(&self.sets[self.here[other] as usize].0.by_mode[meets]) {
                    chosen |= 1 << other;
                }
            }
        }
        chosen
    }

    /// Searches for another process that may interfere with what these do now, before they move; or, if
    /// `is_short`, change an observed proposition.
    fn look_ahead(&mut self, state: &[u64], chosen: u64, live: usize, is_short: bool) -> Look {
        let words = self.independence.resources.words();
        self.now.clear();
        self.now.resize(MODES.len() * words, 0);
        for process in (0..live).filter(|process| chosen >> process & 1 != 0) {
            for (mode, set) in self.sets[self.here[process] as usize].0.by_mode.iter().enumerate() {
                for (word, &bits) in set.words().iter().enumerate() {
                    self.now[mode * words + word] |= bits;
                }
            }
        }
        self.forbidden.clear();
        self.forbidden.resize(MODES.len() * words, 0);
        let (first, count) = self.independence.resources.slots_of(CHANNELS);
        for (i, &mine) in MODES.iter().enumerate() {
            for (j, &theirs) in MODES.iter().enumerate() {
                let commuting = commute(mine, theirs);
                for word in 0..words {
                    let mut bits = self.now[i * words + word];
                    match commuting {
                        Commuting::Always => bits = 0,
                        Commuting::No => {}
                        Commuting::UnlessFull | Commuting::UnlessEmpty => {
                            let all = bits;
                            for bit in (0..64).filter(|bit| all >> bit & 1 != 0) {
                                let resource = word * 64 + bit;
                                let is_slot = (first..first + count).contains(&resource);
                                let full = commuting == Commuting::UnlessFull;
                                if !is_slot || !is(self.program, self.layout, state, resource - first, full) {
                                    bits &= !(1 << bit);
                                }
                            }
                        }
                    }
                    self.forbidden[j * words + word] |= bits;
                }
            }
        }
        if is_short {
            for (at, &bits) in self.independence.observed.iter().enumerate() {
                self.forbidden[at] |= bits;
            }
        }
        let Some(interference) = &mut self.interference else { return Look::Unknown };
        interference.look(state, &self.locations, chosen, &self.now, &self.forbidden)
    }
}

//! Loops of a path that are passed in one go.
//!
//! When the last steps were taken twice in the same order, they are taken once more with affine values
//! ([`crate::value`]): each cell changes per iteration as it did in the last one. If this confirms that an
//! iteration changes every cell by a constant, all iterations with the same decisions as the first are passed
//! at once. An iteration may contain loops that were found before; each loop has its own iteration number.

use crate::affine::Stop;
use crate::machine::{Move, Notes};
use crate::path::{Path, is_true, loop_symbol};
use crate::trace::{Event, Item, Loop};
use crate::value::{DEPTH, MOST_ITERATIONS, Nest, Value};
use rustc_hash::FxHashMap;
use volvelle_model::Domain;

/// How many earlier occurrences of the last event are tried as the end of the previous iteration.
const OCCURRENCES: usize = 8;

impl Path<'_, '_> {
    /// Passes iterations if the last items repeat. Returns whether they repeat forever.
    pub(crate) fn has_repeated(&mut self) -> Result<bool, Stop> {
        let end = self.items.len();
        let symbol = self.symbols[end - 1];
        let recent = self.recent.entry(symbol).or_default();
        let earlier: Vec<usize> = recent.iter().rev().copied().take(OCCURRENCES).collect();
        if recent.len() > 4 * OCCURRENCES {
            recent.drain(..2 * OCCURRENCES);
        }
        recent.push(end);
        for then in earlier {
            let period = end - then;
            if end < self.regular_from + 2 * period {
                break;
            }
            let hash = self.hash(then, end);
            if self.hash(then - period, then) != hash {
                continue;
            }
            if self.has_better_begin(then) {
                continue;
            }
            // This sum is the same for all rotations of an iteration, so failed attempts count for all of
            // them.
            let kind = self.sums[end].wrapping_sub(self.sums[then]);
            let (failed, seen) = self.attempts.entry(kind).or_default();
            *seen += 1;
            if !seen.is_multiple_of(1 << (*failed).min(16)) {
                continue;
            }
            match self.fold(period) {
                Some(i64::MAX) => return Ok(true),
                Some(_) => break,
                None => self.attempts.entry(kind).or_default().0 += 1,
            }
        }
        Ok(false)
    }

    /// Whether iterations should begin elsewhere: at the `timeout` among these items. Nothing is half done at
    /// a `timeout`, such as a window of handshakes ([`crate::windows`]).
    fn has_better_begin(&self, from: usize) -> bool {
        let is_timeout = |item: &Item| matches!(item, Item::Event(event) if event.is_timeout);
        let items = &self.items[from..];
        self.machine.compiled.has_timeout
            && items.iter().any(is_timeout)
            && !items.last().is_some_and(is_timeout)
    }

    /// Passes all iterations of the last `period` items that decide alike. Returns their number, or `None` if
    /// it is below 2.
    fn fold(&mut self, period: usize) -> Option<i64> {
        let first = self.items.len() - period;
        let mut gains: FxHashMap<u32, i64> = FxHashMap::default();
        for &(cell, gain) in &self.gains[self.starts[first]..] {
            *gains.entry(cell).or_default() += gain;
        }
        let mut gains: Vec<(u32, i64)> = gains.into_iter().filter(|&(_, gain)| gain != 0).collect();
        gains.sort_unstable();
        let compiled = self.machine.compiled;
        let is_number = |cell: u32| {
            let field = self.machine.memory.fields[cell as usize];
            field != compiled.location && compiled.program.fields[field.index()].domain != Domain::Bool
        };
        if !gains.iter().all(|&(cell, _)| is_number(cell)) {
            return None;
        }
        let items = std::mem::take(&mut self.items);
        let (memory, owner) = (self.machine.memory.clone(), self.machine.owner);
        self.machine.nest = Nest::open();
        let body = self.iteration(&items[first..], &gains, 0);
        let most = self.iterations_within_bound();
        let limit = self.machine.nest.limit;
        self.machine.nest = Nest::none();
        self.items = items;
        self.machine.memory = memory;
        let is_same = self.machine.owner == owner;
        self.machine.owner = owner;
        let (Ok(body), true, Ok(most), 1..) = (body, is_same, most, limit) else { return None };
        let mut count = (limit + 1).min(most);
        if count > MOST_ITERATIONS {
            if !gains.is_empty() {
                return None;
            }
            // The state repeats exactly, so the path continues like this forever.
            count = i64::MAX;
        }
        if count < 2 {
            return None;
        }
        for &(cell, gain) in &gains {
            let value = &mut self.machine.memory.cells[cell as usize];
            value.base = value.base.checked_add(gain.checked_mul(count)?)?;
        }
        self.now += 1;
        for &(cell, gain) in &gains {
            self.changed[cell as usize] = self.now;
            self.gains.push((cell, gain * count));
        }
        let symbol = loop_symbol(self.hash(first, self.items.len()), count);
        self.add(Item::Loop(Box::new(Loop { count, gains, body })), symbol);
        Some(count)
    }

    /// Takes one iteration that stands for all, from the present state on.
    fn iteration(&mut self, items: &[Item], gains: &[(u32, i64)], depth: usize) -> Result<Vec<Item>, Stop> {
        for &(cell, gain) in gains {
            let value = &mut self.machine.memory.cells[cell as usize];
            *value = value.with_slope(depth, gain);
        }
        let before = self.machine.memory.cells.clone();
        let body = self.again(items, depth)?;
        // The iteration must change every cell by exactly its slope.
        let cells = &self.machine.memory.cells;
        let is_regular = cells.len() == before.len()
            && before.iter().zip(cells).all(|(before, after)| before.after(depth, 1) == Ok(*after));
        if !is_regular {
            return Err(Stop::Undecided);
        }
        Ok(body)
    }

    /// Takes the items again with affine values, inside `depth` loops.
    fn again(&mut self, items: &[Item], depth: usize) -> Result<Vec<Item>, Stop> {
        let mut taken = Vec::with_capacity(items.len());
        let mut moves = Vec::new();
        for item in items {
            match item {
                Item::Event(event) => {
                    let event = self.event_again(event, &mut moves)?;
                    taken.push(Item::Event(Box::new(event)));
                }
                Item::Loop(inner) => {
                    let inner_depth = depth + 1;
                    if inner_depth >= DEPTH {
                        return Err(Stop::Undecided);
                    }
                    let (start, owner) = (self.machine.memory.clone(), self.machine.owner);
                    self.machine.nest.set(inner_depth, 0, inner.count - 1);
                    let body = self.iteration(&inner.body, &inner.gains, inner_depth)?;
                    if self.machine.owner != owner {
                        return Err(Stop::Undecided);
                    }
                    self.machine.memory = start;
                    for &(cell, gain) in &inner.gains {
                        let value = &mut self.machine.memory.cells[cell as usize];
                        let gain = gain.checked_mul(inner.count).ok_or(Stop::Undecided)?;
                        *value = value.plus(Value::constant(gain))?;
                    }
                    let (count, gains) = (inner.count, inner.gains.clone());
                    taken.push(Item::Loop(Box::new(Loop { count, gains, body })));
                }
            }
        }
        Ok(taken)
    }

    fn event_again(&mut self, event: &Event, moves: &mut Vec<Move>) -> Result<Event, Stop> {
        if let Some(owner) = event.released {
            moves.clear();
            self.machine.moves(owner, &mut Notes::default(), moves)?;
            if !moves.is_empty() {
                return Err(Stop::Undecided);
            }
        }
        let partner = event.sides.get(1).map(|side| (side.slot, side.alternative));
        let step = Move { slot: event.sides[0].slot, alternative: event.sides[0].alternative, partner };
        moves.clear();
        let mut notes = Notes::default();
        if event.is_timeout {
            for slot in 0..self.machine.processes() {
                self.machine.moves(slot, &mut Notes::default(), moves)?;
            }
            if !moves.is_empty() {
                return Err(Stop::Undecided);
            }
            self.next_at_timeout(moves, &mut notes)?;
        } else {
            self.machine.moves(step.slot, &mut notes, moves)?;
        }
        if moves[..] != [step] || event.decision.is_some() {
            return Err(Stop::Undecided);
        }
        let mut again = self.perform(step, notes, Some(&event.steps))?;
        if again.channel != event.channel || again.steps != event.steps || !again.created.is_empty() {
            return Err(Stop::Undecided);
        }
        again.released = event.released;
        again.is_timeout = event.is_timeout;
        if self.reached.is_none() && !again.writes.is_empty() {
            let goal = self.machine.observe(&self.asked.goal, &mut Notes::default())?;
            if is_true(goal)? {
                return Err(Stop::Undecided);
            }
        }
        Ok(again)
    }
}

//! Whether a process waits until certain writes have happened, whatever the schedule.

use crate::affine::Stop;
use crate::clock;
use crate::evaluate::{Frame, Store};
use crate::history::Entry;
use crate::memory::Memory;
use crate::program::Compiled;
use crate::value::{Nest, Value};
use volvelle_model::{Part, PoolId};

/// Limit of combinations of values that are tried.
const MOST_COMBINATIONS: usize = 10_000;

/// A cell that guards read, with the writes to it that may be missing.
pub struct Open<'a> {
    /// The cell.
    pub cell: u32,
    /// Its value once all of them have happened.
    pub value: Value,
    /// The writes, in the order of the path.
    pub writes: Vec<&'a Entry>,
}

/// The values that a cell may have while writes are missing.
struct Candidates<'a> {
    cell: u32,
    /// By number of writes that have happened, from none to all. Additions may happen in any order.
    values: Vec<Vec<Value>>,
    writes: Vec<&'a Entry>,
    are_additions: bool,
}

/// The values that a process has read, with some replaced.
struct Recorded<'a> {
    reads: &'a [(u32, Value)],
    replaced: &'a [(u32, Value)],
    compiled: &'a Compiled<'a>,
    last: &'a Memory,
}

impl Store for Recorded<'_> {
    fn read(&mut self, cell: u32) -> Result<Value, Stop> {
        let find = |list: &[(u32, Value)]| list.iter().find(|(c, _)| *c == cell).map(|&(_, value)| value);
        // An exempt cell never changes: what a slot holds stays, and a slot in use stays in use.
        let is_exempt = self.compiled.is_exempt[self.last.fields[cell as usize].index()];
        let last = || is_exempt.then(|| self.last.cells[cell as usize]);
        find(self.replaced).or_else(|| find(self.reads)).or_else(last).ok_or(Stop::Unknown)
    }

    fn write(&mut self, _: u32, _: Value) {}

    fn base(&mut self, pool: PoolId, slot: i64) -> Option<u32> {
        self.last.bases[pool.index()].get(usize::try_from(slot).ok()?).copied()
    }
}

/// A process at a location, with the reads of its guards.
pub struct Waiting<'a, 'p> {
    pub compiled: &'a Compiled<'p>,
    /// The memory at the end of the path.
    pub last: &'a Memory,
    pub slot: u32,
    pub location: u32,
    pub reads: &'a [(u32, Value)],
}

impl Waiting<'_, '_> {
    /// Whether the process certainly cannot move by itself while any of the writes is missing.
    pub fn until_all(&self, open: &[Open<'_>], nest: &mut Nest) -> bool {
        let Some(candidates) = open.iter().map(candidates).collect::<Option<Vec<_>>>() else { return false };
        let sizes: Vec<usize> = candidates.iter().map(|c| c.values.len()).collect();
        if sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).is_none_or(|n| n > MOST_COMBINATIONS)
        {
            return false;
        }
        let mut happened = vec![0; sizes.len()];
        loop {
            let is_all = happened.iter().zip(&sizes).all(|(&i, &size)| i + 1 == size);
            if is_all {
                return true;
            }
            if is_possible(&candidates, &happened) && !self.cannot_move(&candidates, &happened, nest) {
                return false;
            }
            // The next combination.
            for (i, size) in happened.iter_mut().zip(&sizes) {
                *i += 1;
                if *i < *size {
                    break;
                }
                *i = 0;
            }
        }
    }

    /// Whether no guard holds for any values that belong to these numbers of writes.
    fn cannot_move(&self, candidates: &[Candidates<'_>], happened: &[usize], nest: &mut Nest) -> bool {
        let choices: Vec<&[Value]> =
            candidates.iter().zip(happened).map(|(c, &i)| c.values[i].as_slice()).collect();
        let mut chosen = vec![0; choices.len()];
        loop {
            let replaced: Vec<(u32, Value)> = candidates
                .iter()
                .zip(&choices)
                .zip(&chosen)
                .map(|((candidate, values), &i)| (candidate.cell, values[i]))
                .collect();
            if self.can_move(&replaced, nest) != Ok(false) {
                return false;
            }
            let mut carry = true;
            for (i, values) in chosen.iter_mut().zip(&choices) {
                *i += 1;
                if *i < values.len() {
                    carry = false;
                    break;
                }
                *i = 0;
            }
            if carry {
                return true;
            }
        }
    }

    /// Whether the process may accept a message at its channel.
    pub fn may_take(&self, message: &[Value], nest: &mut Nest) -> bool {
        let location = &self.compiled.locations[self.location as usize];
        let reads: Vec<(u32, Value)> =
            self.reads.iter().filter(|(_, value)| value.level == 0).copied().collect();
        let mut store = Recorded { reads: &reads, replaced: &[], compiled: self.compiled, last: self.last };
        let mut frame = self.frame();
        frame.offered = message.to_vec();
        let mut takes = location.blocks.iter().flat_map(|block| &block.alternatives);
        takes.any(|taken| {
            let holds = frame.run(&taken.guard, &mut store, nest);
            taken.part == Part::Takes
                && taken.items == message.len()
                && holds.ok().and_then(|value| value.as_constant()) != Some(0)
        })
    }

    fn frame(&self) -> Frame {
        Frame {
            temporaries: vec![Value::constant(0); self.compiled.temporaries],
            mover: i64::from(self.slot),
            own: self.last.bases[0][self.slot as usize],
            ..Frame::default()
        }
    }

    fn can_move(&self, replaced: &[(u32, Value)], nest: &mut Nest) -> Result<bool, Stop> {
        let location = &self.compiled.locations[self.location as usize];
        let mut store = Recorded { reads: self.reads, replaced, compiled: self.compiled, last: self.last };
        let mut frame = self.frame();
        // This also counts blocks that an escape would interrupt, and `else`: too many moves are safe here.
        for block in &location.blocks {
            for alternative in block.alternatives.iter().filter(|a| a.part == Part::Alone) {
                let holds = frame.run(&alternative.guard, &mut store, nest)?;
                if holds.as_constant().ok_or(Stop::Undecided)? != 0 {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn candidates<'a>(open: &Open<'a>) -> Option<Candidates<'a>> {
    let writes = open.writes.clone();
    let are_additions = writes.iter().all(|write| write.is_addition);
    let mut values = Vec::with_capacity(writes.len() + 1);
    if are_additions {
        let gains: Vec<Value> =
            writes.iter().map(|w| w.after.minus(w.before)).collect::<Result<_, _>>().ok()?;
        let mut start = open.value;
        for gain in &gains {
            start = start.minus(*gain).ok()?;
        }
        // By number `n` of additions: the possible sums.
        let mut sums: Vec<Vec<Value>> = vec![vec![start]];
        for &gain in &gains {
            for n in (0..sums.len()).rev() {
                let with: Vec<Value> =
                    sums[n].iter().map(|sum| sum.plus(gain)).collect::<Result<_, _>>().ok()?;
                if n + 1 == sums.len() {
                    sums.push(Vec::new());
                }
                for sum in with {
                    if !sums[n + 1].contains(&sum) {
                        sums[n + 1].push(sum);
                    }
                }
                if sums[n + 1].len() > MOST_COMBINATIONS {
                    return None;
                }
            }
        }
        values = sums;
    } else {
        // Other writes must happen one after the other under every schedule.
        let is_chain = writes.windows(2).all(|pair| clock::contains(&pair[1].clock, pair[0].point));
        if !is_chain {
            return None;
        }
        values.push(vec![writes.first()?.before]);
        values.extend(writes.iter().map(|write| vec![write.after]));
    }
    Some(Candidates { cell: open.cell, values, writes, are_additions })
}

/// Whether these numbers of writes can have happened together: a write needs its own past.
fn is_possible(candidates: &[Candidates<'_>], happened: &[usize]) -> bool {
    for (lacking, &count) in candidates.iter().zip(happened) {
        // The missing writes: all behind the first `count` of a chain. Which additions are missing is
        // unknown, except if none has happened.
        let missing: &[&Entry] = if lacking.are_additions {
            if count == 0 { &lacking.writes } else { &[] }
        } else {
            &lacking.writes[count..]
        };
        for missing in missing {
            for (other, &needed) in candidates.iter().zip(happened) {
                let is_free = |write: &&&Entry| !clock::contains(&write.clock, missing.point);
                let possible = if other.are_additions {
                    other.writes.iter().filter(is_free).count()
                } else {
                    other.writes.iter().take_while(is_free).count()
                };
                if possible < needed {
                    return false;
                }
            }
        }
    }
    true
}

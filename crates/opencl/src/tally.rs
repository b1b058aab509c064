//! Counting the work of a configuration by kind.

use crate::classes::Classes;
use crate::expression::{Expr, Fault, Values};
use crate::kernel::{Test, Touch};
use crate::model::{Cost, Model, Piece, Step};
use crate::processor::{Cache, KIND_COUNT, Move, PAGES, Turn, Wait, place};
use crate::shape::{Cursor, Obstacle, shape};

/// Loops over private arrays up to this size are unrolled.
const UNROLLED_LIMIT: i64 = 64;

/// The work of the busiest unit by kind, and the items of a group. `names` has the value of each name of the model.
pub fn tally(model: &Model, names: &[i64], caches: &[Cache]) -> Result<([f64; KIND_COUNT], i64), Obstacle> {
    let shape = shape(model, names)?;
    let mut walk = Walk {
        at: Cursor::new(model, names, shape),
        caches,
        around: Vec::new(),
        is_kept: false,
        of_reals: Wait::Real,
        work: [0.0; KIND_COUNT],
    };
    let classes = Classes::of(model, &mut walk.at)?;
    let mut by_class = Vec::with_capacity(classes.all.len());
    for class in &classes.all {
        walk.at.enter_at(class.representative());
        walk.of_reals = if walk.meets_in_loop(&model.steps, false)? { Wait::Joined } else { Wait::Real };
        walk.work = [0.0; KIND_COUNT];
        walk.steps(&model.steps, 1.0)?;
        by_class.push(walk.work);
    }
    // Starting a group is work as well.
    let loads: Vec<f64> = by_class.iter().map(|work| 1.0 + work.iter().sum::<f64>()).collect();
    let units = u64::from(model.platform.units) * u64::from(model.platform.devices);
    let shares = classes.on_busiest(units, &loads);
    let mut work = [0.0; KIND_COUNT];
    for (of_class, share) in by_class.iter().zip(&shares) {
        work.iter_mut().zip(of_class).for_each(|(sum, count)| *sum += share * count);
    }
    work[place::LAUNCH] = 1.0;
    work[place::GROUP] = shares.iter().sum();
    Ok((work, shape.items()))
}

struct Walk<'m> {
    at: Cursor<'m>,
    caches: &'m [Cache],
    /// The loops around the current work, the outermost first: counter and number of iterations. A region
    /// runs the items of a group one after the other, so they count as a loop, without a counter.
    around: Vec<(Option<u16>, i64)>,
    /// Whether there is an enclosing loop with barriers: then values of items are kept in memory across them.
    is_kept: bool,
    /// What sums of real numbers wait for in this kernel.
    of_reals: Wait,
    work: [f64; KIND_COUNT],
}

/// Orders accesses by how hard they are to vectorize: over iterations, or over the items of a small group if
/// iterations wait.
fn hardness(wait: Wait, moves: (Move, Option<Move>)) -> u32 {
    let (by_item, by_iteration) = (moves.0, moves.1.unwrap_or(Move::Same));
    match (wait, by_item, by_iteration) {
        (Wait::Real | Wait::Joined, _, Move::Same) => 0,
        (Wait::Real | Wait::Joined, Move::Near, _) => 1,
        (Wait::Real | Wait::Joined, Move::Same, _) => 2,
        (Wait::Real | Wait::Joined, Move::Far, _) => 3,
        _ => 3 * by_iteration as u32 + by_item as u32,
    }
}

/// An innermost loop, or code outside of loops.
#[derive(Clone, Copy)]
struct Strip {
    /// The counter of the loop and its iterations.
    innermost: Option<(u16, i64)>,
    /// What its iterations wait for.
    wait: Wait,
    /// Whether they compute elements of a private array.
    is_array: bool,
    /// Whether a statement that waits for its last value reads memory itself.
    reads_itself: bool,
}

const STRAIGHT: Strip = Strip { innermost: None, wait: Wait::Copy, is_array: false, reads_itself: false };

impl Walk<'_> {
    /// Whether there is a barrier in a loop of at least two iterations. `is_in_loop`: the steps themselves
    /// are in such a loop.
    fn meets_in_loop(&mut self, steps: &[Step], is_in_loop: bool) -> Result<bool, Obstacle> {
        for step in steps {
            self.at.spend()?;
            let found = match step {
                Step::Barrier => is_in_loop,
                Step::Region(_) => false,
                Step::If { test, then, other } => {
                    let branch = if test.holds(&self.at.values(0))? { then } else { other };
                    self.meets_in_loop(branch, is_in_loop)?
                }
                Step::Loop { counter, test, trips, body, .. } => {
                    let has_second = match trips {
                        Some(trips) => trips.value(&self.at.values(0))? > 1,
                        None => {
                            self.at.counters[usize::from(*counter)] = 1;
                            let holds = test.holds(&self.at.values(0));
                            self.at.counters[usize::from(*counter)] = 0;
                            holds?
                        }
                    };
                    self.meets_in_loop(body, is_in_loop || has_second)?
                }
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts steps that are executed `times` times.
    fn steps(&mut self, steps: &[Step], times: f64) -> Result<(), Obstacle> {
        let items = self.at.shape.items();
        for step in steps {
            self.at.spend()?;
            match step {
                Step::Barrier => self.work[place::BARRIER] += times,
                Step::Region(region) if region.depends.local && !self.at.is_uniform(&region.work) => {
                    self.work[place::ITEM] += times * items as f64;
                    for item in 0..items {
                        self.pieces(&region.work, item, times, STRAIGHT)?;
                    }
                }
                Step::Region(region) => {
                    self.work[place::ITEM] += times * items as f64;
                    self.around.push((None, items));
                    self.pieces(&region.work, 0, times * items as f64, STRAIGHT)?;
                    self.around.pop();
                }
                Step::If { test, then, other } => {
                    let branch = if test.holds(&self.at.values(0))? { then } else { other };
                    self.steps(branch, times)?;
                }
                Step::Loop { counter, trips: Some(trips), body, is_alike: true, .. } => {
                    let trips = trips.value(&self.at.values(0))?.max(0);
                    let before = self.is_kept;
                    self.is_kept |= trips > 1;
                    self.around.push((Some(*counter), trips));
                    self.steps(body, times * trips as f64)?;
                    self.around.pop();
                    self.is_kept = before;
                }
                Step::Loop { counter, test, body, .. } => {
                    let counter = usize::from(*counter);
                    self.at.counters[counter] = 0;
                    while test.holds(&self.at.values(0))? {
                        self.steps(body, times)?;
                        self.at.counters[counter] += 1;
                    }
                    self.at.counters[counter] = 0;
                }
            }
        }
        Ok(())
    }

    /// Counts the work of an item that is done `times` times within a strip.
    fn pieces(&mut self, pieces: &[Piece], item: i64, times: f64, strip: Strip) -> Result<(), Obstacle> {
        for piece in pieces {
            self.at.spend()?;
            match piece {
                Piece::Cost(cost) => self.cost(cost, item, times, strip),
                Piece::If { test: Test::Known(test), then, other } => {
                    let branch = if test.holds(&self.at.values(item))? { then } else { other };
                    self.pieces(branch, item, times, strip)?;
                }
                Piece::If { then, other, .. } => {
                    self.pieces(then, item, times, strip)?;
                    self.pieces(other, item, times, strip)?;
                }
                Piece::Loop { counter, trips: Some(trips), body, is_alike: true, .. } => {
                    let trips = trips.value(&self.at.values(item))?.max(0);
                    match trips {
                        0 => {}
                        // A loop of one iteration costs nothing as a loop.
                        1 => self.pieces(body, item, times, strip)?,
                        _ => self.iterate(*counter, trips, body, item, times)?,
                    }
                }
                Piece::Loop { counter, test, body, .. } => {
                    let counter = usize::from(*counter);
                    self.at.counters[counter] = 0;
                    while test.holds(&self.at.values(item))? {
                        self.pieces(body, item, times, STRAIGHT)?;
                        self.at.counters[counter] =
                            self.at.counters[counter].checked_add(1).ok_or(Fault::Overflow)?;
                    }
                    self.at.counters[counter] = 0;
                }
            }
        }
        Ok(())
    }

    /// Counts a loop with at least two iterations.
    fn iterate(
        &mut self,
        counter: u16,
        trips: i64,
        body: &[Piece],
        item: i64,
        times: f64,
    ) -> Result<(), Obstacle> {
        let mut strip = Strip { innermost: Some((counter, trips)), ..STRAIGHT };
        if self.look(body, item, &mut strip)? {
            strip = STRAIGHT;
        } else if !strip.is_array {
            self.work[place::start_of_loop(strip.wait)] += times;
        }
        self.around.push((Some(counter), trips));
        let result = self.pieces(body, item, times * trips as f64, strip);
        self.around.pop();
        result
    }

    /// Whether a body contains a loop. If not, `strip` says what its iterations wait for.
    fn look(&self, body: &[Piece], item: i64, strip: &mut Strip) -> Result<bool, Obstacle> {
        for piece in body {
            let has_loop = match piece {
                Piece::Cost(cost) => {
                    if let Some(recurrence) = cost.recurrence {
                        let trips = strip.innermost.map_or(0, |(_, trips)| trips);
                        strip.reads_itself |= cost.touches.iter().any(|touch| !touch.is_private);
                        let wait = if recurrence.is_real { self.of_reals } else { Wait::Whole };
                        strip.wait = strip.wait.max(wait);
                        strip.is_array |= recurrence.in_array
                            && trips <= UNROLLED_LIMIT
                            && cost
                                .touches
                                .iter()
                                .any(|touch| touch.is_private && self.moves(touch, item, *strip));
                    }
                    false
                }
                Piece::If { then, other, .. } => {
                    self.look(then, item, strip)? | self.look(other, item, strip)?
                }
                Piece::Loop { trips: Some(trips), body, is_alike: true, .. } => {
                    match trips.value(&self.at.values(item))? {
                        ..=0 => false,
                        1 => self.look(body, item, strip)?,
                        _ => true,
                    }
                }
                Piece::Loop { .. } => true,
            };
            if has_loop {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an access moves from iteration to iteration.
    fn moves(&self, touch: &Touch, item: i64, strip: Strip) -> bool {
        let Some((counter, _)) = strip.innermost else { return false };
        let stride = touch.offset.as_ref().and_then(|offset| self.by_counter(offset, item, counter));
        stride != Some(0)
    }

    fn cost(&mut self, cost: &Cost, item: i64, times: f64, strip: Strip) {
        let accesses = cost.touches.len() as u32;
        let operations = f64::from(cost.operations.saturating_sub(accesses));
        let is_kept = self.is_kept && cost.recurrence.is_some_and(|recurrence| recurrence.is_real);
        if strip.is_array && cost.recurrence.is_some_and(|recurrence| recurrence.in_array) {
            let count = strip.innermost.map_or(1, |(_, trips)| trips);
            self.work[place::elements(count)] += times;
        } else if is_kept {
            self.work[place::elements(1)] += times;
        } else {
            self.work[place::OPERATION] += times * operations;
            self.accesses(cost, item, times, strip);
        }
        for touch in cost.touches.iter().filter(|touch| !touch.is_private) {
            self.lines(touch, item, times);
        }
    }

    /// Counts the accesses of a statement. If the statement waits for its last value, only the access that is
    /// hardest to vectorize counts as waiting.
    fn accesses(&mut self, cost: &Cost, item: i64, times: f64, strip: Strip) {
        // Private scalars and arrays are in registers where their elements are known.
        let touches = cost.touches.iter().filter(|touch| !touch.is_private);
        let moves: Vec<(Move, Option<Move>)> =
            touches.map(|touch| self.moves_of(touch, item, strip)).collect();
        let hardest = (0..moves.len()).max_by_key(|at| hardness(strip.wait, moves[*at]));
        for (at, (by_item, by_iteration)) in moves.iter().copied().enumerate() {
            let waits = match strip.reads_itself {
                true => cost.recurrence.is_some() && hardest == Some(at),
                false => true,
            };
            let wait = if waits { strip.wait } else { Wait::Copy };
            let of_loop = by_iteration.map(|by_iteration| place::access(wait, by_item, by_iteration));
            self.work[of_loop.unwrap_or(place::single(by_item))] += times;
        }
    }

    /// How an access moves from item to item, and from iteration to iteration if it is in a loop.
    fn moves_of(&self, touch: &Touch, item: i64, strip: Strip) -> (Move, Option<Move>) {
        let offset = touch.offset.as_ref();
        let by_item = Move::of(offset.and_then(|offset| self.by_item(offset, item)));
        let by_iteration = |(counter, _): (u16, i64)| {
            Move::of(offset.and_then(|offset| self.by_counter(offset, item, counter)))
        };
        (by_item, strip.innermost.map(by_iteration))
    }

    /// How much an index grows from an item to the next; `None` if there is only one item.
    fn by_item(&self, offset: &Expr, item: i64) -> Option<i64> {
        // From the last item: as from the one before it to it.
        let from = item.min(self.at.shape.items() - 2).max(0);
        let to = (from + 1).min(self.at.shape.items() - 1);
        Some(offset.value(&self.at.values(to)).ok()? - offset.value(&self.at.values(from)).ok()?)
    }

    /// How much an index grows from an iteration to the next.
    fn by_counter(&self, offset: &Expr, item: i64, counter: u16) -> Option<i64> {
        if !offset.uses_counter(counter) {
            return Some(0);
        }
        let mut counters = self.at.counters.clone();
        let mut at = |count: i64| {
            counters[usize::from(counter)] = count;
            let values = Values { counters: &counters, ..self.at.values(item) };
            offset.value(&values).ok()
        };
        Some(at(1)? - at(0)?)
    }

    /// Counts the lines and pages that an access brings into caches, in all work-groups one after the other.
    fn lines(&mut self, touch: &Touch, item: i64, times: f64) {
        let repeated: f64 = self.around.iter().map(|(_, count)| *count as f64).product();
        // Items that are counted one by one share lines with their neighbours.
        let is_one = !self.around.iter().any(|(counter, _)| counter.is_none());
        let by_item = touch.offset.as_ref().filter(|_| is_one).and_then(|offset| self.by_item(offset, item));
        let share = |line: u32| {
            let bytes = by_item.map(|stride| stride.saturating_abs().saturating_mul(i64::from(touch.bytes)));
            bytes.map_or(1.0, |bytes| (bytes as f64 / f64::from(line.max(1))).min(1.0))
        };
        let turns = self.turns(touch, item);
        // Work that is executed more often than the enclosing loops explain is repeated within other
        // iterations of the same work.
        let times = times / repeated.max(1.0) / self.at.shape.group_count() as f64;
        for (cache, place) in self.caches.iter().zip(place::LINES) {
            self.work[place] += times * share(cache.line) * cache.misses(&turns);
        }
        self.work[place::PAGE] += times * share(PAGES.line) * PAGES.misses(&turns);
    }

    /// The loops around an access, the innermost first; the last of them are those over the work-groups.
    fn turns(&self, touch: &Touch, item: i64) -> Vec<Turn> {
        let offset = touch.offset.as_ref();
        let turn = |count: i64, stride: Option<i64>| {
            // An unknown stride counts as one that touches a new page and a new line each time.
            let stride = stride.map_or(4096 + 64, |stride| stride.saturating_mul(i64::from(touch.bytes)));
            Turn { count: count as f64, stride }
        };
        let gain =
            |next: Values<'_>| Some(offset?.value(&next).ok()? - offset?.value(&self.at.values(0)).ok()?);
        let mut turns = Vec::with_capacity(self.around.len() + 5);
        for (counter, count) in self.around.iter().rev() {
            if let Some(counter) = counter {
                turns.push(turn(*count, offset.and_then(|offset| self.by_counter(offset, item, *counter))));
                continue;
            }
            let mut next = 1;
            for size in self.at.shape.local.into_iter().filter(|size| *size > 1) {
                turns.push(turn(size, gain(self.at.values(next))));
                next *= size;
            }
        }
        for (dimension, count) in self.at.shape.groups.into_iter().enumerate().filter(|(_, count)| *count > 1)
        {
            // From the last group: as from the one before it to it.
            let mut group = self.at.group;
            let back = group[dimension] + 1 == count;
            group[dimension] += if back { -1 } else { 1 };
            let stride = gain(Values { group, ..self.at.values(0) });
            turns.push(turn(count, stride.map(|stride| if back { -stride } else { stride })));
        }
        turns
    }
}

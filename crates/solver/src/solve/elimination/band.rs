//! Elimination of chains that are like a line: queues, counters and populations with a few companions each.
//!
//! States are taken in the order of a breadth-first search over edges of both directions, so that the columns of a row, and those that it
//! gets, are near the row itself (bandwidth: E. Cuthill, J. McKee, ACM National Conference 1969; elimination in a band: G. Golub, C. Van Loan,
//! *Matrix Computations*, section 4.3). Rows are then ranges of numbers of the same length: adding one to another takes no lists, no search
//! for columns and no queue, and the processor adds several numbers at a time.

use volvelle_control::Control;

use super::dissection::Graph;
use super::{Elimination, GiveUp};
use crate::wide::{Number, Total};

/// Fewer states are eliminated by lists.
const LEAST: usize = 256;

/// The farthest column from its row.
const WIDEST: usize = 96;

/// Numbers in a band that are added in the time of one in a list.
const AT_ONCE: u64 = 16;

impl<N: Number> Elimination<N> {
    /// Eliminates all states but that of the last row, where a band has them all and the work is below `limit`; else does nothing.
    pub(super) fn reduce_band(
        &mut self,
        limit: u64,
        control: &Control,
        order: &mut Vec<u32>,
    ) -> Result<(), GiveUp> {
        let left = self.n - order.len();
        if left < LEAST {
            return Ok(());
        }
        let Some((line, width)) = self.line(left) else { return Ok(()) };
        let work = (left * width * width) as u64 / AT_ONCE;
        if self.work + work > limit {
            return Ok(());
        }
        self.work += work;
        // Row i has the columns from i - width to i + width.
        let length = 2 * width + 1;
        control.check_memory((left * length * size_of::<N>()) as u64).map_err(GiveUp::Stopped)?;
        let mut band = std::mem::take(&mut self.dense);
        band.clear();
        band.resize(left * length, N::default());
        for (i, &s) in line.iter().enumerate() {
            for &(j, v) in &self.rows[s as usize] {
                band[i * length + (self.slot[j as usize] as usize + width - i)] = v;
            }
        }
        for k in 0..left - 1 {
            if k % 4096 == 0 {
                control.check().map_err(GiveUp::Stopped)?;
            }
            let state = line[k] as usize;
            let (head, tail) = band.split_at_mut((k + 1) * length);
            let row = &head[k * length + width + 1..];
            let smallest = self.begin_in_band(row, state)?;
            for (d, other) in (1..).zip(tail.chunks_exact_mut(length).take(width)) {
                let weight = other[width - d];
                if weight == N::default() {
                    continue;
                }
                let factor = weight / self.sums[state];
                self.leaves_range |= smallest.is_some_and(|smallest| (factor * smallest).leaves_range());
                self.add_sides(factor, state, line[k + d] as usize);
                self.updates += 1;
                let columns = &mut other[width - d + 1..length - d];
                columns.iter_mut().zip(row).for_each(|(to, &v)| *to += factor * v);
                // A transition back to the row itself is dropped.
                other[width] = N::default();
            }
            let columns = line[k + 1..].iter().zip(row);
            let kept = &mut self.rows[state];
            kept.clear();
            kept.extend(columns.filter(|&(_, &v)| v > N::default()).map(|(&j, &v)| (j, v)));
            self.gone[state] = true;
            order.push(state as u32);
        }
        self.dense = band;
        Ok(())
    }

    /// Sums what leaves a state, whose row is given; its smallest entry.
    fn begin_in_band(&mut self, row: &[N], state: usize) -> Result<Option<N>, GiveUp> {
        let mut sum = N::Total::default();
        let mut smallest: Option<N> = None;
        for &v in row.iter().filter(|&&v| v > N::default()) {
            sum.add(v);
            smallest = Some(smallest.map_or(v, |smallest| if v < smallest { v } else { smallest }));
        }
        sum.add(self.exit[state]);
        let sum = sum.value();
        self.sums[state] = sum;
        self.leaves_range |= sum.leaves_range();
        if sum <= N::default() { Err(GiveUp::Closed) } else { Ok(smallest) }
    }

    /// The states that are left in a line that ends with the state of the last row, and the distance of the farthest column; `None` where
    /// that is too far. The place of each is in `slot`.
    fn line(&mut self, left: usize) -> Option<(Vec<u32>, usize)> {
        let graph = Graph::new(&self.rows[..self.n], &self.gone);
        let mut line = vec![self.n as u32 - 1];
        let (slot, unseen) = (&mut self.slot, u32::MAX);
        slot.clear();
        slot.resize(self.n, unseen);
        slot[self.n - 1] = 0;
        let (mut at, mut width) = (0, 0);
        while at < line.len() {
            for &t in graph.of(line[at]) {
                if slot[t as usize] == unseen {
                    slot[t as usize] = line.len() as u32;
                    line.push(t);
                }
            }
            // What comes last was reached from here.
            width = width.max(line.len() - 1 - at);
            if width > 2 * WIDEST {
                return None;
            }
            at += 1;
        }
        if line.len() != left {
            return None;
        }
        let distances = line.iter().flat_map(|&s| {
            let place = slot[s as usize];
            graph.of(s).iter().map(move |&t| (place, t))
        });
        let width = distances.map(|(place, t)| slot[t as usize].abs_diff(place)).max()? as usize;
        line.reverse();
        line.iter().enumerate().for_each(|(at, &s)| slot[s as usize] = at as u32);
        (width <= WIDEST).then_some((line, width))
    }
}

#[cfg(test)]
mod tests {
    use volvelle_random::Random;

    use super::*;

    const LENGTH: usize = 200;
    const MODES: usize = 3;

    /// A walk along a line, one step up with weight 1/2 and one down with 1/4, beside a mode that changes without effect; its states in any
    /// order. Rows are added with what `sides` gives for a place.
    fn walk(
        leaves: f64,
        sides: impl Fn(usize) -> [f64; 2],
        random: &mut Random,
    ) -> (Elimination, Vec<usize>) {
        let n = LENGTH * MODES;
        let mut names: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            names.swap(i, random.below(i + 1));
        }
        let mut states = vec![0; n];
        names.iter().enumerate().for_each(|(state, &name)| states[name] = state);
        let mut elimination = Elimination::default();
        elimination.begin(n);
        for &state in &states {
            let (place, mode) = (state / MODES, state % MODES);
            let mut row = vec![(names[place * MODES + (mode + 1) % MODES] as u32, 0.25)];
            if place > 0 {
                row.push((names[state - MODES] as u32, 0.25));
            }
            if place + 1 < LENGTH {
                row.push((names[state + MODES] as u32, 0.5));
            }
            let exit = if place + 1 < LENGTH { 0.0 } else { leaves };
            elimination.row(row.into_iter(), exit, sides(place));
        }
        (elimination, names)
    }

    #[test]
    fn lines_with_companions_fit_into_a_band() {
        let mut random = Random(83);
        for _ in 0..4 {
            let (mut elimination, names) = walk(0.5, |_| [1.0, 0.0], &mut random);
            let control = Control::unlimited();
            // Lists would give up at once.
            let work = (LENGTH * MODES * 13 * 13) as u64 / AT_ONCE;
            let (x, error) = elimination.solve(work, &control).unwrap();
            assert!(error < 1e-9, "{error}");
            // From one place to the next it takes 2, 3, 3.5, ... steps.
            let mut truth = 0.0;
            for place in (0..LENGTH).rev() {
                truth += 4.0 - 2.0 * 0.5f64.powi(place as i32);
                for mode in 0..MODES {
                    let found = x[names[place * MODES + mode]];
                    assert!(
                        (found[0] - truth).abs() <= (error + 1e-13) * truth,
                        "{place}: {found:?} {truth}"
                    );
                    assert_eq!(found[1], 0.0);
                }
            }
            assert!(elimination.work() > 0 && elimination.work() <= work);
        }
    }

    #[test]
    fn closed_lines_have_their_average() {
        let mut random = Random(84);
        for _ in 0..4 {
            let last = |place: usize| f64::from(u8::from(place + 1 == LENGTH));
            let (mut elimination, _) = walk(0.0, |place| [last(place), 1.0], &mut random);
            let (found, error, _) = elimination.ratio(u64::MAX, &Control::unlimited()).unwrap();
            // Each place is half as often as the next.
            assert!((found - 0.5).abs() < error + 1e-13 && error < 1e-9, "{found} {error}");
        }
    }

    #[test]
    fn what_is_wide_is_left_to_lists() {
        let n = 400;
        let mut elimination = Elimination::default();
        elimination.begin(n);
        for s in 0..n as u32 {
            let row = if s == 0 { (1..n as u32).map(|t| (t, 1.0)).collect() } else { vec![(0, 0.5)] };
            elimination.row(row.into_iter(), if s == 0 { 0.0 } else { 0.5 }, [1.0; 2]);
        }
        let mut order = Vec::new();
        elimination.sums.resize(n, 0.0);
        elimination.gone.resize(n, false);
        elimination.reduce_band(u64::MAX, &Control::unlimited(), &mut order).unwrap();
        assert_eq!(order, []);
    }
}

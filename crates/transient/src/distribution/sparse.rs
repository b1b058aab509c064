//! The stationary distribution of a large closed component with few transitions: the elimination of [`super::stationary`] with lists
//! of entries in place of a matrix, next the state with the fewest (entering x leaving) entries (Markowitz).
//!
//! The order of elimination does not matter for the bounds: each elimination is the exact one of a chain whose entries differ by a
//! few roundings, as there; so errors add up to about twice that of an entry for each row that is changed. Where doubles do not reach, it is done
//! again with numbers that have exponents of their own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_solver::wide::{Number, Total, Wide};
use volvelle_space::Space;

use super::stationary::{PER_ENTRY, bounds_of_weights};

/// Multiplications and moves of entries after which an elimination is given up: about a minute.
const MOST_WORK: u64 = 30_000_000_000;

/// Work between two looks at the clock.
const WORK_PER_CHECK: u64 = 4_000_000;

/// Results of an elimination.
#[derive(Debug)]
pub(super) enum Shares {
    /// Bounds of the stationary probabilities, in the order of the members.
    Bounds(Vec<[f64; 2]>),
    /// Too many entries come in.
    TooMuchWork,
}

/// A chain whose states are eliminated one after the other.
struct Elimination<N> {
    /// Entries of each state to others that are left, by state.
    rows: Vec<Vec<(u32, N)>>,
    /// The states with an entry to each, and perhaps some that are gone.
    entering: Vec<Vec<u32>>,
    /// The number of states left with an entry to each.
    indegree: Vec<u32>,
    gone: Vec<bool>,
    entries: u64,
    work: u64,
    /// Rows that were changed.
    updates: u64,
    leaves_range: bool,
}

/// Bounds of the stationary probabilities of the members of a component. `place` has the position of each among them.
pub(super) fn stationary_sparse(
    space: &Space,
    members: &[u32],
    place: &[u32],
    control: &Control,
) -> Result<Shares, Stop> {
    match stationary_within::<f64>(space, members, place, MOST_WORK, control)? {
        Some(shares) => Ok(shares),
        None => stationary_widely(space, members, place, control),
    }
}

/// The same with numbers that never leave their range.
pub(super) fn stationary_widely(
    space: &Space,
    members: &[u32],
    place: &[u32],
    control: &Control,
) -> Result<Shares, Stop> {
    let found = stationary_within::<Wide>(space, members, place, MOST_WORK, control)?;
    Ok(found.unwrap_or(Shares::TooMuchWork))
}

/// `None` where numbers leave their range.
fn stationary_within<N: Number>(
    space: &Space,
    members: &[u32],
    place: &[u32],
    most_work: u64,
    control: &Control,
) -> Result<Option<Shares>, Stop> {
    let m = members.len();
    let mut chain = Elimination::<N>::new(space, members, place);
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> =
        (0..m).map(|k| Reverse((chain.cost(k), k as u32))).collect();
    // Each eliminated state, with the shares of the states that lead to it.
    let mut eliminated: Vec<(u32, Vec<(u32, N)>)> = Vec::with_capacity(m);
    let mut checked = 0;
    while eliminated.len() + 1 < m {
        let Some(Reverse((cost, k))) = heap.pop() else { break };
        if chain.gone[k as usize] {
            continue;
        }
        let now = chain.cost(k as usize);
        if now > cost {
            heap.push(Reverse((now, k)));
            continue;
        }
        let touched: Vec<u32> = chain.rows[k as usize].iter().map(|&(j, _)| j).collect();
        let shares = chain.eliminate(k);
        // Costs that have fallen: states that lose an entry may be worth eliminating earlier.
        let changed = touched.into_iter().chain(shares.iter().map(|&(i, _)| i));
        heap.extend(changed.map(|s| Reverse((chain.cost(s as usize), s))));
        eliminated.push((k, shares));
        if chain.work > most_work {
            return Ok(Some(Shares::TooMuchWork));
        }
        if chain.leaves_range {
            return Ok(None);
        }
        if chain.work >= checked + WORK_PER_CHECK {
            checked = chain.work;
            control.check()?;
            control.check_memory(24 * chain.entries + 64 * m as u64)?;
            let (done, total) = (eliminated.len() as u64, m as u64);
            let what = "state elimination";
            control.progress.report(ProgressEvent::Solving { what, done, total, error: f64::INFINITY });
        }
    }
    let last = chain.gone.iter().position(|&gone| !gone).unwrap_or(0);
    let mut weights = vec![N::default(); m];
    weights[last] = N::of(1.0);
    for (k, shares) in eliminated.iter().rev() {
        let mut sum = N::Total::default();
        for &(i, share) in shares {
            sum.add(weights[i as usize] * share);
        }
        weights[*k as usize] = sum.value();
    }
    // A row that was changed, and the roundings of each weight.
    let error = 2.0 * PER_ENTRY * (chain.updates + m as u64) as f64;
    Ok(bounds_of_weights(&weights, error).map(Shares::Bounds))
}

impl<N: Number> Elimination<N> {
    fn new(space: &Space, members: &[u32], place: &[u32]) -> Self {
        let m = members.len();
        let mut entering = vec![Vec::new(); m];
        let mut rows = Vec::with_capacity(m);
        let mut entries = 0;
        for (i, &s) in members.iter().enumerate() {
            let others = space.transitions(s as usize).filter(|&(t, v)| t != s as usize && v > 0.0);
            let mut row: Vec<(u32, N)> = others.map(|(t, v)| (place[t], N::of(v))).collect();
            row.sort_unstable_by_key(|&(j, _)| j);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            row.iter().for_each(|&(j, _)| entering[j as usize].push(i as u32));
            entries += row.len() as u64;
            rows.push(row);
        }
        let indegree = entering.iter().map(|entering| entering.len() as u32).collect();
        let gone = vec![false; m];
        Elimination { rows, entering, indegree, gone, entries, work: 0, updates: 0, leaves_range: false }
    }

    /// Entries that an elimination may bring in.
    fn cost(&self, k: usize) -> u64 {
        u64::from(self.indegree[k]) * self.rows[k].len() as u64
    }

    /// Leads all paths through a state around it. Returns the shares of the states before it: the expected number of visits for
    /// each unit of time in them.
    fn eliminate(&mut self, k: u32) -> Vec<(u32, N)> {
        let row = std::mem::take(&mut self.rows[k as usize]);
        let before = std::mem::take(&mut self.entering[k as usize]);
        self.gone[k as usize] = true;
        let mut sum = N::Total::default();
        for &(j, rate) in &row {
            sum.add(rate);
            self.indegree[j as usize] -= 1;
        }
        let exit = sum.value();
        let mut shares = Vec::with_capacity(before.len());
        for i in before {
            if self.gone[i as usize] {
                continue;
            }
            let old = std::mem::take(&mut self.rows[i as usize]);
            let Ok(at) = old.binary_search_by_key(&k, |&(j, _)| j) else {
                self.rows[i as usize] = old;
                continue;
            };
            let share = old[at].1 / exit;
            self.leaves_range |= share.leaves_range();
            self.updates += 1;
            shares.push((i, share));
            self.work += (old.len() + row.len()) as u64;
            let new = self.merged(i, &old, k, &row, share);
            self.entries = self.entries + new.len() as u64 - old.len() as u64;
            self.rows[i as usize] = new;
        }
        shares
    }

    /// The entries of state `i` without that to `k`, and with its share of those of `k`.
    fn merged(&mut self, i: u32, old: &[(u32, N)], k: u32, row: &[(u32, N)], share: N) -> Vec<(u32, N)> {
        let mut new = Vec::with_capacity(old.len() + row.len());
        let (mut a, mut b) = (old.iter().filter(|&&(j, _)| j != k).peekable(), row.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(&&(j, rate)), next) if next.is_none_or(|&&(other, _)| j < other) => {
                    new.push((j, rate));
                    a.next();
                }
                (known, Some(&&(j, rate))) => {
                    b.next();
                    // What leads back to the state itself does not matter.
                    if j == i {
                        continue;
                    }
                    let more = share * rate;
                    self.leaves_range |= more.leaves_range();
                    match known {
                        Some(&&(other, rate)) if other == j => {
                            new.push((j, rate + more));
                            a.next();
                        }
                        _ => {
                            new.push((j, more));
                            self.entering[j as usize].push(i);
                            self.indegree[j as usize] += 1;
                        }
                    }
                }
                _ => break,
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::super::stationary::stationary;
    use super::*;
    use std::collections::BTreeMap;
    use volvelle_reference::*;
    use volvelle_space::Kind;

    /// Every state leads on round a circle, and by chance elsewhere.
    fn irreducible(random: &mut Random, n: usize) -> Space {
        let row = |s: usize, random: &mut Random| {
            let mut row = BTreeMap::from([((s + 1) % n, 1.0 + random.below(9) as f64)]);
            for _ in 0..random.below(3) {
                row.insert(random.below(n), 1.0 + random.below(9) as f64);
            }
            vec![row.into_iter().collect()]
        };
        space(Kind::Ctmc, &(0..n).map(|s| row(s, random)).collect())
    }

    #[test]
    fn both_eliminations_enclose_the_same() {
        let mut random = Random(5);
        for round in 0..200 {
            let n = 2 + random.below(40);
            let space = irreducible(&mut random, n);
            let members: Vec<u32> = (0..n as u32).collect();
            let control = Control::unlimited();
            let dense = stationary(&space, &members, &members, &control).unwrap().unwrap();
            let Shares::Bounds(sparse) = stationary_sparse(&space, &members, &members, &control).unwrap()
            else {
                panic!("round {round}: no bounds")
            };
            for (s, (a, b)) in dense.iter().zip(&sparse).enumerate() {
                assert!(a[0] <= b[1] && b[0] <= a[1], "round {round}, state {s}: {a:?} {b:?}");
                assert!(b[1] - b[0] <= 1e-11 * b[1], "round {round}, state {s}: {b:?}");
            }
        }
    }

    #[test]
    fn too_much_work_is_given_up() {
        let mut random = Random(7);
        let n = 300;
        let space = irreducible(&mut random, n);
        let members: Vec<u32> = (0..n as u32).collect();
        let found = stationary_within::<f64>(&space, &members, &members, 100, &Control::unlimited());
        assert!(matches!(found, Ok(Some(Shares::TooMuchWork))), "{found:?}");
    }
}

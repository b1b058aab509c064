//! Nested dissection: an order of elimination for large systems like grids (A. George, SIAM J. Numer. Anal. 10, 1973).
//!
//! In: the graph of the rows. Out: for each state a stage. A part of the graph is cut in two by a small set of states, a level of a
//! breadth-first search from its rim, which is eliminated after both halves; so fill-in stays within a part and the cuts around
//! it. Within a stage, the order is that of the fewest new entries. Where no level is small, a part stays whole.

/// Parts of at most so many states are not cut.
const PART: usize = 96;

/// Deepest cut.
const DEEPEST: u32 = 40;

/// A cut is worth it if it has at most this share of the states of a part.
const SHARE: usize = 5;

/// Edges that are touched where a cut is eliminated, and below it, per cube of its size.
const EDGES_PER_CUBE: u64 = 8;

const NONE: u32 = u32::MAX;

/// Undirected edges.
pub(super) struct Graph {
    start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    pub(super) fn new<N>(rows: &[Vec<(u32, N)>], gone: &[bool]) -> Self {
        let edges = || {
            let present = rows.iter().enumerate().filter(|&(s, _)| !gone[s]);
            present.flat_map(|(s, row)| row.iter().map(move |&(t, _)| (s as u32, t))).filter(|&(s, t)| s != t)
        };
        let mut start = vec![0u32; rows.len() + 1];
        for (s, t) in edges() {
            start[s as usize + 1] += 1;
            start[t as usize + 1] += 1;
        }
        for i in 0..rows.len() {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut neighbours = vec![0u32; start[rows.len()] as usize];
        for (s, t) in edges() {
            for (from, to) in [(s, t), (t, s)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Graph { start, neighbours }
    }

    pub(super) fn of(&self, s: u32) -> &[u32] {
        &self.neighbours[self.start[s as usize] as usize..self.start[s as usize + 1] as usize]
    }
}

/// The stage of each state, of which smaller ones come first; and the edges that all will be multiplied with, roughly.
pub fn stages<N>(rows: &[Vec<(u32, N)>], gone: &[bool]) -> (Vec<u32>, u64) {
    let mut work = 0;
    let graph = Graph::new(rows, gone);
    let mut stage = vec![0u32; rows.len()];
    // The part that a state belongs to, and its level in the search there.
    let mut part_of = vec![NONE; rows.len()];
    let mut level = vec![NONE; rows.len()];
    let all: Vec<u32> = (0..rows.len() as u32).filter(|&s| !gone[s as usize]).collect();
    let mut parts = vec![(all, 0u32)];
    let mut number = 0;
    while let Some((part, depth)) = parts.pop() {
        if part.len() <= PART || depth >= DEEPEST {
            continue;
        }
        number += 1;
        part.iter().for_each(|&s| part_of[s as usize] = number);
        let mut search = |from: u32| -> Vec<u32> {
            part.iter().for_each(|&s| level[s as usize] = NONE);
            let mut found = vec![from];
            level[from as usize] = 0;
            let mut at = 0;
            while at < found.len() {
                let s = found[at];
                at += 1;
                for &t in graph.of(s) {
                    if part_of[t as usize] == number && level[t as usize] == NONE {
                        level[t as usize] = level[s as usize] + 1;
                        found.push(t);
                    }
                }
            }
            found
        };
        // What a search meets last lies on the rim.
        let mut found = search(part[0]);
        for _ in 0..2 {
            found = search(found[found.len() - 1]);
        }
        if found.len() < part.len() {
            let rest = part.iter().copied().filter(|&s| level[s as usize] == NONE).collect();
            parts.push((rest, depth));
        }
        let Some(cut) = best_level(&found, &level) else {
            found.iter().for_each(|&s| stage[s as usize] = DEEPEST - depth);
            work += (found.len() as u64).pow(3) / 3;
            continue;
        };
        let of = |s: &u32| level[*s as usize];
        let (before, others) = found.split_at(found.partition_point(|s| of(s) < cut));
        let (between, after) = others.split_at(others.partition_point(|s| of(s) == cut));
        // Those of the level that touch nothing behind it need not be cut.
        let touches = |s: &u32| {
            graph.of(*s).iter().any(|&t| part_of[t as usize] == number && level[t as usize] == cut + 1)
        };
        let (between, inner): (Vec<u32>, Vec<u32>) = between.iter().copied().partition(touches);
        between.iter().for_each(|&s| stage[s as usize] = DEEPEST - depth);
        work += EDGES_PER_CUBE * (between.len() as u64).pow(3);
        parts.push(([before, &inner[..]].concat(), depth + 1));
        parts.push((after.to_vec(), depth + 1));
    }
    (stage, work)
}

/// The smallest level with at least a third of the states on either side, if it is small. `found` is in the order of levels.
fn best_level(found: &[u32], level: &[u32]) -> Option<u32> {
    let third = found.len() / 3;
    let mut best: Option<(usize, u32)> = None;
    let mut begin = 0;
    while begin < found.len() {
        let here = level[found[begin] as usize];
        let size = found[begin..].iter().take_while(|&&s| level[s as usize] == here).count();
        if begin >= third && begin + size <= found.len() - third && best.is_none_or(|(least, _)| size < least)
        {
            best = Some((size, here));
        }
        begin += size;
    }
    best.filter(|&(size, _)| size * SHARE <= found.len()).map(|(_, level)| level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: usize) -> Vec<Vec<(u32, f64)>> {
        let place = |x: usize, y: usize| (x * width + y) as u32;
        let row = |s: usize| {
            let (x, y) = (s / width, s % width);
            let mut row = Vec::new();
            if x + 1 < width {
                row.push((place(x + 1, y), 1.0));
            }
            if y + 1 < width {
                row.push((place(x, y + 1), 1.0));
            }
            if x > 0 && y > 0 {
                row.push((place(x - 1, y - 1), 1.0));
            }
            row
        };
        (0..width * width).map(row).collect()
    }

    /// Two neighbours are in parts of one branch: the one that comes first is never separated from the other by a cut.
    #[test]
    fn cuts_separate() {
        let rows = grid(60);
        let (stage, work) = stages(&rows, &vec![false; rows.len()]);
        assert!(work > 60u64.pow(3) && work < 100 * 60u64.pow(3), "{work}");
        let cut = stage.iter().copied().max().unwrap();
        let on_cut = stage.iter().filter(|&&s| s == cut).count();
        assert!(cut > 0 && on_cut <= 120, "{on_cut}");
        // Without the first cut, no part has more than two thirds.
        let mut seen: Vec<bool> = stage.iter().map(|&s| s == cut).collect();
        let graph = Graph::new(&rows, &vec![false; rows.len()]);
        let mut largest = 0;
        for s in 0..rows.len() {
            let mut open = if std::mem::replace(&mut seen[s], true) { vec![] } else { vec![s as u32] };
            let mut size = open.len();
            while let Some(s) = open.pop() {
                for &t in graph.of(s) {
                    if !std::mem::replace(&mut seen[t as usize], true) {
                        open.push(t);
                        size += 1;
                    }
                }
            }
            largest = largest.max(size);
        }
        assert!(largest > 0 && largest <= 2 * rows.len() / 3 + 1, "{largest}");
    }

    #[test]
    fn parts_without_a_small_cut_stay_whole() {
        let complete: Vec<Vec<(u32, f64)>> =
            (0..200).map(|s| (0..200).filter(|&t| t != s).map(|t| (t, 1.0)).collect()).collect();
        let (stage, work) = stages(&complete, &[false; 200]);
        assert!(work > 1_000_000, "{work}");
        assert!(stage.iter().all(|&s| s == stage[0]));
        // Two of them that do not touch, and some that are gone.
        let mut rows = complete.clone();
        rows.extend(
            (0..200u32).map(|s| (0..200).filter(|&t| t != s).map(|t| (t + 200, 1.0)).collect::<Vec<_>>()),
        );
        let gone: Vec<bool> = (0..400).map(|s| s % 7 == 0).collect();
        rows.iter_mut().for_each(|row| row.retain(|e| e.0 % 7 != 0));
        assert_eq!(stages(&rows, &gone).0.len(), 400);
    }
}

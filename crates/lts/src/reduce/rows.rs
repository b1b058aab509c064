//! The transitions of classes, from those of their states.

use super::parallel;
use std::ops::Range;
use volvelle_space::Edge;

/// The transitions of each class, sorted by label and target.
#[derive(Debug)]
pub(super) struct Rows {
    /// Transitions of class `c`: `starts[c]..starts[c + 1]`.
    pub starts: Vec<u32>,
    pub edges: Vec<Edge>,
}

impl Rows {
    /// The transitions of a class.
    #[inline]
    pub fn of(&self, class: u32) -> &[Edge] {
        &self.edges[self.starts[class as usize] as usize..self.starts[class as usize + 1] as usize]
    }
}

/// Rows of some classes, of which the first may be a part.
struct Part {
    first: usize,
    /// Transitions of each class.
    counts: Vec<u32>,
    edges: Vec<Edge>,
}

/// Duplicates that are not worth to be removed before all states of a class were looked at.
const PATIENCE: usize = 1 << 12;

/// The transitions of classes: `push` appends those of a state of a class. The states of class `c` are `member(k)` for `k` in
/// `starts[c]..starts[c + 1]`, of which there is one at least. Equal ones become one, unless `counts` says that a label
/// counts as often as it occurs. A large class may be shared by several threads.
pub(super) fn rows(
    starts: &[u32],
    member: impl Fn(usize) -> u32 + Sync,
    threads: usize,
    counts: impl Fn(u32) -> bool + Sync,
    push: impl Fn(u32, u32, &mut Vec<Edge>) + Sync,
) -> Rows {
    let places = starts[starts.len() - 1] as usize;
    let part = |range: Range<usize>| {
        // The class of the first place: the last one that begins there or before.
        let first = starts.partition_point(|&start| start as usize <= range.start).saturating_sub(1);
        let mut part = Part { first, counts: Vec::new(), edges: Vec::new() };
        let (mut class, mut place) = (first, range.start);
        while place < range.end {
            let end = (starts[class + 1] as usize).min(range.end);
            let start = part.edges.len();
            let mut limit = PATIENCE;
            for member_at in place..end {
                push(class as u32, member(member_at), &mut part.edges);
                if part.edges.len() - start > limit {
                    settle(&mut part.edges, start, &counts);
                    limit = 2 * (part.edges.len() - start) + PATIENCE;
                }
            }
            settle(&mut part.edges, start, &counts);
            part.counts.push((part.edges.len() - start) as u32);
            (class, place) = (class + 1, end);
        }
        part
    };
    joined(parallel::ranges(threads, places, part), starts.len() - 1, &counts)
}

/// Sorts the transitions from some place on, and makes one of equal ones.
fn settle(edges: &mut Vec<Edge>, start: usize, counts: &impl Fn(u32) -> bool) {
    edges[start..].sort_unstable();
    let mut end = start;
    for k in start..edges.len() {
        let edge = edges[k];
        if end == start || edges[end - 1] != edge || counts(edge.label) {
            edges[end] = edge;
            end += 1;
        }
    }
    edges.truncate(end);
}

fn joined(mut parts: Vec<Part>, classes: usize, counts: &impl Fn(u32) -> bool) -> Rows {
    let mut starts = Vec::with_capacity(classes + 1);
    if let [Part { counts, edges, .. }] = &mut parts[..] {
        starts.push(0);
        let end = |end: &mut u32, count: &u32| {
            *end += count;
            Some(*end)
        };
        starts.extend(counts.iter().scan(0, end));
        return Rows { starts, edges: std::mem::take(edges) };
    }
    let mut edges = Vec::with_capacity(parts.iter().map(|part| part.edges.len()).sum());
    for part in parts {
        let mut rest = &part.edges[..];
        let mut end = edges.len() as u32;
        for (class, &count) in (part.first..).zip(&part.counts) {
            if class < starts.len() {
                // It began in a part before.
                let (own, others) = rest.split_at(count as usize);
                rest = others;
                edges.extend_from_slice(own);
                settle(&mut edges, starts[class] as usize, counts);
                end = edges.len() as u32;
            } else {
                starts.push(end);
                end += count;
            }
        }
        edges.extend_from_slice(rest);
    }
    starts.push(edges.len() as u32);
    Rows { starts, edges }
}

/// Offsets and transitions of consecutive rows, from those of parts of them: where each row ends within its part, and transitions.
pub(super) fn concatenated(mut parts: Vec<(Vec<u32>, Vec<Edge>)>) -> (Vec<u32>, Vec<Edge>) {
    let mut starts = Vec::with_capacity(1 + parts.iter().map(|part| part.0.len()).sum::<usize>());
    starts.push(0);
    let mut edges = match &mut parts[..] {
        [only] => std::mem::take(&mut only.1),
        parts => Vec::with_capacity(parts.iter().map(|part| part.1.len()).sum()),
    };
    let is_one = parts.len() == 1;
    for (ends, own) in parts {
        let base = if is_one { 0 } else { edges.len() as u32 };
        starts.extend(ends.iter().map(|end| base + end));
        edges.extend_from_slice(&own);
    }
    (starts, edges)
}

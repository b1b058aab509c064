//! The transitions of classes, from those of their states.

use super::parallel;
use std::ops::Range;
use volvelle_space::Edge;

/// The transitions of each class, sorted by label and target; in parts, as threads found them.
#[derive(Debug)]
pub(super) struct Rows {
    parts: Vec<Part>,
    classes: usize,
}

/// Rows of consecutive classes.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// The first of the classes.
    first: usize,
    /// Where the transitions of each class end.
    ends: Vec<u32>,
    edges: Vec<Edge>,
    /// Where those of the first class begin.
    start: u32,
}

impl Part {
    /// Appends the row of the next class.
    pub fn push(&mut self, row: &[Edge]) {
        self.edges.extend_from_slice(row);
        self.ends.push(self.edges.len() as u32);
    }
}

impl From<Part> for Rows {
    fn from(part: Part) -> Self {
        Rows { classes: part.first + part.ends.len(), parts: vec![part] }
    }
}

impl Rows {
    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.classes
    }

    /// The transitions of a class.
    #[inline]
    pub fn of(&self, class: u32) -> &[Edge] {
        // There are as many parts as threads.
        let mut part = self.parts.len() - 1;
        while self.parts[part].first > class as usize {
            part -= 1;
        }
        let Part { first, ends, edges, start } = &self.parts[part];
        let place = class as usize - first;
        let start = if place == 0 { *start } else { ends[place - 1] };
        &edges[start as usize..ends[place] as usize]
    }
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
        let mut part = Part { first, ..Part::default() };
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
            part.ends.push(part.edges.len() as u32);
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

/// The rows of all parts, of which the first class may have begun in one before.
fn joined(parts: Vec<Part>, classes: usize, counts: &impl Fn(u32) -> bool) -> Rows {
    let mut rows = Rows { parts: Vec::with_capacity(parts.len()), classes };
    for mut part in parts {
        let last = rows.parts.iter_mut().rfind(|last| !last.ends.is_empty());
        if let (Some(last), Some(&end)) = (last, part.ends.first())
            && last.first + last.ends.len() > part.first
        {
            let start = last.ends.len().checked_sub(2).map_or(last.start, |before| last.ends[before]);
            last.edges.extend_from_slice(&part.edges[..end as usize]);
            settle(&mut last.edges, start as usize, counts);
            last.ends.pop();
            last.ends.push(last.edges.len() as u32);
            part.first += 1;
            part.start = end;
            part.ends.remove(0);
        }
        rows.parts.push(part);
    }
    rows
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

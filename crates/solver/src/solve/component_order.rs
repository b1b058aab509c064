//! The order in which unknowns are solved: components sinks first, and a good order for Gauss–Seidel in each.
//!
//! A sweep uses the newest values; for an entry whose column comes later in the order that is an old one. A path of such entries takes as
//! many sweeps as it is long. Two orders are made for each large component, and the one with fewer late entries is taken, unless paths of
//! late entries are much longer there; small components, which are not solved by sweeps alone, have the first:
//!
//! - by the distance from where the component is left: good for walks, where everything leads everywhere;
//! - the order in which a depth-first search leaves the states: only what closes a cycle is late, which is good for
//!   protocols, whose runs go forward with a few ways back to the start.

use std::ops::Range;

use volvelle_space::{Components, Space, components};

use super::classes::{Classes, NONE};
use crate::graph::Backwards;

/// Components up to this size are ordered by distance.
const SMALL: usize = 1_000;

/// One path is much longer than another if it has more than so many times its entries.
const MUCH_LONGER: u64 = 4;

/// Components of the graph of classes, each in a good order.
pub fn order(space: &Space, classes: &Classes) -> Components {
    order_above(SMALL, space, classes)
}

fn order_above(small: usize, space: &Space, classes: &Classes) -> Components {
    let row_of_state = |s: usize| {
        let choices = space.choices_of(s);
        space.row_start[choices.start] as usize..space.row_start[choices.end] as usize
    };
    let graph = Graph { classes, columns: &space.columns, row_of_state: &row_of_state };
    let mut found = if classes.count() == classes.members.len() {
        let found = components(space.num_states(), |s| space.successors(s), |s| classes.of[s] != NONE);
        let members = found.members.iter().map(|&s| classes.of[s as usize]).collect();
        Components { members, start: found.start }
    } else {
        let mut start = vec![0usize];
        let mut columns = Vec::new();
        for class in 0..classes.count() {
            columns.extend(graph.targets(class as u32).filter(|&t| t != NONE && t != class as u32));
            start.push(columns.len());
        }
        components(classes.count(), |c| &columns[start[c]..start[c + 1]], |_| true)
    };
    if found.len() == classes.count() {
        return found;
    }
    let mut local = vec![NONE; classes.count()];
    for k in 0..found.len() {
        let range = found.start[k] as usize..found.start[k + 1] as usize;
        if range.len() > 2 {
            reorder(&graph, small, &mut found.members[range], &mut local);
        }
    }
    found
}

/// The graph of classes, by the rows of their states.
struct Graph<'a> {
    classes: &'a Classes,
    columns: &'a [u32],
    row_of_state: &'a dyn Fn(usize) -> Range<usize>,
}

impl Graph<'_> {
    /// Classes of all targets; [`NONE`] for known ones.
    fn targets(&self, class: u32) -> impl Iterator<Item = u32> + '_ {
        let states = self.classes.states(class as usize).iter();
        let columns = states.flat_map(|&s| &self.columns[(self.row_of_state)(s as usize)]);
        columns.map(|&t| self.classes.of[t as usize])
    }
}

/// One component in compressed rows over its own numbering.
struct Component {
    start: Vec<u32>,
    columns: Vec<u32>,
    /// Whether a class has a target outside.
    leaves: Vec<bool>,
}

impl Component {
    fn len(&self) -> usize {
        self.leaves.len()
    }

    fn row(&self, i: u32) -> &[u32] {
        &self.columns[self.start[i as usize] as usize..self.start[i as usize + 1] as usize]
    }

    /// The order by distance from the classes that leave.
    fn by_distance(&self) -> Vec<u32> {
        let n = self.len();
        let of_class = |i: u32| self.row(i).iter().map(move |&j| (j, i));
        let entering = Backwards::new(n, &self.columns, (0..n as u32).flat_map(of_class));
        let mut seen = self.leaves.clone();
        let mut placed: Vec<u32> = (0..n as u32).filter(|&i| seen[i as usize]).collect();
        let mut next = 0;
        while next < placed.len() {
            for &i in entering.of(placed[next] as usize) {
                if !std::mem::replace(&mut seen[i as usize], true) {
                    placed.push(i);
                }
            }
            next += 1;
        }
        placed
    }

    /// As a depth-first search from `root` leaves them.
    fn depth_first(&self, root: u32) -> Vec<u32> {
        let mut placed = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        seen[root as usize] = true;
        // A class and the edge to look at next.
        let mut stack = vec![(root, self.start[root as usize])];
        while let Some((i, edge)) = stack.last_mut() {
            if *edge == self.start[*i as usize + 1] {
                placed.push(*i);
                stack.pop();
                continue;
            }
            let j = self.columns[*edge as usize];
            *edge += 1;
            if !std::mem::replace(&mut seen[j as usize], true) {
                stack.push((j, self.start[j as usize]));
            }
        }
        placed
    }

    /// Entries whose column comes later.
    fn late(&self, order: &[u32]) -> Late {
        let mut place = vec![0u32; self.len()];
        for (at, &i) in order.iter().enumerate() {
            place[i as usize] = at as u32;
        }
        let mut late = Late { entries: 0, path: 0 };
        // The longest path of late entries from each class: these lead forwards only.
        let mut path = vec![0u32; self.len()];
        for &i in order.iter().rev() {
            let mut longest = 0;
            for &j in self.row(i).iter().filter(|&&j| place[j as usize] > place[i as usize]) {
                late.entries += 1;
                longest = longest.max(path[j as usize] + 1);
            }
            path[i as usize] = longest;
            late.path = late.path.max(longest);
        }
        late
    }
}

/// Entries whose column comes later in an order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Late {
    entries: usize,
    /// The longest path of them.
    path: u32,
}

impl Late {
    /// Whether sweeps in this order carry values faster than in the other: with fewer late entries, unless a path is much longer.
    fn is_better_than(self, other: Late) -> bool {
        let is_short = |a: Late, b: Late| {
            MUCH_LONGER * u64::from(a.path) < u64::from(b.path) && a.entries <= 2 * b.entries
        };
        !is_short(other, self) && (is_short(self, other) || self.entries < other.entries)
    }
}

/// Puts the members of a component, as Tarjan's algorithm gives them, into a good order; `local` is scratch.
fn reorder(graph: &Graph, small: usize, members: &mut [u32], local: &mut [u32]) {
    for (i, &class) in members.iter().enumerate() {
        local[class as usize] = i as u32;
    }
    let n = members.len();
    let mut component =
        Component { start: Vec::with_capacity(n + 1), columns: Vec::new(), leaves: vec![false; n] };
    component.start.push(0);
    for (i, &class) in members.iter().enumerate() {
        for target in graph.targets(class) {
            match if target == NONE { NONE } else { local[target as usize] } {
                NONE => component.leaves[i] = true,
                j if j as usize == i => {}
                j => component.columns.push(j),
            }
        }
        component.start.push(component.columns.len() as u32);
    }
    members.iter().for_each(|&class| local[class as usize] = NONE);
    let mut best = component.by_distance();
    if n > small {
        // The search began at the member that comes last.
        let depth = component.depth_first(n as u32 - 1);
        if component.late(&depth).is_better_than(component.late(&best)) {
            best = depth;
        }
    }
    // All members, whatever happens.
    if best.len() == n {
        best.iter_mut().for_each(|i| *i = members[*i as usize]);
        members.copy_from_slice(&best);
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::*;
    use volvelle_space::{BitSet, Kind};

    use super::*;

    fn ordered(text: &str, known: usize) -> Vec<u32> {
        let space = parse(Kind::Dtmc, text);
        let mut unknown = BitSet::full(space.num_states());
        unknown.remove(known);
        let classes = Classes::new(&unknown, std::iter::empty());
        let found = order_above(0, &space, &classes);
        found.members.iter().map(|&c| classes.members[c as usize]).collect()
    }

    #[test]
    fn a_line_that_starts_again() {
        // 0 -> 1 -> 2 -> 3 -> end, each may fall back to 0.
        let text = "0: 1:1\n1: 0.5:2 0.5:0\n2: 0.5:3 0.5:0\n3: 0.5:4 0.5:0\n4: 1:4";
        assert_eq!(ordered(text, 4), [3, 2, 1, 0]);
    }

    #[test]
    fn detours_come_before_what_leads_to_them() {
        // 0 leaves at once or goes the long way; by distance it would come first.
        let text = "0: 0.5:1 0.5:5\n1: 1:2\n2: 1:3\n3: 1:4\n4: 0.5:0 0.5:5\n5: 1:5";
        let found = ordered(text, 5);
        assert_eq!(found, [4, 3, 2, 1, 0]);
    }

    /// A circle: against its direction one entry is late, along it all but one are, one behind the other.
    #[test]
    fn paths_of_late_entries_are_measured() {
        let circle =
            Component { start: vec![0, 1, 2, 3, 4], columns: vec![1, 2, 3, 0], leaves: vec![true; 4] };
        assert_eq!(circle.late(&[3, 2, 1, 0]), Late { entries: 1, path: 1 });
        assert_eq!(circle.late(&[0, 1, 2, 3]), Late { entries: 3, path: 3 });
    }

    /// Clocks give long ways along which a run waits, each of whose states may also leave.
    #[test]
    fn a_long_way_of_late_entries_is_worse_than_some_more_of_them() {
        let [few_in_a_row, many_apart] = [Late { entries: 1000, path: 160 }, Late { entries: 1300, path: 9 }];
        assert!(many_apart.is_better_than(few_in_a_row) && !few_in_a_row.is_better_than(many_apart));
        let more = Late { entries: 3000, path: 9 };
        assert!(few_in_a_row.is_better_than(more) && !more.is_better_than(few_in_a_row));
    }

    #[test]
    fn every_order_has_all_states() {
        let mut random = Random(71);
        for _ in 0..100 {
            let n = 2 + random.below(30);
            let space = space(Kind::Mdp, &random_rows(&mut random, n, 3));
            let classes = Classes::new(&BitSet::full(n), std::iter::empty());
            let mut found = order_above(random.below(2) * n, &space, &classes).members;
            found.sort_unstable();
            assert_eq!(found, (0..n as u32).collect::<Vec<_>>());
        }
    }
}

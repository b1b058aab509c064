//! A layered drawing of a directed graph: in go sizes of boxes and edges between them, out come places and routes.
//!
//! The method of Sugiyama, Tagawa and Toda (1981, doi:10.1109/TSMC.1981.4308636). The layer of a box is its distance from the
//! roots, so that edges go down by one layer, along a layer, or up; those that go up by several layers get a point in each layer
//! between. Boxes of a layer are ordered by the mean place of their neighbours, in sweeps down and up, and the order with the
//! fewest crossings is taken. Then every box moves as close to the mean of its neighbours as its order allows: the least sum of
//! squares, by pooling adjacent violators.

use std::collections::VecDeque;

/// Room between boxes of a layer, and between points of routes.
const BESIDE: f64 = 20.0;
/// Room between layers.
const BETWEEN: f64 = 72.0;
/// Room around the picture.
const MARGIN: f64 = 24.0;
/// Width of a point of a route.
const POINT: f64 = 8.0;
/// Sweeps over all layers for the order, and for the places.
const SWEEPS: usize = 12;
/// Most room between the ends of two edges at a box.
const PORTS: f64 = 18.0;

/// The room that a box needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// From side to side.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// Width that edges may start from.
    pub ports: f64,
}

/// The places of everything.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Middles of the boxes.
    pub places: Vec<(f64, f64)>,
    /// Points of each edge, from its beginning to its end.
    pub routes: Vec<Route>,
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
}

/// How an edge goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// From its beginning to its end, at least two.
    pub points: Vec<(f64, f64)>,
    /// It stays in its layer, and bows down between its ends.
    pub is_flat: bool,
}

/// A box, or a point of a route.
struct Node {
    layer: usize,
    width: f64,
    height: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Draws a graph. Roots are in the first layer, and what no path from them reaches, too. Edges from a box to itself are left out
/// by the caller.
pub fn drawing(sizes: &[Size], edges: &[(usize, usize)], roots: &[usize]) -> Drawing {
    let layers = distances(sizes.len(), edges, roots);
    let mut nodes: Vec<Node> = (sizes.iter().zip(&layers))
        .map(|(size, &layer)| Node {
            layer,
            width: size.width,
            height: size.height,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        })
        .collect();
    // Each edge as a chain of nodes, from its beginning to its end.
    let chains: Vec<Vec<usize>> = edges.iter().map(|&edge| chain(edge, &mut nodes)).collect();
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); 1 + nodes.iter().map(|n| n.layer).max().unwrap_or(0)];
    for (number, node) in nodes.iter().enumerate() {
        rows[node.layer].push(number);
    }
    order(&mut rows, &nodes);
    place(&rows, &mut nodes);
    finish(sizes, edges, &chains, &rows, &nodes)
}

/// The length of the shortest path from a root.
fn distances(count: usize, edges: &[(usize, usize)], roots: &[usize]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    edges.iter().for_each(|&(from, to)| next[from].push(to));
    let mut found: Vec<Option<usize>> = vec![None; count];
    let mut queue = VecDeque::new();
    for &root in roots {
        if found[root].replace(0).is_none() {
            queue.push_back((root, 0));
        }
    }
    while let Some((node, distance)) = queue.pop_front() {
        for &to in &next[node] {
            if found[to].is_none() {
                found[to] = Some(distance + 1);
                queue.push_back((to, distance + 1));
            }
        }
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// The nodes of an edge; adds points where it passes layers.
fn chain((from, to): (usize, usize), nodes: &mut Vec<Node>) -> Vec<usize> {
    let (start, end) = (nodes[from].layer, nodes[to].layer);
    let mut chain = vec![from];
    let between: Vec<usize> = match start <= end {
        true => (start + 1..end).collect(),
        false => (end + 1..start).rev().collect(),
    };
    for layer in between {
        chain.push(nodes.len());
        nodes.push(Node { layer, width: POINT, height: 0.0, x: 0.0, above: Vec::new(), below: Vec::new() });
    }
    chain.push(to);
    for pair in chain.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let (upper, lower) = match nodes[a].layer.cmp(&nodes[b].layer) {
            std::cmp::Ordering::Less => (a, b),
            std::cmp::Ordering::Greater => (b, a),
            std::cmp::Ordering::Equal => continue,
        };
        nodes[upper].below.push(lower);
        nodes[lower].above.push(upper);
    }
    chain
}

/// Orders the rows so that few edges cross.
fn order(rows: &mut Vec<Vec<usize>>, nodes: &[Node]) {
    let mut best = (crossings(rows, nodes), rows.clone());
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        for step in 1..rows.len() {
            let row = if downwards { step } else { rows.len() - 1 - step };
            let fixed = positions(&rows[if downwards { row - 1 } else { row + 1 }], nodes.len());
            let mut keyed: Vec<(f64, usize)> = (rows[row].iter().enumerate())
                .map(|(at, &node)| {
                    let neighbours = if downwards { &nodes[node].above } else { &nodes[node].below };
                    (mean(neighbours.iter().map(|&n| fixed[n] as f64)).unwrap_or(at as f64), node)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = keyed.into_iter().map(|(_, node)| node).collect();
        }
        let now = crossings(rows, nodes);
        if now < best.0 {
            best = (now, rows.clone());
        }
    }
    *rows = best.1;
}

/// The place of each node in its row.
fn positions(row: &[usize], count: usize) -> Vec<usize> {
    let mut positions = vec![0; count];
    row.iter().enumerate().for_each(|(at, &node)| positions[node] = at);
    positions
}

fn crossings(rows: &[Vec<usize>], nodes: &[Node]) -> usize {
    let mut all = 0;
    for pair in rows.windows(2) {
        let below = positions(&pair[1], nodes.len());
        let mut ends: Vec<usize> = Vec::new();
        for &node in &pair[0] {
            let before = ends.len();
            let targets = &nodes[node].below;
            for &target in targets {
                all += ends[..before].iter().filter(|&&end| end > below[target]).count();
            }
            ends.extend(targets.iter().map(|&target| below[target]));
        }
    }
    all
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0), |(sum, count), x| (sum + x, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Gives each node its place from left to right.
fn place(rows: &[Vec<usize>], nodes: &mut [Node]) {
    for row in rows {
        let wanted: Vec<f64> = vec![0.0; row.len()];
        settle(row, &wanted, nodes);
    }
    for sweep in 0..SWEEPS {
        for step in 0..rows.len() {
            let row = &rows[if sweep % 2 == 0 { step } else { rows.len() - 1 - step }];
            let wanted: Vec<f64> = row
                .iter()
                .map(|&node| {
                    let Node { above, below, x, .. } = &nodes[node];
                    mean(above.iter().chain(below).map(|&n| nodes[n].x)).unwrap_or(*x)
                })
                .collect();
            settle(row, &wanted, nodes);
        }
    }
}

/// Moves the nodes of a row as close to where they want to be as their order and widths allow.
fn settle(row: &[usize], wanted: &[f64], nodes: &mut [Node]) {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(row.len());
    for (i, &node) in row.iter().enumerate() {
        if i > 0 {
            offset += 0.5 * (nodes[row[i - 1]].width + nodes[node].width) + BESIDE;
        }
        offsets.push(offset);
    }
    // Blocks of nodes that touch: sum of what they want, and how many they are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (want, offset) in wanted.iter().zip(&offsets) {
        let mut block = (want - offset, 1);
        while let Some(&(sum, count)) = blocks.last()
            && sum / count as f64 >= block.0 / block.1 as f64
        {
            block = (block.0 + sum, block.1 + count);
            blocks.pop();
        }
        blocks.push(block);
    }
    let starts = blocks.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count));
    for ((&node, start), offset) in row.iter().zip(starts).zip(&offsets) {
        nodes[node].x = start + offset;
    }
}

/// Heights, routes, and room around all.
fn finish(
    sizes: &[Size],
    edges: &[(usize, usize)],
    chains: &[Vec<usize>],
    rows: &[Vec<usize>],
    nodes: &[Node],
) -> Drawing {
    let left = nodes.iter().map(|n| n.x - 0.5 * n.width).fold(f64::INFINITY, f64::min);
    let right = nodes.iter().map(|n| n.x + 0.5 * n.width).fold(f64::NEG_INFINITY, f64::max);
    let mut middles = Vec::new();
    let mut top = MARGIN;
    for row in rows {
        let height = row.iter().map(|&n| nodes[n].height).fold(0.0, f64::max);
        middles.push(top + 0.5 * height);
        top += height + BETWEEN;
    }
    let at = |node: usize| (nodes[node].x - left + MARGIN, middles[nodes[node].layer]);
    let ends = ends(sizes, edges, chains, nodes, &at);
    let routes = chains.iter().enumerate().map(|(edge, chain)| {
        let mut points: Vec<(f64, f64)> = chain.iter().map(|&node| at(node)).collect();
        let last = points.len() - 1;
        (points[0], points[last]) = ends[edge];
        let (from, to) = edges[edge];
        Route { points, is_flat: nodes[from].layer == nodes[to].layer }
    });
    Drawing {
        places: (0..sizes.len()).map(at).collect(),
        routes: routes.collect(),
        width: (right - left).max(0.0) + 2.0 * MARGIN,
        // Flat edges bow into the room below the last layer.
        height: top - BETWEEN + MARGIN + if routes_are_flat(edges, nodes) { 0.5 * BETWEEN } else { 0.0 },
    }
}

fn routes_are_flat(edges: &[(usize, usize)], nodes: &[Node]) -> bool {
    edges.iter().any(|&(from, to)| nodes[from].layer == nodes[to].layer)
}

/// Where each edge leaves its first box and meets its last one: side by side in the order of what comes next, so that they do not
/// cross at the box.
fn ends(
    sizes: &[Size],
    edges: &[(usize, usize)],
    chains: &[Vec<usize>],
    nodes: &[Node],
    at: &dyn Fn(usize) -> (f64, f64),
) -> Vec<((f64, f64), (f64, f64))> {
    // For the top and for the bottom of each box: the place of the next node, the edge, and whether it is its beginning.
    let mut sides: Vec<[Vec<(f64, usize, bool)>; 2]> =
        sizes.iter().map(|_| [Vec::new(), Vec::new()]).collect();
    for (edge, (&(from, to), chain)) in edges.iter().zip(chains).enumerate() {
        let (after, before) = (chain[1], chain[chain.len() - 2]);
        let side = |node: usize, other: usize| usize::from(nodes[other].layer >= nodes[node].layer);
        sides[from][side(from, after)].push((at(after).0, edge, true));
        sides[to][side(to, before)].push((at(before).0, edge, false));
    }
    let mut ends = vec![((0.0, 0.0), (0.0, 0.0)); edges.len()];
    for (node, both) in sides.iter_mut().enumerate() {
        let (x, y) = at(node);
        for (side, list) in both.iter_mut().enumerate() {
            list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let step = (sizes[node].ports / list.len().max(1) as f64).min(PORTS);
            let half = 0.5 * sizes[node].height;
            let y = if side == 0 { y - half } else { y + half };
            for (place, &(_, edge, is_start)) in list.iter().enumerate() {
                let x = x + step * (place as f64 - 0.5 * (list.len() as f64 - 1.0));
                if is_start {
                    ends[edge].0 = (x, y);
                } else {
                    ends[edge].1 = (x, y);
                }
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::{BESIDE, Size, drawing};

    fn boxes(count: usize) -> Vec<Size> {
        vec![Size { width: 60.0, height: 30.0, ports: 50.0 }; count]
    }

    #[test]
    fn boxes_do_not_overlap_and_edges_end_at_them() {
        // A grid of 5 by 5 with edges to the right and down, and some back.
        let edges: Vec<(usize, usize)> = (0..25)
            .flat_map(|i| [(i % 5 < 4).then_some((i, i + 1)), (i < 20).then_some((i, i + 5))])
            .flatten()
            .chain([(24, 0), (12, 3), (7, 11), (11, 7)])
            .collect();
        let sizes = boxes(25);
        let found = drawing(&sizes, &edges, &[0]);
        for (i, a) in found.places.iter().enumerate() {
            assert!(a.0 >= 30.0 && a.0 <= found.width - 30.0 && a.1 >= 15.0 && a.1 <= found.height - 15.0);
            for b in &found.places[..i] {
                assert!((a.0 - b.0).abs() > 59.0 + BESIDE || (a.1 - b.1).abs() > 30.0, "{a:?} {b:?}");
            }
        }
        for (route, &(from, to)) in found.routes.iter().zip(&edges) {
            let (a, b) = (found.places[from], found.places[to]);
            let (first, last) = (route.points[0], route.points[route.points.len() - 1]);
            assert!((first.0 - a.0).abs() <= 30.0 && ((first.1 - a.1).abs() - 15.0).abs() < 1e-9);
            assert!((last.0 - b.0).abs() <= 30.0 && ((last.1 - b.1).abs() - 15.0).abs() < 1e-9);
        }
        // From the last layer to the first, past those between.
        assert_eq!(found.routes[edges.len() - 4].points.len(), 9);
    }

    #[test]
    fn a_tree_has_no_crossings_and_its_root_in_the_middle() {
        let edges: Vec<(usize, usize)> = (1..15).map(|i| ((i - 1) / 2, i)).collect();
        let found = drawing(&boxes(15), &edges, &[0]);
        let xs: Vec<f64> = (7..15).map(|i| found.places[i].0).collect();
        assert!(xs.is_sorted(), "{xs:?}");
        assert!((found.places[0].0 - 0.5 * found.width).abs() < 1.0, "{found:?}");
        assert_eq!(found.places[0].1, 24.0 + 15.0);
    }

    #[test]
    fn small_graphs() {
        assert_eq!(drawing(&boxes(1), &[], &[0]).places.len(), 1);
        let flat = drawing(&boxes(3), &[(0, 1), (0, 2), (1, 2), (2, 1)], &[0]);
        assert!(flat.routes[2].is_flat && flat.routes[3].is_flat && !flat.routes[0].is_flat);
        // What no root reaches is drawn all the same.
        assert_eq!(drawing(&boxes(2), &[], &[0]).places[1].1, 24.0 + 15.0);
    }
}

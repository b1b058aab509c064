//! Trees against a slow and obvious way to build them: recursively, by comparing coordinates with the middle of a cell.

use super::*;
use volvelle_random::Random;

/// A node of the obvious tree.
struct Node {
    bodies: Vec<u32>,
    size: f64,
    children: Vec<(usize, Node)>,
}

/// Divides a cell of a grid of 2^21 cells a side: `corner` in cells of the grid.
fn obvious(
    bodies: Vec<u32>,
    cells: &[[u64; 3]],
    corner: [u64; 3],
    level: u32,
    edge: f64,
    leaf: usize,
) -> Node {
    let size = edge / 2_f64.powi(level as i32);
    let alike = bodies.iter().all(|&body| cells[body as usize] == cells[bodies[0] as usize]);
    let mut children = Vec::new();
    if bodies.len() > leaf && !alike {
        let half = 1 << (20 - level);
        for octant in 0..8 {
            let start: Vec<u64> =
                (0..3).map(|axis| corner[axis] + half * (octant >> axis & 1) as u64).collect();
            let inside = |body: &&u32| {
                (0..3).all(|axis| (start[axis]..start[axis] + half).contains(&cells[**body as usize][axis]))
            };
            let own: Vec<u32> = bodies.iter().filter(inside).copied().collect();
            if !own.is_empty() {
                let start = [start[0], start[1], start[2]];
                children.push((octant, obvious(own, cells, start, level + 1, edge, leaf)));
            }
        }
    }
    Node { bodies, size, children }
}

/// Compares a node and all nodes below it; returns the number of the node after them.
fn compare(node: &Node, number: usize, tree: &Tree, bodies: &[([f64; 3], f64)]) -> usize {
    assert_eq!(tree.size[number], node.size);
    let [first, count] = tree.bodies[number].map(|n| n as usize);
    let mut own = tree.order[first..first + count].to_vec();
    own.sort_unstable();
    assert_eq!(own, node.bodies);
    let mass: f64 = node.bodies.iter().map(|&body| bodies[body as usize].1).sum();
    let [.., found] = tree.centre[number];
    assert!((found - mass).abs() <= 1e-12 * mass.abs(), "{found} instead of {mass}");
    for axis in 0..3 {
        let moment: f64 =
            node.bodies.iter().map(|&b| bodies[b as usize].0[axis] * bodies[b as usize].1).sum();
        let scale: f64 =
            node.bodies.iter().map(|&b| (bodies[b as usize].0[axis] * bodies[b as usize].1).abs()).sum();
        let found = tree.centre[number][axis];
        assert!(
            mass == 0.0 || (found * mass - moment).abs() <= 1e-11 * scale,
            "{found} times {mass} is not {moment}"
        );
    }
    let mut behind = number + 1;
    let mut children = [0; 8];
    for (octant, child) in &node.children {
        children[*octant] = behind as u32;
        behind = compare(child, behind, tree, bodies);
    }
    assert_eq!(tree.children[number], children);
    assert_eq!(tree.next[number] as usize, behind);
    behind
}

fn random_bodies(random: &mut Random) -> Vec<([f64; 3], f64)> {
    let count = 1 + random.below(120);
    let scale = [1.0, 1e-300, 1e150, 3.0][random.below(4)];
    let kinds = random.below(4);
    let coordinate = |random: &mut Random| {
        let unit = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        match kinds {
            0 => unit * scale,
            // Many at one place, and on the borders of cells.
            1 => random.below(3) as f64 * scale,
            // Close together, except for a few.
            2 => {
                if random.one_in(20) {
                    unit * scale
                } else {
                    unit * scale * 1e-5
                }
            }
            _ => random.below(9) as f64 / 8.0 * scale,
        }
    };
    (0..count)
        .map(|_| {
            let position = [coordinate(random), coordinate(random), coordinate(random)];
            (position, if random.one_in(5) { 0.0 } else { 1.0 + random.below(100) as f64 })
        })
        .collect()
}

#[test]
fn trees_are_those_of_the_obvious_way() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let bodies = random_bodies(&mut random);
        let leaf = 1 + random.below(6);
        let positions: Vec<[f64; 3]> = bodies.iter().map(|body| body.0).collect();
        let masses: Vec<f64> = bodies.iter().map(|body| body.1).collect();
        let tree = Tree::of(&positions, &masses, leaf).unwrap();
        let least = |axis: usize| positions.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let most = |axis: usize| positions.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        let edge = (0..3).map(|axis| most(axis) - least(axis)).fold(0.0, f64::max);
        // The cells of a grid, found by counting in the same arithmetic.
        let cell = |p: &[f64; 3], axis: usize| match edge > 0.0 {
            true => (((p[axis] - least(axis)) / edge * 2_f64.powi(21)).floor() as u64).min((1 << 21) - 1),
            false => 0,
        };
        let cells: Vec<[u64; 3]> = positions.iter().map(|p| [cell(p, 0), cell(p, 1), cell(p, 2)]).collect();
        let all = (0..bodies.len() as u32).collect();
        let root = obvious(all, &cells, [0; 3], 0, edge, leaf);
        assert_eq!(compare(&root, 0, &tree, &bodies), tree.nodes(), "seed {seed}");
        assert!(tree.centre.as_flattened().iter().all(|x| x.is_finite()), "seed {seed}");
        let mut order = tree.order.clone();
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &body)| i == body as usize), "each body is there once");
        assert_eq!(Tree::of(&positions, &masses, leaf).unwrap(), tree, "the same bodies, the same tree");
    }
}

#[test]
fn nodes_without_mass_have_the_middle_of_their_cube() {
    let tree = Tree::of(&[[0.0; 3], [8.0; 3]], &[0.0, 0.0], 1).unwrap();
    assert_eq!(tree.centre, [[4.0, 4.0, 4.0, 0.0], [2.0, 2.0, 2.0, 0.0], [6.0, 6.0, 6.0, 0.0]]);
    assert_eq!(tree.size, [8.0, 4.0, 4.0]);
    assert_eq!(tree.children[0], [1, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(tree.next, [3, 2, 3]);
}

#[test]
fn bodies_at_one_place_share_a_leaf() {
    let tree = Tree::of(&[[1.0, 2.0, 3.0]; 50], &[2.0; 50], 4).unwrap();
    assert_eq!((tree.nodes(), tree.bodies[0], tree.centre[0]), (1, [0, 50], [1.0, 2.0, 3.0, 100.0]));
}

#[test]
fn what_makes_no_tree() {
    assert_eq!(Tree::of(&[], &[], 1).unwrap().nodes(), 0);
    assert!(Tree::of(&[[0.0; 3]], &[], 1).unwrap_err().to_string().contains("1 positions and 0 masses"));
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(
            Tree::of(&[[0.0; 3], [0.0, bad, 0.0]], &[1.0; 2], 1).unwrap_err().to_string().contains("body 1")
        );
        assert!(Tree::of(&[[0.0; 3]], &[bad], 1).is_err());
    }
    let far = Tree::of(&[[f64::MAX, 0.0, 0.0], [-f64::MAX, 0.0, 0.0]], &[1.0; 2], 1).unwrap_err();
    assert!(far.to_string().contains("too far apart"), "{far}");
    // As close as floating-point numbers can distinguish.
    let tree = Tree::of(&[[f64::MAX, 0.0, 0.0], [0.0; 3]], &[1.0; 2], 1).unwrap();
    assert_eq!(tree.nodes(), 3);
}

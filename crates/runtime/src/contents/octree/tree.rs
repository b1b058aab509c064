//! Building an octree.
//!
//! The usual tree of J. Barnes and P. Hut, *A hierarchical O(N log N) force-calculation algorithm*, Nature
//! 324, 1986. It is built from positions sorted along a space-filling curve (G. Morton 1966), as in M. Warren
//! and J. Salmon, *A parallel hashed oct-tree N-body algorithm*, SC 1993. The same bodies give the same bits
//! on every device.

use crate::error::Error;
use std::ops::Range;

/// Limit of the depth, in halvings of the root: the number of bits that are used of each coordinate. Bodies
/// that are closer share a leaf.
const LEVELS: u32 = 21;

/// An octree in flat arrays: node `i` is element `i` of each array but the last. The root is node 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Centre of mass, and mass.
    pub centre: Vec<[f64; 4]>,
    /// Length of the edges of the cube.
    pub size: Vec<f64>,
    /// Children by octants; 0 if missing.
    pub children: Vec<[u32; 8]>,
    /// The node that follows when the children are left out.
    pub next: Vec<u32>,
    /// The bodies below it: the first as a place in `order`, and their number.
    pub bodies: Vec<[u32; 2]>,
    /// Numbers of the bodies.
    pub order: Vec<u32>,
}

/// A node to be created.
struct Task {
    /// Its bodies, as places in the order.
    bodies: Range<usize>,
    level: u32,
    /// The child entry of its parent.
    parent: Option<(usize, usize)>,
}

impl Tree {
    /// The tree of bodies with positions (x, y, z) and masses. A node with more than `leaf` bodies is
    /// divided, unless these are closer than a two-millionth of the whole.
    ///
    /// # Errors
    /// Positions and masses differ in number or are not finite, distances between positions overflow, or
    /// there are more than 2^31 bodies.
    pub fn of(positions: &[[f64; 3]], masses: &[f64], leaf: usize) -> Result<Self, Error> {
        let mismatch = |why: String| Err(Error::Mismatch(why));
        if positions.len() != masses.len() {
            return mismatch(format!("{} positions and {} masses", positions.len(), masses.len()));
        }
        if positions.len() > 1 << 31 {
            return mismatch(format!("{} bodies are more than a tree numbers", positions.len()));
        }
        let finite = |body: usize| masses[body].is_finite() && positions[body].iter().all(|x| x.is_finite());
        if let Some(body) = (0..positions.len()).find(|&body| !finite(body)) {
            return mismatch(format!("position or mass of body {body} is not finite"));
        }
        if positions.is_empty() {
            return Ok(Tree::default());
        }
        let Some(root) = Cube::around(positions) else {
            return mismatch("bodies are too far apart".to_owned());
        };
        let codes: Vec<u64> = positions.iter().map(|position| root.code(position)).collect();
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        // Bodies of the same code keep the order of their numbers.
        order.sort_by_key(|&body| codes[body as usize]);
        let sorted: Vec<u64> = order.iter().map(|&body| codes[body as usize]).collect();
        let mut tree = Tree { order, ..Tree::default() };
        tree.divide(&sorted, &root, leaf.max(1));
        tree.link();
        tree.sum_masses(positions, masses, &root, &sorted);
        Ok(tree)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.size.len()
    }

    /// Makes the nodes, in depth-first order.
    fn divide(&mut self, codes: &[u64], root: &Cube, leaf: usize) {
        let mut tasks = vec![Task { bodies: 0..codes.len(), level: 0, parent: None }];
        while let Some(Task { bodies, level, parent }) = tasks.pop() {
            let number = self.size.len();
            if let Some((parent, octant)) = parent {
                self.children[parent][octant] = number as u32;
            }
            // Exact: a power of two.
            self.size.push(root.edge / (1_u64 << level) as f64);
            self.children.push([0; 8]);
            self.bodies.push([bodies.start as u32, bodies.len() as u32]);
            // Bodies at the same place, or too close to each other, cannot be separated.
            if bodies.len() <= leaf || codes[bodies.start] == codes[bodies.end - 1] {
                continue;
            }
            let shift = 3 * (LEVELS - 1 - level);
            let mut end = bodies.end;
            // The first octant is to be taken from the stack first.
            for octant in (0..8).rev() {
                let within = |code: &u64| code >> shift & 7 < octant;
                let start = bodies.start + codes[bodies.start..end].partition_point(within);
                if start < end {
                    let parent = Some((number, octant as usize));
                    tasks.push(Task { bodies: start..end, level: level + 1, parent });
                }
                end = start;
            }
        }
    }

    /// Finds the node that follows each subtree: the nodes of a subtree are consecutive.
    fn link(&mut self) {
        self.next = vec![0; self.nodes()];
        for node in (0..self.nodes()).rev() {
            // The last child is done already, since it has a larger number.
            let last = self.children[node].iter().max().copied().unwrap_or(0) as usize;
            self.next[node] = if last == 0 { node as u32 + 1 } else { self.next[last] };
        }
    }

    /// Sums masses: in a leaf over its bodies, elsewhere over the children, each in their order.
    fn sum_masses(&mut self, positions: &[[f64; 3]], masses: &[f64], root: &Cube, codes: &[u64]) {
        self.centre = vec![[0.0; 4]; self.nodes()];
        let mut level = vec![0_u32; self.nodes()];
        for node in 0..self.nodes() {
            for child in self.children[node].into_iter().filter(|&child| child != 0) {
                level[child as usize] = level[node] + 1;
            }
        }
        for node in (0..self.nodes()).rev() {
            let mut sum = [0.0; 4];
            let mut add = |[x, y, z]: [f64; 3], mass: f64| {
                sum = [sum[0] + x * mass, sum[1] + y * mass, sum[2] + z * mass, sum[3] + mass];
            };
            let [first, count] = self.bodies[node].map(|n| n as usize);
            if self.children[node] == [0; 8] {
                for &body in &self.order[first..first + count] {
                    add(positions[body as usize], masses[body as usize]);
                }
            } else {
                for child in self.children[node].into_iter().filter(|&child| child != 0) {
                    let [x, y, z, mass] = self.centre[child as usize];
                    add([x, y, z], mass);
                }
            }
            let [x, y, z, mass] = sum;
            let centre = [x / mass, y / mass, z / mass];
            // Without mass, or if masses cancel out or overflow, there is no centre of mass.
            let [x, y, z] = match mass != 0.0 && centre.iter().all(|x| x.is_finite()) {
                true => centre,
                false => root.middle(codes[first], level[node]),
            };
            self.centre[node] = [x, y, z, mass];
        }
    }
}

/// The cube of the root.
struct Cube {
    corner: [f64; 3],
    edge: f64,
}

impl Cube {
    /// The least cube around positions; `None` if its edge is not a finite number.
    fn around(positions: &[[f64; 3]]) -> Option<Self> {
        let mut corner = positions[0];
        let mut far = positions[0];
        for position in positions {
            for axis in 0..3 {
                corner[axis] = corner[axis].min(position[axis]);
                far[axis] = far[axis].max(position[axis]);
            }
        }
        let edge = (0..3).map(|axis| far[axis] - corner[axis]).fold(0.0, f64::max);
        edge.is_finite().then_some(Cube { corner, edge })
    }

    /// The code of a position: the octants on the way to it, from the root on, three bits each.
    fn code(&self, position: &[f64; 3]) -> u64 {
        let last = (1_u64 << LEVELS) - 1;
        let cell = |axis: usize| {
            let share = (position[axis] - self.corner[axis]) / self.edge;
            // A cube without extent gives no number, which becomes zero.
            ((share * (1_u64 << LEVELS) as f64) as u64).min(last)
        };
        spread(cell(0)) | spread(cell(1)) << 1 | spread(cell(2)) << 2
    }

    /// The middle of the cell on some level that a code lies in.
    fn middle(&self, code: u64, level: u32) -> [f64; 3] {
        let size = self.edge / (1_u64 << level) as f64;
        let cell = |axis: usize| {
            let cell = gathered(code >> axis) >> (LEVELS - level);
            self.corner[axis] + (cell as f64 + 0.5) * size
        };
        [cell(0), cell(1), cell(2)]
    }
}

/// Spreads the bits of a 21-bit number to every third place.
fn spread(number: u64) -> u64 {
    let mut x = number & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Every third bit, from the lowest on.
fn gathered(code: u64) -> u64 {
    (0..LEVELS).fold(0, |number, bit| number | (code >> (3 * bit) & 1) << bit)
}

//! Properties of a tree's cells other than their masses: the distance from which they count as a whole, and
//! their second moments.

use volvelle_runtime::contents::Tree;

/// For each cell, the square of the distance beyond which it counts as a whole: its edge divided by the
/// opening angle, plus the distance between its centre and its centre of mass (J. Dubinski, *A parallel tree
/// code*, New Astronomy 1, 1996). So no body treats a cell that contains it as distant.
pub(super) fn reaches(tree: &Tree, corner: [f64; 3], opening_angle: f64) -> Vec<f64> {
    let mut corners = vec![corner; tree.nodes()];
    let mut reaches = vec![0.0; tree.nodes()];
    for node in 0..tree.nodes() {
        let (size, corner) = (tree.size[node], corners[node]);
        for (octant, &child) in tree.children[node].iter().enumerate() {
            if child != 0 {
                let shift = |axis: usize| if octant >> axis & 1 == 1 { 0.5 * size } else { 0.0 };
                corners[child as usize] = std::array::from_fn(|axis| corner[axis] + shift(axis));
            }
        }
        let offset = (0..3).map(|axis| tree.centre[node][axis] - corner[axis] - 0.5 * size);
        let reach = size / opening_angle + offset.map(|d| d * d).sum::<f64>().sqrt();
        // No cell counts as a whole. The quotient would be 0 / 0 for a cell without extent.
        reaches[node] = if opening_angle == 0.0 { f64::INFINITY } else { reach * reach };
    }
    reaches
}

/// Second moments about the centre of mass of each cell: the sums of `m x x`, `m x y`, `m x z`, `m y y`, `m y z` and `m z z`.
pub(super) fn second_moments(tree: &Tree, positions: &[[f64; 3]], masses: &[f64]) -> Vec<[f64; 6]> {
    let mut moments = vec![[0.0; 6]; tree.nodes()];
    for node in (0..tree.nodes()).rev() {
        let centre = tree.centre[node];
        let mut sum = [0.0; 6];
        let mut add = |at: [f64; 3], mass: f64| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|axis| at[axis] - centre[axis]);
            for (sum, product) in sum.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
                *sum += mass * product;
            }
        };
        if tree.children[node] == [0; 8] {
            let [first, count] = tree.bodies[node].map(|n| n as usize);
            for &body in &tree.order[first..first + count] {
                add(positions[body as usize], masses[body as usize]);
            }
        } else {
            let children = tree.children[node].into_iter().filter(|&child| child != 0);
            for child in children {
                let [x, y, z, mass] = tree.centre[child as usize];
                add([x, y, z], mass);
            }
            for child in tree.children[node].into_iter().filter(|&child| child != 0) {
                for (sum, own) in sum.iter_mut().zip(moments[child as usize]) {
                    *sum += own;
                }
            }
        }
        moments[node] = sum;
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    fn bodies(count: usize) -> (Vec<[f64; 3]>, Vec<f64>) {
        let mut random = Random(3);
        let mut unit = || (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        ((0..count).map(|_| [unit(), unit() * 2.0, unit()]).collect(), (0..count).map(|_| unit()).collect())
    }

    #[test]
    fn moments_are_sums_over_bodies() {
        let (positions, masses) = bodies(200);
        let tree = Tree::of(&positions, &masses, 4).unwrap();
        let moments = second_moments(&tree, &positions, &masses);
        for (node, found) in moments.iter().enumerate() {
            let [first, count] = tree.bodies[node].map(|n| n as usize);
            let mut expected = [0.0; 6];
            for &body in &tree.order[first..first + count] {
                let at = positions[body as usize];
                let d: [f64; 3] = std::array::from_fn(|axis| at[axis] - tree.centre[node][axis]);
                for (sum, (a, b)) in expected.iter_mut().zip([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)])
                {
                    *sum += masses[body as usize] * d[a] * d[b];
                }
            }
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "node {node}: {found} instead of {expected}");
            }
        }
    }

    #[test]
    fn no_body_is_far_from_its_own_cells() {
        let (positions, masses) = bodies(300);
        let tree = Tree::of(&positions, &masses, 1).unwrap();
        let corner = std::array::from_fn(|axis| positions.iter().map(|p| p[axis]).fold(f64::MAX, f64::min));
        for angle in [0.3, 0.7, 1.0] {
            let reaches = reaches(&tree, corner, angle);
            for (node, reach) in reaches.iter().enumerate() {
                let [first, count] = tree.bodies[node].map(|n| n as usize);
                for &body in &tree.order[first..first + count] {
                    let at = positions[body as usize];
                    let square: f64 = (0..3).map(|axis| (at[axis] - tree.centre[node][axis]).powi(2)).sum();
                    assert!(square <= *reach, "body {body}, node {node}");
                }
            }
        }
    }
}

//! The corners of a polyhedron that is cut by half-spaces, over rationals: the double description method in homogeneous
//! coordinates (Motzkin, Raiffa, Thompson and Thrall 1953; Fukuda and Prodon 1996).
//!
//! The polyhedron contains with a point all points that are smaller in some coordinates: its rays are the negated unit
//! vectors, and half-spaces `weights · y <= limit` with weights that are not negative leave them as they are.

use dashu_ratio::RBig;

/// A corner, or a ray.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Coordinates.
    pub at: Vec<RBig>,
    /// Whether it is a ray.
    ray: bool,
    /// Faces, increasing.
    faces: Vec<u32>,
    /// For the caller: whether a scheduler is known to achieve the corner.
    pub achieved: bool,
}

/// A polyhedron.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    generators: Vec<Generator>,
    faces: u32,
}

impl Polyhedron {
    /// All points that are at most this one in every coordinate.
    pub fn below(top: Vec<RBig>) -> Self {
        let d = top.len() as u32;
        let ray = |j: u32| {
            let mut at = vec![RBig::ZERO; d as usize];
            at[j as usize] = -RBig::ONE;
            // The face at infinity is the last one.
            let faces = (0..=d).filter(|&f| f != j).collect();
            Generator { at, ray: true, faces, achieved: true }
        };
        let mut generators: Vec<Generator> = (0..d).map(ray).collect();
        generators.push(Generator { at: top, ray: false, faces: (0..d).collect(), achieved: false });
        Polyhedron { generators, faces: d + 1 }
    }

    /// The corners.
    pub fn corners(&mut self) -> impl Iterator<Item = &mut Generator> {
        self.generators.iter_mut().filter(|g| !g.ray)
    }

    /// Cuts off everything beyond `weights · y <= limit`.
    pub fn cut(&mut self, weights: &[RBig], limit: &RBig) {
        let height = |g: &Generator| -> RBig {
            let sum = g.at.iter().zip(weights).fold(RBig::ZERO, |sum, (y, w)| sum + y * w);
            if g.ray { sum } else { sum - limit }
        };
        let heights: Vec<RBig> = self.generators.iter().map(height).collect();
        if heights.iter().all(|h| *h <= RBig::ZERO) {
            return;
        }
        let face = self.faces;
        self.faces += 1;
        let d = weights.len();
        let mut new = Vec::new();
        let with_height = || self.generators.iter().zip(&heights).enumerate();
        for (a, (above, up)) in with_height().filter(|(_, (_, h))| **h > RBig::ZERO) {
            for (b, (below, down)) in with_height().filter(|(_, (_, h))| **h < RBig::ZERO) {
                let common: Vec<u32> =
                    above.faces.iter().copied().filter(|f| below.faces.binary_search(f).is_ok()).collect();
                let others = self.generators.iter().enumerate().filter(|(c, _)| *c != a && *c != b);
                let contains = |g: &Generator| common.iter().all(|f| g.faces.binary_search(f).is_ok());
                if common.len() + 1 < d || others.map(|e| e.1).any(contains) {
                    continue;
                }
                let share = if below.ray { -(up / down) } else { up / (up - down) };
                let step = |(x, y): (&RBig, &RBig)| if below.ray { &share * y } else { &share * (y - x) };
                let at = above.at.iter().zip(&below.at).map(|(x, y)| x + step((x, y))).collect();
                let mut faces = common;
                faces.push(face);
                new.push(Generator { at, ray: false, faces, achieved: false });
            }
        }
        for (generator, height) in self.generators.iter_mut().zip(&heights) {
            if height.is_zero() {
                generator.faces.push(face);
            }
        }
        let mut height = heights.iter();
        self.generators.retain(|_| height.next().is_some_and(|h| *h <= RBig::ZERO));
        self.generators.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::Random;

    use super::*;

    /// The corners are the feasible points where `d` of the half-spaces with independent normals meet.
    #[test]
    fn corners_are_meetings_of_faces() {
        let mut random = Random(29);
        for _ in 0..120 {
            let d = 2 + random.below(2);
            let mut number = |most: usize| RBig::from(random.below(most) as u64);
            let top: Vec<RBig> = (0..d).map(|_| number(7)).collect();
            let unit = |j: usize| (0..d).map(|i| RBig::from(u8::from(i == j))).collect::<Vec<RBig>>();
            let mut halves: Vec<(Vec<RBig>, RBig)> = (0..d).map(|j| (unit(j), top[j].clone())).collect();
            let mut polyhedron = Polyhedron::below(top);
            for _ in 0..4 {
                let weights: Vec<RBig> = (0..d).map(|_| number(4)).collect();
                if weights.iter().all(RBig::is_zero) {
                    continue;
                }
                let limit = number(20);
                polyhedron.cut(&weights, &limit);
                halves.push((weights, limit));
            }
            let mut found: Vec<Vec<RBig>> = polyhedron.corners().map(|g| g.at.clone()).collect();
            let mut expected: Vec<Vec<RBig>> = Vec::new();
            for subset in (0..1usize << halves.len()).filter(|s| s.count_ones() as usize == d) {
                let chosen: Vec<_> = (0..halves.len()).filter(|i| subset >> i & 1 == 1).collect();
                let Some(y) = meeting(chosen.iter().map(|&i| halves[i].clone()).collect()) else { continue };
                let dot = |w: &[RBig]| w.iter().zip(&y).fold(RBig::ZERO, |s, (a, b)| s + a * b);
                if halves.iter().all(|(w, limit)| dot(w) <= *limit) {
                    expected.push(y);
                }
            }
            found.sort();
            expected.sort();
            expected.dedup();
            assert_eq!(found, expected, "{halves:?}");
        }
    }

    /// The point on all of these planes, by Gaussian elimination.
    fn meeting(mut planes: Vec<(Vec<RBig>, RBig)>) -> Option<Vec<RBig>> {
        let d = planes.len();
        for column in 0..d {
            let pivot = (column..d).find(|&r| !planes[r].0[column].is_zero())?;
            planes.swap(column, pivot);
            let (row, right) = planes[column].clone();
            for (r, (other, limit)) in planes.iter_mut().enumerate() {
                if r != column {
                    let factor = &other[column] / &row[column];
                    other.iter_mut().zip(&row).for_each(|(x, y)| *x -= &factor * y);
                    *limit -= &factor * &right;
                }
            }
        }
        Some((0..d).map(|i| &planes[i].1 / &planes[i].0[i]).collect())
    }
}

//! The corners of a polytope that is cut by half-spaces, one after another.
//!
//! Each corner knows the faces it lies on. A cut removes the corners beyond it and puts a new one on every edge that
//! leads from a corner that stays to one that goes; two corners share an edge if no third one lies on all faces that they
//! have in common (Fukuda and Prodon, *Double description method revisited*, 1996).

/// A corner.
#[derive(Clone, Debug)]
pub struct Corner {
    /// Coordinates.
    pub at: Vec<f64>,
    /// Faces, sorted.
    faces: Vec<u32>,
    /// A number that the caller attaches to it; infinite for a new corner.
    pub rank: f64,
}

/// A polytope.
#[derive(Clone, Debug)]
pub struct Polytope {
    /// Its corners.
    pub corners: Vec<Corner>,
    faces: u32,
}

/// Cuts that go less deep are left out.
const DEPTH: f64 = 1e-11;

impl Polytope {
    /// A box.
    pub fn new(low: &[f64], high: &[f64]) -> Self {
        let d = low.len();
        let corners = (0..1u32 << d)
            .map(|bits| {
                let upper = |j: usize| bits >> j & 1 == 1;
                Corner {
                    at: (0..d).map(|j| if upper(j) { high[j] } else { low[j] }).collect(),
                    faces: (0..d).map(|j| 2 * j as u32 + u32::from(upper(j))).collect(),
                    rank: f64::INFINITY,
                }
            })
            .collect();
        Polytope { corners, faces: 2 * d as u32 }
    }

    /// Cuts off everything beyond the half-space `weights · y <= limit`.
    pub fn cut(&mut self, weights: &[f64], limit: f64) {
        let height = |corner: &Corner| -> f64 {
            corner.at.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() - limit
        };
        let heights: Vec<f64> = self.corners.iter().map(height).collect();
        if heights.iter().all(|&h| h <= DEPTH) {
            return;
        }
        let face = self.faces;
        self.faces += 1;
        let d = weights.len();
        let mut new = Vec::new();
        for (a, above) in self.corners.iter().enumerate().filter(|(a, _)| heights[*a] > DEPTH) {
            for (b, below) in self.corners.iter().enumerate().filter(|(b, _)| heights[*b] < -DEPTH) {
                let common: Vec<u32> =
                    above.faces.iter().copied().filter(|f| below.faces.binary_search(f).is_ok()).collect();
                let others = self.corners.iter().enumerate().filter(|(c, _)| *c != a && *c != b);
                let contains = |c: &Corner| common.iter().all(|f| c.faces.binary_search(f).is_ok());
                if common.len() + 1 < d || others.map(|e| e.1).any(contains) {
                    continue;
                }
                let share = heights[a] / (heights[a] - heights[b]);
                let at = above.at.iter().zip(&below.at).map(|(x, y)| x + share * (y - x)).collect();
                let mut faces = common;
                faces.push(face);
                new.push(Corner { at, faces, rank: f64::INFINITY });
            }
        }
        for (corner, &height) in self.corners.iter_mut().zip(&heights) {
            if height.abs() <= DEPTH {
                corner.faces.push(face);
            }
        }
        let mut height = heights.iter();
        self.corners.retain(|_| height.next().is_some_and(|&h| h <= DEPTH));
        self.corners.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::Random;

    use super::*;

    #[test]
    fn a_corner_of_the_cube_is_cut_off() {
        let mut cube = Polytope::new(&[0.0; 3], &[1.0; 3]);
        assert_eq!(cube.corners.len(), 8);
        cube.cut(&[1.0, 1.0, 1.0], 2.5);
        assert_eq!(cube.corners.len(), 10);
        cube.cut(&[1.0, 1.0, 1.0], 3.0);
        assert_eq!(cube.corners.len(), 10);
        cube.cut(&[0.0, 0.0, 1.0], 0.25);
        assert_eq!(cube.corners.len(), 8);
    }

    /// The largest value of a linear form over the corners is the same as over the whole polytope, tried on points.
    #[test]
    fn corners_are_extreme() {
        let mut random = Random(3);
        for _ in 0..50 {
            let d = 2 + random.below(2);
            let mut number = || random.below(1000) as f64 / 1000.0;
            let mut polytope = Polytope::new(&vec![0.0; d], &vec![1.0; d]);
            let cuts: Vec<(Vec<f64>, f64)> = (0..6)
                .map(|_| {
                    let w: Vec<f64> = (0..d).map(|_| number()).collect();
                    let limit = w.iter().sum::<f64>() * (0.5 + 0.5 * number());
                    (w, limit)
                })
                .collect();
            cuts.iter().for_each(|(w, limit)| polytope.cut(w, *limit));
            let dot = |w: &[f64], y: &[f64]| w.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
            for corner in &polytope.corners {
                assert!(cuts.iter().all(|(w, limit)| dot(w, &corner.at) <= limit + 1e-9));
            }
            let form: Vec<f64> = (0..d).map(|_| number()).collect();
            let best = polytope.corners.iter().map(|c| dot(&form, &c.at)).fold(0.0, f64::max);
            for _ in 0..2000 {
                let y: Vec<f64> = (0..d).map(|_| number()).collect();
                if cuts.iter().all(|(w, limit)| dot(w, &y) <= *limit) {
                    assert!(dot(&form, &y) <= best + 1e-9);
                }
            }
        }
    }
}

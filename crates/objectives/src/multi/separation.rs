//! The hyperplane that separates a point best from all points below a convex combination (mix) of others.
//!
//! This is a matrix game (J. von Neumann, *Zur Theorie der Gesellschaftsspiele*, Math. Ann. 100, 1928,
//! doi:10.1007/BF01448847): one player chooses a direction `w` (not negative, of sum one), the other a mix of points `q`;
//! the first gains `w · (v - q)`. The value of the game is the distance by which `v` has to be moved down in all
//! coordinates at once until some mix is at least as large in each of them; it is not positive where one is already. The
//! optimal direction is the normal of the hyperplane.
//!
//! Solved by the simplex method on a dense table with one row per coordinate. Directions and mixes are only proposals: no
//! guarantee rests on the arithmetic here.

/// The best separation of a point from the points below mixes of others.
#[derive(Clone, Debug)]
pub struct Separation {
    /// Distance by which the point has to be moved down in all coordinates; not positive where it is below a mix.
    pub distance: f64,
    /// The normal of the hyperplane: not negative, of sum one.
    pub weights: Vec<f64>,
    /// Points of the mix with their shares, which add up to one up to rounding.
    pub mix: Vec<(usize, f64)>,
}

/// Shares and weights below this are noise.
const NOISE: f64 = 1e-12;

/// Separates a point `v` from the points below mixes of `points`, of which there is at least one.
pub fn separate(v: &[f64], points: &[Vec<f64>]) -> Separation {
    let (d, m) = (v.len(), points.len());
    let gain = |q: usize, j: usize| v[j] - points[q][j];
    let mut least = f64::INFINITY;
    for q in 0..m {
        for j in 0..d {
            least = least.min(gain(q, j));
        }
    }
    // Shifted so that all gains are at least one. Maximise the sum of shares with each row at most one.
    let shift = 1.0 - least;
    let width = m + d + 1;
    let mut table = vec![vec![0.0; width]; d + 1];
    for j in 0..d {
        for (q, entry) in table[j][..m].iter_mut().enumerate() {
            *entry = gain(q, j) + shift;
        }
        table[j][m + j] = 1.0;
        table[j][width - 1] = 1.0;
    }
    table[d][..m].fill(-1.0);
    let mut basis: Vec<usize> = (m..m + d).collect();
    let most = 50 * (m + d) + 200;
    for round in 0..most {
        let row = &table[d][..width - 1];
        // The steepest column first; when that takes long, Bland's rule, which does not cycle.
        let entering = if round < most / 2 {
            (0..width - 1).filter(|&c| row[c] < -1e-11).min_by(|&a, &b| row[a].total_cmp(&row[b]))
        } else {
            (0..width - 1).find(|&c| row[c] < -1e-11)
        };
        let Some(column) = entering else { break };
        let ratio = |r: usize| table[r][width - 1] / table[r][column];
        let candidates = (0..d).filter(|&r| table[r][column] > 1e-11);
        let Some(pivot) =
            candidates.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))
        else {
            break;
        };
        let scale = table[pivot][column];
        table[pivot].iter_mut().for_each(|entry| *entry /= scale);
        let pivot_row = table[pivot].clone();
        for (r, row) in table.iter_mut().enumerate() {
            let factor = row[column];
            if r != pivot && factor != 0.0 {
                row.iter_mut().zip(&pivot_row).for_each(|(entry, p)| *entry -= factor * p);
            }
        }
        basis[pivot] = column;
    }
    let total: f64 = basis.iter().zip(&table).filter(|(b, _)| **b < m).map(|(_, row)| row[width - 1]).sum();
    let mut mix: Vec<(usize, f64)> = basis
        .iter()
        .zip(&table)
        .filter(|(b, _)| **b < m)
        .map(|(&b, row)| (b, row[width - 1] / total))
        .filter(|&(_, share)| share > NOISE)
        .collect();
    let sum: f64 = mix.iter().map(|e| e.1).sum();
    mix.iter_mut().for_each(|e| e.1 /= sum);
    let mut weights: Vec<f64> = (0..d).map(|j| (table[d][m + j] / total).max(0.0)).collect();
    weights.iter_mut().for_each(|w| *w = if *w < NOISE { 0.0 } else { *w });
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    let along = |q: usize| (0..d).map(|j| weights[j] * gain(q, j)).sum::<f64>();
    let distance = (0..m).map(along).fold(f64::INFINITY, f64::min);
    Separation { distance, weights, mix }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::Random;

    use super::*;

    #[test]
    fn a_point_between_two_others() {
        let points = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let separation = separate(&[0.5, 0.5], &points);
        assert!(separation.distance.abs() < 1e-12);
        assert!(separate(&[0.4, 0.5], &points).distance < -0.04);
        let separation = separate(&[0.75, 0.75], &points);
        assert!((separation.distance - 0.25).abs() < 1e-12);
        assert!((separation.weights[0] - 0.5).abs() < 1e-12);
    }

    /// Both players' choices are optimal: what they guarantee meets.
    #[test]
    fn guarantees_meet() {
        let mut random = Random(11);
        for _ in 0..2000 {
            let (d, m) = (1 + random.below(4), 1 + random.below(9));
            let mut number = || random.below(9) as f64 / 4.0 - 1.0;
            let points: Vec<Vec<f64>> = (0..m).map(|_| (0..d).map(|_| number()).collect()).collect();
            let v: Vec<f64> = (0..d).map(|_| number()).collect();
            let separation = separate(&v, &points);
            let mixed = |j: usize| separation.mix.iter().map(|&(q, share)| share * points[q][j]).sum::<f64>();
            let worst = (0..d).map(|j| v[j] - mixed(j)).fold(f64::NEG_INFINITY, f64::max);
            assert!((worst - separation.distance).abs() < 1e-9, "{worst} {separation:?} {v:?} {points:?}");
            assert!((separation.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

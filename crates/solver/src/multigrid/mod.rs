//! Algebraic multigrid by aggregation, for what flows between the states of a chain: sources of good guesses only, as `krylov`.
//!
//! In: a matrix `D - F`, where `f_ij >= 0` flows from state j to state i, and D has what leaves each state. Where flows are in balance,
//! sums of rows are zero as those of columns are, and piecewise constant corrections serve as well as for diffusion (Y. Notay, *Aggregation-based algebraic multigrid for convection-diffusion equations*, SIAM J. Sci. Comput. 34, 2012,
//! doi:10.1137/110835347): groups by pairing twice, Gauss–Seidel sweeps forwards before and backwards after, and on each level two
//! steps of a Krylov method (the K-cycle: Y. Notay and P. Vassilevski, Numer. Linear Algebra Appl. 15, 2008). On top is the method of generalised
//! conjugate residuals, which allows for a preconditioner that is not linear.

mod aggregate;
mod coarsest;
mod matrix;

pub use matrix::Matrix;

use aggregate::coarsen;
use coarsest::{Coarsest, DENSE};

/// Directions that are kept: each next one is made orthogonal to these.
const KEPT: usize = 6;

/// Levels at most. Each has about a quarter of the unknowns of the one above.
const MOST_LEVELS: usize = 30;

/// A level that is larger than this part of the one above is not worth while.
const WORTH: f64 = 0.8;

/// A level gets two steps for each of the one above if it is at most this part of it: else all levels together take too long.
const HALF: f64 = 0.45;

/// Reduction of a residual on a coarse level with which the first step suffices.
const SUFFICES: f64 = 0.25;

/// Brings the flows nearer to balance, and returns the factors by which it has multiplied the unknowns: multiplicative corrections level by
/// level (G. Horton and S. Leutenegger, *A multi-level solution algorithm for steady-state Markov chains*, SIGMETRICS 1994,
/// doi:10.1145/183018.183040).
pub fn balanced(matrix: &mut Matrix, sweeps: usize) -> Vec<f64> {
    let n = matrix.rows();
    if n <= DENSE {
        let factors = coarsest::null_vector(matrix);
        matrix.scale(&factors);
        return factors;
    }
    let zero = vec![0.0; n];
    let mut factors = vec![1.0; n];
    for round in 0..sweeps {
        matrix.relax(&zero, &mut factors, round % 2 == 0);
    }
    matrix.scale(&factors);
    let (groups, mut coarse) = coarsen(matrix);
    if coarse.rows() as f64 > WORTH * n as f64 {
        return factors;
    }
    let corrections = balanced(&mut coarse, sweeps);
    let mut more: Vec<f64> = groups.iter().map(|&group| corrections[group as usize]).collect();
    matrix.relax(&zero, &mut more, true);
    matrix.relax(&zero, &mut more, false);
    matrix.scale(&more);
    factors.iter_mut().zip(&more).for_each(|(factor, more)| *factor *= more);
    factors
}

/// A coarser system, with room for what cycles need.
#[derive(Debug)]
struct Level {
    matrix: Matrix,
    /// The group of each unknown of the level above.
    groups: Vec<u32>,
    /// Whether two steps on it cost less than a sweep above.
    takes_two: bool,
    right: Vec<f64>,
    solution: Vec<f64>,
    images: [Vec<f64>; 2],
    directions: [Vec<f64>; 2],
}

/// A system with its coarser ones.
#[derive(Debug)]
pub struct Multigrid {
    matrix: Matrix,
    levels: Vec<Level>,
    coarsest: Coarsest,
    scratch: Vec<f64>,
}

/// Bytes for each entry and each unknown of a system, coarser ones and directions included.
pub const BYTES: [usize; 2] = [18, 8 * (2 * KEPT + 14)];

impl Multigrid {
    /// Prepares a system.
    pub fn new(matrix: Matrix) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        while levels.len() < MOST_LEVELS {
            let above = levels.last().map_or(&matrix, |level| &level.matrix);
            if above.rows() <= DENSE {
                break;
            }
            let (groups, coarse) = coarsen(above);
            let n = coarse.rows();
            if n as f64 > WORTH * above.rows() as f64 {
                break;
            }
            let room = || vec![0.0; n];
            let takes_two = n as f64 <= HALF * above.rows() as f64;
            levels.push(Level {
                matrix: coarse,
                groups,
                takes_two,
                right: room(),
                solution: room(),
                images: [room(), room()],
                directions: [room(), room()],
            });
        }
        let coarsest = Coarsest::new(levels.last().map_or(&matrix, |level| &level.matrix));
        let scratch = vec![0.0; matrix.rows()];
        Multigrid { matrix, levels, coarsest, scratch }
    }

    /// Gives the system back.
    pub fn into_matrix(self) -> Matrix {
        self.matrix
    }

    /// `y ~ (D - F)^-1 x`.
    fn cycle(&mut self, right: &[f64], y: &mut [f64]) {
        match self.levels.is_empty() {
            true => self.coarsest.solve(&self.matrix, right, y),
            false => cycle(&self.matrix, &mut self.levels, &self.coarsest, right, y, &mut self.scratch),
        }
    }
}

/// One cycle on a system that has a coarser one.
fn cycle(
    matrix: &Matrix,
    levels: &mut [Level],
    coarsest: &Coarsest,
    right: &[f64],
    y: &mut [f64],
    image: &mut [f64],
) {
    matrix.entries.sweep(right, y, image, |i, v| v / matrix.diagonal[i]);
    let (level, below) = levels.split_first_mut().expect("there is a coarser system");
    level.right.fill(0.0);
    for ((&group, right), image) in level.groups.iter().zip(right).zip(&*image) {
        level.right[group as usize] += right - image;
    }
    level.solve(below, coarsest);
    for (y, &group) in y.iter_mut().zip(&level.groups) {
        *y += level.solution[group as usize];
    }
    matrix.relax(right, y, false);
}

impl Level {
    /// At most two steps of generalised conjugate residuals.
    fn solve(&mut self, below: &mut [Level], coarsest: &Coarsest) {
        let Level { matrix, right, solution, images: [v, w], directions: [c, d], takes_two, .. } = self;
        if below.is_empty() {
            coarsest.solve(matrix, right, solution);
            return;
        }
        let before = matrix.product(right, right);
        solution.fill(0.0);
        if before == 0.0 {
            return;
        }
        cycle(matrix, below, coarsest, right, c, v);
        matrix.apply(c, v);
        let square = matrix.product(v, v);
        let share = matrix.product(v, right) / square;
        if !share.is_finite() {
            return;
        }
        right.iter_mut().zip(&*v).for_each(|(r, v)| *r -= share * v);
        solution.iter_mut().zip(&*c).for_each(|(x, c)| *x = share * c);
        if !*takes_two || matrix.product(right, right) <= SUFFICES * SUFFICES * before {
            return;
        }
        cycle(matrix, below, coarsest, right, d, w);
        matrix.apply(d, w);
        let overlap = matrix.product(v, w) / square;
        for ((w, v), (d, c)) in w.iter_mut().zip(&*v).zip(d.iter_mut().zip(&*c)) {
            *w -= overlap * v;
            *d -= overlap * c;
        }
        let share = matrix.product(w, right) / matrix.product(w, w);
        if share.is_finite() {
            solution.iter_mut().zip(&*d).for_each(|(x, d)| *x += share * d);
        }
    }
}

/// Generalised conjugate residuals on the solution of a system.
#[derive(Debug)]
pub struct Iteration {
    /// The right side, less the image of the solution.
    pub residual: Vec<f64>,
    /// The solution.
    pub solution: Vec<f64>,
    directions: Vec<(Vec<f64>, Vec<f64>, f64)>,
    oldest: usize,
}

impl Iteration {
    /// Starts from zero.
    pub fn new(right: Vec<f64>) -> Self {
        let solution = vec![0.0; right.len()];
        Iteration { residual: right, solution, directions: Vec::with_capacity(KEPT), oldest: 0 }
    }

    /// The size of the residual.
    pub fn size(&self, system: &Multigrid) -> f64 {
        system.matrix.product(&self.residual, &self.residual).sqrt()
    }

    /// One step; false where it leads nowhere.
    pub fn step(&mut self, system: &mut Multigrid) -> bool {
        let n = self.residual.len();
        let (mut direction, mut image, _) = match self.directions.len() < KEPT {
            true => (vec![0.0; n], vec![0.0; n], 0.0),
            false => std::mem::take(&mut self.directions[self.oldest]),
        };
        system.cycle(&self.residual, &mut direction);
        let matrix = &system.matrix;
        matrix.apply(&direction, &mut image);
        for (other, its_image, square) in self.directions.iter().filter(|known| !known.0.is_empty()) {
            let overlap = matrix.product(its_image, &image) / square;
            direction.iter_mut().zip(other).for_each(|(d, other)| *d -= overlap * other);
            image.iter_mut().zip(its_image).for_each(|(v, other)| *v -= overlap * other);
        }
        let square = matrix.product(&image, &image);
        let share = matrix.product(&image, &self.residual) / square;
        if !share.is_finite() || share == 0.0 {
            return false;
        }
        self.solution.iter_mut().zip(&direction).for_each(|(x, d)| *x += share * d);
        self.residual.iter_mut().zip(&image).for_each(|(r, v)| *r -= share * v);
        match self.directions.len() < KEPT {
            true => self.directions.push((direction, image, square)),
            false => {
                self.directions[self.oldest] = (direction, image, square);
                self.oldest = (self.oldest + 1) % KEPT;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::krylov::Triangles;

    /// Flows round triangles of a grid without ends, all alike: in balance, and far from symmetric.
    fn circling(side: usize) -> Matrix {
        let n = side * side;
        let mut entries = Triangles::with_capacity(n, 3 * n);
        for s in 0..n {
            let (x, y) = (s % side, s / side);
            let place = |x: usize, y: usize| (x % side + y % side * side) as u32;
            let sources = [place(x + side - 1, y), place(x + 1, y + side - 1), place(x, y + 1)];
            entries.push_row(sources.into_iter().map(|source| (source, 1.0)));
        }
        Matrix { entries, diagonal: vec![3.0; n] }
    }

    /// The number of steps hardly depends on the size.
    #[test]
    fn steps_for_a_given_reduction() {
        for (side, most) in [(20, 22), (60, 24), (180, 26)] {
            let matrix = circling(side);
            let n = matrix.rows();
            let mut right: Vec<f64> = (0..n).map(|s| (s % 7) as f64 - 3.0).collect();
            right[0] -= right.iter().sum::<f64>();
            let wanted = right.clone();
            let mut system = Multigrid::new(matrix);
            let mut iteration = Iteration::new(right);
            let first = iteration.size(&system);
            let mut steps = 0;
            while iteration.size(&system) > 1e-8 * first && iteration.step(&mut system) {
                steps += 1;
                assert!(steps <= most, "{side}: {steps} steps");
            }
            // The residual that is carried along is the true one.
            let mut image = vec![0.0; n];
            system.into_matrix().apply(&iteration.solution, &mut image);
            for ((image, wanted), residual) in image.iter().zip(&wanted).zip(&iteration.residual) {
                assert!((wanted - image - residual).abs() < 1e-9 * first);
            }
        }
    }

    /// Multiplicative cycles bring flows into balance that are far from it, and keep the equations those of the new unknowns.
    #[test]
    fn cycles_bring_into_balance() {
        let side = 40;
        let mut matrix = circling(side);
        let skew: Vec<f64> = (0..side * side).map(|s| 1.0 + 9.0 * ((s * 37) % 11) as f64).collect();
        matrix.scale(&skew);
        let mut total = skew;
        let imbalance = |matrix: &Matrix| {
            let mut image = vec![0.0; matrix.rows()];
            matrix.apply(&vec![1.0; matrix.rows()], &mut image);
            let flows: f64 = matrix.diagonal.iter().sum();
            image.iter().map(|r| r.abs()).sum::<f64>() / flows
        };
        assert!(imbalance(&matrix) > 0.3);
        for _ in 0..12 {
            let factors = balanced(&mut matrix, 4);
            total.iter_mut().zip(&factors).for_each(|(total, factor)| *total *= factor);
        }
        assert!(imbalance(&matrix) < 1e-3, "{}", imbalance(&matrix));
        for (total, flow) in total.iter().zip(&matrix.diagonal) {
            assert!((3.0 * total - flow).abs() < 1e-9 * flow);
        }
    }
}

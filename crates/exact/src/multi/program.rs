//! Linear programs over rationals: the simplex method on a dense table, with few rows.
//!
//! In: `maximise objective · x` under `rows x <= right`, `x >= 0`, bounded. Out: the largest value, and the multipliers of
//! the rows, which prove that no `x` has a larger one; nothing where no `x` is feasible. The columns of the slacks of the last
//! table have the multipliers (Dantzig 1963). Bland's rule (1977) takes over where steep columns take long: it does
//! not cycle.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_solver::CheckError;

/// A linear program: the largest `objective · x` under `rows x <= right` and `x >= 0`.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Coefficients of each constraint.
    pub rows: Vec<Vec<RBig>>,
    /// Right-hand sides.
    pub right: Vec<RBig>,
    /// Coefficients of the objective.
    pub objective: Vec<RBig>,
}

/// The optimum.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The value of the objective.
    pub value: RBig,
    /// The multipliers of the rows, not negative.
    pub multipliers: Vec<RBig>,
}

struct Table {
    /// One row per constraint, then that of the objective; the last column has the right-hand sides.
    rows: Vec<Vec<RBig>>,
    basis: Vec<usize>,
}

impl Program {
    /// The optimum; `None` if no point is feasible.
    pub fn solve(&self, control: &Control<'_>) -> Result<Option<Solution>, CheckError> {
        let (n, m) = (self.objective.len(), self.rows.len());
        // Variables, slacks, one artificial variable that relaxes all rows, and the right-hand side.
        let (relaxed, width) = (n + m, n + m + 2);
        let mut rows: Vec<Vec<RBig>> = Vec::with_capacity(m + 1);
        for (i, (row, right)) in self.rows.iter().zip(&self.right).enumerate() {
            let mut line = row.clone();
            line.resize(width, RBig::ZERO);
            line[n + i] = RBig::ONE;
            line[relaxed] = -RBig::ONE;
            line[width - 1] = right.clone();
            rows.push(line);
        }
        let mut objective = vec![RBig::ZERO; width];
        objective[relaxed] = RBig::ONE;
        rows.push(objective);
        let mut table = Table { rows, basis: (n..n + m).collect() };
        let lowest = (0..m).min_by(|&a, &b| self.right[a].cmp(&self.right[b]));
        if let Some(lowest) = lowest.filter(|&i| self.right[i] < RBig::ZERO) {
            table.pivot(lowest, relaxed);
            table.maximise(width - 1, control)?;
            if table.rows[m][width - 1] < RBig::ZERO {
                return Ok(None);
            }
            if let Some(row) = table.basis.iter().position(|&b| b == relaxed)
                && let Some(column) = (0..relaxed).find(|&c| !table.rows[row][c].is_zero())
            {
                table.pivot(row, column);
            }
        }
        // The objective in terms of the variables outside the basis.
        let mut objective: Vec<RBig> = self.objective.iter().map(|c| -c.clone()).collect();
        objective.resize(width, RBig::ZERO);
        for (row, &basic) in table.rows.iter().zip(&table.basis) {
            let factor = objective[basic].clone();
            subtract(&mut objective, row, &factor);
        }
        table.rows[m] = objective;
        table.maximise(relaxed, control)?;
        let last = &table.rows[m];
        let multipliers = last[n..n + m].to_vec();
        Ok(Some(Solution { value: last[width - 1].clone(), multipliers }))
    }
}

impl Table {
    /// Pivots until no column, of the first ones, has a negative coefficient in the objective.
    fn maximise(&mut self, columns: usize, control: &Control<'_>) -> Result<(), CheckError> {
        let m = self.basis.len();
        let right = self.rows[m].len() - 1;
        for round in 0.. {
            control.check()?;
            let row = &self.rows[m];
            let mut candidates = (0..columns).filter(|&c| row[c] < RBig::ZERO);
            let entering = if round < 4 * (m + 4) {
                candidates.min_by(|&a, &b| row[a].cmp(&row[b]))
            } else {
                candidates.next()
            };
            let Some(column) = entering else { break };
            let ratio = |r: usize| &self.rows[r][right] / &self.rows[r][column];
            let bounding = (0..m).filter(|&r| self.rows[r][column] > RBig::ZERO).map(|r| (ratio(r), r));
            let leaving =
                bounding.min_by(|(x, a), (y, b)| x.cmp(y).then(self.basis[*a].cmp(&self.basis[*b])));
            let Some((_, row)) = leaving else {
                return Err(CheckError::TooLargeExactly { what: "an unbounded linear program".to_string() });
            };
            self.pivot(row, column);
        }
        Ok(())
    }

    fn pivot(&mut self, at: usize, column: usize) {
        let scale = self.rows[at][column].clone();
        self.rows[at].iter_mut().filter(|entry| !entry.is_zero()).for_each(|entry| *entry /= &scale);
        let pivot = self.rows[at].clone();
        for (r, row) in self.rows.iter_mut().enumerate() {
            if r != at {
                let factor = row[column].clone();
                subtract(row, &pivot, &factor);
            }
        }
        self.basis[at] = column;
    }
}

/// `row -= factor * other`
fn subtract(row: &mut [RBig], other: &[RBig], factor: &RBig) {
    if factor.is_zero() {
        return;
    }
    for (entry, by) in row.iter_mut().zip(other).filter(|(_, by)| !by.is_zero()) {
        *entry -= factor * by;
    }
}

#[cfg(test)]
mod tests {
    use volvelle_reference::Random;

    use super::*;

    fn small(random: &mut Random) -> RBig {
        RBig::from(random.below(13) as i64 - 6) / RBig::from(1 + random.below(3) as i64)
    }

    /// The multipliers prove that no point is better, and those of the dual program are a point that is as good; the
    /// infeasible ones have no feasible point on a grid.
    #[test]
    fn optima_are_proved_by_their_multipliers() {
        let mut random = Random(19);
        let mut counts = [0; 2];
        for _ in 0..600 {
            let (n, m) = (1 + random.below(4), 1 + random.below(4));
            let mut rows: Vec<Vec<RBig>> =
                (0..m).map(|_| (0..n).map(|_| small(&mut random)).collect()).collect();
            let mut right: Vec<RBig> = (0..m).map(|_| small(&mut random)).collect();
            // Bounded.
            rows.push(vec![RBig::ONE; n]);
            right.push(RBig::from(4));
            let objective: Vec<RBig> = (0..n).map(|_| small(&mut random)).collect();
            let program = Program { rows, right, objective };
            let dot = |a: &[RBig], b: &[RBig]| a.iter().zip(b).fold(RBig::ZERO, |s, (x, y)| s + x * y);
            let fits = |x: &[RBig]| {
                program.rows.iter().zip(&program.right).all(|(row, right)| dot(row, x) <= *right)
            };
            let found = program.solve(&Control::unlimited()).unwrap();
            counts[usize::from(found.is_some())] += 1;
            let Some(found) = found else {
                for point in 0..5usize.pow(n as u32) {
                    let digit = |i: usize| RBig::from((point / 5usize.pow(i as u32) % 5) as u64);
                    assert!(!fits(&(0..n).map(digit).collect::<Vec<_>>()), "{program:?}");
                }
                continue;
            };
            let negated = |list: &[RBig]| list.iter().map(|x| -x.clone()).collect::<Vec<RBig>>();
            let column = |j: usize| program.rows.iter().map(|row| row[j].clone()).collect::<Vec<RBig>>();
            let dual = Program {
                rows: (0..n).map(|j| negated(&column(j))).collect(),
                right: negated(&program.objective),
                objective: negated(&program.right),
            };
            let variables = dual.solve(&Control::unlimited()).unwrap().unwrap().multipliers;
            assert!(fits(&variables) && variables.iter().all(|x| *x >= RBig::ZERO));
            assert_eq!(dot(&program.objective, &variables), found.value);
            assert!(found.multipliers.iter().all(|y| *y >= RBig::ZERO));
            assert_eq!(dot(&program.right, &found.multipliers), found.value);
            for j in 0..n {
                assert!(dot(&column(j), &found.multipliers) >= program.objective[j]);
            }
        }
        assert!(counts[0] > 50 && counts[1] > 200, "{counts:?}");
    }
}

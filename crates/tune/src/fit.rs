//! Non-negative least squares: which costs explain measured times.
//!
//! The active-set method of Lawson and Hanson, *Solving Least Squares Problems* (1974, chapter 23), on the normal equations of
//! scaled columns: there are a dozen coefficients at most.

/// The coefficients `x ≥ 0` with the least sum of squares of `rows · x − values`, each row weighted by `weights`.
pub fn non_negative(rows: &[Vec<f64>], values: &[f64], weights: &[f64]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    let scale: Vec<f64> = (0..columns)
        .map(|j| {
            let squares: f64 = rows.iter().zip(weights).map(|(row, w)| (w * row[j]) * (w * row[j])).sum();
            if squares > 0.0 { squares.sqrt() } else { 1.0 }
        })
        .collect();
    let mut normal = vec![vec![0.0; columns]; columns];
    let mut right = vec![0.0; columns];
    for ((row, value), weight) in rows.iter().zip(values).zip(weights) {
        let scaled: Vec<f64> = row.iter().zip(&scale).map(|(x, s)| weight * x / s).collect();
        for i in 0..columns {
            right[i] += scaled[i] * weight * value;
            for j in 0..columns {
                normal[i][j] += scaled[i] * scaled[j];
            }
        }
    }
    let mut x = vec![0.0; columns];
    let mut is_free = vec![false; columns];
    let most = right.iter().map(|value| value.abs()).fold(0.0, f64::max);
    // Each round frees one coefficient. The bound on the rounds guards against cycles caused by rounding.
    for _ in 0..8 * columns.max(1) {
        let gradient = |j: usize| right[j] - (0..columns).map(|k| normal[j][k] * x[k]).sum::<f64>();
        let candidates = (0..columns).filter(|j| !is_free[*j]).map(|j| (j, gradient(j)));
        let Some((next, steepest)) = candidates.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        if steepest <= 1e-12 * most {
            break;
        }
        is_free[next] = true;
        loop {
            let free: Vec<usize> = (0..columns).filter(|j| is_free[*j]).collect();
            let wanted = solve(&normal, &right, &free);
            if wanted.iter().all(|value| *value > 0.0) {
                for (j, value) in free.iter().zip(&wanted) {
                    x[*j] = *value;
                }
                break;
            }
            let step = free
                .iter()
                .zip(&wanted)
                .filter(|(_, value)| **value <= 0.0)
                .map(|(j, value)| x[*j] / (x[*j] - value))
                .fold(1.0, f64::min);
            let mut is_any_bound = false;
            for (j, value) in free.iter().zip(&wanted) {
                x[*j] += step * (value - x[*j]);
                if x[*j] <= 1e-14 {
                    x[*j] = 0.0;
                    is_free[*j] = false;
                    is_any_bound = true;
                }
            }
            if !is_any_bound {
                break;
            }
        }
    }
    x.iter().zip(&scale).map(|(x, s)| x / s).collect()
}

/// Solves the equations of some columns by elimination with pivots. A column that depends on others gets 0.
fn solve(normal: &[Vec<f64>], right: &[f64], free: &[usize]) -> Vec<f64> {
    let count = free.len();
    let mut rows: Vec<Vec<f64>> =
        free.iter().map(|i| free.iter().map(|j| normal[*i][*j]).chain([right[*i]]).collect()).collect();
    let mut is_solved = vec![false; count];
    for column in 0..count {
        let pivot = (column..count).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        let pivot = pivot.expect("a row is left");
        if rows[pivot][column].abs() < 1e-11 {
            rows[column][column] = 1.0;
            rows[column][column + 1..].fill(0.0);
            continue;
        }
        rows.swap(column, pivot);
        is_solved[column] = true;
        for below in column + 1..count {
            let factor = rows[below][column] / rows[column][column];
            let (above, rest) = rows.split_at_mut(below);
            for (value, pivot) in rest[0].iter_mut().zip(&above[column]).skip(column) {
                *value -= factor * pivot;
            }
        }
    }
    let mut x = vec![0.0; count];
    for i in (0..count).rev() {
        let rest: f64 = (i + 1..count).map(|k| rows[i][k] * x[k]).sum();
        x[i] = if is_solved[i] { (rows[i][count] - rest) / rows[i][i] } else { 0.0 };
    }
    x
}

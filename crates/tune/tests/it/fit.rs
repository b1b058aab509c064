//! Costs that fit measurements.

use volvelle_random::Random;
use volvelle_tune::fit::non_negative;

/// The solution is the only one that meets the conditions of Karush, Kuhn and Tucker.
#[test]
fn random_problems() {
    let mut random = Random(5);
    for _ in 0..200 {
        let (count, columns) = (4 + random.below(20), 1 + random.below(4));
        let mut number = || random.below(2000) as f64 / 100.0 - 4.0;
        let rows: Vec<Vec<f64>> = (0..count).map(|_| (0..columns).map(|_| number()).collect()).collect();
        let values: Vec<f64> = (0..count).map(|_| number()).collect();
        let weights: Vec<f64> = (0..count).map(|_| number().abs() + 0.1).collect();
        let x = non_negative(&rows, &values, &weights);
        let rest = |i: usize| rows[i].iter().zip(&x).map(|(a, b)| a * b).sum::<f64>() - values[i];
        for (j, value) in x.iter().enumerate() {
            let gradient: f64 = (0..count).map(|i| weights[i] * weights[i] * rows[i][j] * rest(i)).sum();
            assert!(*value >= 0.0);
            assert!(gradient > -1e-5, "{gradient}");
            assert!(*value == 0.0 || gradient.abs() < 1e-5, "{gradient}");
        }
    }
}

#[test]
fn exact_costs_are_found() {
    let rows: Vec<Vec<f64>> =
        (1..20).map(|i| vec![1.0, f64::from(i), f64::from(i * i), f64::from(2 * i)]).collect();
    let values: Vec<f64> = rows.iter().map(|row| 3.0 * row[0] + 0.5 * row[2]).collect();
    let found = non_negative(&rows, &values, &vec![1.0; rows.len()]);
    for (found, expected) in found.iter().zip([3.0, 0.0, 0.5, 0.0]) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

//! Rank correlation: how well one order of configurations agrees with another.

/// Spearman's rank correlation of two lists of numbers of the same length: the correlation of the ranks,
/// where ties share their mean rank. `None` if a list has fewer than two different numbers.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "pairs of numbers");
    pearson(&ranks(a), &ranks(b))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let tied = order[start..].iter().take_while(|i| values[**i] == value).count().max(1);
        let rank = start as f64 + (tied as f64 - 1.0) / 2.0;
        for i in &order[start..start + tied] {
            ranks[*i] = rank;
        }
        start += tied;
    }
    ranks
}

fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let count = a.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let covariance: f64 = a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum();
    let variance = |values: &[f64], mean: f64| values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    let product = variance(a, mean_a) * variance(b, mean_b);
    (product > 0.0).then(|| covariance / product.sqrt())
}

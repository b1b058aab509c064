//! Rank correlations.

use volvelle_tune::correlation::spearman;

#[test]
fn known_values() {
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 25.0]), Some(1.0));
    assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
    // scipy.stats.spearmanr([1, 2, 2, 4, 5], [2, 1, 4, 4, 5])
    let found = spearman(&[1.0, 2.0, 2.0, 4.0, 5.0], &[2.0, 1.0, 4.0, 4.0, 5.0]).unwrap();
    assert!((found - 0.763_157_894_736_842).abs() < 1e-12, "{found}");
    assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(spearman(&[], &[]), None);
}

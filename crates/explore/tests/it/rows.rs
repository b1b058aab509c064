//! Weights follow the successors of a state into its sorted row.

use std::collections::BTreeMap;
use volvelle_explore::row_permutations::{Mark, RowPermutations, RowPermutationsBuilder};

/// Rows of targets, sorted and merged by hand, against scattering into slots; with rows so long that slots need
/// one, two and four bytes.
#[test]
fn scattered_weights_are_merged_weights() {
    for longest in [5usize, 300, 70_000] {
        let mut slots = RowPermutations::default();
        let mut all: Vec<Vec<u32>> = Vec::new();
        for (state, length) in [0, 1, 4, longest, 3].into_iter().enumerate() {
            let scattered = |i: usize| (i * 7919 % (length.max(1) * 3 / 4 + 1)) as u32;
            let targets: Vec<u32> = (0..length).map(scattered).collect();
            let mut builder = RowPermutationsBuilder::default();
            if targets.is_sorted_by(|a, b| a < b) {
                builder.in_order();
            } else {
                let key = |(i, &n): (usize, &u32)| (n as u64) << 32 | i as u64;
                let mut keys: Vec<u64> = targets.iter().enumerate().map(key).collect();
                keys.sort_unstable();
                builder.out_of_order(&keys);
            }
            slots.append(state, &builder);
            all.push(targets);
        }
        assert_eq!(slots.marks(), [Mark { state: 0, row: 0, slot: 0 }]);
        let mut first = 0;
        for (r, targets) in all.iter().enumerate() {
            let weights: Vec<f64> = (0..targets.len()).map(|i| 1.0 / (i + 1) as f64).collect();
            let mut sums = BTreeMap::new();
            for (target, weight) in targets.iter().zip(&weights) {
                *sums.entry(*target).or_insert(0.0) += weight;
            }
            let (distinct, expected): (Vec<u32>, Vec<f64>) = sums.into_iter().unzip();
            if slots.is_ordered(r) {
                assert_eq!(distinct, *targets, "row {r}");
            } else {
                let mut row = vec![0.0; distinct.len()];
                assert_eq!(slots.scatter(first, &weights, &mut row), Some(()));
                assert_eq!(row, expected, "row {r}");
                first += targets.len();
            }
        }
        assert!(first >= longest, "long rows are out of order");
        assert_eq!(slots.scatter(first, &[1.0], &mut [0.0]), None, "there are no more slots");
    }
}

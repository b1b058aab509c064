//! Entries of alias tables add up to the weights.

use volvelle_random::Random;
use volvelle_simulate::table::alias::Scratch;

/// The probability of every transition, by adding up the places.
fn told(scratch: &Scratch) -> Vec<f64> {
    let count = scratch.thresholds.len();
    let mut told = vec![0.0; count];
    for (place, (&threshold, &other)) in scratch.thresholds.iter().zip(&scratch.others).enumerate() {
        told[place] += threshold / count as f64;
        told[other as usize] += (1.0 - threshold) / count as f64;
    }
    told
}

#[test]
fn places_add_up_to_the_weights() {
    let mut random = Random(7);
    let mut scratch = Scratch::default();
    let rare = [vec![1.0], vec![0.5, 0.5], vec![1e-12, 1.0 - 1e-12], vec![3.0, 1e-9, 5e8], vec![0.25; 4]];
    let drawn = (0..500).map(|_| {
        let count = 1 + random.below(40);
        (0..count).map(|_| (1 + random.below(1000)) as f64 * 0.1f64.powi(random.below(9) as i32)).collect()
    });
    for weights in rare.into_iter().chain(drawn) {
        let weights: Vec<f64> = weights;
        scratch.fill(weights.iter().copied());
        let total: f64 = weights.iter().sum();
        assert!(scratch.thresholds.iter().all(|t| (0.0..=1.0).contains(t)), "{weights:?}");
        for (told, weight) in told(&scratch).into_iter().zip(&weights) {
            let expected = weight / total;
            assert!((told - expected).abs() <= 1e-15 + 1e-12 * expected, "{weights:?}: {told} {expected}");
        }
    }
}

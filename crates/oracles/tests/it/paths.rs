//! The oracle of paths, on models of the generator.

use volvelle_oracles::{model_text, path_tiers};
use volvelle_random::Random;

#[test]
fn generated_models() {
    let mut random = Random(5);
    let mut run = 0;
    for _ in 0..60 {
        let mut bytes = vec![0u8];
        bytes.extend((0..200).map(|_| random.below(256) as u8));
        let text = model_text(&bytes).expect("a model");
        run += path_tiers(&text);
    }
    assert!(run > 40, "only {run} paths");
}

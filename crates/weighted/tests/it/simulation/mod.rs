//! One-directional relations.

mod corpus;
mod divergence;
mod game;
mod naive;
mod random;

use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};

/// A random structure; weights up to 5, with many zeros in some.
fn structure(random: &mut Random) -> WeightedStructure {
    let states = 3 + random.below(6);
    let propositions = random.below(3) as u32;
    let most = 1 + random.below(3);
    let weights = 1 + random.below(6);
    let mut builder = WeightedBuilder::new();
    for _ in 0..states {
        let own: Vec<(u32, i64)> = (0..propositions).filter(|_| random.chance(40)).map(|p| (p, 1)).collect();
        let steps = if random.one_in(5) { 0 } else { 1 + random.below(most) };
        let step =
            |_| WeightedStep { weight: random.below(weights) as u64, target: random.below(states) as u32 };
        let steps: Vec<WeightedStep> = (0..steps).map(step).collect();
        builder.state(own, steps);
    }
    let names = (0..propositions).map(|p| format!("p{p}")).collect();
    builder.finish(0, dashu_ratio::RBig::ONE, names)
}

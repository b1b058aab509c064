//! Distances: published values, a second opinion by definition, and laws.

mod clusters;
mod corpus;
mod laws;
mod naive;
mod oracle;
mod reasons;

use dashu_ratio::RBig;
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure, integer_weights};
use volvelle_weighted::distance::Distance;

fn ratio(text: &str) -> RBig {
    text.parse().expect("a fraction")
}

fn finite(text: &str) -> Distance {
    Distance::Finite(ratio(text))
}

/// A structure with propositions `p`, `q`, ... from texts such as `"p"`, and steps `(from, weight, to)`.
fn structure(labels: &[&str], steps: &[(u32, &str, u32)]) -> WeightedStructure {
    let weights: Vec<RBig> = steps.iter().map(|step| ratio(step.1)).collect();
    let (unit, weights) = integer_weights(&weights).expect("small weights");
    let mut builder = WeightedBuilder::new();
    for (state, label) in labels.iter().enumerate() {
        let outgoing = steps.iter().zip(&weights).filter(|(step, _)| step.0 as usize == state);
        let outgoing: Vec<WeightedStep> =
            outgoing.map(|(step, &weight)| WeightedStep { weight, target: step.2 }).collect();
        builder.state(label.bytes().map(|name| (u32::from(name - b'p'), 1)), outgoing);
    }
    let names = ["p", "q", "r"].map(str::to_owned).to_vec();
    builder.finish(0, unit, names)
}

/// Few states with few propositions, so that many pairs are at finite distances.
fn random_structure(random: &mut Random, states: usize, weight: usize) -> WeightedStructure {
    let mut builder = WeightedBuilder::new();
    let (degree, kinds) = (1 + random.below(3), 1 + random.below(2));
    for _ in 0..states {
        let label = random.below(kinds) as u32;
        let steps: Vec<WeightedStep> = (0..random.below(degree + 1))
            .map(|_| WeightedStep {
                weight: random.below(weight + 1) as u64,
                target: random.below(states) as u32,
            })
            .collect();
        builder.state([(label, 1)], steps);
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

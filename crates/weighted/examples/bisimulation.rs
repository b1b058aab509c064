//! Times of weighted branching bisimulation on generated structures: `cargo run --release -p volvelle-weighted --example bisimulation -- 100000 [random,0..1,100]`.
#![allow(clippy::print_stdout)] // a program

use dashu_ratio::RBig;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::{Options, bisimulation};

/// A structure of a family, with weights from 1 (or 0) up to a limit. One in `rare` states has the
/// proposition.
fn structure(family: &str, states: usize, weights: (u64, u64), rare: usize) -> WeightedStructure {
    let mut random = Random(1);
    let mut builder = WeightedBuilder::new();
    let width = states.isqrt();
    for s in 0..states {
        let mut targets: Vec<usize> = match family {
            "chain" => vec![s + 1],
            "grid" => [s + 1, s + width].into_iter().filter(|t| t % width != 0 || *t != s + 1).collect(),
            "layered" => (0..3).map(|_| (s / width + 1) * width + random.below(width)).collect(),
            "ring" => vec![
                (s + 1) % states,
                if random.one_in(100) { random.below(states) } else { (s + 1) % states },
            ],
            _ => (0..3).map(|_| random.below(states)).collect(),
        };
        targets.retain(|&target| target < states);
        let span = (weights.1 - weights.0 + 1) as usize;
        let steps: Vec<WeightedStep> = targets
            .into_iter()
            .map(|target| WeightedStep {
                weight: weights.0 + random.below(span) as u64,
                target: target as u32,
            })
            .collect();
        let last = s + 1 == states;
        builder.state([(0, i64::from(last || (rare > 0 && random.one_in(rare))))], steps);
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned()])
}

fn main() {
    let states: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    println!("| structure | weights | p in one of | classes | seconds |\n|---|---|---|---|---|");
    for family in ["random", "chain", "grid", "layered", "ring"] {
        for weights in [(1, 1), (0, 1), (0, 3), (1, 10), (1, 1000)] {
            for rare in [0, 1000, 100, 10, 2] {
                let shape = format!("{family},{}..{},{rare}", weights.0, weights.1);
                if std::env::args().nth(2).is_some_and(|only| only != shape) {
                    continue;
                }
                let structure = structure(family, states, weights, rare);
                let mut control = Control::unlimited();
                let start = Instant::now();
                control.limits.deadline = Some(start + std::time::Duration::from_secs(60));
                let found = bisimulation(&structure, Options::default(), &control);
                let classes = found.map_or_else(|why| format!("{why:?}"), |found| found.count.to_string());
                let (seconds, (low, high)) = (start.elapsed().as_secs_f64(), weights);
                println!("| {family} | {low}..{high} | {rare} | {classes} | {seconds:.2} |");
            }
        }
    }
}

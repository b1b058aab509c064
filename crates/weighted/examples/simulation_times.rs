//! Times and sizes of largest simulations, by kind of structure: `cargo run --release -p volvelle-weighted --example simulation_times -- 100000`.
#![allow(clippy::print_stdout, reason = "its table is its result")]
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::time::{Duration, Instant};
use volvelle_control::{Control, Limits};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::{Window, simulation};

/// The targets of a state's steps.
fn targets(kind: &str, state: usize, states: usize, random: &mut Random) -> Vec<usize> {
    let side = states.isqrt();
    match kind {
        "random" => (0..3).map(|_| random.below(states)).collect(),
        "chain" => (state + 1..states).take(1).collect(),
        "ring" => vec![(state + 1) % states],
        "grid" => {
            let right = (state % side + 1 < side).then_some(state + 1);
            right.into_iter().chain([state + side]).filter(|&target| target < states).collect()
        }
        // Layers of a hundred states.
        "layered" => {
            let next = (state / 100 + 1) * 100;
            (0..3).map(|_| next + random.below(100)).filter(|&target| target < states).collect()
        }
        _ => unreachable!("the kinds are these"),
    }
}

fn structure(kind: &str, states: usize, valuations: usize, weights: usize) -> WeightedStructure {
    let mut random = Random(7);
    let mut builder = WeightedBuilder::new();
    for state in 0..states {
        let own = random.below(valuations) as u32;
        let targets = targets(kind, state, states, &mut random).into_iter();
        let step = |target| WeightedStep { weight: random.below(weights) as u64, target: target as u32 };
        builder.state([(own, 1)], targets.map(step).collect::<Vec<_>>());
    }
    let names = (0..valuations).map(|p| format!("p{p}")).collect();
    builder.finish(0, dashu_ratio::RBig::ONE, names)
}

fn main() {
    let states: usize =
        std::env::args().nth(1).map_or(10_000, |text| text.parse().expect("a number of states"));
    println!("| structure | valuations | weights below | relation | classes | pairs | seconds |");
    println!("|---|---|---|---|---|---|---|");
    for kind in ["random", "chain", "ring", "grid", "layered"] {
        for (valuations, weights) in [(2, 5), (2, 1_000_000), (20, 5), (20, 1_000_000)] {
            let structure = structure(kind, states, valuations, weights);
            for window in [Window::AtMost, Window::AtLeast] {
                let started = Instant::now();
                let limits = Limits {
                    memory_bytes: Some(3 << 30),
                    deadline: Some(started + Duration::from_secs(60)),
                    states: None,
                };
                let answer = simulation(
                    &structure,
                    &window,
                    Options::default(),
                    &Control { limits, ..Control::unlimited() },
                );
                let seconds = started.elapsed().as_secs_f64();
                let size = match answer {
                    Ok(relation) => format!("{} | {}", relation.num_classes(), relation.num_pairs()),
                    Err(failure) => format!("- | {failure:?}"),
                };
                println!("| {kind} | {valuations} | {weights} | {window:?} | {size} | {seconds:.2} |");
            }
        }
    }
}

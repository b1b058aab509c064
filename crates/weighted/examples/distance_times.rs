//! Times of distances: a random structure and a copy whose weights are up to one per cent larger.
//! `distance_times STATES LARGEST_WEIGHT KINDS_OF_STATES [all]`

#![allow(clippy::print_stdout, reason = "an example that reports times")]

use std::time::Instant;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::distance::{Kind, all_pairs, distance};

fn perturbed(states: usize, largest: usize, kinds: usize) -> WeightedStructure {
    let (mut random, mut builder, half) = (Random(7), WeightedBuilder::new(), states / 2);
    let mut all: Vec<(u32, Vec<WeightedStep>)> = Vec::new();
    for _ in 0..half {
        let steps = (0..2 + random.below(2))
            .map(|_| WeightedStep {
                weight: 1 + random.below(largest) as u64,
                target: random.below(half) as u32,
            })
            .collect();
        all.push((random.below(kinds) as u32, steps));
    }
    for (kind, steps) in &all {
        builder.state([(*kind, 1)], steps.iter().copied());
    }
    for (kind, steps) in &all {
        let steps = steps.iter().map(|step| WeightedStep {
            weight: step.weight + step.weight * random.below(101) as u64 / 10_000,
            target: step.target + half as u32,
        });
        builder.state([(*kind, 1)], steps);
    }
    let names = (0..kinds).map(|kind| format!("p{kind}")).collect();
    builder.finish(0, dashu_ratio::RBig::ONE, names)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments[place].parse::<usize>().expect("a number");
    let (states, largest, kinds) = (number(0), number(1), number(2));
    let structure = perturbed(states, largest, kinds);
    let control = Control::unlimited();
    for kind in [Kind::Ebd, Kind::Wbd] {
        let start = Instant::now();
        let found = if arguments.len() > 3 {
            let matrix = all_pairs(&structure, kind, &control).expect("no limits");
            format!("all pairs, {} different distances", matrix.levels().len())
        } else {
            let found = distance(&structure, 0, states as u32 / 2, kind, &control).expect("no limits");
            found.finite().map_or("infinite".to_owned(), ToString::to_string)
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("{states} states, weights to {largest}, {kinds} kinds, {kind:?}: {found}, {seconds:.4} s");
    }
}

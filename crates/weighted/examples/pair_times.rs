//! Times of relations and distances of one pair on generated structures, worst cases among them:
//! `cargo run --release -p volvelle-weighted --example pair_times -- 100000 [ebs,ubs,ebd,wbd,wbb] [seconds] [family] [2,1..10,3] [copy]`.
#![allow(clippy::print_stdout, reason = "its table is its result")]
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use dashu_ratio::RBig;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Limits};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::bisimulation::{Options, bisimulation};
use volvelle_weighted::distance::{Kind, distance};
use volvelle_weighted::{Verdict, Window, related};

/// Valuation and steps, by state.
type Plain = Vec<(u32, Vec<WeightedStep>)>;

/// A structure of a family; steps go to states of the structure itself.
fn family(name: &str, states: usize, valuations: usize, (least, most): (u64, u64), degree: usize) -> Plain {
    let (mut random, side) = (Random(7), states.isqrt());
    let mut all = Plain::new();
    for state in 0..states {
        let targets: Vec<usize> = match name {
            "random" => (0..1 + random.below(degree)).map(|_| random.below(states)).collect(),
            "chain" => vec![state + 1],
            "ring" => {
                let jumps = (1..degree).filter(|_| random.one_in(10)).count();
                let jumps: Vec<usize> = (0..jumps).map(|_| random.below(states)).collect();
                std::iter::once((state + 1) % states).chain(jumps).collect()
            }
            "grid" => {
                let right = (state % side + 1 < side).then_some(state + 1);
                right.into_iter().chain([state + side]).collect()
            }
            // Layers of a hundred states.
            "layered" => (0..degree).map(|_| (state / 100 + 1) * 100 + random.below(100)).collect(),
            _ => unreachable!("the families are these"),
        };
        let valuation = match name {
            "random" | "ring" => random.below(valuations),
            "chain" => state / 10 % valuations,
            "grid" => (state / side / 8 + state % side / 8) % valuations,
            _ => state / 400 % valuations,
        };
        let targets = targets.into_iter().filter(|&target| target < states);
        let steps = targets.map(|target| WeightedStep {
            weight: least + random.below((most - least + 1) as usize) as u64,
            target: target as u32,
        });
        all.push((valuation as u32, steps.collect()));
    }
    all
}

/// The structure, followed by a copy with other weights in which every state occurs twice: state 0 against
/// state `one.len()`.
fn against(one: &Plain, change: impl Fn(u64, &mut Random) -> u64, valuations: usize) -> WeightedStructure {
    let (mut random, mut builder) = (Random(9), WeightedBuilder::new());
    for (valuation, steps) in one {
        builder.state([(*valuation, 1)], steps.iter().copied());
    }
    for (valuation, steps) in one {
        for _ in 0..2 {
            let steps: Vec<WeightedStep> = steps
                .iter()
                .map(|step| WeightedStep {
                    weight: change(step.weight, &mut random),
                    target: one.len() as u32 + 2 * step.target + random.below(2) as u32,
                })
                .collect();
            builder.state([(*valuation, 1)], steps);
        }
    }
    builder.finish(0, RBig::ONE, (0..valuations).map(|p| format!("p{p}")).collect())
}

/// Processor time of this thread, if the system provides it (Linux); other programs affect it less than
/// wall-clock time.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let states: usize = arguments.first().map_or(10_000, |text| text.parse().expect("a number of states"));
    let kinds = arguments.get(1).map_or("ebs,ubs,ebd,wbd,wbb", String::as_str);
    let seconds: u64 = arguments.get(2).map_or(60, |text| text.parse().expect("seconds"));
    let only = |place: usize, value: &str| {
        arguments.get(place).is_none_or(|wanted| wanted == value || wanted == "all")
    };
    println!(
        "| family | valuations | weights | degree | copy | relation | answer | seconds |\n|---|---|---|---|---|---|---|---|"
    );
    for name in ["random", "ring", "chain", "grid", "layered"] {
        for (valuations, weights, degree) in [
            (2, (1, 10), 3),
            (2, (0, 1), 3),
            (2, (1, 100), 5),
            (3, (1, 10), 3),
            (3, (0, 3), 2),
            (5, (0, 1), 3),
            (20, (1, 10), 3),
        ] {
            let shape = format!("{valuations},{}..{},{degree}", weights.0, weights.1);
            if !only(3, name) || !only(4, &shape) {
                continue;
            }
            let one = family(name, states / 3, valuations, weights, degree);
            type Change = fn(u64, &mut Random) -> u64;
            let changes: [(&str, Change); 4] = [
                ("same", |weight, _| weight),
                ("lighter", |weight, random| weight - u64::from(weight > 1 && random.one_in(2))),
                ("heavier", |weight, random| weight + random.below(2) as u64),
                ("both", |weight, random| (weight + random.below(3) as u64).saturating_sub(1)),
            ];
            for (copy, change) in changes {
                if !only(5, copy) {
                    continue;
                }
                let structure = against(&one, change, valuations);
                for relation in kinds.split(',') {
                    let (started, cpu) = (Instant::now(), cpu_seconds());
                    let limits = Limits {
                        memory_bytes: Some(6 << 30),
                        deadline: Some(started + Duration::from_secs(seconds)),
                        states: None,
                    };
                    let control = Control { limits, ..Control::unlimited() };
                    let pair = (0, one.len() as u32);
                    let by_game = |window: &Window| {
                        related(&structure, pair, window, Options::default(), &control).map(|verdict| {
                            match verdict {
                                Verdict::Related(defence) => format!("yes, {} pairs", defence.pairs.len()),
                                Verdict::Unrelated(attack) => format!("no, {} pairs", attack.pairs.len()),
                            }
                        })
                    };
                    let by_distance = |kind: Kind| {
                        let found = distance(&structure, pair.0, pair.1, kind, &control)?;
                        Ok(found.finite().map_or("infinite".to_owned(), ToString::to_string))
                    };
                    let answer = match relation {
                        "ebs" => by_game(&Window::AtMost),
                        "ubs" => by_game(&Window::AtLeast),
                        "ebd" => by_distance(Kind::Ebd),
                        "wbd" => by_distance(Kind::Wbd),
                        _ if copy == "same" => bisimulation(&structure, Options::default(), &control)
                            .map(|found| format!("{} classes", found.count)),
                        _ => continue,
                    };
                    let seconds = cpu_seconds() - cpu;
                    let answer = answer.unwrap_or_else(|failure| format!("{failure:?}"));
                    let (least, most) = weights;
                    println!(
                        "| {name} | {valuations} | {least}..{most} | {degree} | {copy} | {relation} | {answer} | {seconds:.2} |"
                    );
                }
            }
        }
    }
}

//! Files for `benches/explicit/read.py`: makes large models, and times reading them.
//!
//! ```console
//! $ cargo run --release -p volvelle-explicit --example exchange -- make dtmc 1000000 10 chain.umb chain.drn
//! $ cargo run --release -p volvelle-explicit --example exchange -- read chain.umb
//! ```
//!
//! `make` writes a model with the given number of states and branches per state; equal numbers give equal files. `read`
//! prints one line of JSON: sizes, and the seconds from the bytes of the file to the checked model, then to what engines
//! take.
#![expect(clippy::print_stdout, reason = "an example says what it finds")]

use std::path::Path;
use std::time::Instant;
use volvelle_control::Control as Run;
use volvelle_explicit::{
    Companions, Compression, Control, Format, Input, Label, Model, Numbers, ReadOptions, Reward, Rows, Time,
    WriteOptions, read, write,
};
use volvelle_space::BitSet;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["make", kind, states, branches, ref files @ ..] => {
            let number = |text: &str| text.parse().map_err(|_| format!("{text} is not a number"));
            let model = model(kind, number(states)?, number(branches)?);
            files.iter().try_for_each(|file| make(&model, file))
        }
        ["read", file] => time(file, 1),
        ["read", file, threads] => time(file, threads.parse().map_err(|_| "threads is not a number")?),
        _ => Err("make KIND STATES BRANCHES FILE... | read FILE [THREADS]".to_owned()),
    }
}

/// Numbers that look random and are the same everywhere.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

fn model(kind: &str, states: usize, branches: usize) -> Model {
    let per_choice = if kind == "mdp" { branches.div_ceil(2) } else { branches };
    let choices_per_state = if kind == "mdp" { 2 } else { 1 };
    let (mut targets, mut values) = (Vec::new(), Vec::new());
    let (mut choice_starts, mut branch_starts) = (vec![0], vec![0]);
    let mut sequence = Sequence(7);
    for state in 0..states {
        for _ in 0..choices_per_state {
            let first = targets.len();
            // Neighbours, as models have them, and a few states far away.
            for i in 0..per_choice {
                let near = (state + 1 + i * i) % states;
                let far = sequence.next() as usize % states;
                targets.push(if i + 1 == per_choice { far } else { near } as u32);
            }
            targets[first..].sort_unstable();
            let mut row: Vec<u32> = targets.split_off(first);
            row.dedup();
            let weights: Vec<u64> = row.iter().map(|_| 1 + sequence.next() % 1000).collect();
            let sum: u64 = weights.iter().sum();
            values.extend(weights.iter().map(|&weight| weight as f64 / sum as f64));
            targets.append(&mut row);
            branch_starts.push(targets.len() as u32);
        }
        choice_starts.push(branch_starts.len() as u32 - 1);
    }
    let control = if kind == "mdp" { Control::Nondeterminism } else { Control::Chance };
    let time = if kind == "ctmc" { Time::Stochastic } else { Time::Discrete };
    let (choices, branches) = (Rows::from_starts(choice_starts), Rows::from_starts(branch_starts));
    let mut model = Model::new(time, control, choices, branches, targets);
    model.values = Some(Numbers::Double(values));
    if kind == "ctmc" {
        model.exit_rates = Some(Numbers::Double((0..states).map(|state| 1.0 + (state % 7) as f64).collect()));
    }
    model.initial = BitSet::new(states);
    model.initial.insert(0);
    let mut label = BitSet::new(states);
    (0..states).step_by(97).for_each(|state| {
        label.insert(state);
    });
    model.labels.push(Label { name: "goal".to_owned(), description: None, states: label });
    let rewards = (0..states).map(|state| (state % 5) as f64).collect();
    let states = Some(Numbers::Double(rewards));
    model.rewards.push(Reward { name: "cost".to_owned(), states, ..Reward::default() });
    model
}

fn make(model: &Model, file: &str) -> Result<(), String> {
    let format = Format::of_name(file).ok_or_else(|| format!("{file}: no format has this ending"))?;
    let compression = match (Compression::of_name(file).0, format) {
        (Compression::None, Format::Umb) => Compression::Gzip,
        (compression, _) => compression,
    };
    let mut out = std::fs::File::create(file).map_err(|error| format!("{file}: {error}"))?;
    write(model, format, compression, &WriteOptions::default(), &mut out, &Run::unlimited())
        .map(|_| ())
        .map_err(|error| format!("{file}: {error:?}"))
}

fn time(file: &str, threads: usize) -> Result<(), String> {
    let control = Run { threads, ..Run::unlimited() };
    let begin = Instant::now();
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let load = begin.elapsed();
    let beside = |ending: &str| {
        let path = Path::new(file).with_extension(ending);
        let is_transitions = Format::of_name(file) == Some(Format::PrismTransitions);
        if is_transitions { std::fs::read(path).ok() } else { None }
    };
    let labels = beside("lab");
    let companions = Companions {
        labels: labels.as_ref().map(|bytes| Input { name: "labels", bytes }),
        ..Companions::default()
    };
    let loaded = read(Input { name: file, bytes: &bytes }, &companions, &ReadOptions::default(), &control);
    let loaded = loaded.map_err(|finding| format!("{}: {}", finding.code, finding.message))?;
    let model = begin.elapsed();
    let converted = loaded.model.to_space(true, &control).map_err(|finding| finding.message)?;
    let space = begin.elapsed();
    println!(
        "{{\"states\": {}, \"transitions\": {}, \"load_s\": {:.4}, \"read_s\": {:.4}, \"space_s\": {:.4}}}",
        converted.space.num_states(),
        converted.space.num_transitions(),
        load.as_secs_f64(),
        model.as_secs_f64(),
        space.as_secs_f64()
    );
    Ok(())
}

//! Published models: what is known of them, and that Volvelle finds the same. Five programs, in one that is linked once:
//!
//! | name | models |
//! |---|---|
//! | `corpus` | of the PRISM language, by numbers: [`prism`] |
//! | `sampling_corpus` | the same, simulated: [`sampling`] |
//! | `strategies_corpus` | schedulers of their MDPs: [`strategies`] |
//! | `promela_corpus` | of Promela: [`promela`] |
//! | `exchange_corpus` | explicit models: [`exchange`] |
//!
//! Without the variables that say where models are, each is skipped. `cargo test --test corpus -- --exact NAME` runs one.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test program of its own: its output is the result"
)]

mod budget;
mod cases;
mod exchange;
mod judge;
mod prism;
mod promela;
mod run;
mod sampling;
mod strategies;
mod table;
mod tuning;

use std::process::ExitCode;

/// Gives whether all is well, or what it could not even begin for.
type Program = fn() -> Result<bool, String>;

const PROGRAMS: [(&str, Program); 5] = [
    ("corpus", prism::corpus),
    ("sampling_corpus", sampling::corpus),
    ("strategies_corpus", strategies::corpus),
    ("promela_corpus", promela::corpus),
    ("exchange_corpus", exchange::corpus),
];

fn main() -> ExitCode {
    // `cargo test NAME` and `--list` may mean other tests, or nothing to run.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let filters: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let fits = |name: &str, filter: &String| {
        if has("--exact") { name == filter } else { name.contains(filter.as_str()) }
    };
    let mut passed = true;
    for (name, program) in PROGRAMS {
        if !filters.is_empty() && !filters.iter().any(|filter| fits(name, filter)) {
            continue;
        }
        if has("--list") {
            println!("{name}: test");
            continue;
        }
        passed &= program().unwrap_or_else(|message| {
            eprintln!("{name}: {message}");
            false
        });
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

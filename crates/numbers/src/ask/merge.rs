//! `volvelle merge`: parts of a run become its answer.

use super::{compute, sampled};
use crate::options::{ComputeProperties, Merge, SamplePaths};
use clap::FromArgMatches;
use std::path::Path;
use std::time::Instant;
use volvelle_campaign::{Body, Identity, Joined, Round, join};
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::part::read_part;
use volvelle_console::question::{Ask, FileUse, LOG_AXES, Need};
use volvelle_console::refusal::refuse;
use volvelle_console::{door, files, packed, program};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_session::campaign::{PathWork, PointWork};

impl Ask for Merge {
    const NAME: &'static str = "merge";
    const FILES: &'static [(&'static str, FileUse)] = &[("parts", FileUse::Read), ("next", FileUse::Written)];
    const NEEDS: &'static [Need] = &[LOG_AXES];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Puts parts together, and answers as the command that made them would.
pub fn run(args: &'static Merge, output: &Output) -> u8 {
    let start = Instant::now();
    let mut diagnostics = Vec::new();
    let mut read = |path| read_part(path).map_err(|d| diagnostics.push(d)).ok();
    let parts: Vec<_> =
        args.parts.iter().filter_map(|path| Some((path.display().to_string(), read(path)?))).collect();
    if !diagnostics.is_empty() {
        return refuse(&diagnostics, args.answer.output.json, output);
    }
    let Joined { identity, rounds, body } = match join(parts) {
        Ok(joined) => joined,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let command = match command(&identity) {
        Ok(command) => command,
        Err(diagnostic) => return refuse(&[diagnostic], args.answer.output.json, output),
    };
    // Whoever has these files here as well wants to keep them.
    for file in &identity.files {
        let _ = door::note_read(Path::new(&file.path));
    }
    let refused = files::refusals();
    if !refused.is_empty() {
        return refuse(&refused, args.answer.output.json, output);
    }
    packed::give(identity.files.clone());
    let shown = match (command, body) {
        (Command::Simulate(mut simulated), Body::Paths(sections)) => {
            dress(&mut simulated, args);
            // The arguments live as long as the process, as those of any command.
            let simulated: &'static SamplePaths = Box::leak(simulated);
            let next = |paths: Option<Vec<[u64; 2]>>| write_next(args, &identity, rounds, paths, output);
            sampled::joined(simulated, PathWork::Joined(sections), next, start, output)
        }
        (Command::Check(mut checked), Body::Points(known, _)) => {
            dress_check(&mut checked, args);
            let checked: &'static ComputeProperties = Box::leak(checked);
            compute::joined(checked, PointWork { share: None, known }, start, output)
        }
        _ => Err(unknown(&identity).into()),
    };
    shown.unwrap_or_else(|refused| refused.show(args.answer.output.json, output))
}

/// The questions whose answers have parts.
enum Command {
    Check(Box<ComputeProperties>),
    Simulate(Box<SamplePaths>),
}

/// The command that made the parts.
fn command(identity: &Identity) -> Result<Command, Diagnostic> {
    let words = std::iter::once("volvelle").chain(identity.arguments.iter().map(String::as_str));
    let matches = program::command().try_get_matches_from(words).map_err(|_| unknown(identity))?;
    let parsed = match matches.subcommand() {
        Some(("check", options)) => {
            ComputeProperties::from_arg_matches(options).map(|check| Command::Check(Box::new(check)))
        }
        Some(("simulate", options)) => {
            SamplePaths::from_arg_matches(options).map(|simulate| Command::Simulate(Box::new(simulate)))
        }
        _ => return Err(unknown(identity)),
    };
    parsed.map_err(|_| unknown(identity))
}

fn unknown(identity: &Identity) -> Diagnostic {
    let message = "the parts were made by a command that this version does not know";
    Diagnostic::error(codes::PART_FOREIGN, message)
        .note(format!("version {}: volvelle {}", identity.version, identity.arguments.join(" ")))
        .help("use the version that made them")
}

/// Gives a command the options of `merge` about what is printed.
fn dress(simulated: &mut SamplePaths, args: &Merge) {
    simulated.plots.clone_from(&args.plots);
    simulated.explain = args.explain;
    simulated.limits.clone_from(&args.limits);
    simulated.answer.clone_from(&args.answer);
}

/// The same for `check`.
fn dress_check(checked: &mut ComputeProperties, args: &Merge) {
    checked.plots.clone_from(&args.plots);
    checked.explain.explain = args.explain;
    checked.limits.clone_from(&args.limits);
    checked.answer.clone_from(&args.answer);
}

/// Writes what the next round has to run, if there is one and it is wanted.
fn write_next(
    args: &Merge,
    identity: &Identity,
    rounds: u64,
    paths: Option<Vec<[u64; 2]>>,
    output: &Output,
) -> u8 {
    let (Some(path), Some(paths)) = (&args.next, paths) else { return 0 };
    let round = Round {
        volvelle: identity.version.clone(),
        round: rounds + 1,
        arguments: identity.arguments.clone(),
        paths,
    };
    let (mut written, mut diagnostics) = (Vec::new(), Vec::new());
    files::write(path, round.to_text().as_bytes(), &mut written, &mut diagnostics);
    output.print_diagnostics(&diagnostics, &Sources::new());
    if diagnostics.is_empty() { 0 } else { EXIT_USAGE }
}

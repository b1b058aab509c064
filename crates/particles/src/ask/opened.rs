//! What a run starts from: the files that are read, and the devices.

use super::places;
use crate::options::MoveBodies;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use volvelle_console::given::GivenOptions;
use volvelle_console::{cluster, devices, door, files};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_nbody::configuration::{Configuration, Initial};
use volvelle_nbody::files::Format;
use volvelle_nbody::{Bodies, Law, Physics, files as snapshots};
use volvelle_runtime::Context;

/// A run before its first step.
pub struct Opened {
    /// The name of the configuration.
    pub name: String,
    pub configuration: Configuration,
    pub physics: Physics,
    pub bodies: Bodies,
    /// The bodies of the configuration, if they are not those of the run.
    pub drawn: Option<Bodies>,
    pub context: Arc<Context>,
    pub sources: Sources,
}

/// Reads everything, and opens the devices.
pub fn open(
    args: &MoveBodies,
    given: &GivenOptions,
    threads: usize,
) -> Result<Opened, (Vec<Diagnostic>, Sources)> {
    let mut sources = Sources::new();
    match opened(args, given, threads, &mut sources) {
        Ok(opened) => Ok(Opened { sources, ..opened }),
        Err(diagnostics) => Err((diagnostics, sources)),
    }
}

fn opened(
    args: &MoveBodies,
    given: &GivenOptions,
    threads: usize,
    sources: &mut Sources,
) -> Result<Opened, Vec<Diagnostic>> {
    let one = |diagnostic: Diagnostic| vec![diagnostic];
    let text = files::read(&args.configuration).map_err(one)?;
    let file = sources.add(&text.name, &text.text);
    let configuration = Configuration::read(file, &text.text)?;
    let beside = |name: &str| -> PathBuf { args.configuration.parent().unwrap_or(Path::new("")).join(name) };
    let law = match &configuration.force {
        None => None,
        Some(force) => {
            let text = files::read(&beside(&force.path)).map_err(one)?;
            let file = sources.add(&text.name, &text.text);
            Some(Law::read(file, &text.text, &force.numbers)?)
        }
    };
    let drawn = configuration.initial.drawn().map_err(one)?;
    let (bodies, drawn) = match (&args.restart, drawn, &configuration.initial) {
        (Some(path), drawn, _) => {
            // The last bodies of the run itself are continued.
            let last = places::last(args, &configuration);
            (snapshot(path, door::is_same(path, &last), sources)?, drawn)
        }
        (None, None, Initial::File { path }) => (snapshot(&beside(path), false, sources)?, None),
        (None, drawn, _) => (drawn.unwrap_or_default(), None),
    };
    if bodies.time >= configuration.schedule.end {
        let (end, time) = (configuration.schedule.end, bodies.time);
        let message = format!("`end` is {end}, but the bodies are at time {time} already");
        return Err(vec![Diagnostic::error(codes::NBODY_VALUE, message).help("give `[run]` a later `end`")]);
    }
    let network = cluster::agree(given).map_err(one)?;
    let context = devices::context(&args.devices, threads, network, sources)?;
    let physics = configuration.physics(law);
    let name = text.name;
    Ok(Opened { name, configuration, physics, bodies, drawn, context, sources: Sources::new() })
}

/// The bodies of a snapshot.
fn snapshot(path: &Path, is_kept: bool, sources: &mut Sources) -> Result<Bodies, Vec<Diagnostic>> {
    let one = |diagnostic: Diagnostic| vec![diagnostic];
    match Format::of(path) {
        Some(format @ (Format::Csv | Format::Nemo)) => {
            let bytes = if is_kept { files::read_kept(path) } else { files::read_bytes(path) };
            snapshots::parse(format, &path.display().to_string(), &bytes.map_err(one)?, sources)
        }
        // The library opens files itself; and an unknown ending is told there.
        _ => {
            if !is_kept {
                door::note_read(path).map_err(|error| one(files::unreadable(path, &error)))?;
            }
            snapshots::read(path, sources)
        }
    }
}

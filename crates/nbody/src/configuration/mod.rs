//! Configurations of runs: texts in TOML.
//!
//! In: a text. Out: a [`Configuration`], or all mistakes in the text, with places. Opens no files: callers
//! read the files that the text names.

mod entries;
mod form;
mod initial;
mod physics;
mod run;

pub use form::CONFIGURATION;
pub use initial::Initial;
pub use physics::ForceFile;
pub use run::Outputs;

use crate::law::Law;
use crate::physics::{Force, Physics};
use crate::schedule::Schedule;
use entries::Section;
use std::sync::Arc;
use volvelle_declarations::{Codes, Reader, entries as in_order};
use volvelle_diagnostics::{Diagnostic, FileId, codes};

/// A run: its initial state, its forces, its end, and its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The bodies at the start.
    pub initial: Initial,
    /// The physics, with Newton's force.
    physics: Physics,
    /// The force law of one's own, if there is one.
    pub force: Option<ForceFile>,
    /// When it ends, and when it reports.
    pub schedule: Schedule,
    /// Largest relative change of the energy without a warning.
    pub largest_drift: f64,
    /// What it writes.
    pub outputs: Outputs,
}

/// What a configuration looks like.
const HELP: &str =
    "a configuration has sections such as [initial] and [run], with entries such as `end = 10.0`";

impl Configuration {
    /// Reads a configuration.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(file: FileId, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let codes = Codes { syntax: codes::NBODY_KEY, key: codes::NBODY_KEY, value: codes::NBODY_VALUE };
        let mut reader = Reader::new(file, text, codes);
        let Some(table) = reader.parse(HELP) else { return Err(reader.found) };
        let [mut initial, mut physics, mut run, mut output] = [const { None }; 4];
        for (key, value) in in_order(table.get_ref()) {
            let Some(entry) = reader.known(key, CONFIGURATION.entries) else { continue };
            let (name, known) = (entry.name, entry.shape.entries().unwrap_or_default());
            let entries = reader.table(name, value, &format!("`[{name}]`, and entries below it"));
            let section = entries.map(|entries| Section::new(name, key.span(), entries, known));
            match name {
                "initial" => initial = section,
                "physics" => physics = section,
                "run" => run = section,
                _ => output = section,
            }
        }
        if reader.found.is_empty() {
            for (name, section, example) in [
                ("initial", &initial, "[initial]\nmodel = \"plummer\"\nbodies = 1000"),
                ("run", &run, "[run]\nend = 10.0"),
            ] {
                if section.is_none() {
                    let message = format!("the configuration has no section `[{name}]`");
                    reader.report(
                        codes::NBODY_KEY,
                        message,
                        0..0,
                        &format!("add `{}`", example.replace('\n', "`, `")),
                    );
                }
            }
        }
        let initial = initial.and_then(|section| initial::read(&mut reader, section));
        let physics = physics::read(&mut reader, physics);
        let run = run.and_then(|section| run::read(&mut reader, section));
        let outputs = run::read_outputs(&mut reader, output, run.map(|(run, _)| run.end));
        match (initial, physics, run, outputs) {
            (
                Some(initial),
                Some((physics, force)),
                Some((run, largest_drift)),
                Some((outputs, snapshots)),
            ) if reader.found.is_empty() => {
                let schedule = Schedule { snapshots, ..run };
                Ok(Configuration { initial, physics, force, schedule, largest_drift, outputs })
            }
            _ => Err(reader.found),
        }
    }

    /// The physics; `law` is the content of the file of the [force](ForceFile), if there is one.
    pub fn physics(&self, law: Option<Law>) -> Physics {
        let force = law.map_or(Force::Newton, |law| Force::Law(Arc::new(law)));
        Physics { force, ..self.physics.clone() }
    }
}

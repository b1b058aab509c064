//! Where a run keeps its bodies.

use crate::options::MoveBodies;
use std::path::PathBuf;
use volvelle_nbody::configuration::Configuration;
use volvelle_nbody::files::Format as SnapshotFormat;

/// The folder of snapshots.
pub fn folder(args: &MoveBodies, configuration: &Configuration) -> PathBuf {
    let configured = configuration.outputs.folder.as_ref().map(PathBuf::from);
    let usual = || args.configuration.with_extension("").file_name().map(PathBuf::from);
    args.folder.clone().or(configured).or_else(usual).unwrap_or_else(|| "nbody".into())
}

/// The file of the last bodies.
pub fn last(args: &MoveBodies, configuration: &Configuration) -> PathBuf {
    folder(args, configuration).join(name_of_last(configuration.outputs.format))
}

/// Its name.
pub fn name_of_last(format: SnapshotFormat) -> String {
    format!("last.{}", format.endings()[0])
}

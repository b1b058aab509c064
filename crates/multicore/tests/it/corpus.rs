//! Where the golden data are.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that `VOLVELLE_MULTICORE_CORPUS` names, or the one next to the repository; `None` if there is
/// none, which a line reports.
pub fn folder(part: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/multicore");
    let folder = std::env::var_os("VOLVELLE_MULTICORE_CORPUS").map_or_else(beside, PathBuf::from);
    let folder = folder.join(part);
    if folder.is_dir() {
        return Some(folder);
    }
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let name = test.name().unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "skipped: {name}: there is no {}", folder.display());
    None
}

/// The text of a file.
pub fn text(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

//! Systems of the examples, and programs for them.

use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, codes, render};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Loaded, load};

/// A folder beside the crates.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Opens files of a folder.
pub fn open_in(folder: PathBuf) -> impl FnMut(&mut Sources, &str, FileId) -> Result<FileId, Box<Diagnostic>> {
    move |sources, name, _| {
        let text = std::fs::read_to_string(folder.join(name))
            .map_err(|error| Box::new(Diagnostic::error(codes::FILE_NOT_READ, error.to_string())))?;
        Ok(sources.add(name, text))
    }
}

/// An example, which has no mistakes.
pub fn example(sources: &mut Sources, name: &str) -> Loaded {
    let folder = folder("examples/rules");
    let text = std::fs::read_to_string(folder.join(name)).expect("the example is there");
    let file = sources.add(name, text);
    let mut found = Vec::new();
    let loaded = load(sources, file, &mut open_in(folder), &mut found);
    let told: String = found.iter().map(|flaw| shown(sources, flaw)).collect();
    assert!(found.is_empty(), "{told}");
    loaded.expect("without mistakes there is a system")
}

pub fn shown(sources: &Sources, diagnostic: &Diagnostic) -> String {
    format!("{}\n", render(diagnostic, sources, RenderOptions::default()))
}

/// No limits that a test reaches.
pub fn limits() -> Limits<'static> {
    Limits { bytes: 1 << 30, stop: &|| false }
}

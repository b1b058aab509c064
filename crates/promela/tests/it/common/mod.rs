//! Functions that the tests of the parser share.

use volvelle_diagnostics::{Diagnostic, RenderOptions, Severity, Sources, render_all};
use volvelle_promela::{Include, Parsed, parse};

/// Files that a model may include, by name.
pub struct Files<'a>(pub &'a [(&'a str, &'a str)]);

impl Include for Files<'_> {
    fn read(&mut self, name: &str) -> Option<String> {
        self.0.iter().find(|file| file.0 == name).map(|file| file.1.to_owned())
    }
}

/// Parses a text; renders its diagnostics, so that rendering is tested as well.
pub fn read_with(text: &str, files: &[(&str, &str)]) -> (Sources, Parsed, String) {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", text);
    let parsed = parse(&mut sources, file, &mut Files(files), &[]);
    let drawn = render_all(&parsed.diagnostics, &sources, RenderOptions::default());
    (sources, parsed, drawn)
}

/// The same without other files.
pub fn read(text: &str) -> (Sources, Parsed, String) {
    read_with(text, &[])
}

/// Parses a text that is right.
#[track_caller]
pub fn right(text: &str) -> Parsed {
    let (_, parsed, drawn) = read(text);
    assert!(!has_errors(&parsed.diagnostics), "{drawn}\n{text}");
    parsed
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

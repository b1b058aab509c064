//! LOTOS: an interpreter that follows the rules of the standard, random specifications, and any text.

pub mod bisimulation;
pub mod interpreter;
pub mod random_behaviours;

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lower::lower;
use volvelle_lotos::parse;

/// Reads and lowers a text: no panic, and diagnostics that can be drawn.
pub fn lotos_front(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text);
    let (mut tree, mut found) = parse::specification(file, text);
    found.extend(volvelle_lotos::library::add(&mut tree, &mut sources));
    let (lowered, more) = lower(&sources, &tree, Ranges { nat: 7, int: 3 });
    let refused = lowered.is_none();
    let all: Vec<_> = found.into_iter().chain(more).collect();
    let drawn = render_all(&all, &sources, RenderOptions::default());
    assert!(!refused || !drawn.is_empty(), "a specification is refused without a reason");
}

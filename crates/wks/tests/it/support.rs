//! Texts to systems and structures, where tests know that there are no mistakes.

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_space::WeightedStructure;
use volvelle_wks::wccs::{Unfolding, Wccs, read};

/// The system of a text without mistakes.
#[track_caller]
pub fn system(text: &str) -> Wccs {
    let mut sources = Sources::new();
    let file = sources.add("model.wccs", text);
    let (system, diagnostics) = read(file, text);
    system.unwrap_or_else(|| panic!("{}", render_all(&diagnostics, &sources, RenderOptions::default())))
}

/// The structure of a process.
#[track_caller]
pub fn explored(system: &Wccs, process: u32) -> WeightedStructure {
    let mut unfolding = Unfolding::new(system.clone(), process).expect("it is small");
    unfolding.explore(&mut |_, _| true).expect("it is small")
}

//! Texts to systems and structures, where tests know that there are no mistakes; and texts with mistakes.

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_random::Random;
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

/// A text in which characters are replaced, inserted or removed.
pub fn changed(text: &str, changes: usize, signs: &[char], random: &mut Random) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..changes {
        let at = random.below(text.len());
        let sign = random.pick(signs);
        match random.below(3) {
            0 => text[at] = sign,
            1 => text.insert(at, sign),
            _ => {
                text.remove(at);
            }
        }
    }
    text.into_iter().collect()
}

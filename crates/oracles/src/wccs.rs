//! Weighted CCS: texts never make the reader panic, and unfoldings are what the literal meaning says.

#[path = "../../wks/tests/it/literal.rs"]
mod literal;

use literal::{Plain, bisimilar, literal};
use volvelle_diagnostics::{RenderOptions, Sources, has_errors, render_all};
use volvelle_wks::wccs::{Unfolding, read};

/// States of an unfolding that are generated.
const STATES: usize = 200;

/// States of the literal meaning up to which the two are compared.
const LITERAL_STATES: usize = 60;

/// Bytes of a text up to which the two are compared: the literal meaning looks at each copy of a part.
const LONGEST_TEXT: usize = 2000;

/// Reads a text, unfolds its first process as far as the limits allow, and compares small ones with the literal interpreter.
///
/// # Panics
/// A text is refused without a reason, or the unfolding behaves differently.
pub fn wccs_text(text: &str) {
    let mut sources = Sources::new();
    let file = sources.add("model.wccs", text);
    let (system, diagnostics) = read(file, text);
    assert_eq!(system.is_none(), has_errors(&diagnostics), "a system is refused with a reason");
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
    let Some(system) = system else { return };
    let Ok(mut unfolding) = Unfolding::new(system, 0) else { return };
    let structure = unfolding.explore(&mut |states, _| states < STATES);
    for state in 0..unfolding.num_states().min(STATES) as u32 {
        assert!(!unfolding.text(state).is_empty(), "every state has a text");
    }
    let Ok(structure) = structure else { return };
    // Definitions that double each other have exponentially many parts.
    if text.len() > LONGEST_TEXT || unfolding.system().processes.len() > 8 {
        return;
    }
    if let Some(slow) = literal(unfolding.system(), 0, LITERAL_STATES) {
        assert!(structure.num_states() <= slow.steps.len(), "simplifications add no states");
        assert!(bisimilar(&slow, &Plain::of(&structure)), "behaviour is what the definitions say");
    }
}

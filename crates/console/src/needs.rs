//! Options that act only beside others.

use crate::given::GivenOptions;
use volvelle_diagnostics::{Diagnostic, codes};

/// Options that act only beside others.
pub struct Need {
    /// Names of the options' fields, and what a user writes.
    pub options: &'static [(&'static str, &'static str)],
    /// The condition.
    pub acts: fn(&GivenOptions) -> bool,
    /// Why they do nothing without it.
    pub why: &'static str,
    /// What gives them an effect.
    pub help: &'static str,
}

/// Axes of charts, where commands draw some.
pub const LOG_AXES: Need = Need {
    options: &[("log_axes", "--log-axes")],
    acts: |given| given.has("plot"),
    why: "it is about charts, and none is drawn",
    help: "draw one: --plot values.svg",
};

/// Options without effect beside the others, but for those of which something was `told`.
pub fn without_effect(needs: &[Need], given: &GivenOptions, mut told: Vec<&'static str>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for need in needs.iter().filter(|need| !(need.acts)(given)) {
        for (name, option) in need.options {
            if given.has(name) && !told.contains(name) {
                told.push(name);
                let message = format!("{option} has no effect here");
                let refusal = Diagnostic::error(codes::BAD_USAGE, message);
                diagnostics.push(refusal.note(need.why).help(need.help));
            }
        }
    }
    diagnostics
}

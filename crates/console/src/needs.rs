//! Options that act only beside others.

use crate::given::GivenOptions;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::constants;

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
    acts: |given| given.has("plot") || given.has("html") && has_course(given),
    why: "it is about charts, and none is drawn",
    help: "draw one: --plot values.svg",
};

/// Whether values are computed over times or a range of a constant, which pages draw.
fn has_course(given: &GivenOptions) -> bool {
    let constants: Vec<&str> = given.values("constants").collect();
    let is_swept = constants::parse(&constants).0.iter().any(|constant| constant.is_sweep);
    is_swept || given.has("times") || given.has("parts")
}

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

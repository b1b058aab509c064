//! Configurations that are decided by one run, because all their interleavings are proven to give the same time.

use volvelle_control::Control;
use volvelle_model::Program;
use volvelle_tune::Decided;
use volvelle_tune::search::Question;

/// The decided configurations.
pub(super) fn decided(_program: &Program, _question: &Question, _control: &Control<'_>) -> Vec<Decided> {
    Vec::new()
}

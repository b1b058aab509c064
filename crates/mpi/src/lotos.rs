//! The model as a LOTOS specification.

use crate::machine::Machine;
use crate::system::System;

/// The specification.
pub fn specification(_: &System, _: &Machine) -> String {
    String::new()
}

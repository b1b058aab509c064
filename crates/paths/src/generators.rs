//! Generators of random numbers, by their names.

use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_simulate::path::Generator;

/// The generator with this name.
pub fn generator(name: &str) -> Result<Generator, Diagnostic> {
    name.parse().map_err(|_| {
        let message = format!("there is no random number generator `{name}`");
        Diagnostic::error(codes::BAD_USAGE, message).help("write xoshiro128++ or philox")
    })
}

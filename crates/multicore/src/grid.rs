//! Machines that differ in some keys.

use crate::machine::{Machine, Protocols};
use volvelle_diagnostics::{Diagnostic, codes};

/// Most machines of one run.
pub const MOST_MACHINES: usize = 10_000;

/// A key, and the values that it takes one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The key.
    pub key: String,
    /// Its values; at least one.
    pub values: Vec<String>,
}

/// All machines with all combinations of values; the last key changes fastest. Their names state the values.
///
/// # Errors
/// An unknown key, a value that it cannot have, or more than [`MOST_MACHINES`].
pub fn machines(
    bases: &[Machine],
    sweeps: &[Sweep],
    protocols: &mut dyn Protocols,
) -> Result<Vec<Machine>, Vec<Diagnostic>> {
    let mut all = bases.to_vec();
    for sweep in sweeps {
        if all.len().saturating_mul(sweep.values.len()) > MOST_MACHINES {
            let message = format!("there are more than {MOST_MACHINES} machines");
            let found = Diagnostic::error(codes::MACHINE_VALUE, message);
            return Err(vec![found.help("sweep over fewer values at once")]);
        }
        let mut next = Vec::with_capacity(all.len() * sweep.values.len());
        for machine in &all {
            for value in &sweep.values {
                let mut changed = machine.clone();
                changed.set(&sweep.key, value, protocols)?;
                if sweep.values.len() > 1 {
                    changed.name = format!("{} {}={value}", machine.name, sweep.key);
                }
                next.push(changed);
            }
        }
        all = next;
    }
    for machine in &all {
        let named = |found: Diagnostic| vec![found.note(format!("in the machine `{}`", machine.name))];
        machine.check().map_err(|found| if all.len() > 1 { named(found) } else { vec![found] })?;
    }
    Ok(all)
}

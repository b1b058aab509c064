//! A protocol's table in dense form.

use volvelle_coherence::{MOST_STATES, Operation, Protocol, Source, State, check};
use volvelle_diagnostics::{Diagnostic, codes};

/// The effect of an operation, for one state of its own and the strongest state among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The new own state.
    pub own: u8,
    /// The new state of another cache, by its present state.
    pub others: [u8; MOST_STATES],
    /// Whether another cache may change its state.
    pub changes_others: bool,
    /// Nothing comes from other caches or memory.
    pub is_hit: bool,
}

/// The rule for own states under which the operation has the same effect whatever others hold, and changes
/// nothing there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quiet {
    pub is_quiet: bool,
    pub own: u8,
}

/// A protocol's table, ready to be run.
#[derive(Clone, Debug)]
pub struct ProtocolTable {
    pub(super) names: Vec<String>,
    pub(super) cells: Box<[[[Cell; MOST_STATES]; MOST_STATES]; 3]>,
    pub(super) quiet: [[Quiet; MOST_STATES]; 3],
    pub(super) dirty: [bool; MOST_STATES],
}

impl ProtocolTable {
    /// The table of a protocol.
    ///
    /// # Errors
    /// It is not coherent for any number of caches.
    pub fn new(protocol: &Protocol) -> Result<Self, Diagnostic> {
        if !check(protocol).is_proved() {
            let message =
                format!("the protocol `{}` is not coherent for any number of caches", protocol.name);
            let found = Diagnostic::error(codes::MACHINE_VALUE, message);
            return Err(found.help("`volvelle mpi` shows what goes wrong; correct its table"));
        }
        let states = protocol.states.len();
        // The proof says that cells without a rule are never needed.
        let unneeded = Cell {
            own: 0,
            others: std::array::from_fn(|state| state as u8),
            changes_others: false,
            is_hit: true,
        };
        let mut cells = Box::new([[[unneeded; MOST_STATES]; MOST_STATES]; 3]);
        let mut quiet = [[Quiet { is_quiet: false, own: 0 }; MOST_STATES]; 3];
        for operation in Operation::ALL {
            for own in 0..states {
                let mut same = None;
                let mut is_quiet = own > 0;
                for strongest in 0..states {
                    let (own_state, strongest_state) = (State(own as u8), State(strongest as u8));
                    let Some(rule) = protocol.rule(operation, own_state, strongest_state) else { continue };
                    let mut cell = Cell {
                        own: rule.own.0,
                        is_hit: protocol.transfer(rule.transfer).source == Source::None,
                        ..unneeded
                    };
                    for (state, new) in rule.others.iter().enumerate() {
                        cell.others[state] = new.0;
                    }
                    cell.changes_others =
                        (1..=strongest).any(|state| usize::from(cell.others[state]) != state);
                    // If one cache holds a block exclusively, no other holds it.
                    if strongest == 0 || !protocol.exclusive[own] {
                        is_quiet &=
                            cell.is_hit && !cell.changes_others && same.is_none_or(|same| same == cell.own);
                        same = Some(cell.own);
                    }
                    cells[operation as usize][own][strongest] = cell;
                }
                quiet[operation as usize][own] =
                    Quiet { is_quiet: is_quiet && same.is_some(), own: same.unwrap_or(0) };
            }
        }
        let dirty = std::array::from_fn(|state| protocol.dirty.get(state).copied().unwrap_or(false));
        Ok(ProtocolTable { names: protocol.states.clone(), cells, quiet, dirty })
    }
}

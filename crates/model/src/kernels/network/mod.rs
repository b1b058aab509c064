//! The successor kernel of processes.
//!
//! For every state of the batch, it emits the transitions of the process with exclusive control, or of all
//! processes by slot. A location's blocks come in order. After the transitions of a process come its offers,
//! with every other process that receives them. If nothing can move, it tries once more with
//! [`Place::Timeout`](crate::Place) set. If still nothing can move, a process with exclusive control gives it
//! up (the step [`RELEASE`]); otherwise the state is an end state, which is an error unless all processes may
//! stay.
//!
//! The number of a step is that of its transition (for a handshake, of the sending one), plus the slot of the
//! process shifted by 16. [`TRANSIENT`] is set if a process has exclusive control afterwards.

mod access;
mod body;
mod builder;
mod classes;
mod follow;
mod held;
mod options;
mod ordered;
pub mod ordered_mode;
mod run_on;

pub use options::{ACCEPTING, NetworkOptions, PROGRESS, RELEASE, TRANSIENT};

use super::KernelError;
use crate::network_layout::NetworkLayout;
use crate::program::Program;
use crate::steps::{Alternative, Effect, Outcome, Participant, Who};
use volvelle_kernel::Kernel;

/// Indices of the buffers of the kernel.
pub mod network_buffer {
    /// `read u64`: packed states.
    pub const STATES: usize = 0;
    /// `read u64`: `[first, end)`, the states to expand. In an ordered kernel, also where to begin
    /// ([`super::ordered_mode`]).
    pub const RANGE: usize = 1;
    /// `append u64`: packed successors.
    pub const SUCCESSORS: usize = 2;
    /// `append u32`: the step that led to each successor.
    pub const STEPS: usize = 3;
    /// `append u32`: successors up to the end of each state.
    pub const ENDS: usize = 4;
    /// `append u64`: bits of the observed labels of each state, with marks.
    pub const OBSERVATIONS: usize = 5;
    /// `append u64`: four words per error: state, successor or `u64::MAX`, site, step. A site of subject
    /// [`SiteSubject::Note`](crate::SiteSubject) is not an error, and has the value in place of the
    /// successor.
    pub const ERRORS: usize = 6;
    /// `append i64`: scratch for offers.
    pub const OFFERS: usize = 7;
    /// `read u64`: for each state, how many further steps of an atomic sequence may be taken in a loop,
    /// beyond those that are always taken at once. Read if [`super::NetworkKernel::runs_on`].
    pub const REACH: usize = 8;
    /// `append u32`: for each successor, the number of steps to it, if [`super::NetworkOptions::counted`].
    pub const LENGTHS: usize = 9;
    /// `read u64` tables from here on: [`super::NetworkKernel::tables`].
    pub const TABLES: usize = 10;
}

/// The successor kernel of processes.
#[derive(Clone, Debug)]
pub struct NetworkKernel {
    /// Expands states.
    pub kernel: Kernel,
    /// Makes the initial state, as its only successor.
    pub initialisation: Kernel,
    /// Words of a state.
    pub words: usize,
    /// The contents of the buffers from [`network_buffer::TABLES`] on, which the caller lends.
    pub tables: Vec<Vec<u64>>,
    /// Limit of `i64` elements that the offers of one process take.
    pub offers: usize,
    /// Whether it takes several steps of an atomic sequence at once ([`NetworkOptions::fused`]).
    pub is_fused: bool,
    /// Whether it continues in loops, as far as the caller allows ([`network_buffer::REACH`]).
    pub runs_on: bool,
    /// Whether it reports the number of steps to each successor ([`NetworkOptions::counted`]).
    pub is_counting: bool,
}

/// Makes the successor kernel.
pub fn network(
    program: &Program,
    layout: &NetworkLayout,
    options: &NetworkOptions,
) -> Result<NetworkKernel, KernelError> {
    if !program.applications.is_empty() {
        return Err(KernelError::Functions);
    }
    let is_instance = |p: &Participant| matches!(p.who, Who::Instance(..));
    let is_block = |a: &Alternative| matches!(&a.outcomes[..], [Outcome { effect: Effect::Block(_), .. }]);
    if !program.groups.iter().flat_map(|g| &g.participants).all(is_instance)
        || !program.network.alternatives().all(is_block)
    {
        return Err(KernelError::Mixed);
    }
    let transitions = program.network.alternatives().count();
    if transitions >= RELEASE as usize {
        return Err(KernelError::TooManyTransitions { transitions });
    }
    let mut expand = builder::Builder::new("expand", program, layout);
    expand.is_fusing = options.fused || options.counted;
    expand.is_counting = options.counted;
    let statements = expand.all_states(options);
    let runs_on = !expand.entries.is_empty();
    let mut initialisation = builder::Builder::new("initialisation", program, layout);
    let initial_statements = initialisation.initialisation();
    Ok(NetworkKernel {
        words: layout.words(),
        is_fused: options.fused || options.counted,
        runs_on,
        is_counting: options.counted,
        tables: tables(program, layout),
        offers: body::offers_capacity(program),
        kernel: expand.finish(statements),
        initialisation: initialisation.finish(initial_statements),
    })
}

/// For each pool, the bit where each slot begins and its number of bits; then the flags of all locations.
/// Each table ends with a zero, which is found for slots beyond the last.
fn tables(program: &Program, layout: &NetworkLayout) -> Vec<Vec<u64>> {
    let mut tables = Vec::new();
    for (pool, bits) in layout.shape().slots.iter() {
        let bases = layout.bases(pool);
        tables.push(bases.iter().map(|&b| u64::from(b)).chain([0]).collect());
        tables.push(bits.iter().map(|&b| u64::from(b)).chain([0]).collect());
    }
    let flags = |l: &crate::Location| {
        u64::from(l.is_end) | u64::from(l.is_accepting) << 1 | u64::from(l.is_progress) << 2
    };
    let own = ordered::own_locations(program);
    let flags = |(l, own): (&crate::Location, &bool)| flags(l) | u64::from(*own) << 3;
    tables.push(program.network.locations.iter().zip(&own).map(flags).chain([0]).collect());
    tables
}

//! Kernels generated from a program: successors and observations of batches of states.
//!
//! In: a [`Program`] and the [`Layout`](crate::Layout) of its states. Out: verified-by-construction kernels whose
//! expressions extend the program's own arena, so that local `i` is still field `i` and site `j` still
//! site `j`. Kernels work on batches: packed states in, packed results out.

mod builder;
pub mod dispatch;
mod dynamic;
mod label;
mod negotiate;
mod negotiate_loops;
mod network;
mod observe;
mod state;
mod step;
mod urgency;
mod weights;

pub use crate::selection::Selection;
pub use builder::{Scratch, StepOptions};
pub use label::label_values;
pub use network::{NetworkKernel, NetworkOptions, RELEASE, network, network_buffer, ordered_mode};
pub use observe::{ObserveKernel, observe};
pub use step::{StepKernel, needs_choices, step, step_buffer};
pub use weights::weights;

use crate::Program;

/// A program that kernels cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// On some action, more components with several alternatives synchronise than nested loops allow.
    TooManyParticipants {
        /// Index of the group.
        group: usize,
        /// How many participants have more than one alternative or outcome.
        varying: usize,
    },
    /// At some group, more combinations of alternatives exchange values than code is generated for.
    TooManyOffers {
        /// Index of the group.
        group: usize,
    },
    /// A negotiated value (given by no participant) has more possible values than are enumerated.
    TooManyValues {
        /// Index of the group.
        group: usize,
    },
    /// The program has instances that are created and end: see [`network()`].
    Processes,
    /// The program applies functions of the front end, but the analysis has no tables for them.
    Functions,
    /// The program has both fixed components and instances that are created and end.
    Mixed,
    /// More transitions than step numbers allow.
    TooManyTransitions {
        /// How many.
        transitions: usize,
    },
}

/// Largest number of participants with more than one alternative or outcome that a step may have.
pub const MAX_VARYING_PARTICIPANTS: usize = 120;

/// Largest number of participants of a step.
pub const MAX_PARTICIPANTS: usize = 1000;

fn sites(program: &Program) -> Vec<volvelle_kernel::SiteDecl> {
    let site = |(i, s): (usize, &crate::SiteInfo)| volvelle_kernel::SiteDecl { kind: s.kind, tag: i as u32 };
    program.sites.iter().enumerate().map(site).collect()
}

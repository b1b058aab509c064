//! Kernels made from a program: successors of many states, observations of many states.
//!
//! In: a [`Program`] and the [`Layout`](crate::Layout) of its states. Out: verified-by-construction kernels whose
//! expressions extend the program's own arena, so that local `i` is still field `i` and site `j` still
//! site `j`. Kernels work on batches: packed states in, packed results out.

mod builder;
mod dispatch;
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

pub use builder::{Scratch, StepOptions};
pub use label::label_values;
pub use network::{NetworkKernel, NetworkOptions, RELEASE, network, network_buffer, ordered_mode};
pub use observe::{ObserveKernel, Selection, observe};
pub use step::{StepKernel, needs_choices, step, step_buffer};
pub use weights::weights;

use crate::Program;

/// A program that kernels cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// More components with several alternatives synchronise on an action than nested loops allow.
    TooManyParticipants {
        /// Index of the group.
        group: usize,
        /// How many participants have more than one alternative or outcome.
        varying: usize,
    },
    /// More combinations of alternatives exchange values at a group than code is made for.
    TooManyOffers {
        /// Index of the group.
        group: usize,
    },
    /// A negotiated value, which no participant gives, has more possible values than are enumerated.
    TooManyValues {
        /// Index of the group.
        group: usize,
    },
    /// Instances come and go: see [`network()`].
    Processes,
    /// It applies functions that the front end evaluates, which the analysis has no tables for.
    Functions,
    /// Components that are always there step beside instances that come and go.
    Mixed,
    /// More transitions than step numbers have room for.
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

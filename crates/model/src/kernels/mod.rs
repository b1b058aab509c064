//! Kernels made from a program: successors of many states, observations of many states.
//!
//! In: a [`Program`] and the [`Layout`](crate::Layout) of its states. Out: verified-by-construction kernels whose
//! expressions extend the program's own arena, so that local `i` is still field `i` and site `j` still
//! site `j`. Kernels work on batches: packed states in, packed results out.

mod builder;
mod dynamic;
mod network;
mod observe;
mod reweigh;
mod state;
mod step;

pub use builder::{SUM_TOLERANCE, Scratch, StepOptions};
pub use network::{NetworkKernel, NetworkOptions, RELEASE, network, network_buffer};
pub use observe::{ObserveKernel, Selection, observe};
pub use reweigh::reweigh;
pub use step::{StepKernel, needs_choices, step, step_buffer};

use crate::{Kind, Program};

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
    /// Instances come and go: see [`network()`].
    Processes,
    /// Components that are always there step beside instances that come and go.
    Mixed,
    /// Some steps race while others are chosen.
    Kind(Kind),
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

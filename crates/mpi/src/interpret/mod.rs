//! The reference semantics of a system on a machine: concrete states, the steps that are possible in a view, and what each of them does.
//!
//! Slow and obvious: the graph of a process is walked node by node with numbers for locals. Nothing is shared with [`crate::lower`] but the
//! answer to where zero-time code ends ([`crate::lower::cuts`]) and the spelling of names, so that each of the two checks the other.
//! [`crate::simulate`] runs on the same states.
//!
//! What a step is:
//! - An access reads or writes memory and changes caches at its start; then its latency passes; then, in zero time, the process computes
//!   up to its next access ([`Atomicity`](crate::machine::Atomicity) says what is different where caches change in its middle).
//! - With time, steps that take none come before latencies, those of the first process first if the view is ordered.
//! - Without time, annotations come before accesses, which come in any order.
//! - A process that makes a mistake says so in a step of its own, and stops.

mod access;
mod caches;
mod evaluate;
mod label;
mod perform;
mod state;
mod steps;
mod walk;

pub use label::{Label, Names};
pub use state::{At, ProcessState, State, Transfer};
pub use steps::{Step, StepKind};

use crate::lower::{View, cuts};
use crate::machine::Machine;
use crate::system::System;

/// A system on a machine, seen in a view.
pub struct Interpreter<'a> {
    /// The system.
    pub system: &'a System,
    /// The machine.
    pub machine: &'a Machine,
    /// What is a step.
    pub view: View,
    /// By process and node, whether zero-time code ends there.
    cuts: Vec<Vec<bool>>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter for a view.
    pub fn new(system: &'a System, machine: &'a Machine, view: View) -> Self {
        let cuts = system.processes.iter().map(|process| cuts(process, view)).collect();
        Interpreter { system, machine, view, cuts }
    }

    /// Whether time passes.
    fn is_timed(&self) -> bool {
        matches!(self.view, View::Timed { .. })
    }

    /// Whether an access is one step and annotations are verified.
    fn is_untimed(&self) -> bool {
        matches!(self.view, View::Untimed { .. })
    }

    /// Whether it is noted which copies are the latest.
    fn tracks(&self) -> bool {
        self.view == View::Untimed { tracks_copies: true }
    }
}

//! Properties that hold for every input, which tests and fuzzers check.
//!
//! Takes texts and programs, right or wrong; gives nothing, or panics where a promise of the product is broken, since
//! that is what fuzzers and tests understand. Each function is the body of a fuzzer in `fuzz/`, and is run on fixed
//! inputs by the tests of this crate:
//!
//! - [`prism_model`], [`prism_properties`]: front ends never panic, diagnostics can be drawn, and what is printed
//!   parses to what was printed;
//! - [`promela_front`]: the same for the text of Promela models, and for trees that bytes choose;
//! - [`opencl_front`]: reading OpenCL kernels never panics, and models that are written of them parse as Promela;
//! - [`lotos_front`]: the same for the text of LOTOS specifications; [`lotos`] also has an interpreter of the standard's rules, and
//!   random specifications;
//! - [`kernel_text`]: the same as for PRISM for the text form of kernels;
//! - [`explore_differential`]: exploring with native code and with the interpreter, on one thread and on several,
//!   gives the same states, transitions and values, bit for bit, or the same diagnostic ([`tiers`]);
//! - [`vector_levels`]: kernels over many lanes give on every level what the interpreter gives lane by lane;
//! - [`path_tiers`]: paths of simulations are the same, bit for bit, for every way to run them, and as walked step by step;
//! - [`explicit_text`], [`explicit_archive`], [`explicit_round_trip`]: files of explicit models never make a reader panic,
//!   and what was read or generated is written and read again unchanged;
//! - [`labelled_text`]: files of labelled transition systems never make the reader panic, are read the same by any number of
//!   threads, and are written and read again unchanged;
//! - [`network_text`]: reading networks never panics, and strategies of composition give equivalent systems;
//! - [`campaign_part`]: parts of campaigns never make a reader panic, and what was read is written and read again unchanged;
//! - [`snapshot_text`]: files of particle systems never make a reader panic, and what was read is written and read again unchanged;
//! - [`program_bytes`], [`instruction_words`]: programs for RISC-V never make the emulator panic, and do the same in pieces of any length;
//! - [`trace_bytes`], [`stream_text`]: traces and streams never make a reader panic, what was read is recorded and read again, cycles add
//!   up and are no fewer than their bounds;
//! - [`hoa_text`]: files of automata never make the reader panic, and automaton and complement share out all words;
//! - [`wccs_text`]: reading weighted CCS never panics, and its states are those of the literal meaning;
//! - [`weighted_text`], [`weighted_json`], [`wctl_text`]: reading weighted structures and formulas of weighted CTL never panics, and what was
//!   read is written and read again unchanged;
//! - [`mcl`]: reading formulas of the mu-calculus never panics, what is printed parses to what was printed, and a formula has the same
//!   verdict on the evidence for it as on the system;
//! - [`mpi::compare_with_interpreter`]: the program of a system of message-passing processes does what the reference semantics says;
//! - [`tuning_text`]: conditions, lists of values and files of tuners never make a reader panic;
//! - [`promela_walk`]: successors of processes by native code and by the interpreter are the same, bit for bit;
//! - [`atomic_sequences`]: searches through long atomic sequences find what searches step by step find;
//! - [`slices`]: searches for the least cost that leave out orders of steps find what those find that do not;
//! - [`symmetry::compare`]: states that differ by a permutation of interchangeable modules behave alike, and the space of those
//!   that stand for them is what putting them together gives;
//! - [`sweep::compare`]: a state space that is turned into that of another program is what exploring that gives.
//!
//! No part of the product: only tests and fuzzers depend on it.

mod atomic_sequences;
mod automata;
mod campaigns;
mod executions;
mod explicit;
mod exploration;
mod kernels;
pub mod lotos;
mod mcl;
pub mod mpi;
pub mod mutations;
mod opencl;
mod paths;
mod prism;
mod processes;
mod promela;
mod schedules;
mod slices;
mod snapshots;
pub mod sweep;
pub mod symmetry;
mod systems;
pub mod tiers;
mod tuning;
mod vector;
mod wccs;
mod weighted;

pub use atomic_sequences::{Compared, atomic_sequences, long_atomic_model};
pub use automata::hoa_text;
pub use campaigns::campaign_part;
pub use executions::{instruction_words, program_bytes, stream_text, trace_bytes};
pub use explicit::{explicit_archive, explicit_round_trip, explicit_text};
pub use exploration::{explore_differential, lowered, model_text};
pub use kernels::kernel_text;
pub use lotos::lotos_front;
pub use mcl::mcl;
pub use opencl::opencl_front;
pub use paths::path_tiers;
pub use prism::{prism_model, prism_properties};
pub use processes::{Walk, promela_schedules, promela_slices, promela_tiers, promela_walk};
pub use promela::promela_front;
pub use schedules::{Agreement, schedules};
pub use slices::{Slices, Wanted, slices};
pub use snapshots::snapshot_text;
pub use systems::{labelled_text, network_text};
pub use tuning::tuning_text;
pub use vector::vector_levels;
pub use wccs::wccs_text;
pub use weighted::{wctl_text, weighted_json, weighted_text};

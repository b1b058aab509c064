//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle --test it code_pages::` runs one.

#![allow(clippy::disallowed_methods)] // tests are outsiders: they look at files as users do

mod campaigns;
mod clusters;
mod code_pages;
mod common;
mod cuda;
mod devices;
mod distributions;
mod documents;
mod effects;
mod errors;
mod exact;
mod examples;
mod experiments;
mod explicit;
#[cfg(unix)]
mod files;
mod full_space;
mod hopeless;
mod hostile;
mod json;
mod kernels;
mod kinds;
mod language;
mod limits;
mod measuring;
mod methods;
mod mpi;
mod multicore;
mod multicore_emit;
mod multicore_pages;
mod nbody;
mod odd_inputs;
mod options;
mod pages;
mod paths;
mod pipelines;
mod processes;
mod promela_edges;
mod promela_language;
mod rare;
mod rates;
mod replays;
mod rows;
mod scaling;
mod schedulers;
mod simulation;
mod spin;
mod spin_trails;
mod systems;
mod thresholds;
mod tuning;
mod usage;
mod ways_out;
mod weighted;

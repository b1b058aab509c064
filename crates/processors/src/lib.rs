//! `volvelle multicore`: programs on multicores that execute tasks ahead.

mod answer;
mod asked;
mod choice;
mod effects;
mod emit;
mod executed;
mod figures;
mod found;
mod gain;
mod goal;
mod json;
mod meter;
pub mod options;
mod outputs;
mod page;
mod pages;
mod passes;
mod precise;
mod record;
mod report;
mod run;
mod screen;
mod search;
mod source;
mod streams;
mod unfit;
mod windows;
mod world;

pub use run::run;

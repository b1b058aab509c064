//! Random programs: exploration, code generation and analyses against slow and obvious ones.

mod against_reference;
mod exact;
mod generate;
mod intervals;
mod levels;
mod reference;
mod searches;
mod sweep;

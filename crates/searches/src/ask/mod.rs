//! The questions that searches and single runs answer.

mod lint;
mod run;
mod search;
mod step;

//! Tests of N4JS.

mod assignments;
mod calls;
mod checked;
mod expressions;
mod functions;
mod names;
mod patterns;
mod statements;

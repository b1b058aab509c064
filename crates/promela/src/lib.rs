//! The front end of Promela.

pub mod ast;

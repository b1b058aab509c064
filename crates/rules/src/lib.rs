//! Type systems as rules.
//!
//! A rule file declares judgments, and rules that say when they hold; a grammar says what programs look like. [`system::load`] reads
//! both, finds what is wrong with them, and gives a system: [`system::Loaded::check`] makes its checks on a program,
//! [`system::Loaded::ask`] asks one judgment. Text ([`parse`]) becomes a tree ([`ast`]), names and types are found ([`check`], [`ir`]),
//! rules become instructions ([`lower`]) of a register machine ([`machine`]).
pub mod ast;
pub mod check;
pub mod code;
mod derived;
pub mod dispatch;
pub mod failure;
pub mod ir;
pub mod language;
pub mod lower;
pub mod machine;
mod memo;
mod noted;
pub mod parse;
mod steps;
pub mod system;
pub mod tokens;
pub mod types;
pub mod value;
mod watch;

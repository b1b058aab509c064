//! Type systems as rules.
pub mod ast;
pub mod check;
pub mod code;
pub mod dispatch;
pub mod failure;
pub mod ir;
pub mod lower;
pub mod machine;
mod memo;
pub mod parse;
pub mod tokens;
pub mod types;
pub mod value;

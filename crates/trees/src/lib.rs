//! Trees of texts.
//!
//! [`Classes`] says which classes of nodes a language has, what they are kinds of, and which fields they have. A [`Tree`] holds the
//! nodes of one or more files in flat arrays. Grammars (module [`grammar`]) make both: a grammar declares the classes, and reads a text
//! as a tree. Parsers written by hand, and languages that have a tree already, fill the same arrays with [`Tree::node`];
//! their classes are a table in the program ([`classes!`]).

pub mod classes;
pub mod grammar;
pub mod interner;
pub mod table;
pub mod tree;

pub use classes::{Class, ClassId, Classes, Field, FieldId, Flaw, Shape};
pub use interner::{Interner, Symbol};
pub use tree::{ListId, NodeId, Placed, Slot, Tree};

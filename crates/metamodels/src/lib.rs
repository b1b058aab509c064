//! Models of our own languages as trees, for rules: `language prism`, `language promela` and `language lotos`.
//!
//! The front ends read texts as syntax trees of their own types. Here these become flat trees with classes and fields, a table for each
//! language, in which every node has its place in the text. What names mean is for rules to say. Nothing is evaluated or lowered.

mod annotations;
mod builder;
mod comments;
mod lotos;
mod prism;
mod promela;

pub use lotos::{Lotos, classes as lotos_classes};
pub use prism::{Prism, classes as prism_classes};
pub use promela::{Promela, classes as promela_classes};

use std::rc::Rc;
use volvelle_rules::language::Language;

/// The languages that rule files can name.
pub fn languages() -> Vec<(&'static str, Rc<dyn Language>)> {
    vec![
        (Prism::NAME, Rc::new(Prism::new())),
        (Promela::NAME, Rc::new(Promela::new())),
        (Lotos::NAME, Rc::new(Lotos::new())),
    ]
}

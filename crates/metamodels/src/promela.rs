//! Promela for rule files: `language promela`.

mod classes;
mod expressions;
mod statements;
mod units;

pub use classes::classes;

use crate::builder::Builder;
use std::rc::Rc;
use units::Units;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_promela::Include;
use volvelle_rules::language::Language;
use volvelle_trees::{Classes, Interner, NodeId, Tree};

/// The language: models in one file, with macros and inlines as what they stand for. What came through a call has the place of the call.
#[derive(Debug)]
pub struct Promela {
    classes: Rc<Classes>,
}

impl Promela {
    /// Its name in rule files.
    pub const NAME: &'static str = "promela";

    /// The language.
    pub fn new() -> Self {
        Promela { classes: Rc::new(classes()) }
    }
}

impl Default for Promela {
    fn default() -> Self {
        Self::new()
    }
}

/// A tree is of one text.
struct Nothing;

impl Include for Nothing {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

impl Language for Promela {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn read(
        &self,
        tree: &mut Tree,
        texts: &mut Interner,
        file: FileId,
        text: &str,
        found: &mut Vec<Diagnostic>,
    ) -> NodeId {
        tree.begin(file);
        let is_small = u32::try_from(text.len()).is_ok();
        if !is_small {
            let diagnostic = Diagnostic::error(codes::TEXT_SYNTAX, "the text has more than 4 GiB");
            found.push(diagnostic.at(Span::new(file, 0, 0), ""));
        }
        let text = if is_small { text } else { "" };
        // The parser has texts of its own, in which this one has the number that it has for the caller.
        let mut sources = Sources::new();
        for _ in 0..file.0 {
            sources.add("", "");
        }
        let own = sources.add("", text);
        let parsed = volvelle_promela::parse(&mut sources, own, &mut Nothing, &[]);
        found.extend(parsed.diagnostics);
        let builder = Builder { tree, texts, classes: &self.classes };
        let whole = Span { file, start: 0, end: text.len() as u32 };
        let root = Units::new(builder, &parsed.model, text).model(whole);
        tree.root(root);
        root
    }
}

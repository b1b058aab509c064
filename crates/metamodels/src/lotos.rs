//! LOTOS for rule files: `language lotos`.

mod behaviours;
mod classes;
mod definitions;
mod held;

pub use classes::classes;

use crate::builder::Builder;
use definitions::Definitions;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_rules::language::Language;
use volvelle_trees::{Classes, Interner, NodeId, Tree};

/// The language. The types of libraries are not read.
#[derive(Debug)]
pub struct Lotos {
    classes: Rc<Classes>,
}

impl Lotos {
    /// Its name in rule files.
    pub const NAME: &'static str = "lotos";

    /// The language.
    pub fn new() -> Self {
        Lotos { classes: Rc::new(classes()) }
    }
}

impl Default for Lotos {
    fn default() -> Self {
        Self::new()
    }
}

impl Language for Lotos {
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
        let (parsed, flaws) = volvelle_lotos::parse::specification(file, text);
        found.extend(flaws);
        let builder = Builder { tree, texts, classes: &self.classes };
        let whole = Span { file, start: 0, end: text.len() as u32 };
        let root = Definitions::new(builder, &parsed, text).description(whole);
        tree.root(root);
        root
    }
}

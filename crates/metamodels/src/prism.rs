//! PRISM for rule files: `language prism`.

mod classes;
mod declarations;
mod expressions;

pub use classes::classes;

use crate::annotations::{Annotations, FUNCTIONS};
use crate::builder::Builder;
use crate::comments::Comments;
use declarations::Declarations;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, FileId, Span};
use volvelle_prism::lex::{Quotes, lex};
use volvelle_rules::language::{Host, Language};
use volvelle_trees::{Classes, Interner, NodeId, Tree};

/// The language: models, not files of properties.
#[derive(Debug)]
pub struct Prism {
    classes: Rc<Classes>,
}

impl Prism {
    /// Its name in rule files.
    pub const NAME: &'static str = "prism";

    /// The language.
    pub fn new() -> Self {
        Prism { classes: Rc::new(classes()) }
    }
}

impl Default for Prism {
    fn default() -> Self {
        Self::new()
    }
}

impl Language for Prism {
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
        let (model, flaws) = volvelle_prism::parse::model_text(file, text);
        found.extend(flaws);
        // The parser tells of a text with larger offsets, and reads nothing of it.
        let text = if u32::try_from(text.len()).is_ok() { text } else { "" };
        let tokens = lex(file, text, Quotes::Names).tokens;
        let starts = tokens.iter().map(|token| token.start as usize).chain([text.len()]);
        let ends = std::iter::once(0).chain(tokens.iter().map(|token| token.end as usize));
        let comments = Comments::new(text, ends.zip(starts));
        let whole = Span { file, start: 0, end: text.len() as u32 };
        let builder = Builder { tree, texts, classes: &self.classes };
        let root = Declarations::new(builder, &model, &comments, text).model(whole);
        tree.root(root);
        root
    }

    fn functions(&self) -> &'static [&'static str] {
        FUNCTIONS
    }

    fn host(&self, _: &Tree, _: &Interner, _: &[&str]) -> Option<Rc<dyn Host>> {
        Some(Rc::new(Annotations::new(self.classes.clone())))
    }
}

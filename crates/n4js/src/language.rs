//! N4JS for rule files: `language n4js`.

use crate::Syntax;
use crate::binding::{Bound, FUNCTIONS, Fields};
use std::rc::Rc;
use volvelle_diagnostics::{Code, Diagnostic, FileId, codes};
use volvelle_rules::language::{Host, Language};
use volvelle_trees::{Classes, Interner, NodeId, Tree};

/// The language.
#[derive(Debug)]
pub struct N4js {
    fields: Rc<Fields>,
    syntax: Syntax,
}

impl N4js {
    /// Its name in rule files.
    pub const NAME: &'static str = "n4js";

    /// The language.
    pub fn new(syntax: Syntax) -> Self {
        N4js { fields: Rc::new(Fields::new()), syntax }
    }
}

impl Default for N4js {
    fn default() -> Self {
        Self::new(Syntax::Current)
    }
}

/// Declarations of what JavaScript has.
pub const LIBRARY: (&str, &str) = ("builtin.n4jsd", include_str!("../library/builtin.n4jsd"));

const LIBRARIES: &[(&str, &str)] = &[LIBRARY];

impl Language for N4js {
    fn classes(&self) -> &Classes {
        &self.fields.classes
    }

    fn read(
        &self,
        tree: &mut Tree,
        texts: &mut Interner,
        file: FileId,
        text: &str,
        found: &mut Vec<Diagnostic>,
    ) -> NodeId {
        crate::parse(tree, texts, file, text, self.syntax, found)
    }

    fn libraries(&self) -> &'static [(&'static str, &'static str)] {
        LIBRARIES
    }

    fn functions(&self) -> &'static [&'static str] {
        FUNCTIONS
    }

    fn host(&self, tree: &Tree, texts: &Interner, files: &[&str]) -> Option<Rc<dyn Host>> {
        Some(Rc::new(Bound::new(self.fields.clone(), tree, texts, files)))
    }

    fn code(&self) -> Code {
        codes::N4JS_TYPE
    }

    fn checks_all(&self) -> bool {
        true
    }
}

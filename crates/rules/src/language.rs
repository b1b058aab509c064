//! Languages of programs: grammars, and those that have a parser of their own.

use crate::value::{Heap, Value};
use std::fmt::Debug;
use std::rc::Rc;
use volvelle_diagnostics::{Code, Diagnostic, FileId, codes};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::{Classes, Interner, NodeId, Tree};

/// A language: its classes, and how its texts become trees.
pub trait Language: Debug {
    /// The classes of its nodes.
    fn classes(&self) -> &Classes;

    /// Reads a text as a file of the tree; gives the node of all of it. There is one for every text.
    fn read(
        &self,
        tree: &mut Tree,
        texts: &mut Interner,
        file: FileId,
        text: &str,
        found: &mut Vec<Diagnostic>,
    ) -> NodeId;

    /// Texts that all programs can name, with their names: they are read before the program, and are not checked.
    fn libraries(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Names of functions that it has for rule files, which declare them with `host`.
    fn functions(&self) -> &'static [&'static str] {
        &[]
    }

    /// What gives the values of these functions for the texts of a tree: libraries first, then the files of a program, which have names.
    fn host(&self, _tree: &Tree, _texts: &Interner, _files: &[&str]) -> Option<Rc<dyn Host>> {
        None
    }

    /// The code of what rules find in programs.
    fn code(&self) -> Code {
        codes::RULE_FAILED
    }

    /// Whether programs are checked whose form is wrong.
    fn checks_all(&self) -> bool {
        false
    }
}

/// Functions of a language, for the texts of one tree. They depend on nothing else: what calls them may be kept.
pub trait Host: Debug {
    /// The value of the function with a number among [`Language::functions`]. Arguments may be null.
    fn call(&self, function: usize, tree: &Tree, heap: &mut Heap, args: &[Value]) -> Value;
}

impl Language for Grammar {
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
        self.parse(tree, texts, file, text, found)
    }
}

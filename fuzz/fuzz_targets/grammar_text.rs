//! Any text as a grammar, which then reads a part of itself: neither fails, and a tree has a root for each text.
#![no_main]

use volvelle_diagnostics::FileId;
use volvelle_trees::grammar::Grammar;
use volvelle_trees::{Interner, Tree};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut found = Vec::new();
    let Some(grammar) = Grammar::read(FileId(0), text, &mut found) else {
        assert!(!found.is_empty(), "a grammar without mistakes is one");
        return;
    };
    let (mut tree, mut texts) = (Tree::new(), Interner::new());
    let root = grammar.parse(&mut tree, &mut texts, FileId(1), text, &mut found);
    assert_eq!(tree.roots(), [root]);
});

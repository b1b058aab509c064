//! Any text as a program of N4JS, in both forms of its types: it makes a tree, what is in a node is within it, and all hangs on the root.
#![no_main]

use volvelle_diagnostics::FileId;
use volvelle_n4js::{Syntax, parse};
use volvelle_trees::{Interner, Tree};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for syntax in [Syntax::Current, Syntax::Prefix2016] {
        let (mut tree, mut symbols, mut found) = (Tree::new(), Interner::new(), Vec::new());
        let root = parse(&mut tree, &mut symbols, FileId(0), text, syntax, &mut found);
        assert_eq!(tree.roots(), [root]);
        for node in tree.nodes() {
            let span = tree.span(node);
            assert!(text.get(span.start as usize..span.end as usize).is_some());
            match tree.parent(node) {
                None => assert_eq!(node, root),
                Some(parent) => {
                    let outer = tree.span(parent);
                    assert!(outer.start <= span.start && span.end <= outer.end);
                }
            }
        }
    }
});

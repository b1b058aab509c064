//! Grammars of the examples, and trees as texts.

use std::fmt::Write;
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Severity, Sources, render_all};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::{Interner, NodeId, Placed, Slot, Tree};

pub const FILE: FileId = FileId(0);

/// A grammar without errors; with no warnings either.
pub fn grammar(text: &str) -> Grammar {
    let mut found = Vec::new();
    let grammar = Grammar::read(FILE, text, &mut found);
    assert!(found.is_empty(), "{}", drawn(text, &found));
    grammar.expect("no errors")
}

/// A grammar of the examples.
pub fn example(name: &str) -> Grammar {
    let path = format!("{}/../../examples/rules/{name}.grammar", env!("CARGO_MANIFEST_DIR"));
    grammar(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

pub fn drawn(text: &str, found: &[Diagnostic]) -> String {
    let mut sources = Sources::new();
    sources.add("file", text);
    render_all(found, &sources, RenderOptions::default())
}

pub struct Parsed {
    pub tree: Tree,
    pub symbols: Interner,
    pub root: NodeId,
    pub found: Vec<Diagnostic>,
    /// Of each class, the number of fields.
    pub fields: Vec<usize>,
}

pub fn parse(grammar: &Grammar, text: &str) -> Parsed {
    let (mut tree, mut symbols, mut found) = (Tree::new(), Interner::new(), Vec::new());
    let root = grammar.parse(&mut tree, &mut symbols, FILE, text, &mut found);
    check(grammar, &tree, root, text);
    let fields = grammar.classes.iter().map(|(_, class)| class.fields.len()).collect();
    Parsed { tree, symbols, root, found, fields }
}

/// Whether a tree holds what trees promise: all nodes hang on the root, children are within the place of their parent, and in order.
pub fn check(grammar: &Grammar, tree: &Tree, root: NodeId, text: &str) {
    for node in tree.nodes() {
        let span = tree.span(node);
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{text:?}");
        assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize));
        let class = grammar.classes.class(tree.class(node));
        assert_eq!(tree.parent(node).is_none(), node == root, "{} of {text:?} has no parent", class.name);
        if let Some(parent) = tree.parent(node) {
            assert!(parent.index() > node.index());
            let outer = tree.span(parent);
            assert!(outer.start <= span.start && span.end <= outer.end, "{} in {text:?}", class.name);
        }
    }
}

impl Parsed {
    pub fn first_error(&self) -> Option<u32> {
        let errors = self.found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.filter_map(|diagnostic| diagnostic.primary.as_ref()).map(|label| label.span.start).next()
    }

    /// The tree as `Class(field: value, …)`, without fields in which nothing stands.
    pub fn shown(&self, grammar: &Grammar) -> String {
        show(grammar, &self.tree, &self.symbols, self.root)
    }
}

pub fn show(grammar: &Grammar, tree: &Tree, symbols: &Interner, node: NodeId) -> String {
    let class = grammar.classes.class(tree.class(node));
    let mut text = class.name.clone();
    let mut separator = '(';
    for (place, field) in class.fields.iter().enumerate() {
        let value = match tree.slot(node, place) {
            Slot::Nothing | Slot::Flag(false) => continue,
            Slot::List(list) => {
                let items = tree.items(list);
                if items.is_empty() {
                    continue;
                }
                let items: Vec<String> =
                    items.iter().map(|item| value(grammar, tree, symbols, *item)).collect();
                format!("[{}]", items.join(", "))
            }
            slot => value(grammar, tree, symbols, Placed { slot, ..Placed::default() }),
        };
        write!(text, "{separator}{}: {value}", grammar.classes.field_name(field.name)).expect("a text");
        separator = ',';
        text.push_str("");
    }
    if separator == ',' {
        text.push(')');
    }
    text.replace(",", ", ").replace(",  ", ", ")
}

fn value(grammar: &Grammar, tree: &Tree, symbols: &Interner, item: Placed) -> String {
    match item.slot {
        Slot::Text(symbol) => symbols.text(symbol).to_owned(),
        Slot::Node(node) => show(grammar, tree, symbols, node),
        Slot::Flag(flag) => flag.to_string(),
        Slot::Nothing | Slot::List(_) => String::new(),
    }
}

/// Whether two trees are the same, apart from places.
pub fn same(one: &Parsed, other: &Parsed) -> Result<(), String> {
    if one.tree.len() != other.tree.len() {
        return Err(format!("{} nodes and {}", one.tree.len(), other.tree.len()));
    }
    for node in one.tree.nodes() {
        if one.tree.class(node) != other.tree.class(node) || one.tree.parent(node) != other.tree.parent(node)
        {
            return Err(format!("node {} differs", node.index()));
        }
    }
    // Nodes are made in the order of the text, so that the same ones have the same numbers.
    let value = |parsed: &Parsed, slot: Slot| match slot {
        Slot::Text(symbol) => parsed.symbols.text(symbol).to_owned(),
        Slot::List(list) => format!("{} items", parsed.tree.items(list).len()),
        slot => format!("{slot:?}"),
    };
    for node in one.tree.nodes() {
        for place in 0..one.fields[one.tree.class(node).index()] {
            let (first, second) = (one.tree.slot(node, place), other.tree.slot(node, place));
            if value(one, first) != value(other, second) {
                return Err(format!(
                    "node {}: {} and {}",
                    node.index(),
                    value(one, first),
                    value(other, second)
                ));
            }
            if let (Slot::List(first), Slot::List(second)) = (first, second) {
                for (item, again) in one.tree.items(first).iter().zip(other.tree.items(second)) {
                    if value(one, item.slot) != value(other, again.slot) {
                        return Err(format!("node {}: an item differs", node.index()));
                    }
                }
            }
        }
    }
    Ok(())
}

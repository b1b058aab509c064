//! Texts as trees, checked, and trees as texts.

use std::fmt::Write;
use std::sync::OnceLock;
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, render_all};
use volvelle_n4js::{Syntax, classes};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Finding, Loaded, Program};
use volvelle_trees::{Classes, Interner, NodeId, Shape, Slot, Tree};

pub const FILE: FileId = FileId(0);

pub struct Parsed {
    pub classes: &'static Classes,
    pub tree: Tree,
    pub symbols: Interner,
    pub root: NodeId,
    pub found: Vec<Diagnostic>,
}

/// The classes, made once.
fn table() -> &'static Classes {
    static TABLE: OnceLock<Classes> = OnceLock::new();
    TABLE.get_or_init(classes)
}

/// Reads a text as a tree that keeps what trees promise.
pub fn parse_as(text: &str, syntax: Syntax) -> Parsed {
    let (mut tree, mut symbols, mut found) = (Tree::new(), Interner::new(), Vec::new());
    let root = volvelle_n4js::parse(&mut tree, &mut symbols, FILE, text, syntax, &mut found);
    let parsed = Parsed { classes: table(), tree, symbols, root, found };
    check(&parsed, text);
    parsed
}

pub fn parse(text: &str) -> Parsed {
    parse_as(text, Syntax::Current)
}

/// Reads a text without mistakes.
pub fn right(text: &str) -> Parsed {
    let parsed = parse(text);
    assert!(parsed.found.is_empty(), "{}", drawn(text, &parsed.found));
    parsed
}

pub fn drawn(text: &str, found: &[Diagnostic]) -> String {
    let mut sources = Sources::new();
    sources.add("program.n4js", text);
    render_all(found, &sources, RenderOptions::default())
}

/// The nodes in the fields of a node, by field.
pub fn children(tree: &Tree, classes: &Classes, node: NodeId) -> Vec<Vec<NodeId>> {
    let node_of = |slot| match slot {
        Slot::Node(node) => Some(node),
        _ => None,
    };
    (0..classes.class(tree.class(node)).fields.len())
        .map(|place| match tree.slot(node, place) {
            Slot::List(list) => tree.items(list).iter().filter_map(|item| node_of(item.slot)).collect(),
            slot => node_of(slot).into_iter().collect(),
        })
        .collect()
}

fn check(parsed: &Parsed, text: &str) {
    let Parsed { classes, tree, root, .. } = parsed;
    assert_eq!(tree.roots(), [*root]);
    let whole = tree.span(*root);
    assert_eq!((whole.start, whole.end as usize), (0, text.len()));
    let mut seen = vec![0; tree.len()];
    seen[root.index()] = 1;
    for node in tree.nodes() {
        check_place(parsed, node, text);
        check_shapes(parsed, node, text);
        let name = &classes.class(tree.class(node)).name;
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for field in children(tree, classes, node) {
            let first = spans.len();
            for child in field {
                assert_eq!(tree.parent(child), Some(node), "{name} in {text:?}");
                seen[child.index()] += 1;
                spans.push((tree.span(child).start, tree.span(child).end));
            }
            assert!(
                spans[first..].windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "a list in order in {text:?}"
            );
        }
        spans.sort_unstable();
        assert!(
            spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "{name} with parts that overlap in {text:?}"
        );
    }
    for node in tree.nodes() {
        let name = &classes.class(tree.class(node)).name;
        assert_eq!(seen[node.index()], 1, "{name} in {text:?} is in one place");
    }
}

fn check_place(parsed: &Parsed, node: NodeId, text: &str) {
    let Parsed { classes, tree, .. } = parsed;
    let class = classes.class(tree.class(node));
    assert!(!class.is_abstract, "{}", class.name);
    let span = tree.span(node);
    assert!(text.get(span.start as usize..span.end as usize).is_some(), "{} in {text:?}", class.name);
    if let Some(parent) = tree.parent(node) {
        let outer = tree.span(parent);
        assert!(outer.start <= span.start && span.end <= outer.end, "{} in {text:?}", class.name);
    }
}

fn check_shapes(parsed: &Parsed, node: NodeId, text: &str) {
    let Parsed { classes, tree, .. } = parsed;
    let class = classes.class(tree.class(node));
    for (place, field) in class.fields.iter().enumerate() {
        let slot = tree.slot(node, place);
        let is_a = |slot, class| matches!(slot, Slot::Node(node) if classes.is_kind(tree.class(node), class));
        let fits = match (field.shape, slot) {
            (Shape::Node(class), slot) => slot == Slot::Nothing || is_a(slot, class),
            (Shape::Nodes(class), Slot::List(list)) => {
                tree.items(list).iter().all(|item| is_a(item.slot, class))
            }
            (Shape::Texts, Slot::List(list)) => {
                tree.items(list).iter().all(|item| matches!(item.slot, Slot::Text(_)))
            }
            (Shape::Text, Slot::Nothing | Slot::Text(_)) | (Shape::Flag, Slot::Flag(_)) => true,
            _ => false,
        };
        let name = classes.field_name(field.name);
        assert!(fits, "{}.{name} is {slot:?} in {text:?}", class.name);
        let span = tree.slot_span(node, place);
        assert!(
            text.get(span.start as usize..span.end as usize).is_some(),
            "{}.{name} in {text:?}",
            class.name
        );
    }
}

/// A tree in one line: classes with the fields that hold something.
pub fn shown(parsed: &Parsed, node: NodeId) -> String {
    let Parsed { classes, tree, symbols, .. } = parsed;
    let class = classes.class(tree.class(node));
    let item = |slot| match slot {
        Slot::Node(node) => shown(parsed, node),
        Slot::Text(text) => symbols.text(text).to_owned(),
        _ => String::new(),
    };
    let mut parts = Vec::new();
    for (place, field) in class.fields.iter().enumerate() {
        let name = classes.field_name(field.name);
        match tree.slot(node, place) {
            Slot::Flag(true) => parts.push(name.to_owned()),
            Slot::Nothing | Slot::Flag(false) => {}
            Slot::List(list) if tree.items(list).is_empty() => {}
            Slot::List(list) => {
                let items: Vec<String> = tree.items(list).iter().map(|one| item(one.slot)).collect();
                parts.push(format!("{name}=[{}]", items.join(" ")));
            }
            slot => parts.push(format!("{name}={}", item(slot))),
        }
    }
    let mut line = class.name.clone();
    if !parts.is_empty() {
        write!(line, "({})", parts.join(" ")).expect("a string takes all");
    }
    line
}

/// The statements of a text, each in a line.
pub fn statements(parsed: &Parsed) -> String {
    let lists = children(&parsed.tree, parsed.classes, parsed.root);
    let lines: Vec<String> = lists.into_iter().flatten().map(|node| shown(parsed, node)).collect();
    lines.join("\n")
}

/// The type system, loaded.
pub struct System {
    sources: Sources,
    pub loaded: Loaded,
}

pub fn system() -> System {
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let loaded = volvelle_n4js::system::load(&mut sources, Syntax::Current, &mut found);
    assert!(found.is_empty(), "{}", render_all(&found, &sources, RenderOptions::default()));
    System { sources, loaded: loaded.expect("without mistakes there is a system") }
}

pub fn limits() -> Limits<'static> {
    Limits { bytes: 1 << 30, stop: &|| false }
}

impl System {
    /// Files that are checked together.
    pub fn program(&self, files: &[(&str, &str)]) -> (Sources, Program) {
        let mut sources = self.sources.clone();
        let files: Vec<FileId> = files.iter().map(|(name, text)| sources.add(*name, *text)).collect();
        let program = self.loaded.read_all(&sources, &files);
        (sources, program)
    }

    /// What is told of files that are checked together: `FILE:LINE:COLUMN MESSAGE RULE`.
    pub fn told(&self, files: &[(&str, &str)]) -> Vec<String> {
        let (sources, program) = self.program(files);
        let report = self.loaded.check(&sources, &program, limits(), true);
        let told = |finding: &Finding| {
            let span = finding.diagnostic.primary.as_ref().expect("a place").span;
            let at = sources.line_column(span);
            let file = &sources.file(span.file).name;
            let rule = finding.rule.as_deref().unwrap_or("form");
            format!("{file}:{}:{} {} {rule}", at.line, at.column, finding.diagnostic.message)
        };
        report.findings.iter().map(told).collect()
    }
}

//! Texts as trees, checked.

use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, FileId, Sources};
use volvelle_rules::language::Language;
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Loaded, Report, load_with};
use volvelle_trees::{Classes, Interner, NodeId, Shape, Slot, Tree};

/// A text as a tree.
pub struct Read {
    pub tree: Tree,
    pub texts: Interner,
    pub root: NodeId,
    pub found: Vec<Diagnostic>,
}

/// Reads a text as a tree that keeps what trees promise.
pub fn read(language: &dyn Language, text: &str) -> Read {
    read_where(language, text, true)
}

/// The same. Where calls are replaced by what they stand for, that has their place, and what was skipped after a mistake is part of what
/// stands before it: parts of one node are not apart then.
pub fn read_where(language: &dyn Language, text: &str, is_apart: bool) -> Read {
    let (mut tree, mut texts, mut found) = (Tree::new(), Interner::new(), Vec::new());
    let root = language.read(&mut tree, &mut texts, FileId(0), text, &mut found);
    assert_eq!(tree.roots(), [root]);
    let whole = tree.span(root);
    assert_eq!((whole.start, whole.end as usize), (0, text.len()), "the root is all of the text");
    let classes = language.classes();
    let mut seen = vec![0; tree.len()];
    seen[root.index()] = 1;
    for node in tree.nodes() {
        let class = classes.class(tree.class(node));
        let span = tree.span(node);
        assert!(!class.is_abstract, "{}", class.name);
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{} in {text:?}", class.name);
        let mut spans = Vec::new();
        for place in 0..class.fields.len() {
            check_field(&tree, classes, node, place, text);
            let first = spans.len();
            for child in children(&tree, node, place) {
                assert_eq!(tree.parent(child), Some(node), "{} in {text:?}", class.name);
                seen[child.index()] += 1;
                let inner = tree.span(child);
                assert!(
                    span.start <= inner.start && inner.end <= span.end,
                    "{} has a part outside: {:?} in {text:?}",
                    class.name,
                    &text[inner.start as usize..inner.end as usize]
                );
                spans.push((inner.start, inner.end));
            }
            assert!(
                !is_apart || spans[first..].windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "{} has a list that is not in order: {:?} in {text:?}",
                class.name,
                &spans[first..]
            );
        }
        spans.sort_unstable();
        assert!(
            !is_apart || spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "{} with parts that overlap in {text:?}",
            class.name
        );
    }
    assert!(seen.iter().all(|&count| count == 1), "every node stands in one place in {text:?}");
    Read { tree, texts, root, found }
}

fn children(tree: &Tree, node: NodeId, place: usize) -> Vec<NodeId> {
    let node_of = |slot| match slot {
        Slot::Node(node) => Some(node),
        _ => None,
    };
    match tree.slot(node, place) {
        Slot::List(list) => tree.items(list).iter().filter_map(|item| node_of(item.slot)).collect(),
        slot => node_of(slot).into_iter().collect(),
    }
}

fn check_field(tree: &Tree, classes: &Classes, node: NodeId, place: usize, text: &str) {
    let class = classes.class(tree.class(node));
    let field = class.fields[place];
    let slot = tree.slot(node, place);
    let is_a = |slot, class| matches!(slot, Slot::Node(node) if classes.is_kind(tree.class(node), class));
    let fits = match (field.shape, slot) {
        (Shape::Node(class), slot) => slot == Slot::Nothing || is_a(slot, class),
        (Shape::Nodes(class), Slot::List(list)) => tree.items(list).iter().all(|item| is_a(item.slot, class)),
        (Shape::Texts, Slot::List(list)) => {
            tree.items(list).iter().all(|item| matches!(item.slot, Slot::Text(_)))
        }
        (Shape::Text, Slot::Nothing | Slot::Text(_)) | (Shape::Flag, Slot::Flag(_)) => true,
        _ => false,
    };
    let name = classes.field_name(field.name);
    assert!(fits, "{}.{name} is {slot:?} in {text:?}", class.name);
    let span = tree.slot_span(node, place);
    assert!(text.get(span.start as usize..span.end as usize).is_some(), "{}.{name} in {text:?}", class.name);
}

impl Read {
    /// A tree in one line: classes with the fields that hold something.
    pub fn shown(&self, classes: &Classes, node: NodeId) -> String {
        self.shown_but(classes, node, "")
    }

    /// The same without the fields of a name.
    pub fn shown_but(&self, classes: &Classes, node: NodeId, without: &str) -> String {
        let class = classes.class(self.tree.class(node));
        let item = |slot| match slot {
            Slot::Node(node) => self.shown_but(classes, node, without),
            Slot::Text(text) => self.texts.text(text).to_owned(),
            _ => String::new(),
        };
        let mut parts = Vec::new();
        for (place, field) in class.fields.iter().enumerate() {
            let name = classes.field_name(field.name);
            match self.tree.slot(node, place) {
                _ if name == without => {}
                Slot::Flag(true) => parts.push(name.to_owned()),
                Slot::Nothing | Slot::Flag(false) => {}
                Slot::List(list) if self.tree.items(list).is_empty() => {}
                Slot::List(list) => {
                    let items: Vec<String> = self.tree.items(list).iter().map(|one| item(one.slot)).collect();
                    parts.push(format!("{name}=[{}]", items.join(" ")));
                }
                slot => parts.push(format!("{name}={}", item(slot))),
            }
        }
        if parts.is_empty() { class.name.clone() } else { format!("{}({})", class.name, parts.join(" ")) }
    }
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The system of an example.
pub fn system(name: &str) -> (Sources, Loaded) {
    let text = std::fs::read_to_string(root().join("examples/rules").join(name)).expect("an example");
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let file = sources.add(name, text);
    let mut open = |_: &mut Sources, name: &str, _| panic!("{name} is opened");
    let loaded = load_with(&mut sources, file, &mut open, &volvelle_metamodels::languages(), &mut found);
    let found =
        volvelle_diagnostics::render_all(&found, &sources, volvelle_diagnostics::RenderOptions::default());
    assert!(found.is_empty(), "{found}");
    (sources, loaded.expect("a system"))
}

/// What a system finds in a text.
pub fn check(sources: &mut Sources, loaded: &Loaded, text: &str) -> Report {
    let file = sources.add("model", text);
    let program = loaded.read(sources, file);
    let limits = Limits { bytes: 1 << 30, stop: &|| false };
    loaded.check(sources, &program, limits, true)
}

/// Each finding as its message and the text at its place.
pub fn told(sources: &Sources, report: &Report) -> Vec<String> {
    assert_eq!(report.stopped, None);
    let line = |finding: &volvelle_rules::system::Finding| {
        let place = finding.diagnostic.primary.as_ref().expect("a place").span;
        format!("{}: {}", sources.text(place), finding.diagnostic.message)
    };
    report.findings.iter().map(line).collect()
}

/// The texts of a folder and those within it, beside the repository and in it; none where there is no corpus, which a line reports.
pub fn corpus(folders: &[&str], endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for folder in folders {
        let folder = root().join(folder);
        if !folder.is_dir() {
            // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
            let test = std::thread::current();
            let name = test.name().unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "skipped: {name}: there is no {}", folder.display());
        }
        collect(&folder, endings, &mut all);
    }
    all
}

fn collect(folder: &Path, endings: &[&str], all: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, endings, all);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one))
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            all.push((path, text));
        }
    }
}

//! Words in comments that rules read: `// unit: J/s`.

use volvelle_rules::language::Host;
use volvelle_rules::value::{Heap, Value};
use volvelle_trees::{FieldId, Slot, Tree};

/// Names of the functions; a rule file declares them with their types.
pub(crate) const FUNCTIONS: &[&str] = &["annotated"];

/// The functions of a language whose nodes have comments.
#[derive(Debug)]
pub(crate) struct Annotations {
    classes: std::rc::Rc<volvelle_trees::Classes>,
    comments: Option<FieldId>,
}

impl Annotations {
    pub(crate) fn new(classes: std::rc::Rc<volvelle_trees::Classes>) -> Self {
        let comments = classes.find_field("comments");
        Annotations { classes, comments }
    }
}

impl Host for Annotations {
    /// `annotated(node, key)`: of the last comment about a node that has `key:`, the text behind it, up to a comma, a semicolon or the end.
    fn call(&self, _: usize, tree: &Tree, heap: &mut Heap, args: &[Value]) -> Value {
        let (Some(&Value::Node(node)), Some(&Value::Text(key)), Some(field)) =
            (args.first(), args.get(1), self.comments)
        else {
            return Value::Null;
        };
        let Slot::List(list) = tree.field(&self.classes, node, field) else { return Value::Null };
        let key = heap.texts.text(key);
        let found = tree.items(list).iter().rev().find_map(|item| match item.slot {
            Slot::Text(comment) => behind(heap.texts.text(comment), key),
            _ => None,
        });
        match found.map(str::to_owned) {
            Some(text) => heap.text(&text),
            None => Value::Null,
        }
    }
}

/// What stands behind `key:`, where that begins a word.
fn behind<'c>(comment: &'c str, key: &str) -> Option<&'c str> {
    let mut from = 0;
    while let Some(at) = comment[from..].find(key).filter(|_| !key.is_empty()).map(|at| from + at) {
        let begins =
            comment[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_');
        let rest = &comment[at + key.len()..];
        if let Some(said) = rest.strip_prefix(':').filter(|_| begins) {
            let end = said.find([',', ';']).unwrap_or(said.len());
            return Some(said[..end].trim());
        }
        from = at + key.len();
    }
    None
}

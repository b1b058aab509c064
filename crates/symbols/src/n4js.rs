//! The index of N4JS (`.n4js`, `.n4jsd`): variables, functions, classes with their members, types.
//!
//! There is a tree for every text. Members where they are used are told by the types of what stands before the dot, which the server asks
//! the rules for: here they have the place of their declaration alone.

use crate::builder::{Builder, Declared, Meaning, Spelling};
use crate::candidates::{Fit, Found};
use crate::index::{Index, Kind, Role, SymbolId};
use crate::language::Indexed;
use crate::library::{InLibrary, N4JS};
use crate::pieces::{Class, Comments, Piece, comments_between, push};
use crate::place::Place;
use crate::text::Text;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{FileId, Span};
use volvelle_n4js::tokens::{Class as TokenClass, tokens};
use volvelle_n4js::{Kind as Node, LIBRARY, Names, Syntax, classes, parse};
use volvelle_trees::{Interner, NodeId, Tree};

const COMMENTS: Comments = Comments { line: &["//"], joined: false, block: Some(("/*", "*/", false)) };

/// Words, and their forms.
const FORMS: &[(&str, &str)] = &[
    ("async", "async "),
    ("await", "await "),
    ("class", "class ${1:Name} {\n    $0\n}"),
    ("const", "const $1 = $0;"),
    ("export", "export "),
    ("false", "false"),
    ("for", "for (const ${1:one} of ${2:all}) {\n    $0\n}"),
    ("function", "function ${1:name}($2) {\n    $0\n}"),
    ("if", "if ($1) {\n    $0\n}"),
    ("import", "import { $1 } from \"$2\";"),
    ("interface", "interface ${1:Name} {\n    $0\n}"),
    ("let", "let $1 = $0;"),
    ("new", "new "),
    ("null", "null"),
    ("return", "return "),
    ("super", "super"),
    ("switch", "switch ($1) {\n    $0\n}"),
    ("this", "this"),
    ("throw", "throw "),
    ("true", "true"),
    ("try", "try {\n    $1\n} catch (${2:error}) {\n    $0\n}"),
    ("typeof", "typeof "),
    ("undefined", "undefined"),
    ("while", "while ($1) {\n    $0\n}"),
];

/// Types that have no declaration.
const TYPES: &[&str] = &["any", "boolean", "int", "number", "string", "symbol", "undefined", "void"];

/// JavaScript with types.
pub(crate) struct N4js;

impl Indexed for N4js {
    fn name(&self) -> &'static str {
        "n4js"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["n4js", "n4jsd"]
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let pieces = texts.iter().map(|text| pieces_of(text.text)).collect();
        let mut builder = Builder::new(texts, pieces, Spelling { name: |shown| shown, ignores_case: false });
        if let Some(main) = texts.first() {
            Walk::of(&mut builder, main.text).all();
        }
        builder.finish(|span, _| {
            let before = texts[span.file.0 as usize].text[..span.start as usize].trim_end();
            Meaning::Like(if before.ends_with('.') { Kind::Field } else { Kind::Variable })
        })
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        matches!(kind, Kind::Field | Kind::Method | Kind::Entry)
            .then_some("where it is used is not known for all types")
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if place.is_quoted
            || matches!(
                place.back(0),
                "." | "?." | "class" | "interface" | "enum" | "function" | "let" | "const" | "var"
            )
        {
            return;
        }
        let is_around = |id: SymbolId| {
            let whole = place.index.symbol(id).whole;
            whole.is_some_and(|whole| whole.start <= place.offset && place.offset <= whole.end)
        };
        let is_type = matches!(place.back(0), ":" | "extends" | "implements" | "<" | "as");
        found.names(|_, symbol| match symbol.kind {
            Kind::Field | Kind::Method | Kind::Entry => None,
            Kind::Class | Kind::Type => Some(if is_type { Fit::Best } else { Fit::Good }),
            Kind::Local if !symbol.container.is_none_or(is_around) => None,
            _ if symbol.library.is_some() => Some(Fit::Possible),
            _ => Some(if is_type { Fit::Possible } else { Fit::Best }),
        });
        if is_type {
            found.words(Fit::Best, TYPES);
        } else {
            FORMS.iter().for_each(|(shown, written)| found.form(Fit::Possible, *shown, *written));
        }
    }
}

fn pieces_of(text: &str) -> Vec<Piece> {
    let (mut pieces, mut last) = (Vec::with_capacity(text.len() / 3 + 1), 0);
    for (start, end, class) in tokens(text) {
        let start = start.max(last);
        comments_between(text, last, start, &COMMENTS, &mut pieces);
        let class = match class {
            TokenClass::Word => Class::Keyword,
            TokenClass::Name => Class::Name,
            TokenClass::Number => Class::Number,
            TokenClass::Text => Class::Text,
            TokenClass::Operator => Class::Operator,
        };
        push(&mut pieces, text, start, end.max(start), class);
        last = end.max(start);
    }
    comments_between(text, last, text.len() as u32, &COMMENTS, &mut pieces);
    pieces
}

struct Walk<'w, 'b> {
    builder: &'b mut Builder<'w>,
    tree: Tree,
    texts: Interner,
    names: Names,
    /// The first node of the text; those before it are of the library.
    first: NodeId,
    symbols: FxHashMap<NodeId, SymbolId>,
}

impl<'w, 'b> Walk<'w, 'b> {
    /// The library is text 1 of the tree, the text that is asked about 0.
    fn of(builder: &'b mut Builder<'w>, text: &str) -> Self {
        let (mut tree, mut texts, mut flaws) = (Tree::new(), Interner::new(), Vec::new());
        let mut read = |tree: &mut Tree, file: FileId, text: &str| {
            let root = parse(tree, &mut texts, file, text, Syntax::Current, &mut flaws);
            tree.root(root);
        };
        read(&mut tree, FileId(1), LIBRARY.1);
        let first = NodeId::from_index(tree.len());
        read(&mut tree, FileId(0), text);
        let names = Names::of(&tree, &texts);
        Walk { builder, tree, texts, names, first, symbols: FxHashMap::default() }
    }

    fn all(mut self) {
        let declared = self.names.declared(&self.tree, self.first);
        let used = self.names.used(&self.tree, self.first);
        // Those around others come first: their nodes begin before.
        let mut order = declared;
        order.sort_by_key(|one| {
            (self.tree.span(one.node).start, std::cmp::Reverse(self.tree.span(one.node).end))
        });
        // The name of a property or of another file is no name of this text alone.
        for one in &order {
            let kind = self.kind(one.node, one.is_global);
            if let Some(&known) = self.symbols.get(&one.first) {
                self.builder.refer(one.span, known, Role::Declares);
                self.symbols.insert(one.node, known);
                continue;
            }
            let name = self.texts.text(one.name).to_owned();
            let container = one.within.and_then(|within| self.symbols.get(&within).copied());
            let (whole, head) = self.whole(one.node, one.span);
            let detail = self.builder.one_line(head);
            let id = self.builder.declare(Declared {
                name: &name,
                kind,
                span: one.span,
                whole,
                detail,
                container,
            });
            self.symbols.insert(one.node, id);
            self.symbols.insert(one.first, id);
        }
        // What every text may name.
        for one in self.names.declared(&self.tree, NodeId::from_index(0)) {
            if one.node < self.first && one.within.is_none() && one.is_global {
                self.meaning(one.node);
            }
        }
        for one in used {
            let role = if one.writes { Role::Writes } else { Role::Reads };
            if let Some(id) = self.meaning(one.meaning) {
                self.builder.refer(one.span, id, role);
            }
            // The name of a property, or one that another file has, is no name of this text alone.
            if one.is_shared {
                let text = self.builder.text(one.span.file);
                let name = text.get(one.span.start as usize..one.span.end as usize).unwrap_or("").to_owned();
                let property = self.builder.built_in(&name, Kind::Entry, "");
                self.builder.refer(one.span, property, Role::Reads);
            }
        }
    }

    fn is(&self, node: NodeId, kind: Node) -> bool {
        let classes = classes_of();
        classes.is_kind(self.tree.class(node), kind.id())
    }

    fn kind(&self, node: NodeId, is_global: bool) -> Kind {
        if self.is(node, Node::EnumLiteral) {
            Kind::Entry
        } else if self.is(node, Node::Method) {
            Kind::Method
        } else if self.is(node, Node::Member) {
            Kind::Field
        } else if self.is(node, Node::Classifier) {
            Kind::Class
        } else if self.is(node, Node::TypeAlias) || self.is(node, Node::TypeParameter) {
            Kind::Type
        } else if self.is(node, Node::FunctionLike) {
            Kind::Function
        } else if !is_global || self.is(node, Node::Parameter) {
            Kind::Local
        } else {
            Kind::Variable
        }
    }

    /// A declaration, and the part of it that is shown.
    fn whole(&self, node: NodeId, name: Span) -> (Span, Span) {
        let mut whole = self.tree.span(node);
        if self.is(node, Node::VariableDeclaration)
            && let Some(statement) = self.tree.parent(node)
        {
            let around = self.tree.span(statement);
            let text =
                self.builder.text(whole.file).get(around.start as usize..whole.start as usize).unwrap_or("");
            // The first of a statement has its word.
            if !text.contains([',', '\n']) {
                whole.start = around.start;
            }
        }
        let end = if self.is(node, Node::FunctionLike) {
            self.names.place(&self.tree, node, "body").map(|body| body.start)
        } else if self.is(node, Node::Classifier) {
            let text = self.builder.text(whole.file).get(name.end as usize..whole.end as usize).unwrap_or("");
            text.find('{').map(|brace| name.end + brace as u32)
        } else {
            None
        };
        let end = end.filter(|&end| name.end <= end && end <= whole.end).unwrap_or(whole.end);
        (whole, Span { end, ..whole })
    }

    /// The symbol of a declaration, also of the library.
    fn meaning(&mut self, node: NodeId) -> Option<SymbolId> {
        if let Some(&known) = self.symbols.get(&node) {
            return Some(known);
        }
        let span = self.names.place(&self.tree, node, "name")?;
        if span.file != FileId(1) {
            return None;
        }
        let name = N4JS.text.get(span.start as usize..span.end as usize)?;
        let whole = self.tree.span(node);
        let line = N4JS.text.get(whole.start as usize..whole.end as usize)?.lines().next().unwrap_or(name);
        let detail = line.trim_end().trim_end_matches('{').trim_end();
        let place = InLibrary { library: &N4JS, start: span.start, end: span.end };
        let kind = self.kind(node, true);
        let id = self.builder.of_library(name, kind, detail, place);
        self.symbols.insert(node, id);
        Some(id)
    }
}

fn classes_of() -> &'static volvelle_trees::Classes {
    static CLASSES: std::sync::OnceLock<volvelle_trees::Classes> = std::sync::OnceLock::new();
    CLASSES.get_or_init(classes)
}

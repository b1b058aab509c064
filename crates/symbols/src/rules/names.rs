//! What the names of a system mean, and where its parts end.

use crate::index::SymbolId;
use crate::words::Word;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_rules::tokens::Kind as Token;

/// Words of rule files that are names elsewhere.
pub(super) const SOFT: &[&str] = &[
    "system",
    "extends",
    "validatorExtends",
    "language",
    "import",
    "data",
    "abstract",
    "host",
    "output",
    "cached",
    "entryPoints",
    "condition",
    "NONE",
    "cycle",
    "error",
    "source",
    "feature",
    "derives",
    "from",
    "env",
    "previousFailure",
    "it",
];

/// Words of grammars, all of which are names elsewhere.
pub(super) const SOFT_OF_GRAMMARS: &[&str] = &[
    "grammar",
    "terminal",
    "hidden",
    "class",
    "entry",
    "returns",
    "operators",
    "over",
    "infix",
    "prefix",
    "postfix",
    "left",
    "right",
    "none",
    "current",
    "text",
    "flag",
];

/// Types that all systems have.
pub(super) const COMMON: &[&str] = &[
    "Any", "Bool", "Boolean", "Env", "Failure", "Int", "Integer", "List", "Map", "Node", "Pair", "String",
    "Text", "Void",
];

/// What the names of a system mean.
#[derive(Default)]
pub(super) struct Names {
    /// Classes, types of values, and terminals of grammars.
    pub(super) types: FxHashMap<String, SymbolId>,
    /// By the class and the name.
    pub(super) fields: FxHashMap<(String, String), SymbolId>,
    /// Of a name that one class has.
    pub(super) only_fields: FxHashMap<String, Option<SymbolId>>,
    /// Names of classes above a class.
    pub(super) above: FxHashMap<String, Vec<String>>,
    /// Types of fields and results of functions, where they are one class.
    pub(super) results: FxHashMap<SymbolId, String>,
    pub(super) functions: FxHashMap<String, SymbolId>,
    pub(super) globals: FxHashMap<String, SymbolId>,
    /// By their signs.
    pub(super) judgments: FxHashMap<(Token, Vec<Token>), SymbolId>,
}

impl Names {
    /// A field, where the class is known or but one has it.
    pub(super) fn field(&self, class: Option<&str>, name: &str) -> Option<SymbolId> {
        let mut waiting: Vec<&str> = class.into_iter().collect();
        let mut seen = 0;
        while let Some(class) = waiting.get(seen).copied() {
            seen += 1;
            if let Some(&found) = self.fields.get(&(class.to_owned(), name.to_owned())) {
                return Some(found);
            }
            for above in self.above.get(class).into_iter().flatten() {
                if !waiting.contains(&above.as_str()) {
                    waiting.push(above);
                }
            }
        }
        self.only_fields.get(name).copied().flatten()
    }

    pub(super) fn add_field(&mut self, class: &str, name: &str, field: SymbolId) {
        self.fields.insert((class.to_owned(), name.to_owned()), field);
        self.only_fields.entry(name.to_owned()).and_modify(|only| *only = None).or_insert(Some(field));
    }
}

/// The number of the first token that begins at a place or behind it.
pub(super) fn number_at(words: &[Word<'_>], start: u32) -> usize {
    words.partition_point(|word| word.span.start < start)
}

/// The part from a place to the end of its line, as far as there are tokens.
pub(super) fn to_line_end(text: &str, words: &[Word<'_>], span: Span) -> Span {
    let end = text[span.end as usize..].find('\n').map_or(text.len(), |length| span.end as usize + length);
    let first = words.partition_point(|word| word.span.start < span.start);
    let mut depth = 0_u32;
    // A bracket that closes a list of declarations ends the last of them.
    let own = words[first..].iter().take_while(|word| {
        depth += u32::from(word.shown == "{");
        let is_out = word.shown == "}" && depth == 0;
        depth = depth.saturating_sub(u32::from(word.shown == "}"));
        word.span.end as usize <= end && !is_out
    });
    own.last().map_or(span, |last| Span { end: last.span.end.max(span.end), ..span })
}

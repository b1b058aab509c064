//! The index of rule files (`.rules`) and of grammars (`.grammar`), which are of one system.
//!
//! Names are those of the trees. A judgment has no name where it is used: its sign means it. Which class a field belongs to is told where
//! the type of what stands before the dot is written, or where one class has a field of that name; fields keep their names therefore.

mod complete;
mod declare;
mod expressions;
mod grammar;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind, SymbolId};
use crate::language::Indexed;
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Word, words};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{FileId, Span};
use volvelle_rules::tokens::Kind as Token;
use volvelle_syntax::Spelt;
use volvelle_trees::grammar::token::Kind as GrammarToken;

const COMMENTS: Comments = Comments { line: &["//"], joined: false, block: Some(("/*", "*/", false)) };
const COMMENTS_OF_GRAMMARS: Comments = Comments { line: &["//"], joined: false, block: None };

/// Words of rule files that are names elsewhere.
pub(crate) const SOFT: &[&str] = &[
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
pub(crate) const SOFT_OF_GRAMMARS: &[&str] = &[
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
const COMMON: &[&str] = &[
    "Any", "Bool", "Boolean", "Env", "Failure", "Int", "Integer", "List", "Map", "Node", "Pair", "String",
    "Text", "Void",
];

/// Type systems as rules.
pub(crate) struct Rules;

/// What the names of a system mean.
#[derive(Default)]
struct Names {
    /// Classes, types of values, and terminals of grammars.
    types: FxHashMap<String, SymbolId>,
    /// By the class and the name.
    fields: FxHashMap<(String, String), SymbolId>,
    /// Of a name that one class has.
    only_fields: FxHashMap<String, Option<SymbolId>>,
    /// Names of classes above a class.
    above: FxHashMap<String, Vec<String>>,
    /// Types of fields and results of functions, where they are one class.
    results: FxHashMap<SymbolId, String>,
    functions: FxHashMap<String, SymbolId>,
    globals: FxHashMap<String, SymbolId>,
    /// By their signs.
    judgments: FxHashMap<(Token, Vec<Token>), SymbolId>,
}

impl Names {
    /// A field, where the class is known or but one has it.
    fn field(&self, class: Option<&str>, name: &str) -> Option<SymbolId> {
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

    fn add_field(&mut self, class: &str, name: &str, field: SymbolId) {
        self.fields.insert((class.to_owned(), name.to_owned()), field);
        self.only_fields.entry(name.to_owned()).and_modify(|only| *only = None).or_insert(Some(field));
    }
}

impl Indexed for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["rules", "grammar"]
    }

    fn includes(&self, name: &str) -> bool {
        is_grammar(name) || name.ends_with(".rules")
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens: Vec<Vec<Piece>> = texts.iter().map(pieces_of).collect();
        let words: Vec<Vec<Word<'_>>> = (0..)
            .zip(texts.iter().zip(&tokens))
            .map(|(number, (text, pieces))| words(FileId(number), text.text, pieces))
            .collect();
        let mut builder = Builder::new(texts, tokens, Spelling { name: |shown| shown, ignores_case: false });
        let mut names = Names::default();
        let files: Vec<_> = (0..)
            .zip(texts)
            .filter(|(_, text)| !is_grammar(text.name))
            .map(|(number, text)| {
                (number as usize, volvelle_rules::parse::parse(FileId(number), text.text).0)
            })
            .collect();
        for (number, text) in texts.iter().enumerate().filter(|(_, text)| is_grammar(text.name)) {
            grammar::declare(&mut builder, &mut names, FileId(number as u32), text.text, &words[number]);
        }
        declare::built_in(&mut builder, &mut names, files.iter().map(|(_, file)| file));
        for (number, file) in &files {
            declare::declare(&mut builder, &mut names, file, &words[*number]);
        }
        for (number, file) in &files {
            expressions::Walk::of(&mut builder, &names, file, &words[*number]).all();
        }
        let nearest = Nearest::of(&builder.symbols, false, |symbol| {
            matches!(symbol.kind, Kind::Class | Kind::Terminal | Kind::Rule | Kind::Function | Kind::Local)
        });
        builder.finish(|span, shown| {
            let text = texts[span.file.0 as usize];
            let before = text.text[..span.start as usize].trim_end();
            let soft = if is_grammar(text.name) { SOFT_OF_GRAMMARS } else { SOFT };
            if before.ends_with('.') {
                Meaning::Like(Kind::Field)
            } else if soft.contains(&shown) {
                Meaning::Word
            } else if let Some(found) = nearest.get(span, shown) {
                Meaning::Names(found)
            } else {
                Meaning::Like(if is_grammar(text.name) { Kind::Class } else { Kind::Function })
            }
        })
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Field => Some("which class a field belongs to is not told at all of its places"),
            Kind::Module => Some("other files may have it"),
            _ => None,
        }
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if is_grammar(place.name) { complete::grammar(place, found) } else { complete::rules(place, found) }
    }

    fn takes_file(&self, place: &Place<'_>) -> bool {
        !is_grammar(place.name)
            && matches!(place.back(0), "import" | "language" | "extends" | "validatorExtends")
    }
}

/// Whether a text is a grammar, by its name.
fn is_grammar(name: &str) -> bool {
    name.ends_with(".grammar")
}

fn pieces_of(text: &Text<'_>) -> Vec<Piece> {
    match is_grammar(text.name) {
        true => pieces::<GrammarToken>(
            text.text,
            &COMMENTS_OF_GRAMMARS,
            |lexer| lexer.next(),
            class_in_grammars,
            GrammarToken::End,
        ),
        false => pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End),
    }
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Number => Class::Number,
        Token::Text | Token::OpenText => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}

fn class_in_grammars(kind: GrammarToken) -> Class {
    match kind {
        GrammarToken::Name => Class::Name,
        GrammarToken::Number => Class::Number,
        GrammarToken::Keyword
        | GrammarToken::OpenKeyword
        | GrammarToken::Pattern
        | GrammarToken::OpenPattern => Class::Text,
        _ => Class::Operator,
    }
}

/// The number of the first token that begins at a place or behind it.
fn number_at(words: &[Word<'_>], start: u32) -> usize {
    words.partition_point(|word| word.span.start < start)
}

/// The part from a place to the end of its line, as far as there are tokens.
fn to_line_end(text: &str, words: &[Word<'_>], span: Span) -> Span {
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

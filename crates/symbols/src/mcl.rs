//! The index of formulas of the mu-calculus (`.mcl`): macros with their parameters, variables of fixpoints, labels.
//!
//! Macros are expanded while formulas are parsed, so that trees do not have what is written; the rules are those of the parser. A macro is
//! known behind its definition, and the last one of a name counts. The body of a fixpoint ends where a formula without operators ends.

mod bodies;
mod walk;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::{Fit, Found, escaped};
use crate::index::{Index, Kind, SymbolId};
use crate::language::Indexed;
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Word, words};
use volvelle_diagnostics::FileId;
use volvelle_mcl::token::Kind as Token;
use volvelle_syntax::Spelt;
use walk::Walk;

const COMMENTS: Comments = Comments { line: &["--"], joined: false, block: Some(("(*", "*)", false)) };

/// Words of formulas, and their forms.
const FORMS: &[(&str, &str)] = &[
    ("and", "and "),
    ("equ", "equ "),
    ("false", "false"),
    ("implies", "implies "),
    ("mu", "mu ${1:X} . ($0)"),
    ("nu", "nu ${1:X} . ($0)"),
    ("not", "not "),
    ("or", "or "),
    ("true", "true"),
];

/// Formulas of the mu-calculus.
pub(crate) struct Mcl;

impl Indexed for Mcl {
    fn name(&self) -> &'static str {
        "mcl"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["mcl"]
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens: Vec<Vec<Piece>> = texts
            .iter()
            .map(|text| pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End))
            .collect();
        let words: Vec<Vec<Word<'_>>> = (0..)
            .zip(texts.iter().zip(&tokens))
            .map(|(number, (text, pieces))| words(FileId(number), text.text, pieces))
            .collect();
        let mut builder = Builder::new(texts, tokens, Spelling { name: bare, ignores_case: false });
        for words in &words {
            Walk::of(&mut builder, words).all();
        }
        builder.finish(|_, _| Meaning::Like(Kind::Macro))
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        (kind == Kind::Action).then_some("it is a label of the system that the formula is about")
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if place.is_quoted {
            return found.of_kinds(Fit::Best, &[Kind::Action]);
        }
        let before = place.back(0);
        if matches!(before, "mu" | "nu" | "macro") {
            return;
        }
        let is_around = |id: SymbolId| {
            let whole = place.index.symbol(id).whole;
            whole.is_some_and(|whole| {
                whole.file == place.file && whole.start <= place.offset && place.offset <= whole.end
            })
        };
        found.names(|id, symbol| match symbol.kind {
            // A text that is broken may end a body too early.
            Kind::Variable => Some(if is_around(id) { Fit::Best } else { Fit::Possible }),
            Kind::Parameter => {
                Some(if symbol.container.is_some_and(is_around) { Fit::Best } else { Fit::Possible })
            }
            Kind::Macro => Some(Fit::Good),
            _ => None,
        });
        found.named(
            |_, symbol| (symbol.kind == Kind::Action).then_some(Fit::Good),
            |symbol| format!("\"{}\"", escaped(&symbol.name)).into(),
        );
        FORMS.iter().for_each(|(shown, written)| found.form(Fit::Possible, *shown, *written));
        if matches!(before, "" | "end_macro") {
            found.form(Fit::Possible, "macro", "macro ${1:NAME} ($2) =\n  $0\nend_macro");
        }
    }
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Number => Class::Number,
        Token::Label | Token::Pattern | Token::OpenLabel | Token::OpenPattern => Class::Text,
        Token::OpenComment => Class::Comment,
        // `&&` is an operator.
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}

/// A label without its quotes.
fn bare(shown: &str) -> &str {
    shown.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')).unwrap_or(shown)
}

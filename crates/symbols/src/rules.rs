//! The index of rule files (`.rules`) and of grammars (`.grammar`), which are of one system.
//!
//! Names are those of the trees. A judgment has no name where it is used: its sign means it. Which class a field belongs to is told where
//! the type of what stands before the dot is written, or where one class has a field of that name; fields keep their names therefore.

mod complete;
mod declare;
mod expressions;
mod grammar;
mod names;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::Found;
use crate::index::{Index, Kind};
use crate::language::Indexed;
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::Text;
use crate::words::{Word, words};
use names::{Names, SOFT, SOFT_OF_GRAMMARS};
use volvelle_diagnostics::FileId;
use volvelle_rules::tokens::Kind as Token;
use volvelle_syntax::Spelt;
use volvelle_trees::grammar::token::Kind as GrammarToken;

const COMMENTS: Comments = Comments { line: &["//"], joined: false, block: Some(("/*", "*/", false)) };
const COMMENTS_OF_GRAMMARS: Comments = Comments { line: &["//"], joined: false, block: None };

/// Type systems as rules.
pub(crate) struct Rules;

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

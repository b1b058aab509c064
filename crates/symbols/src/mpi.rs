//! The index of programs of message-passing primitives (`.mpi`), alone or as a study in TOML names them.
//!
//! Names mean what the front end says: those of a program are known everywhere in it, locals from their declarations to the ends of their
//! blocks. Which structure a parameter stands for is the business of calls: its fields are told by their names.

mod declare;
mod walk;

use crate::builder::{Builder, Meaning, Spelling};
use crate::candidates::{Fit, Found};
use crate::declared::{self, Keys};
use crate::index::{Index, Kind, SymbolId};
use crate::language::{Function, Indexed};
use crate::nearest::Nearest;
use crate::pieces::{Class, Comments, Piece, pieces};
use crate::place::Place;
use crate::text::{Part, Text};
use crate::toml;
use crate::words::words;
use rustc_hash::FxHashSet;
use volvelle_declarations::form::Form;
use volvelle_diagnostics::FileId;
use volvelle_mpi::{ProgramToken as Token, parse};
use volvelle_syntax::Spelt;

const COMMENTS: Comments = Comments { line: &["//"], joined: false, block: Some(("/*", "*/", false)) };

/// What a declaration or a statement begins with, and its form.
const FORMS: &[(&str, &str)] = &[
    ("assert", "assert ($0);"),
    ("break", "break;"),
    ("channel", "channel ${1:mail} : ${2:data};"),
    ("const", "const ${1:n} = ${2:1};"),
    ("either", "either {\n  $1\n} or {\n  $0\n}"),
    ("enter", "enter $0;"),
    ("for", "for (${1:i} : ${2:0} .. ${3:1}) {\n  $0\n}"),
    ("if", "if ($1) {\n  $0\n}"),
    ("leave", "leave $0;"),
    ("local", "local ${1:k};"),
    ("loop", "loop {\n  $0\n}"),
    ("measure", "measure ${1:START};"),
    ("private", "private ${1:x} : ${2:bool};"),
    ("procedure", "procedure ${1:name}($2) {\n  $0\n}"),
    ("process", "process ${1:P0} {\n  $0\n}"),
    ("repeat", "repeat {\n  $0\n} until ($1);"),
    ("return", "return $0;"),
    ("shared", "shared ${1:x} : ${2:bool};"),
    ("type", "type ${1:t} = ${2:0} .. ${3:1};"),
    ("while", "while ($1) {\n  $0\n}"),
    ("work", "work ${1:1};"),
];

/// Programs, and studies.
pub(crate) struct Mpi;

impl Indexed for Mpi {
    fn name(&self) -> &'static str {
        "mpi"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["mpi"]
    }

    fn includes(&self, name: &str) -> bool {
        is_program(name) || name.ends_with(".toml")
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let tokens = |text: &Text<'_>| -> Vec<Piece> {
            match is_program(text.name) {
                true => pieces::<Token>(text.text, &COMMENTS, |lexer| lexer.next(), class, Token::End),
                false => toml::pieces(text.text),
            }
        };
        let tokens: Vec<Vec<Piece>> = texts.iter().map(tokens).collect();
        let files = || {
            (0..).map(FileId).zip(texts.iter().zip(&tokens)).filter(|(_, (text, _))| is_program(text.name))
        };
        let read: Vec<_> = files()
            .map(|(file, (text, pieces))| {
                let items = declare::items(&words(file, text.text, pieces));
                (parse::program(file, text.text).0, items)
            })
            .collect();
        let declarations: Vec<(FileId, Vec<Piece>)> = (0..)
            .map(FileId)
            .zip(texts.iter().zip(&tokens))
            .filter(|(_, (text, _))| !is_program(text.name))
            .map(|(file, (_, pieces))| (file, pieces.clone()))
            .collect();
        let mut builder =
            Builder::new(texts, tokens, Spelling { name: declared::name_of, ignores_case: false });
        if !declarations.is_empty() {
            let keys = Keys::of(&mut builder, FORMS_OF_STUDIES);
            for (file, pieces) in &declarations {
                let text = &texts[file.0 as usize];
                declared::add(&mut builder, *file, text.text, pieces, form_of(text.part), &keys);
            }
        }
        let mut classes = FxHashSet::default();
        for (tree, items) in &read {
            walk::program(&mut builder, tree, items, &mut classes);
        }
        // Fields of parameters, and what could not be read.
        let is_of_program = |kind| !matches!(kind, Kind::Key | Kind::Table | Kind::Entry);
        let nearest = Nearest::of(&builder.symbols, false, |symbol| is_of_program(symbol.kind));
        builder.finish(|span, shown| match nearest.get(span, shown) {
            _ if !is_program(texts[span.file.0 as usize].name) => Meaning::Like(Kind::Key),
            _ if classes.contains(&span) => Meaning::Like(Kind::Type),
            Some(symbol) => Meaning::Names(symbol),
            None => Meaning::Like(Kind::Variable),
        })
    }

    fn takes_file(&self, place: &Place<'_>) -> bool {
        !is_program(place.name) && declared::takes_file(place, form_of(place.part))
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        if !is_program(place.name) {
            return declared::complete(place, found, FORMS_OF_STUDIES, form_of(place.part));
        }
        if place.is_quoted {
            return;
        }
        match place.back(0) {
            "." => return found.of_kinds(Fit::Best, &[Kind::Field]),
            "measure" => return found.of_kinds(Fit::Best, &[Kind::Label]),
            ":" => {
                found.of_kinds(Fit::Best, &[Kind::Type]);
                found.words(Fit::Best, &["bool", "data", "modulo"]);
            }
            "const" | "type" | "shared" | "private" | "channel" | "procedure" | "process" | "local" => {
                return;
            }
            _ => {}
        }
        let is_around = |id: SymbolId| {
            let whole = place.index.symbol(id).whole;
            whole.is_some_and(|whole| {
                whole.file == place.file && whole.start <= place.offset && place.offset <= whole.end
            })
        };
        found.names(|_, symbol| match (symbol.kind, symbol.container) {
            (Kind::Variable | Kind::Parameter, Some(of)) => {
                Some(if is_around(of) { Fit::Best } else { Fit::Possible })
            }
            (Kind::Constant | Kind::Variable | Kind::Channel | Kind::Procedure, _) => Some(Fit::Best),
            (Kind::Field | Kind::Type, _) => Some(Fit::Possible),
            _ => None,
        });
        found.other_names(place.file, place.text);
        if matches!(place.back(0), "" | ";" | "{" | "}" | ")" | "loop" | "else") {
            FORMS.iter().for_each(|(shown, written)| found.form(Fit::Good, *shown, *written));
        } else {
            found.words(Fit::Good, &["cas", "false", "fetch_add", "swap", "tas", "true"]);
        }
    }

    fn keeps(&self, kind: Kind) -> Option<&'static str> {
        let is_of_study = matches!(kind, Kind::Key | Kind::Table | Kind::Entry);
        is_of_study.then_some("the program, the protocol or other texts have it, too")
    }

    fn functions(&self) -> &'static [Function] {
        &[
            ("cas", &["variable", "old", "new"]),
            ("fetch_add", &["variable", "value"]),
            ("swap", &["variable", "value"]),
            ("tas", &["variable"]),
        ]
    }
}

/// Forms of the texts in TOML: the study itself, and protocols that it names.
const FORMS_OF_STUDIES: &[&Form] = &[&volvelle_mpi::study::STUDY, &volvelle_coherence::PROTOCOL];

fn form_of(part: Part) -> &'static Form {
    FORMS_OF_STUDIES[usize::from(part != Part::Model)]
}

fn is_program(name: &str) -> bool {
    name.ends_with(".mpi")
}

fn class(kind: Token) -> Class {
    match kind {
        Token::Name => Class::Name,
        Token::Number | Token::Decimal | Token::NameWithDigit | Token::LargeNumber => Class::Number,
        Token::Text | Token::OpenText => Class::Text,
        Token::OpenComment => Class::Comment,
        kind if kind.is_word() => Class::Keyword,
        _ => Class::Operator,
    }
}

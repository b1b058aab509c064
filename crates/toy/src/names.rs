//! The names of models and questions, for editors: where each is declared and used, and which may stand at a place.

use crate::front_end::Tally;
use crate::parse::{self, Sort, scan};
use crate::syntax::Name;
use std::collections::HashMap;
use volvelle_diagnostics::{FileId, Span};
use volvelle_symbols::build::{Builder, Class, Declared, Meaning, Nearest, Piece, Spelling};
use volvelle_symbols::{Fit, Found, Index, Indexed, Kind, Part, Place, Role, SymbolId, Text};

impl Indexed for Tally {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn index(&self, texts: &[Text<'_>]) -> Index {
        let pieces = texts.iter().map(|text| pieces(text.text)).collect();
        let mut builder = Builder::new(texts, pieces, Spelling { name: |shown| shown, ignores_case: false });
        let mut names = Names::default();
        for (file, text) in (0..).map(FileId).zip(texts) {
            match text.part {
                Part::Properties => names.questions(&mut builder, file, text.text),
                Part::Model | Part::Included => names.model(&mut builder, file, text.text),
            }
        }
        // In a line that cannot be read a name means the one symbol that is called so.
        let nearest = Nearest::of(&builder.symbols, false, |_| true);
        builder.finish(|span, shown| match nearest.get(span, shown) {
            _ if WORDS.contains(&shown) => Meaning::Word,
            Some(symbol) => Meaning::Names(symbol),
            None => Meaning::Like(Kind::Variable),
        })
    }

    fn complete<'a>(&self, place: &Place<'a>, found: &mut Found<'a>) {
        match (place.part, place.back(0)) {
            (Part::Properties, "of") => found.of_kinds(Fit::Best, &[Kind::Label]),
            (Part::Properties, _) => found.words(Fit::Best, &["chance", "of", "within"]),
            // A name that is given.
            (_, "counter" | "rule" | "goal") => {}
            (_, ":" | "," | "->") => found.of_kinds(Fit::Best, &[Kind::Variable]),
            _ => found.words(Fit::Best, &["counter", "rule", "goal"]),
        }
    }
}

const WORDS: &[&str] = &["counter", "rule", "goal", "chance", "of", "within"];

/// Symbols by name.
#[derive(Default)]
struct Names {
    counters: HashMap<String, SymbolId>,
    goals: HashMap<String, SymbolId>,
}

impl Names {
    fn model(&mut self, builder: &mut Builder<'_>, file: FileId, text: &str) {
        let (model, _) = parse::model(file, text);
        for counter in &model.counters {
            let id = declare(builder, &counter.name, Kind::Variable, counter.span);
            self.counters.entry(counter.name.text.clone()).or_insert(id);
        }
        for rule in &model.rules {
            declare(builder, &rule.name, Kind::Action, rule.span);
            let read = rule.conditions.iter().map(|condition| (&condition.counter, Role::Reads));
            let changed = rule.changes.iter().map(|change| (&change.counter, Role::Writes));
            read.chain(changed).for_each(|(name, role)| refer(builder, &self.counters, name, role));
        }
        for goal in &model.goals {
            let id = declare(builder, &goal.name, Kind::Label, goal.name.span);
            self.goals.entry(goal.name.text.clone()).or_insert(id);
            let read = goal.conditions.iter().map(|condition| &condition.counter);
            read.for_each(|name| refer(builder, &self.counters, name, Role::Reads));
        }
    }

    fn questions(&self, builder: &mut Builder<'_>, file: FileId, text: &str) {
        for question in parse::questions(file, text).0 {
            refer(builder, &self.goals, &question.goal, Role::Reads);
        }
    }
}

fn declare(builder: &mut Builder<'_>, name: &Name, kind: Kind, whole: Span) -> SymbolId {
    let detail = builder.one_line(whole);
    builder.declare(Declared { name: &name.text, kind, span: name.span, whole, detail, container: None })
}

fn refer(builder: &mut Builder<'_>, known: &HashMap<String, SymbolId>, name: &Name, role: Role) {
    if let Some(&symbol) = known.get(&name.text) {
        builder.refer(name.span, symbol, role);
    }
}

/// The tokens and comments of a text.
fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut at, mut starts_line) = (Vec::new(), 0, true);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (class, length) = match scan(rest, first) {
            (Sort::Blank, length) => {
                starts_line |= first == '\n';
                at += length;
                continue;
            }
            (Sort::Unknown, _) if first == '#' => (Class::Comment, rest.lines().next().map_or(1, str::len)),
            (Sort::Word, length) => (Class::Name, length),
            (Sort::Number, length) => (Class::Number, length),
            (Sort::Sign(_) | Sort::Unknown, length) => (Class::Operator, length),
        };
        let (start, end) = (at as u32, (at + length) as u32);
        pieces.push(Piece { start, end, class, starts_line });
        (at, starts_line) = (at + length, false);
    }
    pieces
}

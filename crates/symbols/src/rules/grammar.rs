//! What a grammar declares: terminals, rules with the classes that they make, and fields.

use super::names::{Names, number_at};
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::words::Word;
use volvelle_diagnostics::{FileId, Span};
use volvelle_trees::grammar::names::{Named, Role as In, names as named};

/// Adds the names of a grammar.
pub(super) fn declare(
    builder: &mut Builder<'_>,
    names: &mut Names,
    file: FileId,
    text: &str,
    words: &[Word<'_>],
) {
    let all = named(file, text);
    for one in &all {
        let kind = match one.role {
            In::Grammar => Kind::Module,
            In::Terminal => Kind::Terminal,
            In::Rule | In::Class => Kind::Class,
            In::Read | In::Made | In::Field => continue,
        };
        let whole = statement(words, one.span);
        let detail = builder.one_line(whole);
        let known = names.types.get(&one.name).copied();
        match known.filter(|_| kind != Kind::Module) {
            Some(known) => builder.refer(one.span, known, Role::Declares),
            None => {
                let id = add(builder, one, kind, whole, detail, None);
                if kind != Kind::Module {
                    names.types.insert(one.name.clone(), id);
                }
            }
        }
    }
    for one in &all {
        match one.role {
            In::Read | In::Made => match names.types.get(&one.name) {
                Some(&known) => builder.refer(one.span, known, Role::Reads),
                // A class begins where its nodes are made.
                None if one.role == In::Made => {
                    let id = add(builder, one, Kind::Class, one.span, format!("class {}", one.name), None);
                    names.types.insert(one.name.clone(), id);
                }
                None => {}
            },
            In::Field => field(builder, names, one),
            In::Grammar | In::Terminal | In::Rule | In::Class => {}
        }
    }
}

fn field(builder: &mut Builder<'_>, names: &mut Names, one: &Named) {
    let class = one.class.clone().unwrap_or_default();
    let key = (class, one.name.clone());
    if let Some(&known) = names.fields.get(&key) {
        return builder.refer(one.span, known, Role::Declares);
    }
    let container = names.types.get(&key.0).copied();
    let id = add(builder, one, Kind::Field, one.span, one.name.clone(), container);
    names.add_field(&key.0, &key.1, id);
}

fn add(
    builder: &mut Builder<'_>,
    one: &Named,
    kind: Kind,
    whole: Span,
    detail: String,
    container: Option<SymbolId>,
) -> SymbolId {
    builder.declare(Declared { name: &one.name, kind, span: one.span, whole, detail, container })
}

/// The declaration around a name: from the word before it to its end.
fn statement(words: &[Word<'_>], name: Span) -> Span {
    let at = number_at(words, name.start);
    let is_head =
        |word: &&Word<'_>| matches!(word.shown, "grammar" | "terminal" | "hidden" | "class" | "entry");
    let before = at.checked_sub(1).and_then(|before| words.get(before)).filter(is_head);
    let first = before.map_or(name, |word| word.span);
    let is_one_line = before.is_some_and(|word| matches!(word.shown, "grammar" | "terminal" | "hidden"));
    if is_one_line {
        let follows = words.get(at + 1).filter(|word| word.shown.starts_with('/'));
        return follows.map_or(first.to(name), |word| first.to(word.span));
    }
    let is_operators = words.iter().skip(at).take(5).any(|word| word.shown == "operators");
    let ends = if is_operators || before.is_some_and(|word| word.shown == "class") { "}" } else { ";" };
    let mut depth = 0_usize;
    for word in &words[at.min(words.len())..] {
        match word.shown {
            shown if shown == ends && depth == usize::from(ends == "}") => return first.to(word.span),
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    first.to(name)
}

//! Tables of operators, as rules: one for each level.
//!
//! `Sum : operators over Product { infix left "+" -> Add(left, right); }` reads as
//! `Sum : Product ({Add.left=current} "+" right=Product)*`. Each level binds tighter than those above it.

use super::{Reader, Reported, one_or};
use crate::grammar::syntax::{Element, Item, Mode, Rule, Times, Word};
use crate::grammar::token::{Kind, T};
use volvelle_diagnostics::Span;
use volvelle_syntax::Parse;

type Read<T> = Result<T, Reported>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Left,
    Right,
    Alone,
    Prefix,
    Postfix,
}

/// One operator: what is written, and the node that it makes.
struct Operator {
    written: Element,
    class: Word,
    fields: Vec<Word>,
}

struct Level {
    place: Place,
    operators: Vec<Operator>,
    span: Span,
}

impl Reader<'_, '_> {
    /// Reads a table behind `Rule :`, as rules. The first one is the rule itself.
    pub(super) fn operators(&mut self, head: Rule, rules: &mut Vec<Rule>) -> Read<()> {
        read(self, head, rules)
    }
}

fn read(reader: &mut Reader<'_, '_>, head: Rule, rules: &mut Vec<Rule>) -> Read<()> {
    reader.advance();
    if !reader.take_word("over") {
        return Err(reader.unexpected("`over`"));
    }
    let operand = reader.name()?;
    reader.expect(T!["{"])?;
    let mut levels = Vec::new();
    while !reader.take(T!["}"]) {
        levels.push(level(reader)?);
    }
    reader.take(T![";"]);
    let call = |name: &str, field: Option<&Word>, span| Element::Item {
        what: Item::Name(name.to_owned()),
        field: field.map(|field| (field.clone(), Mode::Set)),
        span,
    };
    let count = levels.len();
    let name_of = |at: usize| match at {
        0 => head.name.text.clone(),
        _ if at == count => operand.text.clone(),
        _ => format!("{} {}", head.name.text, at + 1),
    };
    if count == 0 {
        let body = call(&operand.text, None, operand.span);
        rules.push(Rule { body, ..head });
        return Ok(());
    }
    for (at, level) in levels.into_iter().enumerate() {
        let name = Word { text: name_of(at), span: head.name.span };
        // The name of the operand is misspelt where it stands.
        let place = if at + 1 == count { operand.span } else { level.span };
        let body = body(level, &name.text, &name_of(at + 1), place, &call);
        let is_first = at == 0;
        rules.push(Rule {
            name,
            class: head.class.clone(),
            is_entry: head.is_entry && is_first,
            is_level: !is_first,
            body,
        });
    }
    Ok(())
}

fn body(
    level: Level,
    own: &str,
    tighter: &str,
    place: Span,
    call: &impl Fn(&str, Option<&Word>, Span) -> Element,
) -> Element {
    let operand = call(tighter, None, place);
    let alternatives = level.operators.into_iter().map(|operator| {
        let Operator { written, class, mut fields } = operator;
        let first = fields.remove(0);
        match level.place {
            Place::Prefix => {
                let (symbol, operand) = match fields.pop() {
                    Some(operand) => (Some(first), operand),
                    None => (None, first),
                };
                let written = assigned(written, symbol.as_ref());
                Element::Sequence(vec![Element::New(class), written, call(own, Some(&operand), operand.span)])
            }
            Place::Postfix => {
                let written = assigned(written, fields.first());
                Element::Sequence(vec![Element::Wrap { class, field: first, mode: Mode::Set }, written])
            }
            Place::Left | Place::Right | Place::Alone => {
                let right = fields.pop().unwrap_or_else(|| first.clone());
                let written = assigned(written, fields.first());
                let other = if level.place == Place::Right { own } else { tighter };
                let right = call(other, Some(&right), right.span);
                Element::Sequence(vec![
                    Element::Wrap { class, field: first, mode: Mode::Set },
                    written,
                    right,
                ])
            }
        }
    });
    let mut alternatives: Vec<Element> = alternatives.collect();
    if level.place == Place::Prefix {
        alternatives.push(operand);
        return Element::Choice(alternatives);
    }
    let times = match level.place {
        Place::Left | Place::Postfix => Times::Any,
        _ => Times::Optional,
    };
    let inner = Box::new(one_or(alternatives, Element::Choice));
    Element::Sequence(vec![operand, Element::Repeat { inner, times, span: level.span }])
}

/// The same, with its keywords in a field.
fn assigned(element: Element, field: Option<&Word>) -> Element {
    let Some(field) = field else { return element };
    match element {
        Element::Choice(parts) => {
            Element::Choice(parts.into_iter().map(|part| assigned(part, Some(field))).collect())
        }
        Element::Item { what, field: None, span } => {
            Element::Item { what, field: Some((field.clone(), Mode::Set)), span }
        }
        other => other,
    }
}

fn level(reader: &mut Reader<'_, '_>) -> Read<Level> {
    let span = reader.place();
    let place = if reader.take_word("prefix") {
        Place::Prefix
    } else if reader.take_word("postfix") {
        Place::Postfix
    } else if reader.take_word("infix") {
        if reader.take_word("left") {
            Place::Left
        } else if reader.take_word("right") {
            Place::Right
        } else if reader.take_word("none") {
            Place::Alone
        } else {
            return Err(reader.unexpected("`left`, `right` or `none`"));
        }
    } else {
        return Err(reader.unexpected("`infix`, `prefix`, `postfix` or `}`"));
    };
    let mut operators = vec![operator(reader, place)?];
    while reader.take(T!["|"]) {
        operators.push(operator(reader, place)?);
    }
    reader.expect(T![";"])?;
    Ok(Level { place, operators, span })
}

/// `"+" | "-" -> Sum(left, operator, right)`: what stands before the arrow makes the same node.
fn operator(reader: &mut Reader<'_, '_>, place: Place) -> Read<Operator> {
    let written = if place == Place::Postfix { reader.choice()? } else { symbols(reader)? };
    reader.expect(T!["->"])?;
    let class = reader.name()?;
    reader.expect(T!["("])?;
    let fields = reader.separated(T![","], Reader::name)?;
    let (least, most, wanted) = match place {
        Place::Prefix => (1, 2, "a field for the operand, and one for the operator before it if it is kept"),
        Place::Postfix => (1, 2, "a field for the operand, and one for the operator behind it if it is kept"),
        _ => (2, 3, "fields for both operands, and one for the operator between them if it is kept"),
    };
    if !(least..=most).contains(&fields.len()) {
        return Err(reader.unexpected(wanted));
    }
    reader.expect(T![")"])?;
    Ok(Operator { written, class, fields })
}

/// Keywords and terminals with bars between them, in parentheses or not.
fn symbols(reader: &mut Reader<'_, '_>) -> Read<Element> {
    let mut all = vec![symbol(reader)?];
    while reader.take(T!["|"]) {
        all.push(symbol(reader)?);
    }
    Ok(one_or(all, Element::Choice))
}

fn symbol(reader: &mut Reader<'_, '_>) -> Read<Element> {
    if reader.take(T!["("]) {
        let inner = reader.nested(symbols)?;
        reader.expect(T![")"])?;
        return Ok(inner);
    }
    let span = reader.place();
    let what = match reader.peek() {
        Kind::Keyword => Item::Keyword(reader.keyword()?),
        Kind::Name => Item::Name(reader.name()?.text),
        _ => return Err(reader.unexpected("a keyword in quotes")),
    };
    Ok(Element::Item { what, field: None, span })
}

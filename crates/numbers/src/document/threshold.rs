//! The threshold that was found, what it rests on, and the values that were evaluated.

use crate::{Extreme, Found, Threshold};
use volvelle_present::document::{Block, Document, Note, Text, bad, doubtful, faint, good, name, strong};
use volvelle_present::format::{LONGEST_PROPERTY, count, shortened};
use volvelle_present::text;

/// Column of what is said of the property.
const SAID: usize = 9;

/// The answer first, then the values.
pub fn document(found: &Found, file: &str) -> Document {
    let constant = &found.constant.name;
    let Some(property) = found.evaluated.points.iter().flat_map(|p| &p.results).next() else {
        return Document::default();
    };
    let word = match found.extreme {
        Extreme::Least => "least",
        Extreme::Greatest => "greatest",
    };
    let mut document = Document::new(format!("The {word} {constant} of {file}: {}", property.text));
    let kind = found.evaluated.models.first().map_or(String::new(), |m| format!("  {}", m.kind));
    let range = match found.constant.values.as_slice() {
        values @ [first, .., last] => format!("{first} to {last}, {} values", count(values.len() as u64)),
        _ => String::new(),
    };
    let sought = faint(format!("the {word} {constant} of {range}"));
    document.note(0, text![strong(name(file)), kind, "  ", sought]);
    document.push(Block::Gap);
    let label = property.name.as_ref().map_or(Text::default(), |label| strong(name(label)).then("   "));
    let said = |indent, text| Note { text, indent, further: indent.max(7) + 2 };
    document.push(said(2, text![label, name(shortened(&property.text, LONGEST_PROPERTY))]));
    let answer = match &found.threshold {
        Threshold::Found(value) => good(format!("{constant} = {value}")),
        Threshold::Nowhere => bad(format!("no value of {constant} satisfies it")),
        Threshold::Open => doubtful("not found"),
    };
    document.push(said(SAID, text![answer, format!("      {}", found.basis())]));
    let mut say = |text: String| document.push(said(SAID, text.into()));
    if let Some(why) = &found.contradiction {
        say(format!("evaluated every value: {why}"));
    }
    match (&found.threshold, &found.fails, &found.holds) {
        (Threshold::Found(_), Some(fails), _) => say(format!("it fails for {constant} = {fails}")),
        (Threshold::Open, fails, holds) => {
            let fails = fails.as_ref().map(|value| format!("it fails for {constant} = {value}"));
            let holds = holds.as_ref().map(|value| format!("it holds for {constant} = {value}"));
            let known: Vec<String> = fails.into_iter().chain(holds).collect();
            if !known.is_empty() {
                say(format!("known so far: {}", known.join(" · ")));
            }
        }
        _ => {}
    }
    if let Some(value) = &found.too_large {
        say(format!("{constant} = {value} is too large for the limits"));
    }
    volvelle_reports::documents::experiment::add(&mut document, &found.evaluated);
    document
}

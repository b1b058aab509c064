//! Predictors declared in TOML.
//!
//! ```toml
//! name = "long TAGE"
//! kind = "tage"           # bimodal, gag, gshare, pag, tournament, perceptron, hashed, tage
//! lengths = [5, 15, 44, 130]
//! table_bits = 10
//! tag_bits = 9
//! base_bits = 13
//! ```

use super::form::KINDS;
use super::hashed::HashedShape;
use super::history::History;
use super::name::MOST_BITS;
use super::perceptron::PerceptronShape;
use super::specification::{Kind, Specification};
use super::tage::{MOST_TABLES, TageShape};
use volvelle_declarations::{Codes, DeTable, Reader, Value, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes};

const CODES: Codes =
    Codes { syntax: codes::MACHINE_KEY, key: codes::MACHINE_KEY, value: codes::PREDICTOR_VALUE };

/// Reads the declaration of a predictor.
///
/// # Errors
/// What is wrong with it.
pub fn read(file: FileId, text: &str) -> Result<Specification, Vec<Diagnostic>> {
    let mut reader = Reader::new(file, text, CODES);
    let help = "a predictor has keys such as `kind = \"gshare\"` and `bits = 14`";
    let Some(table) = reader.parse(help) else { return Err(reader.found) };
    let declared = declared(&mut reader, table.get_ref());
    match declared {
        Some(found) if reader.found.is_empty() => Ok(found),
        _ => Err(reader.found),
    }
}

fn declared(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Specification> {
    let all = entries(table);
    let find = |name: &str| all.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| *value);
    let Some(kind) = find("kind") else {
        let start = reader.span(0..0);
        reader.report_at(
            codes::MACHINE_KEY,
            "the predictor has no key `kind`",
            start,
            "write `kind = \"tage\"`",
        );
        return None;
    };
    let word = reader.string("kind", kind, "`kind = \"tage\"`")?;
    let name = find("name").and_then(|value| reader.string("name", value, "`name = \"mine\"`"));
    let known: &[&str] = match word.as_str() {
        "bimodal" | "gag" | "gshare" | "pag" | "tournament" => &["kind", "name", "bits"],
        "perceptron" => &["kind", "name", "history", "vectors", "weight_bits", "by_address", "threshold"],
        "hashed" => &["kind", "name", "lengths", "table_bits", "weight_bits", "threshold"],
        "tage" => &["kind", "name", "lengths", "table_bits", "tag_bits", "base_bits"],
        _ => {
            let all = || format!("the kinds are `{}`", KINDS.join("`, `"));
            let message = format!("there is no kind of predictor `{}`", word.escape_debug());
            reader.misspelt(codes::UNKNOWN_PREDICTOR, message, kind.span(), &word, KINDS, all);
            return None;
        }
    };
    for (key, _) in &all {
        if !known.contains(&&**key.get_ref()) {
            reader.unknown(key, known);
        }
    }
    let mut whole = |key: &str, usual: u64, range| match find(key) {
        Some(value) => reader.whole(key, value, range).unwrap_or(usual) as u32,
        None => usual as u32,
    };
    let kind = match word.as_str() {
        "bimodal" => Kind::Bimodal(whole("bits", 12, 1..=MOST_BITS)),
        "gag" => Kind::Gag(whole("bits", 14, 1..=MOST_BITS)),
        "gshare" => Kind::Gshare(whole("bits", 14, 1..=MOST_BITS)),
        "pag" => Kind::Pag(whole("bits", 10, 1..=MOST_BITS)),
        "tournament" => Kind::Tournament(whole("bits", 12, 1..=MOST_BITS)),
        "perceptron" => {
            let mut shape = PerceptronShape::paper(whole("history", 8, 1..=64));
            shape.vectors = whole("vectors", shape.vectors.into(), 1..=1 << MOST_BITS);
            shape.weight_bits = whole("weight_bits", 8, 2..=8);
            shape.threshold = whole("threshold", shape.threshold as u64, 0..=10_000) as i32;
            shape.is_by_address = find("by_address").is_some_and(|value| reader.flag("by_address", value));
            Kind::Perceptron(shape)
        }
        "hashed" => {
            let mut shape = HashedShape::usual();
            shape.table_bits = whole("table_bits", 10, 1..=20);
            shape.weight_bits = whole("weight_bits", 8, 2..=8);
            shape.threshold = whole("threshold", 20, 0..=10_000) as i32;
            if let Some(value) = find("lengths") {
                shape.lengths = lengths(reader, value);
            }
            Kind::Hashed(shape)
        }
        _ => {
            let mut shape = TageShape::usual();
            shape.table_bits = whole("table_bits", 9, 1..=20);
            shape.tag_bits = whole("tag_bits", 8, 2..=16);
            shape.base_bits = whole("base_bits", 12, 1..=MOST_BITS);
            if let Some(value) = find("lengths") {
                shape.lengths = lengths(reader, value);
            }
            Kind::Tage(shape)
        }
    };
    Some(Specification { name: name.unwrap_or_else(|| kind.to_string()), kind })
}

/// Lengths of histories, growing.
fn lengths(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<u32> {
    let mut lengths = Vec::new();
    for item in reader.list("lengths", value, "`lengths = [4, 8, 16]`") {
        lengths.extend(reader.whole("lengths", item, 0..=History::LENGTH.into()).map(|length| length as u32));
    }
    if lengths.is_empty() || lengths.len() > MOST_TABLES || !lengths.is_sorted_by(|a, b| a < b) {
        let message = format!("`lengths` are 1 to {MOST_TABLES} growing numbers");
        reader.report(codes::PREDICTOR_VALUE, message, value.span(), "write `lengths = [4, 8, 16]`");
    }
    lengths
}

//! What is wrong with kernels in their text form (`.vk`): what their parser says, and their verifier.

use crate::reader::Reader;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_kernel::Type;
use volvelle_kernel::text::{parse_with_places, pieces};
use volvelle_kernel::verify::verify;
use volvelle_symbols::{Kind, Part, Symbol, Text};

/// The name of the language among those with names.
pub const LANGUAGE: &str = "kernel";

/// All mistakes of a text, in their order. The verifier looks at the kernels that can be read.
pub fn diagnosed(file: FileId, text: &str, _: &Reader) -> Vec<Diagnostic> {
    let (kernels, errors) = parse_with_places(text);
    let pieces = pieces(text);
    // The token at a place; at the end of the text, nothing.
    let token = |at: usize| {
        let behind = pieces.partition_point(|piece| piece.start <= at);
        let here = behind.checked_sub(1).map(|before| pieces[before]).filter(|piece| at < piece.end);
        Span::within(file, text, at..here.map_or(at, |piece| piece.end))
    };
    let names = if errors.is_empty() { Vec::new() } else { names(file, text) };
    let unread = errors.iter().map(|error| {
        let place = token(error.at);
        let word = text.get(place.start as usize..place.end as usize).unwrap_or("");
        let diagnostic = Diagnostic::error(codes::KERNEL_SYNTAX, &error.message);
        (
            error.at,
            diagnostic.at_misspelt(place, word.trim_matches('`'), known(&error.message, place, &names)),
        )
    });
    let mut found: Vec<(usize, Diagnostic)> = unread.collect();
    for located in kernels {
        for error in verify(&located.kernel).err().unwrap_or_default() {
            let at = located.places.offset(error.place);
            found.push((at, Diagnostic::error(codes::KERNEL_INVALID, error.message).at(token(at), "")));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
}

/// Names that are declared before a place, each with its kind, its place, and that of its kernel.
fn names(file: FileId, text: &str) -> Vec<(String, Kind, Span, Span)> {
    let text = Text { file, name: "kernel.vk", text, part: Part::Model };
    let index = volvelle_symbols::named(LANGUAGE).map(|language| language.index(&[text])).unwrap_or_default();
    let of = |symbol: &Symbol| {
        let kernel = index.symbol(symbol.container?).whole?;
        Some((symbol.name.clone(), symbol.kind, symbol.span?, kernel))
    };
    index.symbols.iter().filter_map(of).collect()
}

/// Words that may have been meant where the parser found another one, by what it says.
fn known<'k>(message: &'k str, place: Span, names: &'k [(String, Kind, Span, Span)]) -> Vec<&'k str> {
    let of_kinds = |kinds: &[Kind]| {
        let is_known = |(_, kind, span, kernel): &&(String, Kind, Span, Span)| {
            kinds.contains(kind) && span.end <= place.start && place.end <= kernel.end
        };
        names.iter().filter(is_known).map(|(name, ..)| name.as_str()).collect::<Vec<_>>()
    };
    if message.starts_with("there is no local") {
        // A statement may begin with a misspelt word, too.
        let words =
            ["break", "copy", "emit", "fail", "goto", "machine", "return", "switch", "take", "truncate"];
        return [of_kinds(&[Kind::Variable, Kind::Parameter]), words.to_vec()].concat();
    }
    if message.starts_with("there is no buffer") {
        return of_kinds(&[Kind::Buffer]);
    }
    if message.starts_with("there is no function") {
        let language = volvelle_symbols::named(LANGUAGE);
        return language.iter().flat_map(|language| language.functions()).map(|(name, _)| *name).collect();
    }
    let Some((expected, _)) = message.strip_prefix("expected ").and_then(|rest| rest.split_once(", found"))
    else {
        return Vec::new();
    };
    match expected {
        "a type" => Type::ALL.iter().map(|ty| ty.name()).collect(),
        // The words that it expects stand in backticks.
        _ => expected.split('`').skip(1).step_by(2).collect(),
    }
}

#[cfg(test)]
mod tests;

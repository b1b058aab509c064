//! Places in LOTOS specifications.

use crate::candidates::{Fit, Found};
use crate::index::{Kind, Symbol, SymbolId};
use crate::place::Place;

/// What a behaviour begins with, and its form.
const BEHAVIOURS: &[(&str, &str)] = &[
    ("choice", "choice ${1:x} : ${2:Nat} [] $0"),
    ("exit", "exit"),
    ("hide", "hide ${1:G} in $0"),
    ("i", "i; "),
    ("let", "let ${1:x} : ${2:Nat} = $3 in $0"),
    ("par", "par ${1:G} in [$2] ||| $0"),
    ("stop", "stop"),
];

/// What a type or a process begins with, and its form.
const DEFINITIONS: &[(&str, &str)] = &[
    ("process", "process ${1:P} [$2] : ${3:noexit} :=\n  $0\nendproc"),
    ("type", "type ${1:T} is ${2:Boolean}\n  sorts ${3:S}\n  opns $0\nendtype"),
];

/// Operations of the library.
const OPERATIONS: &[&str] = &[
    "and", "div", "eq", "false", "ge", "gt", "iff", "implies", "le", "lt", "max", "min", "mod", "ne", "not",
    "or", "succ", "true", "xor",
];

/// Words within definitions.
const WORDS: &[&str] = &[
    "accept",
    "any",
    "behaviour",
    "endproc",
    "endspec",
    "endtype",
    "eqns",
    "forall",
    "in",
    "is",
    "library",
    "noexit",
    "of",
    "ofsort",
    "opns",
    "sorts",
    "where",
];

/// Tells whether a name is used here, rather than given.
pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) -> bool {
    if place.is_quoted {
        return false;
    }
    let scope = scope(place);
    let lower = place.back(0).to_ascii_lowercase();
    match lower.as_str() {
        // Names that are given.
        "process" | "specification" | "hide" | "let" | "choice" | "?" => return false,
        "type" | "sorts" => return false,
        "is" | "library" | "actualizedby" | "renamedby" => {
            found.of_kinds(Fit::Best, &[Kind::Type]);
            found.words(Fit::Good, &["sorts", "opns", "eqns"]);
            return true;
        }
        ":" | "of" | "any" | "ofsort" => {
            found.of_kinds(Fit::Best, &[Kind::Type]);
            found.words(Fit::Good, &["exit", "noexit"]);
            return true;
        }
        "!" | "=" => {
            values(found, scope, Fit::Best);
            return true;
        }
        _ => {}
    }
    match place.open_bracket() {
        Some(("[", number, _)) if opens_gates(place, number) => {
            seen(found, &[Kind::Gate], scope, Fit::Best);
            // A guard begins in the same way.
            values(found, scope, Fit::Good);
            return true;
        }
        Some(("[", ..)) => {
            values(found, scope, Fit::Best);
            seen(found, &[Kind::Gate], scope, Fit::Good);
            return true;
        }
        _ => {}
    }
    for (shown, written) in BEHAVIOURS.iter().chain(DEFINITIONS) {
        found.form(Fit::Good, *shown, *written);
    }
    found.words(Fit::Possible, WORDS);
    seen(found, &[Kind::Gate], scope, Fit::Best);
    found.of_kinds(Fit::Good, &[Kind::Process]);
    // In types, and where values are compared or counted.
    values(found, scope, Fit::Good);
    found.of_kinds(Fit::Possible, &[Kind::Type]);
    true
}

/// Whether the bracket that is so many tokens before the place holds gates: those of a call, or those on which processes synchronise.
fn opens_gates(place: &Place<'_>, number: usize) -> bool {
    place.back(number + 1) == "|"
        || place.back(number).starts_with('|')
        || place.kind(number + 1) == Some(Kind::Process)
}

/// Variables that are seen, and operations.
fn values(found: &mut Found<'_>, scope: Option<SymbolId>, fit: Fit) {
    seen(found, &[Kind::Variable, Kind::Parameter], scope, fit);
    found.of_kinds(fit.max(Fit::Good), &[Kind::Operation]);
    found.words(Fit::Possible, OPERATIONS);
}

/// Symbols that belong to the process, or to none.
fn seen(found: &mut Found<'_>, kinds: &[Kind], scope: Option<SymbolId>, fit: Fit) {
    found.names(|_, symbol| {
        if !kinds.contains(&symbol.kind) {
            return None;
        }
        // A text that is broken may end a process too early.
        Some(if scope.is_some() && symbol.container == scope { fit } else { Fit::Possible })
    });
}

/// The innermost process around the place.
fn scope(place: &Place<'_>) -> Option<SymbolId> {
    let holds = |symbol: &Symbol| {
        symbol.whole.is_some_and(|whole| {
            whole.file == place.file && whole.start <= place.offset && place.offset <= whole.end
        })
    };
    let all = place.index.symbols.iter().enumerate();
    let around = all.filter(|(_, symbol)| symbol.kind == Kind::Process && holds(symbol));
    let inner = around.max_by_key(|(_, symbol)| symbol.whole.map(|whole| whole.start));
    inner.map(|(number, _)| SymbolId(number as u32))
}

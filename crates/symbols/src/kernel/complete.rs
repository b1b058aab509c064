//! What may stand at a place of a kernel.

use super::words::TYPES;
use crate::candidates::{Fit, Found};
use crate::index::{Kind, SymbolId};
use crate::place::Place;

const ACCESSES: &[&str] = &["append", "read", "write"];
const FAILURES: &[&str] = &["assertion", "conversion", "division", "overflow", "range"];

/// What a kernel begins with, and its form.
const KERNEL: &[(&str, &str)] = &[("kernel", "kernel ${1:name}($2) {\n  $0\n}")];

/// What a declaration begins with, and its form.
const DECLARATIONS: &[(&str, &str)] = &[
    ("buffer", "buffer ${1:name}: ${2:read} ${3:i64};"),
    ("let", "let \\$${1:0} = $0;"),
    ("local", "local ${1:x}: ${2:i64};"),
    ("site", "site @${1:0}: ${2:overflow}, tag ${3:0};"),
];

/// What a statement begins with, and its form.
const STATEMENTS: &[(&str, &str)] = &[
    ("break", "break;"),
    ("copy", "copy ${1:to}, ${2:from}[${3:0u64}; ${4:1}];"),
    ("emit", "emit ${1:buffer}, $0;"),
    ("fail", "fail @${1:0};"),
    ("for", "for ${1:i} in ${2:0u64}..${3:1u64} {\n  $0\n}"),
    ("goto", "goto ${1:0};"),
    ("if", "if $1 {\n  $0\n}"),
    ("machine", "machine ${1:i} in ${2:0u32}..${3:1u32} at ${4:0u32} {\n  block 0 {\n    $0\n  }\n}"),
    ("return", "return;"),
    ("switch", "switch $1 {\n  case ${2:0} {\n    $0\n  }\n}"),
    ("take", "take ${1:x}, ${2:buffer}[${3:0u64}];"),
    ("truncate", "truncate ${1:buffer}, ${2:0u64};"),
];

/// Functions, and how they are called.
const FUNCTIONS: &[(&str, &str)] = &[
    ("abs", "abs($0)"),
    ("ceil", "ceil($0)"),
    ("exp", "exp($0)"),
    ("floor", "floor($0)"),
    ("fma", "fma($1, $2, $0)"),
    ("len", "len($0)"),
    ("log", "log($0)"),
    ("max", "max($1, $0)"),
    ("min", "min($1, $0)"),
    ("pow", "pow($1, $0)"),
    ("select", "select($1, $2, $0)"),
    ("sqrt", "sqrt($0)"),
    ("trunc", "trunc($0)"),
];

pub(super) fn complete<'a>(place: &Place<'a>, found: &mut Found<'a>) {
    if place.is_quoted {
        return;
    }
    let (before, second, third) = (place.back(0), place.back(1), place.back(2));
    let Some((bracket, ..)) = place.open_bracket() else {
        if matches!(before, "" | "}") {
            forms(found, Fit::Best, KERNEL);
        }
        return;
    };
    match before {
        ":" => {
            match third {
                "buffer" => found.words(Fit::Best, ACCESSES),
                "site" => found.words(Fit::Best, FAILURES),
                _ => found.words(Fit::Best, TYPES),
            }
            return;
        }
        "read" | "write" | "append" if second == ":" => return found.words(Fit::Best, TYPES),
        "as" => {
            found.words(Fit::Best, TYPES);
            return found.words(Fit::Good, &["bits"]);
        }
        "." if matches!(second, "f32" | "f64") => return found.words(Fit::Best, &["bits", "inf", "nan"]),
        "kernel" | "buffer" | "local" | "site" | "let" | "case" | "block" | "break" | "return" => return,
        "goto" => {
            return own(place, found, Fit::Best, |kind, name| {
                kind == Kind::Location && !name.starts_with('@')
            });
        }
        "fail" => {
            return own(place, found, Fit::Best, |kind, name| {
                kind == Kind::Location && name.starts_with('@')
            });
        }
        "emit" | "truncate" | "copy" => return own(place, found, Fit::Best, |kind, _| kind == Kind::Buffer),
        "(" if second == "len" => return own(place, found, Fit::Best, |kind, _| kind == Kind::Buffer),
        "," if matches!(third, "copy" | "take") => {
            return own(place, found, Fit::Best, |kind, _| kind == Kind::Buffer);
        }
        "take" | "for" | "machine" => {
            return own(place, found, Fit::Best, |kind, _| matches!(kind, Kind::Variable | Kind::Parameter));
        }
        _ => {}
    }
    // In the head of a kernel a name is new.
    if bracket == "("
        && place.statement(|text| text == "}").0.contains(&"kernel")
        && !place.backwards().any(|text| text == "{")
    {
        return;
    }
    let is_local = |kind, _: &str| matches!(kind, Kind::Variable | Kind::Parameter);
    own(place, found, Fit::Best, is_local);
    if bracket == "{" && matches!(before, ";" | "{" | "}") {
        own(place, found, Fit::Good, |kind, _| kind == Kind::Buffer);
        forms(found, Fit::Good, STATEMENTS);
        forms(found, Fit::Good, DECLARATIONS);
        if before == "}" {
            found.words(Fit::Good, &["else"]);
        }
    } else {
        own(place, found, Fit::Good, |kind, _| matches!(kind, Kind::Buffer | Kind::Formula));
        forms(found, Fit::Good, FUNCTIONS);
        found.words(Fit::Good, &["as", "at", "false", "in", "mod", "true"]);
    }
    found.other_names(place.file, place.text);
}

fn forms(found: &mut Found<'_>, fit: Fit, forms: &[(&'static str, &'static str)]) {
    forms.iter().for_each(|(shown, written)| found.form(fit, *shown, *written));
}

/// Symbols of the kernel around a place.
fn own(place: &Place<'_>, found: &mut Found<'_>, fit: Fit, is_wanted: impl Fn(Kind, &str) -> bool) {
    let is_around = |id: SymbolId| {
        let whole = place.index.symbol(id).whole;
        whole.is_some_and(|whole| {
            whole.file == place.file && whole.start <= place.offset && place.offset <= whole.end
        })
    };
    found.names(|_, symbol| {
        let is_here = symbol.container.is_some_and(is_around);
        (is_here && is_wanted(symbol.kind, &symbol.name)).then_some(fit)
    });
}

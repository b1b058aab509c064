//! Places in Promela models.

use crate::candidates::{Fit, Found, escaped};
use crate::index::{Index, Kind, Symbol, SymbolId};
use crate::place::Place;

/// What stands outside of processes, and its form.
const UNITS: &[(&str, &str)] = &[
    ("active proctype", "active proctype ${1:P}() {\n  $0\n}"),
    ("chan", "chan ${1:c} = [${2:1}] of { ${3:byte} };"),
    ("init", "init {\n  $0\n}"),
    ("inline", "inline ${1:name}($2) {\n  $0\n}"),
    ("ltl", "ltl ${1:name} { $0 }"),
    ("mtype", "mtype = { $0 };"),
    ("never", "never {\n  $0\n}"),
    ("proctype", "proctype ${1:P}($2) {\n  $0\n}"),
    ("typedef", "typedef ${1:T} {\n  $0\n}"),
];

/// What a statement begins with, and its form.
const STATEMENTS: &[(&str, &str)] = &[
    ("assert", "assert($0)"),
    ("atomic", "atomic {\n  $0\n}"),
    ("break", "break"),
    ("chan", "chan ${1:c} = [${2:1}] of { ${3:byte} };"),
    ("d_step", "d_step {\n  $0\n}"),
    ("do", "do\n:: $0\nod"),
    ("else", "else"),
    ("for", "for (${1:i} : ${2:0} .. ${3:1}) {\n  $0\n}"),
    ("goto", "goto "),
    ("if", "if\n:: $0\nfi"),
    ("printf", "printf(\"$1\\\\n\")"),
    ("run", "run "),
    ("select", "select(${1:i} : ${2:0} .. ${3:1})"),
    ("skip", "skip"),
    ("timeout", "timeout"),
    ("unless", "unless "),
    ("xr", "xr "),
    ("xs", "xs "),
];

const TYPES: &[&str] = &["bit", "bool", "byte", "chan", "int", "mtype", "pid", "short", "unsigned"];

/// Functions and words of expressions.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("empty", "empty($1)"),
    ("enabled", "enabled($1)"),
    ("eval", "eval($1)"),
    ("false", "false"),
    ("full", "full($1)"),
    ("len", "len($1)"),
    ("nempty", "nempty($1)"),
    ("nfull", "nfull($1)"),
    ("pc_value", "pc_value($1)"),
    ("run", "run "),
    ("timeout", "timeout"),
    ("true", "true"),
];

/// Operators of temporal logic.
const TEMPORAL: &[&str] = &[
    "always",
    "equivalent",
    "eventually",
    "implies",
    "next",
    "release",
    "stronguntil",
    "until",
    "weakuntil",
];

const DIRECTIVES: &[&str] =
    &["define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "undef"];

pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) {
    if place.is_quoted {
        return;
    }
    let scope = Scope::of(place);
    match place.back(0) {
        "#" => return found.words(Fit::Best, DIRECTIVES),
        "run" => return found.of_kinds(Fit::Best, &[Kind::Process, Kind::Inline, Kind::Macro]),
        "goto" => {
            locations(found, scope.unit);
            // Of labels that inlines and macros bring the place is in these.
            found.of_kinds(Fit::Possible, &[Kind::Location, Kind::Macro, Kind::Parameter]);
            return;
        }
        "@" => return remote(place, found, Kind::Location),
        "." => return fields(place, found),
        "proctype" | "inline" | "typedef" | "ltl" | "define" | "undef" | "never" => return,
        ":" if is_remote(place) => return remote(place, found, Kind::Variable),
        _ => {}
    }
    let before = place.back(0);
    let is_type = TYPES.contains(&before) || place.kind(0) == Some(Kind::Type) && !is_set(place);
    // A name that is declared. Where it was before, it is offered only as one of those that are there.
    if is_type {
        return;
    }
    match scope.unit {
        None if !scope.is_inside => {
            for (shown, written) in UNITS {
                found.form(Fit::Good, *shown, *written);
            }
            found.words(Fit::Good, TYPES);
            found.of_kinds(Fit::Good, &[Kind::Type, Kind::Inline, Kind::Macro]);
            // Sizes, initial values, the number of processes: constants.
            if !matches!(before, "" | ";" | "}") {
                values(found, &scope);
            }
        }
        _ => {
            if starts_statement(before) {
                for (shown, written) in STATEMENTS {
                    found.form(Fit::Good, *shown, *written);
                }
                found.words(Fit::Good, TYPES);
                found.of_kinds(Fit::Good, &[Kind::Inline]);
            }
            if matches!(before, "of" | "," | "{" | "(" | ";") {
                found.words(Fit::Possible, TYPES);
            }
            found.of_kinds(Fit::Good, &[Kind::Type]);
            if scope.is_claim {
                found.words(Fit::Good, TEMPORAL);
            }
            found.of_kinds(Fit::Possible, &[Kind::Process, Kind::Inline]);
            values(found, &scope);
        }
    }
}

/// Whether a statement may begin behind a token.
fn starts_statement(before: &str) -> bool {
    matches!(
        before,
        "" | ";" | "->" | "{" | "}" | "::" | "fi" | "od" | ":" | "else" | "do" | "if" | ")" | "skip"
    )
}

/// Whether the name before the place is that of a set of names: `mtype:Set` in an expression.
fn is_set(place: &Place<'_>) -> bool {
    place.back(1) == ":" && place.back(2) != "mtype"
}

/// `P:x` and `P[0]:x`.
fn is_remote(place: &Place<'_>) -> bool {
    place.kind(1) == Some(Kind::Process) || place.back(1) == "]"
}

/// Where a place is.
struct Scope {
    /// The process, claim, inline or macro that it is in.
    unit: Option<SymbolId>,
    /// Whether braces are open.
    is_inside: bool,
    is_claim: bool,
    /// What is declared behind this offset is not seen yet.
    offset: u32,
}

impl Scope {
    fn of(place: &Place<'_>) -> Self {
        let (mut depth, mut claim) = (0i64, false);
        let mut outermost = 0;
        let texts: Vec<&str> = place.backwards().collect();
        // From the beginning, since what is closed does not matter.
        for (number, text) in texts.iter().rev().enumerate() {
            match *text {
                "{" => {
                    if depth == 0 {
                        outermost = number;
                    }
                    depth += 1;
                }
                "}" => depth = (depth - 1).max(0),
                _ => {}
            }
        }
        if depth > 0 {
            let heads = texts.iter().rev().take(outermost).rev();
            claim = heads.take(2).any(|text| matches!(*text, "ltl" | "never"));
        }
        let contains = |symbol: &Symbol| {
            symbol.whole.is_some_and(|whole| {
                let is_from_here = whole.file == place.file && whole.start <= place.offset;
                is_from_here && (place.offset <= whole.end || depth > 0)
            })
        };
        let is_unit = |symbol: &Symbol| match symbol.kind {
            Kind::Process | Kind::Property | Kind::Inline => true,
            // A macro is one line.
            Kind::Macro => symbol.whole.is_some_and(|whole| place.offset <= whole.end),
            _ => false,
        };
        let units = place.index.symbols.iter().enumerate();
        let around = units.filter(|(_, symbol)| is_unit(symbol) && contains(symbol));
        let unit = around.max_by_key(|(_, symbol)| symbol.whole.map(|whole| whole.start));
        let unit = unit.map(|(number, _)| SymbolId(number as u32));
        let is_claim = claim || unit.is_some_and(|unit| place.index.symbol(unit).kind == Kind::Property);
        Scope { unit, is_inside: depth > 0, is_claim, offset: place.offset }
    }
}

/// Constants, variables, parameters, channels and macros that are seen.
fn values(found: &mut Found<'_>, scope: &Scope) {
    let kinds = [Kind::Constant, Kind::Variable, Kind::Channel, Kind::Parameter, Kind::Macro];
    let is_inline = scope.unit.is_some_and(|unit| found.index.symbol(unit).kind != Kind::Process);
    found.names(|_, symbol| {
        if !kinds.contains(&symbol.kind) {
            return None;
        }
        match symbol.container {
            None => Some(if symbol.span.is_none() { Fit::Possible } else { Fit::Best }),
            container if container == scope.unit => {
                let is_declared = symbol.span.is_some_and(|span| span.start < scope.offset);
                Some(if is_declared { Fit::Best } else { Fit::Possible })
            }
            // The text of an inline or macro means what it means where it is used; and processes use what inlines declare.
            Some(container) => {
                let is_brought = matches!(found.index.symbol(container).kind, Kind::Inline | Kind::Macro);
                (is_inline || is_brought).then_some(Fit::Possible)
            }
        }
    });
    for (shown, written) in EXPRESSIONS {
        found.form(Fit::Possible, *shown, *written);
    }
}

fn locations(found: &mut Found<'_>, unit: Option<SymbolId>) {
    found.names(|_, symbol| (symbol.kind == Kind::Location && symbol.container == unit).then_some(Fit::Best));
}

/// `P@label`, `P[0]:variable`
fn remote(place: &Place<'_>, found: &mut Found<'_>, kind: Kind) {
    let mut name = place.back(1);
    if name == "]" {
        let mut depth = 0i64;
        let texts: Vec<&str> = place.backwards().skip(1).collect();
        let open = texts.iter().position(|text| {
            depth += i64::from(*text == "]") - i64::from(*text == "[");
            depth == 0
        });
        name = open.and_then(|open| texts.get(open + 1)).copied().unwrap_or("");
    }
    let index = found.index;
    found.names(|_, symbol| {
        let is_it = match kind {
            Kind::Location => symbol.kind == kind,
            _ => matches!(symbol.kind, Kind::Variable | Kind::Parameter | Kind::Channel),
        };
        if !is_it {
            return None;
        }
        let container = symbol.container.map(|container| index.symbol(container));
        match container {
            Some(container) if container.name == name => Some(Fit::Best),
            Some(_) => Some(Fit::Possible),
            None => (kind == Kind::Variable).then_some(Fit::Possible),
        }
    });
}

/// `x.field`: those of the type of `x`, if it can be told, else all.
fn fields(place: &Place<'_>, found: &mut Found<'_>) {
    let ty = type_before(place);
    let index = found.index;
    let fit = |_: SymbolId, symbol: &Symbol| {
        let container = symbol.container.filter(|_| symbol.kind == Kind::Field)?;
        let is_of = ty.is_none_or(|ty| index.symbol(container).name == ty);
        Some(if is_of { Fit::Best } else { Fit::Possible })
    };
    found.named(fit, |symbol| escaped(&symbol.name));
}

/// The type of what stands before the dot: the first word of its declaration.
fn type_before<'a>(place: &Place<'a>) -> Option<&'a str> {
    let mut depth = 0i64;
    let name = place.backwards().skip(1).find(|text| {
        depth += i64::from(*text == "]") - i64::from(*text == "[");
        depth == 0 && *text != "["
    })?;
    let index: &'a Index = place.index;
    let symbol = index.symbols.iter().find(|symbol| {
        symbol.name == name && matches!(symbol.kind, Kind::Variable | Kind::Parameter | Kind::Field)
    })?;
    let words = symbol.detail.split_whitespace();
    words.into_iter().find(|word| !matches!(*word, "hidden" | "local" | "show"))
}

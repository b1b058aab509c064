//! Places in PRISM models.

use crate::candidates::{Fit, Found, escaped};
use crate::index::{Kind, Symbol, SymbolId};
use crate::place::Place;
use std::borrow::Cow;

/// The words that a declaration of a model begins with, and its form.
const BLOCKS: &[(&str, &str)] = &[
    ("const int", "const int ${1:N} = $0;"),
    ("const double", "const double ${1:p} = $0;"),
    ("const bool", "const bool ${1:b} = $0;"),
    ("formula", "formula ${1:f} = $0;"),
    ("label", "label \"${1:name}\" = $0;"),
    ("global", "global ${1:x} : [0..${2:1}] init ${3:0};"),
    ("module", "module ${1:m}\n  $0\nendmodule"),
    ("rewards", "rewards \"${1:name}\"\n  $0\nendrewards"),
    ("init", "init\n  $0\nendinit"),
    ("system", "system\n  $0\nendsystem"),
    ("player", "player ${1:p}\n  $0\nendplayer"),
];

/// Types of models.
const TYPES: &[&str] = &["ctmc", "dtmc", "mdp", "ma", "pta", "pomdp", "smg"];

/// The words that end blocks.
const ENDS: &[&str] = &["endinit", "endinvariant", "endmodule", "endplayer", "endrewards", "endsystem"];

/// Functions, with the number of arguments that they have at least.
const FUNCTIONS: &[(&str, usize)] =
    &[("ceil", 1), ("floor", 1), ("log", 2), ("max", 2), ("min", 2), ("mod", 2), ("pow", 2), ("round", 1)];

/// What the place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Outside,
    Module,
    Rewards,
    Init,
    System,
    Player,
    Invariant,
}

pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) {
    let section = section(place);
    if place.is_quoted {
        // Names are given in quotes: only states with a label are asked for by one.
        if !matches!(place.back(0), "label" | "rewards" | "system" | "endsystem") {
            labels(found, Fit::Best);
        }
        return;
    }
    let own = statement(place, section);
    match section {
        Section::Module => module(place, found, &own),
        Section::Rewards if own.first() == Some(&"[") && !own.contains(&"]") => actions(found),
        Section::Rewards => {
            if own.is_empty() {
                found.form(Fit::Good, "[] … : …", "[$1] ${2:true} : ${3:1};");
                found.words(Fit::Good, &["endrewards"]);
            }
            let is_condition = !own.contains(&":");
            values(place, found, is_condition, false);
        }
        Section::Init | Section::Invariant => {
            let end = if section == Section::Init { "endinit" } else { "endinvariant" };
            found.words(Fit::Possible, &[end]);
            values(place, found, true, false);
        }
        Section::System => {
            found.of_kinds(Fit::Best, &[Kind::Module]);
            found.of_kinds(Fit::Good, &[Kind::Action]);
            found.words(Fit::Possible, &["endsystem"]);
        }
        Section::Player => {
            found.of_kinds(Fit::Best, &[Kind::Module]);
            found.of_kinds(Fit::Good, &[Kind::Action]);
            found.words(Fit::Possible, &["endplayer"]);
        }
        Section::Outside => outside(place, found, &own),
    }
}

/// The section is told by the last word before the place that begins or ends one.
fn section(place: &Place<'_>) -> Section {
    let mut texts = place.backwards().peekable();
    while let Some(text) = texts.next() {
        let before = texts.peek().copied().unwrap_or("");
        match text {
            "module" => return Section::Module,
            "rewards" => return Section::Rewards,
            "system" => return Section::System,
            "player" => return Section::Player,
            "invariant" => return Section::Invariant,
            // The same word gives a variable its initial value.
            "init" if is_block_start(before) => return Section::Init,
            "endinvariant" => return Section::Module,
            text if ENDS.contains(&text) => return Section::Outside,
            _ => {}
        }
    }
    Section::Outside
}

/// Whether a block may follow a word.
fn is_block_start(before: &str) -> bool {
    before.is_empty() || before == ";" || ENDS.contains(&before) || TYPES.contains(&before)
}

/// The tokens of the declaration, command or item that the place is in.
fn statement<'a>(place: &Place<'a>, section: Section) -> Vec<&'a str> {
    let (mut own, end) = place.statement(|text| {
        text == ";"
            || matches!(text, "module" | "rewards" | "init" | "system" | "player")
                && text != if section == Section::Module { "init" } else { "" }
            || ENDS.contains(&text)
            || TYPES.contains(&text)
    });
    match end {
        // The name of the module is no part of its first command; what it copies is.
        Some("module") if own.len() >= 2 && own[1] == "=" => {}
        Some("module" | "player") => drop(own.drain(..own.len().min(1))),
        Some("rewards") if own.first().is_some_and(|first| first.starts_with('"')) => drop(own.remove(0)),
        // `global x : [0..1] init 0`
        Some("init") if section == Section::Outside => {
            let (mut all, _) = place.statement(|text| text == ";" || ENDS.contains(&text));
            std::mem::swap(&mut own, &mut all);
        }
        _ => {}
    }
    own
}

fn module(place: &Place<'_>, found: &mut Found<'_>, own: &[&str]) {
    let last = own.last().copied().unwrap_or("");
    // `module b = a [x=y]`
    if place.backwards().nth(own.len()) == Some("module") {
        if own.is_empty() {
            return;
        }
        match (own.len(), last) {
            (1, _) => {}
            (2, _) => found.of_kinds(Fit::Best, &[Kind::Module]),
            (_, "[" | ",") => {
                let original = own.get(2).copied().unwrap_or("");
                let index = found.index;
                let is_of = |symbol: &Symbol| {
                    symbol.container.is_some_and(|container| index.symbol(container).name == original)
                };
                found.names(|_, symbol| match symbol.kind {
                    Kind::Variable if is_of(symbol) => Some(Fit::Best),
                    Kind::Action | Kind::Constant | Kind::Formula => Some(Fit::Good),
                    Kind::Variable => Some(Fit::Possible),
                    _ => None,
                });
            }
            (_, "=") => {
                let kinds = [Kind::Action, Kind::Constant, Kind::Formula, Kind::Variable];
                found.of_kinds(Fit::Good, &kinds);
            }
            _ => {}
        }
        return;
    }
    let arrow = own.iter().rposition(|text| *text == "->");
    let is_command = own.first() == Some(&"[");
    let closed = own.iter().position(|text| *text == "]");
    match (own.first(), arrow) {
        (None, _) => {
            // A module without a name has to get one first.
            if place.back(0) == "module" {
                return;
            }
            found.form(Fit::Best, "[] … -> …", "[$1] ${2:true} -> ($3'=$4);");
            found.form(Fit::Good, "x : [..]", "${1:x} : [0..${2:1}] init ${3:0};");
            found.form(Fit::Good, "x : bool", "${1:x} : bool init ${2:false};");
            found.words(Fit::Good, &["endmodule", "invariant"]);
            // A name that is being replaced may be that of a variable which is declared.
        }
        _ if is_command && closed.is_none() => actions(found),
        (_, Some(arrow)) if is_command => update(place, found, &own[arrow + 1..]),
        _ if is_command => values(place, found, true, false),
        _ => variable(place, found, own),
    }
}

/// A declaration: `x : [0..N] init 0`.
fn variable(place: &Place<'_>, found: &mut Found<'_>, own: &[&str]) {
    let Some(colon) = own.iter().position(|text| *text == ":") else { return };
    let behind = &own[colon + 1..];
    match behind {
        [] => {
            found.form(Fit::Best, "[..]", "[0..${1:1}]");
            found.words(Fit::Best, &["bool", "clock"]);
        }
        _ if behind.contains(&"init") => {
            let is_condition = behind[0] == "bool";
            values(place, found, is_condition, true);
        }
        ["bool"] => found.words(Fit::Best, &["init"]),
        ["[", .., "]"] => found.words(Fit::Best, &["init"]),
        ["[", ..] => values(place, found, false, true),
        _ => {}
    }
}

/// Behind `->`.
fn update(place: &Place<'_>, found: &mut Found<'_>, own: &[&str]) {
    let before = |number: usize| place.back(number);
    let last = own.last().copied().unwrap_or("");
    let starts_assignment = last == "(" && matches!(before(1), "->" | "&" | ":" | "+");
    if starts_assignment {
        targets(place, found, |symbol| escaped(&symbol.name) + "'=");
        // It may be a probability in brackets, unless another assignment stands before.
        if before(1) != "&" {
            found.below(|found| values(place, found, false, false));
        }
        return;
    }
    match last {
        "" | "+" | ":" | "&" => {
            targets(place, found, |symbol| format!("({}'=$1)", escaped(&symbol.name)).into());
            if last != "&" {
                found.words(Fit::Good, &["true"]);
            }
            if matches!(last, "" | "+") {
                values(place, found, false, false);
            }
        }
        "'" => {}
        _ => {
            // Of which type the variable is tells what it may become.
            let target = own.iter().rposition(|text| *text == "'").and_then(|at| own.get(at.checked_sub(1)?));
            let is_condition = target.is_some_and(|name| is_bool_variable(place, name));
            values(place, found, is_condition, false);
        }
    }
}

fn is_bool_variable(place: &Place<'_>, name: &str) -> bool {
    place.index.symbols.iter().any(|symbol| symbol.name == name && is_bool(symbol))
}

/// Variables that may be assigned here: those of the module first, then global ones.
fn targets<'a>(place: &Place<'_>, found: &mut Found<'a>, written: impl Fn(&'a Symbol) -> Cow<'a, str>) {
    let own = own_module(place);
    let fit = |_: SymbolId, symbol: &Symbol| match (symbol.kind, symbol.container) {
        (Kind::Variable, Some(container)) if Some(container) == own => Some(Fit::Best),
        (Kind::Variable, None) => Some(Fit::Good),
        // In texts that are broken it cannot be told whose variable it is; those of others are refused by lowering.
        (Kind::Variable, Some(_)) => Some(Fit::Possible),
        _ => None,
    };
    found.named(fit, written);
}

/// The module that the place is in: the last one that begins before it.
fn own_module(place: &Place<'_>) -> Option<SymbolId> {
    let begins = |symbol: &Symbol| Some(symbol.span.filter(|span| span.file == place.file)?.start);
    let modules = place.index.symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind == Kind::Module);
    let before = modules.filter_map(|(number, symbol)| Some((begins(symbol)?, number)));
    let last = before.filter(|(start, _)| *start <= place.offset).max()?;
    Some(SymbolId(last.1 as u32))
}

fn outside(place: &Place<'_>, found: &mut Found<'_>, own: &[&str]) {
    match own {
        [] => {
            for (shown, written) in BLOCKS {
                found.form(Fit::Good, *shown, *written);
            }
            // It is one of the first words of a text that has one.
            if !place.forwards().any(|text| TYPES.contains(&text)) {
                found.words(Fit::Best, TYPES);
            }
        }
        ["const"] => found.words(Fit::Best, &["int", "double", "bool"]),
        ["const", ..] if own.contains(&"=") => values(place, found, own.contains(&"bool"), true),
        ["formula", _, "=", ..] => values(place, found, true, false),
        ["label", _, "=", ..] => values(place, found, true, false),
        ["global", ..] => variable(place, found, own),
        _ => {}
    }
}

fn actions(found: &mut Found<'_>) {
    found.of_kinds(Fit::Best, &[Kind::Action]);
}

/// Labels, which are named in quotes.
pub(super) fn labels(found: &mut Found<'_>, fit: Fit) {
    found.of_kinds(fit, &[Kind::Label]);
}

/// What an expression may have here. `is_condition`: it begins as a truth value; `is_constant`: without variables.
pub(super) fn values(place: &Place<'_>, found: &mut Found<'_>, is_condition: bool, is_constant: bool) {
    // A value is complete before another one begins.
    if is_operand(place) {
        return;
    }
    let wanted = wanted(place, is_condition);
    found.names(|_, symbol| {
        // A model does not see what files of properties declare.
        if symbol.span.is_some_and(|span| span.file > place.file) {
            return None;
        }
        let is_value = match symbol.kind {
            Kind::Constant | Kind::Formula => true,
            Kind::Variable => !is_constant,
            _ => false,
        };
        is_value.then(|| fit(wanted, symbol))
    });
    let (truth, number) = match wanted {
        Wanted::Condition => (Fit::Good, Fit::Possible),
        Wanted::Number => (Fit::Possible, Fit::Good),
    };
    found.words(truth, &["true", "false"]);
    for (name, arguments) in FUNCTIONS {
        let places: Vec<String> = (1..=*arguments).map(|at| format!("${at}")).collect();
        found.form(number, *name, format!("{name}({})", places.join(", ")));
    }
}

/// Whether the token before the place is a value, behind which an operator is wanted.
pub(super) fn is_operand(place: &Place<'_>) -> bool {
    use crate::index::TokenKind as T;
    let Some(last) = place.token(0) else { return false };
    // `F<=T`: what follows is the formula.
    if matches!(place.back(1), "<" | "<=" | ">" | ">=" | "=") && is_path_operator(place.back(2)) {
        return false;
    }
    let is_name = matches!(last.kind, T::Name(_)) && !place.back(0).starts_with('"');
    is_name || last.kind == T::Number || matches!(place.back(0), "true" | "false" | ")")
}

/// Whether a bound may follow.
fn is_path_operator(text: &str) -> bool {
    matches!(text, "F" | "G" | "U" | "W" | "R")
}

/// What is wanted at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Condition,
    Number,
}

/// The operator before the place tells it.
fn wanted(place: &Place<'_>, is_condition: bool) -> Wanted {
    match place.back(0) {
        "&" | "|" | "!" | "=>" | "<=>" | "?" => Wanted::Condition,
        "+" | "-" | "*" | "/" | "<" | "<=" | ">" | ">=" | ".." | "," => Wanted::Number,
        "=" | "!=" if is_comparison(place) => match is_bool_variable(place, place.back(1)) {
            true => Wanted::Condition,
            false => Wanted::Number,
        },
        _ if is_condition => Wanted::Condition,
        _ => Wanted::Number,
    }
}

/// Whether `=` compares: it does not behind `x'`, and not in a declaration.
fn is_comparison(place: &Place<'_>) -> bool {
    place.back(1) != "'"
        && !matches!(place.back(2), "formula" | "label" | "int" | "double" | "bool" | "const")
}

fn is_bool(symbol: &Symbol) -> bool {
    symbol.detail.contains(": bool") || symbol.detail.starts_with("const bool")
}

fn fit(wanted: Wanted, symbol: &Symbol) -> Fit {
    match (wanted, symbol.kind) {
        // Its type is that of its expression.
        (_, Kind::Formula) => Fit::Best,
        // What is compared begins with a variable rather than with a constant.
        (Wanted::Condition, _) if is_bool(symbol) => Fit::Best,
        (Wanted::Condition, Kind::Variable) => Fit::Best,
        (Wanted::Condition, _) => Fit::Good,
        (Wanted::Number, _) if is_bool(symbol) => Fit::Possible,
        (Wanted::Number, _) => Fit::Best,
    }
}

//! Places in files of properties of PRISM models.

use super::complete::{is_operand, labels, values};
use crate::candidates::{Fit, Found, escaped};
use crate::index::Kind;
use crate::place::Place;

/// Operators that a formula begins with, and their forms.
const OPERATORS: &[(&str, &str)] = &[
    ("P=?", "P=? [ $0 ]"),
    ("P>=", "P>=${1:1} [ $0 ]"),
    ("Pmax=?", "Pmax=? [ $0 ]"),
    ("Pmin=?", "Pmin=? [ $0 ]"),
    ("R=?", "R{\"$1\"}=? [ $0 ]"),
    ("Rmax=?", "R{\"$1\"}max=? [ $0 ]"),
    ("Rmin=?", "R{\"$1\"}min=? [ $0 ]"),
    ("S=?", "S=? [ $0 ]"),
    ("A", "A [ $0 ]"),
    ("E", "E [ $0 ]"),
    ("filter", "filter(${1:max}, $2, $3)"),
    ("multi", "multi($0)"),
];

/// What a path formula begins with.
const PATHS: &[(&str, &str)] = &[("F", "F "), ("G", "G "), ("X", "X "), ("F<=", "F<=${1:T} ")];

/// What is asked of rewards.
const REWARDS: &[(&str, &str)] =
    &[("F", "F "), ("C", "C"), ("C<=", "C<=${1:T}"), ("I=", "I=${1:T}"), ("S", "S")];

/// What a filter does with the values of states.
const FILTERS: &[&str] = &[
    "argmax", "argmin", "avg", "count", "exists", "first", "forall", "max", "min", "print", "printall",
    "range", "state", "sum",
];

pub(super) fn complete(place: &Place<'_>, found: &mut Found<'_>) {
    if place.is_quoted {
        return quoted(place, found);
    }
    let (own, _) = place.statement(|text| text == ";");
    match own.as_slice() {
        ["const"] => return found.words(Fit::Best, &["int", "double", "bool"]),
        ["const", ..] if own.contains(&"=") => return values(place, found, own.contains(&"bool"), true),
        ["const", ..] | ["label"] | ["formula"] | ["formula", _] => return,
        [] => {
            found.form(Fit::Good, "const", "const ${1:int} ${2:N};");
            found.form(Fit::Good, "label", "label \"${1:name}\" = $0;");
            found.form(Fit::Good, "formula", "formula ${1:f} = $0;");
        }
        _ => {}
    }
    let open = place.open_bracket();
    if let Some(("(", number, 0)) = open
        && place.back(number + 1) == "filter"
    {
        return found.words(Fit::Best, FILTERS);
    }
    if matches!(open, Some(("<", ..))) || matches!(place.back(0), "<<") {
        found.of_kinds(Fit::Best, &[Kind::Process]);
    }
    if let Some(("[", number, _)) = open
        && number == 0
    {
        let is_reward = place.backwards().take(8).skip(1).take_while(|text| *text != "[").any(starts_rewards);
        let forms = if is_reward { REWARDS } else { PATHS };
        for (shown, written) in forms {
            found.form(Fit::Best, *shown, *written);
        }
    }
    if is_operand(place) || place.back(0).ends_with('"') || place.back(0) == "]" {
        if matches!(open, Some(("[", ..))) {
            found.words(Fit::Best, &["U", "W", "R"]);
        }
        return;
    }
    if matches!(place.back(0), "=" | "<=" | ">=" | "<" | ">") && starts_operator(place.back(1)) {
        found.form(Fit::Best, "?", "?");
    }
    values(place, found, true, false);
    found.of_kinds(Fit::Best, &[Kind::Parameter]);
    found.named(
        |_, symbol| matches!(symbol.kind, Kind::Label | Kind::Property).then_some(Fit::Best),
        |symbol| format!("\"{}\"", escaped(&symbol.name)).into(),
    );
    for (shown, written) in OPERATORS {
        found.form(Fit::Good, *shown, *written);
    }
}

fn starts_operator(text: &str) -> bool {
    matches!(text, "P" | "Pmax" | "Pmin" | "R" | "Rmax" | "Rmin" | "S" | "max" | "min" | "}")
}

fn starts_rewards(text: &str) -> bool {
    matches!(text, "R" | "Rmax" | "Rmin" | "}")
}

fn quoted(place: &Place<'_>, found: &mut Found<'_>) {
    match (place.back(0), place.back(1)) {
        ("label", _) => {}
        ("{", _) | (",", _) if within_reward_braces(place) => found.of_kinds(Fit::Best, &[Kind::Rewards]),
        _ => {
            labels(found, Fit::Best);
            found.of_kinds(Fit::Good, &[Kind::Property]);
            found.of_kinds(Fit::Possible, &[Kind::Rewards]);
        }
    }
}

/// Whether the open brace is that of `R{"name"}`.
fn within_reward_braces(place: &Place<'_>) -> bool {
    let Some(("{", number, _)) = place.open_bracket() else { return false };
    matches!(place.back(number + 1), "R" | "Rmax" | "Rmin" | "C" | "rew" | "U" | "F" | "G")
        || place.back(number + 1).ends_with('}')
}

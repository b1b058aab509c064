//! Relations and distances of weighted systems.

use super::columns::{Columns, Keys};
use super::flow;
use super::format::time;
use super::{Style, push_line};
use std::borrow::Cow;
use volvelle_present::terminal::marks as terminal;
use volvelle_verify::limits;
use volvelle_verify::weighted::{
    AllDistances, AnsweredStep, Closeness, ExplainedPart, Goal, WctlResult, WeightedComparison,
    WeightedDistance, WeightedOptimum, WeightedReduction, WeightedRelation,
};

/// `weighted branching bisimulation  4 states  5 transitions  (0.02 s)`
pub fn reduced(found: &WeightedReduction, style: Style) -> String {
    let structure = &found.model.structure;
    let parts = [
        style.bold(WeightedRelation::Bisimulation.name()),
        limits::counted(structure.num_states() as u64, "state"),
        limits::counted(structure.num_steps() as u64, "transition"),
        format!("({})", time(found.time)),
    ];
    flow::items("", &parts, "  ", 2, style)
}

/// Refuted pairs that are shown.
const SHOWN: usize = 12;

/// The verdict, and how the attacker wins where the states are not related.
pub fn compared(found: &WeightedComparison, style: Style) -> String {
    let verdict = if found.related { style.good("related") } else { style.bad("not related") };
    let parts = [style.bold(found.relation.name()), verdict, format!("({})", time(found.time))];
    let mut text = flow::items("", &parts, "  ", 2, style);
    for (place, pair) in found.refuted.iter().enumerate().take(SHOWN) {
        let [s, t] = pair.states.each_ref().map(|name| shortened(name));
        if let Some((path, back_to)) = &pair.stays {
            let path: Vec<_> = path.iter().map(|name| shortened(name)).collect();
            push_line(
                &mut text,
                &format!(
                    "  {}. {s}, {t}: {s} stays for ever on {}, back to {}",
                    place + 1,
                    path.join(", "),
                    path[*back_to]
                ),
            );
            if !pair.ending.is_empty() {
                let places: Vec<String> = pair.ending.iter().map(|place| (place + 1).to_string()).collect();
                push_line(
                    &mut text,
                    &format!("     no step of {t} leads to a related state: {}", places.join(", ")),
                );
            }
            continue;
        }
        match &pair.step {
            None => push_line(&mut text, &format!("  {}. {s}, {t}: their propositions differ", place + 1)),
            Some((weight, target)) => {
                let target = shortened(target);
                push_line(
                    &mut text,
                    &format!(
                        "  {}. {s}, {t}: {s} -{weight}-> {target} has no answer of weight {} {weight}",
                        place + 1,
                        found.relation.answers()
                    ),
                );
                let list = |places: &[usize]| {
                    places.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>().join(", ")
                };
                if !pair.passing.is_empty() {
                    push_line(&mut text, &format!("     paths of {t} may not pass: {}", list(&pair.passing)));
                }
                if !pair.ending.is_empty() {
                    push_line(
                        &mut text,
                        &format!("     paths of {t} may not end in: {}", list(&pair.ending)),
                    );
                }
            }
        }
    }
    let more = found.refuted.len().saturating_sub(SHOWN);
    if more > 0 {
        push_line(&mut text, &format!("  {more} more; all of them with --json"));
    }
    if found.diverges {
        text.push_str("  steps are answered, but one of them can stay for ever by steps of weight 0 where the other cannot\n");
    }
    if let Some(formula) = &found.formula {
        let [first, second] = &found.names;
        push_line(&mut text, &format!("  formula true of {first}, false of {second}:"));
        push_line(&mut text, &format!("    {formula}"));
    }
    text
}

/// The distance, and the paths that realise it.
pub fn distance(found: &WeightedDistance, log: bool, style: Style) -> String {
    let mut parts = vec![style.bold(found.kind.name()), style.good(&found.exact)];
    if found.exact.contains('/') {
        parts.push(format!("= {:.6}", found.value));
    }
    if log {
        parts.push(format!("log(1 + d) = {:.9}", f64::midpoint(found.logarithm[0], found.logarithm[1])));
    }
    parts.push(format!("({})", time(found.time)));
    let mut text = flow::items("", &parts, "  ", 2, style);
    if found.propositions_differ {
        text.push_str("  the propositions of the states differ\n");
    }
    if !found.play.is_empty() {
        text.push_str("  reached by\n");
        found.play.iter().for_each(|step| text.push_str(&answered(step)));
    }
    if let Some(step) = &found.realised {
        text.push_str(if found.exact == "inf" { "  without an answer\n" } else { "  realised by\n" });
        match found.exact.as_str() {
            "inf" => {
                let (from, to) = (shortened(&step.states[0]), shortened(&step.step.1));
                push_line(&mut text, &format!("    {from} -{}-> {to}", step.step.0));
            }
            _ => text.push_str(&answered(step)),
        }
    }
    text
}

/// States whose distances are shown as a table.
const TABLE: usize = 16;

/// The distances between all states: from those of rows to those of columns.
pub fn distances(found: &AllDistances, log: bool, style: Style) -> String {
    let states = found.names.len();
    let parts = [
        style.bold(found.kind.name()),
        limits::counted((states * states) as u64, "pair"),
        format!("({})", time(found.time)),
    ];
    let mut text = flow::items("", &parts, "  ", 2, style);
    if states > TABLE {
        text.push_str("  too many for a table: --csv FILE or --json has them, --within 5% groups states that are close\n");
        return text;
    }
    let cell = |s: usize, t: usize| match log {
        true => {
            let [low, high] = found.logarithm(s, t);
            if high.is_finite() { format!("{:.6}", f64::midpoint(low, high)) } else { "inf".to_owned() }
        }
        false => found.text(s, t),
    };
    let corner = if log { "log(1 + d) from" } else { "from" };
    let named = |name: &str| shortened(name).into_owned();
    let row = |s: usize| -> Vec<String> {
        std::iter::once(named(&found.names[s])).chain((0..states).map(|t| cell(s, t))).collect()
    };
    let table = Columns {
        head: std::iter::once(corner.to_owned()).chain(found.names.iter().map(|name| named(name))).collect(),
        rows: (0..states).map(row).collect(),
        keys: Keys::Before(1),
        group: 1,
    };
    text + &table.draw(2, style, |_, text| text.to_owned())
}

/// Groups that are shown.
const GROUPS: usize = 30;

/// Groups of states that are close to one another.
pub fn groups(distances: &AllDistances, found: &Closeness, style: Style) -> String {
    let parts = [
        style.bold(distances.kind.name()),
        limits::counted(found.groups.len() as u64, "group"),
        format!("of {} within {}", limits::counted(distances.names.len() as u64, "state"), found.within),
        format!("({})", time(distances.time)),
    ];
    let mut text = flow::items("", &parts, "  ", 2, style);
    for group in found.groups.iter().take(GROUPS) {
        let others = group.members.iter().filter(|member| **member != group.representative);
        let others: Vec<String> = others.map(|member| shortened(member).into_owned()).collect();
        let mut line = format!("  {}", style.bold(&shortened(&group.representative)));
        if !others.is_empty() {
            line.push_str(&format!("  {}  at most {} apart", others.join(", "), group.diameter));
        }
        push_line(&mut text, &line);
    }
    let more = found.groups.len().saturating_sub(GROUPS);
    if more > 0 {
        push_line(&mut text, &format!("  {more} more; all of them with --json"));
    }
    text
}

/// Signs of a fraction that is shown as it is.
const FRACTION: usize = 12;

/// A fraction; a long one rounded.
fn number(text: &str) -> String {
    match text.split_once('/') {
        Some((top, bottom)) if text.len() > FRACTION => match (top.parse::<f64>(), bottom.parse::<f64>()) {
            (Ok(top), Ok(bottom)) => format!("about {:.9}", top / bottom),
            _ => text.to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// The best values of parameters.
pub fn optimum(found: &WeightedOptimum, goal: &Goal, style: Style) -> String {
    let time = format!("({})", time(found.time));
    let bound = found.at_most.as_deref().unwrap_or_default();
    let verdict = match (found.exists, &found.best) {
        (Some(true), Some((_, distance))) => style.good(&format!("{}, at most {bound}", number(distance))),
        (Some(false), _) => style.bad(&format!("more than {bound} for all values of the parameters")),
        (_, Some((_, distance))) if found.is_settled(goal) => style.good(&number(distance)),
        (_, Some((_, distance))) => {
            let lower = number(found.lower.as_deref().unwrap_or("0"));
            style.doubtful(&format!("between {lower} and {}", number(distance)))
        }
        (_, None) => style.doubtful("no values of the parameters were found"),
    };
    let mut text = flow::items("", &[style.bold(found.kind.name()), verdict, time], "  ", 2, style);
    if let Some((values, _)) = &found.best {
        let values: Vec<String> =
            values.iter().map(|(name, value)| format!("{name} = {}", number(value))).collect();
        push_line(&mut text, &format!("  where {}", values.join(", ")));
    }
    text
}

/// `s -3-> x   answered by   t -1-> y -2-> z`
fn answered(step: &AnsweredStep) -> String {
    let [s, t] = step.states.each_ref().map(|name| shortened(name));
    let path = step.answer.iter().map(|(weight, target)| format!(" -{weight}-> {}", shortened(target)));
    let path: String = path.collect();
    let path = if step.answer.is_empty() { format!("{t}, which stays") } else { format!("{t}{path}") };
    let line = format!("    {s} -{}-> {}   answered by   {path}", step.step.0, shortened(&step.step.1));
    terminal::line(&line).into_owned() + "\n"
}

/// Steps of a path that are shown.
const STEPS: usize = 40;

/// Parts of an explanation that are shown.
const PARTS: usize = 20;

/// States whose values are shown.
const VALUES: usize = 16;

fn verdict(holds: Option<bool>, style: Style) -> String {
    match holds {
        None => style.doubtful("no verdict"),
        Some(true) => style.good("true"),
        Some(false) => style.bad("false"),
    }
}

/// The verdict of a formula, or the answer to a question, and what it rests on.
pub fn formula(found: &WctlResult, style: Style) -> String {
    let one_line = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let verdict = match (&found.value, found.holds) {
        (Some(value), _) => style.good(value),
        (None, holds) => verdict(holds, style),
    };
    let parts = [style.bold(&one_line), verdict, format!("({})", time(found.time))];
    let mut text = flow::items("", &parts, "  ", 2, style);
    for (state, value) in found.values.iter().take(VALUES) {
        text.push_str(&format!("  {value} in {}\n", shortened(state)));
    }
    let more = found.values.len().saturating_sub(VALUES);
    if more > 0 {
        text.push_str(&format!("  {more} more states; all of them with --json\n"));
    }
    // A single part without a path or a remark says no more than the verdict.
    if let [part] = &found.explanation[..]
        && part.path.is_empty()
        && part.remark.is_none()
    {
        return text;
    }
    found.explanation.iter().take(PARTS).for_each(|part| text.push_str(&explained(part)));
    let more = found.explanation.len().saturating_sub(PARTS);
    if more > 0 {
        push_line(&mut text, &format!("  {more} more parts; all of them with --json"));
    }
    text
}

/// Signs of the name of a state that are shown: terms may be long.
const SIGNS: usize = 120;

/// A name, without its middle if it is long.
fn shortened(name: &str) -> Cow<'_, str> {
    let count = name.chars().count();
    if count <= SIGNS {
        return Cow::Borrowed(name);
    }
    let kept = (SIGNS - 5) / 2;
    let beginning: String = name.chars().take(kept).collect();
    let end: String = name.chars().skip(count - kept).collect();
    Cow::Owned(format!("{beginning} ... {end}"))
}

/// What changes from a state to the next one, where both are named by many values: `x=2 y=0`. `None`: the whole name is to be shown.
fn changes(from: &str, to: &str) -> Option<String> {
    let values = |name: &str| name.split(' ').filter(|part| part.contains(['=', ':'])).count();
    let (before, after) = (from.split(' ').count(), to.split(' ').count());
    if before < FEW || before != after || values(from) != before || values(to) != after {
        return None;
    }
    let differing: Vec<&str> = from
        .split(' ')
        .zip(to.split(' '))
        .filter(|(before, after)| before != after)
        .map(|(_, after)| after)
        .collect();
    Some(if differing.is_empty() { "...".to_owned() } else { differing.join(" ") })
}

/// Values of a state that are all shown at each step.
const FEW: usize = 4;

/// `EF[<=3] q  true in s: a path of weight 2`, and the path: a state, and each step with the state that it leads to.
fn explained(part: &ExplainedPart) -> String {
    let indent = "  ".repeat(part.depth + 1);
    let remark = part.remark.as_ref().map_or(String::new(), |remark| format!(": {remark}"));
    let mut text = String::new();
    let state = shortened(&part.state);
    push_line(&mut text, &format!("{indent}{}  {} in {state}{remark}", part.formula, part.holds));
    if let Some((from, ..)) = part.path.first() {
        push_line(&mut text, &format!("{indent}  {}", shortened(from)));
    }
    for (place, (from, weight, to)) in part.path.iter().enumerate().take(STEPS) {
        if part.cycle_start == Some(place) {
            push_line(&mut text, &format!("{indent}  again and again:"));
        }
        let to = changes(from, to).map_or_else(|| shortened(to), Cow::Owned);
        push_line(&mut text, &format!("{indent}  -{weight}-> {to}"));
    }
    let more = part.path.len().saturating_sub(STEPS);
    if more > 0 {
        push_line(&mut text, &format!("{indent}  {more} more steps; all of them with --json"));
    }
    text
}

//! What is said of relations and distances of weighted systems.

use crate::stepping::NamedStep;
use crate::{
    AllDistances, AnsweredStep, Closeness, ExplainedPart, Goal, RefutedPair, WctlResult, WeightedComparison,
    WeightedDistance, WeightedOptimum, WeightedReduction, WeightedRelation,
};
use std::iter::once;
use volvelle_present::document::{
    Answer, Block, Cell, Column, Document, Name, Note, Path, Step, Steps, Table, Text, bad, doubtful, good,
    name, strong,
};
use volvelle_present::text;
use volvelle_reports::documents::{evidence, listed, places, verdict};
use volvelle_session::limits::counted;

/// A walk from a state.
pub struct Way {
    /// The state in which it begins.
    pub first: String,
    /// Its steps.
    pub steps: Vec<NamedStep>,
    /// The sum of their weights.
    pub total: String,
    /// Why it ends.
    pub reason: String,
}

/// A line for each step, and why the walk ends.
pub fn walk(file: &str, way: &Way) -> Document {
    let mut document = Document::new(format!("A walk through {file}"));
    let step = |number: usize, weight: &str, target: &str| Step {
        cells: vec![number.to_string().into(), weight.to_owned().into(), state(target).into()],
        ..Step::default()
    };
    let taken = (1..).zip(&way.steps).map(|(number, (_, weight, target))| step(number, weight, target));
    document.push(Steps {
        columns: vec![Column::numbers("step"), Column::words("weight"), Column::words("state")],
        steps: once(step(0, "", &way.first)).chain(taken).collect(),
        ..Steps::default()
    });
    document.push(total(way));
    document.push(Note { text: way.reason.as_str().into(), ..Note::default() });
    document
}

/// The sum of the weights of a walk.
pub fn total(way: &Way) -> Block {
    Note { text: format!("total weight {}", way.total).into(), indent: 2, further: 4 }.into()
}

/// Characters of the name of a state that are shown.
const NAME: usize = 120;

/// The name of a state.
fn state(name: &str) -> Name {
    Name::shortened(name, NAME)
}

/// `weighted branching bisimulation  4 states  5 transitions  (0.02 s)`
pub fn reduced(found: &WeightedReduction) -> Document {
    let structure = &found.model.structure;
    let sizes = [
        counted(structure.num_states() as u64, "state"),
        counted(structure.num_steps() as u64, "transition"),
    ];
    Document::answering(
        "A reduction by weighted branching bisimulation",
        Answer {
            question: WeightedRelation::Bisimulation.name().into(),
            about: sizes.map(Text::from).to_vec(),
            took: found.time,
            ..Answer::default()
        },
    )
}

/// Refuted pairs that are shown.
const SHOWN: usize = 12;

/// The verdict, and how the attacker wins where the states are not related.
pub fn compared(found: &WeightedComparison) -> Document {
    let [first, second] = &found.names;
    let mut document = Document::answering(
        format!("Whether {first} and {second} are related"),
        Answer {
            question: found.relation.name().into(),
            verdict: if found.related { good("related") } else { bad("not related") },
            took: found.time,
            ..Answer::default()
        },
    );
    for (place, pair) in found.refuted.iter().enumerate().take(SHOWN) {
        refuted(&mut document, place + 1, pair, found.relation);
    }
    document.rest(2, found.refuted.len(), SHOWN, "");
    if found.diverges {
        let text = "steps are answered, but one of them can stay for ever by steps of weight 0 where the other cannot";
        document.note(2, text);
    }
    if let Some(formula) = &found.formula {
        document.note(2, text!["formula true of ", name(first), ", false of ", name(second), ":"]);
        document.note(4, formula.to_string());
    }
    document
}

/// Why the states of a pair are not related.
fn refuted(document: &mut Document, number: usize, pair: &RefutedPair, relation: WeightedRelation) {
    let [s, t] = pair.states.each_ref().map(|name| state(name));
    let start = text![format!("{number}. "), &s, ", ", &t, ": "];
    if let Some((path, back_to)) = &pair.stays {
        let back = state(&path[*back_to]);
        let path = Text::joined(path.iter().map(|name| state(name)), ", ");
        document.note(2, text![start, &s, " stays for ever on ", path, ", back to ", &back]);
        if !pair.ending.is_empty() {
            let places = places(&pair.ending);
            document.note(5, text!["no step of ", &t, " leads to a related state: ", places]);
        }
        return;
    }
    let Some((weight, target)) = &pair.step else {
        return document.note(2, text![start, "their propositions differ"]);
    };
    let answers = relation.answers();
    let step = text![&s, format!(" -{weight}-> "), state(target)];
    document.note(2, text![start, step, format!(" has no answer of weight {answers} {weight}")]);
    for (list, what) in [(&pair.passing, "pass"), (&pair.ending, "end in")] {
        if !list.is_empty() {
            document.note(5, text!["paths of ", &t, format!(" may not {what}: "), places(list)]);
        }
    }
}

/// The distance, and the paths that realise it.
pub fn distance(found: &WeightedDistance, log: bool) -> Document {
    let mut about = Vec::new();
    if found.exact.contains('/') {
        about.push(format!("= {:.6}", found.value));
    }
    if log {
        about.push(format!("log(1 + d) = {:.9}", f64::midpoint(found.logarithm[0], found.logarithm[1])));
    }
    let mut document = Document::answering(
        found.kind.name(),
        Answer {
            question: found.kind.name().into(),
            verdict: good(found.exact.as_str()),
            about: listed(about),
            took: found.time,
        },
    );
    if found.propositions_differ {
        document.note(2, "the propositions of the states differ");
    }
    if !found.play.is_empty() {
        document.note(2, "reached by");
        found.play.iter().for_each(|step| document.note(4, answered(step)));
    }
    if let Some(step) = &found.realised {
        let is_infinite = found.exact == "inf";
        document.note(2, if is_infinite { "without an answer" } else { "they differ most at" });
        document.note(4, if is_infinite { challenge(step) } else { answered(step) });
    }
    document
}

/// States whose distances are shown as a table.
const TABLE: usize = 16;

/// The distances between all states: from those of rows to those of columns.
pub fn distances(found: &AllDistances, log: bool) -> Document {
    let states = found.names.len();
    let mut document = Document::answering(
        format!("{} between all states", found.kind.name()),
        Answer {
            question: found.kind.name().into(),
            about: vec![counted((states * states) as u64, "pair").into()],
            took: found.time,
            ..Answer::default()
        },
    );
    if states > TABLE {
        let text =
            "too many for a table: --csv FILE or --json has them, --within 5% groups states that are close";
        document.note(2, text);
        return document;
    }
    let cell = |s: usize, t: usize| match log {
        true => match found.logarithm(s, t) {
            [low, high] if high.is_finite() => format!("{:.6}", f64::midpoint(low, high)),
            _ => "inf".to_owned(),
        },
        false => found.text(s, t),
    };
    let corner = if log { "log(1 + d) from" } else { "from" };
    let names = found.names.iter().map(|name| state(name));
    let columns = once(Column::words(corner)).chain(names.clone().map(Column::numbers)).collect();
    let rows = names.enumerate().map(|(s, name)| {
        once(Cell::Text(name.into())).chain((0..states).map(|t| Cell::shown(cell(s, t)))).collect()
    });
    document.push(Table::new(columns, 1, rows));
    document
}

/// Groups that are shown.
const GROUPS: usize = 30;

/// Groups of states that are close to one another.
pub fn groups(distances: &AllDistances, found: &Closeness) -> Document {
    let states = counted(distances.names.len() as u64, "state");
    let mut document = Document::answering(
        format!("States within {} of one another", found.within),
        Answer {
            question: distances.kind.name().into(),
            about: listed([
                counted(found.groups.len() as u64, "group"),
                format!("of {states} within {}", found.within),
            ]),
            took: distances.time,
            ..Answer::default()
        },
    );
    for group in found.groups.iter().take(GROUPS) {
        let others = group.members.iter().filter(|member| **member != group.representative);
        let others: Vec<Name> = others.map(|member| state(member)).collect();
        let mut line = strong(state(&group.representative));
        if !others.is_empty() {
            let apart = format!("  at most {} apart", group.diameter);
            line = text![line, "  ", Text::joined(others, ", "), apart];
        }
        document.note(2, line);
    }
    document.rest(2, found.groups.len(), GROUPS, "");
    document
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
pub fn optimum(found: &WeightedOptimum, goal: &Goal) -> Document {
    let bound = found.at_most.as_deref().unwrap_or_default();
    let verdict = match (found.exists, &found.best) {
        (Some(true), Some((_, distance))) => good(format!("{}, at most {bound}", number(distance))),
        (Some(false), _) => bad(format!("more than {bound} for all values of the parameters")),
        (_, Some((_, distance))) if found.is_settled(goal) => good(number(distance)),
        (_, Some((_, distance))) => {
            let lower = number(found.lower.as_deref().unwrap_or("0"));
            doubtful(format!("between {lower} and {}", number(distance)))
        }
        (_, None) => doubtful("no values of the parameters were found"),
    };
    let question = found.kind.name();
    let answer = Answer { question: question.into(), verdict, took: found.time, ..Answer::default() };
    let mut document = Document::answering(format!("The best values of parameters by {question}"), answer);
    if let Some((values, _)) = &found.best {
        let values = values.iter().map(|(name, value)| text![Name(name.clone()), " = ", number(value)]);
        document.note(2, text!["where ", Text::joined(values, ", ")]);
    }
    document
}

/// `s -3-> x`
fn challenge(step: &AnsweredStep) -> Text {
    text![state(&step.states[0]), format!(" -{}-> ", step.step.0), state(&step.step.1)]
}

/// `s -3-> x   answered by   t -1-> y -2-> z`
fn answered(step: &AnsweredStep) -> Text {
    let mut path = text![challenge(step), "   answered by   ", state(&step.states[1])];
    for (weight, target) in &step.answer {
        path = text![path, format!(" -{weight}-> "), state(target)];
    }
    if step.answer.is_empty() { path.then(", which stays") } else { path }
}

/// Steps of a path that are shown.
const STEPS: usize = 40;

/// Parts of an explanation that are shown.
const PARTS: usize = 20;

/// States whose values are shown.
const VALUES: usize = 16;

/// The verdicts of formulas, or the answers to questions, and what they rest on.
pub fn formulas(all: &[WctlResult], file: &str) -> Document {
    let mut document = Document::new(volvelle_reports::documents::question(
        all.iter().map(|found| found.text.as_str()),
        file,
    ));
    all.iter().for_each(|found| formula(&mut document, found));
    document
}

fn formula(document: &mut Document, found: &WctlResult) {
    let verdict = match &found.value {
        Some(value) => good(value.to_string()),
        None => verdict(found.holds),
    };
    let question = volvelle_reports::documents::one_line(&found.text).into();
    document.push(Answer { question, verdict, took: found.time, ..Answer::default() });
    for (name, value) in found.values.iter().take(VALUES) {
        document.note(2, text![format!("{value} in "), state(name)]);
    }
    document.rest(2, found.values.len(), VALUES, " states");
    // A single part without a path or a remark says no more than the verdict.
    if let [part] = &found.explanation[..]
        && part.path.is_empty()
        && part.remark.is_none()
    {
        return;
    }
    found.explanation.iter().take(PARTS).for_each(|part| explained(document, part));
    document.rest(2, found.explanation.len(), PARTS, " parts");
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
fn explained(document: &mut Document, part: &ExplainedPart) {
    let indent = 2 * (part.depth + 1);
    let remark = part.remark.as_ref().map_or(String::new(), |remark| format!(": {remark}"));
    let about = text![format!("{}  {} in ", part.formula, part.holds), state(&part.state), remark];
    document.push(Note { text: about, indent, further: indent + 2 });
    let Some((from, ..)) = part.path.first() else { return };
    document.note(indent + 2, text![state(from)]);
    let steps = part.path.iter().map(|(from, weight, to)| {
        let to = changes(from, to).map_or_else(|| state(to), Name);
        vec![text![format!("-{weight}-> "), to]]
    });
    document.push(Path {
        heads: vec!["step"],
        steps: steps.collect(),
        cycle_start: part.cycle_start,
        most: STEPS,
        ..evidence(indent + 2)
    });
}

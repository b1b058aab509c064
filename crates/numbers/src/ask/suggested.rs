//! What could be asked of a model with numbers.

use volvelle_console::suggestions::{Subject, Suggestion, word};
use volvelle_session::language::Analysis;

/// Whether choices are open.
fn is_open(subject: &Subject<'_>) -> bool {
    !subject.is_of_kind(&["DTMC", "CTMC"])
}

/// Whether time is continuous and nothing is open, so that long runs and deadlines are what people ask about.
fn is_race(subject: &Subject<'_>) -> bool {
    subject.is_of_kind(&["CTMC"])
}

/// A question about reaching something.
fn reaching(subject: &Subject<'_>, deadline: &str) -> Option<(String, String)> {
    let target = subject.target()?;
    let most = if is_open(subject) { "max" } else { "" };
    Some((format!("P{most}=? [ F{deadline} {target} ]"), target))
}

/// Values of properties.
pub fn properties(subject: &Subject<'_>) -> Vec<Suggestion> {
    let model = subject.model();
    let mut all = Vec::new();
    if !subject.properties.is_empty() {
        let command = format!("check {}", subject.with_properties());
        let number = subject.outline.map_or(0, |outline| outline.properties.len());
        let what = match number {
            0 => format!("the properties of {}", subject.properties.join(" ")),
            1 => "its property, with the guarantee of the answer".to_owned(),
            n => format!("its {n} properties, each with the guarantee of the answer"),
        };
        all.push(Suggestion::new(what, command));
    }
    if let Some((property, target)) = reaching(subject, "") {
        let most = if is_open(subject) { "the greatest probability" } else { "the probability" };
        let about = format!("{most} that {target} is reached");
        all.push(Suggestion::new(about, format!("check {model} --prop {}", word(&property))));
    }
    if is_race(subject)
        && let Some(target) = subject.target()
    {
        let property = word(&format!("S=? [ {target} ]"));
        let about = format!("the share of time in {target} in the long run");
        all.push(Suggestion::new(about, format!("check {model} --prop {property}")));
    }
    all.extend(reward(subject).map(|(about, property)| {
        Suggestion::new(about, format!("check {model} --prop {}", word(&property)))
    }));
    all
}

/// A question about the first reward structure: its average in the long run where time is continuous, or else what is earned on the way.
fn reward(subject: &Subject<'_>) -> Option<(String, String)> {
    let rewards = subject.outline?.rewards.first()?;
    let (of, what) = match &rewards.name {
        Some(name) => (format!("{{\"{name}\"}}"), format!("\"{name}\"")),
        None => (String::new(), "the rewards".to_owned()),
    };
    if is_race(subject) {
        return Some((format!("the average of {what} in the long run"), format!("R{of}=? [ S ]")));
    }
    let target = subject.target()?;
    let least = if is_open(subject) { "min" } else { "" };
    Some((
        format!("the expected value of {what} until {target} is reached"),
        format!("R{of}{least}=? [ F {target} ]"),
    ))
}

/// Estimates.
pub fn sampled(subject: &Subject<'_>) -> Vec<Suggestion> {
    let deadline = if is_race(subject) { "<=10" } else { "<=100" };
    let Some((property, target)) = reaching(subject, deadline).filter(|_| !is_open(subject)) else {
        return Vec::new();
    };
    let about = format!("an estimate of how often {target} is reached in time: for models of any size");
    vec![Suggestion::new(about, format!("simulate {} --prop {}", subject.model(), word(&property)))]
}

/// The state space.
pub fn states(subject: &Subject<'_>) -> Vec<Suggestion> {
    let formats = match subject.offers.is_some_and(|offers| offers.allows(Analysis::Numbers)) {
        true => ".tra, .drn, .umb, .aut",
        false => ".aut, .dot",
    };
    let about = format!("the number of states; --export FILE writes them for other tools ({formats}, ...)");
    vec![Suggestion::new(about, format!("explore {}", subject.model()))]
}

//! What rows say of models besides properties: values of variables, and how many of something there are.

use volvelle_explicit::{Column, Entity, Format, Model, Number, Variable};

/// Whether a format holds what a fact is about.
pub fn are_held(format: Format, what: &str) -> bool {
    match what {
        "internal transitions" => matches!(format, Format::Umb | Format::Aut),
        "deadlock states" => format != Format::Aut,
        _ => format == Format::Umb,
    }
}

/// How a fact differs from what the model has.
pub fn difference(model: &Model, what: &str, value: &str) -> Option<String> {
    let found = match what {
        "valuations" => return valuations(model, value),
        "internal transitions" => internal_transitions(model).to_string(),
        "deadlock states" => model.deadlocks().count().to_string(),
        "choice actions" => {
            let names: &[String] = model.choice_actions.as_ref().map_or(&[], |actions| &actions.names);
            let is_named = names.iter().any(|name| !name.is_empty());
            format!("{} with{} names", names.len().max(1), if is_named { "" } else { "out" })
        }
        other => return Some(format!("nobody knows what `{other}` is")),
    };
    (found != value).then(|| format!("{what}: {found} instead of {value}"))
}

/// Transitions that carry the empty name, in models that have names.
fn internal_transitions(model: &Model) -> usize {
    let actions = model.branch_actions.as_ref().or(model.choice_actions.as_ref());
    actions.map_or(0, |actions| (0..actions.of.len()).filter(|&i| actions.name(i).is_empty()).count())
}

/// `state 0: a=1 b=none; 1: 2 3; 2 (class 1): c=4`: of the first state, and of those of another class, with names; of the others
/// only the values that are there.
fn valuations(model: &Model, expected: &str) -> Option<String> {
    for (number, text) in expected.split("; ").enumerate() {
        let (_, words) = text.split_once(": ")?;
        let variables = model.variables(Entity::States);
        let is_there =
            |variable: &&Variable| variable.present.as_ref().is_none_or(|states| states.contains(number));
        let found: Vec<(String, String)> = variables
            .iter()
            .filter(is_there)
            .map(|variable| (variable.name.clone(), shown(&variable.values, number)))
            .collect();
        let mut rest = found.iter();
        for word in words_of(words) {
            let known = match word.split_once('=') {
                Some((name, "none")) => found.iter().all(|(known, _)| known != name),
                Some((name, value)) => found.iter().any(|(n, v)| n == name && v == value),
                None => rest.next().is_some_and(|(_, value)| *value == word),
            };
            if !known {
                return Some(format!("state {number}: {word} is none of {found:?}"));
            }
        }
    }
    None
}

/// Words at blanks outside of quotes.
fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match (c, words.last_mut()) {
            (' ', _) if !quoted => words.push(String::new()),
            (c, Some(word)) => {
                quoted ^= c == '"';
                word.push(c);
            }
            _ => {}
        }
    }
    words
}

fn shown(column: &Column, i: usize) -> String {
    match column {
        Column::Bool(values) => values.contains(i).to_string(),
        Column::Int(values) => values.get(i).to_string(),
        Column::Unsigned(values) => values[i].to_string(),
        Column::Numbers(numbers) => match numbers.get(i) {
            Number::Double(value) if value.abs() >= 1e16 => format!("{value:e}"),
            Number::Double(value) => value.to_string(),
            Number::Exact(value) => value.to_string(),
            other => format!("{other:?}"),
        },
        Column::Text(texts) => format!("\"{}\"", texts.get(i)),
        other => format!("{other:?}"),
    }
}

//! The methods behind the answers, and the reasons for them: what `--explain` adds.

use super::number;
use volvelle_control::{Fact as Told, FactValue};
use volvelle_present::document::{Block, Document, Fact, Heading, Text, cost};
use volvelle_present::format::count;
use volvelle_session::report::{ModelReport, PropertyReport};

/// The facts about the state space, then about each property.
pub fn document(model: Option<&ModelReport>, results: &[PropertyReport]) -> Document {
    let mut document = Document::default();
    if let Some(model) = model {
        section(&mut document, "state space", &model.facts);
    }
    for result in results {
        section(&mut document, result.name.as_deref().unwrap_or(&result.text), &result.facts);
    }
    document
}

fn section(document: &mut Document, title: &str, facts: &[Told]) {
    let Some(listed) = listed(facts) else { return };
    document.push(Block::Gap);
    document.push(Heading { title: title.into(), indent: 2, ..Heading::default() });
    document.push(listed);
}

/// Facts alone; none if there are none.
pub fn listed(facts: &[Told]) -> Option<Block> {
    let fact = |fact: &Told| {
        let value = match &fact.value {
            FactValue::Count(n) => count(*n),
            FactValue::Number(x) => number(*x),
            FactValue::Text(text) => text.clone(),
        };
        Fact { name: Text::from(fact.what.to_string()), value: cost(value), why: cost(fact.why.to_string()) }
    };
    (!facts.is_empty()).then(|| Block::Facts(facts.iter().map(fact).collect()))
}

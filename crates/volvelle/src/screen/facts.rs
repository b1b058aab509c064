//! The methods behind the answers, and the reasons for them: the block of `--explain`.

use super::Style;
use super::format::{count, number};
use volvelle_verify::{Fact, FactValue, ModelReport, PropertyReport};

/// The facts about the state space, then about each property.
pub fn block(model: Option<&ModelReport>, results: &[PropertyReport], style: Style) -> String {
    let mut out = String::new();
    if let Some(model) = model.filter(|m| !m.facts.is_empty()) {
        section(&mut out, "state space", &model.facts, style);
    }
    for result in results.iter().filter(|r| !r.facts.is_empty()) {
        section(&mut out, result.name.as_deref().unwrap_or(&result.text), &result.facts, style);
    }
    out
}

fn section(out: &mut String, title: &str, facts: &[Fact], style: Style) {
    out.push_str(&format!("\n  {}\n", style.bold(title)));
    let value = |fact: &Fact| match &fact.value {
        FactValue::Count(n) => count(*n),
        FactValue::Number(x) => number(*x, 0.0),
        FactValue::Text(text) => text.clone(),
    };
    let widest = |text: &dyn Fn(&Fact) -> usize| facts.iter().map(text).max().unwrap_or(0);
    let what_width = widest(&|fact| fact.what.chars().count());
    let value_width = widest(&|fact| value(fact).chars().count());
    for fact in facts {
        let start = format!("    {:<what_width$}   {:<value_width$}", fact.what, value(fact));
        let line = if fact.why.is_empty() {
            start.trim_end().to_owned()
        } else {
            format!("{start}   {}", style.dim(&fact.why))
        };
        out.push_str(&line);
        out.push('\n');
    }
}

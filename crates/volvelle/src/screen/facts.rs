//! The methods behind the answers, and the reasons for them: the block of `--explain`.

use super::flow::Lines;
use super::format::{count, number};
use super::{Style, flow};
use volvelle_verify::{Fact, FactValue, ModelReport, PropertyReport};

/// Narrowest column of reasons.
const NARROWEST: usize = 32;

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
    out.push_str(&format!("\n{}", flow::text("  ", &style.bold(title), 4, style)));
    let value = |fact: &Fact| match &fact.value {
        FactValue::Count(n) => count(*n),
        FactValue::Number(x) => number(*x, 0.0),
        FactValue::Text(text) => text.clone(),
    };
    let widest = |text: &dyn Fn(&Fact) -> usize| facts.iter().map(text).max().unwrap_or(0);
    let what_width = widest(&|fact| fact.what.chars().count());
    let value_width = widest(&|fact| value(fact).chars().count());
    for fact in facts {
        let mut lines = Lines::new("    ", 6, style);
        lines.item("", &format!("{:<what_width$}", fact.what));
        lines.indent_here("   ");
        lines.item("   ", &format!("{:<value_width$}", value(fact)));
        if !fact.why.is_empty() {
            lines.column("   ", NARROWEST);
            lines.words("   ", &style.dim(&fact.why));
        }
        out.push_str(&lines.finish());
    }
}

//! Parts of several tests: systems from texts, formulas from texts, a second evaluator, random cases.

pub mod generate;
pub mod naive;

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_mcl::{Formula, parse};
use volvelle_space::{Labels, Lts};

/// A system in ALDEBARAN's format, whose labels are all quoted.
pub fn system(text: &str) -> Lts {
    let mut lines = text.lines();
    let header = lines.next().expect("a header").trim_start_matches("des (").trim_end_matches(')');
    let numbers: Vec<u32> = header.split(',').map(|n| n.trim().parse().expect("a number")).collect();
    let mut labels = Labels::new();
    let transitions: Vec<(u32, u32, u32)> = lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let line = line.trim().trim_start_matches('(').trim_end_matches(')');
            let (source, rest) = line.split_once(", ").expect("a source");
            let (label, target) = rest.rsplit_once(", ").expect("a target");
            let label = labels.number(label.trim_matches('"'));
            (source.parse().expect("a state"), label, target.parse().expect("a state"))
        })
        .collect();
    assert_eq!(transitions.len(), numbers[1] as usize);
    Lts::from_transitions(numbers[2], numbers[0], labels, &transitions)
}

/// A formula that has no errors.
pub fn formula(text: &str) -> Formula {
    let (formula, shown) = read(text);
    formula.unwrap_or_else(|| panic!("{text}\n{shown}"))
}

/// A formula, and its diagnostics as they are drawn.
pub fn read(text: &str) -> (Option<Formula>, String) {
    let mut sources = Sources::new();
    let file = sources.add("f.mcl", text);
    let (formula, diagnostics) = parse(file, text);
    (formula, render_all(&diagnostics, &sources, RenderOptions::default()))
}

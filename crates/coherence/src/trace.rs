//! Runs of single caches, from accesses up to the exchange of caches.

use crate::counts::{Caches, Class, Counts};
use crate::protocol::{Operation, Protocol, State};
use crate::step::{Access, other_after, outcome};
use crate::violation::Violation;

/// What a cache has of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its state.
    pub state: State,
    /// Whether it holds the line with the latest value.
    pub is_latest: bool,
}

/// One operation in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The cache that operates, from 0.
    pub cache: usize,
    /// What it does.
    pub operation: Operation,
    /// The row that is used; none if the table has none.
    pub row: Option<usize>,
    /// The cache from which the line comes.
    pub provider: Option<usize>,
    /// All caches afterwards.
    pub lines: Vec<Line>,
    /// Whether memory has the latest value afterwards.
    pub is_memory_latest: bool,
}

/// A run that goes wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// How many caches it takes.
    pub caches: usize,
    /// The operations; at the beginning no cache holds the line. The last one is wrong. With so many caches no run is shorter.
    pub steps: Vec<Step>,
    /// What is wrong with the last one.
    pub violation: Violation,
}

/// The run of single caches: of those that are alike the first one acts.
pub(crate) fn replay(
    protocol: &Protocol,
    caches: u8,
    way: &[Access],
    violation: Violation,
) -> Counterexample {
    let number = Caches::Exactly(caches);
    let mut classes = vec![Class::INVALID; caches.into()];
    let mut is_memory_latest = true;
    let mut steps = Vec::new();
    for &access in way {
        let find = |class: Class, not: Option<usize>| {
            (0..classes.len()).find(|&cache| classes[cache] == class && Some(cache) != not)
        };
        let Some(cache) = find(access.requester, None) else { break };
        let provider = access.provider.and_then(|provider| find(provider, Some(cache)));
        let mut others = Counts::none(is_memory_latest);
        for (_, &class) in classes.iter().enumerate().filter(|(other, _)| *other != cache) {
            others.add(class, 1, number);
        }
        let rule = protocol.rule(access.operation, access.requester.state(), others.strongest());
        if let Some(rule) = rule {
            let outcome = outcome(protocol, others, access, rule, number);
            for (other, class) in classes.iter_mut().enumerate() {
                let new = other_after(*class, access.operation, rule);
                *class = if other == cache { outcome.requester } else { new };
            }
            is_memory_latest = outcome.others.is_memory_latest();
        }
        let line = |class: &Class| Line { state: class.state(), is_latest: class.is_latest() };
        steps.push(Step {
            cache,
            operation: access.operation,
            row: rule.map(|rule| rule.row),
            provider,
            lines: classes.iter().map(line).collect(),
            is_memory_latest,
        });
    }
    Counterexample { caches: caches.into(), steps, violation }
}

impl Counterexample {
    /// The run, a line for each operation: `P1 load: I I -> E I by Mem`.
    pub fn lines(&self, protocol: &Protocol) -> Vec<String> {
        let name = |line: &Line| {
            let mark = if line.is_latest || line.state == State::INVALID { "" } else { " (stale)" };
            format!("{}{mark}", protocol.state(line.state))
        };
        let nobody = Line { state: State::INVALID, is_latest: false };
        let mut before = vec![name(&nobody); self.caches].join(" ");
        let mut lines = Vec::new();
        for step in &self.steps {
            let who = format!("P{} {}: {before}", step.cache + 1, step.operation.word());
            let Some(row) = step.row else {
                lines.push(format!("{who}, and no row"));
                break;
            };
            let after: Vec<String> = step.lines.iter().map(name).collect();
            let after = after.join(" ");
            let memory = if step.is_memory_latest { "" } else { "; memory is stale" };
            lines.push(format!("{who} -> {after}{memory}; row `{}`", protocol.row_text(row)));
            before = after;
        }
        lines
    }
}

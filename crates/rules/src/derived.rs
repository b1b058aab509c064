//! A derivation as it is shown.

use crate::machine::{About, Derived, Limits, Machine, Verdict};
use crate::steps::Steps;
use crate::value::{EnvId, Heap, Value};
use volvelle_syntax::Spelt;

/// How what was asked came to hold.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    /// What holds, each line before its premises.
    pub lines: Vec<Line>,
    /// All steps, those that failed in alternatives and conditions among them.
    pub steps: Vec<Derived>,
    /// What steps name.
    pub values: Vec<Value>,
    /// Where these values lie.
    pub heap: Heap,
}

/// A step that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How many steps it is a premise within.
    pub depth: usize,
    /// The rule or the function.
    pub rule: String,
    /// The judgment; functions have none.
    pub judgment: Option<String>,
    /// The environment of a judgment.
    pub environment: Option<String>,
    /// What it is applied to.
    pub inputs: Vec<String>,
    /// What it gives.
    pub outputs: Vec<String>,
    /// Whether the result was known.
    pub cached: bool,
    /// `Rule: [] |- in : out`, or `function(in) = out`
    pub text: String,
}

/// A value is cut to so many characters.
const LONGEST: usize = 200;

/// Mappings of an environment that are shown, the newest ones.
const MOST_MAPPINGS: usize = 12;

/// Limits are looked at after so many lines.
const OFTEN: usize = 1 << 10;

/// The lines of steps, or the limit that was reached.
pub(super) fn derived(
    machine: &mut Machine<'_>,
    steps: Steps,
    limits: &Limits<'_>,
) -> Result<Derivation, &'static str> {
    let Steps { steps, values, .. } = steps;
    let mut lines = Vec::new();
    let mut bytes = machine.heap.bytes() + steps.len() * size_of::<Derived>() + values.len() * 8;
    // Ends of the steps around the next one; what is within a step that fails is no premise of what holds.
    let mut around: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        while around.last().is_some_and(|&end| end as usize <= at) {
            around.pop();
        }
        let Verdict::Holds(from, to) = step.verdict else {
            at = (step.end as usize).max(at + 1);
            continue;
        };
        let inputs = &values[step.inputs.0 as usize..step.inputs.1 as usize];
        let outputs = &values[from as usize..to as usize];
        let line = line(machine, step, inputs, outputs, around.len());
        bytes += size_of::<Line>() + 2 * line.text.len() + line.rule.len() + 64;
        lines.push(line);
        if lines.len() % OFTEN == 0 && (limits.stop)() {
            return Err("time");
        }
        if bytes > limits.bytes {
            return Err("memory");
        }
        around.push(step.end);
        at += 1;
    }
    let heap = std::mem::take(&mut machine.heap);
    Ok(Derivation { lines, steps, values, heap })
}

fn line(
    machine: &mut Machine<'_>,
    step: &Derived,
    inputs: &[Value],
    outputs: &[Value],
    depth: usize,
) -> Line {
    let system = machine.system;
    let rule = system.routines[step.routine].name.clone();
    let mut texts = |values: &[Value]| -> Vec<String> {
        values
            .iter()
            .map(|&value| match value {
                Value::Env(_) => environment(machine, value),
                other => cut(machine.show_value(other)),
            })
            .collect()
    };
    let cached = step.cached;
    match step.about {
        About::Judgment(id) => {
            let judgment = &system.judgments[id];
            let (outputs, named) = (texts(outputs), texts(&inputs[1..]));
            let environment = environment(machine, inputs[0]);
            let symbol = judgment.symbol.spelling().unwrap_or_default();
            let mut text = format!("{rule}: {environment} {symbol}");
            let (mut ins, mut outs) = (named.iter(), outputs.iter());
            for (at, (_, output)) in judgment.places.iter().enumerate() {
                if at > 0 {
                    text.push(' ');
                    text.push_str(judgment.relations[at - 1].spelling().unwrap_or_default());
                }
                text.push(' ');
                let next = if *output { outs.next() } else { ins.next() };
                text.push_str(next.map_or("…", String::as_str));
            }
            let judgment = Some(judgment.name.clone());
            let environment = Some(environment);
            Line {
                depth,
                rule,
                judgment,
                environment,
                inputs: named,
                outputs,
                cached,
                text: known(cached, text),
            }
        }
        About::Function(id) => {
            let inputs = texts(inputs);
            // What only holds or fails gives nothing.
            let outputs = if system.functions[id].is_predicate { Vec::new() } else { texts(outputs) };
            let mut text = format!("{rule}({})", inputs.join(", "));
            if let Some(result) = outputs.first() {
                text.push_str(" = ");
                text.push_str(result);
            }
            let text = known(cached, text);
            Line { depth, rule, judgment: None, environment: None, inputs, outputs, cached, text }
        }
    }
}

fn known(cached: bool, text: String) -> String {
    if cached { format!("cached: {text}") } else { text }
}

fn cut(text: String) -> String {
    if text.chars().count() <= LONGEST {
        return text;
    }
    let mut text: String = text.chars().take(LONGEST - 1).collect();
    text.push('…');
    text
}

/// `[key <- value, …]` by key, with `…::` before it where older mappings are left out.
fn environment(machine: &mut Machine<'_>, value: Value) -> String {
    let Value::Env(mut at) = value else { return "null".to_owned() };
    let mut newest: Vec<(Value, Value)> = Vec::new();
    while at != EnvId::EMPTY && newest.len() < MOST_MAPPINGS {
        let (key, value, below) = machine.heap.binding(at);
        at = below;
        if newest.iter().all(|(known, _)| *known != key) {
            newest.push((key, value));
        }
    }
    let mut mappings: Vec<(String, String)> = newest
        .into_iter()
        .map(|(key, value)| (machine.show_value(key), cut(machine.show_value(value))))
        .collect();
    mappings.sort();
    let mappings: Vec<String> =
        mappings.into_iter().map(|(key, value)| format!("{key} <- {value}")).collect();
    let older = if at == EnvId::EMPTY { "" } else { "…::" };
    format!("{older}[{}]", mappings.join(", "))
}

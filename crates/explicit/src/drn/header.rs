//! The header: the part of a DRN file in front of `@model`.

use crate::finding::Finding;
use crate::model::{Control, Time};
use crate::options::{Precision, ReadOptions};
use crate::text::{Arithmetic, Cursor, Script, show};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// A header.
pub(super) struct Header<'t> {
    pub time: Time,
    pub control: Control,
    /// Whether states show what is observed of them.
    pub observed: bool,
    pub arithmetic: Arithmetic,
    /// Whether values are intervals, even if none of them is written as one.
    pub intervals: bool,
    pub parameters: Vec<String>,
    /// The position of the text that each placeholder stands for.
    pub placeholders: HashMap<&'t [u8], Range<usize>>,
    pub rewards: Vec<String>,
    /// The number of states that the header declares.
    pub states: u32,
    /// The position of that number in the text.
    pub states_at: Range<usize>,
    /// The number of choices that the header declares, with its position.
    pub choices: Option<(u64, Range<usize>)>,
    /// Where the model begins.
    pub body: usize,
}

impl Header<'_> {
    /// Whether states have exit rates.
    pub fn has_exit_rates(&self) -> bool {
        self.time != Time::Discrete
    }
}

/// Keys and the values that follow them, where they stand.
#[derive(Default)]
struct Keys<'t> {
    kind: Option<Range<usize>>,
    value_type: Option<Range<usize>>,
    parameters: Option<Range<usize>>,
    placeholders: Option<Range<usize>>,
    rewards: Option<Range<usize>>,
    states: Option<Range<usize>>,
    choices: Option<Range<usize>>,
    texts: HashMap<&'t [u8], Range<usize>>,
}

const KEYS: [&str; 8] = [
    "@type:",
    "@value_type:",
    "@parameters",
    "@placeholders",
    "@reward_models",
    "@nr_states",
    "@nr_choices",
    "@model",
];

/// Types of models.
const TYPES: [&str; 6] = ["DTMC", "CTMC", "MDP", "MA", "Markov Automaton", "POMDP"];

/// Types of values.
const VALUE_TYPES: [&str; 5] = ["double", "rational", "double-interval", "rational-interval", "parametric"];

/// Reads the header.
pub(super) fn read<'t>(script: Script<'t>, options: &ReadOptions) -> Result<Header<'t>, Finding> {
    let mut cursor = script.cursor(0..script.bytes.len());
    let mut keys = Keys::default();
    loop {
        if cursor.is_done() {
            return Err(cursor.expected("`@model`"));
        }
        let line = cursor.rest_of_line();
        let text = &script.bytes[line.clone()];
        if text.is_empty() || text.starts_with(b"//") {
            cursor.next_line();
            continue;
        }
        if text[0] != b'@' {
            return Err(cursor.expected("a key of the header, such as `@nr_states`"));
        }
        if cursor.eat_text("@model") && cursor.end_line() {
            break;
        }
        keys.read(&mut cursor, line)?;
    }
    keys.finish(script, options, cursor.at)
}

impl<'t> Keys<'t> {
    /// Reads a key other than `@model`, and what belongs to it.
    fn read(&mut self, cursor: &mut Cursor<'t>, line: Range<usize>) -> Result<(), Finding> {
        let script = cursor.script;
        cursor.at = line.start;
        for (key, slot) in [("@type:", &mut self.kind), ("@value_type:", &mut self.value_type)] {
            if cursor.eat_text(key) {
                let value = cursor.rest_of_line();
                cursor.next_line();
                return once(script, slot, value, line);
            }
        }
        let key = cursor.word();
        let slot = match &script.bytes[key.clone()] {
            b"@parameters" => &mut self.parameters,
            b"@placeholders" => &mut self.placeholders,
            b"@reward_models" => &mut self.rewards,
            b"@nr_states" => &mut self.states,
            b"@nr_choices" => &mut self.choices,
            unknown => {
                let finding = script.refuse(
                    codes::EXPLICIT_SYNTAX,
                    key,
                    format!("{} is not a key of the format", show(unknown)),
                );
                let known = format!("the keys are {}", KEYS.join(", "));
                return Err(finding.misspelt(&String::from_utf8_lossy(unknown), KEYS, &known));
            }
        };
        if !cursor.is_line_end() {
            return Err(cursor.expected("the end of the line: the value of this key is on the next one"));
        }
        cursor.next_line();
        if &script.bytes[key.clone()] == b"@placeholders" {
            once(script, slot, key.clone(), key)?;
            return self.read_placeholders(cursor);
        }
        // A line that begins the next key is no value.
        let value = cursor.rest_of_line();
        if script.bytes[value.clone()].starts_with(b"@") {
            return once(script, slot, value.start..value.start, key);
        }
        cursor.next_line();
        once(script, slot, value, key)
    }

    /// Reads `$name : text` lines up to the next key.
    fn read_placeholders(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Finding> {
        while !cursor.is_done() {
            let line = cursor.rest_of_line();
            match &cursor.bytes[line.clone()] {
                [b'@', ..] => break,
                [] | [b'/', b'/', ..] => {}
                [b'$', ..] => {
                    let name = cursor.word();
                    if !cursor.eat(b':') {
                        return Err(cursor.expected("`:` after the name of the placeholder"));
                    }
                    let text = cursor.rest_of_line();
                    let name_text = &cursor.bytes[name.clone()];
                    if self.texts.insert(name_text, text).is_some() {
                        let message = format!("the placeholder {} is defined twice", show(name_text));
                        return Err(cursor.script.refuse(codes::EXPLICIT_STRUCTURE, name, message));
                    }
                }
                _ => return Err(cursor.expected("a placeholder such as `$0 : 1/3`, or the next key")),
            }
            cursor.next_line();
        }
        Ok(())
    }

    fn finish(self, script: Script<'t>, options: &ReadOptions, body: usize) -> Result<Header<'t>, Finding> {
        let end = script.bytes.len().min(body);
        let missing = |key: &str| {
            let before = script.cursor(0..end).rest_of_line();
            script.refuse(codes::EXPLICIT_SYNTAX, before, format!("the header has no `{key}`"))
        };
        let kind_at = self.kind.ok_or_else(|| missing("@type:"))?;
        let (time, control, observed) = match &script.bytes[kind_at.clone()] {
            b"DTMC" => (Time::Discrete, Control::Chance, false),
            b"CTMC" => (Time::Stochastic, Control::Chance, false),
            b"MDP" => (Time::Discrete, Control::Nondeterminism, false),
            b"Markov Automaton" | b"MA" => (Time::UrgentStochastic, Control::Nondeterminism, false),
            b"POMDP" => (Time::Discrete, Control::Nondeterminism, true),
            b"SMG" => {
                let message = "DRN files of games do not record which player owns a state";
                let finding = script.refuse(codes::EXPLICIT_UNSUPPORTED, kind_at, message);
                return Err(finding.help("export the game as UMB, which records it"));
            }
            other => {
                let finding = script.refuse(
                    codes::EXPLICIT_UNSUPPORTED,
                    kind_at.clone(),
                    format!("{} is not a supported model type", show(other)),
                );
                let known = "the supported types are DTMC, CTMC, MDP, Markov Automaton and POMDP";
                return Err(finding.misspelt(&String::from_utf8_lossy(other), TYPES, known));
            }
        };
        let names = |at: &Option<Range<usize>>| -> Vec<String> {
            let text = at.clone().map_or(&[][..], |at| &script.bytes[at]);
            let words = text.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
            words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        let parameters = names(&self.parameters);
        let value_type = self.value_type.clone().map_or(&[][..], |at| &script.bytes[at]);
        let intervals = value_type.ends_with(b"-interval");
        let arithmetic = arithmetic(script, self.value_type, !parameters.is_empty(), options)?;
        let states_at = self.states.ok_or_else(|| missing("@nr_states"))?;
        let states = count(script, &states_at, "the number of states")?;
        let states = u32::try_from(states).map_err(|_| {
            script.refuse(
                codes::EXPLICIT_TOO_LARGE,
                states_at.clone(),
                "more states than 32-bit numbers can count",
            )
        })?;
        let choices = match self.choices {
            Some(at) => Some((count(script, &at, "the number of choices")?, at)),
            None => None,
        };
        let rewards = names(&self.rewards);
        if let Some(twice) = {
            let mut seen = HashSet::new();
            rewards.iter().enumerate().find(|(_, name)| !seen.insert(*name))
        } {
            let at = self.rewards.unwrap_or_default();
            let message = format!("two reward models are named `{}`", twice.1);
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, at, message));
        }
        Ok(Header {
            time,
            control,
            observed,
            arithmetic,
            intervals,
            parameters,
            placeholders: self.texts,
            rewards,
            states,
            states_at,
            choices,
            body,
        })
    }
}

fn once(
    script: Script<'_>,
    slot: &mut Option<Range<usize>>,
    value: Range<usize>,
    key: Range<usize>,
) -> Result<(), Finding> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(script.refuse(codes::EXPLICIT_SYNTAX, key, "this key occurs twice")),
    }
}

fn count(script: Script<'_>, at: &Range<usize>, what: &str) -> Result<u64, Finding> {
    let mut cursor = script.cursor(at.clone());
    match cursor.index() {
        Some(count) if cursor.is_done() => Ok(count),
        _ => {
            let message = format!("expected {what}, found {}", script.show(at.clone()));
            Err(script.refuse(codes::EXPLICIT_SYNTAX, at.clone(), message))
        }
    }
}

/// How numbers are kept: as the file says and the caller wants it.
fn arithmetic(
    script: Script<'_>,
    value_type: Option<Range<usize>>,
    has_parameters: bool,
    options: &ReadOptions,
) -> Result<Arithmetic, Finding> {
    let written = match value_type.clone().map(|at| &script.bytes[at]) {
        None if has_parameters => Arithmetic::Symbolic,
        None => Arithmetic::DoubleUntilFraction,
        Some(b"double" | b"double-interval") => Arithmetic::Double,
        Some(b"rational" | b"rational-interval") => Arithmetic::Exact,
        Some(b"parametric") => Arithmetic::Symbolic,
        Some(other) => {
            let at = value_type.unwrap_or_default();
            let message = format!("{} is not a value type", show(other));
            let finding = script.refuse(codes::EXPLICIT_SYNTAX, at, message);
            let known = "the value types are `double`, `rational`, `double-interval`, `rational-interval` and `parametric`";
            return Err(finding.misspelt(&String::from_utf8_lossy(other), VALUE_TYPES, known));
        }
    };
    Ok(match (written, options.numbers) {
        (Arithmetic::Symbolic, _) | (_, Precision::AsWritten) => written,
        (_, Precision::Double) => Arithmetic::Double,
        (_, Precision::Exact) => Arithmetic::Exact,
    })
}

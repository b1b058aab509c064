//! The first lines of a `.tra` file: its numbers, what kind of model it is, and lines that name initial states.

use crate::finding::Finding;
use crate::model::{Control, Kind, Time};
use crate::text::{Cursor, Halt, Script, can_mention};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Chain,
    Choices,
    Lts,
    Observed,
}

impl Shape {
    pub fn has_choices(self) -> bool {
        self != Shape::Chain
    }
}

/// The first line, and what is known before transitions are read.
pub(super) struct Header {
    pub shape: Shape,
    /// The kind that the caller or a comment says.
    pub told: Option<Told>,
    pub states: u32,
    pub choices: Option<(u64, Range<usize>)>,
    pub transitions: (u64, Range<usize>),
    pub observations: Option<u32>,
    /// States of the lines that name initial states, with their observations.
    pub initial: Vec<(u32, Option<u32>)>,
    /// Where the transitions begin.
    pub body: usize,
}

/// A kind that was told: a chain can be of discrete or of continuous time.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub time: Time,
    /// Whether values are intervals, even if none of them is written as one.
    pub intervals: bool,
}

/// The kind that `# Transitions (MDP)` tells.
fn told_by_comment(script: Script<'_>, line: Range<usize>) -> Result<Option<(Told, Shape)>, Finding> {
    let text = &script.bytes[line.clone()];
    let inside = |text: &[u8]| -> Option<Range<usize>> {
        let open = text.iter().position(|&b| b == b'(')?;
        let close = text.iter().rposition(|&b| b == b')')?;
        (open < close).then_some(line.start + open + 1..line.start + close)
    };
    if !text
        .trim_ascii_start()
        .strip_prefix(b"#")
        .is_some_and(|t| t.trim_ascii_start().starts_with(b"Transitions"))
    {
        return Ok(None);
    }
    let Some(name) = inside(text) else { return Ok(None) };
    let (time, shape) = match script.bytes[name.clone()].trim_ascii() {
        b"DTMC" | b"IDTMC" => (Time::Discrete, Shape::Chain),
        b"CTMC" | b"ICTMC" => (Time::Stochastic, Shape::Chain),
        b"MDP" | b"IMDP" => (Time::Discrete, Shape::Choices),
        b"CTMDP" => (Time::Stochastic, Shape::Choices),
        b"POMDP" | b"IPOMDP" => (Time::Discrete, Shape::Observed),
        b"LTS" => (Time::Discrete, Shape::Lts),
        other => {
            let message = format!("{} is not a supported model type", crate::text::show(other));
            return Err(script.refuse(codes::EXPLICIT_UNSUPPORTED, name, message));
        }
    };
    let intervals = script.bytes[name].trim_ascii().starts_with(b"I");
    Ok(Some((Told { time, intervals }, shape)))
}

pub(super) fn read(script: Script<'_>, range: Range<usize>, kind: Option<Kind>) -> Result<Header, Halt> {
    let mut cursor = script.cursor(range.clone());
    let mut comment = None;
    let line = loop {
        let line = cursor.rest_of_line();
        match &script.bytes[line.clone()] {
            _ if cursor.is_done() => {
                return Err(cursor.expected("the numbers of states and transitions").into());
            }
            [] => cursor.next_line(),
            [b'#', ..] => {
                comment = comment.or(told_by_comment(script, line)?);
                cursor.next_line();
            }
            _ => break line,
        }
    };
    let mut counts = Vec::new();
    while !cursor.is_line_end() {
        cursor.skip_blanks();
        let start = cursor.at;
        match cursor.index().filter(|_| cursor.is_separated()) {
            Some(count) => counts.push((count, start..cursor.at)),
            None => {
                cursor.at = start;
                return Err(cursor.expected("the number of states, choices or transitions").into());
            }
        }
    }
    cursor.next_line();
    let (choices, transitions) = match &counts[..] {
        [_, transitions] => (None, transitions.clone()),
        [_, choices, transitions] | [_, choices, transitions, _] => {
            (Some(choices.clone()), transitions.clone())
        }
        _ => {
            let finding =
                script.refuse(codes::EXPLICIT_SYNTAX, line, "the first line must have 2, 3 or 4 numbers");
            return Err(finding
                .help(
                    "chains: `states transitions`; with choices: `states choices transitions [observations]`",
                )
                .into());
        }
    };
    let (states, states_at) = counts[0].clone();
    if !can_mention(range.len(), states) {
        let message =
            format!("the header declares {states} states, but the file is too short to contain them");
        return Err(script.refuse(codes::EXPLICIT_COUNT, states_at, message).into());
    }
    let count_32 = |(count, at): &(u64, Range<usize>)| {
        u32::try_from(*count).ok().filter(|&count| count < u32::MAX).ok_or_else(|| {
            let message = "more than 32-bit numbers can count";
            script.refuse(codes::EXPLICIT_TOO_LARGE, at.clone(), message)
        })
    };
    let mut header = Header {
        shape: Shape::Chain,
        told: None,
        states: count_32(&counts[0])?,
        choices,
        transitions,
        observations: counts.get(3).map(count_32).transpose()?,
        initial: Vec::new(),
        body: cursor.at,
    };
    let told = kind.map(told_by_kind).or(comment);
    header.shape = match counts.len() {
        2 => Shape::Chain,
        4 => Shape::Observed,
        // Without transitions the file does not tell.
        _ => shape_of_choices(cursor.clone()).unwrap_or(match told {
            Some((_, Shape::Lts)) => Shape::Lts,
            _ => Shape::Choices,
        }),
    };
    header.told = fitting(script, line, header.shape, told)?;
    header.read_initial(&mut cursor)?;
    header.body = cursor.at;
    Ok(header)
}

/// Whether transitions have values: the fourth field of the first of them is a number or an interval.
fn shape_of_choices(mut cursor: Cursor<'_>) -> Option<Shape> {
    while !cursor.is_done() {
        let line = cursor.rest_of_line();
        let fields: Vec<&[u8]> = (cursor.bytes[line].split(|b| b.is_ascii_whitespace()))
            .filter(|field| !field.is_empty())
            .take(4)
            .collect();
        match fields[..] {
            [] => {}
            [first, ..] if first.starts_with(b"#") => {}
            // An initial state: `- - s -` where there are values, `- - s` where there are none.
            [b"-", _, _, b"-"] => return Some(Shape::Choices),
            [b"-", ..] => return Some(Shape::Lts),
            [_, _, _, value] if matches!(value[0], b'0'..=b'9' | b'.' | b'+' | b'-' | b'[' | b'(') => {
                return Some(Shape::Choices);
            }
            _ => return Some(Shape::Lts),
        }
        cursor.next_line();
    }
    None
}

/// What a kind that the caller gives tells.
fn told_by_kind(kind: Kind) -> (Told, Shape) {
    let shape = match kind.control {
        Control::Chance => Shape::Chain,
        _ if kind.observations => Shape::Observed,
        _ if !kind.probabilistic => Shape::Lts,
        _ => Shape::Choices,
    };
    (Told { time: kind.time, intervals: kind.interval }, shape)
}

/// What is told about the kind, if it fits the first line and the transitions.
fn fitting(
    script: Script<'_>,
    line: Range<usize>,
    found: Shape,
    told: Option<(Told, Shape)>,
) -> Result<Option<Told>, Finding> {
    let Some((told, shape)) = told else { return Ok(None) };
    if shape != found {
        let name = |shape| match shape {
            Shape::Chain => "a Markov chain, which has `states transitions` on its first line",
            Shape::Choices => "an MDP, which has `states choices transitions` and values on transitions",
            Shape::Lts => "an LTS, which has `states choices transitions` and no values on transitions",
            Shape::Observed => "a POMDP, which has `states choices transitions observations`",
        };
        let message = format!("the file does not describe {}", name(shape));
        return Err(script.refuse(codes::EXPLICIT_STRUCTURE, line, message));
    }
    Ok(Some(told))
}

impl Header {
    /// Reads lines such as `- - 3 -` behind the first line.
    fn read_initial(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        let dash = |cursor: &mut Cursor<'_>| match cursor.eat(b'-') {
            true => Ok(()),
            false => Err(Halt::from(cursor.expected("`-`, as on the line of an initial state"))),
        };
        while !cursor.is_done() {
            cursor.skip_blanks();
            match cursor.peek() {
                Some(b'-') => {}
                Some(b'#') => {
                    cursor.next_line();
                    continue;
                }
                _ if cursor.is_line_end() => {
                    cursor.next_line();
                    continue;
                }
                _ => break,
            }
            dash(cursor)?;
            if self.shape.has_choices() {
                dash(cursor)?;
            }
            let state = number(cursor, "the number of the initial state", self.states, "states")?;
            if self.shape != Shape::Lts {
                dash(cursor)?;
            }
            let observation = match self.observations {
                Some(count) => Some(number(cursor, "the observation of the state", count, "observations")?),
                None => None,
            };
            if !cursor.end_line() {
                return Err(cursor.expected("the end of the line").into());
            }
            self.initial.push((state, observation));
        }
        Ok(())
    }
}

/// A number below `count`, which is the number of `things` in the header, and a blank behind it.
#[inline]
pub(super) fn number(cursor: &mut Cursor<'_>, what: &str, count: u32, things: &str) -> Result<u32, Halt> {
    cursor.skip_blanks();
    let start = cursor.at;
    match cursor.index() {
        Some(number) if number < u64::from(count) && cursor.is_separated() => Ok(number as u32),
        found => Err(not_a_number(cursor, start, found, what, count, things).into()),
    }
}

#[cold]
fn not_a_number(
    cursor: &Cursor<'_>,
    start: usize,
    found: Option<u64>,
    what: &str,
    count: u32,
    things: &str,
) -> Finding {
    if found.is_some() && cursor.is_separated() {
        let shown = cursor.script.show(start..cursor.at);
        let message = format!("{what} is {shown}, but the header declares {count} {things}");
        return cursor.script.refuse(codes::EXPLICIT_RANGE, start..cursor.at, message);
    }
    Cursor { at: start, ..cursor.clone() }.expected(what)
}

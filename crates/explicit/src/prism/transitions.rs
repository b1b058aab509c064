//! `.tra`: the transitions.
//!
//! ```text
//! states transitions                       chain: source target value [action]
//! states choices transitions               source choice target value [action], without values an LTS
//! states choices transitions observations  source choice target value observation-of-the-target [action]
//! ```
//!
//! Behind the first line, lines such as `- - 3 -` name initial states.

use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Control, Entity, Kind, Measure, Model, Numbers, Observations, Rows, Time};
use crate::text::{
    Arithmetic, Cursor, Gathered, Halt, Names, Script, Sign, bit_set, can_mention, concatenate, cut, each,
    join, join_actions, starts, to_intervals,
};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Chain,
    Choices,
    Lts,
    Observed,
}

impl Shape {
    fn has_choices(self) -> bool {
        self != Shape::Chain
    }
}

/// The first line, and what is known before transitions are read.
struct Header {
    shape: Shape,
    /// The kind that the caller or a comment says.
    told: Option<Told>,
    states: u32,
    choices: Option<(u64, Range<usize>)>,
    transitions: (u64, Range<usize>),
    observations: Option<u32>,
    /// States of the lines that name initial states, with their observations.
    initial: Vec<(u32, Option<u32>)>,
    /// Where the transitions begin.
    body: usize,
}

/// A kind that was told: a chain can be of discrete or of continuous time.
#[derive(Clone, Copy)]
struct Told {
    time: Time,
    /// Whether values are intervals, even if none of them is written as one.
    intervals: bool,
}

/// The model of transitions, and whether the file names initial states.
pub(super) struct Transitions {
    pub model: Model,
    pub names_initial: bool,
}

/// Reads a section with transitions.
pub(super) fn read<'t>(
    script: Script<'t>,
    range: Range<usize>,
    arithmetic: Arithmetic,
    kind: Option<Kind>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Transitions, Halt> {
    let header = header(script, range.clone(), kind)?;
    script.check(range.start..header.body)?;
    let ranges = cut(script.bytes, header.body..range.end, |_| true);
    let pieces = each(&ranges, allowance, Piece::bytes, |range| {
        script.check(range.clone())?;
        let mut reader = Reader {
            header: &header,
            cursor: script.cursor(range),
            piece: Piece::new(arithmetic),
            last: None,
        };
        reader.lines()?;
        reader.piece.last = reader.last;
        Ok(reader.piece)
    })?;
    Ok(assemble(script, &header, pieces, allowance, remarks)?)
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
            let message = format!("{} is not a kind of model that can be read", crate::text::show(other));
            return Err(script.refuse(codes::EXPLICIT_UNSUPPORTED, name, message));
        }
    };
    let intervals = script.bytes[name].trim_ascii().starts_with(b"I");
    Ok(Some((Told { time, intervals }, shape)))
}

fn header(script: Script<'_>, range: Range<usize>, kind: Option<Kind>) -> Result<Header, Halt> {
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
            let finding = script.refuse(codes::EXPLICIT_SYNTAX, line, "the first line has 2, 3 or 4 numbers");
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
            format!("the header says {states} states, but the file is too short to mention them all");
        return Err(script.refuse(codes::EXPLICIT_COUNT, states_at, message).into());
    }
    let count_32 = |(count, at): &(u64, Range<usize>)| {
        u32::try_from(*count).ok().filter(|&count| count < u32::MAX).ok_or_else(|| {
            let message = "more than numbers of 32 bits can count";
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
            Shape::Chain => "a Markov chain, which has `states transitions` in its first line",
            Shape::Choices => "an MDP, which has `states choices transitions` and values on transitions",
            Shape::Lts => "an LTS, which has `states choices transitions` and no values on transitions",
            Shape::Observed => "a POMDP, which has `states choices transitions observations`",
        };
        let message = format!("the file is not that of {}", name(shape));
        return Err(script.refuse(codes::EXPLICIT_STRUCTURE, line, message));
    }
    Ok(Some(told))
}

impl Header {
    /// Reads lines such as `- - 3 -` behind the first line.
    fn read_initial(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Halt> {
        let dash = |cursor: &mut Cursor<'_>| match cursor.eat(b'-') {
            true => Ok(()),
            false => Err(Halt::from(cursor.expected("`-`, as in the line of an initial state"))),
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
fn number(cursor: &mut Cursor<'_>, what: &str, count: u32, things: &str) -> Result<u32, Halt> {
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
        let message = format!("{what} is {shown}, but the header says {count} {things}");
        return cursor.script.refuse(codes::EXPLICIT_RANGE, start..cursor.at, message);
    }
    Cursor { at: start, ..cursor.clone() }.expected(what)
}

/// Transitions of a piece of the file.
struct Piece<'t> {
    /// Source and choice of the first line, where it stands.
    first: Option<(u32, u32, Range<usize>)>,
    /// Source and choice of the last line.
    last: Option<(u32, u32)>,
    /// Source of every choice.
    sources: Vec<u32>,
    /// Branches of every choice.
    branches: Vec<u32>,
    targets: Vec<u32>,
    values: Gathered<'t>,
    /// Observations of targets, where states are observed.
    observations: Vec<u32>,
    names: Names<'t>,
    /// Actions of choices; of a chain those of branches, empty as long as none has one.
    actions: Vec<u32>,
}

impl Piece<'_> {
    fn new(arithmetic: Arithmetic) -> Self {
        Piece {
            first: None,
            last: None,
            sources: Vec::new(),
            branches: Vec::new(),
            targets: Vec::new(),
            values: Gathered::new(arithmetic, "a probability or a rate", Sign::NotNegative),
            observations: Vec::new(),
            names: Names::default(),
            actions: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        let words = self.sources.capacity()
            + self.branches.capacity()
            + self.targets.capacity()
            + self.observations.capacity()
            + self.actions.capacity();
        4 * words as u64 + self.values.bytes() + self.names.bytes()
    }
}

struct Reader<'a, 't> {
    header: &'a Header,
    cursor: Cursor<'t>,
    piece: Piece<'t>,
    last: Option<(u32, u32)>,
}

impl<'t> Reader<'_, 't> {
    fn lines(&mut self) -> Result<(), Halt> {
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                None => return Ok(()),
                Some(b'0'..=b'9') => self.transition()?,
                Some(b'#') => self.cursor.next_line(),
                _ if self.cursor.is_line_end() => self.cursor.next_line(),
                Some(b'-') => {
                    let message = "an initial state behind the first transition";
                    let script = self.cursor.script;
                    let finding = script.refuse(codes::EXPLICIT_STRUCTURE, self.cursor.here(), message);
                    return Err(finding.help("initial states follow the first line of the file").into());
                }
                _ => return Err(self.cursor.expected("the source of a transition").into()),
            }
        }
    }

    fn transition(&mut self) -> Result<(), Halt> {
        let Header { shape, states, .. } = *self.header;
        let start = self.cursor.at;
        let cursor = &mut self.cursor;
        let source = number(cursor, "the source", states, "states")?;
        let choice = if shape.has_choices() { number(cursor, "the choice", u32::MAX, "choices")? } else { 0 };
        let end = cursor.at;
        let target = number(cursor, "the target", states, "states")?;
        if self.last != Some((source, choice)) {
            self.next_choice(source, choice, start..end)?;
        }
        *self.piece.branches.last_mut().expect("a choice") += 1;
        self.piece.targets.push(target);
        if shape != Shape::Lts {
            self.piece.values.read(&mut self.cursor)?;
            if !self.cursor.is_separated() {
                return Err(self.cursor.expected("a blank behind the value").into());
            }
        }
        if let Some(count) = self.header.observations {
            let observation = number(&mut self.cursor, "the observation", count, "observations")?;
            self.piece.observations.push(observation);
        }
        self.action()
    }

    /// Begins a choice: the next one of its state, or the first one of a later state.
    fn next_choice(&mut self, source: u32, choice: u32, at: Range<usize>) -> Result<(), Halt> {
        match self.last {
            None => self.piece.first = Some((source, choice, at)),
            Some(last) => follows(self.cursor.script, last, (source, choice), at)?,
        }
        self.last = Some((source, choice));
        self.piece.sources.push(source);
        self.piece.branches.push(0);
        Ok(())
    }

    /// An action or none, then the end of the line.
    fn action(&mut self) -> Result<(), Halt> {
        let word = self.cursor.word();
        let name = &self.cursor.bytes[word.clone()];
        if !self.cursor.end_line() {
            return Err(self.cursor.expected("the end of the line").into());
        }
        let Piece { names, actions, branches, targets, .. } = &mut self.piece;
        if self.header.shape == Shape::Chain {
            if !name.is_empty() || !actions.is_empty() {
                let none = names.number(b"");
                actions.resize(targets.len() - 1, none);
                actions.push(names.number(name));
            }
        } else if actions.len() < branches.len() {
            actions.push(names.number(name));
        } else {
            let known = names.list()[*actions.last().expect("an action") as usize];
            if known != name {
                return Err(other_action(self.cursor.script, known, name, word).into());
            }
        }
        Ok(())
    }
}

#[cold]
fn other_action(script: Script<'_>, known: &[u8], name: &[u8], at: Range<usize>) -> Finding {
    let shown = |name: &[u8]| if name.is_empty() { "none".to_owned() } else { crate::text::show(name) };
    let message = format!(
        "the transitions of a choice have one action: here it is {}, before it was {}",
        shown(name),
        shown(known)
    );
    script.refuse(codes::EXPLICIT_STRUCTURE, at, message)
}

/// Whether a choice may follow another one.
fn follows(script: Script<'_>, last: (u32, u32), next: (u32, u32), at: Range<usize>) -> Result<(), Finding> {
    let ((last_source, last_choice), (source, choice)) = (last, next);
    let expected = if source == last_source { last_choice + 1 } else { 0 };
    if source < last_source {
        let message = format!("state {source} behind state {last_source}");
        let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
        return Err(finding.help("sort the transitions by source and choice: `sort -n -k1,1 -k2,2`"));
    }
    if choice != expected {
        if choice > expected {
            return Err(no_choice(script, source, expected, choice, at));
        }
        let message = format!("choice {choice} of state {source} behind choice {last_choice}");
        return Err(script.refuse(codes::EXPLICIT_STRUCTURE, at, message).note(CHOICES_ARE_NUMBERED));
    }
    Ok(())
}

const CHOICES_ARE_NUMBERED: &str = "the choices of a state are numbered from 0 in the order of the file";

fn no_choice(script: Script<'_>, state: u32, missing: u32, choice: u32, at: Range<usize>) -> Finding {
    let message = format!("state {state} has no choice {missing}, but choice {choice}");
    script.refuse(codes::EXPLICIT_STRUCTURE, at, message).note(CHOICES_ARE_NUMBERED)
}

/// Makes one choice of the two halves of a choice that two pieces share, and checks the order between pieces.
fn stitch(script: Script<'_>, pieces: &mut [Piece<'_>], has_choices: bool) -> Result<(), Finding> {
    let mut holder: Option<usize> = None;
    for i in 0..pieces.len() {
        let Some((source, choice, at)) = pieces[i].first.clone() else { continue };
        let Some(before) = holder.replace(i) else {
            if choice != 0 {
                return Err(no_choice(script, source, 0, choice, at));
            }
            continue;
        };
        let last = pieces[before].last.expect("a piece with a first choice has a last one");
        if last != (source, choice) {
            // A piece that begins with a state has its first choice first.
            follows(script, last, (source, choice), at)?;
            continue;
        }
        let (front, back) = pieces.split_at_mut(i);
        let (holding, piece) = (&mut front[before], &mut back[0]);
        piece.sources.remove(0);
        *holding.branches.last_mut().expect("a choice") += piece.branches.remove(0);
        if has_choices {
            let name = piece.names.list()[piece.actions.remove(0) as usize];
            let known = holding.names.list()[*holding.actions.last().expect("an action") as usize];
            if known != name {
                return Err(other_action(script, known, name, at));
            }
        }
        if piece.sources.is_empty() {
            // All of the piece belongs to a choice that an earlier piece holds.
            holder = Some(before);
        }
    }
    Ok(())
}

fn assemble(
    script: Script<'_>,
    header: &Header,
    mut pieces: Vec<Piece<'_>>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Transitions, Finding> {
    let held = pieces.iter().map(Piece::bytes).sum();
    let has_choices = header.shape.has_choices();
    stitch(script, &mut pieces, has_choices)?;
    check_counts(script, header, &pieces)?;
    let mut counts: Vec<u32> = allowance.vec(header.states as usize)?;
    counts.resize(header.states as usize, 0);
    for &source in pieces.iter().flat_map(|piece| &piece.sources) {
        counts[source as usize] += 1;
    }
    warn_of_deadlocks(script, header, &counts, remarks);
    let choices = Rows::from_starts(starts(vec![counts], allowance)?);
    let mut parts = Parts::default();
    for mut piece in pieces {
        if !has_choices && !piece.actions.is_empty() {
            parts.has_actions = true;
        }
        let none = if has_choices { 0 } else { piece.names.number(b"") };
        parts.padding.push((none, piece.targets.len()));
        parts.branches.push(piece.branches);
        parts.targets.push(piece.targets);
        parts.values.push(piece.values);
        parts.observations.push(piece.observations);
        parts.names.push(piece.names);
        parts.actions.push(piece.actions);
    }
    let branches = Rows::from_starts(starts(parts.branches, allowance)?);
    let targets = concatenate(parts.targets, allowance)?;
    let control = if has_choices { Control::Nondeterminism } else { Control::Chance };
    let mut model = Model::new(Time::Discrete, control, choices, branches, targets);
    if header.shape != Shape::Lts {
        if let Some(at) = parts.values.iter().find_map(|values| values.open.clone()) {
            remarks.push(script.warn(at, "an open interval is read as a closed one"));
        }
        let mut values = join(parts.values, allowance)?;
        if header.told.is_some_and(|told| told.intervals) {
            values = to_intervals(values);
        }
        let inferred = if !has_choices && !values.number_type().is_interval() && exceeds_one(&values) {
            Time::Stochastic
        } else {
            Time::Discrete
        };
        model.time = header.told.map_or(inferred, |told| told.time);
        if model.time == Time::Stochastic {
            model.measure = Measure::Rates;
        }
        model.values = Some(values);
    }
    if has_choices {
        model.choice_actions = join_actions(&parts.names, parts.actions, allowance)?;
    } else if parts.has_actions {
        for (actions, &(none, branches)) in parts.actions.iter_mut().zip(&parts.padding) {
            actions.resize(branches, none);
        }
        model.branch_actions = join_actions(&parts.names, parts.actions, allowance)?;
    }
    if let Some(count) = header.observations {
        let of = concatenate(parts.observations, allowance)?;
        model.observations = Some(observations(script, header, &model, count, &of, allowance)?);
    }
    model.initial = bit_set(model.num_states(), allowance)?;
    for &(state, _) in &header.initial {
        model.initial.insert(state as usize);
    }
    allowance.give_back(held);
    Ok(Transitions { model, names_initial: !header.initial.is_empty() })
}

/// What the pieces gave, sorted by what it is.
#[derive(Default)]
struct Parts<'t> {
    branches: Vec<Vec<u32>>,
    targets: Vec<Vec<u32>>,
    values: Vec<Gathered<'t>>,
    observations: Vec<Vec<u32>>,
    names: Vec<Names<'t>>,
    actions: Vec<Vec<u32>>,
    /// Of a chain: whether a branch has an action.
    has_actions: bool,
    /// Of a chain: the number of the empty name, and how many branches there are.
    padding: Vec<(u32, usize)>,
}

fn exceeds_one(values: &Numbers) -> bool {
    match values {
        Numbers::Double(values) => values.iter().any(|&value| value > 1.0),
        Numbers::Exact(values) => values.distinct().iter().any(|value| *value > dashu_ratio::RBig::ONE),
        _ => false,
    }
}

fn check_counts(script: Script<'_>, header: &Header, pieces: &[Piece<'_>]) -> Result<(), Finding> {
    let choices: u64 = pieces.iter().map(|piece| piece.branches.len() as u64).sum();
    let transitions: u64 = pieces.iter().map(|piece| piece.targets.len() as u64).sum();
    let (says, at) = &header.transitions;
    let (what, there, says, at) = match &header.choices {
        _ if *says != transitions => ("transitions", transitions, says, at),
        Some((says, at)) if *says != choices => ("choices", choices, says, at),
        _ => return Ok(()),
    };
    let message = format!("the header says {says} {what}, but the file has {there}");
    Err(script.refuse(codes::EXPLICIT_COUNT, at.clone(), message))
}

fn warn_of_deadlocks(script: Script<'_>, header: &Header, counts: &[u32], remarks: &mut Vec<Finding>) {
    let mut without = (0u32..).zip(counts).filter(|&(_, &count)| count == 0).map(|(state, _)| state);
    let Some(first) = without.next() else { return };
    let message = match without.count() {
        0 => format!("state {first} has no transition: it is a deadlock"),
        more => format!("{} states have no transition, state {first} for one: they are deadlocks", more + 1),
    };
    let at = header.transitions.1.clone();
    remarks.push(script.warn(at, message));
}

/// Stands for an observation that no line gives.
const UNKNOWN: u32 = u32::MAX;

/// Deals with states whose observation no line gives, once initial states are known: an initial one is refused, others
/// are not reached and get observation 0.
pub(super) fn settle_observations(
    script: Script<'_>,
    range: Range<usize>,
    model: &mut Model,
    remarks: &mut Vec<Finding>,
) -> Result<(), Finding> {
    let Some(observations) = &mut model.observations else { return Ok(()) };
    let mut unknown = 0;
    for (state, seen) in observations.of.iter_mut().enumerate().filter(|(_, seen)| **seen == UNKNOWN) {
        if model.initial.contains(state) {
            let message = format!("no line says what is observed in the initial state {state}");
            let at = script.cursor(range).rest_of_line();
            let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
            return Err(finding.help(format!("say it behind the first line: `- - {state} - OBSERVATION`")));
        }
        *seen = 0;
        unknown += 1;
    }
    if unknown > 0 {
        let at = script.cursor(range).rest_of_line();
        let message =
            format!("no line says what is observed in {unknown} of the states, which are not reached");
        remarks.push(script.warn(at, message));
    }
    Ok(())
}

/// The observation of every state, from those of targets and of initial states.
fn observations(
    script: Script<'_>,
    header: &Header,
    model: &Model,
    count: u32,
    of_targets: &[u32],
    allowance: &Allowance<'_>,
) -> Result<Observations, Finding> {
    let mut of: Vec<u32> = allowance.vec(model.num_states())?;
    of.resize(model.num_states(), UNKNOWN);
    let initial = header.initial.iter().map(|&(state, seen)| (state, seen.unwrap_or(UNKNOWN)));
    for (state, seen) in initial.chain(model.targets.iter().copied().zip(of_targets.iter().copied())) {
        let known = &mut of[state as usize];
        if *known != UNKNOWN && *known != seen {
            let message = format!("state {state} has two observations, {known} and {seen}");
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, header.transitions.1.clone(), message));
        }
        *known = seen;
    }
    Ok(Observations { count, on: Entity::States, of, distribution: None })
}

/// States that have choices but no branch, or no choice, are deadlocks.
pub(super) fn is_deadlock(model: &Model, state: usize) -> bool {
    model.choices.range(state).all(|choice| model.branches.range(choice).is_empty())
}

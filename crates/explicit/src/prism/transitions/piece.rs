//! The lines of transitions, read in pieces.

use super::header::{Header, Shape, number};
use crate::finding::Finding;
use crate::text::{Arithmetic, Cursor, Gathered, Halt, Names, Script, Sign};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// Transitions of a piece of the file.
pub(super) struct Piece<'t> {
    /// Source and choice of the first line, where it stands.
    pub first: Option<(u32, u32, Range<usize>)>,
    /// Source and choice of the last line.
    pub last: Option<(u32, u32)>,
    /// Source of every choice.
    pub sources: Vec<u32>,
    /// Branches of every choice.
    pub branches: Vec<u32>,
    pub targets: Vec<u32>,
    pub values: Gathered<'t>,
    /// Observations of targets, where states are observed.
    pub observations: Vec<u32>,
    pub names: Names<'t>,
    /// Actions of choices; of a chain those of branches, empty as long as none has one.
    pub actions: Vec<u32>,
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

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let words = self.sources.capacity()
            + self.branches.capacity()
            + self.targets.capacity()
            + self.observations.capacity()
            + self.actions.capacity();
        4 * words as u64 + self.values.bytes() + self.names.bytes()
    }
}

/// Reads a piece.
pub(super) fn read<'t>(
    script: Script<'t>,
    header: &Header,
    arithmetic: Arithmetic,
    range: Range<usize>,
) -> Result<Piece<'t>, Halt> {
    let piece = Piece::new(arithmetic);
    let mut reader = Reader { header, cursor: script.cursor(range), piece, last: None };
    reader.lines()?;
    reader.piece.last = reader.last;
    Ok(reader.piece)
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
                    let message = "an initial state after the first transition";
                    let script = self.cursor.script;
                    let finding = script.refuse(codes::EXPLICIT_STRUCTURE, self.cursor.here(), message);
                    return Err(finding.help("initial states must follow the first line of the file").into());
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
                return Err(self.cursor.expected("a blank after the value").into());
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
pub(super) fn other_action(script: Script<'_>, known: &[u8], name: &[u8], at: Range<usize>) -> Finding {
    let shown = |name: &[u8]| if name.is_empty() { "none".to_owned() } else { crate::text::show(name) };
    let message = format!(
        "the transitions of a choice must have the same action: here it is {}, before it was {}",
        shown(name),
        shown(known)
    );
    script.refuse(codes::EXPLICIT_STRUCTURE, at, message)
}

/// Whether a choice may follow another one.
pub(super) fn follows(
    script: Script<'_>,
    last: (u32, u32),
    next: (u32, u32),
    at: Range<usize>,
) -> Result<(), Finding> {
    let ((last_source, last_choice), (source, choice)) = (last, next);
    let expected = if source == last_source { last_choice + 1 } else { 0 };
    if source < last_source {
        let message = format!("state {source} after state {last_source}");
        let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
        return Err(finding.help("sort the transitions by source and choice: `sort -n -k1,1 -k2,2`"));
    }
    if choice != expected {
        if choice > expected {
            return Err(no_choice(script, source, expected, choice, at));
        }
        let message = format!("choice {choice} of state {source} after choice {last_choice}");
        return Err(script.refuse(codes::EXPLICIT_STRUCTURE, at, message).note(CHOICES_ARE_NUMBERED));
    }
    Ok(())
}

const CHOICES_ARE_NUMBERED: &str = "the choices of a state are numbered from 0 in the order of the file";

pub(super) fn no_choice(
    script: Script<'_>,
    state: u32,
    missing: u32,
    choice: u32,
    at: Range<usize>,
) -> Finding {
    let message = format!("state {state} has no choice {missing}, but has choice {choice}");
    script.refuse(codes::EXPLICIT_STRUCTURE, at, message).note(CHOICES_ARE_NUMBERED)
}

//! States, choices and transitions, read in pieces.

use super::header::Header;
use crate::finding::Finding;
use crate::text::{Arithmetic, Cursor, Gathered, Halt, Names, Script, Sign};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// The states of a piece of the body.
pub(super) struct Piece<'t> {
    /// Number of the first state, and where it stands.
    pub first: Option<(u64, Range<usize>)>,
    /// Choices of every state.
    pub choices: Vec<u32>,
    /// Branches of every choice.
    pub branches: Vec<u32>,
    /// Targets of branches.
    pub targets: Vec<u32>,
    /// Values of branches.
    pub values: Gathered<'t>,
    /// Exit rates of states, where the kind has them.
    pub exit_rates: Gathered<'t>,
    /// Observations of states, where the kind has them.
    pub observations: Vec<u32>,
    /// State rewards, one column for each reward model.
    pub state_rewards: Vec<Gathered<'t>>,
    /// Choice rewards, one column for each reward model.
    pub choice_rewards: Vec<Gathered<'t>>,
    /// Names of labels.
    pub labels: Names<'t>,
    /// Label, and place of the state in this piece.
    pub labelled: Vec<(u32, u32)>,
    /// Names of actions.
    pub actions: Names<'t>,
    /// Actions of choices.
    pub action: Vec<u32>,
}

/// Whether a line begins a state.
pub(super) fn begins_state(line: &[u8]) -> bool {
    line.starts_with(b"state ")
}

/// Reads a piece.
pub(super) fn read<'t>(
    script: Script<'t>,
    header: &Header<'t>,
    arithmetic: Arithmetic,
    range: Range<usize>,
) -> Result<Piece<'t>, Halt> {
    let mut reader = Reader { header, cursor: script.cursor(range), piece: Piece::new(header, arithmetic) };
    reader.lines()?;
    Ok(reader.piece)
}

impl<'t> Piece<'t> {
    fn new(header: &Header<'t>, arithmetic: Arithmetic) -> Self {
        let column = |what, sign| Gathered::new(arithmetic, what, sign);
        let rewards = || header.rewards.iter().map(|_| column("a reward", Sign::Any)).collect();
        Piece {
            first: None,
            choices: Vec::new(),
            branches: Vec::new(),
            targets: Vec::new(),
            values: column("a probability or a rate", Sign::NotNegative),
            exit_rates: column("an exit rate", Sign::NotNegative),
            observations: Vec::new(),
            state_rewards: rewards(),
            choice_rewards: rewards(),
            labels: Names::default(),
            labelled: Vec::new(),
            actions: Names::default(),
            action: Vec::new(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let words = self.choices.capacity()
            + self.branches.capacity()
            + self.targets.capacity()
            + self.observations.capacity()
            + 2 * self.labelled.capacity()
            + self.action.capacity();
        let rewards = self.state_rewards.iter().chain(&self.choice_rewards);
        let columns = rewards.chain([&self.values, &self.exit_rates]).map(Gathered::bytes).sum::<u64>();
        4 * words as u64 + columns + self.labels.bytes() + self.actions.bytes()
    }
}

struct Reader<'a, 't> {
    header: &'a Header<'t>,
    cursor: Cursor<'t>,
    piece: Piece<'t>,
}

impl<'t> Reader<'_, 't> {
    fn lines(&mut self) -> Result<(), Halt> {
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                None => return Ok(()),
                Some(b'0'..=b'9') => self.branch()?,
                Some(b'\n') => self.cursor.at += 1,
                Some(b'/') if self.cursor.eat_text("//") => self.cursor.next_line(),
                Some(b'a') if self.cursor.eat_text("action ") => self.choice()?,
                Some(b's') if self.cursor.eat_text("state ") => self.state()?,
                _ if self.cursor.is_line_end() => self.cursor.next_line(),
                _ => return Err(self.unknown().into()),
            }
        }
    }

    /// A line that begins with no word of the format.
    #[cold]
    fn unknown(&mut self) -> Finding {
        let finding = self.cursor.expected("a state, an action or a transition");
        let word = self.cursor.word();
        let written = String::from_utf8_lossy(&self.cursor.bytes[word.clone()]).into_owned();
        let near = finding.misspelt(&written, ["state", "action"], "");
        match near.misspelt {
            Some(_) => near.at(self.cursor.script.place(word)),
            None => near,
        }
    }

    /// `TARGET : VALUE`
    fn branch(&mut self) -> Result<(), Halt> {
        let start = self.cursor.at;
        let Some(target) = self.cursor.index() else {
            return Err(self.cursor.expected("the target of a transition").into());
        };
        let here = start..self.cursor.at;
        if target >= u64::from(self.header.states) {
            return Err(self.no_such_state(here).into());
        }
        if !self.cursor.eat(b':') {
            return Err(self.cursor.expected("`:` after the target of the transition").into());
        }
        let Some(branches) = self.piece.branches.last_mut().filter(|_| self.piece.choices.last() != Some(&0))
        else {
            let message = "a transition before the first action of its state";
            return Err(self.cursor.script.refuse(codes::EXPLICIT_STRUCTURE, here, message).into());
        };
        *branches += 1;
        self.piece.targets.push(target as u32);
        value(self.header, &mut self.piece.values, &mut self.cursor, b"\n\r")?;
        self.end_line()
    }

    #[cold]
    fn no_such_state(&self, at: Range<usize>) -> Finding {
        let shown = self.cursor.script.show(at.clone());
        let message = format!("there is no state {shown}: the header declares {} states", self.header.states);
        self.cursor.script.refuse(codes::EXPLICIT_RANGE, at, message)
    }

    fn end_line(&mut self) -> Result<(), Halt> {
        if self.cursor.end_line() { Ok(()) } else { Err(self.cursor.expected("the end of the line").into()) }
    }

    /// `action NAME [REWARDS]`
    fn choice(&mut self) -> Result<(), Halt> {
        let Some(choices) = self.piece.choices.last_mut() else {
            return Err(self.cursor.expected("a state before its actions").into());
        };
        let place = *choices;
        *choices += 1;
        let name = self.cursor.word();
        let mut name = &self.cursor.bytes[name];
        if name.is_empty() {
            return Err(self.cursor.expected("the name of the action").into());
        }
        // Choices without an action are called by their number, or `__NOLABEL__`.
        if name == b"__NOLABEL__" || is_number(name, place) {
            name = b"";
        }
        let action = self.piece.actions.number(name);
        self.piece.action.push(action);
        self.piece.branches.push(0);
        rewards(self.header, &mut self.piece.choice_rewards, &mut self.cursor)?;
        self.end_line()
    }

    /// `state N [!EXIT] [{OBSERVATION}] [REWARDS] LABELS`
    fn state(&mut self) -> Result<(), Halt> {
        self.cursor.skip_blanks();
        let start = self.cursor.at;
        let Some(number) = self.cursor.index() else {
            return Err(self.cursor.expected("the number of the state").into());
        };
        let here = start..self.cursor.at;
        match &self.piece.first {
            None => self.piece.first = Some((number, here.clone())),
            Some((first, _)) => {
                let expected = first + self.piece.choices.len() as u64;
                if number != expected {
                    return Err(out_of_order(self.cursor.script, number, expected, here).into());
                }
            }
        }
        let place = self.piece.choices.len() as u32;
        self.piece.choices.push(0);
        if self.cursor.eat(b'!') {
            let blanks = b" \t\n\r";
            value(self.header, &mut self.piece.exit_rates, &mut self.cursor, blanks)?;
            if !self.header.has_exit_rates() {
                let at = here.end..self.cursor.at;
                let message = "an exit rate in a discrete-time model";
                return Err(self.cursor.script.refuse(codes::EXPLICIT_STRUCTURE, at, message).into());
            }
        } else if self.header.has_exit_rates() {
            return Err(self.cursor.expected("`!` and the exit rate of the state").into());
        }
        if self.header.observed {
            self.observation()?;
        }
        rewards(self.header, &mut self.piece.state_rewards, &mut self.cursor)?;
        while !self.cursor.is_line_end() {
            let label = self.label()?;
            self.piece.labelled.push((label, place));
        }
        self.cursor.next_line();
        Ok(())
    }

    fn observation(&mut self) -> Result<(), Halt> {
        if !self.cursor.eat(b'{') {
            return Err(self.cursor.expected("`{` and the observation of the state").into());
        }
        self.cursor.skip_blanks();
        let start = self.cursor.at;
        let Some(number) = self.cursor.index() else {
            return Err(self.cursor.expected("the number of an observation").into());
        };
        let Some(number) = u32::try_from(number).ok().filter(|&n| n < u32::MAX) else {
            let message = "observations are numbered with 32-bit integers";
            let script = self.cursor.script;
            return Err(script.refuse(codes::EXPLICIT_TOO_LARGE, start..self.cursor.at, message).into());
        };
        if !self.cursor.eat(b'}') {
            return Err(self.cursor.expected("`}` after the observation").into());
        }
        self.piece.observations.push(number);
        Ok(())
    }

    /// A word, or words in quotes.
    fn label(&mut self) -> Result<u32, Halt> {
        let start = self.cursor.at;
        if !self.cursor.eat(b'"') {
            let word = self.cursor.word();
            return Ok(self.piece.labels.number(&self.cursor.bytes[word]));
        }
        let from = self.cursor.at;
        loop {
            match self.cursor.peek() {
                Some(b'"') => break,
                None | Some(b'\n') => {
                    let message = "the quotation mark is not closed on this line";
                    let script = self.cursor.script;
                    return Err(script.refuse(codes::EXPLICIT_SYNTAX, start..start + 1, message).into());
                }
                Some(_) => self.cursor.at += 1,
            }
        }
        self.cursor.at += 1;
        Ok(self.piece.labels.number(&self.cursor.bytes[from..self.cursor.at - 1]))
    }
}

/// A state whose number is not that of its place.
#[cold]
pub(super) fn out_of_order(script: Script<'_>, number: u64, expected: u64, at: Range<usize>) -> Finding {
    let message = if number < expected {
        format!("state {number} is repeated or out of order: expected state {expected}")
    } else {
        format!("state {expected} is missing before state {number}")
    };
    let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
    finding.note("states are numbered from 0 in the order of the file")
}

fn is_number(name: &[u8], number: u32) -> bool {
    name[0].is_ascii_digit() && name == number.to_string().as_bytes()
}

/// A list of rewards in brackets, if there is one; those that it leaves out are 0.
fn rewards<'t>(
    header: &Header<'t>,
    columns: &mut [Gathered<'t>],
    cursor: &mut Cursor<'t>,
) -> Result<(), Halt> {
    let mut given = 0;
    if cursor.eat(b'[') && !cursor.eat(b']') {
        loop {
            let Some(column) = columns.get_mut(given) else {
                let message = format!("more rewards than the {} declared in the header", columns.len());
                return Err(cursor.script.refuse(codes::EXPLICIT_STRUCTURE, cursor.here(), message).into());
            };
            value(header, column, cursor, b",]")?;
            given += 1;
            if cursor.eat(b']') {
                break;
            }
            if !cursor.eat(b',') {
                return Err(cursor.expected("`,` or `]` after a reward").into());
            }
        }
    }
    columns[given..].iter_mut().for_each(Gathered::push_zero);
    Ok(())
}

/// A number, an interval, a placeholder for one, or an expression that reaches to one of the bytes `ends`.
#[inline]
fn value<'t>(
    header: &Header<'t>,
    column: &mut Gathered<'t>,
    cursor: &mut Cursor<'t>,
    ends: &[u8],
) -> Result<(), Halt> {
    cursor.skip_blanks();
    if cursor.peek() == Some(b'$') {
        return placeholder(header, column, cursor);
    }
    if header.arithmetic != Arithmetic::Symbolic {
        return column.read(cursor);
    }
    let rest = &cursor.bytes[cursor.at..];
    let length = rest.iter().position(|b| ends.contains(b)).unwrap_or(rest.len());
    let text = rest[..length].trim_ascii_end();
    if text.is_empty() {
        return Err(cursor.expected("a number or an expression").into());
    }
    column.push_text(text);
    cursor.at += text.len();
    Ok(())
}

#[cold]
fn placeholder<'t>(
    header: &Header<'t>,
    column: &mut Gathered<'t>,
    cursor: &mut Cursor<'t>,
) -> Result<(), Halt> {
    let start = cursor.at;
    let stops = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b']');
    let rest = &cursor.bytes[start..];
    cursor.at += rest.iter().position(stops).unwrap_or(rest.len());
    let name = &cursor.bytes[start..cursor.at];
    let Some(text) = header.placeholders.get(name) else {
        let message = format!("the placeholder {} is not defined", cursor.script.show(start..cursor.at));
        let finding = cursor.script.refuse(codes::EXPLICIT_STRUCTURE, start..cursor.at, message);
        let mut known: Vec<&str> =
            header.placeholders.keys().filter_map(|name| std::str::from_utf8(name).ok()).collect();
        known.sort_unstable();
        let help = "define it under `@placeholders`, before `@reward_models`";
        return Err(finding.misspelt(&String::from_utf8_lossy(name), known, help).into());
    };
    if header.arithmetic == Arithmetic::Symbolic {
        column.push_text(&cursor.script.bytes[text.clone()]);
        return Ok(());
    }
    let mut there = cursor.script.cursor(text.clone());
    column.read(&mut there)?;
    if !there.is_line_end() {
        return Err(there.expected("the end of the number").into());
    }
    Ok(())
}

//! Lines of transitions, read in pieces.

use crate::finding::Finding;
use crate::text::{Arithmetic, Cursor, Gathered, Halt, Names, Script, Sign, can_mention, show};
use std::ops::Range;
use volvelle_diagnostics::codes;

/// The first line.
pub(super) struct Header {
    pub initial: u32,
    pub transitions: u64,
    pub states: u32,
    /// Where the number of transitions stands.
    pub transitions_at: Range<usize>,
    /// Whether it looks like LTSmin's, which is padded with blanks.
    pub is_padded: bool,
    /// Where the transitions begin.
    pub body: usize,
}

/// Reads `des (0, 3, 2)`. `is_whole`: whether the text is the whole file, whose length limits the number of states.
pub(super) fn header(script: Script<'_>, is_whole: bool) -> Result<Header, Finding> {
    let mut cursor = script.cursor(0..script.bytes.len());
    while !cursor.is_done() && cursor.is_line_end() {
        cursor.next_line();
    }
    if !cursor.eat_text("des") {
        return Err(cursor.expected("`des (INITIAL, TRANSITIONS, STATES)`"));
    }
    let is_tight = cursor.peek() == Some(b'(');
    if !cursor.eat(b'(') {
        return Err(cursor.expected("`(` after `des`"));
    }
    let mut numbers = Vec::new();
    for what in ["the initial state", "the number of transitions", "the number of states"] {
        if !numbers.is_empty() && !cursor.eat(b',') {
            if numbers.len() == 1 && !cursor.is_line_end() {
                let message = "the initial states are chosen at random";
                let finding = script.refuse(codes::EXPLICIT_UNSUPPORTED, cursor.here(), message);
                return Err(finding.help("add a first state whose only transition has this distribution"));
            }
            return Err(cursor.expected(&format!("`,` and {what}")));
        }
        cursor.skip_blanks();
        let start = cursor.at;
        match cursor.index() {
            Some(number) => numbers.push((number, start..cursor.at)),
            None => return Err(cursor.expected(what)),
        }
    }
    if !cursor.eat(b')') {
        return Err(cursor.expected("`)` after the number of states"));
    }
    let is_padded = is_tight && matches!(cursor.peek(), Some(b' '));
    if !cursor.end_line() {
        return Err(cursor.expected("the end of the line"));
    }
    let (states, states_at) = numbers[2].clone();
    let can_be = |states: &u32| !is_whole || can_mention(script.bytes.len(), (*states).into());
    let Some(states) = u32::try_from(states).ok().filter(can_be) else {
        let message =
            format!("the header declares {states} states, but the file is too short to contain them");
        return Err(script.refuse(codes::EXPLICIT_COUNT, states_at, message));
    };
    let (initial, initial_at) = numbers[0].clone();
    if initial >= u64::from(states) {
        let message = format!("the initial state is {initial}, but the header declares {states} states");
        return Err(script.refuse(codes::EXPLICIT_RANGE, initial_at, message));
    }
    let (transitions, transitions_at) = numbers[1].clone();
    Ok(Header { initial: initial as u32, transitions, states, transitions_at, is_padded, body: cursor.at })
}

/// Transitions of a piece of the file.
pub(super) struct Piece<'t> {
    pub sources: Vec<u32>,
    pub labels: Vec<u32>,
    pub names: Names<'t>,
    /// Targets of every transition, where one of them has several; empty otherwise.
    pub counts: Vec<u32>,
    pub targets: Vec<u32>,
    /// Probabilities of targets where one of them has one; empty otherwise.
    pub values: Gathered<'t>,
    /// Whether the action `i` occurs without quotes.
    pub has_plain_i: bool,
}

impl Piece<'_> {
    pub fn bytes(&self) -> u64 {
        let words = self.sources.capacity()
            + self.labels.capacity()
            + self.counts.capacity()
            + self.targets.capacity();
        4 * words as u64 + self.values.bytes() + self.names.bytes()
    }
}

/// Reads a piece. `escapes`: in labels, a backslash makes an ordinary character of the next one.
pub(super) fn read<'t>(
    script: Script<'t>,
    states: u32,
    arithmetic: Arithmetic,
    escapes: bool,
    range: Range<usize>,
) -> Result<Piece<'t>, Halt> {
    let piece = Piece {
        sources: Vec::new(),
        labels: Vec::new(),
        names: Names::default(),
        counts: Vec::new(),
        targets: Vec::new(),
        values: Gathered::new(arithmetic, "a probability", Sign::NotNegative),
        has_plain_i: false,
    };
    let mut reader = Reader { states, escapes, cursor: script.cursor(range), piece };
    reader.lines()?;
    Ok(reader.piece)
}

struct Reader<'t> {
    states: u32,
    escapes: bool,
    cursor: Cursor<'t>,
    piece: Piece<'t>,
}

impl<'t> Reader<'t> {
    fn lines(&mut self) -> Result<(), Halt> {
        loop {
            if self.cursor.eat(b'(') {
                self.transition()?;
            } else if self.cursor.is_done() {
                return Ok(());
            } else if self.cursor.is_line_end() {
                self.cursor.next_line();
            } else {
                return Err(self.cursor.expected("a transition, such as `(0, \"a\", 1)`").into());
            }
        }
    }

    /// `FROM, LABEL, TO)`
    fn transition(&mut self) -> Result<(), Halt> {
        let source = self.state("the source")?;
        self.comma("the label")?;
        let label = self.label()?;
        let name = &self.cursor.bytes[label];
        self.comma("the target")?;
        let target = self.state("the target")?;
        self.piece.sources.push(source);
        let number = self.piece.names.number(name);
        self.piece.labels.push(number);
        self.piece.targets.push(target);
        if !self.cursor.eat(b')') {
            self.distribution()?;
        } else if !self.piece.counts.is_empty() {
            self.piece.counts.push(1);
            self.piece.values.push_one();
        }
        if self.cursor.end_line() { Ok(()) } else { Err(self.cursor.expected("the end of the line").into()) }
    }

    /// A probability for the target before it, then the next target; again until `)`.
    fn distribution(&mut self) -> Result<(), Halt> {
        let Piece { counts, values, targets, .. } = &mut self.piece;
        if counts.is_empty() {
            counts.resize(targets.len() - 1, 1);
            (1..targets.len()).for_each(|_| values.push_one());
        }
        let start = self.cursor.at;
        let mut count = 1;
        while !self.cursor.eat(b')') {
            self.cursor.skip_blanks();
            if self.cursor.is_line_end() {
                return Err(self.cursor.expected("`)` after the target").into());
            }
            if matches!(self.cursor.peek(), Some(b'[' | b'(')) {
                return Err(self.cursor.expected("a probability").into());
            }
            self.piece.values.read(&mut self.cursor)?;
            if !self.cursor.is_separated() {
                return Err(self.cursor.expected("a blank after the probability").into());
            }
            let target = self.state("the target after the probability")?;
            self.piece.targets.push(target);
            count += 1;
        }
        self.piece.counts.push(count);
        if !self.piece.values.push_rest(count as usize - 1) {
            let at = start..self.cursor.at - 1;
            let message = "the probabilities of the targets sum to more than 1";
            let script = self.cursor.script;
            let finding = script.refuse(codes::EXPLICIT_SUM, at, message);
            return Err(finding.note("the last target gets the remaining probability").into());
        }
        Ok(())
    }

    #[inline]
    fn comma(&mut self, what: &str) -> Result<(), Halt> {
        match self.cursor.eat(b',') {
            true => Ok(()),
            false => Err(self.cursor.expected(&format!("`,` and {what}")).into()),
        }
    }

    #[inline]
    fn state(&mut self, what: &str) -> Result<u32, Halt> {
        self.cursor.skip_blanks();
        let start = self.cursor.at;
        match self.cursor.index() {
            Some(state) if state < u64::from(self.states) => Ok(state as u32),
            Some(_) => {
                let at = start..self.cursor.at;
                let shown = show(&self.cursor.bytes[at.clone()]);
                let message = format!("{what} is {shown}, but the header declares {} states", self.states);
                Err(self.cursor.script.refuse(codes::EXPLICIT_RANGE, at, message).into())
            }
            None => Err(self.cursor.expected(what).into()),
        }
    }

    /// Where the label stands, without its quotes.
    fn label(&mut self) -> Result<Range<usize>, Halt> {
        self.cursor.skip_blanks();
        let bytes = self.cursor.bytes;
        let start = self.cursor.at;
        if self.cursor.peek() != Some(b'"') {
            let end = bytes[start..]
                .iter()
                .position(|&b| b == b',' || b == b'\n')
                .map_or(bytes.len(), |n| start + n);
            let name = bytes[start..end].trim_ascii_end();
            self.piece.has_plain_i |= name == b"i";
            self.cursor.at = end;
            return Ok(start..start + name.len());
        }
        match self.closing_quote(start + 1) {
            Some(at) => {
                self.cursor.at = at + 1;
                Ok(start + 1..at)
            }
            None => {
                let message = "the quotation mark is not closed on this line";
                let script = self.cursor.script;
                Err(script.refuse(codes::EXPLICIT_SYNTAX, start..start + 1, message).into())
            }
        }
    }

    /// The quotation mark that ends a label. Where none is escaped, it is the first one with a comma and a number behind
    /// it, as a label can have some of its own; if there is none of these, the first one with a comma behind it.
    fn closing_quote(&self, from: usize) -> Option<usize> {
        let bytes = self.cursor.bytes;
        let mut at = from;
        let mut fallback = None;
        loop {
            match bytes.get(at) {
                None | Some(b'\n') => return fallback,
                Some(b'\\') if self.escapes && !matches!(bytes.get(at + 1), None | Some(b'\n')) => at += 2,
                Some(b'"') if self.escapes => return Some(at),
                Some(b'"') => {
                    let mut behind = bytes[at + 1..].iter().filter(|b| !matches!(b, b' ' | b'\t'));
                    if behind.next() == Some(&b',') {
                        if behind.next().is_some_and(u8::is_ascii_digit) {
                            return Some(at);
                        }
                        fallback = fallback.or(Some(at));
                    }
                    at += 1;
                }
                Some(_) => at += 1,
            }
        }
    }
}

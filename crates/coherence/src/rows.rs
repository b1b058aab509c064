//! Rows of the table: `load S|E|M * -> = = Hit`.
//!
//! Seven words: operation, own states, strongest state among the others; an arrow; new own state, new states of the others, transfer.

use crate::protocol::{Operation, Protocol, Row, Rule, State, TransferId, cell};
use std::ops::Range;
use volvelle_declarations::{Reader, Value};
use volvelle_diagnostics::{Code, Diagnostic, codes};

/// What a row looks like.
const FORM: &str =
    "a row is `operation own strongest -> own others transfer`, for example `load I S -> S S Mem`";

const CODE: Code = codes::PROTOCOL_VALUE;

/// The text of a row, and where its bytes are in the file.
struct Text<'a> {
    text: &'a str,
    /// The place of the value.
    whole: Range<usize>,
    /// Offset of the text's first byte, unless the value has escapes.
    start: Option<usize>,
}

/// A word with the bytes it has in the row.
type Word<'a> = (&'a str, Range<usize>);

impl<'a> Text<'a> {
    fn new(reader: &Reader<'_>, value: &'a Value<'a>) -> Option<Self> {
        let text = value.get_ref().as_str()?;
        let whole = value.span();
        // Quotation marks are one or three bytes long.
        let start = [1, 3].into_iter().map(|quote| whole.start + quote);
        let start = start.into_iter().find(|&start| reader.text.get(start..start + text.len()) == Some(text));
        Some(Text { text, whole, start })
    }

    /// The words, with their places in the row.
    fn words(&self) -> Vec<Word<'a>> {
        let at = |word: &str| word.as_ptr() as usize - self.text.as_ptr() as usize;
        self.text.split_whitespace().map(|word| (word, at(word)..at(word) + word.len())).collect()
    }

    /// The place of a part of the row in the file.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        match self.start {
            Some(start) => start + part.start..start + part.end,
            None => self.whole.clone(),
        }
    }
}

/// Reads a row into the table of `protocol`, whose states and transfers are known.
pub(crate) fn row(reader: &mut Reader<'_>, protocol: &mut Protocol, value: &Value<'_>) {
    let Some(text) = Text::new(reader, value) else {
        return reader.wrong_type("a row", value, "a text", "`\"load I S -> S S Mem\"`");
    };
    let number = protocol.rows.len();
    let span = reader.span(text.place(0..text.text.len()));
    protocol.rows.push(Row { text: text.text.split_whitespace().collect::<Vec<_>>().join(" "), span });
    let words = text.words();
    let [operation, own, strongest, arrow, new_own, others, transfer] = words.as_slice() else {
        let message = format!("a row has seven words, not {}", words.len());
        return reader.report(CODE, message, text.place(0..text.text.len()), FORM);
    };
    if arrow.0 != "->" {
        return reader.report(CODE, "the fourth word of a row is `->`", text.place(arrow.1.clone()), FORM);
    }
    let mut of = Columns { reader, protocol, text: &text };
    let operation = of.operation(operation);
    let (own, strongest) = (of.pattern(own), of.pattern(strongest));
    let new_own = of.new_own(new_own);
    let others = of.new_others(others);
    let transfer = of.transfer(transfer);
    let (Some(operation), Some(own), Some(strongest)) = (operation, own, strongest) else { return };
    let (Some(new_own), Some(others), Some(transfer)) = (new_own, others, transfer) else { return };
    let n = protocol.states.len();
    let mut conflict = None;
    for &from in &own {
        for &highest in &strongest {
            let rule = Rule { own: new_own.unwrap_or(from), others: others.clone(), transfer, row: number };
            let there = &mut protocol.rules[cell(n, operation, from, highest)];
            match there {
                None => *there = Some(rule),
                Some(first) if agree(first, &rule, highest) => {}
                Some(first) => conflict = conflict.or(Some((first.row, from, highest))),
            }
        }
    }
    protocol.has_atomic_rows |= operation == Operation::Atomic;
    if let Some((first, from, highest)) = conflict {
        let message = format!(
            "two rows disagree about `{} {} {}`",
            operation.word(),
            protocol.state(from),
            protocol.state(highest)
        );
        let found = Diagnostic::error(CODE, message)
            .at(span, "disagrees")
            .also(protocol.row_span(first), "with this row")
            .help("take one of the states out of one of the rows");
        reader.found.push(found);
    }
}

/// Whether two rules say the same where `strongest` is the strongest state among the others.
fn agree(first: &Rule, second: &Rule, strongest: State) -> bool {
    let present = ..=strongest.index();
    first.own == second.own
        && first.transfer == second.transfer
        && first.others[present] == second.others[present]
}

/// The words of a row, each read by its column.
struct Columns<'c, 't> {
    reader: &'c mut Reader<'t>,
    protocol: &'c Protocol,
    text: &'c Text<'c>,
}

impl Columns<'_, '_> {
    /// Notes a word that is none of the known ones.
    fn unknown(&mut self, what: &str, word: &str, at: Range<usize>, known: &[&str]) {
        let all = || format!("there are `{}`", known.join("`, `"));
        let message = format!("`{word}` is no {what}");
        self.reader.misspelt(CODE, message, self.text.place(at), word, known, all);
    }

    fn operation(&mut self, (word, at): &Word<'_>) -> Option<Operation> {
        let found = Operation::ALL.into_iter().find(|operation| operation.word() == *word);
        if found.is_none() {
            self.unknown("operation", word, at.clone(), &Operation::ALL.map(Operation::word));
        }
        found
    }

    fn state(&mut self, word: &str, at: Range<usize>) -> Option<State> {
        let found = self.protocol.states.iter().position(|name| name == word);
        if found.is_none() {
            let known: Vec<&str> = self.protocol.states.iter().map(String::as_str).collect();
            self.unknown("state", word, at, &known);
        }
        found.map(|at| State(at as u8))
    }

    /// States such as `S|E|M` or `*`; none after a diagnostic.
    fn pattern(&mut self, (word, at): &Word<'_>) -> Option<Vec<State>> {
        if *word == "*" {
            return Some((0..self.protocol.states.len()).map(|state| State(state as u8)).collect());
        }
        let mut states = Vec::new();
        let mut is_fine = true;
        let mut start = at.start;
        for part in word.split('|') {
            match self.state(part, start..start + part.len()) {
                Some(state) => states.push(state),
                None => is_fine = false,
            }
            start += part.len() + 1;
        }
        is_fine.then_some(states)
    }

    /// A state, or `=` for the present one.
    fn new_own(&mut self, (word, at): &Word<'_>) -> Option<Option<State>> {
        if *word == "=" { Some(None) } else { self.state(word, at.clone()).map(Some) }
    }

    /// New states by present state, from `=`, `S` or `M:O,S:S`.
    fn new_others(&mut self, (word, at): &Word<'_>) -> Option<Vec<State>> {
        let count = self.protocol.states.len();
        let mut new: Vec<State> = (0..count).map(|state| State(state as u8)).collect();
        if *word == "=" {
            return Some(new);
        }
        if !word.contains(':') {
            let state = self.state(word, at.clone())?;
            new[1..].fill(state);
            return Some(new);
        }
        let mut is_fine = true;
        let mut named = vec![false; count];
        let mut start = at.start;
        for part in word.split(',') {
            let place = start..start + part.len();
            start = place.end + 1;
            let Some((from, to)) = part.split_once(':') else {
                let message = format!("`{part}` does not say from which state to which");
                let place = self.text.place(place);
                self.reader.report(CODE, message, place, "write pairs such as `M:O,E:S`");
                is_fine = false;
                continue;
            };
            let middle = place.start + from.len();
            let from = self.state(from, place.start..middle);
            let to = self.state(to, middle + 1..place.end);
            let (Some(from), Some(to)) = (from, to) else {
                is_fine = false;
                continue;
            };
            let fault = if from == State::INVALID && to != State::INVALID {
                Some("a cache without the line does not get it by what another one does")
            } else if named[from.index()] {
                Some("the state is named twice")
            } else {
                None
            };
            if let Some(message) = fault {
                let place = self.text.place(place);
                self.reader.report(CODE, message, place, "leave this pair out");
                is_fine = false;
            }
            named[from.index()] = true;
            new[from.index()] = to;
        }
        is_fine.then_some(new)
    }

    fn transfer(&mut self, (word, at): &Word<'_>) -> Option<TransferId> {
        let found = self.protocol.transfers.iter().position(|transfer| transfer.name == *word);
        if found.is_none() {
            let known: Vec<&str> = self.protocol.transfers.iter().map(|transfer| &*transfer.name).collect();
            self.unknown("transfer", word, at.clone(), &known);
        }
        found.map(|at| TransferId(at as u8))
    }
}

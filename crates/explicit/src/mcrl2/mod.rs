//! Labelled transition systems in the binary format of mCRL2 (`.lts`).
//!
//! A stream of terms (module `terms`): the marker `labelled_transition_system`, a data specification, process parameters and action labels,
//! then in any order transitions (a marker, a number, a multi-action, a number), the initial state and valuations of states. The format is that of
//! mCRL2 202407 and later. Facts from the documentation of the crate merc_lts 2.0 (Boost licence), which reads and writes it.

mod bits;
mod label;
mod terms;

use crate::allowance::stopped;
use crate::decompress::{damaged, stream};
use crate::finding::{Finding, Place};
use bits::Bits;
use rustc_hash::FxHashMap;
use std::io::{Error, ErrorKind, Read};
use terms::{Output, TermId, Terms, Unreadable};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::codes;
use volvelle_space::{Labels, Lts};

/// Transitions between two looks at limits.
const PATIENCE: usize = 1 << 12;

/// Reads a labelled transition system in the binary format of mCRL2, perhaps compressed. Labels are multi-actions as mCRL2 prints them;
/// the empty one is the internal action.
///
/// # Errors
/// The file cannot be read or is no such file, or a limit was reached.
pub fn read_mcrl2_lts(name: &str, source: &mut dyn Read, control: &Control<'_>) -> Result<Lts, Finding> {
    let source = stream(source, control).map_err(|error| damaged(name, &error))?;
    let refuse = |error: Unreadable| match error {
        Unreadable::NoTerms => {
            let message = "the file does not begin as transition systems of mCRL2 do";
            Finding::error(codes::EXPLICIT_SYNTAX, message).at(Place::File(name.to_owned()))
        }
        Unreadable::Version(version) => {
            let message = format!("the file has version {version:#06x} of the terms of mCRL2");
            unsupported(name, message).note("versions 0x8307 and 0x8308 are read")
        }
        Unreadable::Damaged(error) => broken(name, &error),
    };
    let terms = Terms::new(Bits::new(source)).map_err(refuse)?;
    let mut reading =
        Reading { name, terms, labels: Labels::new(), known: FxHashMap::default(), transitions: Vec::new() };
    let initial = reading.run(control)?;
    reading.finish(initial, control)
}

fn unsupported(name: &str, message: impl Into<String>) -> Finding {
    Finding::error(codes::EXPLICIT_UNSUPPORTED, message)
        .at(Place::File(name.to_owned()))
        .help("have mCRL2 convert it: ltsconvert system.lts system.aut")
}

fn broken(name: &str, error: &Error) -> Finding {
    if error.kind() == ErrorKind::OutOfMemory {
        return stopped(Stop::Memory).at(Place::File(name.to_owned()));
    }
    let message = match error.kind() {
        ErrorKind::UnexpectedEof => "the file ends early".to_owned(),
        _ => format!("the file is damaged: {error}"),
    };
    Finding::error(codes::EXPLICIT_SYNTAX, message)
        .at(Place::File(name.to_owned()))
        .help("have mCRL2 write it again")
}

/// Whether a file begins as those that [`read_mcrl2_lts`] reads, if they are not compressed.
pub fn begins_as_mcrl2_lts(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0, 0x8b, 0xaf])
}

struct Reading<'a> {
    name: &'a str,
    terms: Terms<'a>,
    labels: Labels,
    /// Numbers of multi-actions, by their actions and times.
    known: FxHashMap<[TermId; 2], u32>,
    transitions: Vec<(u32, u32, u32)>,
}

impl Reading<'_> {
    /// Reads to the end of the stream; gives the initial state.
    fn run(&mut self, control: &Control<'_>) -> Result<u32, Finding> {
        let mut initial = None;
        if self.marker()? != Some("labelled_transition_system") {
            let message = "the terms of the file are no labelled transition system";
            return Err(unsupported(self.name, message));
        }
        loop {
            match self.next()? {
                Output::End => break,
                Output::Number(_) => {}
                Output::Term(symbol) if self.terms.arguments.is_empty() => {
                    match self.terms.symbols[symbol as usize].name.as_str() {
                        "transition" => self.transition(control)?,
                        "initial_state" => {
                            if self.number("the number of initial states")? != 1 {
                                return Err(self.is_probabilistic());
                            }
                            initial = Some(self.state("the initial state")?);
                        }
                        "probabilistic_transition" => return Err(self.is_probabilistic()),
                        // A part of the specification, or the valuation of a state.
                        _ => {}
                    }
                }
                Output::Term(_) => {}
            }
        }
        initial.ok_or_else(|| self.broken("there is no initial state"))
    }

    fn transition(&mut self, control: &Control<'_>) -> Result<(), Finding> {
        if self.transitions.len().is_multiple_of(PATIENCE) {
            control.check().map_err(stopped)?;
            let bytes = self.terms.bytes() + 12 * self.transitions.capacity() as u64;
            control.check_memory(bytes).map_err(stopped)?;
        }
        let source = self.state("the source of a transition")?;
        let label = self.label()?;
        let target = self.state("the target of a transition")?;
        self.transitions.push((source, label, target));
        Ok(())
    }

    fn label(&mut self) -> Result<u32, Finding> {
        let Output::Term(_) = self.next()? else { return Err(self.broken("a transition has no label")) };
        let &[actions, time] = &self.terms.arguments[..] else {
            return Err(self.broken("the label of a transition is no multi-action"));
        };
        if let Some(&number) = self.known.get(&[actions, time]) {
            return Ok(number);
        }
        let Some(text) = label::text(&self.terms, actions, time) else {
            return Err(unsupported(self.name, "the label of a transition has a time, or another form"));
        };
        let number = match text.as_str() {
            "tau" => Labels::INTERNAL,
            // An action of that name is another one than the internal action.
            Labels::INTERNAL_TEXT => self.labels.number("'i'"),
            text => self.labels.number(text),
        };
        self.known.insert([actions, time], number);
        Ok(number)
    }

    fn next(&mut self) -> Result<Output, Finding> {
        self.terms.next().map_err(|error| broken(self.name, &error))
    }

    /// The name of a term without arguments.
    fn marker(&mut self) -> Result<Option<&str>, Finding> {
        let Output::Term(symbol) = self.next()? else { return Ok(None) };
        Ok(self.terms.arguments.is_empty().then(|| &*self.terms.symbols[symbol as usize].name))
    }

    fn number(&mut self, what: &str) -> Result<u64, Finding> {
        match self.next()? {
            Output::Number(number) => Ok(number),
            _ => Err(self.broken(&format!("{what} is missing"))),
        }
    }

    fn state(&mut self, what: &str) -> Result<u32, Finding> {
        let number = self.number(what)?;
        match u32::try_from(number) {
            Ok(state) if state < u32::MAX => Ok(state),
            _ => Err(unsupported(self.name, format!("{what} has number {number}, which is too large"))),
        }
    }

    fn is_probabilistic(&self) -> Finding {
        unsupported(self.name, "the system has distributions, which labelled transition systems do not have")
    }

    fn broken(&self, message: &str) -> Finding {
        broken(self.name, &Error::new(ErrorKind::InvalidData, message))
    }

    fn finish(self, initial: u32, control: &Control<'_>) -> Result<Lts, Finding> {
        let greatest = self.transitions.iter().map(|&(from, _, to)| from.max(to)).max().unwrap_or(0);
        let states = greatest.max(initial) + 1;
        // Every state but the initial one is the target of a transition.
        if !crate::text::can_mention(
            usize::try_from(self.terms.bytes_read()).unwrap_or(usize::MAX),
            states.into(),
        ) {
            return Err(self.broken("a state has a number that is too large for the size of the file"));
        }
        let bytes = 20 * self.transitions.len() as u64 + 4 * u64::from(states);
        control.check_memory(bytes).map_err(stopped)?;
        Ok(Lts::from_transitions(states, initial, self.labels, &self.transitions))
    }
}

//! Terms in the streamed binary format of mCRL2 ("BAF", versions 0x8307 and 0x8308).
//!
//! A stream is a sequence of packets: a function symbol, a term that later ones refer to, a term that is output, or a number that is
//! output. Symbols and terms are referred to by the order in which they came, with as many bits as that needs so far. Symbol 0 ends the stream.

use super::bits::Bits;
use std::io::{Error, ErrorKind};

/// What a stream begins with, behind a byte that is zero.
const MAGIC: u64 = 0x8baf;

/// Versions with the same packets and the same markers.
const VERSIONS: std::ops::RangeInclusive<u64> = 0x8307..=0x8308;

/// More arguments than any symbol of mCRL2 has.
const MOST_ARGUMENTS: u64 = 1 << 16;

/// The symbol of numbers.
const NUMBER: &str = "<aterm_int>";

/// A function symbol.
pub struct Symbol {
    pub name: String,
    arity: u32,
}

/// A term: symbol and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TermId(pub u32);

#[derive(Clone, Copy)]
struct Term {
    symbol: u32,
    /// Where its arguments begin; for a number where its value is.
    start: u32,
}

/// What a stream outputs.
pub enum Output {
    /// A number.
    Number(u64),
    /// A term: its symbol; its arguments are in [`Terms::arguments`].
    Term(u32),
    /// The end.
    End,
}

/// Why a stream cannot be read.
pub enum Unreadable {
    /// It does not begin as such streams do.
    NoTerms,
    /// It has another version.
    Version(u64),
    /// Reading fails, or the contents make no sense.
    Damaged(Error),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Unreadable::Damaged(error)
    }
}

/// The terms of a stream.
pub struct Terms<'a> {
    bits: Bits<'a>,
    pub symbols: Vec<Symbol>,
    terms: Vec<Term>,
    /// Arguments of terms, one behind the other.
    places: Vec<TermId>,
    numbers: Vec<u64>,
    /// Arguments of the last output.
    pub arguments: Vec<TermId>,
}

fn damaged(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, reason)
}

/// Bits of an index into so many.
fn width(count: usize) -> u32 {
    count.checked_ilog2().unwrap_or(0) + 1
}

impl<'a> Terms<'a> {
    /// Reads the beginning of a stream.
    pub fn new(mut bits: Bits<'a>) -> Result<Self, Unreadable> {
        let begins = |bits: &mut Bits<'_>| Ok::<_, Error>([bits.number(8)?, bits.number(16)?]);
        match begins(&mut bits) {
            Ok([0, MAGIC]) => {}
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error.into()),
            _ => return Err(Unreadable::NoTerms),
        }
        let version = bits.number(16)?;
        if !VERSIONS.contains(&version) {
            return Err(Unreadable::Version(version));
        }
        let end = Symbol { name: String::new(), arity: 0 };
        Ok(Terms {
            bits,
            symbols: vec![end],
            terms: Vec::new(),
            places: Vec::new(),
            numbers: Vec::new(),
            arguments: Vec::new(),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.terms.len() + 4 * self.places.len() + 8 * self.numbers.len()) as u64
    }

    /// Bytes that were read.
    pub fn bytes_read(&self) -> u64 {
        self.bits.bytes
    }

    /// The next output.
    pub fn next(&mut self) -> Result<Output, Error> {
        loop {
            match self.bits.number(2)? {
                0 => {
                    let (name, arity) = (self.bits.text()?, self.bits.variable()?);
                    if arity > MOST_ARGUMENTS {
                        return Err(damaged("a function symbol has too many arguments"));
                    }
                    self.symbols.push(Symbol { name, arity: arity as u32 });
                }
                3 => return Ok(Output::Number(self.bits.variable()?)),
                packet => {
                    let index = self.bits.number(width(self.symbols.len()))? as usize;
                    if index == 0 {
                        return Ok(Output::End);
                    }
                    let symbol =
                        self.symbols.get(index).ok_or_else(|| damaged("a function symbol is missing"))?;
                    let is_number = symbol.name == NUMBER;
                    self.arguments.clear();
                    for _ in 0..symbol.arity {
                        let argument = self.bits.number(width(self.terms.len()))? as usize;
                        if argument >= self.terms.len() {
                            return Err(damaged("a term is missing"));
                        }
                        self.arguments.push(TermId(argument as u32));
                    }
                    if packet == 2 {
                        return Ok(Output::Term(index as u32));
                    }
                    self.keep(index as u32, is_number)?;
                }
            }
        }
    }

    fn keep(&mut self, symbol: u32, is_number: bool) -> Result<(), Error> {
        let start = if is_number {
            let value = self.bits.variable()?;
            self.numbers.push(value);
            self.numbers.len() - 1
        } else {
            self.places.extend_from_slice(&self.arguments);
            self.places.len() - self.arguments.len()
        };
        if self.places.len().max(self.terms.len()) >= u32::MAX as usize {
            return Err(damaged("there are more than 4,294,967,295 terms"));
        }
        self.terms.push(Term { symbol, start: start as u32 });
        Ok(())
    }

    /// The name of the symbol of a term.
    pub fn name(&self, term: TermId) -> &str {
        &self.symbols[self.terms[term.0 as usize].symbol as usize].name
    }

    /// The arguments of a term.
    pub fn of(&self, term: TermId) -> &[TermId] {
        let Term { symbol, start } = self.terms[term.0 as usize];
        &self.places[start as usize..][..self.symbols[symbol as usize].arity as usize]
    }

    /// The value of a number.
    pub fn number(&self, term: TermId) -> Option<u64> {
        let Term { start, .. } = self.terms[term.0 as usize];
        (self.name(term) == NUMBER).then(|| self.numbers[start as usize])
    }
}

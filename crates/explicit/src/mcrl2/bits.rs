//! Bits of a stream, the most significant one of each byte first.

use std::io::{Error, ErrorKind, Read};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// A stream of bits.
pub struct Bits<'a> {
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    next: usize,
    /// Bits that were taken from the buffer, in the lowest places.
    held: u64,
    count: u32,
    /// Bytes that were read.
    pub bytes: u64,
}

impl<'a> Bits<'a> {
    pub fn new(source: Box<dyn Read + 'a>) -> Self {
        Bits { source, buffer: Vec::new(), next: 0, held: 0, count: 0, bytes: 0 }
    }

    fn byte(&mut self) -> Result<u8, Error> {
        if self.next == self.buffer.len() {
            self.buffer.resize(PIECE, 0);
            let length = loop {
                match self.source.read(&mut self.buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    other => break other?,
                }
            };
            self.buffer.truncate(length);
            self.next = 0;
            self.bytes += length as u64;
            if length == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        self.next += 1;
        Ok(self.buffer[self.next - 1])
    }

    /// A number of so many bits, at most 56.
    pub fn number(&mut self, bits: u32) -> Result<u64, Error> {
        while self.count < bits {
            self.held = self.held << 8 | u64::from(self.byte()?);
            self.count += 8;
        }
        self.count -= bits;
        Ok(self.held >> self.count & ((1 << bits) - 1))
    }

    /// A number in pieces of seven bits, the least significant one first; the first bit of a piece tells that another follows.
    pub fn variable(&mut self) -> Result<u64, Error> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let piece = self.number(8)?;
            value |= (piece & 0x7f) << shift;
            if piece & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Error::new(ErrorKind::InvalidData, "a number has more than 64 bits"))
    }

    /// A text with its length before it.
    pub fn text(&mut self) -> Result<String, Error> {
        let length = self.variable()?;
        let mut bytes = Vec::new();
        for _ in 0..length {
            bytes.push(self.number(8)? as u8);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

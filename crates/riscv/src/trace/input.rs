//! Bytes of a trace, read in order.

use super::troubles::{cut, not_read};
use std::io::{BufReader, ErrorKind, Read};
use volvelle_instructions::Failure;

/// Bytes that are fetched at once.
const BUFFER: usize = 1 << 16;

pub(super) struct Input<R> {
    from: BufReader<R>,
    /// Instructions read before, for messages.
    pub(super) instructions: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn new(from: R) -> Self {
        Input { from: BufReader::with_capacity(BUFFER, from), instructions: 0 }
    }

    /// Fills a buffer; `false`: the input is at its end, and nothing was read.
    pub(super) fn fill_or_end(&mut self, buffer: &mut [u8]) -> Result<bool, Failure> {
        let mut done = 0;
        while done < buffer.len() {
            match self.from.read(&mut buffer[done..]) {
                Ok(0) if done == 0 => return Ok(false),
                Ok(0) => return Err(cut(self.instructions)),
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Decompressors say so when their input ends early.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(cut(self.instructions)),
                Err(error) => return Err(not_read(&error)),
            }
        }
        Ok(true)
    }

    /// Fills a buffer.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Failure> {
        match buffer.is_empty() || self.fill_or_end(buffer)? {
            true => Ok(()),
            false => Err(cut(self.instructions)),
        }
    }

    /// So many bytes, which take memory only as far as they are there.
    pub(super) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        let read = self.from.by_ref().take(count as u64).read_to_end(&mut all);
        match read {
            Ok(_) if all.len() == count => Ok(all),
            Ok(_) => Err(cut(self.instructions)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(cut(self.instructions)),
            Err(error) => Err(not_read(&error)),
        }
    }

    /// A number of one byte.
    pub(super) fn byte(&mut self) -> Result<u8, Failure> {
        let mut byte = [0];
        self.fill(&mut byte)?;
        Ok(byte[0])
    }

    /// A number of eight bytes.
    pub(super) fn number(&mut self) -> Result<u64, Failure> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A line without its end; `None`: there is none. Longer ones than `most` are cut.
    pub(super) fn line(&mut self, most: usize) -> Result<Option<String>, Failure> {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.fill_or_end(&mut byte)? {
            if byte[0] == b'\n' {
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            if line.len() < most {
                line.push(byte[0]);
            }
        }
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
    }
}

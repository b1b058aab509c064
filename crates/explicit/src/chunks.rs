//! The decompressed bytes of a file in chunks, each of them once: parts of the file itself where it is not compressed, else
//! a buffer that is filled again, or several of them that another thread fills ahead.

use crate::allowance::Allowance;
use crate::decompress::Decompressor;
use crate::format::Compression;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

/// Bytes of all chunks but the last, which every size of an entry of an array divides. Small enough to stay in a cache from
/// one thread to the other.
pub const CHUNK: usize = 1 << 18;

/// Chunks that are filled ahead.
const AHEAD: usize = 4;

/// Bytes of a compressed file that are worth another thread.
const WORTH_A_THREAD: usize = 1 << 20;

/// Bytes, chunk by chunk.
pub struct Chunks<'a> {
    source: Source<'a>,
    /// The current chunk; unused where the file is not compressed.
    buffer: Vec<u8>,
    /// Bytes of the current chunk, or of the file, that were given out.
    at: usize,
}

enum Source<'a> {
    /// The file itself.
    File(&'a [u8]),
    /// Decompressed here.
    Here(Decompressor<'a>),
    /// Decompressed by another thread: chunks that it filled, and those that it may fill again.
    Ahead(Receiver<io::Result<Vec<u8>>>, Sender<Vec<u8>>),
}

impl<'a> Chunks<'a> {
    /// Chunks that this thread decompresses.
    pub fn new(bytes: &'a [u8], allowance: &Allowance<'_>) -> Self {
        let source = match Compression::of_content(bytes) {
            Compression::None => Source::File(bytes),
            _ => Source::Here(Decompressor::new(bytes, allowance)),
        };
        Chunks { source, buffer: Vec::new(), at: 0 }
    }

    /// Chunks that another thread decompresses, if there is one and it pays.
    pub fn ahead<'scope>(
        bytes: &'a [u8],
        allowance: &Allowance<'_>,
        scope: &'scope Scope<'scope, 'a>,
    ) -> Self {
        let is_compressed = Compression::of_content(bytes) != Compression::None;
        if !is_compressed || allowance.control().threads < 2 || bytes.len() < WORTH_A_THREAD {
            return Self::new(bytes, allowance);
        }
        let (give, take) = sync_channel(AHEAD);
        let (give_back, empty) = channel();
        (0..AHEAD).for_each(|_| give_back.send(Vec::new()).expect("the other end is here"));
        let decompressor = Decompressor::new(bytes, allowance);
        scope.spawn(move || decompress(decompressor, &give, &empty));
        Chunks { source: Source::Ahead(take, give_back), buffer: Vec::new(), at: 0 }
    }

    /// The next bytes: at least one and at most as many as asked for, all of one chunk. Empty at the end.
    pub fn next(&mut self, most: usize) -> io::Result<&[u8]> {
        let chunk = match self.source {
            Source::File(bytes) => &bytes[..bytes.len().min((self.at / CHUNK + 1) * CHUNK)],
            _ => {
                if self.at == self.buffer.len() {
                    self.refill()?;
                }
                &self.buffer[..]
            }
        };
        let from = self.at;
        self.at = chunk.len().min(from.saturating_add(most));
        Ok(&chunk[from..self.at])
    }

    fn refill(&mut self) -> io::Result<()> {
        self.at = 0;
        match &mut self.source {
            Source::File(_) => {}
            Source::Here(reader) => {
                self.buffer.resize(CHUNK, 0);
                let (read, error) = fill(reader, &mut self.buffer);
                self.buffer.truncate(read);
                if let (0, Some(error)) = (read, error) {
                    return Err(error);
                }
            }
            Source::Ahead(full, empty) => {
                // If the other thread has ended, the buffer is not needed.
                let _ = empty.send(std::mem::take(&mut self.buffer));
                self.buffer = full.recv().unwrap_or_else(|_| Ok(Vec::new()))?;
            }
        }
        Ok(())
    }
}

/// Fills chunks until the data ends or the receiver is gone.
fn decompress(
    mut reader: Decompressor<'_>,
    full: &SyncSender<io::Result<Vec<u8>>>,
    empty: &Receiver<Vec<u8>>,
) {
    while let Ok(mut chunk) = empty.recv() {
        chunk.resize(CHUNK, 0);
        let (read, error) = fill(&mut reader, &mut chunk);
        chunk.truncate(read);
        let is_last = read < CHUNK;
        if full.send(Ok(chunk)).is_err() {
            return;
        }
        if let Some(error) = error {
            let _ = full.send(Err(error));
        }
        if is_last {
            return;
        }
    }
}

/// Fills a buffer as far as there are bytes. Gives their number, and the error that came after them, if any.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (length, Some(error)),
        }
    }
    (length, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use volvelle_control::Control;

    fn all(mut chunks: Chunks<'_>, most: usize) -> Result<Vec<u8>, io::ErrorKind> {
        let mut bytes = Vec::new();
        let mut only_chunks = true;
        loop {
            let next = chunks.next(most).map_err(|error| error.kind())?;
            assert!(next.len() <= most);
            if next.is_empty() {
                return Ok(bytes);
            }
            assert!(only_chunks || most < CHUNK, "a chunk before the last is not whole");
            only_chunks = next.len() == CHUNK;
            bytes.extend_from_slice(next);
        }
    }

    /// Bytes that do not compress well: the packed file is worth a thread.
    fn noise() -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..3_000_000).map(|_| next()).collect()
    }

    #[test]
    fn the_same_bytes_by_every_way() {
        let text = noise();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(packed.len() > WORTH_A_THREAD);
        for threads in [1, 2] {
            let control = Control { threads, ..Control::unlimited() };
            let allowance = Allowance::new(&control);
            for bytes in [&text, &packed] {
                for most in [usize::MAX, 1000] {
                    assert!(all(Chunks::new(bytes, &allowance), most).unwrap() == text);
                    let ahead =
                        std::thread::scope(|scope| all(Chunks::ahead(bytes, &allowance, scope), most));
                    assert!(ahead.unwrap() == text);
                }
            }
            // A reader that stops early does not wait for the rest.
            std::thread::scope(|scope| {
                let mut chunks = Chunks::ahead(&packed, &allowance, scope);
                assert_eq!(chunks.next(3).unwrap(), &text[..3]);
            });
            let cut = &packed[..packed.len() - 100_000];
            let ended = std::thread::scope(|scope| all(Chunks::ahead(cut, &allowance, scope), usize::MAX));
            assert_eq!(ended, Err(io::ErrorKind::UnexpectedEof));
            assert_eq!(all(Chunks::new(cut, &allowance), usize::MAX), Err(io::ErrorKind::UnexpectedEof));
        }
    }
}

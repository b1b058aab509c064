//! Decompression: as a stream, or of a whole file within the memory that may be taken.

use crate::allowance::{Allowance, stopped};
use crate::finding::{Finding, Place};
use crate::format::Compression;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::borrow::Cow;
use std::io::{self, Read};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::codes;

/// Bytes of one deflate stream that one compressed byte can stand for, at most: a block of 258 bytes takes two bits.
const DEFLATE_RATIO: u64 = 1032;

/// A file being decompressed.
pub enum Decompressor<'a> {
    /// Not compressed.
    Plain(&'a [u8]),
    /// gzip.
    Gzip(Box<MultiGzDecoder<&'a [u8]>>),
    /// xz.
    Xz(Box<XzReader<&'a [u8]>>),
    /// Zstandard.
    Zstd(Box<Zstd<&'a [u8]>>),
    /// The beginning is no compressed data: the error, until it was told.
    Damaged(Option<io::Error>),
}

/// Bytes of the largest window that Zstandard's own tool accepts without being told to.
const LARGEST_WINDOW: u64 = 128 << 20;

/// A Zstandard decoder.
type Zstd<R> = StreamingDecoder<R, FrameDecoder>;

/// A Zstandard decoder whose window, the text that it refers back to, takes no more than some bytes.
fn zstd<R: Read>(reader: R, most: u64) -> io::Result<Zstd<R>> {
    let most = most.min(LARGEST_WINDOW);
    StreamingDecoder::new_with_max_window_size(reader, most).map_err(io::Error::other)
}

impl<'a> Decompressor<'a> {
    /// Decompresses what the first bytes tell. Dictionaries stay within the allowance.
    pub fn new(bytes: &'a [u8], allowance: &Allowance<'_>) -> Self {
        match Compression::of_content(bytes) {
            Compression::None => Decompressor::Plain(bytes),
            Compression::Gzip => Decompressor::Gzip(Box::new(MultiGzDecoder::new(bytes))),
            Compression::Xz => {
                let limit_kib = u32::try_from(allowance.left_bytes() / 1024).unwrap_or(u32::MAX);
                Decompressor::Xz(Box::new(XzReader::new_mem_limit(bytes, true, limit_kib)))
            }
            Compression::Zstd => match zstd(bytes, allowance.left_bytes()) {
                Ok(decoder) => Decompressor::Zstd(Box::new(decoder)),
                Err(error) => Decompressor::Damaged(Some(error)),
            },
        }
    }

    /// An upper bound of the bytes that `bytes` decompress to; `u64::MAX` where there is none.
    pub fn longest(bytes: &[u8]) -> u64 {
        match Compression::of_content(bytes) {
            Compression::None => bytes.len() as u64,
            Compression::Gzip => (bytes.len() as u64).saturating_mul(DEFLATE_RATIO),
            Compression::Xz | Compression::Zstd => u64::MAX,
        }
    }
}

impl Read for Decompressor<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decompressor::Plain(reader) => reader.read(buffer),
            Decompressor::Gzip(reader) => reader.read(buffer),
            Decompressor::Xz(reader) => reader.read(buffer),
            Decompressor::Zstd(reader) => reader.read(buffer),
            Decompressor::Damaged(error) => match error.take() {
                Some(error) => Err(error),
                None => Ok(0),
            },
        }
    }
}

/// What a stream decompresses to, as its first bytes tell.
pub fn stream<'a>(mut reader: impl Read + 'a, control: &Control<'_>) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::new();
    reader.by_ref().take(6).read_to_end(&mut head)?;
    let compression = Compression::of_content(&head);
    let whole = io::Cursor::new(head).chain(reader);
    let most = control.limits.memory_bytes.unwrap_or(u64::MAX);
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        Compression::Xz => {
            let limit_kib = u32::try_from(most / 1024).unwrap_or(u32::MAX);
            Box::new(XzReader::new_mem_limit(whole, true, limit_kib))
        }
        Compression::Zstd => Box::new(zstd(whole, most)?),
    })
}

/// The finding for a stream that cannot be decompressed.
pub fn damaged(file: &str, error: &io::Error) -> Finding {
    if error.kind() == io::ErrorKind::OutOfMemory {
        return stopped(Stop::Memory).at(Place::File(file.to_owned()));
    }
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends early".to_owned(),
        _ => format!("the compressed data is damaged: {error}"),
    };
    Finding::error(codes::EXPLICIT_ARCHIVE, message)
        .at(Place::File(file.to_owned()))
        .help("copy or export the file again")
}

/// Bytes decompressed between two looks at limits.
const PIECE: usize = 1 << 20;

/// A whole file, decompressed. The bytes count against the allowance.
pub fn whole<'a>(file: &str, bytes: &'a [u8], allowance: &Allowance<'_>) -> Result<Cow<'a, [u8]>, Finding> {
    if Compression::of_content(bytes) == Compression::None {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut reader = Decompressor::new(bytes, allowance);
    let mut text: Vec<u8> = Vec::new();
    let mut length = 0;
    loop {
        allowance.check()?;
        if text.len() - length < PIECE {
            // Doubles, so that bytes are moved a few times only.
            let more = text.len().max(PIECE);
            allowance.take(more as u64)?;
            text.try_reserve_exact(more).map_err(|_| stopped(Stop::Memory))?;
            text.resize(text.len() + more, 0);
        }
        match reader.read(&mut text[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(damaged(file, &error)),
        }
    }
    allowance.give_back((text.len() - length) as u64);
    text.truncate(length);
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use volvelle_control::{Control, Limits};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_was_compressed() {
        let text: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        let control = Control::unlimited();
        let allowance = Allowance::new(&control);
        let packed = gzip(&text);
        assert!(packed.len() < text.len() / 10);
        assert_eq!(whole("f", &packed, &allowance).unwrap(), text);
        assert_eq!(whole("f", &text, &allowance).unwrap(), text);
        let cut = whole("f", &packed[..packed.len() / 2], &allowance).unwrap_err();
        assert_eq!(cut.code, codes::EXPLICIT_ARCHIVE);
        let mut wrong = packed.clone();
        let end = wrong.len() - 6;
        wrong[end] ^= 1;
        assert_eq!(whole("f", &wrong, &allowance).unwrap_err().code, codes::EXPLICIT_ARCHIVE);
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert!(bomb.len() < 1 << 20);
        let limits = Limits { memory_bytes: Some(8 << 20), ..Limits::default() };
        let control = Control { limits, ..Control::unlimited() };
        let allowance = Allowance::new(&control);
        assert_eq!(whole("f", &bomb, &allowance).unwrap_err().code, codes::MEMORY_LIMIT);
    }

    #[test]
    fn xz_of_nothing_sensible() {
        let control = Control::unlimited();
        let allowance = Allowance::new(&control);
        let wrong = [0xfd, b'7', b'z', b'X', b'Z', 0, 1, 2, 3];
        assert_eq!(whole("f", &wrong, &allowance).unwrap_err().code, codes::EXPLICIT_ARCHIVE);
    }
}

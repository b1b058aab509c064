//! The parts of a trace: compressed bytes with their length and a checksum.
//!
//! A trace begins with eight bytes that tell the form and its version. Each part has a head: the bytes that follow, the bytes that they are when
//! decompressed, and a checksum over both numbers and the former. The last part is empty when decompressed, and says how many instructions there are.

use super::input::Input;
use super::troubles::damaged;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};
use volvelle_instructions::Failure;

/// What a trace begins with.
pub(super) const MAGIC: &[u8; 8] = b"VOLVTRC\x01";
/// Bytes of a part at most, compressed or not.
pub(super) const MOST_BYTES: u32 = 1 << 24;

/// FNV-1a over bytes, eight at a time.
fn checksum(lengths: [u32; 2], bytes: &[u8]) -> u64 {
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(1_099_511_628_211).rotate_left(23);
    let mut hash = mix(14_695_981_039_346_656_037, u64::from(lengths[0]) << 32 | u64::from(lengths[1]));
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        hash = mix(hash, u64::from_le_bytes(chunk.try_into().expect("eight bytes")));
    }
    chunks.remainder().iter().fold(hash, |hash, &byte| mix(hash, byte.into()))
}

/// Adds a part.
pub(super) fn put(content: &[u8], to: &mut Vec<u8>) {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(3));
    encoder.write_all(content).expect("writing to memory");
    let compressed = encoder.finish().expect("writing to memory");
    put_raw(content.len() as u32, &compressed, to);
}

/// Adds the last part.
pub(super) fn put_end(instructions: u64, to: &mut Vec<u8>) {
    put_raw(0, &instructions.to_le_bytes(), to);
}

fn put_raw(length: u32, compressed: &[u8], to: &mut Vec<u8>) {
    let lengths = [compressed.len() as u32, length];
    to.extend(lengths[0].to_le_bytes());
    to.extend(lengths[1].to_le_bytes());
    to.extend(checksum(lengths, compressed).to_le_bytes());
    to.extend_from_slice(compressed);
}

/// A part, or the number of instructions if it is the last one.
pub(super) enum Part {
    Content(Vec<u8>),
    End(u64),
}

pub(super) fn read<R: Read>(input: &mut Input<R>) -> Result<Part, Failure> {
    let mut head = [0; 16];
    input.fill(&mut head)?;
    let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
    let lengths = [word(0), word(4)];
    let sum = u64::from_le_bytes(head[8..].try_into().expect("eight bytes"));
    if lengths.iter().any(|&length| length > MOST_BYTES) {
        return Err(damaged("a part is longer than any may be", input.instructions));
    }
    let compressed = input.bytes(lengths[0] as usize)?;
    if checksum(lengths, &compressed) != sum {
        return Err(damaged("a checksum is wrong", input.instructions));
    }
    if lengths[1] == 0 {
        let count = compressed.try_into().map_err(|_| damaged("its end is no end", input.instructions))?;
        return Ok(Part::End(u64::from_le_bytes(count)));
    }
    let mut content = Vec::new();
    let limit = u64::from(lengths[1]) + 1;
    let read = DeflateDecoder::new(compressed.as_slice()).take(limit).read_to_end(&mut content);
    if read.is_err() || content.len() != lengths[1] as usize {
        return Err(damaged("a part cannot be decompressed", input.instructions));
    }
    Ok(Part::Content(content))
}

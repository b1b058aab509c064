//! Parts as bytes, and back.
//!
//! A line `volvelle part 1`; the length of the header and the header, which is JSON; the length of the rest and the rest,
//! compressed; and the SHA-256 of everything before it, so that a file that was cut short or damaged is known as such. Whoever looks
//! into a part sees in its header what it is a part of.

use crate::bytes::{Damaged, Reader, put, put_bytes};
use crate::part::{Body, Identity, Part, PointRecord};
use crate::section::Section;
use crate::shard::Shard;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::time::Duration;
use volvelle_simulate::blocks::{BlockRecord, Column, Values};
use volvelle_statistics::Moments;

/// The first line of every part; the number grows with the format.
const FIRST_LINE: &[u8] = b"volvelle part 1\n";
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 32;
/// Deflate makes of a byte at most this many.
const MOST_EXPANSION: u64 = 1040;

/// What the header says.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    identity: Identity,
    shard: Shard,
    round: u64,
    /// Whether everything of the share is there.
    complete: bool,
    /// Bytes of the rest before it was compressed.
    bytes: u64,
}

/// The bytes of a part.
pub fn write(part: &Part) -> Vec<u8> {
    let body = body_bytes(part);
    let header = Header {
        identity: part.identity.clone(),
        shard: part.shard,
        round: part.round,
        complete: part.is_complete(),
        bytes: body.len() as u64,
    };
    sealed(&serde_json::to_vec(&header).unwrap_or_default(), &body)
}

/// A file of a header and of what is compressed, with its checksum, whatever they are.
pub fn sealed(header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(body);
    let compressed = encoder.finish().unwrap_or_default();
    let mut bytes = FIRST_LINE.to_vec();
    put_bytes(&mut bytes, header);
    put_bytes(&mut bytes, &compressed);
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

/// What is compressed of a part: the contents of its files, and what was computed.
fn body_bytes(part: &Part) -> Vec<u8> {
    let mut body = Vec::new();
    for file in &part.identity.files {
        match &file.contents {
            None => body.push(0),
            Some(contents) => {
                body.push(1);
                put_bytes(&mut body, contents);
            }
        }
    }
    match &part.body {
        Body::Paths(sections) => {
            body.push(0);
            put(&mut body, sections.len() as u64);
            sections.iter().for_each(|section| put_section(&mut body, section));
        }
        Body::Points(points, complete) => {
            body.extend([1, u8::from(*complete)]);
            put(&mut body, points.len() as u64);
            for point in points {
                put(&mut body, point.point);
                put_bytes(&mut body, &point.answers);
            }
        }
    }
    body
}

/// A part of its bytes.
///
/// # Errors
/// They are no part, or are damaged.
pub fn read(bytes: &[u8]) -> Result<Part, Damaged> {
    let (all, checksum) = bytes.split_at_checked(bytes.len().saturating_sub(CHECKSUM)).ok_or(Damaged)?;
    if !all.starts_with(FIRST_LINE) || Sha256::digest(all).as_slice() != checksum {
        return Err(Damaged);
    }
    let mut reader = Reader::new(&all[FIRST_LINE.len()..]);
    let header: Header = serde_json::from_slice(reader.bytes()?).map_err(|_| Damaged)?;
    let compressed = reader.bytes()?;
    if reader.left() > 0 || header.bytes > MOST_EXPANSION * (compressed.len() as u64 + 1) {
        return Err(Damaged);
    }
    let mut body = Vec::new();
    let mut decoder = DeflateDecoder::new(compressed).take(header.bytes + 1);
    decoder.read_to_end(&mut body).map_err(|_| Damaged)?;
    if body.len() as u64 != header.bytes {
        return Err(Damaged);
    }
    part(header, &body)
}

/// A part of its header and of what was compressed.
fn part(header: Header, body: &[u8]) -> Result<Part, Damaged> {
    if !header.shard.is_valid() || header.round == 0 {
        return Err(Damaged);
    }
    let mut reader = Reader::new(body);
    let mut identity = header.identity;
    for file in &mut identity.files {
        file.contents = match reader.take(1)? {
            [0] => None,
            [1] => Some(reader.bytes()?.to_vec()),
            _ => return Err(Damaged),
        };
    }
    let body = match reader.take(1)? {
        [0] => {
            let count = reader.count(1)?;
            let sections = (0..count).map(|_| section(&mut reader, header.shard));
            Body::Paths(sections.collect::<Result<_, _>>()?)
        }
        [1] => {
            let complete = reader.take(1)? == [1];
            let count = reader.count(2)?;
            let point = |reader: &mut Reader<'_>| {
                Ok(PointRecord { point: reader.number()?, answers: reader.bytes()?.to_vec() })
            };
            Body::Points((0..count).map(|_| point(&mut reader)).collect::<Result<_, _>>()?, complete)
        }
        _ => return Err(Damaged),
    };
    let part = Part { identity, shard: header.shard, round: header.round, body };
    if reader.left() > 0 || part.is_complete() != header.complete {
        return Err(Damaged);
    }
    Ok(part)
}

fn put_section(bytes: &mut Vec<u8>, section: &Section) {
    put(bytes, section.round.start);
    put(bytes, section.round.end);
    put_bytes(bytes, section.tier.as_bytes());
    put(bytes, section.time.as_micros() as u64);
    let record = &section.record;
    put(bytes, record.first_block());
    put(bytes, record.last_paths());
    bytes.push(u8::from(record.has_failed()));
    put(bytes, record.steps().len() as u64);
    record.steps().iter().for_each(|&steps| put(bytes, steps));
    put(bytes, record.columns().len() as u64);
    for Column { values, undecided } in record.columns() {
        match undecided {
            None => bytes.push(0),
            Some(path) => {
                bytes.push(1);
                put(bytes, *path);
            }
        }
        match values {
            Values::Successes(all) => {
                bytes.push(0);
                put(bytes, all.len() as u64);
                all.iter().for_each(|&count| put(bytes, count.into()));
            }
            Values::Moments(all) => {
                bytes.push(1);
                put(bytes, all.len() as u64);
                for (moments, infinite) in all {
                    put(bytes, moments.count());
                    put(bytes, (*infinite).into());
                    moments.parts().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
                }
            }
        }
    }
}

fn section(reader: &mut Reader<'_>, shard: Shard) -> Result<Section, Damaged> {
    let round = reader.number()?..reader.number()?;
    if round.start > round.end || round.start % volvelle_simulate::summary::BLOCK != 0 {
        return Err(Damaged);
    }
    let tier = reader.text()?;
    let time = Duration::from_micros(reader.number()?);
    let (first, last) = (reader.number()?, reader.number()?);
    let failed = reader.take(1)? == [1];
    let blocks = reader.count(1)?;
    let steps = (0..blocks).map(|_| reader.number()).collect::<Result<Vec<u64>, _>>()?;
    let columns = reader.count(3)?;
    let columns = (0..columns).map(|_| column(reader)).collect::<Result<Vec<Column>, _>>()?;
    let record = BlockRecord::of_parts(first, steps, last, columns, failed).map_err(|_| Damaged)?;
    let share = Section::share_of(shard, &round);
    let (paths, start) = (record.paths(), share.start);
    if paths.start != start || paths.end > share.end {
        return Err(Damaged);
    }
    Ok(Section { round, share, record, tier, time })
}

fn column(reader: &mut Reader<'_>) -> Result<Column, Damaged> {
    let undecided = match reader.take(1)? {
        [0] => None,
        [1] => Some(reader.number()?),
        _ => return Err(Damaged),
    };
    let count = |reader: &mut Reader<'_>| u16::try_from(reader.number()?).map_err(|_| Damaged);
    let values = match reader.take(1)? {
        [0] => {
            let blocks = reader.count(1)?;
            Values::Successes((0..blocks).map(|_| count(reader)).collect::<Result<_, _>>()?)
        }
        [1] => {
            let blocks = reader.count(34)?;
            let moments = |reader: &mut Reader<'_>| {
                let (finite, infinite) = (reader.number()?, count(reader)?);
                let [mean, squares, min, max] =
                    [reader.double()?, reader.double()?, reader.double()?, reader.double()?];
                Ok((Moments::as_pushed(finite, mean, squares, min, max), infinite))
            };
            Values::Moments((0..blocks).map(|_| moments(reader)).collect::<Result<_, _>>()?)
        }
        _ => return Err(Damaged),
    };
    Ok(Column { values, undecided })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::PackedFile;
    use volvelle_random::Random;
    use volvelle_simulate::sample::{Sampled, Summary};
    use volvelle_statistics::Tally;

    /// A part with two measures and three blocks.
    fn sample(random: &mut Random) -> Part {
        let shard = Shard { number: 2, of: 3 };
        let round = 0..9 * 256;
        let share = Section::share_of(shard, &round);
        let mut record = BlockRecord::new(share.start / 256, &[true, false]);
        for block in 1..=3 {
            let mut moments = Moments::new();
            (0..200).for_each(|_| moments.push(random.below(50) as f64));
            let summaries = vec![
                Summary::Tally(Tally::new(random.below(257) as u64, 256).unwrap()),
                Summary::Moments { moments, infinite: 56 },
            ];
            let end = share.start + 256 * block;
            record.push(&Sampled { paths: 256, end, steps: random.below(9999) as u64, summaries }, &[0, 1]);
        }
        let tier = "vector".to_owned();
        let section = Section { round, share, record, tier, time: Duration::from_millis(3) };
        let file = PackedFile { path: "m".to_owned(), sha256: "0".to_owned(), contents: Some(vec![1, 2]) };
        let identity = Identity { version: "1".to_owned(), arguments: Vec::new(), files: vec![file] };
        Part { identity, shard, round: 1, body: Body::Paths(vec![section]) }
    }

    /// Changed bytes behind the compression and the checksum: nothing panics, and what is accepted is a part that can be written.
    #[test]
    fn bodies_of_any_bytes() {
        let mut random = Random(5);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let whole = sample(&mut random);
            let mut body = body_bytes(&whole);
            match random.below(4) {
                0 => body.truncate(random.below(body.len())),
                1 => body.push(random.below(256) as u8),
                _ => {
                    for _ in 0..1 + random.below(3) {
                        let place = random.below(body.len());
                        body[place] = random.below(256) as u8;
                    }
                }
            }
            let Part { identity, shard, round, .. } = whole;
            let header = Header { identity, shard, round, complete: random.one_in(2), bytes: 0 };
            match part(header, &body) {
                Ok(found) => {
                    accepted += 1;
                    // Bits, since numbers may be NaN.
                    let again = read(&write(&found)).expect("what was written");
                    assert_eq!(body_bytes(&again), body_bytes(&found));
                }
                Err(Damaged) => refused += 1,
            }
        }
        assert!(accepted > 500 && refused > 500, "{accepted} and {refused}");
    }
}

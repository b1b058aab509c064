//! Archives whose headers lie.

use super::{load, refusal};
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_explicit::{Compression, Format, WriteOptions, write};

/// A block of a tar archive.
const BLOCK: usize = 512;

/// An archive that is legal.
fn archive() -> Vec<u8> {
    let model = load("m.tra", b"3 4\n0 1 0.5\n0 2 0.5\n1 1 1\n2 0 1\n").unwrap();
    let mut out = Vec::new();
    write(&model, Format::Umb, Compression::None, &WriteOptions::default(), &mut out, &Control::unlimited())
        .unwrap();
    out
}

/// Where the headers are: name, offset, bytes of the member.
fn members(archive: &[u8]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while archive[at] != 0 {
        let text = |range: std::ops::Range<usize>| {
            String::from_utf8_lossy(&archive[range]).trim_end_matches('\0').to_owned()
        };
        let size = usize::from_str_radix(&text(at + 124..at + 136), 8).unwrap();
        found.push((text(at..at + 100), at, size));
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    found
}

/// Changes a header and makes its checksum right.
fn with_header(archive: &[u8], at: usize, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut archive = archive.to_vec();
    let header = &mut archive[at..at + BLOCK];
    change(header);
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    archive
}

#[test]
fn sizes_that_lie() {
    let archive = archive();
    assert!(load("m.umb", &archive).is_ok());
    for (name, at, size) in members(&archive) {
        let octal = |size: usize| format!("{size:011o}\0").into_bytes();
        let mut sizes =
            vec![octal(size + 1), octal(size + 8), octal(size + 4096), octal(size.saturating_sub(1))];
        sizes.push(b"77777777777\0".to_vec());
        sizes.push(b"9\0\0\0\0\0\0\0\0\0\0\0".to_vec());
        sizes.push([&[0x80, 0, 0, 0][..], &u64::MAX.to_be_bytes()].concat());
        sizes.push(vec![0xff; 12]);
        for lie in sizes.into_iter().filter(|lie| *lie != octal(size)) {
            let changed = with_header(&archive, at, |header| header[124..136].copy_from_slice(&lie));
            // The last byte of the index ends its last line.
            let is_line_end = name == "index.json" && lie == octal(size - 1);
            assert_eq!(load("m.umb", &changed).is_ok(), is_line_end, "{name}: {lie:?}");
        }
    }
}

#[test]
fn cut_anywhere_and_checksums() {
    let archive = archive();
    let starts: Vec<usize> = members(&archive).iter().map(|&(_, at, _)| at).collect();
    for end in (0..archive.len() - 2 * BLOCK).step_by(37).chain(starts.iter().copied()) {
        assert!(load("m.umb", &archive[..end]).is_err(), "{end}");
    }
    for at in starts {
        let mut changed = archive.clone();
        changed[at + 20] ^= 1;
        assert_eq!(refusal("m.umb", &changed).0, codes::EXPLICIT_ARCHIVE);
    }
}

#[test]
fn members_that_are_no_files() {
    let archive = archive();
    let (_, at, _) = members(&archive)[1].clone();
    for kind in *b"123467SVZ" {
        let changed = with_header(&archive, at, |header| header[156] = kind);
        let is_legal = kind == b'7';
        assert_eq!(load("m.umb", &changed).is_ok(), is_legal, "{}", kind as char);
    }
    for name in ["/etc/passwd", "../up", "a/../../b", "a\\b"] {
        let changed = with_header(&archive, at, |header| {
            header[..100].fill(0);
            header[..name.len()].copy_from_slice(name.as_bytes());
        });
        assert_eq!(refusal("m.umb", &changed).0, codes::EXPLICIT_ARCHIVE, "{name}");
    }
    // A name that is longer than any, and one that is not text.
    let long = with_header(&archive, at, |header| header[156] = b'L');
    assert!(load("m.umb", &long).is_err());
    let binary = with_header(&archive, at, |header| header[0] = 0xff);
    assert_eq!(refusal("m.umb", &binary).0, codes::EXPLICIT_ARCHIVE);
}

#[test]
fn a_member_twice() {
    let archive = archive();
    for (name, at, size) in members(&archive) {
        let end = at + BLOCK + size.next_multiple_of(BLOCK);
        let twice = [&archive[..end], &archive[at..]].concat();
        assert_eq!(refusal("m.umb", &twice).0, codes::EXPLICIT_ARCHIVE, "{name}");
        // Without it, arrays and counts disagree, or the kind is another one that is legal by itself.
        let without = [&archive[..at], &archive[end..]].concat();
        if name == "index.json" {
            assert_eq!(refusal("m.umb", &without).0, codes::EXPLICIT_INDEX);
        } else if let Ok(model) = load("m.umb", &without) {
            assert_ne!(model, load("m.umb", &archive).unwrap(), "{name}");
        }
    }
}

/// Arrays with numbers that are none, and places that there are not.
#[test]
fn entries_that_lie() {
    let archive = archive();
    let offset = |wanted: &str| {
        let (_, at, size) = members(&archive).into_iter().find(|(name, ..)| name == wanted).unwrap();
        (at + BLOCK, size)
    };
    let with = |member: &str, entry: usize, bytes: [u8; 8]| {
        let mut changed = archive.clone();
        let (at, size) = offset(member);
        assert!(8 * entry < size);
        changed[at + 8 * entry..at + 8 * entry + 8].copy_from_slice(&bytes);
        refusal("m.umb", &changed).0
    };
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, -f64::MIN_POSITIVE] {
        assert_eq!(with("branch-to-probability.bin", 0, number.to_le_bytes()), codes::EXPLICIT_NUMBER);
    }
    for number in [0.0, 0.4, 2.0, f64::MAX, f64::MIN_POSITIVE] {
        assert_eq!(with("branch-to-probability.bin", 0, number.to_le_bytes()), codes::EXPLICIT_SUM);
    }
    for target in [3, u64::from(u32::MAX), 1 << 32, u64::MAX] {
        assert_eq!(with("branch-to-target.bin", 3, target.to_le_bytes()), codes::EXPLICIT_RANGE);
    }
    for start in [1, 5, 1 << 32, u64::MAX] {
        assert_eq!(with("choice-to-branches.bin", 0, start.to_le_bytes()), codes::EXPLICIT_RANGE);
        let code = with("choice-to-branches.bin", 3, start.to_le_bytes());
        assert!([codes::EXPLICIT_RANGE, codes::EXPLICIT_COUNT].contains(&code));
    }
    // Bits behind the last state.
    assert_eq!(with("state-is-initial.bin", 0, 9u64.to_le_bytes()), codes::EXPLICIT_RANGE);
    assert_eq!(with("state-is-initial.bin", 0, [0; 8]), codes::EXPLICIT_COUNT);
}

/// An index that is deeper than any has reason to be.
#[test]
fn an_index_as_deep_as_it_is_long() {
    let archive = archive();
    let (_, at, size) = members(&archive)[0].clone();
    let deep = "[".repeat(100_000);
    let mut changed = with_header(&archive, at, |header| {
        header[124..136].copy_from_slice(format!("{:011o}\0", deep.len()).as_bytes());
    });
    let body = at + BLOCK;
    let padding = deep.len().next_multiple_of(BLOCK) - deep.len();
    let padded = [deep.as_bytes(), &vec![0; padding]].concat();
    changed.splice(body..body + size.next_multiple_of(BLOCK), padded);
    assert_eq!(refusal("m.umb", &changed).0, codes::EXPLICIT_INDEX);
}

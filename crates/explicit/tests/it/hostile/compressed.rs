//! Compressed files: damaged, padded, in several members, and bombs.

use super::{CHAIN, load, refusal};
use std::io::Write;
use volvelle_diagnostics::codes;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0)).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

#[test]
fn several_members_are_one_file() {
    let expected = load("m.tra", CHAIN.as_bytes()).unwrap();
    for at in [0, 1, 7, CHAIN.len()] {
        let (front, back) = CHAIN.as_bytes().split_at(at);
        for packed in [[gzip(front), gzip(back)].concat(), [xz(front), xz(back)].concat()] {
            assert_eq!(load("m.tra.gz", &packed).as_ref(), Ok(&expected), "{at}");
        }
    }
}

#[test]
fn bytes_behind_the_end() {
    for packed in [gzip(CHAIN.as_bytes()), xz(CHAIN.as_bytes())] {
        for tail in [&b"x"[..], b"more bytes than a header has: no second member begins here", &packed[..5]] {
            let (code, message) = refusal("m.tra.gz", &[&packed, tail].concat());
            assert_eq!(code, codes::EXPLICIT_ARCHIVE, "{message}");
        }
    }
}

/// Every byte counts: files that are cut, and files with another bit.
#[test]
fn damaged_anywhere() {
    for packed in [gzip(CHAIN.as_bytes()), xz(CHAIN.as_bytes())] {
        for end in 6..packed.len() {
            assert_eq!(refusal("m.tra.gz", &packed[..end]).0, codes::EXPLICIT_ARCHIVE, "{end}");
        }
        let expected = load("m.tra", CHAIN.as_bytes()).unwrap();
        for at in 0..packed.len() {
            for bit in 0..8 {
                let mut damaged = packed.clone();
                damaged[at] ^= 1 << bit;
                // Some bits say nothing about the content: the time in a header, those behind the last code.
                if let Ok(model) = load("m.tra", &damaged) {
                    assert_eq!(model, expected, "{at} {bit}");
                }
            }
        }
    }
}

#[test]
fn bombs() {
    let zeros = vec![b'0'; 64 << 20];
    for packed in [gzip(&zeros), xz(&zeros)] {
        assert!(packed.len() < 1 << 20);
        for name in ["m.tra.gz", "m.drn.gz", "m.aut.xz"] {
            assert_eq!(refusal(name, &packed).0, codes::MEMORY_LIMIT, "{name}");
        }
        // An archive is read piece by piece.
        assert!(load("m.umb", &packed).is_err());
    }
    // A bomb in a bomb is not unpacked a second time.
    assert!(load("m.tra.gz", &gzip(&gzip(&zeros))).is_err());
}

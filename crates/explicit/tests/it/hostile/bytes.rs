//! What editors, other systems and broken copies do to a text.

use super::{AUT, CHAIN, DRN, load, refusal};
use volvelle_diagnostics::codes;

const TEXTS: [(&str, &str); 3] = [("m.tra", CHAIN), ("m.drn", DRN), ("m.aut", AUT)];

#[test]
fn other_line_ends() {
    for (name, text) in TEXTS {
        let expected = load(name, text.as_bytes()).unwrap();
        let without_last = text.trim_end_matches('\n').to_owned();
        for text in
            [text.replace('\n', "\r\n"), text.replace('\n', " \n"), without_last, format!("{text}\n\n  \n")]
        {
            assert_eq!(load(name, text.as_bytes()).as_ref(), Ok(&expected), "{text:?}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for (name, text) in TEXTS {
        let marked = format!("\u{feff}{text}");
        let expected = load(name, text.as_bytes()).unwrap();
        for name in [name, "model"] {
            assert_eq!(load(name, marked.as_bytes()).as_ref(), Ok(&expected), "{text}");
        }
        // Text of 16 bits is not read.
        let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(refusal(name, &wide).0, codes::NOT_UTF8);
    }
}

/// At the beginning, and where another thread reads.
#[test]
fn bytes_that_are_no_text() {
    let mut long = String::from("200000 200000\n");
    (0..200_000).for_each(|state| long += &format!("{state} {state} 1\n"));
    for (name, text) in TEXTS.into_iter().chain([("m.tra", long.as_str())]) {
        for (at, byte) in [(1, 0xff), (text.len() - 2, 0xc3), (text.len() / 2, 0x80)] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            let (code, message) = refusal(name, &bytes);
            assert_eq!(code, codes::NOT_UTF8, "{message}");
            assert!(message.contains(&format!("{byte:#04x}")), "{message}");
        }
    }
    for bytes in [&b"\0\0\0\0"[..], &[0; 4096], b"\x7fELF", b"PK\x03\x04", b""] {
        for name in ["m.tra", "m.drn", "m.aut", "m.pexp", "m.umb", "model"] {
            assert!(load(name, bytes).is_err(), "{name} {bytes:?}");
        }
    }
}

/// A text that ends anywhere is refused, or is a whole text of its own.
#[test]
fn texts_that_end_anywhere() {
    for (name, text) in TEXTS {
        for end in 0..text.len() - 1 {
            match load(name, &text.as_bytes()[..end]) {
                // DRN does not say how many transitions there are: a state without any is a deadlock.
                Ok(model) => {
                    let is_whole = text[end..].trim().is_empty();
                    let is_deadlock = name == "m.drn" && model.deadlocks().contains(1);
                    assert!(is_whole || is_deadlock, "{name} {end}: {}", model.kind());
                }
                Err(finding) => assert!(!finding.message.is_empty()),
            }
        }
    }
}

#[test]
fn lines_twice_and_out_of_order() {
    let swapped = CHAIN.replace("1 1 1\n2 0 1\n", "2 0 1\n1 1 1\n");
    assert_eq!(refusal("m.tra", swapped.as_bytes()).0, codes::EXPLICIT_STRUCTURE);
    let twice = DRN.replace("state 1", "state 0");
    assert_eq!(refusal("m.drn", twice.as_bytes()).0, codes::EXPLICIT_STRUCTURE);
    let missing = DRN.replace("state 1", "state 2");
    assert_eq!(refusal("m.drn", missing.as_bytes()).0, codes::EXPLICIT_STRUCTURE);
    let twice = DRN.replace("@nr_states\n2\n", "@nr_states\n2\n@nr_states\n2\n");
    assert!(load("m.drn", twice.as_bytes()).is_err());
}

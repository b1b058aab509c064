//! Conditions and files of tuners: seeds and mutations of them, through the function that the fuzzer calls.

use std::path::Path;
use volvelle_oracles::tuning_text;
use volvelle_random::Random;

#[test]
fn texts_with_other_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/tuning_text");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("seeds").map(|e| e.expect("a file").path()).collect();
    files.sort();
    let words: Vec<&[u8]> = vec![
        b"WG",
        b"TS",
        b"how",
        b" and ",
        b" or not ",
        b" in [",
        b"**",
        b"//",
        b"%",
        b"<=",
        b"(",
        b"\"",
        b"1e999",
        b"-",
        b"{",
        b"null",
    ];
    let mut random = Random(17);
    for path in files {
        let text = std::fs::read(&path).expect("a seed");
        tuning_text(&text);
        for _ in 0..800 {
            let mut text = text.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(text.len());
                match random.below(4) {
                    0 => text[at] = b"0123[]{}()<>=*/%'\"., "[random.below(21)],
                    1 => drop(text.drain(at..(at + random.below(9)).min(text.len()))),
                    2 => drop(text.splice(at..at, words[random.below(words.len())].iter().copied())),
                    _ => text.truncate(at.max(1)),
                }
                if text.is_empty() {
                    text.push(b'1');
                }
            }
            tuning_text(&text);
        }
    }
}

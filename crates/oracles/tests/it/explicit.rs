//! Explicit models: generated ones and mutations of files, through the functions that the fuzzers call.

use std::path::Path;
use volvelle_oracles::{explicit_archive, explicit_round_trip, explicit_text};

/// Bytes that differ from seed to seed: xorshift64*.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let draw = |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    };
    (0..(seed % 300)).map(draw).collect()
}

#[test]
fn generated_models_survive_every_format() {
    (0..1500).for_each(|seed| explicit_round_trip(&bytes(seed)));
}

#[test]
fn archives_with_other_bytes() {
    (0..1500).for_each(|seed| explicit_archive(&bytes(seed)));
}

#[test]
fn texts_with_other_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/explicit_text");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("seeds").map(|e| e.expect("a file").path()).collect();
    files.sort();
    for path in files {
        let text = std::fs::read(&path).expect("a seed");
        explicit_text(&text);
        for seed in 0..150 {
            let draws = bytes(1000 + 7 * seed);
            let mut text = text.clone();
            for draw in draws.chunks_exact(4).take(1 + seed as usize % 4) {
                if text.is_empty() {
                    break;
                }
                let at = (usize::from(draw[0]) << 8 | usize::from(draw[1])) % text.len();
                match draw[2] % 4 {
                    0 => text[at] = draw[3],
                    1 => {
                        text.remove(at);
                    }
                    2 => text.insert(at, b"0123456789 -.\n\"/[]"[usize::from(draw[3]) % 18]),
                    _ => text.truncate(at + 1),
                }
            }
            if !text.is_empty() {
                explicit_text(&text);
            }
        }
    }
}

/// A state that is left at rate 0 has no transitions in a format of transitions.
#[test]
fn rates_of_zero() {
    let zeros = [0; 37];
    let chosen = [b"# \n0 1.5\n2_Rew".as_slice(), &zeros, b"ard te rewardq\n3 2\n0 1.5\n2__NOLABEL__ 1\n"];
    explicit_round_trip(&chosen.concat());
}

/// A group of annotations whose name has a capital letter.
#[test]
fn groups_with_capital_letters() {
    let chosen = b"# Reward structur\0\xc0\"\"\n#\x9dTransipotaarimetrics2 \n2\n0# Reward structure \"\"\n# Tra 1 n1.5";
    explicit_archive(chosen);
}

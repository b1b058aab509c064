//! The seeds of the fuzzers, and mutations of them, through the functions that the fuzzers call.

use std::path::{Path, PathBuf};
use volvelle_oracles::{
    explore_differential, instruction_words, kernel_text, labelled_text, lotos_front, mcl, network_text,
    opencl_front, prism_model, prism_properties, program_bytes, promela_front, snapshot_text, stream_text,
    trace_bytes, wctl_text, weighted_json, weighted_text,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below folders, by name, with those of some endings.
fn texts(folders: &[&str], endings: &[&str]) -> Vec<String> {
    let mut waiting: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if endings.contains(&ending.as_str()) {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no seeds in {folders:?}");
    files.iter().map(|path| std::fs::read_to_string(path).expect("seeds are texts")).collect()
}

/// Decisions of the mutations: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// Pieces of a text as long as a lexer would cut them, so that mutations stay near the language.
fn pieces(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for window in chars.windows(2) {
        let ((_, a), (at, b)) = (window[0], window[1]);
        if class(a) != class(b) || class(a) == 2 {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

const STRANGE: &[&str] =
    &["", "0", "-1", "2147483648", "1e400", "(", ")", "[", "\"", "'", "∞", "\u{0}", "min", ";;"];

/// A text with a few pieces removed, doubled, exchanged, or replaced by those of another text.
fn mutated(text: &str, other: &str, random: &mut Random) -> String {
    let mut all: Vec<&str> = pieces(text);
    let others = pieces(other);
    for _ in 0..1 + random.below(4) {
        let at = random.below(all.len());
        match random.below(6) {
            0 => all[at] = "",
            1 => all.insert(at, random.pick(STRANGE)),
            2 => all[at] = random.pick(&others),
            3 => all.insert(at, random.pick(&others)),
            4 => {
                let with = random.below(all.len());
                all.swap(at, with);
            }
            _ => all.truncate(at + 1),
        }
    }
    all.concat()
}

/// Every text, then `count` mutations of each.
fn each(texts: &[String], count: usize, check: impl Fn(&str)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for text in texts {
        check(text);
        for _ in 0..count {
            let other = random.below(texts.len());
            check(&mutated(text, &texts[other], &mut random));
        }
    }
}

const MODELS: &[&str] = &["prism", "sm", "pm", "nm"];

#[test]
fn models() {
    each(&texts(&["fuzz/seeds/prism_model", "examples/prism"], MODELS), 120, prism_model);
}

#[test]
fn properties() {
    each(
        &texts(&["fuzz/seeds/prism_properties", "examples/prism"], &["props", "pctl", "csl"]),
        120,
        prism_properties,
    );
}

#[test]
fn lotos() {
    each(&texts(&["fuzz/seeds/lotos_front", "crates/oracles/tests/lotos"], &["lotos"]), 100, lotos_front);
}

#[test]
fn promela() {
    each(&texts(&["fuzz/seeds/promela_front"], &["pml"]), 120, promela_front);
}

#[test]
fn formulas() {
    each(&texts(&["fuzz/seeds/mcl"], &["mcl"]), 300, mcl);
}

#[test]
fn labelled() {
    each(&texts(&["fuzz/seeds/labelled_text"], &["aut"]), 40, |text| labelled_text(text.as_bytes()));
}

#[test]
fn programs_and_traces() {
    let mut random = volvelle_random::Random(48);
    let program = std::fs::read(root().join("examples/multicore/queens.elf")).expect("an example");
    program_bytes(&program);
    for _ in 0..100 {
        let mut bytes = program.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        program_bytes(&bytes);
        // Code of the program from anywhere on, with a few other bytes.
        let from = random.below(bytes.len());
        instruction_words(&bytes[from..]);
        trace_bytes(&bytes[from..]);
    }
    each(&texts(&["fuzz/seeds/stream_text", "examples/multicore"], &["tsv", "toml"]), 300, stream_text);
}

#[test]
fn snapshots() {
    each(&texts(&["fuzz/seeds/snapshot_text"], &["csv", "nemo"]), 1000, |text| {
        snapshot_text(text.as_bytes())
    });
}

#[test]
fn networks() {
    each(&texts(&["fuzz/seeds/network_text"], &["exp"]), 200, network_text);
}

#[test]
fn kernels() {
    each(&texts(&["fuzz/seeds/kernel_text", "crates/kernel/filetests"], &["vk"]), 30, kernel_text);
}

#[test]
fn opencl() {
    each(&texts(&["fuzz/seeds/opencl_front", "examples/kernels"], &["cl"]), 60, opencl_front);
}

#[test]
fn explorations() {
    let texts = texts(&["fuzz/seeds/explore_differential"], MODELS);
    for text in &texts {
        assert!(explore_differential(text).is_some(), "a seed is no model:\n{text}");
    }
    each(&texts, 20, |text| {
        explore_differential(text);
    });
}

#[test]
fn weighted_structures() {
    each(&texts(&["fuzz/seeds/weighted_text", "examples/weighted"], &["wks"]), 300, weighted_text);
    each(&texts(&["fuzz/seeds/weighted_json"], &["json"]), 500, weighted_json);
}

#[test]
fn weighted_formulas() {
    each(&texts(&["fuzz/seeds/wctl_text"], &["wctl"]), 1_000, wctl_text);
}

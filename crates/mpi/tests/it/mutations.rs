//! Programs with random damage: they are read without a panic, and what can be read is resolved without one.

use crate::common::PROGRAMS;
use volvelle_diagnostics::{FileId, RenderOptions, Sources, render_all};
use volvelle_mpi::{parse, resolve};
use volvelle_random::Random;

/// Damages a text: bytes are deleted, doubled or replaced, words are exchanged, parts are moved.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let words: Vec<(usize, usize)> = words(&text);
        let any = |random: &mut Random| words[random.below(words.len())];
        if words.is_empty() {
            return text;
        }
        match random.below(6) {
            0 => {
                let (start, end) = any(random);
                text.replace_range(start..end, "");
            }
            1 => {
                let (start, end) = any(random);
                let twice = text[start..end].repeat(2);
                text.replace_range(start..end, &twice);
            }
            2 => {
                let (start, end) = any(random);
                let (other_start, other_end) = any(random);
                let other = text[other_start..other_end].to_owned();
                text.replace_range(start..end, &other);
            }
            3 => {
                let at = random.below(text.len());
                if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                    text.replace_range(at..=at, "");
                }
            }
            4 => {
                let at = random.below(text.len());
                let sign = random.pick(&[
                    "{",
                    "}",
                    ";",
                    "(",
                    ")",
                    "[",
                    "0",
                    "-",
                    "\"",
                    "..",
                    "ä",
                    "/*",
                    "9999999999",
                    "!",
                ]);
                if text.is_char_boundary(at) {
                    text.insert_str(at, sign);
                }
            }
            _ => {
                let (start, end) = any(random);
                let number =
                    random.pick(&["0", "1", "2", "3", "-1", "300000", "9223372036854775807", "true", "a"]);
                text.replace_range(start..end, number);
            }
        }
    }
    text
}

/// Places of words and signs.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        let part = c.is_alphanumeric() || c == '_';
        match words.last_mut() {
            Some((start, end))
                if part
                    && *end == at
                    && text[*start..].starts_with(|c: char| c.is_alphanumeric() || c == '_') =>
            {
                *end = at + c.len_utf8();
            }
            _ if !c.is_whitespace() => words.push((at, at + c.len_utf8())),
            _ => {}
        }
    }
    words
}

#[test]
fn no_damage_makes_a_panic() {
    let mut random = Random(0x5eed);
    let (mut parsed, mut systems) = (0, 0);
    for round in 0..250 {
        for (name, text) in PROGRAMS {
            let text = damaged(text, &mut random);
            let (tree, diagnostics) = parse::program(FileId(0), &text);
            // What was read with mistakes is resolved too: an editor does so.
            let (system, more) = resolve::resolve(&tree, &[]);
            parsed += u32::from(diagnostics.is_empty());
            if let Some(system) = system {
                systems += u32::from(diagnostics.is_empty());
                assert!(!system.text().is_empty());
                for process in &system.processes {
                    for node in &process.nodes {
                        for next in volvelle_mpi::system::System::successors(node) {
                            assert!(next.index() < process.nodes.len(), "{name} {round}");
                        }
                    }
                }
            } else {
                assert!(!more.is_empty(), "{name} {round}: no system, and nobody says why\n{text}");
            }
            if round % 20 == 0 {
                let mut sources = Sources::new();
                sources.add("m.mpi", text);
                let all: Vec<_> = diagnostics.into_iter().chain(more).collect();
                let _ = render_all(&all, &sources, RenderOptions::default());
            }
        }
    }
    // Neither all nor none of them are right.
    assert!(parsed > 250 && systems > 100 && systems < parsed, "{parsed} {systems}");
}

#[test]
fn deep_nesting_is_reported() {
    let deep = 100_000;
    let texts = [
        format!("process P {{ local k; k = {}1{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("process P {{ local k; k = {}1; }}", "-".repeat(deep)),
        format!("process P {{ local k; k = {}1; }}", "1 + ".repeat(deep)),
        format!("process P {{ local k; k = {}1; }}", "1 ? 1 : ".repeat(deep)),
        format!("process P {{ {} }}", "{".repeat(deep)),
        format!("process P {{ {} ; }}", "if (1) ".repeat(deep)),
        format!("process P {{ {} ; }}", "loop ".repeat(deep)),
        format!("const c = {}1;", "!".repeat(deep)),
        format!("shared x{} : 0..1;", "[".repeat(deep)),
        format!("process P {{ {}", "either { ".repeat(deep)),
    ];
    for text in texts {
        let (tree, diagnostics) = parse::program(FileId(0), &text);
        assert!(!diagnostics.is_empty(), "{}", &text[..60]);
        assert!(diagnostics.len() < 10, "{}: {}", &text[..60], diagnostics.len());
        let _ = resolve::resolve(&tree, &[]);
    }
}

/// The deepest text that is read, called from the deepest text: neither parsing nor resolving runs out of stack.
#[test]
fn the_deepest_program() {
    let depth = 70;
    let body = |inner: &str| {
        let open = "if (x == 0) { ".repeat(depth);
        format!("{open} {inner} {}", "}".repeat(depth))
    };
    let value = format!("{}x{}", "(1 + ".repeat(10), ")".repeat(10));
    let mut text = "shared x : 0..1;\n".to_owned();
    for number in 0..12 {
        let next = number + 1;
        text += &format!(
            "procedure f{number}(a) {{ local k : 0..99; {} }}\n",
            body(&format!("k = {value}; f{next}(k);"))
        );
    }
    text += "procedure f12(a) { read x; }\nprocess P { f0(1); }\n";
    let (tree, diagnostics) = parse::program(FileId(0), &text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (_, diagnostics) = resolve::resolve(&tree, &[]);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(diagnostics[0].code.to_string(), "V1704");
}

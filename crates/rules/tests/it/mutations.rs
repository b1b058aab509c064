//! Rule files that are nearly right: whatever is changed, they are told what is wrong, or what they say is the same with kept results and
//! without.

use crate::support::folder;
use volvelle_diagnostics::{FileId, Sources};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::load;

const GRAMMAR: &str = "grammar g
terminal NAME /[a-z]+/
terminal NUMBER /[0-9]+/
hidden SPACE /[ \\n]+/
entry Program : all+=Item* ;
Item : Use | Number ;
Use : name=NAME (\"(\" args+=Item* \")\")? ;
Number : value=NUMBER ;
";

/// Numbers that depend on the first one only.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Words and signs, with the spaces between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_alphanumeric() || c == '_', c.is_whitespace());
        let end = rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// What a changed file says; how often it could be asked.
fn say(text: &str) -> bool {
    let mut sources = Sources::new();
    let file = sources.add("s.rules", text);
    let mut open = |sources: &mut Sources, _: &str, _: FileId| Ok(sources.add("g.grammar", GRAMMAR));
    let mut found = Vec::new();
    let Some(system) = load(&mut sources, file, &mut open, &mut found) else {
        assert!(!found.is_empty(), "no system, and nothing is told:\n{text}");
        return false;
    };
    let program = sources.add("p", "a b(1 c(2) b) 3");
    let program = system.read(&sources, program);
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) > 20;
    let both = [true, false].map(|caches| {
        asked.set(0);
        system.check(&sources, &program, Limits { bytes: 1 << 22, stop: &stop }, caches)
    });
    if both.iter().all(|report| report.stopped.is_none()) {
        let told = both.map(|report| {
            let all = report.findings.into_iter();
            all.map(|one| (one.diagnostic, one.data, one.trace)).collect::<Vec<_>>()
        });
        assert_eq!(told[0], told[1], "with kept results and without:\n{text}");
    }
    true
}

#[test]
fn changed_files() {
    let seed = std::fs::read_to_string(folder("fuzz/seeds/rules_text/names.rules")).expect("the seed");
    assert!(say(&seed), "the seed is a system");
    let whole = pieces(&seed);
    let mut draws = Draws(7);
    let mut systems = 0;
    for _ in 0..4_000 {
        let mut changed = whole.clone();
        for _ in 0..=draws.below(3) {
            let (at, other) = (draws.below(changed.len()), draws.below(changed.len()));
            match draws.below(4) {
                0 => {
                    changed.remove(at);
                }
                1 => changed.swap(at, other),
                2 => changed[at] = changed[other],
                _ => changed.insert(at, changed[other]),
            }
        }
        systems += u32::from(say(&changed.concat()));
    }
    assert!(systems > 100, "only {systems} changed files were systems");
}

//! Any text as a system of rules for a small language, and what it says about a program: rules that have errors are told, all others end
//! within their limits, and say the same with results that are kept and without.
#![no_main]

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

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut sources = Sources::new();
    let file = sources.add("s.rules", text);
    let mut open = |sources: &mut Sources, _: &str, _: FileId| Ok(sources.add("g.grammar", GRAMMAR));
    let mut found = Vec::new();
    let Some(system) = load(&mut sources, file, &mut open, &mut found) else {
        assert!(!found.is_empty(), "a system without mistakes is one");
        return;
    };
    let program = sources.add("p", "a b(1 c(2) b) 3");
    let program = system.read(&sources, program);
    let asked = std::cell::Cell::new(0_u32);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 20
    };
    let both = [true, false].map(|caches| {
        asked.set(0);
        system.check(&sources, &program, Limits { bytes: 1 << 22, stop: &stop }, caches)
    });
    if both.iter().all(|report| report.stopped.is_none()) {
        let told = both.map(|report| report.findings.into_iter().map(|one| (one.diagnostic, one.data, one.trace)).collect::<Vec<_>>());
        assert_eq!(told[0], told[1]);
    }
});

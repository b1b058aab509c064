//! Tables of small programs for check rules: what must be told, exactly where, and the nearest programs that are right.

use std::fmt::Write;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_n4js::{Syntax, system};
use volvelle_rules::machine::Limits;

/// A check rule, and programs. What is between `«` and `»` must be told by it, the whole of it and nothing else.
pub type Table<'a> = &'a [(&'a str, &'a [&'a str])];

/// A program without marks, and the places between them.
fn marked(text: &str) -> (String, Vec<(u32, u32)>) {
    let (mut plain, mut open, mut places) = (String::new(), Vec::new(), Vec::new());
    for character in text.chars() {
        match character {
            '«' => open.push(plain.len() as u32),
            '»' => places.push((open.pop().expect("an open mark"), plain.len() as u32)),
            other => plain.push(other),
        }
    }
    assert!(open.is_empty(), "{text}: a mark is not closed");
    places.sort_unstable();
    (plain, places)
}

/// Whether all programs of a table are told what they should be.
pub fn holds(table: Table<'_>) {
    let mut base = Sources::new();
    let mut wrong = Vec::new();
    let loaded = system::load(&mut base, Syntax::Current, &mut wrong).expect("the rules");
    let mut report = String::new();
    for (rule, programs) in table {
        assert!(programs.iter().any(|program| program.contains('«')), "{rule} tells nothing");
        assert!(programs.iter().any(|program| !program.contains('«')), "{rule} has no neighbour");
        for program in *programs {
            let (text, wanted) = marked(program);
            let mut sources = base.clone();
            let file = sources.add("program.n4js", text.as_str());
            let read = loaded.read(&sources, file);
            let limits = Limits { bytes: 1 << 28, stop: &|| false };
            let findings = loaded.check(&sources, &read, limits, true).findings;
            let mut told = Vec::new();
            for finding in findings.iter().filter(|finding| finding.diagnostic.severity == Severity::Error) {
                let span = finding.diagnostic.primary.as_ref().expect("a place").span;
                let message = &finding.diagnostic.message;
                match &finding.rule {
                    None => writeln!(report, "{rule}: {program}\n    has no right form: {message}").unwrap(),
                    Some(_) if span.file != file => {
                        writeln!(report, "{rule}: {program}\n    a rule broke: {message}").unwrap();
                    }
                    Some(name) if name == rule => told.push((span.start, span.end)),
                    Some(_) => {}
                }
            }
            told.sort_unstable();
            if told != wanted {
                let show = |places: &[(u32, u32)]| -> Vec<String> {
                    places.iter().map(|&(from, to)| text[from as usize..to as usize].to_owned()).collect()
                };
                let (wanted, told) = (show(&wanted), show(&told));
                writeln!(report, "{rule}: {program}\n    wanted {wanted:?}, told {told:?}").unwrap();
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

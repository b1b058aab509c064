use volvelle_diagnostics::{RenderOptions, Sources, render};
use volvelle_n4js::{Syntax, system};
use volvelle_rules::machine::Limits;
fn main() {
    let mut sources = Sources::new();
    let mut found = Vec::new();
    let start = std::time::Instant::now();
    let loaded = system::load(&mut sources, Syntax::Current, &mut found);
    for one in &found {
        eprintln!("{}", render(one, &sources, RenderOptions::default()));
    }
    let Some(loaded) = loaded else { return };
    let load = start.elapsed();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = sources.add(path, text);
        let start = std::time::Instant::now();
        let program = loaded.read(&sources, file);
        let read = start.elapsed();
        let report = loaded.check(&sources, &program, Limits { bytes: 4 << 30, stop: &|| false }, true);
        let all = start.elapsed();
        for one in report.findings.iter().take(40) {
            println!("{}", render(&one.diagnostic, &sources, RenderOptions::default()));
        }
        println!(
            "{} findings, load {load:?} read {read:?} all {all:?} {:?}",
            report.findings.len(),
            report.statistics
        );
    }
}

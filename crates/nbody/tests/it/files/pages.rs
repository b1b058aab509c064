//! The page of V1921 shows the diagnostics of its example.

use super::said;
use volvelle_nbody::files::Format;

#[test]
fn the_page_shows_what_its_example_gives() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../diagnostics/codes/V1921.md");
    let page = std::fs::read_to_string(path).unwrap();
    let block = |language: &str| {
        let start = page.find(&format!("```{language}\n")).unwrap() + language.len() + 4;
        start..start + page[start..].find("```").unwrap()
    };
    let found = said(Format::Csv, page[block("csv")].as_bytes());
    let lines: Vec<&str> =
        found.lines().map(str::trim_end).take_while(|l| !l.contains("= explain: ")).collect();
    let found: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let found = found.trim_end_matches([' ', '|', '\n']).to_owned() + "\n";
    if std::env::var_os("BLESS").is_some() {
        let blessed = format!("{}{found}{}", &page[..block("text").start], &page[block("text").end..]);
        std::fs::write(path, blessed).unwrap();
        return;
    }
    assert_eq!(page[block("text")], found);
}

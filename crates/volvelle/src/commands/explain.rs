//! `volvelle explain`

use crate::args::Explain;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::question::Ask;
use volvelle_diagnostics::{Code, Diagnostic, Sources, codes, explain, explanations};
use volvelle_reports::screen::flow;

impl Ask for Explain {
    const NAME: &'static str = "explain";
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Explains codes, or lists them.
pub fn run(args: &Explain, output: &Output) -> u8 {
    let style = output.style;
    if args.codes.is_empty() {
        let lines =
            explanations().iter().map(|page| flow::text(&format!("{}  ", page.code), page.title, 7, style));
        output.print(&lines.collect::<String>());
        return 0;
    }
    let mut diagnostics = Vec::new();
    let mut pages = Vec::new();
    for text in &args.codes {
        match text.parse::<Code>().ok().and_then(explain) {
            Some(page) => pages.push(page),
            None => diagnostics.push(
                Diagnostic::error(codes::UNKNOWN_CODE, format!("there is no diagnostic `{text}`"))
                    .help("`volvelle explain` without a code lists all codes"),
            ),
        }
    }
    let text: Vec<String> = pages
        .iter()
        .map(|page| {
            let lines = page.text.lines().map(|line| match line.trim_start_matches('#') {
                title if line.starts_with('#') && style.color => style.bold(title.trim_start()),
                _ => line.to_owned(),
            });
            lines.collect::<Vec<_>>().join("\n") + "\n"
        })
        .collect();
    output.print(&text.join("\n"));
    output.print_diagnostics(&diagnostics, &Sources::new());
    if diagnostics.is_empty() { 0 } else { EXIT_USAGE }
}

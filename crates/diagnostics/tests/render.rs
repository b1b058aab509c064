//! What a person sees: drawings for chosen texts and spans.

use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, Span, codes, render, render_all};

const PLAIN: RenderOptions = RenderOptions {
    color: false,
    width: 0,
};

/// Draws an error with carets under `start..end` of `text` and compares.
#[track_caller]
fn check(text: &str, start: usize, end: usize, expected: &str) {
    let mut sources = Sources::new();
    let file = sources.add("m.prism", text);
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_NAME, "told you").at(Span::new(file, start, end), "here");
    compare(&render(&diagnostic, &sources, PLAIN), expected);
}

/// Compares with a text that begins with an empty line and ignores blanks at the ends of lines.
#[track_caller]
fn compare(drawn: &str, expected: &str) {
    let lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    let expected: Vec<&str> = expected
        .trim_start_matches('\n')
        .lines()
        .map(str::trim_end)
        .collect();
    assert_eq!(lines, expected, "drawn:\n{drawn}");
}

fn offset(text: &str, part: &str) -> (usize, usize) {
    let start = text.find(part).expect("the part is in the text");
    (start, start + part.len())
}

#[test]
fn several_places_and_remarks() {
    let text = "dtmc\n\nmodule sender\n  srep : [0..3];\n\n  s : [0..6];\n  [aF] s=1 -> (s'=2) & (srepp'=0);\nendmodule\n";
    let mut sources = Sources::new();
    let file = sources.add("brp.prism", text);
    let span = |part| {
        let (start, end) = offset(text, part);
        Span::new(file, start, end)
    };
    let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "`srepp` is not a variable of this model")
        .at(span("srepp"), "did you mean `srep`?")
        .also(span("srep"), "`srep` is declared here, in module sender")
        .note("in state s=1 srep=0")
        .help("two\nlines");
    compare(
        &render(&diagnostic, &sources, PLAIN),
        r"
error[V0203]: `srepp` is not a variable of this model
 --> brp.prism:7:25
  |
4 |   srep : [0..3];
  |   ---- `srep` is declared here, in module sender
...
7 |   [aF] s=1 -> (s'=2) & (srepp'=0);
  |                         ^^^^^ did you mean `srep`?
  |
  = in state s=1 srep=0
  = help: two
          lines
  = explain: volvelle explain V0203
",
    );
}

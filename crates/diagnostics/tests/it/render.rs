//! Rendered output: drawings for chosen texts and spans, and robustness of the renderer against any text and any
//! span.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use volvelle_diagnostics::{
    Diagnostic, FileId, RenderOptions, Severity, Sources, Span, codes, render, render_all,
};

const PLAIN: RenderOptions = RenderOptions { color: false, width: 0 };

/// Draws an error with carets under `start..end` of `text` and compares.
#[track_caller]
fn check(text: &str, start: usize, end: usize, expected: &str) {
    let mut sources = Sources::new();
    let file = sources.add("m.prism", text);
    let diagnostic =
        Diagnostic::warning(codes::UNKNOWN_NAME, "told you").at(Span::new(file, start, end), "here");
    compare(&render(&diagnostic, &sources, PLAIN), &format!("warning[V0203]: told you\n{}", &expected[1..]));
}

/// Compares with a text that begins with an empty line; blanks at the ends of lines do not count.
#[track_caller]
fn compare(drawn: &str, expected: &str) {
    let lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    let expected: Vec<&str> = expected.trim_start_matches('\n').lines().map(str::trim_end).collect();
    assert_eq!(lines, expected, "drawn:\n{drawn}");
    assert!(drawn.ends_with('\n'));
}

/// The place of the first occurrence of `part`.
#[track_caller]
fn place(file: FileId, text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the part is in the text");
    Span::new(file, start, start + part.len())
}

#[test]
fn several_places_and_notes() {
    let text = "dtmc\n\nmodule sender\n  srep : [0..3];\n\n  s : [0..6];\n  [aF] s=1 -> (s'=2) & (srepp'=0);\nendmodule\n";
    let mut sources = Sources::new();
    let file = sources.add("brp.prism", text);
    let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "`srepp` is not a variable of this model")
        .at(place(file, text, "srepp"), "did you mean `srep`?")
        .also(place(file, text, "srep"), "`srep` is declared here, in module sender")
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

#[test]
fn colours_and_unicode_lines() {
    let mut sources = Sources::new();
    let file = sources.add("m.prism", "[] s=1;\n");
    let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, "expected `->`")
        .at(Span::new(file, 6, 7), "")
        .help("say why");
    let drawn = render(&diagnostic, &sources, RenderOptions { color: true, width: 80 });
    assert!(drawn.contains("\u{1b}["), "{drawn:?}");
    compare(
        &without_colours(&drawn),
        r"
error[V0102]: expected `->`
  ╭▸ m.prism:1:7
  │
1 │ [] s=1;
  │       ━
  │
  ├ help: say why
  ╰ explain: volvelle explain V0102
",
    );
}

fn without_colours(drawn: &str) -> String {
    let mut out = String::new();
    let mut rest = drawn;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').expect("a colour ends with m").1;
    }
    out + rest
}

#[test]
fn a_diagnostic_without_a_place() {
    let diagnostic = Diagnostic::error(codes::FILE_NOT_READ, "cannot read `a.prism`: no such file")
        .help("did you mean `b.prism`?");
    compare(
        &render(&diagnostic, &Sources::new(), PLAIN),
        r"
error[V0001]: cannot read `a.prism`: no such file
 |
 = help: did you mean `b.prism`?
 = explain: volvelle explain V0001
",
    );
}

#[test]
fn two_files() {
    let mut sources = Sources::new();
    let model = sources.add("m.prism", "dtmc\nlabel \"done\" = s=7;\n");
    let properties = sources.add("m.props", "P=? [ F \"dome\" ]\n");
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_LABEL, "there is no label \"dome\"")
        .at(Span::new(properties, 8, 14), "did you mean \"done\"?")
        .also(Span::new(model, 11, 17), "declared here");
    compare(
        &render(&diagnostic, &sources, PLAIN),
        r#"
warning[V0211]: there is no label "dome"
 --> m.props:1:9
  |
1 | P=? [ F "dome" ]
  |         ^^^^^^ did you mean "done"?
  |
 ::: m.prism:2:7
  |
2 | label "done" = s=7;
  |       ------ declared here
"#,
    );
}

#[test]
fn a_label_without_its_file_still_speaks() {
    let nowhere = Span::new(FileId(7), 3, 4);
    let diagnostic =
        Diagnostic::warning(codes::UNKNOWN_NAME, "told you").at(nowhere, "here").also(nowhere, "");
    compare(&render(&diagnostic, &Sources::new(), PLAIN), "\nwarning[V0203]: told you\n |\n = here\n");
}

#[test]
fn tabs_count_one_column_and_are_drawn_as_four() {
    check(
        "\tx\ty = 1;\n",
        3,
        4,
        r"
 --> m.prism:1:4
  |
1 |     x    y = 1;
  |          ^ here
",
    );
}

#[test]
fn carriage_returns_take_no_part() {
    let text = "ab\r\ncde\r\nf\r\n";
    let second = "\n --> m.prism:2:2\n  |\n2 | cde\n  |  ^ here\n";
    check(text, 5, 6, second);
    let end_of_second = "\n --> m.prism:2:4\n  |\n2 | cde\n  |    ^ here\n";
    for (start, end) in [(7, 7), (7, 8), (7, 9), (8, 9), (8, 8)] {
        check(text, start, end, end_of_second);
    }
    let third = "\n --> m.prism:3:1\n  |\n3 | f\n  | ^ here\n";
    check(text, 9, 12, third);
}

#[test]
fn the_end_of_the_file() {
    check("ab", 2, 2, "\n --> m.prism:1:3\n  |\n1 | ab\n  |   ^ here\n");
    check("ab\n", 3, 3, "\n --> m.prism:2:1\n  |\n2 |\n  | ^ here\n");
    check("", 0, 0, "\n --> m.prism:1:1\n  |\n1 |\n  | ^ here\n");
}

#[test]
fn spans_outside_the_text_point_to_its_end() {
    let end = "\n --> m.prism:1:3\n  |\n1 | ab\n  |   ^ here\n";
    check("ab", 90, 100, end);
    check("ab", 100, 90, end);
    check("ab", 1, 100, "\n --> m.prism:1:2\n  |\n1 | ab\n  |  ^ here\n");
    check("", 5, 9, "\n --> m.prism:1:1\n  |\n1 |\n  | ^ here\n");
}

#[test]
fn empty_and_reversed_spans_get_one_caret() {
    let expected = "\n --> m.prism:1:5\n  |\n1 | abc def\n  |     ^ here\n";
    check("abc def", 4, 4, expected);
    check("abc def", 4, 2, expected);
}

#[test]
fn spans_inside_a_character_cover_the_character() {
    let expected = "\n --> m.prism:1:5\n  |\n1 | é = ü;\n  |     ^ here\n";
    check("é = ü;\n", 5, 7, expected);
    check("é = ü;\n", 6, 7, expected);
    check("é = ü;\n", 5, 6, expected);
    check("é = ü;\n", 6, 6, expected);
}

#[test]
fn wide_characters_take_two_columns_of_the_screen() {
    check("漢字 = x;\n", 9, 10, "\n --> m.prism:1:6\n  |\n1 | 漢字 = x;\n  |        ^ here\n");
}

#[test]
fn several_lines() {
    check(
        "module a\n  x : bool\n  y : bool;\nendmodule\n",
        11,
        31,
        r"
 --> m.prism:2:3
  |
2 | /   x : bool
3 | |   y : bool;
  | |___________^ here
",
    );
}

#[test]
fn a_line_with_its_terminator_is_one_line() {
    check("abc\ndef\n", 0, 4, "\n --> m.prism:1:1\n  |\n1 | abc\n  | ^^^ here\n");
}

#[test]
fn many_lines_are_folded() {
    let text = format!("module a\n{}endmodule\n", "  y : bool;\n".repeat(100_000));
    check(
        &text,
        0,
        text.len(),
        r"
      --> m.prism:1:1
       |
     1 | / module a
     2 | |   y : bool;
     3 | |   y : bool;
     4 | |   y : bool;
...      |
100001 | |   y : bool;
100002 | | endmodule
       | |_________^ here
",
    );
}

#[test]
fn a_very_long_line_is_trimmed_around_the_place() {
    let text = format!("{}bad{}\n", "x + ".repeat(25_000), " + y".repeat(25_000));
    let mut sources = Sources::new();
    let file = sources.add("m.prism", &text);
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_NAME, "told you")
        .at(Span::new(file, 100_000, 100_003), "here")
        .also(Span::new(file, 0, 1), "there");
    compare(
        &render(&diagnostic, &sources, RenderOptions { color: false, width: 60 }),
        r"
warning[V0203]: told you
 --> m.prism:1:100001
  |
1 | ... x + x + x + x + x + bad + y + y + y + y + y + y +...
  |                         ^^^ here
  |
 ::: m.prism:1:1
  |
1 | x + x + x + x + x + x + x + x + x + x + x + x + x + x...
  | - there
",
    );
}

#[test]
fn a_very_long_place_is_underlined_at_its_beginning() {
    let text = "x".repeat(100_000) + ";\n";
    for (text, start, end) in [(text.clone(), 50, 100_000), (format!("a\n{text}"), 0, 100_000)] {
        let mut sources = Sources::new();
        let file = sources.add("m.prism", text);
        let diagnostic =
            Diagnostic::warning(codes::UNKNOWN_NAME, "told you").at(Span::new(file, start, end), "here");
        let drawn = render(&diagnostic, &sources, RenderOptions { color: false, width: 80 });
        assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
        assert!(drawn.contains("^ here"), "{drawn}");
    }
}

#[test]
fn long_sentences_lose_their_middle() {
    let name = "x".repeat(100_000);
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_NAME, format!("`{name}` is unknown")).note(name);
    let drawn = render(&diagnostic, &Sources::new(), PLAIN);
    assert!(drawn.len() < 5_000, "{} bytes", drawn.len());
    assert!(drawn.contains("` is unknown\n"), "{drawn}");
}

#[test]
fn notes_are_wrapped_to_the_screen() {
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_NAME, "told you")
        .note("in state   a=1  b=2  c=3  d=4  e=5  f=6  g=7  h=8")
        .help("a word_that_is_longer_than_the_whole_screen_is_not_broken at all");
    compare(
        &render(&diagnostic, &Sources::new(), RenderOptions { color: false, width: 40 }),
        r"
warning[V0203]: told you
 |
 = in state   a=1  b=2  c=3  d=4  e=5
   f=6  g=7  h=8
 = help: a
         word_that_is_longer_than_the_whole_screen_is_not_broken
         at all
",
    );
}

#[test]
fn texts_cannot_control_the_terminal() {
    let mut sources = Sources::new();
    let file = sources.add("a\u{1b}[31m.prism", "x\u{1b}[2J = \u{202e}1\u{7};\n");
    let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "no `\u{1b}]0;x\u{7}`\nhere")
        .at(Span::new(file, 0, 1), "\u{9b}1m")
        .note("\u{1b}[0m \u{2066}")
        .help("\r\u{8}");
    let drawn = render(&diagnostic, &sources, PLAIN);
    assert!(drawn.chars().all(|c| c == '\n' || !c.is_control()), "{drawn:?}");
    assert!(!drawn.contains(['\u{202e}', '\u{2066}']), "{drawn:?}");
    assert!(drawn.starts_with("error[V0203]: no `\\u{1b}]0;x\\u{7}` here\n"), "{drawn}");
}

#[test]
fn several_diagnostics_are_counted_and_a_page_is_named_once() {
    let unknown = |name| Diagnostic::error(codes::UNKNOWN_NAME, format!("`{name}` is unknown"));
    let all = [
        unknown("a"),
        Diagnostic::warning(codes::NEVER_TRUE, "never true"),
        unknown("b"),
        Diagnostic::note_only(codes::INFINITE_REWARD, "infinite"),
    ];
    compare(
        &render_all(&all, &Sources::new(), PLAIN),
        r"
error[V0203]: `a` is unknown
 |
 = explain: volvelle explain V0203

warning[V0311]: never true

error[V0203]: `b` is unknown

note[V0603]: infinite

2 errors, 1 warning, 1 note
",
    );
    compare(&render_all(&all[1..2], &Sources::new(), PLAIN), "warning[V0311]: never true\n\n1 warning\n");
    assert_eq!(render_all(&[], &Sources::new(), PLAIN), "");
}

/// Pieces that texts are put together from: everything that has ever gone wrong in a renderer.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b1",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "é",
        "漢",
        "e\u{301}",
        "👩\u{200d}🔬",
        "\u{feff}",
        "\u{0}",
        "\u{1b}[1m",
        "\u{202e}",
        "\u{200b}",
        "longer_than_others",
    ]);
    prop::collection::vec((piece, 1..12usize), 0..24)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, times)| piece.repeat(times)).collect())
}

/// The same cases on every run.
fn repeatable(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(repeatable(4000))]

    /// Any text, any spans, any width, places in a file that does not exist.
    #[test]
    fn nothing_panics(
        text in pieces(),
        other in pieces(),
        spans in prop::collection::vec((0..3u32, 0..300u32, 0..300u32, any::<bool>()), 1..6),
        width in 0..120usize,
        color: bool,
    ) {
        let mut sources = Sources::new();
        sources.add("m.prism", text);
        sources.add("n.prism", other);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "told you").note("fact");
        for (i, &(file, start, end, labelled)) in spans.iter().enumerate() {
            let span = Span { file: FileId(file), start, end };
            let label = if labelled { "label" } else { "" };
            diagnostic = if i == 0 { diagnostic.at(span, label) } else { diagnostic.also(span, label) };
        }
        let drawn = render(&diagnostic, &sources, RenderOptions { color, width });
        prop_assert!(drawn.ends_with("V0203\n"), "{}", drawn);
    }

    /// The carets stand exactly under the place, counted independently of the renderer.
    #[test]
    fn carets_stand_under_the_place(
        before in prop::collection::vec(prop::sample::select(vec!["a", "\t", "é", "漢", " ", "e\u{301}"]), 0..8),
        place in prop::collection::vec(prop::sample::select(vec!["b", "ü", "字"]), 1..5),
        lines in 0..12usize,
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let (before, place) = (before.concat(), place.concat());
        let mut text = ["x;", ending].concat().repeat(lines);
        let start = text.len() + before.len();
        text += &[&before, &place, ";", ending].concat();
        let mut sources = Sources::new();
        let file = sources.add("m.prism", text);
        let span = Span::new(file, start, start + place.len());
        let drawn = render(&Diagnostic::note_only(codes::UNKNOWN_NAME, "x").at(span, ""), &sources, PLAIN);

        let column = sources.line_column(span);
        let header = format!("--> m.prism:{}:{}", lines + 1, before.chars().count() + 1);
        prop_assert_eq!((column.line, column.column), (lines + 1, before.chars().count() + 1));
        prop_assert!(drawn.contains(&header), "{}", drawn);
        let carets = drawn.lines().find(|line| line.contains('^')).expect("carets");
        let carets = carets.split_once("| ").expect("a margin").1;
        let expected = " ".repeat(columns(&before)) + &"^".repeat(columns(&place));
        prop_assert_eq!(carets, expected, "{}", drawn);
    }
}

/// Columns on the screen of the characters that the test above uses.
fn columns(text: &str) -> usize {
    let width = |c| match c {
        '\t' => 4,
        '漢' | '字' => 2,
        '\u{301}' => 0,
        _ => 1,
    };
    text.chars().map(width).sum()
}

#[test]
fn severities_are_ordered() {
    assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
}

#[test]
fn many_places_of_a_long_line_are_drawn_up_to_a_limit_and_then_told_by_their_numbers() {
    let text = "name ".repeat(60_000);
    let mut sources = Sources::new();
    let file = sources.add("long.prism", text);
    let at = |n: usize| {
        Diagnostic::error(codes::UNKNOWN_NAME, "told you").at(Span::new(file, 5 * n, 5 * n + 4), "")
    };
    let drawn = render_all(&(0..50).map(at).collect::<Vec<_>>(), &sources, PLAIN);
    assert!((1..10).contains(&drawn.matches("^^^^").count()), "{}", drawn.matches("^^^^").count());
    for n in 0..50 {
        assert!(drawn.contains(&format!("--> long.prism:1:{}\n", 5 * n + 1)), "{n}: {drawn}");
    }
    // Ordinary lines are drawn, however many there are.
    let file = sources.add("short.prism", "name\n".repeat(1_000));
    let at = |n: usize| {
        Diagnostic::error(codes::UNKNOWN_NAME, "told you").at(Span::new(file, 5 * n, 5 * n + 4), "")
    };
    let drawn = render_all(&(0..1_000).map(at).collect::<Vec<_>>(), &sources, PLAIN);
    assert_eq!(drawn.matches("^^^^").count(), 1_000);
}

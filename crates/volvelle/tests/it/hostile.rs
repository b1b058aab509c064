//! Texts of users in every medium: names with escape sequences, line ends, quotation marks, markup and formulas are shown, and nothing
//! else.

use crate::common::{Folder, Run, command};
use std::collections::BTreeSet;
use volvelle_random::{Random, attack_cases};

/// Moves the cursor, sets the title, rings, reorders, ends lines, strings, cells and elements.
const HOSTILE: &str = "\u{1b}[31mRED\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{7f}\t'<script>alert(1)</script>&lt;,;";

/// What would begin a line if a name could.
const FORGED: &str = "\nFORGED ";

/// Styles of the program on standard output.
const STYLES: &[&str] = &["0", "1", "2", "31", "32", "33"];

fn quoted(name: &str) -> String {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{}\"", escaped.replace('\t', "\\t"))
}

/// Models in which a name occurs wherever the language allows for it.
fn models(name: &str) -> Folder {
    let line = name.replace(['\n', '\r', '"'], "");
    let text = name.replace('"', "'");
    let (a, b, c) = (quoted(name), quoted(&format!("{name}2")), quoted(&format!("={name}")));
    let json = serde_json::json!({
        "states": [name, "=x"], "labels": { name: [format!("={name}")] }, "trans": [[name, 1, name], [name, 2, "=x"]],
    });
    Folder::new()
        .file("m.aut", format!("des (0, 4, 3)\n(0, \"{line}; rate 2\", 1)\n(1, \"={line}; rate 3\", 2)\n(2, \"-{line}; rate 1\", 0)\n(1, \"=HYPERLINK(1); rate 1\", 0)\n"))
        .file("m2.aut", format!("des (0, 2, 3)\n(0, \"{line}\", 1)\n(1, \"-x{line}\", 2)\n"))
        .file("m3.aut", format!("des (0, 2, 3)\n(0, \"{line}\", 1)\n(1, \"-y{line}\", 2)\n"))
        .file("m.json", json.to_string())
        .file("m.wks", format!("wks {a};\nstate {a} {{{c}}}: -1-> {b};\nstate {b} {{p}}: -2-> {a};\n"))
        .file("m.prism", "dtmc\nmodule m x : [0..2] init 0; [go] x<2 -> 0.5:(x'=x+1)+0.5:(x'=0); [] x=2 -> true; endmodule\n")
        .file("m.props", format!("\"{line}\": P=? [ F x=2 ];\n\"={line}\": P>=0.5 [ F<=3 x=2 ];\n"))
        .file("m.pml", format!("byte n;\nactive proctype p() {{ printf(\"{}\\t\\r\\b%d\\n\", 3); n = 1; assert(n == 0) }}\n", text.replace(['\n', '\r', '%'], "")))
        .file("bad.prism", format!("dtmc\nmodule m x : [0..2] init {text} 0; endmodule\n"))
        .file("bad.pml", format!("active proctype p() {{ {text} }}\n"))
        .file("bad.lotos", format!("specification {text}\n"))
        .file("bad.wks", format!("state {text} ;\n"))
        .file("bad.tsv", format!("address\toutcome\n{}\t1\n", text.replace(['\n', '\t'], "")))
        .file("bad.rules", format!("system {text}\n"))
        .file("bad.n4js", format!("var x: {text} = 1;\nx.{text};\n"))
        .file("bad.toml", format!("[{text}]\n"))
        .file("bad.cl", format!("__kernel void k(__global int *a) {{ {text} }}\n"))
        .file(&format!("{}.prism", name.replace('/', "")), "dtmc\nmodule m x : [0..1] init 0; [] true -> true; endmodule\n")
}

/// Commands about them. `@` stands for the name.
const COMMANDS: &[&[&str]] = &[
    &["steady", "m.aut"],
    &["steady", "m.aut", "--csv", "-"],
    &["steady", "m.aut", "--html", "-"],
    &["check", "m.aut", "--mcl", "[true] false", "--html", "-"],
    &["compare", "m2.aut", "m3.aut", "--html", "-"],
    &["check", "m.json", "--wctl", "AG p", "--html", "-"],
    &["distance", "m.json", "--html", "-"],
    &["compare", "m.wks", "m.json", "-r", "wbb", "--html", "-"],
    &["transient", "m.aut", "--times", "1", "--csv", "-"],
    &["check", "m.aut", "--mcl", "[true] false"],
    &["compare", "m2.aut", "m3.aut"],
    &["info", "m.aut"],
    &["reduce", "m2.aut", "-o", "e.dot"],
    &["explore", "m2.aut", "--html", "-"],
    &["reduce", "m.aut", "-o", "-"],
    &["trace", "m.aut"],
    &["check", "m.json", "--wctl", "AG p"],
    &["distance", "m.json"],
    &["distance", "m.json", "--csv", "d.csv"],
    &["distance", "m.json", "--within", "5%", "-o", "g.dot"],
    &["compare", "m.wks", "m.json", "-r", "wbb"],
    &["distance", "m.wks", "m.json"],
    &["explore", "m.wks", "--export", "w.dot"],
    &["check", "m.prism", "m.props"],
    &["check", "m.prism", "m.props", "--csv", "-"],
    &["check", "m.prism", "m.props", "--html", "-"],
    &["simulate", "m.prism", "m.props", "--samples", "10", "--csv", "-"],
    &["trace", "m.prism", "m.props", "--csv", "-"],
    &["info", "m.prism", "m.props"],
    &["check", "m.prism", "--prop", "@"],
    &["check", "m.prism", "--const", "@=3"],
    &["check", "m.prism", "--ltl", "@"],
    &["check", "m.prism", "--method", "@"],
    &["check", "m.prism", "--@"],
    &["check", "m.prism", "--transient", "1", "--by", "@"],
    &["check", "@.prism", "--prop", "P=? [ F x=1 ]"],
    &["explore", "@.prism", "--html", "-"],
    &["explore", "@"],
    &["check", "m.pml"],
    &["simulate", "m.pml"],
    &["simulate", "m.pml", "--quiet"],
    &["check", "m.pml", "--html", "-"],
    &["check", "bad.prism"],
    &["check", "bad.pml"],
    &["explore", "bad.lotos"],
    &["explore", "bad.wks"],
    &["run", "bad.toml"],
    &["mpi", "bad.toml"],
    &["nbody", "bad.toml"],
    &["rules", "check", "bad.rules"],
    &["rules", "print", "bad.rules"],
    &["n4js", "check", "bad.n4js", "--types"],
    &["n4js", "check", "@"],
    &["rules", "test", "@"],
    &["rules", "check", "@"],
    &["multicore", "bad.toml"],
    &["multicore", "bad.tsv"],
    &["multicore", "@"],
    &["tune", "bad.cl", "--platform", "bad.toml"],
    &["explain", "@"],
];

/// A text without the styles of the program; fails if there are others.
fn without_styles(text: &str, is_error: bool) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let (style, behind) = after.split_once('m').expect("a style ends");
        // The drawings of diagnostics have more colours.
        let known =
            STYLES.contains(&style) || is_error && style.chars().all(|c| c.is_ascii_digit() || c == ';');
        assert!(known, "a foreign style: {style:?}");
        rest = behind;
    }
    plain + rest
}

#[track_caller]
fn assert_harmless(text: &str, about: &str) {
    let acts = |c: &char| {
        c.is_control() && *c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}')
    };
    assert_eq!(text.chars().find(acts), None, "{about}: {text:?}");
}

/// The cells of each record, RFC 4180.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut cells, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, quoted) {
            ('"', true) if letters.peek() == Some(&'"') => cell.extend(letters.next()),
            ('"', _) => quoted = !quoted,
            (',', false) => cells.push(std::mem::take(&mut cell)),
            ('\n', false) => {
                cells.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut cells));
            }
            (c, _) => cell.push(c),
        }
    }
    records
}

fn assert_table(text: &str, about: &str) {
    let records = records(text);
    let widths: BTreeSet<usize> = records.iter().map(Vec::len).collect();
    assert!(widths.len() <= 1, "{about}: {text}");
    for cell in records.iter().flatten() {
        let is_number = cell.parse::<f64>().is_ok() || cell == "-";
        assert!(!cell.starts_with(['=', '+', '-', '@']) || is_number, "{about}: {cell}");
    }
}

/// Runs a command in both ways of output and looks at all that it makes.
fn attack(folder: &Folder, words: &[&str], name: &str) {
    let name = &name.replace('\0', "");
    let words: Vec<String> = words.iter().map(|word| word.replace('@', &name.replace('/', ""))).collect();
    let about = format!("{words:?}");
    for is_colored in [false, true] {
        let mut run = command(folder.path());
        run.args(&words);
        if is_colored {
            run.env("CLICOLOR_FORCE", "1");
        }
        let output = run.output().expect("the program starts");
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
        assert!(!err.contains("panicked"), "{about}: {err}");
        let (out, err) = (without_styles(&out, false), without_styles(&err, true));
        // What a page or a table has inside is its own matter.
        let is_document = words.iter().any(|word| word == "-");
        // What a model prints may have tabs.
        let is_printed = words.iter().any(|word| word == "--quiet");
        assert_harmless(&if is_printed { out.replace('\t', " ") } else { out.clone() }, &about);
        assert_harmless(&err, &about);
        let forged = |text: &str| text.lines().any(|line| line.starts_with("FORGED"));
        assert!(is_document || !forged(&out) && !forged(&err), "{about}: {out}{err}");
        if words.contains(&"--csv".to_owned()) && is_document {
            assert_table(&out, &about);
        }
        if words.contains(&"--html".to_owned()) && is_document {
            assert!(!out.contains("<script>alert"), "{about}");
        }
    }
    if !words.iter().any(|word| word == "-") {
        let json: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let Run { out, err, .. } = folder.run(&json);
        assert_harmless(&out, &about);
        assert_harmless(&err, &about);
        if words[0] != "explain" && !out.is_empty() {
            serde_json::from_str::<serde_json::Value>(&out).unwrap_or_else(|e| panic!("{about}: {e}: {out}"));
        }
    }
}

/// Whether the quotation marks of a graph enclose what they should.
fn assert_graph(text: &str) {
    let mut outside = String::new();
    let (mut quoted, mut letters) = (false, text.chars());
    while let Some(c) = letters.next() {
        match c {
            '\\' if quoted => drop(letters.next()),
            '"' => quoted = !quoted,
            c if !quoted => outside.push(c),
            _ => {}
        }
    }
    assert!(!quoted && !outside.contains("script") && !outside.contains("RED"), "{outside}");
    assert_harmless(text, "a graph");
}

fn look_at_files(folder: &Folder) {
    for graph in ["e.dot", "g.dot", "w.dot"] {
        assert_graph(&folder.read(graph));
    }
    assert_table(&folder.read("d.csv"), "d.csv");
}

#[test]
fn names_act_in_no_medium() {
    let name = format!("{HOSTILE}{FORGED}");
    let folder = models(&name);
    COMMANDS.iter().for_each(|words| attack(&folder, words, &name));
    look_at_files(&folder);
}

/// Names of a few pieces, through a few commands.
#[test]
fn attack_hostile_names() {
    const PIECES: &[&str] = &[
        "\u{1b}[2J",
        "\u{1b}",
        "\u{7}",
        "\u{8}",
        "\r",
        "\n",
        "\t",
        "\"",
        "'",
        "\\",
        "<",
        ">",
        "&amp;",
        "]]>",
        "<script>",
        "=",
        "-",
        "+",
        "@SUM(A1)",
        "=HYPERLINK(\"x\")",
        "\u{9b}31m",
        "\u{85}",
        "\u{2028}",
        "\u{202e}",
        "\u{2066}",
        "\u{fdd0}",
        "\u{feff}",
        "{",
        "}",
        "|",
        "%s",
        "a",
        "RED",
        " ",
        ",",
        ";",
        "/",
        "$(x)",
        "`",
        "\u{fdd0}0000000000000000b",
        "\u{1f600}",
        "\nFORGED ",
    ];
    for case in attack_cases(4) {
        let mut random = Random(case);
        let count = 1 + random.below(8);
        let name: String = (0..count).map(|_| random.pick(PIECES)).collect();
        let folder = models(&name);
        for _ in 0..4 {
            attack(&folder, random.pick(COMMANDS), &name);
        }
    }
}

#[test]
fn source_lines_keep_their_columns() {
    let folder = Folder::new().file("m.prism", "dtmc\nmodule \u{1b}m\u{9b} x : [0..2] init y; endmodule\n");
    let run = folder.run(&["check", "m.prism"]);
    let mut lines = run.err.lines().skip_while(|line| !line.starts_with("2 |"));
    let (source, carets) = (lines.next().expect("the line"), lines.next().expect("its marks"));
    let column = |line: &str, c: char| line.chars().position(|other| other == c);
    assert_eq!(column(source, '\u{241b}'), column(carets, '^'), "{}", run.err);
}

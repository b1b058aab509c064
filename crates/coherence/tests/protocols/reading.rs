//! Declarations that are wrong, and what is said about them.

use volvelle_coherence::{Operation, Protocol, SHIPPED, Source, State, check, read};
use volvelle_diagnostics::{RenderOptions, Severity, Sources, codes, render_all};
use volvelle_random::Random;

const HEAD: &str = "name = \"MSI\"\nstates = [\"I\", \"S\", \"M\"]\nexclusive = [\"M\"]\ndirty = [\"M\"]\n";

/// The messages about a text, as they are drawn, and the protocol if there is one.
fn drawn(text: &str) -> (String, Option<Protocol>) {
    let mut sources = Sources::new();
    let (protocol, found) = read(sources.add("p.toml", text), text);
    assert_eq!(protocol.is_none(), found.iter().any(|found| found.severity == Severity::Error));
    (render_all(&found, &sources, RenderOptions::default()), protocol)
}

/// What is said about one row, which is line 6.
#[track_caller]
fn row(row: &str, expected: &str) {
    let text = format!("{HEAD}rows = [\n{row},\n]\n");
    let (drawn, _) = drawn(&text);
    let (found, _) = drawn.split_once("\n  |\n  = explain").unwrap_or((&drawn, ""));
    let found = found.lines().filter(|line| !line.trim_start().starts_with("= explain"));
    let found = found.map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert!(found.starts_with(expected), "found\n{found}\nexpected\n{expected}");
}

#[test]
fn carets_are_under_the_word() {
    row(
        r#"  "laod I I -> S I Mem""#,
        "\
error[V1713]: `laod` is no operation
 --> p.toml:6:4
  |
6 |   \"laod I I -> S I Mem\",
  |    ^^^^
  |
  = help: did you mean `load`?",
    );
    row(
        r#"  "load I|X I -> S I Mem""#,
        "\
error[V1713]: `X` is no state
 --> p.toml:6:11
  |
6 |   \"load I|X I -> S I Mem\",
  |           ^
  |
  = help: there are `I`, `S`, `M`",
    );
    row(
        r#"  "load I M -> S M:S,S:Z Cache""#,
        "\
error[V1713]: `Z` is no state
 --> p.toml:6:24
  |
6 |   \"load I M -> S M:S,S:Z Cache\",
  |                        ^
",
    );
    row(
        r#"  'load I M -> S S Cahce'"#,
        "\
error[V1713]: `Cahce` is no transfer
 --> p.toml:6:20
  |
6 |   'load I M -> S S Cahce',
  |                    ^^^^^
  |
  = help: did you mean `Cache`?",
    );
    row(
        r#"  "load I M => S S Cache""#,
        "\
error[V1713]: the fourth word of a row is `->`
 --> p.toml:6:13
  |
6 |   \"load I M => S S Cache\",
  |             ^^
",
    );
    row(
        r#"  "load I M -> S Cache""#,
        "\
error[V1713]: a row has seven words, not 6
 --> p.toml:6:4
  |
6 |   \"load I M -> S Cache\",
  |    ^^^^^^^^^^^^^^^^^^^
  |
  = help: a row is `operation own strongest -> own others transfer`, for example `load I S -> S S Mem`",
    );
    row(r#"  """load I M -> S S Cash""""#, "error[V1713]: `Cash` is no transfer\n --> p.toml:6:22\n");
    // Where a text has escapes, the whole of it is shown.
    row(r#"  "load I M -> S \u0053 Cash""#, "error[V1713]: `Cash` is no transfer\n --> p.toml:6:3\n");
    row(
        r#"  "load I M -> S M Cache", 7"#,
        "error[V1713]: a row is a text, not an integer\n --> p.toml:6:28\n",
    );
}

#[test]
fn pairs_of_states() {
    row(r#"  "load I M -> S M:S,S Cache""#, "error[V1713]: `S` does not say from which state to which\n");
    row(r#"  "load I M -> S I:S Cache""#, "error[V1713]: a cache without the line does not get it by what");
    row(r#"  "load I M -> S M:S,M:I Cache""#, "error[V1713]: the state is named twice\n");
    let (_, protocol) = drawn(&format!("{HEAD}rows = [\"load I S|M -> S M:S Cache\"]\n"));
    let protocol = protocol.expect("a partial table can be read");
    let rule = protocol.rule(Operation::Load, State(0), State(2)).unwrap();
    assert_eq!(rule.others, [State(0), State(1), State(1)]);
    assert!(protocol.rule(Operation::Load, State(1), State(0)).is_none());
    assert!(protocol.rule(Operation::Load, State(3), State(0)).is_none());
}

#[test]
fn rows_that_disagree() {
    let (text, _) =
        drawn(&format!("{HEAD}rows = [\n  \"load I S|M -> S S Cache\",\n  \"load I * -> S S Mem\",\n]\n"));
    let expected = "\
error[V1713]: two rows disagree about `load I S`
 --> p.toml:7:4
  |
6 |   \"load I S|M -> S S Cache\",
  |    ----------------------- with this row
7 |   \"load I * -> S S Mem\",
  |    ^^^^^^^^^^^^^^^^^^^ disagrees
";
    assert!(text.starts_with(expected), "{text}");
    // They say the same: where the strongest state is S, nobody is in M.
    let (text, protocol) =
        drawn(&format!("{HEAD}rows = [\"load I S -> S S Mem\", \"load I S -> S M:I Mem\"]\n"));
    assert!(protocol.is_some(), "{text}");
}

#[test]
fn keys_and_values() {
    #[track_caller]
    fn says(text: &str, expected: &str) {
        let (drawn, protocol) = drawn(text);
        assert!(drawn.contains(expected) && protocol.is_none(), "{drawn}");
    }
    says("name = MSI\n", "error[V1711]");
    says("", "the protocol has no key `states`");
    says(&format!("{HEAD}exlusive = []\nrows = []\n"), "error[V1712]: unknown key `exlusive`");
    says("name = \"x\"\nstates = [\"I\"]\ndirty = []\nrows = []\n", "a protocol has 2 to 16 states, not 1");
    says("name = \"x\"\nstates = [\"I\", \"I\"]\ndirty = []\nrows = []\n", "the state `I` is named twice");
    says("name = \"x\"\nstates = [\"I\", \"S|M\"]\ndirty = []\nrows = []\n", "`S|M` is no name of a state");
    says("name = \"x\"\nstates = [\"I\", \"M\"]\ndirty = [\"I\"]\nrows = []\n", "it cannot be dirty");
    says("name = \"x\"\nstates = [\"Inv\", \"Mod\"]\ndirty = [\"Mode\"]\nrows = []\n", "did you mean `Mod`?");
    says(&format!("{HEAD}rows = []\n[transfers]\nHit = \"nowhere\"\n"), "`nowhere` says not where the line");
    says(&format!("{HEAD}rows = []\n[transfers]\n\"a b\" = \"home\"\n"), "`a b` is no name of a transfer");
    says(&format!("{HEAD}rows = \"load\"\n"), "`rows` is a list, not a string");
}

#[test]
fn transfers_of_its_own() {
    let rows = "rows = [\"load I I -> S I Far\", \"load S|M * -> = = Stay\"]\n";
    let (text, protocol) = drawn(&format!("{HEAD}{rows}[transfers]\nStay = \"none\"\nFar = \"home\"\n"));
    let protocol = protocol.expect(&text);
    let transfers: Vec<_> = protocol.transfers.iter().map(|t| (t.name.as_str(), t.source)).collect();
    assert_eq!(transfers, [("Stay", Source::None), ("Far", Source::Home)]);
    assert_eq!(protocol.row_text(1), "load S|M * -> = = Stay");
}

#[test]
fn atomic_operations_are_stores_unless_they_have_rows() {
    let rows = "\"store I I -> M I Mem\", \"store S I -> M I Mem\"";
    let (_, protocol) = drawn(&format!("{HEAD}rows = [{rows}]\n"));
    let protocol = protocol.unwrap();
    let (own, strongest) = (State(1), State(0));
    assert!(!protocol.has_atomic_rows && protocol.rule(Operation::Atomic, own, strongest).is_some());
    let (_, protocol) = drawn(&format!("{HEAD}rows = [{rows}, \"atomic I I -> M I Mem+inv\"]\n"));
    let protocol = protocol.unwrap();
    assert!(protocol.has_atomic_rows && protocol.rule(Operation::Atomic, own, strongest).is_none());
    assert!(protocol.rule(Operation::Atomic, strongest, strongest).is_some());
}

#[test]
fn a_row_that_is_needed() {
    let mut sources = Sources::new();
    let text = format!("{HEAD}rows = [\n  \"load I I -> S I Mem\",\n  \"store * * -> M I Mem\",\n]\n");
    let (protocol, _) = read(sources.add("p.toml", text.as_str()), &text);
    let protocol = protocol.unwrap();
    let found = check(&protocol).diagnostics(&protocol);
    assert_eq!(found[0].code, codes::PROTOCOL_INCOMPLETE);
    let drawn = render_all(&found, &sources, RenderOptions::default());
    let expected = "\
error[V1714]: the table has no row for `load I S`
 --> p.toml:5:1
  |
5 | rows = [
  | ^^^^
  |
  = with 2 caches, none of which holds the line at first:
  = P1 load: I I -> S I; row `load I I -> S I Mem`
  = P2 load: S I, and no row
  = help: add a row that begins with `load I S ->`
";
    assert!(drawn.starts_with(expected), "{drawn}");
}

/// Words of the declarations, which are put where they do not belong.
const WORDS: [&str; 16] = [
    "load", "store", "atomic", "*", "->", "=", "I", "S|M", "M:O", "Hit", "\"", "[", "]", "\n", "\\u0041", "é",
];

#[test]
fn any_text_is_read_or_refused() {
    let mut random = Random(3);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..6_000 {
        let mut bytes = random.pick(SHIPPED).1.as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            let end = (at + 1 + random.below(12)).min(bytes.len());
            match random.below(5) {
                0 => drop(bytes.drain(at..end)),
                1 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
                2 => drop(bytes.splice(at..end, random.pick(&WORDS).bytes())),
                3 => drop(bytes.splice(at..at, random.pick(&WORDS).bytes())),
                _ => {
                    let other = random.below(bytes.len());
                    bytes.swap(at, other);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let (_, protocol) = drawn(&text);
        match protocol {
            None => refused += 1,
            Some(protocol) => {
                read += 1;
                if read % 4 == 0 {
                    let _ = check(&protocol).diagnostics(&protocol);
                }
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

/// Lists in lists, as deep as one likes, are a diagnostic.
#[test]
fn deep_nesting() {
    let text = format!("{HEAD}rows = {}\n", "[".repeat(100_000));
    assert!(drawn(&text).0.contains("error[V1711]"));
    let text = format!("{HEAD}rows = {}{}\n", "[".repeat(50), "]".repeat(50));
    assert!(drawn(&text).0.contains("a row is a text, not an array"));
}

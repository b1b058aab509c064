//! Where there is no proof, the check says what is known.

use crate::oracle::{least_error, protocol, shortest_error};
use std::fmt::Write;
use volvelle_coherence::{MOST_STATES, Operation, Reason, State, Verdict, Violation, check};

/// Counts of none, one and many are not enough here: the state T is there only beside three caches in S at least. One of them goes to U, so
/// that there are two in S at least, and no cache is alone in S beside U and V. Where "many" less one may be one, it is.
const COARSE: &str = r#"
name = "coarse"
states = ["I", "U", "V", "S", "A", "B", "T", "E", "M"]
exclusive = ["E", "M"]
dirty = ["M"]
rows = [
    "load  U|V|A|B|T|E|M  *        -> = =   Hit",
    "load  S              S|A|B    -> = =   Hit",
    "load  S              T        -> U T:V Mem",
    "load  I              I        -> E =   Mem",
    "load  I              E        -> A E:S Mem",
    "load  I              A        -> B A:S Mem",
    "load  I              B        -> T B:S Mem",
    "load  I              S|T      -> S =   Mem",
    "load  I              M        -> E I   Cache",
    "store M              I        -> M I   Hit",
    "store I|U|V|S|A|B|T|E I|U|V|S|A|B|T|E -> M I Mem+inv",
    "store I              M        -> M I   Cache",
]
"#;

#[test]
fn an_error_of_the_abstraction_alone() {
    let protocol = protocol(COARSE);
    let checked = check(&protocol);
    let Verdict::Bounded { caches: 5, reason } = checked.verdict else { panic!("{checked:?}") };
    let Reason::Abstraction(Operation::Load, Violation::Missing { own: State(3), strongest }) = reason else {
        panic!("{reason:?}")
    };
    assert_eq!(protocol.state(strongest), "V");
    assert_eq!(least_error(&protocol, 5), None);
    assert_eq!(shortest_error(&protocol, 6), None);
    let found = checked.diagnostics(&protocol);
    assert_eq!(found[0].message, "the protocol is coherent for up to 5 caches; for more it is not proved");
    assert!(found[0].notes[0].contains("no row for `load S V`"), "{found:?}");
}

/// As many states as there may be, among which clean copies wander.
fn wandering(last: &str) -> String {
    let names: Vec<String> = (1..MOST_STATES).map(|state| format!("s{state}")).collect();
    let mut text = format!("name = \"wandering\"\nstates = [\"I\", \"{}\"]\n", names.join("\", \""));
    let modified = &names[names.len() - 1];
    let clean = &names[..names.len() - 1];
    let every = clean.join("|");
    write!(text, "exclusive = [\"{modified}\"]\ndirty = [\"{modified}\"]\nrows = [\n").unwrap();
    for pair in clean.windows(2) {
        writeln!(text, "\"load {} I|{every} -> {} = Mem\",", pair[0], pair[1]).unwrap();
    }
    writeln!(text, "\"load {} I|{every} -> {} = {last}\",", clean[clean.len() - 1], clean[0]).unwrap();
    writeln!(text, "\"load I I|{every} -> s1 = Mem\",").unwrap();
    writeln!(text, "\"load I {modified} -> s1 s1 Cache\",").unwrap();
    writeln!(text, "\"load {modified} I -> = = Hit\",").unwrap();
    writeln!(text, "\"store {modified} I -> = = Hit\",").unwrap();
    writeln!(text, "\"store I|{every} I|{every} -> {modified} I Mem+inv\",").unwrap();
    writeln!(text, "\"store I {modified} -> {modified} I Cache\",\n]").unwrap();
    text
}

#[test]
fn too_many_configurations() {
    let checked = check(&protocol(&wandering("Mem")));
    assert_eq!(checked.verdict, Verdict::Bounded { caches: 5, reason: Reason::Size });
}

/// A fault that takes many steps is found all the same.
#[test]
fn a_long_run() {
    let protocol = protocol(&wandering("Cache"));
    let Verdict::Failed(run) = check(&protocol).verdict else { panic!("a cache alone has no provider") };
    assert_eq!((run.violation, run.steps.len()), (Violation::NoProvider, 15));
    crate::oracle::confirm(&protocol, &run);
    assert_eq!(least_error(&protocol, 2), Some((2, 15)));
}

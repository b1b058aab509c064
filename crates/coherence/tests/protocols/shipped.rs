//! The protocols that are there without a file.

use crate::oracle::{by_name, confirm, least_error, shortest_error};
use volvelle_coherence::{Operation, SHIPPED, Source, State, Verdict, Violation, check, shipped, unknown};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};

#[test]
fn all_are_coherent_for_any_number_of_caches_but_one() {
    for (name, _) in SHIPPED {
        let protocol = by_name(name);
        assert_eq!(protocol.name, *name);
        assert!(!protocol.about.is_empty());
        let checked = check(&protocol);
        assert_eq!(checked.is_proved(), *name != "Blit", "{name}: {:?}", checked.diagnostics(&protocol));
        assert_eq!(least_error(&protocol, 5).is_none(), *name != "Blit", "{name}");
        if checked.is_proved() {
            assert!(checked.unused_rows.is_empty(), "{name}: {:?}", checked.unused_rows);
            assert!(checked.diagnostics(&protocol).is_empty());
            assert_eq!(shortest_error(&protocol, 6), None, "{name}");
        }
    }
}

#[test]
fn the_printed_table_is_refused_with_a_run() {
    let text = shipped("blit").unwrap();
    let protocol = by_name("BLIT");
    let checked = check(&protocol);
    let Verdict::Failed(run) = &checked.verdict else { panic!("{checked:?}") };
    confirm(&protocol, run);
    let last = run.steps.last().unwrap();
    assert_eq!(run.violation, Violation::NotDirty { state: State(1) });
    assert_eq!(protocol.row_text(last.row.unwrap()), "store I M -> S S Cache");
    let mut sources = Sources::new();
    sources.add("blit.toml", text);
    let drawn = render_all(&checked.diagnostics(&protocol), &sources, RenderOptions::default());
    let expected = "\
error[V1715]: after a store the writer is in `S`, which is not dirty: the new value has no owner
  --> blit.toml:19:6
   |
19 |     \"store I      M  ->  S  S  Cache\",
   |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = with 2 caches, none of which holds the line at first:
   = P1 store: I I -> M I; memory is stale; row `store I|S I -> M I Mem`
   = P2 store: M I -> S (stale) S; memory is stale; row `store I M -> S S Cache`
   = help: let the writer go to a dirty state, such as `M`
";
    assert!(drawn.starts_with(expected), "{drawn}");
}

/// What the protocols are about, by the transfers of a producer and a consumer.
#[test]
fn protocols_differ_where_they_say() {
    let source = |name: &str, operation, own: &str, strongest: &str| {
        let protocol = by_name(name);
        let state = |name: &str| State(protocol.states.iter().position(|s| s == name).unwrap() as u8);
        let rule = protocol.rule(operation, state(own), state(strongest)).unwrap();
        let others = protocol.state(rule.others[state(strongest).index()]);
        (protocol.state(rule.own).to_owned(), others.to_owned(), protocol.transfer(rule.transfer).source)
    };
    let (load, store) = (Operation::Load, Operation::Store);
    let is = |own: &str, others: &str, source| (own.to_owned(), others.to_owned(), source);
    assert_eq!(source("A", load, "I", "M"), is("E", "I", Source::Provider));
    assert_eq!(source("B", load, "I", "M"), is("S", "S", Source::Provider));
    assert_eq!(source("B", load, "I", "E"), is("S", "S", Source::Home));
    assert_eq!(source("MESI", load, "I", "E"), is("S", "S", Source::Provider));
    assert_eq!(source("MOESI", load, "I", "M"), is("S", "O", Source::Provider));
    assert_eq!(source("MOESI", load, "I", "O"), is("S", "O", Source::Provider));
    assert_eq!(source("MESIF", load, "I", "F"), is("F", "S", Source::Provider));
    assert_eq!(source("MSI", store, "S", "I"), is("M", "I", Source::Home));
    assert_eq!(source("MSI", Operation::Atomic, "I", "M"), is("M", "I", Source::Provider));
}

#[test]
fn names_compare_without_case_and_misspelt_ones_are_told() {
    assert!(shipped("moesi").is_some() && shipped("MoEsI").is_some() && shipped("MEIS").is_none());
    let found = unknown("MEIS");
    assert_eq!(found.helps[0], "did you mean `MESI`?");
}

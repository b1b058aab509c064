//! Promela as trees.

use crate::common::{check, corpus, read, read_where, system, told};
use crate::edits::edited;
use volvelle_diagnostics::codes;
use volvelle_metamodels::Promela;
use volvelle_rules::language::Language;

const FOLDERS: &[&str] = &["examples/promela", "../shared/corpus/promela"];
const ENDINGS: &[&str] = &["pml", "promela", "prom"];

/// Whether calls may be replaced in a text: then what they stand for shares their place.
fn has_calls(text: &str) -> bool {
    text.contains("#define") || text.contains("inline")
}

#[test]
fn the_corpus_is_read_with_its_places() {
    let language = Promela::new();
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let read = read_where(&language, &text, !has_calls(&text));
        assert!(read.tree.len() > 1, "{}", path.display());
    }
}

#[test]
fn damaged_texts_have_trees_too() {
    let language = Promela::new();
    for (seed, (_, text)) in (0..).zip(corpus(FOLDERS, ENDINGS)) {
        if text.len() < 20_000 {
            for edited in edited(&text, seed) {
                read_where(&language, &edited, false);
            }
        }
    }
}

#[test]
fn units_and_their_parts() {
    let text = "mtype = { ping, pong } chan c = [2] of { mtype, byte }; active [2] proctype p() { byte x = 1; \
                again: c!ping, x+1; do :: c?pong, x -> goto again :: else -> break od; atomic { assert(x < 3 && nfull(c)) } }";
    let language = Promela::new();
    let read = read(&language, text);
    assert!(read.found.is_empty(), "{:?}", read.found);
    let shown = read.shown(language.classes(), read.root);
    assert_eq!(
        shown,
        "Model(units=[MessageTypes(constants=[MessageType(name=ping) MessageType(name=pong)]) \
         Declaration(type=chan variables=[Variable(name=c channel=Channel(capacity=NumberLiteral fields=[mtype byte]))]) \
         Process(name=p isActive count=NumberLiteral body=[Declaration(type=byte variables=[Variable(name=x initial=NumberLiteral)]) \
         Send(labels=[Label(name=again)] channel=NameUse(name=c) arguments=[NameUse(name=ping) \
         Binary(left=NameUse(name=x) operator=+ right=NumberLiteral)]) \
         Do(alternatives=[Alternative(body=[Receive(channel=NameUse(name=c) arguments=[NameUse(name=pong) NameUse(name=x)]) \
         Goto(label=again)]) Alternative(body=[ExpressionStatement(expression=Else) Break])]) \
         Atomic(body=[Assert(condition=Binary(left=Binary(left=NameUse(name=x) operator=< right=NumberLiteral) operator=&& \
         right=ChannelQuery(query=nfull channel=NameUse(name=c))))])])])"
    );
}

#[test]
fn names_that_are_not_used() {
    let (mut sources, loaded) = system("promela-names.rules");
    let text = "mtype = { ping, pong }\nchan c = [2] of { mtype, byte };\nactive proctype p() { byte x;\n\
                here: c!ping, 1;\n c?ping }";
    let report = check(&mut sources, &loaded, text);
    assert_eq!(
        told(&sources, &report),
        [
            "pong: nothing uses the message type `pong`",
            "here: nothing goes to `here`",
            "c?ping: a message of `c` has 2 parts (line 2), this one 1",
        ]
    );
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let report = check(&mut sources, &loaded, &text);
        assert_eq!(report.stopped, None, "{}", path.display());
        let broken = report.findings.iter().find(|one| one.diagnostic.code == codes::RULE_BREAKDOWN);
        assert!(broken.is_none(), "{}: {broken:?}", path.display());
    }
}

#[test]
fn what_came_through_a_call_has_its_place() {
    let text = "#define twice(a) a = 2 * a\ninline more(b) { b++; b++ }\nactive proctype p() { byte x; twice(x); more(x) }";
    let language = Promela::new();
    let read = read_where(&language, text, false);
    assert!(read.found.is_empty(), "{:?}", read.found);
    let mut places = Vec::new();
    for node in read.tree.nodes() {
        let class = &language.classes().class(read.tree.class(node)).name;
        if class == "Assignment" || class == "Increment" {
            let span = read.tree.span(node);
            places.push(&text[span.start as usize..span.end as usize]);
        }
    }
    assert_eq!(places, ["twice(x)", "more(x)", "more(x)"]);
}

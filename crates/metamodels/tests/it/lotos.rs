//! LOTOS as trees.

use crate::common::{check, corpus, read, system, told};
use crate::edits::edited;
use volvelle_diagnostics::{codes, has_errors};
use volvelle_metamodels::Lotos;
use volvelle_rules::language::Language;

const FOLDERS: &[&str] = &["examples/lotos", "../shared/corpus/lotos"];
const ENDINGS: &[&str] = &["lotos", "lot"];

#[test]
fn the_corpus_is_read_with_its_places() {
    let language = Lotos::new();
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let read = read(&language, &text);
        assert!(!has_errors(&read.found), "{}", path.display());
        assert!(read.tree.len() > 2, "{}", path.display());
    }
}

#[test]
fn damaged_texts_have_trees_too() {
    let language = Lotos::new();
    for (seed, (_, text)) in (0..).zip(corpus(FOLDERS, ENDINGS)) {
        for edited in edited(&text, seed) {
            read(&language, &edited);
        }
    }
}

#[test]
fn definitions_and_their_parts() {
    let text = "specification S [g, h] : noexit\ntype T is Boolean sorts Bit opns o, z : -> Bit _x_ : Bit, Bit -> Bit\n\
                eqns forall a : Bit ofsort Bit a x o = o; endtype\n\
                behaviour hide k in P[g, k](o) |[g]| (g ?b:Bit [b = o]; stop [] [o = z] -> exit)\n\
                where process P [a, b] (v : Bit) : noexit := a !v; P[a, b](v x o) endproc endspec";
    let language = Lotos::new();
    let read = read(&language, text);
    assert!(read.found.is_empty(), "{:?}", read.found);
    let shown = read.shown(language.classes(), read.root);
    for part in [
        "Description(specification=Specification(name=S written=S gates=[Gate(name=G written=g) Gate(name=H written=h)] \
         types=[Type(name=T written=T imports=[BOOLEAN] sorts=[Sort(name=BIT written=Bit)]",
        "Operation(name=X written=x isInfix arguments=[BIT BIT] result=BIT)",
        "equations=[Equation(sort=BIT left=Application(name=X written=x operands=[Application(name=A written=a) \
         Application(name=O written=o)]) right=Application(name=O written=o))]",
        "processes=[Process(name=P written=P gates=[Gate(name=A written=a) Gate(name=B written=b)] \
         parameters=[Variable(name=V written=v sort=BIT)] body=Prefix(gate=A offers=[Give(value=Application(name=V written=v))]",
        "body=Hide(gates=[Gate(name=K written=k)] body=Parallel(left=Call(name=P written=P gates=[G K] \
         arguments=[Application(name=O written=o)]) gates=[G] right=Choice(alternatives=[Prefix(gate=G \
         offers=[Take(variable=Variable(name=B written=b sort=BIT))] predicate=Condition(",
    ] {
        assert!(shown.contains(part), "{part}\nin {shown}");
    }
}

#[test]
fn names_that_are_not_used() {
    let (mut sources, loaded) = system("lotos-names.rules");
    let text = "specification S [g] : noexit behaviour hide k in p[g, g]\n\
                where process P [a, b] : noexit := a; P[a, b] endproc process Q : noexit := i; Q endproc endspec";
    let report = check(&mut sources, &loaded, text);
    assert_eq!(
        told(&sources, &report),
        ["k: nothing uses the gate `k`", "p: `p` is declared as `P` in line 2", "Q: nothing calls `Q`"]
    );
    let text = text.replace("P[a, b] endproc", "P[a, a] endproc");
    let report = check(&mut sources, &loaded, &text);
    assert!(told(&sources, &report).contains(&"b: `P` does not use its gate `b`".to_owned()));
    for (path, text) in corpus(FOLDERS, ENDINGS) {
        let report = check(&mut sources, &loaded, &text);
        assert_eq!(report.stopped, None);
        let broken = report.findings.iter().find(|one| one.diagnostic.code != codes::RULE_FAILED);
        assert!(broken.is_none(), "{}: {broken:?}", path.display());
    }
}

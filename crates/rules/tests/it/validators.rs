//! `validatorExtends`: checks of another system, by its own rules.

use crate::support::{limits, shown};
use volvelle_diagnostics::{FileId, Sources};
use volvelle_rules::system::load;

const GRAMMAR: &str = "grammar g
terminal NAME /[a-z]+/
terminal NUMBER /[0-9]+/
hidden SPACE /[ \\n]+/
entry Program : all+=Item* ;
Item : Use | Number ;
Use : name=NAME ;
Number : value=NUMBER ;
";

/// Extended by the next one.
const FIRST: &str = "system first language \"g.grammar\"
data Small
auxiliary { most(): Integer }
auxiliary most() { 2 }
checkrule Length for Number number from {
    if (number.value.length > most()) { fail error number.value + \" is too long\" source number }
}
";

const SECOND: &str = "system second extends \"first.rules\"
judgments { name |- Use item : output String }
rule Name G |- Use item : item.name from { item.name.startsWith(\"a\") }
checkrule Names for Use item from { empty |- item : var String name }
";

/// What is told of a program, as `text: message`.
fn found(system: &str, program: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("s.rules", system);
    let mut open = |sources: &mut Sources, name: &str, _: FileId| {
        let text = match name {
            "first.rules" => FIRST,
            "second.rules" => SECOND,
            _ => GRAMMAR,
        };
        Ok(sources.add(name, text))
    };
    let mut flaws = Vec::new();
    let loaded = load(&mut sources, file, &mut open, &mut flaws);
    let told: String = flaws.iter().map(|one| shown(&sources, one)).collect();
    let loaded = loaded.unwrap_or_else(|| panic!("{system}\n{told}"));
    let program = sources.add("p", program);
    let program = loaded.read(&sources, program);
    let [kept, again] = [true, false].map(|caches| {
        let report = loaded.check(&sources, &program, limits(), caches);
        let told = report.findings.iter().map(|one| {
            let place = one.diagnostic.primary.as_ref().map_or("", |label| sources.text(label.span));
            format!("{place}: {}", one.diagnostic.message)
        });
        told.collect::<Vec<String>>()
    });
    assert_eq!(kept, again);
    kept
}

/// What is declared there has these names here, too, and means something else: nothing of it is shared.
const THIRD: &str = "system third validatorExtends \"second.rules\"
data Small(of: Integer)
auxiliary { most(): Integer }
auxiliary most() { 100 }
judgments { name |- Use item : output String }
axiom Name G |- Use item : item.name
checkrule Own for Use item from {
    empty |- item : var String name
    if (name.length == most() - 99) { fail error \"one letter\" source item }
}
";

#[test]
fn checks_are_made_by_their_own_rules() {
    let told = found(THIRD, "abc x 7 123 b");
    let wanted = [
        "x: one letter",
        "x: Name: [] |- x : String",
        "123: 123 is too long",
        "b: one letter",
        "b: Name: [] |- b : String",
    ];
    assert_eq!(told, wanted);
    assert!(found(THIRD, "abc 12").is_empty());
}

#[test]
fn a_check_is_replaced() {
    let system = format!("{THIRD}override checkrule Names for Use item from {{ item.name != \"no\" }}");
    assert_eq!(found(&system, "xx no 123"), ["no: item.name != \"no\"", "123: 123 is too long"]);
}

#[test]
fn the_form_is_told_once() {
    assert_eq!(found(THIRD, "abc %").len(), 1);
}

//! Grammars with mistakes: what is said about them, and where.

use crate::common::{FILE, drawn, grammar};
use volvelle_trees::grammar::Grammar;

const TERMINALS: &str = "terminal ID /[a-z]+/ terminal NUMBER /[0-9]+/ hidden SPACE /[ \\n]+/\n";

/// Reads a grammar in which `«` and `»` are around the place of the first message.
fn check(code: &str, message: &str, marked: &str) {
    let start = marked.find('«').expect("a place") + TERMINALS.len();
    let end = marked.find('»').expect("its end") + TERMINALS.len() - '«'.len_utf8();
    let text = format!("{TERMINALS}{}", marked.replace(['«', '»'], ""));
    let mut found = Vec::new();
    let read = Grammar::read(FILE, &text, &mut found);
    let shown = drawn(&text, &found);
    let first = found.first().unwrap_or_else(|| panic!("nothing is found in {text}"));
    assert_eq!(first.code.to_string(), code, "{shown}");
    assert!(first.message.contains(message), "{shown}");
    let span = first.primary.as_ref().expect("a place").span;
    assert_eq!((span.start as usize, span.end as usize), (start, end), "{shown}");
    let is_error = found.iter().any(|found| found.severity == volvelle_diagnostics::Severity::Error);
    assert_eq!(read.is_none(), is_error, "{shown}");
}

#[test]
fn files_that_cannot_be_read() {
    check("V2050", "expected `:`, found `name`", "entry P «name»=ID ;");
    check("V2050", "expected `;`", "entry P : name=ID «»");
    check("V2050", "expected `)`", "entry P : (name=ID «;»");
    check("V2050", "does not end", "entry P : «\"x ;»");
    check("V2050", "`§` is no part of a grammar", "entry P : «§» \"x\" ;");
    check("V2050", "one of `?`, `*` and `+` only", "entry P : name=ID?«*» ;");
    check("V2050", "a keyword is empty", "entry P : «\"\"» name=ID ;");
    check("V2050", "`current`", "entry P : ID {A.b=«other»} ;");
    check(
        "V2050",
        "`left`, `right` or `none`",
        "entry P : operators over A { infix «middle» \"+\" -> B(l, r); }",
    );
    check("V2050", "fields for both operands", "entry P : operators over A { infix left \"+\" -> B(l«)»; }");
    check("V2050", "needs a field", "entry P : «[P:ID]» ;");
}

#[test]
fn names_that_are_not_there() {
    check("V2051", "`Expresion` is no terminal or rule", "entry P : e=«Expresion» ; Expression : v=ID ;");
    check("V2051", "`NUM` is no terminal or rule", "entry P : v=«NUM» ;");
    check("V2051", "`SPACE` is hidden", "entry P : «v=SPACE» ;");
    check("V2051", "`Binder` is no class", "entry P : v=[«Binder»:ID] ;");
    check("V2051", "`P` is no terminal", "entry P : v=[P:«P»] ;");
    check("V2051", "`Q` is no class", "class A : «Q» ; entry P : v=ID ;");
    let text = format!("{TERMINALS}entry P : e=Expresion ; Expression : v=ID ;");
    let mut found = Vec::new();
    assert!(Grammar::read(FILE, &text, &mut found).is_none());
    assert!(drawn(&text, &found).contains("did you mean `Expression`?"), "{}", drawn(&text, &found));
}

#[test]
fn things_declared_twice() {
    check("V2052", "`P` is declared twice", "entry P : v=ID ; «P» : v=ID ;");
    check("V2052", "`ID` is declared twice", "entry P : v=NUMBER ; «ID» : v=NUMBER ;");
    check("V2052", "one rule, not with two", "entry P : v=ID ; entry «Q» : v=ID ;");
    check("V2052", "the class `A` is declared twice", "class A ; class «A» ; entry P : v=ID ;");
}

#[test]
fn terminals_that_cannot_be() {
    check("V2053", "matches the empty text", "terminal T /«[a-z]*»/ entry P : v=T ;");
    check("V2053", "unclosed group", "terminal T /a«(»b/ entry P : v=T ;");
    check("V2053", "anchors", "terminal T /«^a»/ entry P : v=T ;");
    check("V2053", "matches no text", "terminal T /«[^\\x00-\\x{10FFFF}]»/ entry P : v=T ;");
}

#[test]
fn terminals_that_are_too_large() {
    let nested = format!("{TERMINALS}terminal T /((((a{{99}}){{99}}){{99}}){{99}}b)+/ entry P : v=T ;");
    let mut found = Vec::new();
    assert!(Grammar::read(FILE, &nested, &mut found).is_none());
    assert_eq!(found[0].code.to_string(), "V2062", "{}", drawn(&nested, &found));
    let spread = format!("{TERMINALS}terminal T /(a|b)*a(a|b){{20}}/ entry P : v=T ;");
    let mut found = Vec::new();
    assert!(Grammar::read(FILE, &spread, &mut found).is_none());
    assert_eq!(found[0].code.to_string(), "V2062", "{}", drawn(&spread, &found));
}

#[test]
fn rules_without_end() {
    check(
        "V2054",
        "`E` begins with itself",
        "entry P : v=E ; E : {A} left=«E» \"+\" right=E | {V} v=ID ;"
            .replace("left=«E»", "«left=E»")
            .as_str(),
    );
    check(
        "V2054",
        "`A` begins with itself",
        "entry A : B \"x\" ; B : C ; C : n?=\"n\"? «A» ;".replace("n?=\"n\"? «A»", "\"n\"? «A»").as_str(),
    );
    check("V2055", "would not end", "entry P : «(v=ID?)*» ;");
    check("V2055", "would not end", "entry P : «A*» ; A : \"x\"? ;".replace("«A*»", "«as+=A*»").as_str());
}

#[test]
fn fields_and_nodes_that_do_not_fit() {
    check("V2056", "`v` of `P` holds two kinds of things", "entry P : v=ID | «v=Q» ; Q : w=ID ;");
    check("V2056", "`v` of `P` holds two kinds of things", "entry P : v=ID \"x\" «v+=ID» ;");
    check(
        "V2056",
        "`v` of `P` holds two kinds of things",
        "entry P : v=Q | «v=R» ; Q : w=ID ; R : w=NUMBER ;",
    );
    check("V2056", "`P` inherits another field `v`", "class N { v: flag } class P : N ; entry P : «v=ID» ;");
    check("V2060", "would make a second node", "entry P : v=ID «Q» ; Q : w=NUMBER ;");
    check("V2060", "gets no further fields", "entry P : Q «v=ID» ; Q : w=NUMBER ;");
    check("V2060", "would be a second node", "entry P : v=ID {«Q»} ;");
    check("V2060", "there may be no node here yet", "entry P : {«Q.left»=current} v=ID ;");
    check(
        "V2061",
        "kinds of each other",
        "entry A : B | \"a\" x=ID ; «B» : A | \"b\" y=ID ;"
            .replace("A : B | \"a\"", "A : \"p\" B | \"a\"")
            .replace(": A |", ": \"q\" A |")
            .as_str(),
    );
}

#[test]
fn alternatives_that_are_not_chosen() {
    check("V2057", "never chosen: the one before it takes ID", "entry P : v=ID | «w=ID» ;");
    check("V2057", "never chosen", "entry P : (v=ID | «v=ID ID»)* ;");
    check("V2058", "two alternatives read ID: the first one", "entry P : v=ID | «w=ID \"x\"?» ;");
    check("V2059", "no text has a `Q`", "entry P : v=ID ; «Q» : w=ID ;");
    // What follows tells them apart.
    grammar(&format!("{TERMINALS}entry P : (v=ID | w=ID \"(\" \")\") \";\" ;"));
    grammar(&format!("{TERMINALS}entry P : a=ID \"=\" v=NUMBER | b=ID \"(\" \")\" ;"));
}

#[test]
fn many_mistakes_are_found_in_one_go() {
    let text = "terminal ID /[a-z/\nentry P : v=IDD ;\nQ : ;;\nR : x=\n";
    let mut found = Vec::new();
    assert!(Grammar::read(FILE, text, &mut found).is_none());
    assert!(found.len() >= 3, "{}", drawn(text, &found));
}

#[test]
fn rules_within_rules_are_bounded() {
    for field in ["", "v="] {
        let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
        let text = format!("{TERMINALS}entry P : {field}{open}ID{close} ;");
        let mut found = Vec::new();
        assert!(Grammar::read(FILE, &text, &mut found).is_none());
        assert!(found[0].message.contains("within one another"), "{}", found[0].message);
    }
    let nested = format!("{TERMINALS}entry P : {}v+=ID \"x\"{} ;", "(".repeat(90), ")+".repeat(90));
    grammar(&nested);
    let chain: String =
        (0..5_000).map(|at| format!("R{at} : \"(\" x=R{} \")\" ;\n", (at + 1) % 5_000)).collect();
    let text = format!("{TERMINALS}{}", chain.replace("R4999 : \"(\"", "R4999 : {Last} \"l\" | \"(\""));
    let mut found = Vec::new();
    assert!(Grammar::read(FILE, &text, &mut found).is_some(), "{}", drawn(&text, &found));
    let chain: String = (0..7_000).map(|at| format!("R{at} : R{} ;\n", at + 1)).collect();
    let mut found = Vec::new();
    let text = format!("{TERMINALS}{chain}R7000 : v=ID ;");
    assert!(Grammar::read(FILE, &text, &mut found).is_some(), "{}", drawn(&text, &found));
}

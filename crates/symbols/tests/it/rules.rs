//! What the index says of rule files and grammars.

use crate::shown::{checked, expect};
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Kind, Role};

const GRAMMAR: &str = "grammar sums
terminal NUMBER /[0-9]+/
entry Program : lines+=Line* ;
Line : value=Expr \";\" ;
Expr : operators over Atom { infix left \"+\" -> Plus(left, operator, right); }
Atom : {Number} value=NUMBER | \"(\" Expr \")\" ;";

const RULES: &str = "system sums
language \"t1.grammar\"
data Type(size: Int)
val Int most = 3
auxiliary { wider(Type one): Type }
auxiliary wider(Type one) { one }
judgments { typed |- Expr expression : output Type }
axiom Number G |- Number number : Type(1)
rule Plus G |- Plus plus : Type type from {
    G |- plus.left : var Type left
    G |- plus.right : var Type type
    left.size < most or { fail error \"too wide\" source plus.left }
    type = wider(left)
}
checkrule Line for Line line from { empty |- line.value : var Type type }";

#[test]
fn names_of_a_system() {
    expect(
        "rules",
        &[RULES, GRAMMAR],
        r#"Module `system sums`: 1=
        Class `data Type(size: Int)`: 3= 5 5 6 7 8 9 10 11 15
        Field in Type `size: Int`: 3= 12
        Variable `val Int most = 3`: 4= 12
        Function `wider(Type one): Type`: 5= 6= 13
        Local in wider `Type one`: 5=
        Function `wider(Type one)`:
        Local in  `Type one`: 6= 6
        Judgment `typed |- Expr expression : output Type`: 7=
        Local in typed `Expr expression`: 7=
        Rule `axiom Number G |- Number number : Type(1)`: 8=
        Local in Number `G`: 8=
        Local in Number `Number number`: 8=
        Rule `rule Plus G |- Plus plus : Type type`: 9=
        Local in Plus `G`: 9= 10 11
        Local in Plus `Plus plus`: 9= 10 11 12
        Local in Plus `Type type`: 9=
        Local in Plus `Type left`: 10= 12 13
        Local in Plus `Type type`: 11= 13
        Rule `checkrule Line for Line line`: 15=
        Local in Line `Line line`: 15= 15
        Local in Line `Type type`: 15=
        Module `grammar sums`: 1:1=
        Terminal `terminal NUMBER /[0-9]+/`: 1:2= 1:6
        Class `entry Program : lines+=Line*`: 1:3=
        Field in Program `lines`: 1:3=
        Class `Line : value=Expr ";"`: 15 1:3 1:4=
        Field in Line `value`: 15 1:4=
        Class `Expr : operators over Atom { infix left "+" -> Plus(left, operator, right); }`: 7 1:4 1:5= 1:6
        Class `class Plus`: 9 1:5=
        Field in Plus `left`: 10 12 1:5=
        Field in Plus `operator`: 1:5=
        Field in Plus `right`: 11 1:5=
        Class `Atom : {Number} value=NUMBER | "(" Expr ")"`: 1:5 1:6=
        Class `class Number`: 8 1:6=
        Field in Number `value`: 1:6=
        Class ``: 3 4"#,
    );
}

/// The sign of a judgment means it, in conclusions and in premises.
#[test]
fn signs_of_judgments() {
    let index = checked("rules", &[RULES, GRAMMAR]);
    let judgment = index.symbols.iter().position(|symbol| symbol.kind == Kind::Judgment).expect("a judgment");
    let signs: Vec<_> = index.signs.iter().filter(|sign| sign.symbol.0 as usize == judgment).collect();
    assert_eq!(signs.len(), 6);
    assert!(signs.iter().all(|sign| &RULES[sign.span.start as usize..sign.span.end as usize] == "|-"));
    let premise = RULES.find("|- plus.left").unwrap() as u32;
    let found = index.meant_at(FileId(0), premise).expect("a sign");
    assert_eq!((found.symbol.0 as usize, found.role), (judgment, Role::Reads));
    // Signs are no names.
    assert_eq!(index.at(FileId(0), premise), None);
    assert_eq!(index.meant(found.symbol).len(), 7);
}

/// What is declared again in a system that extends another one is the same.
#[test]
fn what_is_overridden_is_the_same() {
    let below = "system b extends \"t2.rules\"\njudgments { override typed |- Expr e : output Type }\noverride rule Plus G |- Plus p : Type t from { t = wider(p) }";
    let index = checked("rules", &[below, GRAMMAR, RULES]);
    let judgments = index.symbols.iter().filter(|symbol| symbol.kind == Kind::Judgment).count();
    assert_eq!(judgments, 1);
    let declared = index
        .occurrences
        .iter()
        .filter(|one| one.role == Role::Declares && index.symbol(one.symbol).kind == Kind::Judgment);
    assert_eq!(declared.count(), 2);
}

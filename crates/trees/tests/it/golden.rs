//! The grammars of the three example systems read their programs.

use crate::common::{drawn, example, parse};
use std::collections::HashMap;
use volvelle_trees::ClassId;
use volvelle_trees::grammar::printer::print;

/// System, name, offset of the syntax error or `-`, offsets of nodes that other tests complain about, program.
const PROGRAMS: &str = include_str!("programs.tsv");

#[test]
fn programs_are_read() {
    let grammars = HashMap::from(["lambda", "fj", "coerce"].map(|name| (name, example(name))));
    let mut count = 0;
    for line in PROGRAMS.lines() {
        let [system, name, mistake, nodes, program] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}");
        };
        let grammar = &grammars[system];
        let parsed = parse(grammar, program);
        let expected = mistake.parse().ok();
        assert_eq!(parsed.first_error(), expected, "{name}: {}", drawn(program, &parsed.found));
        assert_eq!(
            parsed.found.len(),
            usize::from(expected.is_some()),
            "{name}: {}",
            drawn(program, &parsed.found)
        );
        for at in nodes.split_whitespace().map(|at| at.parse().expect("an offset")) {
            let starts = |node| {
                let class: ClassId = parsed.tree.class(node);
                let fields = 0..grammar.classes.class(class).fields.len();
                parsed.tree.span(node).start == at
                    || fields.into_iter().any(|place| parsed.tree.slot_span(node, place).start == at)
            };
            assert!(parsed.tree.nodes().any(starts), "{name}: nothing begins at {at}");
        }
        if mistake == "-" {
            let text = print(grammar, &parsed.tree, &parsed.symbols, parsed.root);
            let text = text.unwrap_or_else(|| panic!("{name} is not printed"));
            let again = parse(grammar, &text);
            assert!(again.found.is_empty(), "{name}: {}", drawn(&text, &again.found));
            assert_eq!(again.shown(grammar), parsed.shown(grammar), "{name}: {text}");
        }
        count += 1;
    }
    assert_eq!(count, 124);
}

#[test]
fn classes_are_those_of_the_systems() {
    let shown = |name: &str| {
        let grammar = example(name);
        let classes = grammar.classes.iter().map(|(_, class)| {
            let fields = class.fields.iter().map(|field| grammar.classes.field_name(field.name));
            let above = class.supertypes.iter().map(|&above| grammar.classes.class(above).name.as_str());
            let is_abstract = if class.is_abstract { "abstract " } else { "" };
            let fields = fields.collect::<Vec<_>>().join(", ");
            let above: String = above.map(|above| format!(" : {above}")).collect();
            format!("{is_abstract}{}({fields}){above}", class.name)
        });
        classes.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(shown("lambda"), LAMBDA);
    assert_eq!(shown("fj"), FJ);
    assert_eq!(shown("coerce"), COERCE);
}

const LAMBDA: &str = "\
Program(body)
abstract Expr()
Fun(name, type, body) : Expr
Let(name, value, body) : Expr
abstract TypeExpr()
Apply(function, argument) : Expr
Number(value) : Expr
Truth(value) : Expr
Text(value) : Expr
Variable(name) : Expr
Pair(first, second) : Expr
ArrowType(from, to) : TypeExpr
IntType() : TypeExpr
BoolType() : TypeExpr
StringType() : TypeExpr
PairType(first, second) : TypeExpr";
const FJ: &str = "\
Program(classes, main)
Class(name, superclass, members)
abstract Member()
Field(type, name) : Member
Method(type, name, params, body) : Member
Param(type, name)
abstract Expr()
Cast(type, operand) : Expr
Invoke(receiver, name, args) : Expr
Select(receiver, name) : Expr
This() : Expr
New(type, args) : Expr
Var(name) : Expr";
const COERCE: &str = "\
Program(declarations)
Declaration(type, name, value)
abstract Expr()
Binary(left, operator, right) : Expr
Not(operand) : Expr
Number(value) : Expr
Text(value) : Expr
Truth(value) : Expr
Variable(name) : Expr";

//! Checks of classifiers and their members: what must be told, with its place, and what is beside it and must not.
//!
//! In a program `«…»` marks where a mistake is told; the rule of it stands beside the program. Without marks these rules tell nothing.

mod access;
mod inheritance;
mod members;
mod overriding;
mod types;

use volvelle_diagnostics::Sources;
use volvelle_n4js::{Syntax, system};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::Loaded;

/// The rules of classifiers; what others tell is not looked at here.
const RULES: &[&str] = &[
    "AbstractMember",
    "Access",
    "AliasCycle",
    "AliasOfClass",
    "Annotations",
    "Bounds",
    "CallBounds",
    "ConstructorForm",
    "ConstructorOfInterface",
    "Consuming",
    "CovariantConstructor",
    "Cycle",
    "DifferentArguments",
    "DynamicPrimitive",
    "EnumBase",
    "EnumLiterals",
    "EnumObject",
    "EnumText",
    "ExtendsOnly",
    "External",
    "FinalAbstract",
    "HalfOverridden",
    "Inheriting",
    "Internal",
    "Modifiers",
    "NewArguments",
    "NewBounds",
    "NotImplemented",
    "NothingOverridden",
    "Overriding",
    "PatternAccess",
    "PrivateOfInterface",
    "SetterResult",
    "Signatures",
    "Spec",
    "StaticOfInterface",
    "StaticOfStructural",
    "StaticVariable",
    "Structure",
    "Supertype",
    "ThisAnnotation",
    "ThisPlace",
    "ThisType",
    "Tuple",
    "Twice",
    "TypeArguments",
    "TypeParameterDefault",
    "TypeParameterTwice",
    "VariablePosition",
    "Void",
    "VoidGetter",
    "WildcardVariance",
    "WrittenOnce",
];

/// A program, and the rules that tell something about it, in the order of the marks.
type Case = (&'static str, &'static [&'static str]);

fn rules() -> (Sources, Loaded) {
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let loaded = system::load(&mut sources, Syntax::Current, &mut found);
    assert!(found.is_empty(), "the rules have flaws: {found:?}");
    (sources, loaded.expect("the rules are read"))
}

/// What is told: the place in bytes, the rule, the message.
fn told(loaded: &Loaded, base: &Sources, text: &str) -> Vec<(usize, usize, String, String)> {
    let mut sources = base.clone();
    let file = sources.add("program.n4js", text);
    let program = loaded.read(&sources, file);
    let report = loaded.check(&sources, &program, Limits { bytes: 1 << 28, stop: &|| false }, true);
    let mut all: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            let span = finding.diagnostic.primary.as_ref().expect("a place").span;
            assert_eq!(span.file, file, "a breakdown in {text}: {}", finding.diagnostic.message);
            let rule = finding.rule.clone().unwrap_or_else(|| "form".to_owned());
            (span.start as usize, span.end as usize, rule, finding.diagnostic.message.clone())
        })
        .filter(|(.., rule, _)| rule == "form" || RULES.contains(&rule.as_str()))
        .collect();
    all.sort();
    all
}

/// A program without its marks, and where they were.
fn unmarked(marked: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut open, mut places) = (String::new(), Vec::new(), Vec::new());
    for character in marked.chars() {
        match character {
            '«' => open.push(text.len()),
            '»' => places.push((open.pop().expect("an opening mark"), text.len())),
            other => text.push(other),
        }
    }
    places.sort_unstable();
    (text, places)
}

fn check(cases: &[Case]) {
    let (base, loaded) = rules();
    for (marked, rules) in cases {
        let (text, places) = unmarked(marked);
        assert_eq!(places.len(), rules.len(), "marks and rules of {marked}");
        let want: Vec<_> = places.iter().zip(*rules).map(|(&(from, to), &rule)| (from, to, rule)).collect();
        let all = told(&loaded, &base, &text);
        let have: Vec<_> = all.iter().map(|(from, to, rule, _)| (*from, *to, rule.as_str())).collect();
        assert_eq!(have, want, "in {marked}\n{all:#?}");
    }
}

#[test]
fn messages_have_a_way_out() {
    let (base, loaded) = rules();
    let text = "abstract class A { abstract m(): void; }\nclass B extends A { f: void; @Override n() {} }\nvar b: B; b.m = null; b.x;";
    let all = told(&loaded, &base, text);
    assert!(!all.is_empty());
    for (.., message) in all {
        assert!(message.contains(';'), "{message}");
    }
}

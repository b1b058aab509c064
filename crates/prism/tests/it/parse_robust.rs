//! Whatever the text, the parser gives a tree and diagnostics: no panic, no overflow of the stack, no loop.

use crate::common::{
    Random, check_tree, generate, model, model_shape, properties, properties_shape, property, tree,
};
use volvelle_diagnostics::Diagnostic;
use volvelle_prism::ast::{ExprKind, PropertyFile};
use volvelle_prism::parse::NESTING_LIMIT;
use volvelle_prism::print;

/// Everything that must hold for the parsers on any text.
fn survives(text: &str) {
    let (parsed, diagnostics) = model(text);
    check_tree(&parsed.exprs, text);
    check_diagnostics(&diagnostics, text);
    if diagnostics.is_empty() && parsed.unsupported.is_empty() && !mentions_unsupported(&parsed.exprs) {
        let printed = print::model(&parsed);
        let (again, diagnostics) = model(&printed);
        assert!(diagnostics.is_empty() || printed.contains('⟨'), "{text}\n{printed}\n{diagnostics:?}");
        if diagnostics.is_empty() {
            assert_eq!(model_shape(&parsed), model_shape(&again), "{text}");
        }
    }
    for (parsed, diagnostics) in [properties(text), property(text)] {
        check_tree(&parsed.exprs, text);
        check_diagnostics(&diagnostics, text);
        check_blame(&parsed, &diagnostics);
        let refused = mentions_unsupported(&parsed.exprs);
        if diagnostics.is_empty() && !refused {
            let printed = print::properties(&parsed);
            let (again, diagnostics) = properties(&printed);
            assert!(diagnostics.is_empty(), "{text}\n{printed}\n{diagnostics:?}");
            assert_eq!(properties_shape(&parsed), properties_shape(&again), "{text}");
        }
    }
}

/// A property has diagnostics if and only if its body says so.
fn check_blame(file: &PropertyFile, diagnostics: &[Diagnostic]) {
    if diagnostics.len() >= 50 {
        return; // some may be missing
    }
    for property in &file.properties {
        let span = property.span;
        let wrong = matches!(file.exprs.get(property.body).kind, ExprKind::Error);
        let blamed = diagnostics.iter().any(|diagnostic| {
            let start = diagnostic.primary.as_ref().unwrap().span.start;
            span.start <= start && (start < span.end || wrong && start == span.end)
        });
        assert_eq!(wrong, blamed, "{property:?} {diagnostics:?}");
    }
}

fn mentions_unsupported(exprs: &volvelle_prism::ast::Exprs) -> bool {
    exprs.ids().any(|id| matches!(exprs.get(id).kind, ExprKind::Unsupported { .. }))
}

fn check_diagnostics(diagnostics: &[Diagnostic], text: &str) {
    assert!(diagnostics.len() <= 200);
    let mut last = 0;
    for diagnostic in diagnostics {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        for label in labels {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(start <= end && end <= text.len(), "{diagnostic:?}");
            assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{diagnostic:?}");
        }
        let place = diagnostic.primary.as_ref().expect("every diagnostic has a place").span.start;
        assert!(last <= place, "diagnostics are in the order of the text");
        last = place;
        assert!(!diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'));
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(2);
    for _ in 0..4000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        survives(&String::from_utf8_lossy(&bytes));
    }
}

const WORDS: [&str; 98] = [
    "dtmc",
    "ctmc",
    "mdp",
    "pta",
    "pomdp",
    "smg",
    "module",
    "endmodule",
    "rewards",
    "endrewards",
    "init",
    "endinit",
    "system",
    "endsystem",
    "const",
    "int",
    "double",
    "bool",
    "rate",
    "prob",
    "formula",
    "label",
    "global",
    "observables",
    "endobservables",
    "observable",
    "player",
    "endplayer",
    "invariant",
    "endinvariant",
    "clock",
    "true",
    "false",
    "min",
    "max",
    "func",
    "filter",
    "P",
    "Pmin",
    "Pmax",
    "R",
    "Rmin",
    "Rmax",
    "S",
    "A",
    "E",
    "F",
    "G",
    "X",
    "U",
    "W",
    "I",
    "C",
    "T",
    "Tmin",
    "Pmaxmin",
    "x",
    "y",
    "N",
    "floor",
    "multi",
    "\"done\"",
    "\"p1\"",
    "\"",
    "0",
    "1",
    "0.5",
    "1e-3",
    "7.",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "<=>",
    "=>",
    "->",
    "!",
    "&",
    "|",
    "+",
    "-",
    "*",
    "/",
    "^",
    "?",
    ":",
    ";",
    ",",
    "..",
];

#[test]
fn random_words() {
    let mut random = Random(3);
    for _ in 0..40_000 {
        let mut text = String::new();
        for _ in 0..random.below(60) {
            text.push_str(random.pick(&WORDS));
            if random.chance(70) {
                text.push(if random.chance(10) { '\n' } else { ' ' });
            }
        }
        survives(&text);
    }
}

/// Changes a text here and there: drops, doubles, swaps and replaces words.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let joins = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !(joins(c) && word.chars().last().is_none_or(joins)) {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.push(word);
    for _ in 0..1 + random.below(4) {
        let at = random.below(words.len());
        let other = random.below(words.len());
        match random.below(4) {
            0 => words[at].clear(),
            1 => words[at] = format!("{} {}", words[at], words[at]),
            2 => words.swap(at, other),
            _ => words[at] = random.pick(&WORDS).to_string(),
        }
    }
    words.concat()
}

#[test]
fn mutated_models_and_properties() {
    let mut random = Random(4);
    for _ in 0..8000 {
        let text = if random.chance(50) {
            print::model(&generate::model(&mut random))
        } else {
            print::properties(&generate::properties(&mut random))
        };
        survives(&mutated(&mut random, &text));
    }
}

#[test]
fn truncated_models() {
    let mut random = Random(5);
    for _ in 0..40 {
        let text = print::model(&generate::model(&mut random));
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            survives(&text[..end]);
        }
    }
}

/// The code and the place of the only diagnostic.
fn only_diagnostic(diagnostics: &[Diagnostic]) -> (String, u32) {
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let span = diagnostics[0].primary.as_ref().unwrap().span;
    (diagnostics[0].code.to_string(), span.start)
}

#[test]
fn deep_nesting() {
    let limit = NESTING_LIMIT as usize;
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}x{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("(", ")"), ("!", ""), ("-", ""), ("a+(", ")/2"), ("min(1,", ")")] {
        let frames = if open.len() > 1 && open.starts_with("a+") { limit / 2 } else { limit };
        tree(&nested(open, close, frames));
        for depth in [frames + 1, 100 * limit] {
            let text = format!("formula f = {}; formula g = 1;", nested(open, close, depth));
            let (parsed, diagnostics) = model(&text);
            let (code, place) = only_diagnostic(&diagnostics);
            assert_eq!(code, "V0105", "{open}");
            assert!(
                place as usize > "formula f".len()
                    && (place as usize) < text.len() - "; formula g = 1;".len()
            );
            assert_eq!(parsed.formulas.len(), 1, "the next declaration is read");
        }
    }
    for (open, close) in [
        ("P>0.5 [ F ", " ]"),
        ("A [ ", " ]"),
        ("filter(max, ", ")"),
        ("R{\"r\"}>1 [ F ", " ]"),
        ("S>0.5 [ ", " ]"),
        ("T>1 [ F ", " ]"),
        ("<<p>> (", ")"),
        ("<<p>> ", ""),
        ("x ? ", " : x"),
    ] {
        let fine = nested(open, close, 100);
        assert!(property(&fine).1.is_empty(), "{fine}: {:?}", property(&fine).1);
        let text = nested(open, close, 50 * limit);
        assert_eq!(only_diagnostic(&properties(&text).1).0, "V0105", "{open}");
    }
    // Conditions that grow to the left cost nesting without open frames.
    let text = format!("{}x{}", "(".repeat(600), " ? 1 : 2)".repeat(600));
    assert_eq!(only_diagnostic(&model(&format!("formula f = {text};")).1).0, "V0105");
}

#[test]
fn chains_of_conditionals() {
    let chain = |length: usize| {
        let arms: Vec<String> = (0..length).map(|i| format!("x={i} ? {i} : ")).collect();
        format!("{}0", arms.concat())
    };
    let bracketed = |length: usize| {
        let arms: Vec<String> = (0..length).map(|i| format!("(x={i} ? {i} : ")).collect();
        format!("{}0{}", arms.concat(), ")".repeat(length))
    };
    assert!(tree(&chain(NESTING_LIMIT as usize - 1)).starts_with("(? (= x 0) 0 (? (= x 1) 1 "));
    tree(&bracketed(NESTING_LIMIT as usize / 2 - 1));
    let (_, diagnostics) = model(&format!("formula f = {};", chain(100_000)));
    assert_eq!(only_diagnostic(&diagnostics).0, "V0105");
}

#[test]
fn long_chains_have_no_nesting() {
    for op in ["+", "-", "*", "&", "|", "=>", "<=>", "=", "<"] {
        let operands = vec!["x"; 100_000];
        let text = format!("formula f = {};", operands.join(op));
        let (parsed, diagnostics) = model(&text);
        assert!(diagnostics.is_empty(), "{op}: {diagnostics:?}");
        let body = parsed.formulas[0].body;
        assert_eq!(parsed.exprs.get(body).nesting, 1, "{op}");
        assert_eq!(parsed.exprs.len(), 2 * operands.len() - 1);
        let spaced = print::expr(&parsed.exprs, body);
        assert_eq!(spaced.replace(' ', ""), operands.join(op));
    }
}

#[test]
fn deep_and_long_systems() {
    let nested = format!("system {}a{} endsystem", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(only_diagnostic(&model(&nested).1).0, "V0105");
    let hidden = format!("system a{} endsystem", "/{x}".repeat(50_000));
    assert_eq!(only_diagnostic(&model(&hidden).1).0, "V0105");
    let right = format!("system {}a endsystem", "a ||| a || ".repeat(50_000));
    let (parsed, diagnostics) = model(&right);
    assert!(diagnostics.len() <= 1, "{diagnostics:?}");
    drop(parsed);
    let flat = format!("system {}a endsystem", "a || ".repeat(100_000));
    assert!(model(&flat).1.is_empty());
}

#[test]
fn time_is_linear_in_hopeless_texts() {
    // Each of these would take minutes if a step looked through the rest of the text.
    for piece in [
        "[",
        "]",
        "{",
        "(",
        ")",
        "\"",
        "T<=",
        "P=? [",
        "<<",
        "[] x -",
        "const ",
        "x : ",
        "|| ",
        "F<=floor(",
        "'",
        "module ",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        model(&text);
        properties(&text);
    }
}

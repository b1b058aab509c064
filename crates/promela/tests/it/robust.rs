//! Robustness: any text gives a tree and diagnostics, without a panic, an overflow of the stack, or unbounded work.

use crate::common::{has_errors, read, read_with};
use volvelle_diagnostics::codes;
use volvelle_promela::token::Kind;
use volvelle_promela::{lower, parse_formula, print};
use volvelle_promela_testing::{Choices, random_tree, shape};
use volvelle_random::Random;

/// Everything that must hold for any text.
fn survives(text: &str) {
    let (sources, parsed, _) = read(text);
    assert!(parsed.diagnostics.len() <= 200);
    for diagnostic in &parsed.diagnostics {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        for label in labels {
            let file = &sources.file(label.span.file).text;
            assert!(file.get(label.span.start as usize..label.span.end as usize).is_some(), "{diagnostic:?}");
        }
        assert!(diagnostic.primary.is_some(), "{diagnostic:?}");
        assert!(!diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'));
    }
    for (id, expr) in parsed.model.exprs.0.iter() {
        assert!(parsed.model.places.0.contains_key(expr.place), "{id:?}");
    }
    let printed = print::model(&parsed.model);
    if printed.contains('⟨') {
        assert!(has_errors(&parsed.diagnostics), "left out without a word: {text}\n{printed}");
    } else if !has_errors(&parsed.diagnostics) {
        let (_, again, drawn) = read(&printed);
        assert!(!has_errors(&again.diagnostics), "{text}\n{printed}\n{drawn}");
        assert_eq!(shape(&parsed.model), shape(&again.model), "{text}\n{printed}");
    }
}

const WORDS: [&str; 74] = [
    "a",
    "b",
    "q",
    "P",
    "T",
    "f",
    "x.y",
    "a[1]",
    "1",
    "0",
    "017",
    "99999999999",
    "'a'",
    "'\\n'",
    "\"t %d\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{",
    "}",
    ";",
    ";",
    "->",
    "->",
    "::",
    "::",
    ":",
    ",",
    ".",
    "..",
    "=",
    "==",
    "!=",
    "!",
    "!!",
    "?",
    "??",
    "++",
    "--",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "~",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "@",
    "#",
    "##",
    "\\",
    "\n",
    "\n",
    "\n#define ",
    "\n#if ",
    "\n#endif\n",
    "U",
    "X",
    "always",
    "[]",
    "<>",
    "ä",
];

#[test]
fn random_words() {
    let mut random = Random(1);
    for _ in 0..3000 {
        let mut text =
            String::from(random.pick(&["", "init {", "proctype P(T a) { if ::", "inline f(a, b) {"]));
        for _ in 0..random.below(60) {
            let word = if random.chance(40) {
                Kind::WORDS[random.below(Kind::WORDS.len())].0
            } else {
                random.pick(&WORDS)
            };
            text += word;
            text += random.pick(&[" ", " ", " ", "", "\n"]);
        }
        survives(&text);
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(2);
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..random.below(120)).map(|_| random.bits() as u8).collect();
        survives(&String::from_utf8_lossy(&bytes));
    }
}

/// Right texts with words lost, doubled, moved and cut.
#[test]
fn damaged_models() {
    let mut random = Random(3);
    for seed in 0..600 {
        let text = print::model(&random_tree(&mut Choices::from_seed(seed)));
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ';']).collect();
        for _ in 0..1 + random.below(3) {
            let (i, j) = (random.below(words.len()), random.below(words.len()));
            match random.below(4) {
                0 => drop(words.remove(i)),
                1 => words.insert(i, words[j]),
                2 => words.swap(i, j),
                _ => words.truncate(i.max(1)),
            }
            if words.is_empty() {
                words.push("x");
            }
        }
        survives(&words.concat());
    }
}

#[test]
fn deep_texts_end_with_a_complaint() {
    let n = 30_000;
    let nested = [
        format!("init {{ a = {}1{} }}", "(".repeat(n), ")".repeat(n)),
        format!("init {{ a = {}", "(".repeat(n)),
        format!("init {{ a = {}1{} }}", "b[".repeat(n), "]".repeat(n)),
        format!("init {}a{}", "{".repeat(n), "}".repeat(n)),
        format!("init {{ {}skip{} }}", "if :: ".repeat(n), " fi".repeat(n)),
        format!("init {{ {}", "do :: ".repeat(n)),
        format!("init {{ {} skip", "atomic {".repeat(n)),
        format!("init {{ {}skip }}", "for (i : 1 .. 2) {".repeat(n)),
        format!("ltl {{ {}a{} }}", "(".repeat(n), ")".repeat(n)),
        format!("init {{ a = {}1 }}", "run P(".repeat(n)),
        format!("init {{ a = {}1 }}", "len(".repeat(n)),
        format!("#define f(x) x\ninit {{ a = {}1{} }}", "f(".repeat(n), ")".repeat(n)),
        format!("#if {}1{}\n#endif\ninit {{ skip }}", "(".repeat(n), ")".repeat(n)),
        format!("#if {}1\n#endif\ninit {{ skip }}", "! ".repeat(n)),
    ];
    for text in nested {
        let (_, parsed, _) = read(&text);
        assert!(has_errors(&parsed.diagnostics), "{}", &text[..60]);
        assert!(parsed.diagnostics.len() < 20, "{} diagnostics: {}", parsed.diagnostics.len(), &text[..60]);
    }
}

/// Texts that are long but not deep are parsed.
#[test]
fn long_texts_are_read() {
    let n = 30_000;
    let long = [
        format!("init {{ a = 1{} }}", " + 1".repeat(n)),
        format!("init {{ a = {}1 }}", "- ".repeat(n)),
        format!("ltl {{ {}a }}", "[] <> ! X ".repeat(n / 4)),
        format!("ltl {{ a{} }}", " U b".repeat(n)),
        format!("init {{ skip{} }}", "; a = 1".repeat(n)),
        format!("init {{ {}skip }}", "L: ".repeat(n)),
        format!("init {{ if{} fi }}", " :: skip".repeat(n)),
        format!("init {{ a{} = 1 }}", ".b".repeat(n)),
        format!("byte a{};", ", b".repeat(n)),
        format!("{}init {{ skip }}", "#if 1\n".repeat(n) + &"#endif\n".repeat(n)),
    ];
    for text in long {
        let (_, parsed, drawn) = read(&text);
        assert!(parsed.diagnostics.is_empty(), "{}", &drawn[..drawn.len().min(400)]);
        assert!(!print::model(&parsed.model).is_empty());
    }
}

/// Lowering recurses over expressions, up to a limit that the stack of any thread has room for.
#[test]
fn expressions_are_lowered_up_to_a_limit() {
    let sum = |operators: usize| format!("int a; init {{ a = 1{} }}", " + 1".repeat(operators));
    let both = |operators: usize| format!("byte a; init {{ skip }} ltl {{ a{} }}", " && a".repeat(operators));
    for text in [sum(2_000), both(2_000)] {
        let (_, parsed, _) = read(&text);
        let (lowered, diagnostics) = lower(&parsed.model);
        assert!(lowered.is_some(), "{diagnostics:?}");
    }
    for text in [sum(2_001), both(2_001), sum(100_000)] {
        let (_, parsed, _) = read(&text);
        let (lowered, diagnostics) = lower(&parsed.model);
        assert!(lowered.is_none());
        assert_eq!(diagnostics[0].code, codes::NESTING_TOO_DEEP);
    }
}

#[test]
fn text_that_doubles_itself_is_stopped() {
    let mut macros = String::from("#define m0 1\n");
    let mut inlines = String::from("inline i0() { skip }\n");
    for i in 1..40 {
        macros += &format!("#define m{i} m{} + m{}\n", i - 1, i - 1);
        inlines += &format!("inline i{i}() {{ i{}(); i{}() }}\n", i - 1, i - 1);
    }
    for text in [macros + "init { a = m39 }", inlines + "init { i39() }"] {
        let (_, parsed, drawn) = read(&text);
        assert!(parsed.diagnostics.iter().any(|d| d.code == codes::EXPANSION_LIMIT), "{drawn}");
        assert!(parsed.diagnostics.len() < 20, "{drawn}");
    }
    let nested = format!("#define f(x) x x\ninit {{ a = {}1{} }}", "f(".repeat(100), ")".repeat(100));
    assert!(has_errors(&read(&nested).1.diagnostics));
}

#[test]
fn files_that_include_themselves_are_stopped() {
    for inside in ["#include \"a.h\"\n", "#include \"a.h\"\n#include \"a.h\"\n"] {
        let (_, parsed, drawn) = read_with("#include \"a.h\"\ninit { skip }", &[("a.h", inside)]);
        assert!(parsed.diagnostics.iter().any(|d| d.code == codes::BAD_INCLUDE), "{drawn}");
        assert_eq!(parsed.model.units.len(), 1);
    }
}

#[test]
fn formulas_of_random_words() {
    let mut random = Random(5);
    for _ in 0..2000 {
        let (mut sources, mut parsed, _) = read("#define p (a == 1)\nproctype P() { skip }");
        let units = parsed.model.units.len();
        let text: Vec<&str> = (0..random.below(20)).map(|_| random.pick(&WORDS)).collect();
        let file = sources.add("--ltl", text.join(" "));
        let (id, diagnostics) = parse_formula(&mut sources, file, &mut parsed.model);
        let printed = print::expr(&parsed.model.exprs, id);
        assert!(!printed.contains('⟨') || has_errors(&diagnostics), "{text:?} {printed}");
        assert_eq!(parsed.model.units.len(), units);
    }
}

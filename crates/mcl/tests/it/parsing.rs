//! Texts of formulas: what binds what, macros, diagnostics, limits, printing.

use crate::support::{formula, generate, naive, read};
use volvelle_random::Random;

#[track_caller]
fn printed(text: &str, expected: &str) {
    assert_eq!(formula(text).to_string(), expected);
    assert_eq!(formula(expected).to_string(), expected);
}

/// The message of the first diagnostic, with its place.
#[track_caller]
fn refused(text: &str, expected: &str) {
    let (found, shown) = read(text);
    assert!(found.is_none(), "{text}");
    let first: Vec<&str> = shown.lines().take(2).collect();
    assert_eq!(first.join("").replace(" --> f.mcl:", " at "), expected, "{shown}");
}

#[test]
fn precedence_of_state_formulas() {
    printed(
        "not true and false or true implies false implies true equ false",
        "not true and false or true implies false implies true equ false",
    );
    printed("(true implies false) implies true", "(true implies false) implies true");
    printed("((true and (false)) and true)", "(true and false) and true");
    printed("true equ false equ true", "true equ false equ true");
    printed("true equ (false equ true)", "true equ (false equ true)");
    printed("[true] false or <true> (true or false)", "[ true ] false or < true > (true or false)");
    printed("not mu X . <\"a\"> X", "not mu X . (< \"a\" > X)");
    printed("@(\"a\".\"b\")", "@(\"a\" . \"b\")");
}

#[test]
fn precedence_of_regular_formulas() {
    printed("<\"a\" or \"b\"*> true", "< (\"a\" or \"b\")* > true");
    printed("<not \"a\"*.'b'> true", "< (not \"a\")* . 'b' > true");
    printed("<\"a\" . \"b\" | \"c\">true", "< \"a\" . \"b\" | \"c\" > true");
    printed("<(\"a\" | \"b\") . nil?>true", "< (\"a\" | \"b\") . nil? > true");
    printed("<((\"a\" or \"b\") and not \"c\")+>true", "< ((\"a\" or \"b\") and not \"c\")+ > true");
    printed("<true{2}{1..3}{0..}>true", "< true{2}{1 .. 3}{0 ..} > true");
    printed("<true{1...3}>true", "< true{1 .. 3} > true");
    printed(
        "<(\"a\" implies \"b\" equ 'c\\'d') . \"e\\\"\\\\\">true",
        "< (\"a\" implies \"b\" equ 'c\\'d') . \"e\\\"\\\\\" > true",
    );
}

#[test]
fn macros_are_expanded_where_they_are_called() {
    printed("NEVER (\"a\" or \"b\")", "[ true* . (\"a\" or \"b\") ] false");
    printed("RESPONSE (\"a\", 'b.*')", "[ true* . \"a\" ] mu X . (< true > true and [ not 'b.*' ] X)");
    printed(
        "macro A = \"a\" or \"b\" end_macro <not A . A*> true",
        "< (not (\"a\" or \"b\")) . (\"a\" or \"b\")* > true",
    );
    printed(
        "macro TWICE (R) = R . R end_macro <TWICE (TWICE (\"a\"))> true",
        "< (\"a\" . \"a\") . (\"a\" . \"a\") > true",
    );
    printed("macro NEVER () = true end_macro NEVER () and NEVER", "true and true");
    printed(
        "macro F (P) = P and P end_macro macro G (P) = F (F (P)) end_macro G (true)",
        "(true and true) and (true and true)",
    );
}

#[test]
fn variables_are_hygienic() {
    printed(
        "macro EF (P) = mu X . (P or <true> X) end_macro nu X . [true] EF (X)",
        "nu X . ([ true ] mu X_2 . (X or < true > X_2))",
    );
    refused(
        "macro M (P) = X and P end_macro nu X . M (X)",
        "error[V1402]: `X` is no variable or macro at 1:15",
    );
    printed("mu X . <true> nu X . [true] X", "mu X . (< true > nu X_2 . ([ true ] X_2))");
}

#[test]
fn comments_and_names() {
    printed("-- all\n(* a\n b *) true -- end", "true");
    printed("mu été . <true> été", "mu été . (< true > été)");
    refused("true (* end", "error[V1401]: a comment without an end at 1:6");
}

#[test]
fn diagnostics() {
    refused("", "error[V1401]: there is no formula at 1:1");
    refused("true true", "error[V1401]: expected the end of the formula, found `true` at 1:6");
    refused("<> true", "error[V1401]: expected a regular formula, found `>` at 1:2");
    refused("\"A\"", "error[V1401]: a label says nothing about a state at 1:1");
    refused("<\"A\"* or \"B\"> true", "error[V1401]: this operator joins single steps, not sequences at 1:7");
    refused("<i> true", "error[V1402]: `i` is no macro at 1:2");
    refused("true & false", "error[V1401]: `&` is no sign of formulas at 1:6");
    refused("<true> (mu X . <true> X) and X", "error[V1402]: `X` is no variable or macro at 1:30");
    refused("<true{3..2}> true", "error[V1401]: the second number is below the first at 1:6");
    refused(
        "macro M (P, P) = P end_macro M (true, true)",
        "error[V1407]: two parameters have the name `P` at 1:13",
    );
    refused("macro M = true M", "error[V1401]: the macro `M` has no end at 1:1");
    refused("macro M = M end_macro M", "error[V1402]: `M` is no variable or macro at 1:11");
    refused("NEVER (<true> true)", "error[V1401]: expected a regular formula, found `<` at 1:8");
    refused("[NEVER (\"a\")] true", "error[V1401]: expected a regular formula, found `[` at 1:2");
    refused("NEVER (\"a\"", "error[V1401]: expected `)` behind the arguments, found the end at 1:11");
    refused(
        "library standard.mcl end_library true",
        "error[V1401]: libraries in other files are not read at 1:1",
    );
    refused("nu X . (X equ true)", "error[V1404]: the fixpoint of `X` need not exist at 1:9");
    refused("nu X . (X implies true)", "error[V1404]: the fixpoint of `X` need not exist at 1:9");
}

#[test]
fn errors_do_not_hide_others() {
    let (_, shown) = read("[\"a\" .] (X or <'['> true) and (true or)");
    assert!(shown.contains("4 errors"), "{shown}");
    let (_, shown) = read("macro A = <> end_macro macro (= end_macro A or B");
    assert!(shown.contains("3 errors"), "{shown}");
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}true{}", "(".repeat(n), ")".repeat(n));
    assert!(read(&nested(250)).0.is_some());
    for deep in [
        nested(100_000),
        format!("{}true", "not ".repeat(100_000)),
        format!("{}true", "<\"a\">".repeat(100_000)),
        format!("{}true", "true implies ".repeat(100_000)),
        format!("true{}", " equ true".repeat(100_000)),
        format!("<true{}> true", "*".repeat(100_000)),
        format!("<{}true> true", "not ".repeat(100_000)),
        format!("<{}true> true", "(".repeat(100_000)),
    ] {
        let (found, shown) = read(&deep);
        assert!(found.is_none() && shown.starts_with("error[V1406]"), "{}", &shown[..200]);
    }
    // Chains are no nesting.
    let long = format!(
        "true{} and <\"a\"{} . ('b'{})*> true",
        " and true".repeat(50_000),
        " . \"a\"".repeat(50_000),
        " | 'b'".repeat(1000)
    );
    assert!(read(&long).0.is_some());
    // Macros that double what they get.
    let mut text = "macro M0 (P) = P and P end_macro ".to_owned();
    for n in 1..60 {
        text += &format!("macro M{n} (P) = M{} (M{} (P)) end_macro ", n - 1, n - 1);
    }
    let (found, shown) = read(&(text + "M59 (true)"));
    assert!(found.is_none() && shown.starts_with("error[V1406]"), "{}", &shown[..200]);
}

#[test]
fn printing_loses_nothing() {
    let mut random = Random(5);
    for _ in 0..2000 {
        let depth = 1 + random.below(5);
        let text = generate::text(&mut random, depth);
        let first = formula(&text);
        let printed = first.to_string();
        let second = formula(&printed);
        assert_eq!(second.to_string(), printed, "{text}");
        let lts = generate::lts(&mut random, 5);
        assert_eq!(naive::states(&first, &lts), naive::states(&second, &lts), "{text}\n{printed}");
    }
}

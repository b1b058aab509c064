//! Diagnostics of mistakes: the code, the marked text, the message, and a part of the help.

use crate::common::read;
use volvelle_diagnostics::{Severity, codes};
use volvelle_promela::print;

/// A text, the marked text, the message, and a part of the help (may be empty).
type Case = (&'static str, &'static str, &'static str, &'static str);

#[track_caller]
fn check(code: volvelle_diagnostics::Code, cases: &[Case]) {
    for &(text, marked, message, help) in cases {
        let (sources, parsed, drawn) = read(text);
        assert_eq!(parsed.diagnostics.len(), 1, "{text}\n{drawn}");
        let diagnostic = &parsed.diagnostics[0];
        assert_eq!((diagnostic.code, diagnostic.message.as_str()), (code, message), "{text}");
        let span = diagnostic.primary.as_ref().expect("a place").span;
        assert_eq!(sources.text(span), marked, "{text}\n{drawn}");
        let helps = diagnostic.helps.join("\n");
        assert!(helps.contains(help) && (help.is_empty() == helps.is_empty()), "{text}: {helps}");
    }
}

#[test]
fn syntax() {
    check(
        codes::PROMELA_SYNTAX,
        &[
            ("init { }", "}", "expected a statement, found `}`", "skip"),
            ("init { if :: a :: fi }", "fi", "expected a statement, found `fi`", "skip"),
            ("init { ; a }", ";", "`;` with nothing before it", "leave it out"),
            ("init { if :: -> a fi }", "->", "`->` with nothing before it", "leave it out"),
            ("init { a = }", "}", "expected an expression, found `}`", ""),
            ("init { a = (b + c }", "}", "expected `)`, found `}`", ""),
        ],
    );
    check(
        codes::PROMELA_SYNTAX,
        &[
            ("init { if :: a; b }", "}", "expected `;`, `::` or `fi`, found `}`", ""),
            ("init { do :: a fi }", "fi", "expected `;`, `::` or `od`, found `fi`", ""),
            ("init { a = 1", "", "expected `;` or `}`, found the end of the text", ""),
            ("init { a = 1 proctype P() { skip }", "proctype", "expected `;` or `}`, found `proctype`", ""),
            (
                "init { x = a\n + b }",
                "+",
                "the statement ends with its line, and no statement begins with `+`",
                "previous line",
            ),
            ("init { run P\n skip }", "P", "expected `(`, found the end of the line", ""),
            ("init { goto 3 }", "3", "expected the name of a label, found the number `3`", ""),
            (
                "init { (a -> b) }",
                ")",
                "expected `:` and the value if the condition is false (`(c -> a : b)`), found `)`",
                "",
            ),
            ("init { a[1][2] = 3 }", "[", "arrays have one dimension", "typedef"),
            ("init { a unless b unless c }", "unless", "several `unless` in a row need braces", "unless"),
            (
                "init { x = set_priority(1, 2) }",
                "set_priority",
                "`set_priority` is a statement and has no value",
                "separate statement",
            ),
            ("init { atomic x = 1; y }", "x", "statements must be in braces here", "{"),
            ("ltl { a R b }", "R", "there is no operator `R`", "release"),
            ("ltl { G (a) }", "(", "there is no operator `G`", "[]"),
            ("init { x = eval(a) }", "eval", "`eval` is allowed only in the arguments of a receive", "leave"),
            ("init { q?a+1 }", "+", "expected `;`, found `+`", ""),
            ("init { x = \"a\" }", "\"a\"", "a string is allowed in `printf` only", "'a'"),
            ("init { x = 0x10 }", "0x10", "`0x10` is neither a number nor a name", "decimal"),
            (
                "init { typedef T { byte a } }",
                "typedef",
                "`typedef` is allowed only outside of processes",
                "missing",
            ),
            ("proctype P(byte a, byte b) { skip }", ",", "expected `;` before `byte`", "byte a, b; chan c"),
            (
                "proctype P(byte a = 1) { skip }",
                "a",
                "a parameter cannot have an initial value",
                "is started",
            ),
            ("proctype P(byte a[2]) { skip }", "a", "a parameter cannot be an array", "typedef"),
            (
                "proctype P() provided (a) priority 2 { skip }",
                "priority",
                "`priority` must come before `provided`",
                "priority 3",
            ),
            ("unsigned x;", "x", "`unsigned` needs a number of bits", "unsigned x : 5"),
            ("byte x : 3;", "x", "only `unsigned` takes a number of bits", "unsigned x"),
            (
                "hidden show byte x;",
                "show",
                "a variable can be only one of `hidden`, `show` and `local`",
                "keep",
            ),
            ("typedef T { }", "typedef", "this type has no fields", "declare"),
            ("ltl p { a : b }", ":", "expected an operator or `}`, found `:`", ""),
            ("a = 1;", "a", "expected a declaration or a process, found the name `a`", ""),
        ],
    );
}

#[test]
fn habits_of_other_languages() {
    check(
        codes::C_HABIT,
        &[
            ("init { x += 1 }", "+", "there is no operator `+=`", "x = x + 1"),
            (
                "init { ++x }",
                "++",
                "`++` after a variable makes a statement and cannot be part of an expression",
                "x++",
            ),
            (
                "init { x = y--; z }",
                "--",
                "`--` after a variable makes a statement and cannot be part of an expression",
                "x++",
            ),
            ("init { if :: (x = 1) -> y fi }", "=", "an assignment is a statement and has no value", "=="),
            ("init { x === 1 }", "=", "there is no operator `===`", "=="),
            ("init { while (x) { y } }", "while", "Promela has no `while`", "do ::"),
            (
                "init { if (x) { y } else { z } }",
                "if",
                "`if` needs alternatives, each with `::` before it",
                "if ::",
            ),
            ("init { do { y } od; z }", "do", "`do` needs alternatives, each with `::` before it", "do ::"),
            ("init { for (i = 0; i < 3; i++) { y } }", "(", "this is a loop of C", "for (i : 0 .. n - 1)"),
            (
                "init { for (int i = 0; i < 3; i++) { y } }",
                "(",
                "this is a loop of C",
                "for (i : 0 .. n - 1)",
            ),
            ("init { for (i : 1 .. 2) x = i; y }", "x", "the body of a loop must be in braces", "even for"),
            ("ltl { a => b }", "=", "there is no operator `=>`", "->"),
            ("char c;", "char", "`char` is not a Promela type", "byte"),
            ("init { long x; y }", "long", "`long` is not a Promela type", "int"),
            ("int f(int a) { skip }", "(", "Promela has no functions", "inline"),
        ],
    );
    check(
        codes::PROMELA_SYNTAX,
        &[
            ("init { a =< b }", "<", "there are no operators `=<` and `=>`", "<="),
            ("init { a <> b }", ">", "`<>` is a temporal operator and is allowed in formulas only", "!="),
            (
                "init { x = (a ? 1 : 2) }",
                "?",
                "a receive or `? :` cannot be part of an expression",
                "(c -> a : b)",
            ),
        ],
    );
}

#[test]
fn words_and_characters() {
    check(
        codes::MISSING_SEPARATOR,
        &[
            ("init { a = 1 b = 2 }", "1", "expected `;` before the name `b`", ""),
            ("init { do :: a od b }", "d", "expected `;` before the name `b`", ""),
        ],
    );
    check(codes::RESERVED_WORD, &[("byte of;", "of", "`of` is a reserved word and cannot be a name", "of_")]);
    check(
        codes::UNEXPECTED_CHARACTER,
        &[
            ("byte ä;", "ä", "the character `ä` has no meaning here", "letters"),
            ("init { x = 'ä' }", "'ä'", "'ä' is not an ASCII character", "number"),
        ],
    );
    check(
        codes::UNTERMINATED,
        &[
            ("init { printf(\"abc)\n }", "\"abc)", "this string has no end", "closing"),
            ("init { x = 'ab }", "'", "apostrophes enclose a single character", "'a'"),
        ],
    );
    check(
        codes::VALUE_CUT,
        &[
            ("int a = 4294967297;", "4294967297", "`4294967297` does not fit into an `int`: 1 is used", ""),
            (
                "int a = 2147483648;",
                "2147483648",
                "`2147483648` does not fit into an `int`: -2147483648 is used",
                "",
            ),
            // Negative, it is the least value.
            (
                "int a = -2147483649;",
                "2147483649",
                "`2147483649` does not fit into an `int`: -2147483647 is used",
                "",
            ),
            (
                "int a = 99999999999999999999;",
                "99999999999999999999",
                "`99999999999999999999` does not fit into an `int`: -1 is used",
                "",
            ),
        ],
    );
}

#[test]
fn inlines() {
    check(
        codes::INLINE_CALL,
        &[
            ("inline f(a) { a } init { f(1, 2) }", "f", "the inline `f` takes 1 argument, not 2", ""),
            ("inline f(a, b) { a } init { f() }", "f", "the inline `f` takes 2 arguments, not 0", ""),
            ("inline f(a) { f(a) } init { f(1) }", "f", "the inline `f` calls itself", "text"),
            ("inline f(a) { a } init { f(1,) }", "f", "an argument of this call is empty", "commas"),
            (
                "inline f(a) { a } init { x = 1 + f(1) }",
                "f",
                "the inline `f` cannot be used like this",
                "x = name",
            ),
            ("inline f(a) { a } byte f;", "f", "the inline `f` cannot be used like this", "x = name"),
            (
                "inline f(a) { return a } init { f(1) }",
                "return",
                "this inline returns a value that its call does not use",
                "x = name",
            ),
            ("init { return 1 }", "return", "`return` outside of an inline", "inline"),
            (
                "init { f(1) } inline f(a) { a }",
                "(",
                "no inline `f` is defined before this call",
                "define it earlier",
            ),
            (
                "inline f(a) { a } inline f(b) { b } init { f(1) }",
                "f",
                "the inline `f` is defined twice",
                "another name",
            ),
        ],
    );
    check(
        codes::PROMELA_SYNTAX,
        &[
            ("inline f(a) { a", "", "expected `}`, found the end of the text", ""),
            ("ltl { [] done (q) }", "(", "expected an operator after `done`, found `(`", "calls nothing"),
        ],
    );
}

#[test]
fn other_codes() {
    check(
        codes::MISPLACED_LABEL,
        &[
            ("init { L: byte x; x }", "L", "the label `L` precedes a declaration", "next statement"),
            ("init { a unless L: b }", "L", "the label `L` precedes an escape", "after it"),
        ],
    );
    check(
        codes::FORMULA_BINDING,
        &[
            ("ltl { [] a == 1 }", "==", "`==` needs values, but a temporal formula has none", "[] (a == b)"),
            ("ltl { (a U b) + 1 }", "+", "`+` needs values, but a temporal formula has none", ""),
            ("ltl { a & [] b }", "&", "`&` is a bitwise operator; between formulas it is read as `&&`", "&&"),
        ],
    );
    check(
        codes::NEGATED_QUERY,
        &[("init { !full(q) }", "!", "SPIN does not accept a negated `full`", "nfull")],
    );
    let (_, parsed, _) = read("init { !full(q) }");
    assert_eq!(parsed.diagnostics[0].severity, Severity::Warning);
    check(
        codes::EMBEDDED_C,
        &[
            ("c_decl { int x; };\nbyte y;", "c_decl", "`c_decl` embeds C, which is not supported", "declare"),
            (
                "init { c_code { x = 'abc'; } y }",
                "c_code",
                "`c_code` embeds C, which is not supported",
                "statements",
            ),
            (
                "init { c_expr { x } -> y }",
                "c_expr",
                "`c_expr` embeds C, which is not supported",
                "condition",
            ),
            (
                "c_state \"int x\" \"Global\"\nbyte y;",
                "c_state",
                "`c_state` embeds C, which is not supported",
                "declare",
            ),
            (
                "\\#include <stdio.h>\nbyte y;",
                "\\",
                "`\\#` passes a line on to a C compiler, which does not exist here",
                "include",
            ),
        ],
    );
}

/// One mistake does not hide the next, and what is right around mistakes is read.
#[test]
fn several_mistakes() {
    let text = "byte a = ;\ninit { x = ; y = 1; z = (2; w = 3\n v = * 4\n if :: u = 5 :: ) fi; t = 6 }\nproctype P( { skip }\nbyte b;";
    let (_, parsed, drawn) = read(text);
    assert_eq!(parsed.diagnostics.len(), 6, "{drawn}");
    let printed = print::model(&parsed.model);
    for part in ["y = 1", "w = 3", "u = 5", "t = 6", "byte b"] {
        assert!(printed.contains(part), "{part} is lost:\n{printed}");
    }
}

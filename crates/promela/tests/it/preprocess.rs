//! The preprocessor, seen through texts that it makes: `#` shows what arguments expand to.

use crate::common::{self, has_errors, read, read_with, right};
use volvelle_diagnostics::{Severity, Sources, codes};
use volvelle_promela::ast::{StatementKind, Unit};
use volvelle_promela::{parse, print};

/// The expansion of a text, in a model with some definitions.
#[track_caller]
fn expanded(definitions: &str, text: &str) -> String {
    let model = format!(
        "{definitions}\n#define SHOW_(...) #__VA_ARGS__\n#define SHOW(...) SHOW_(__VA_ARGS__)\ninit {{ printf(SHOW({text})) }}"
    );
    let parsed = right(&model);
    let Some(Unit::Proctype(init)) = parsed.model.units.last() else { panic!("{model}") };
    match &init.body.statements[0].kind {
        StatementKind::Printf { format, .. } => format.clone(),
        other => panic!("{other:?}"),
    }
}

/// Example 3 of C99, 6.10.3.5.
#[test]
fn rescanning() {
    let definitions = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x";
    let cases = [
        (
            "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);",
            "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);",
        ),
        ("g(x+(3,4)-w) & m\n(f)^m(m);", "f(2 * (2+(3,4)-0,1)) & f(2 * (0,1))^m(0,1);"),
        ("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };", "int i[] = { 1, 23, 4, 5, };"),
        ("str(hello) str()", "\\\"hello\\\" \\\"\\\""),
    ];
    for (text, expected) in cases {
        assert_eq!(expanded(definitions, text), expected, "{text}");
    }
}

/// Examples 4, 5 and 7 of C99, 6.10.3.5.
#[test]
fn texts_and_joined_words() {
    let definitions = "#define xstr(s) str(s)\n#define str(s) # s\n#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n\
        #define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
        #define t(x,y,z) x ## y ## z\n#define all(first, ...) first; __VA_ARGS__";
    let cases = [
        ("xstr(INCFILE(2))", "\\\"vers2\\\""),
        ("glue(HIGH, LOW); xglue(HIGH, LOW)", "\\\"hello\\\"; \\\"hello\\\" \\\", world\\\""),
        (
            "t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,)",
            "123, 45, 67, 89, 10, 11, 12,",
        ),
        ("str('\\n' \"a\\\"b\")", "\\\"'\\\\\\\\n' \\\\\\\"a\\\\\\\\\\\\\\\"b\\\\\\\"\\\""),
        ("all(1, 2, (3, 4)) all(5)", "1; 2, (3, 4) 5;"),
        ("__LINE__", "12"),
    ];
    for (text, expected) in cases {
        assert_eq!(expanded(definitions, text), expected, "{text}");
    }
}

#[test]
fn conditions() {
    let cases = [
        ("1", true),
        ("0", false),
        ("unknown", false),
        ("N == 3 && defined(N) && defined N", true),
        ("!defined(M)", true),
        ("2 + 3 * 4 == 14 && (2 + 3) * 4 == 20", true),
        ("1 ? 0 : 1", false),
        ("0 ? 1 : 0 ? 1 : 2", true),
        ("0 && 1 / 0", false),
        ("1 || 1 / 0", true),
        ("-1 < 0 && ~0 == -1 && !0", true),
        ("1 << 4 == 16 && 17 >> 4 == 1", true),
        ("7 % 4 == 3 && 7 / 2 == 3 && (6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5", true),
        ("010 == 8 && 'a' == 97", true),
        ("F(2) == 3", true),
        ("N >= 3 && N <= 3 && N != 4 && N > 2", true),
        ("!!N == 1 && - -N == 3", true),
    ];
    for (condition, holds) in cases {
        let text = format!(
            "#define N 3\n#define F(x) (x + 1)\n#if {condition}\nbyte yes;\n#else\nbyte no;\n#endif\n"
        );
        let expected = if holds { "byte yes;\n" } else { "byte no;\n" };
        assert_eq!(print::model(&right(&text).model), expected, "{condition}");
    }
    for wrong in ["", "1 +", "(1", "1 / 0", "1 2", "\"a\"", "defined", "1 ? 2", "99999999999999999999"] {
        let (_, parsed, drawn) = read(&format!("#if {wrong}\nbyte yes;\n#endif\n"));
        assert_eq!(parsed.diagnostics.len(), 1, "{wrong}: {drawn}");
        assert_eq!(parsed.diagnostics[0].code, codes::BAD_DIRECTIVE, "{wrong}");
        assert!(parsed.model.units.is_empty());
    }
}

#[test]
fn branches() {
    let text = "#if 0\nit's \"open\n#if 1\nbyte a;\n#else\n#endif\n#elif 1\nbyte b;\n#elif 1\nbyte c;\n#else\nbyte d;\n#endif\n\
        #ifdef X\nbyte e;\n#endif\n#ifndef X\n#define X\nbyte f;\n#endif\n#ifdef X\nbyte g;\n#endif\n#undef X\n#ifdef X\nbyte h;\n#endif";
    assert_eq!(print::model(&right(text).model), "byte b;\nbyte f;\nbyte g;\n");
}

#[test]
fn included_files() {
    let files = [
        ("defs.h", "#define N 2\n#include \"sub/more.h\"\n"),
        ("sub/more.h", "#include \"../last.h\""),
        ("last.h", "byte last;"),
    ];
    let (sources, parsed, drawn) = read_with("#include \"defs.h\"\nbyte a[N];", &files);
    assert!(parsed.diagnostics.is_empty(), "{drawn}");
    assert_eq!(print::model(&parsed.model), "byte last;\nbyte a[2];\n");
    let Unit::Declaration(last) = &parsed.model.units[0] else { panic!() };
    let span = parsed.model.places.span(last.place);
    assert_eq!((sources.file(span.file).name.as_str(), sources.text(span)), ("last.h", "byte last"));
    for (line, message) in [
        ("#include <stdio.h>", "system files cannot be included"),
        ("#include \"none.h\"", "the included file `none.h` cannot be read"),
        ("#include \"../a.h\"", "`../a.h` lies outside the folder of the model"),
        ("#include", "`#include` needs the name of a file"),
        ("#include 3", "`#include` needs the name of a file in quotes"),
    ] {
        let (_, parsed, drawn) = read(line);
        assert_eq!(parsed.diagnostics.len(), 1, "{drawn}");
        assert_eq!(parsed.diagnostics[0].message, message);
    }
}

#[test]
fn macros_from_outside() {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", "#ifdef FAST\nbyte a[N];\n#endif");
    let defines = [("N".to_owned(), "2 + 3".to_owned()), ("FAST".to_owned(), String::new())];
    let parsed = parse(&mut sources, file, &mut common::Files(&[]), &defines);
    assert!(parsed.diagnostics.is_empty());
    assert_eq!(print::model(&parsed.model), "byte a[2 + 3];\n");
}

#[test]
fn wrong_directives() {
    let cases = [
        ("#defin X 1", "`#defin` is not a directive"),
        ("#else", "`#else` without `#if`"),
        ("#endif", "`#endif` without `#if`"),
        ("#if 1", "this condition has no end"),
        ("#if 1\n#else\n#else\n#endif", "`#else` after `#else`"),
        ("#define", "`#define` needs the name of a macro"),
        ("#define 3", "`#define` needs the name of a macro"),
        ("#define f(a", "the parameters of this macro have no closing `)`"),
        ("#define f(a, a) 1", "these are not macro parameters"),
        ("#define f(1) 1", "these are not macro parameters"),
        ("#define f(a) ## a", "`##` needs something on both sides"),
        ("#define defined 1", "`defined` cannot be defined"),
        ("#error not for  N > 3", "`#error` not for  N > 3"),
        ("#define f(a, b) a\nbyte x = f(1);", "the macro `f` takes 2 arguments, not 1"),
        ("#define f(a) a\nbyte x = f(1", "the call of the macro `f` has no closing `)`"),
        ("#define f(a, b) a ## b\nbyte x = f(+, 1);", "`+` and `1` do not form a token together"),
        ("/* open", "this comment has no end"),
    ];
    for (text, message) in cases {
        let (_, parsed, drawn) = read(text);
        assert!(parsed.diagnostics.iter().any(|d| d.message == message), "{text}:\n{drawn}");
        assert!(has_errors(&parsed.diagnostics));
    }
}

#[test]
fn macros_that_change_are_told() {
    let (_, parsed, drawn) = read("#define N 3\n#define N 3\n#define N 4\nbyte a = N;");
    assert_eq!(parsed.diagnostics.len(), 1, "{drawn}");
    assert_eq!(parsed.diagnostics[0].severity, Severity::Warning);
    assert_eq!(print::model(&parsed.model), "byte a = 4;\n");
}

/// The caret is under the text that a person wrote, and the calls are shown.
#[test]
fn places_lead_through_calls() {
    let text = "#define BAD(x) x + )\n#define OUTER BAD(1)\nbyte a = OUTER;";
    let (sources, parsed, _) = read(text);
    let diagnostic = &parsed.diagnostics[0];
    let place = |span| {
        let at = sources.line_column(span);
        (at.line, at.column, sources.text(span))
    };
    assert_eq!(place(diagnostic.primary.as_ref().unwrap().span), (1, 20, ")"));
    let calls: Vec<_> = diagnostic.secondary.iter().map(|label| place(label.span)).collect();
    assert_eq!(calls, [(2, 15, "BAD(1)"), (3, 10, "OUTER")]);
}

#[test]
fn included_files_stay_inside() {
    let files = [
        ("a.h", "#define A 1"),
        ("sub/up.h", "#include \"../a.h\""),
        ("sub/down.h", "#include \"./x/a.h\""),
        ("sub/x/a.h", "#define B 2"),
    ];
    for (included, name, value) in [("a.h", "A", "1"), ("sub/up.h", "A", "1"), ("sub/down.h", "B", "2")] {
        let (_, parsed, drawn) = read_with(&format!("#include \"{included}\"\nbyte a[{name}];"), &files);
        assert!(!has_errors(&parsed.diagnostics), "{drawn}");
        assert!(print::model(&parsed.model).contains(&format!("[{value}]")), "{included}");
    }
    for outside in ["/etc/passwd", "../a.h", "x/../../a.h", "C:a", "", ".", "a\\b"] {
        let (_, _, drawn) = read_with(&format!("#include \"{outside}\""), &files);
        assert!(drawn.contains(&format!("`{outside}` lies outside the folder of the model")), "{drawn}");
    }
}

//! What the index says of Promela models.

use crate::shown::{checked, expect};
use volvelle_symbols::{Kind, SymbolId, Token, TokenKind};

#[test]
fn processes_and_their_variables() {
    expect(
        "promela",
        &["#define N 2
mtype = { ping, pong };
chan link = [N] of { mtype, byte };
byte turn = 1, count[N];
active [N] proctype Worker(byte id) {
  byte x = id;
again:
  if
  :: link ! ping(x) -> count[_pid] = turn
  :: link ? pong, x -> { byte x; x++; turn = x }; x--
  :: else -> goto again
  fi
}
init { run Worker(1) }
ltl safe { [] (turn < N && Worker@again) }"],
        "Macro `#define N 2`: 1= 3 4 5 15
        Constant `mtype = { ping, pong }`: 2= 9
        Constant `mtype = { ping, pong }`: 2= 10
        Channel `chan link = [N] of { mtype, byte }`: 3= 9 10
        Variable `byte turn = 1`: 4= 9 10! 15
        Variable `byte count[N]`: 4= 9!
        Process `active [N] proctype Worker(byte id)`: 5= 14 15
        Parameter in Worker `byte id`: 5= 6
        Variable in Worker `byte x = id`: 6= 9 10! 10!
        Location in Worker `again:`: 7= 11 15
        Variable in Worker `byte x`: 10= 10! 10
        Process `init`:
        Property `ltl safe { [] (turn < N && Worker@again) }`: 15=
        Variable `the number of the process`: 9",
    );
}

#[test]
fn structures() {
    expect(
        "promela",
        &["typedef Inner { byte low; bool on[2] }
typedef Outer { Inner part[3]; chan to = [0] of { Inner } }
Outer o;
mtype:fruit = { apple };
mtype:fruit f = apple;
active proctype P() { o.part[1].low = 3; o.to ? o.part[0]; f = apple; o.part[0].on[o.part[1].low] = 1 }"],
        "Type `typedef Inner { byte low; bool on[2] }`: 1= 2 2
        Field in Inner `byte low`: 1= 6! 6
        Field in Inner `bool on[2]`: 1= 6!
        Type `typedef Outer { Inner part[3]; chan to = [0] of { Inner } }`: 2= 3
        Field in Outer `Inner part[3]`: 2= 6! 6! 6! 6
        Field in Outer `chan to = [0] of { Inner }`: 2= 6
        Variable `Outer o`: 3= 6! 6 6! 6! 6
        Type `mtype:fruit = { apple }`: 4= 5
        Constant `mtype:fruit = { apple }`: 4= 5 6
        Variable `mtype:fruit f = apple`: 5= 6!
        Process `active proctype P()`: 6=",
    );
}

#[test]
fn macros_and_inlines() {
    expect(
        "promela",
        &["#define add(a, b) (a + b + step)
#ifdef add
byte step, total;
#endif
inline bump(v, by) { byte old; old = v; v = add(old, by); again: skip; goto again }
active proctype P() { bump(total, 2); bump(step, 1) }
#undef add
#if 0
step nonsense
#endif"],
        "Macro `#define add(a, b) (a + b + step)`: 1= 2 5 7
        Parameter in add `a`: 1= 1
        Parameter in add `b`: 1= 1
        Variable `byte step`: 1 3= 6 9
        Variable `byte total`: 3= 6
        Inline `inline bump(v, by)`: 5= 6 6
        Parameter in bump `v`: 5= 5 5
        Parameter in bump `by`: 5= 5
        Variable in bump `byte old`: 5= 5! 5
        Location in bump `again:`: 5= 5
        Process `active proctype P()`: 6=",
    );
}

#[test]
fn claims_and_remote_variables() {
    expect(
        "promela",
        &["byte x;
active proctype P() { byte y; y = x; here: skip }
never { do :: P@here -> break :: P:y == x od }
trace { x ! 1 }
ltl { <> (P[0]:y == 1) }"],
        "Variable `byte x`: 1= 2 3 4
        Process `active proctype P()`: 2= 3 3 5
        Variable in P `byte y`: 2= 2! 3 5
        Location in P `here:`: 2= 3
        Property `never`:
        Property `trace`:
        Property `ltl { <> (P[0]:y == 1) }`:",
    );
}

#[test]
fn tokens() {
    let text = "#define N 0x /* a */ // b \\\nc\nltl p { always x U 'a' } inline f() { for (i in q) { printf(\"x\") } }";
    let index = checked("promela", &[text]);
    let kinds: Vec<(TokenKind, &str)> = index
        .tokens
        .iter()
        .map(|token| (token.kind, &text[token.span.start as usize..token.span.end as usize]))
        .collect();
    use TokenKind as T;
    for expected in [
        (T::Keyword, "define"),
        (T::Name(Kind::Macro), "N"),
        (T::Comment, "/* a */"),
        (T::Comment, "// b \\\nc"),
        (T::Keyword, "always"),
        (T::Keyword, "U"),
        (T::Text, "'a'"),
        (T::Keyword, "in"),
        (T::Name(Kind::Inline), "f"),
        (T::Text, "\"x\""),
    ] {
        assert!(kinds.contains(&expected), "{expected:?} in {kinds:?}");
    }
}

#[test]
fn included_texts() {
    expect(
        "promela",
        &[
            "#include \"t1\"
#include \"t2\"
active proctype P() { bump(total); total = N }",
            "#ifndef GUARD
#define GUARD
#define N 3
byte total = N;
#endif",
            "#include \"t1\"
#include \"t1\"
inline bump(v) { v = v + N }",
        ],
        "Process `active proctype P()`: 3=
        Macro `#define GUARD`: 1:1 1:2=
        Macro `#define N 3`: 3 1:3= 1:4 2:3
        Variable `byte total = N`: 3! 3! 1:4=
        Inline `inline bump(v)`: 3 2:3=
        Parameter in bump `v`: 2:3= 2:3 2:3",
    );
}

/// A macro is one text, which means something else for each call: the first counts, and the others are not forgotten.
#[test]
fn names_that_mean_several_things() {
    let text = "byte g;\n#define bump i = i + g
inline own() { int j; j = i }
active proctype P() { int i; bump; own() }
active proctype Q() { int i; bump; bump; own() }
active proctype R() { byte k = g; k = g }";
    let index = checked("promela", &[text]);
    let of = |name: &str| {
        let found = index.symbols.iter().enumerate().filter(|(_, symbol)| symbol.name == name);
        let places = |number: usize| index.shared_places(SymbolId(number as u32)).count();
        found.map(|(number, _)| places(number)).collect::<Vec<_>>()
    };
    // Twice in the macro, once in the inline.
    assert_eq!(of("i"), [3, 3]);
    for name in ["g", "j", "k", "P", "bump", "own"] {
        assert_eq!(of(name), [0], "{name}");
    }
    assert_eq!(index.shared.len(), 3);
}

/// The tokens of a text, with what they are.
fn shown(text: &str) -> Vec<(TokenKind, &str)> {
    let index = checked("promela", &[text]);
    let token = |token: &Token| (token.kind, &text[token.span.start as usize..token.span.end as usize]);
    index.tokens.iter().map(token).collect()
}

/// Whether a comment goes on is what the lexer says: only a backslash right before the end of the line joins it with the next one.
#[test]
fn comments_that_go_on() {
    for (text, comments) in [
        ("// a \\\n// b\n", 1),
        ("// a \\\r\n// b\n", 1),
        ("// a \\\\\n// b\n", 1),
        ("// a \\ \n// b\n", 2),
        ("// a \\\t\n/* b */ // c", 3),
        ("// a \\ \r\n// b \\\n x\n// c", 3),
        ("// a\n\\\n// b", 2),
        ("// a \\", 1),
    ] {
        let tokens = shown(text);
        let found = tokens.iter().filter(|(kind, _)| *kind == TokenKind::Comment).count();
        assert_eq!((found, tokens.len()), (comments, comments), "{text:?}: {tokens:?}");
    }
}

/// The word behind `#` is one of the preprocessor; behind `##`, it is a name like any other.
#[test]
fn words_behind_signs_of_the_preprocessor() {
    let text = "#define CAT(a) a##q\n#define GAP(b) b ## \tr\n # define N 1\n#nothing\n";
    let tokens = shown(text);
    let of = |name: &str| tokens.iter().find(|(_, shown)| *shown == name).expect("it is there").0;
    assert_eq!(of("q"), TokenKind::Name(Kind::Variable));
    assert_eq!(of("r"), TokenKind::Name(Kind::Variable));
    assert_eq!(of("nothing"), TokenKind::Keyword);
    assert_eq!(tokens.iter().filter(|token| **token == (TokenKind::Keyword, "define")).count(), 3);
}

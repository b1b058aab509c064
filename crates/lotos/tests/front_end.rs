//! What is refused, and where; texts that are long or deep.

use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lower::{Lowered, lower};
use volvelle_lotos::{library, parse};

fn read(text: &str) -> (Option<Lowered>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text);
    let (mut tree, mut diagnostics) = parse::specification(file, text);
    diagnostics.extend(library::add(&mut tree, &mut sources));
    // As a session does it: a tree with errors would be another specification, but more can be said about it.
    let is_broken = !diagnostics.is_empty();
    let (lowered, more) = lower(&sources, &tree, Ranges::default());
    diagnostics.extend(more);
    (lowered.filter(|_| !is_broken), diagnostics, sources)
}

/// The codes of the diagnostics of a behaviour in a specification with gates A and B, and the text under the first.
fn refused(behaviour: &str, rest: &str) -> (Vec<String>, String) {
    let text = format!("specification S [A, B] : noexit\n{rest}\nbehaviour {behaviour}\nendspec");
    let (lowered, diagnostics, sources) = read(&text);
    assert!(lowered.is_none() || diagnostics.is_empty(), "{text}");
    let codes = diagnostics.iter().map(|d| d.code.to_string()).collect();
    let first = diagnostics.first().and_then(|d| d.primary.as_ref());
    (codes, first.map_or(String::new(), |label| sources.text(label.span).to_owned()))
}

fn process(text: &str) -> String {
    format!("P [A, B] (0) where process P [A, B] (N : NAT) : noexit := {text} endproc")
}

const LIST: &str = "type L is NATURAL sorts L opns NIL : -> L CONS : NAT, L -> L TAIL : L -> L \
    eqns forall X : NAT, S : L ofsort L TAIL (CONS (X, S)) = S; endtype";

#[test]
fn mistakes_have_codes_and_places() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("A; B stop", "", "V1301", "stop"),
        ("A !1 !x; stop", "", "V1302", "x"),
        ("C; stop", "", "V1302", "C"),
        ("Q [A]", "", "V1302", "Q"),
        ("A ?x : NATT; stop", "", "V1302", "NATT"),
        ("stop", "type T is U endtype", "V1302", "U"),
        ("stop", "library NOTHING endlib", "V1302", "NOTHING"),
        ("stop", "type T is sorts T, T opns X : -> T endtype", "V1303", "T"),
        ("stop", "type T is T endtype", "V1303", "T"),
        ("[A1] -> stop", "type T is sorts T opns A1 : -> T endtype", "V1304", "A1"),
        ("[1 == TRUE] -> stop", "", "V1304", "=="),
        ("A !300; stop", "", "V1304", "300"),
        (
            "stop",
            "type T is sorts T opns C : -> T F : T -> T eqns forall X, Y : T ofsort T F (X) = Y; endtype",
            "V1305",
            "Y",
        ),
        (
            "stop",
            "type T is sorts T opns C (*! constructor *) : -> T eqns ofsort T C = C; endtype",
            "V1305",
            "C = C",
        ),
        ("exit (1) >> stop", "", "V1306", "exit (1) >> stop"),
        ("(exit [] exit (1)) >> stop", "", "V1306", "exit (1)"),
        ("exit", "", "V1306", "S"),
        (
            "stop",
            "type T is sorts T opns F (*! implementedby F external *) : NAT -> T G (*! constructor external *) : -> T endtype",
            "V1310",
            "F",
        ),
    ];
    for (behaviour, rest, code, place) in cases {
        let (codes, found) = refused(behaviour, rest);
        assert_eq!(codes.first().map(String::as_str), Some(*code), "{behaviour} {rest}: {codes:?} {found}");
        assert_eq!(found, *place, "{behaviour} {rest}");
    }
}

#[test]
fn recursion_without_a_bound_is_refused() {
    for (body, place) in [
        ("P [A, B] (N)", "P [A, B] (N)"),
        ("i; stop [] P [A, B] (N)", "P [A, B] (N)"),
        ("A; (stop ||| P [A, B] (N))", "stop ||| P [A, B] (N)"),
        ("A; (P [A, B] (N) [> B; stop)", "P [A, B] (N) [> B; stop"),
        ("A; (A; P [A, B] (N) [> B; stop)", "A; P [A, B] (N) [> B; stop"),
    ] {
        let (codes, found) = refused(&process(body), "");
        assert_eq!((codes.as_slice(), found.as_str()), (&["V1308".to_owned()][..], place), "{body}");
    }
    for body in
        ["A; (exit >> P [A, B] (N))", "A; (B; stop [> P [A, B] (N))", "A; ((exit ||| exit) >> P [A, B] (N))"]
    {
        assert_eq!(refused(&process(body), "").0, Vec::<String>::new(), "{body}");
    }
}

/// Recursion that constants bound has limits.
#[test]
fn recursion_that_is_long_or_wide_is_refused() {
    for (body, argument, code) in [
        // One after the other, more than are replaced; and more than there are levels.
        ("[N > 0] -> P [A, B] (N - 1) [] [N = 0] -> A; stop", 90_000, "V1310"),
        ("A; stop ||| P [A, B] (N + 1)", 0, "V1310"),
        // Exponentially many, of which none or each does something.
        ("[N > 0] -> (P [A, B] (N - 1) [] P [A, B] (N - 1)) [] [N = 0] -> stop", 40, "V1310"),
        ("[N > 0] -> (P [A, B] (N - 1) ||| P [A, B] (N - 1)) [] [N = 0] -> A; stop", 40, "V1310"),
        ("A; ([N > 0] -> (P [A, B] (N - 1) ||| P [A, B] (N - 1)) [] [N = 0] -> A; stop)", 40, "V1310"),
    ] {
        let text = format!(
            "specification S [A, B] : noexit behaviour P [A, B] ({argument}) where \
             process P [A, B] (N : NAT) : noexit := {body} endproc endspec"
        );
        let mut sources = Sources::new();
        let file = sources.add("model.lotos", text.as_str());
        let (tree, _) = parse::specification(file, &text);
        let (_, diagnostics) = lower(&sources, &tree, Ranges { nat: 100_000, int: 7 });
        let codes: Vec<String> = diagnostics.iter().map(|d| d.code.to_string()).collect();
        assert_eq!(codes, [code], "{body}");
    }
}

#[test]
fn gates_that_are_the_same_outside_are_told_apart_inside_a_composition() {
    let both = "P [A, A] where process P [X, Y] : noexit := X; stop |[X]| Y; stop endproc";
    assert_eq!(refused(both, "").0, Vec::<String>::new());
    let in_sequence = "P [A, A] where process P [X, Y] : noexit := X; Y; P [X, Y] endproc";
    assert_eq!(refused(in_sequence, "").0, Vec::<String>::new());
    let beside = "P [A, A] where process P [X, Y] : noexit := X; stop ||| Y; stop endproc";
    assert_eq!(refused(beside, "").0, Vec::<String>::new());
}

#[test]
fn values_that_nobody_gives() {
    let taken = "A ?s : L; stop |[A]| A ?t : L; stop";
    let (codes, place) = refused(taken, LIST);
    assert_eq!((codes.as_slice(), place.as_str()), (&["V1310".to_owned()][..], "A ?s : L"));
    assert_eq!(refused("A ?s : L; stop |[A]| A !NIL; stop", LIST).0, Vec::<String>::new());
    assert_eq!(refused("exit (any L) >> accept s : L in A; stop", LIST).0, ["V1310"]);
}

/// Libraries of a specification's own, beside it; one may ask for another, and for itself.
#[test]
fn libraries_beside_the_specification() {
    let text =
        "specification S [A] : noexit library Own, X_NATURAL endlib behaviour A !TWICE (RED); stop endspec";
    let mut read = |name: &str| {
        match name {
        "Own.lib" => Some("library other, own endlib type O is COLOURS opns TWICE : C -> C eqns forall x : C ofsort C TWICE (x) = x; endtype".to_owned()),
        "other.lib" => Some("type COLOURS is sorts C opns RED : -> C endtype".to_owned()),
        _ => None,
    }
    };
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text);
    let (mut tree, mut diagnostics) = parse::specification(file, text);
    diagnostics.extend(library::add_with(&mut tree, &mut sources, &mut read));
    let (lowered, more) = lower(&sources, &tree, Ranges::default());
    diagnostics.extend(more);
    let drawn = render_all(&diagnostics, &sources, RenderOptions::default());
    assert!(lowered.is_some() && diagnostics.is_empty(), "{drawn}");
}

#[test]
fn numbers_are_what_the_types_say() {
    let own = "type N is sorts N opns 0 : -> N endtype";
    assert_eq!(refused("A !0; stop", own).0, Vec::<String>::new());
    assert_eq!(refused("A !0; stop", &format!("library NATURAL endlib {own}")).0, ["V1304"]);
}

#[test]
fn long_texts_and_deep_ones() {
    let sequence = format!("{}stop", "A; ".repeat(20_000));
    assert_eq!(refused(&sequence, "").0, Vec::<String>::new());
    let alternatives = vec!["A; stop"; 3000].join(" [] ");
    assert_eq!(refused(&alternatives, "").0, Vec::<String>::new());
    for (open, close) in [("(", ")"), ("hide G in (", ")"), ("[TRUE] -> (", ")"), ("A; stop ||| (", ")")] {
        let deep = format!("{}stop{}", open.repeat(5000), close.repeat(5000));
        assert_eq!(refused(&deep, "").0[0], "V1301");
        let fine = format!("{}stop{}", open.repeat(90), close.repeat(90));
        assert_eq!(refused(&fine, "").0, Vec::<String>::new(), "{open}");
    }
    assert_eq!(refused(&format!("A !{}0; stop", "1 + ".repeat(5000)), "").0[0], "V1301");
    let processes = "process P : noexit := stop where ".repeat(5000);
    assert_eq!(refused(&format!("stop where {processes}"), "").0[0], "V1301");
    // Processes that call each other in a row, deeper than any text nests.
    let row: String = (0..3000)
        .map(|n| format!("process P{n} [A, B] : noexit := stop ||| P{} [A, B] endproc ", n + 1))
        .collect();
    let last = "process P3000 [A, B] : noexit := stop endproc";
    assert_eq!(refused(&format!("P0 [A, B] where {row} {last}"), "").0, ["V1310"]);
}

#[test]
fn several_mistakes_are_told_at_once() {
    let text = "specification S [A] : noexit\ntype T is sorts T opns X -> T endtype\nbehaviour B; stop\nwhere\n\
        process P [A] : noexit := A stop endproc\nprocess Q [A] : noexit := A; A; endproc\nendspec";
    let (_, diagnostics, sources) = read(text);
    let lines: Vec<usize> =
        diagnostics.iter().filter_map(|d| Some(sources.line_column(d.primary.as_ref()?.span).line)).collect();
    assert_eq!(lines, [2, 5, 6, 3, 5], "{}", render_all(&diagnostics, &sources, RenderOptions::default()));
}

/// A value that cannot be evaluated with which the specification begins.
#[test]
fn values_at_the_beginning() {
    let behaviour = "P [A] (TAIL (NIL)) where process P [A] (S : L) : noexit := A; P [A] (S) endproc";
    assert_eq!(refused(behaviour, LIST).0, ["V1309"]);
    let behaviour = "P [A] (255 + 1) where process P [A] (N : NAT) : noexit := A; P [A] (N) endproc";
    assert_eq!(refused(behaviour, "").0, ["V1309"]);
}

/// Constants that are handed on are no part of the state.
#[test]
fn constants_take_no_bits() {
    let text = "specification S [A] : noexit behaviour P [A] (3, 0) ||| P [A] (4, 1) where \
        process P [A] (ME, N : NAT) : noexit := A !ME !N; P [A] (ME, (N + 1) mod 4) endproc endspec";
    let (lowered, diagnostics, _) = read(text);
    assert_eq!(diagnostics, []);
    let program = lowered.expect("it is fine").program;
    assert_eq!(volvelle_model::Layout::new(&program).bits(), 16, "two numbers of eight bits");
}

#[test]
fn equations_define_operations() {
    let types = "type SETS is SET actualizedby NATURAL using sortnames NAT for ELEMENT NATSET for SET endtype \
        type LEASTS is SETS opns LEAST : NATSET -> NAT eqns forall X : NAT, S : NATSET ofsort NAT LEAST (INSERT (X, S)) = X; endtype \
        type NAMES is STRING actualizedby NATURAL using sortnames NAT for ELEMENT NAME for STRING endtype \
        type Q is NATURAL sorts Q opns E : -> Q P : NAT, Q -> Q MIN : Q -> NAT FIB : NAT -> NAT LOOP : NAT -> NAT \
        eqns forall X, Y : NAT, S : Q ofsort NAT \
          MIN (P (X, E)) = X; X < MIN (S) => MIN (P (X, S)) = X; MIN (P (X, S)) = MIN (S); \
          FIB (0) = 0; FIB (SUCC (0)) = 1; FIB (SUCC (SUCC (X))) = FIB (SUCC (X)) + FIB (X); \
          LOOP (X) = LOOP (X); endtype";
    for (value, expected) in [
        ("MIN (P (4, P (2, P (3, E))))", Ok("2")),
        ("FIB (10)", Ok("55")),
        ("CARD (INSERT (1, INSERT (2, INSERT (1, {}))))", Ok("2")),
        ("REMOVE (1, INSERT (1, INSERT (2, {})))", Ok("INSERT (2, {})")),
        ("INSERT (1, INSERT (2, {})) eq INSERT (2, INSERT (1, {}))", Ok("TRUE")),
        ("INSERT (1, INSERT (2, {})) == INSERT (2, INSERT (1, {}))", Ok("TRUE")),
        ("INSERT (7, INSERT (2, INSERT (5, {})))", Ok("INSERT (2, INSERT (5, INSERT (7, {})))")),
        (
            "(INSERT (7, INSERT (2, {})) UNION INSERT (5, {})) MINUS INSERT (2, {})",
            Ok("INSERT (5, INSERT (7, {}))"),
        ),
        ("LEAST (INSERT (7, INSERT (2, {})))", Ok("2")),
        ("REVERSE ((<> + 1) + 2)", Ok("+ (2, + (1, <>))")),
        ("LENGTH ((<> + 1) ++ (<> + 2))", Ok("2")),
        ("7 div 2 * 2 + (7 mod 2)", Ok("7")),
        ("not (1 < 2) or (2 <> 2) implies FALSE", Ok("TRUE")),
        ("MIN (E)", Err("no equation applies to `MIN (E)`")),
        ("LOOP (1)", Err("does not end")),
        ("200 + 100", Err("")),
    ] {
        let text = format!("specification S [A] : noexit {types} behaviour A !({value}); stop endspec");
        let (lowered, diagnostics, sources) = read(&text);
        let drawn = render_all(&diagnostics, &sources, RenderOptions::default());
        let lowered = lowered.unwrap_or_else(|| panic!("{value}: {drawn}"));
        let offer =
            lowered.program.groups[0].participants[0].alternatives[0].offer.as_ref().expect("an offer");
        let (volvelle_model::Item::Give(given), sort) = (offer.items[0], offer.sorts[0]) else {
            panic!("{value} is given")
        };
        let constant = lowered.program.exprs.as_const(given);
        match expected {
            Ok(text) => {
                let constant = constant.unwrap_or_else(|| panic!("{value} is no constant"));
                let code = constant.as_i64().or(constant.as_bool().map(i64::from)).expect("a number");
                let sort_of = &lowered.program.sorts[sort.index()];
                assert_eq!(sort_of.text(sort, code, Some(&lowered.evaluator)), text, "{value}");
            }
            Err(reason) => {
                assert_eq!(constant, None, "{value}");
                let last = volvelle_kernel::Site(lowered.program.sites.len() as u32 - 1);
                let all = (0..=last.0).map(|site| lowered.explain_site(volvelle_kernel::Site(site)));
                assert!(all.into_iter().any(|d| d.notes.iter().any(|n| n.contains(reason))), "{value}");
            }
        }
    }
}

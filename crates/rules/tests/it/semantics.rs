//! What rules mean: a case for each statement, with kept results and without.

use crate::support::{limits, shown};
use volvelle_diagnostics::{FileId, Sources};
use volvelle_rules::system::{Finding, load};

const GRAMMAR: &str = "grammar g
terminal NAME /[a-z]+/
terminal NUMBER /[0-9]+/
hidden SPACE /[ \\n]+/
entry Program : all+=Item* ;
Item : Use | Number ;
Use : name=NAME (\"(\" args+=Item* \")\")? ;
Number : value=NUMBER ;
";

/// What all cases have.
const BASE: &str = "system s language \"g.grammar\"
abstract data T
data Int extends T
data Str extends T
data A(of: T) extends T
var Integer count = 0
auxiliary { yes(): Boolean no(): Boolean holds(Any x) breaks(Any x) }
auxiliary yes() { true }
auxiliary no() { false }
auxiliary holds(Any x) { x != null }
auxiliary breaks(Any x) { 1 == 2 }
judgments { type |- Item item : output T }
axiom Num G |- Number item : Int
rule Use G |- Use item : T type from { type = env(G, item.name, T) }
";

/// What is found in a program: with kept results and without it is the same.
fn found(system: &str, program: &str) -> (Sources, Vec<Finding>) {
    let mut sources = Sources::new();
    let file = sources.add("s.rules", format!("{BASE}{system}"));
    let mut open = |sources: &mut Sources, _: &str, _: FileId| Ok(sources.add("g.grammar", GRAMMAR));
    let mut flaws = Vec::new();
    let loaded = load(&mut sources, file, &mut open, &mut flaws);
    let told: String = flaws.iter().map(|one| shown(&sources, one)).collect();
    let loaded = loaded.unwrap_or_else(|| panic!("{system}\n{told}"));
    let program = sources.add("p", program);
    let program = loaded.read(&sources, program);
    let [kept, again] = [true, false].map(|caches| loaded.check(&sources, &program, limits(), caches));
    let parts = |finding: &Finding| (finding.diagnostic.clone(), finding.data.clone(), finding.trace.clone());
    let all = |findings: &[Finding]| findings.iter().map(parts).collect::<Vec<_>>();
    assert_eq!(all(&kept.findings), all(&again.findings), "{system}");
    (sources, kept.findings)
}

/// `place: message` of each finding.
fn places(system: &str, program: &str) -> Vec<String> {
    let (sources, findings) = found(system, program);
    let place = |one: &Finding| {
        let place = one.diagnostic.primary.as_ref().map_or("", |label| sources.text(label.span));
        format!("{place}: {}", one.diagnostic.message)
    };
    findings.iter().map(place).collect()
}

/// What the first failure says at all levels.
fn trace(system: &str, program: &str) -> Vec<String> {
    found(system, program).1.remove(0).trace
}

/// Premises about a program `a(1)`, and what is said: nothing where they hold.
fn all_say(declarations: &str, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (premises, said) in cases {
        let system = format!("{declarations}\ncheckrule Check for Program program from {{ {premises} }}");
        let messages: Vec<String> =
            found(&system, "a(1)").1.into_iter().map(|one| one.diagnostic.message).collect();
        if messages.join("; ") != *said {
            wrong.push(format!("{premises}\n   says {messages:?}\n   not  {said}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Of the rules for the classes of all inputs, the nearest one: the first place where they differ decides.
#[test]
fn dispatch() {
    let rules = "judgments { j |= Any a : Any b : output String k ||= T a : output String }
        axiom Any2 G |= Any a : Any b : \"any any\"
        axiom UseAny G |= Use a : Any b : \"use any\"
        axiom AnyUse G |= Any a : Use b : \"any use\"
        axiom ItemItem G |= Item a : Item b : \"item item\"
        axiom ItemUse G |= Item a : Use b : \"item use\"
        axiom NodeNumber G |= Node a : Number b : \"node number\"
        axiom OnlyInt G ||= Int a : \"int\"";
    let said = |a: &str, b: &str| {
        format!(
            "val use = program.all.head as Use val number = use.args.head empty |= {a} : {b} : var String s fail error s"
        )
    };
    let cases = [
        ("use", "use", "use any"),
        ("use", "number", "use any"),
        ("number", "use", "item use"),
        ("number", "number", "item item"),
        ("program", "number", "node number"),
        ("program", "use", "any use"),
        ("program", "program", "any any"),
        ("1", "\"\"", "any any"),
        ("#[1]", "use", "any use"),
        ("null", "use", "passed null object to system"),
        ("use", "null", "passed null object to system"),
    ];
    let texts: Vec<String> = cases.iter().map(|(a, b, _)| said(a, b)).collect();
    let cases: Vec<(&str, &str)> =
        texts.iter().zip(&cases).map(|(text, case)| (text.as_str(), case.2)).collect();
    all_say(rules, &cases);
    all_say(
        rules,
        &[
            ("empty ||= Int : var String s", ""),
            ("empty ||= Str : var String s", "cannot find a rule for ||= Str"),
            ("empty ||= A(Int) : var String s", "cannot find a rule for ||= A(Int)"),
        ],
    );
}

#[test]
fn nothing_is_for_the_arguments() {
    all_say(
        "judgments { sub |= T left <: T right : output T } axiom Ints G |= Int left <: Int right : Int
        auxiliary { f(T one, T other): T } auxiliary f(Int one, Int other) { one }",
        &[
            ("empty |= Int <: Int : var T t", ""),
            ("empty |= Int <: Str : var T t", "cannot find a rule for |= Int <: Str"),
            ("f(Int, Str) == Int", "cannot find an implementation for f(Int, Str)"),
            ("f(Int, Int) == Int", ""),
            ("f(null, Int) == Int", "passed null object to system"),
        ],
    );
}

/// Of an inherited rule and one of the system for the same classes, that of the system; a failure of the chosen rule is final.
#[test]
fn the_choice_is_final() {
    let rules = "judgments { j |= Item item : output String }
        axiom General G |= Item item : \"general\"
        rule Special G |= Use item : \"special\" from { no() }";
    all_say(rules, &[("empty |= program.all.head : var String s", "Special: [] |= a(1) : String")]);
}

/// A truth value is a premise as a statement of a block, if it is computed.
#[test]
fn premises() {
    all_say(
        "judgments { same |= T a <: T b } rule Same G |= T a <: T b from { a == b }",
        &[
            ("yes()", ""),
            ("no()", "no()"),
            ("!yes()", "!yes()"),
            ("false", "false"),
            ("1 == 2", "1 == 2"),
            ("1 < 2", ""),
            ("yes() && no()", "yes() && no()"),
            ("yes() || no()", ""),
            ("program.all.isEmpty", "program.all.isEmpty"),
            ("program.all.head instanceof Number", "program.all.head instanceof Number"),
            ("program.all.head instanceof Use", ""),
            ("{ { no() } }", "no()"),
            // The text is that of the file, with its spaces.
            ("1   ==  2", "1   ==  2"),
            // Variables, assignments and fields are none.
            ("val x = no()", ""),
            ("var x = true x = no()", ""),
            ("val x = no() x", ""),
            // Values of `if`, and what stands in it without braces.
            ("if (no()) yes() else no()", ""),
            ("if (yes()) no()", ""),
            ("if (yes()) 1 == 2", ""),
            ("if (yes()) { no() }", "no()"),
            ("if (no()) { no() }", ""),
            ("if (no()) { } else { no() }", "no()"),
            ("if (yes()) breaks(1)", "1 == 2"),
            ("if (yes()) empty |= Int <: Str", "a == b"),
            ("for (one : #[1, 2]) one == 1", ""),
            ("for (one : #[1, 2]) { one == 1 }", "one == 1"),
            ("for (one : #[1, 2]) { holds(one) }", ""),
            ("switch 1 { case 1: no() default: yes() }", ""),
            ("switch 1 { case 1: { no() } default: { } }", "no()"),
            ("switch 2 { case 1: { no() } default: { 3 == 4 } }", "3 == 4"),
            ("switch 2 { case 1: { no() } }", ""),
            // In a function the last expression is a value; what is in braces must hold.
            ("#[1, 2].forEach[it == 1]", ""),
            ("#[1, 2].forEach[{ it == 1 }]", "it == 1"),
            ("#[1, 2].forall[it == 1]", "#[1, 2].forall[it == 1]"),
            ("#[1, 2].exists[it == 1]", ""),
            ("#[1, 2].forall[one | { one < 3 one > 0 }]", ""),
            ("#[1, 2].forall[one | { one < 3 one > 1 }]", "one > 1"),
            // They are tried in order, and the first one that does not hold ends it.
            ("1 == 1 2 == 3 4 == 5", "2 == 3"),
            ("count = 1 count == 1 count = 2 count == 3", "count == 3"),
        ],
    );
}

/// Functions without results hold or fail; judgments without outputs, too. Where a truth value is wanted they give one.
#[test]
fn truth_values_of_what_holds() {
    all_say(
        "judgments { same |= T a <: T b } rule Same G |= T a <: T b from { a == b }",
        &[
            ("empty |= Int <: Int", ""),
            ("empty |= Int <: Str", "a == b"),
            ("breaks(1)", "1 == 2"),
            ("holds(1)", ""),
            ("!breaks(1)", ""),
            ("!holds(1)", "!holds(1)"),
            ("if (breaks(1)) { false }", ""),
            ("!(empty |= Int <: Str)", ""),
            ("!(empty |= Int <: Int)", "!(empty |= Int <: Int)"),
            ("(empty |= Int <: Int) && holds(1)", ""),
            ("(empty |= Int <: Str) || breaks(1)", "(empty |= Int <: Str) || breaks(1)"),
            ("if (empty |= Int <: Str) { no() }", ""),
            ("val Boolean b = (empty |= Int <: Str) b == false", ""),
            ("#[Int, Str].filter[(empty |= it <: Int)].size == 1", ""),
            ("#[Int, Str].filter[breaks(it)].isEmpty", ""),
        ],
    );
}

#[test]
fn outputs() {
    all_say(
        "judgments { make |= T t : output T two ||= T t : output T : output String }
        rule Written G |= Int t : A(other) from { val T other = t }
        rule Assigned G |= Str t : T result from { result = t }
        rule Two G ||= T t : made : \"x\" + count from { count = count + 1 val T made = Str }",
        &[
            ("empty |= Int : var T t t == A(Int)", ""),
            ("empty |= Int : var A t t.of == Int", ""),
            ("empty |= Str : var A t", "Str cannot be assigned to A"),
            ("empty |= Str : var Str t t == Str", ""),
            ("var T t empty |= Str : t empty |= Int : t t == A(Int)", ""),
            // The conclusion's values are those after the premises.
            ("count = 6 empty ||= Int : var T t : var String s s == \"x7\"", ""),
            ("empty ||= Int : var T t : var String s t == Str", ""),
        ],
    );
}

#[test]
fn environments() {
    all_say(
        "judgments { look |= T t : output T inner ||= T t : output T none |~ T t : Env env }
        rule Look G |= T t : found from { val found = env(G, \"x\", T) }
        rule Inner G ||= T t : found from { G, \"x\" <- Str |= t : var T first G |= t : var T found first == Str }
        rule None G |~ T t : Env env from { val found = env(env, \"x\", T) }",
        &[
            ("empty, \"x\" <- Int |= Int : var T t t == Int", ""),
            ("\"x\" <- Int |= Int : var T t t == Int", ""),
            ("empty |= Int : var T t", "no mapping in the environment for: x"),
            ("empty, \"y\" <- Int |= Int : var T t", "no mapping in the environment for: x"),
            ("empty, \"x\" <- 3 |= Int : var T t", "mapped value 3 cannot be assigned to T"),
            ("empty, \"x\" <- \"text\" |= Int : var T t", "mapped value text cannot be assigned to T"),
            ("empty, \"x\" <- null |= Int : var T t", "mapped value null cannot be assigned to T"),
            ("val Env none = null none |= Int : var T t", "access to null environment"),
            ("val Env none = null empty |~ Int : none", "passed null object to system"),
            ("val Env none = null (none, \"x\" <- Int) |= Int : var T t", "access to null environment"),
            ("val Env none = null env(none, \"x\", T) == Int", "access to null environment"),
            // The newer mapping counts; the environment of the caller is as it was.
            ("empty, \"x\" <- Int, \"x\" <- Str |= Int : var T t t == Str", ""),
            ("empty, \"x\" <- Int ||= Int : var T t t == Int", ""),
            ("val G = (empty, \"x\" <- Int) G, \"x\" <- Str |= Int : var T t G |= Int : var T u t == Str u == Int", ""),
            ("val G = (empty, \"x\" <- Int) val H = (empty, \"y\" <- Str) G, H |= Int : var T t t == Int", ""),
            ("val G = (empty, \"x\" <- Int) val H = (empty, \"x\" <- Str) G, H |= Int : var T t t == Str", ""),
            // Keys are equal as values are.
            ("val G = (empty, A(Int) <- Str) env(G, A(Int), T) == Str", ""),
            ("val G = (empty, A(Int) <- Str) env(G, A(Str), T) == Str", "no mapping in the environment for: A(Str)"),
            ("val G = (empty, 1 + 1 <- Str) env(G, 2, T) == Str", ""),
        ],
    );
}

#[test]
fn alternatives() {
    all_say(
        "judgments { same |= T a <: T b } rule Same G |= T a <: T b from { a == b }",
        &[
            ("{ no() } or { yes() }", ""),
            ("{ yes() } or { fail error \"second\" }", ""),
            ("{ no() } or { 1 == 2 }", "1 == 2"),
            ("no() or yes()", ""),
            ("no() or 1 == 2", "1 == 2"),
            ("{ no() } or { 1 == 2 } or { 3 == 4 }", "3 == 4"),
            ("{ empty |= Int <: Str } or { empty |= Int <: Int }", ""),
            // What the first one did stays.
            ("var n = 1 { n = 2 no() } or { } n == 2", ""),
            ("{ count = 5 no() } or { } count == 5", ""),
            // What failed before.
            ("{ no() } or { fail error \"first: \" + previousFailure.message }", "first: no()"),
            (
                "{ fail error \"a\" } or { fail error previousFailure.message + \"b\" } or { fail error previousFailure.message + \"c\" }",
                "abc",
            ),
            ("{ fail error \"a\" data 3 } or { previousFailure.data == 3 }", ""),
            ("{ empty |= Int <: Str } or { previousFailure.cause.message == \"a == b\" }", ""),
            ("{ empty |= Int <: Str } or { fail error previousFailure.message }", "Same: [] |= Int <: Str"),
            ("{ fail } or { previousFailure.message == null }", ""),
            // One within another shares it: the failure is the last one.
            (
                "{ fail error \"a\" } or { { fail error \"b\" } or { fail error previousFailure.message } }",
                "b",
            ),
            (
                "{ fail error \"a\" } or { { previousFailure.message == \"a\" } or { fail error \"wrong\" } }",
                "",
            ),
            (
                "{ { fail error \"b\" } or { } fail error \"a\" } or { fail error previousFailure.message }",
                "a",
            ),
            // A function has its own.
            (
                "{ fail error \"a\" } or { #[1].forEach[{ { fail error \"b\" } or { } }] fail error previousFailure.message }",
                "a",
            ),
            // Failures of a function that is a value, too.
            (
                "val f = [Integer n | { n == 1 }] { f.apply(2) } or { fail error previousFailure.message }",
                "n == 1",
            ),
        ],
    );
}

/// A rule that does what has no meaning is no failure, and no alternative goes on from it.
#[test]
fn breakdowns_are_no_failures() {
    for premises in [
        "{ val Use use = null use.name == \"\" } or { }",
        "{ val List<Integer> all = null all.size == 1 } or { }",
        "val Use use = null !(use.name == \"\")",
    ] {
        let said = found(&format!("checkrule Check for Program program from {{ {premises} }}"), "a").1;
        assert_eq!(said.len(), 1, "{premises}");
        assert_eq!(said[0].diagnostic.code, volvelle_diagnostics::codes::RULE_BREAKDOWN, "{premises}");
        assert_eq!(said[0].rule, None);
    }
}

#[test]
fn messages_and_traces() {
    let judgments = "judgments { plain |= Item item <: T t : output T told ||= Item item error \"judgment \" + item.sourceText source item }
        rule Plain G |= Item item <: T t : T result from { result = Int no() }
        rule Told G ||= Item item from { no() }
        rule Own G ||= Use item error \"rule \" + item.name source item feature \"name\" data 7 from { no() }
        rule Nested G ||= Number item from { fail error \"inner\" }";
    let of = |premises: &str| {
        trace(&format!("{judgments}\ncheckrule Check for Program program from {{ {premises} }}"), "a(1)")
    };
    // Without words: the rule, its environment, inputs, and the types of outputs.
    assert_eq!(
        of("empty |= program.all.head <: Int : var T t"),
        ["failed: Plain: [] |= a(1) <: Int : T", "no()"]
    );
    assert_eq!(
        of("empty, \"y\" <- Str, \"x\" <- Int |= program.all.head <: Int : var T t"),
        ["failed: Plain: [x <- Int, y <- Str] |= a(1) <: Int : T", "no()"]
    );
    // Those of a rule come before those of its judgment.
    assert_eq!(of("empty ||= program.all.head"), ["failed: rule a", "no()"]);
    assert_eq!(of("empty ||= (program.all.head as Use).args.head"), ["failed: judgment 1", "inner"]);
    // `fail` with words has them alone; without, nothing.
    assert_eq!(of("fail error \"words\""), ["words"]);
    assert_eq!(of("fail"), Vec::<String>::new());
    assert_eq!(of("{ empty ||= program.all.head } or { fail }"), Vec::<String>::new());
}

/// What a function says about its failure has no prefix.
#[test]
fn messages_of_functions() {
    let system = "auxiliary { f(Item item) error \"f of \" + item.sourceText source item data 1 } auxiliary f(Item item) { no() }
        checkrule Check for Number number from { f(number) }";
    assert_eq!(trace(system, "a(1)"), ["f of 1", "no()"]);
    assert_eq!(places(system, "a(1)"), ["1: f of 1"]);
}

/// The place is that of the innermost level that has a node; a message without one belongs to it.
#[test]
fn places_of_failures() {
    let rules = "judgments { deep |= Item item inner ||= Item item text |~ String s }
        rule Deep G |= Item item from { G ||= item }
        rule Inner G ||= Use item error \"inner\" source item.args.head from { no() }
        rule Number G ||= Number item from { fail error \"number\" source item feature \"value\" data 1 }
        rule Text G |~ String s error \"text\" from { no() }";
    let at = |check: &str, program: &str| places(&format!("{rules}\n{check}"), program);
    assert_eq!(at("checkrule Check for Use use from { empty |= use }", "a(1)"), ["1: inner"]);
    assert_eq!(
        at("checkrule Check for Number n from { empty |= n }", "a(1 22)"),
        ["1: number", "22: number"]
    );
    // No level has a node: that which is checked.
    assert_eq!(at("checkrule Check for Use use from { empty |~ use.name }", "a b"), ["a: text", "b: text"]);
    assert_eq!(
        at("checkrule Check for Program p from { fail error \"x\" source p.all.head }", "a b"),
        ["a: x"]
    );
    // A feature narrows it.
    assert_eq!(
        at("checkrule Check for Use use from { fail error \"x\" source use feature \"name\" }", "a(1)"),
        ["a: x"]
    );
    assert_eq!(
        at("checkrule Check for Use use from { fail error \"x\" source use feature \"nope\" }", "a(1)"),
        ["a(1): x"]
    );
}

/// Each check is made on all nodes of its type, in an environment of its own.
#[test]
fn checks() {
    let system = "checkrule Uses for Use use from { fail error \"use\" } checkrule Items for Item item from { fail error \"item\" }
        checkrule Nodes for Node node from { fail error \"node\" } checkrule None for Program program from { yes() }";
    assert_eq!(
        places(system, "a(1)"),
        ["a(1): use", "a(1): item", "a(1): node", "a(1): node", "1: item", "1: node"]
    );
    // A check in a system of its own tells nothing of what another one assigned to its variables.
    assert_eq!(
        places("checkrule One for Number n from { var x = 1 x += 1 x == 2 }", "1 2"),
        Vec::<String>::new()
    );
}

/// `A<string>` is no `A<number>`, because `string` is no `number`.
#[test]
fn arguments_of_types() {
    let system = "judgments { below |= T left <: T right error left + \" is no \" + right }
        rule Equal G |= T left <: T right from { left == right }
        rule Args G |= A left <: A right from {
            { G |= left.of <: right.of }
            or
            { fail error \"not below: \" + previousFailure.message data previousFailure.data }
        }
        checkrule Check for Program program from { empty |= A(Str) <: A(Int) }";
    assert_eq!(trace(system, "a"), ["failed: A(Str) is no A(Int)", "not below: Str is no Int"]);
    assert_eq!(places(system, "a"), ["a: A(Str) is no A(Int)"]);
}

/// Results that are kept are those that rules give, whatever the environment has.
#[test]
fn kept_results() {
    let system = "judgments { t |= Item item : output T cached }
        rule Leaf G |= Item item : T type from { type = env(G, \"x\", T) }
        rule Call G |= Use item : T type from {
            if (item.args.isEmpty) { type = env(G, item.name, T) } else { G, item.name <- Str |= item.args.head : type }
        }
        checkrule One for Item item from { empty, \"x\" <- Int |= item : var T t t == Int }
        checkrule Two for Item item from { empty, \"x\" <- Str |= item : var T t t == Int }
        checkrule Three for Item item from { empty |= item : var T t }
        checkrule Four for Item item from { empty, \"b\" <- A(Int), \"x\" <- Int |= item : var T t t == A(Int) }";
    for program in ["1", "x", "a(x)", "x(x)", "x(1)", "b(b b(a(b)))", "a(b(x) x(b) 1) x"] {
        found(system, program);
    }
    assert_eq!(places(system, "x(x)").len(), 6);
}

/// What is said about a kept failure shows the environment in which it is asked for, also where rules ask.
#[test]
fn kept_failures() {
    let system = "judgments { t |= Item item : output T cached told ||= Item item : output String cached }
        rule Leaf G |= Item item : T type from { type = env(G, \"x\", T) }
        rule Call G |= Use item : T type from { item.args.forall[one | { G |= one : var T t }] no() type = Int }
        rule Told G ||= Item item : String text from {
            text = \"\"
            { G |= item : var T t }
            or
            { text = previousFailure.message + previousFailure.cause.message }
        }
        checkrule One for Item item from { empty |= item : var T t }
        checkrule Two for Item item from { empty, \"x\" <- Int |= item : var T t }
        checkrule Three for Item item from { empty, \"y\" <- Int |= item : var T t }
        checkrule Four for Item item from { empty, \"y\" <- Str ||= item : var String s fail error s }
        checkrule Five for Item item from { empty, \"z\" <- Str ||= item : var String s fail error s }";
    let texts = found(system, "1").1.into_iter().map(|one| one.diagnostic.message).collect::<Vec<_>>();
    let text = "no mapping in the environment for: x";
    assert_eq!(
        texts,
        [
            "Leaf: [] |= 1 : T".to_owned(),
            "Leaf: [y <- Int] |= 1 : T".to_owned(),
            format!("Leaf: [y <- Str] |= 1 : T{text}"),
            format!("Leaf: [z <- Str] |= 1 : T{text}"),
        ]
    );
    for program in ["a(1)", "a(b(1) b(1) 1)", "a a(a 1(2))"] {
        found(system, program);
    }
}

#[test]
fn lines_of_nodes_and_the_order_of_texts() {
    let rules = "checkrule C for Use item from { fail error \"\" + item.line + item.name.isBefore(\"b\") source item }";
    assert_eq!(places(rules, "a\nb\n\n a(b)"), ["a: 1true", "b: 2false", "a(b): 4true", "b: 4false"]);
    let refused = "checkrule C for Use item from { item.name.isBefore(null) }";
    assert!(places(refused, "a")[0].contains("null"), "{:?}", places(refused, "a"));
}

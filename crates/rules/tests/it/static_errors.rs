//! What is wrong with a rule file, and what is nearly wrong and right: a case for each. `§` stands before the place that is told.

mod systems;

use crate::support::shown;
use volvelle_diagnostics::{Code, Diagnostic, FileId, Severity, Sources, codes};
use volvelle_rules::system::load;

const GRAMMAR: &str = "grammar g
terminal NAME /[a-z]+/
terminal NUMBER /[0-9]+/
hidden SPACE /[ \\n]+/
entry Program : all+=Item* ;
Item : Use | Number ;
Use : name=NAME (\"(\" args+=Item* \")\")? ;
Number : value=NUMBER ;
";

/// What cases are added to.
const BASE: &str = "system base language \"g.grammar\"
abstract data Type
data Int extends Type
data Str extends Type
val Integer limit = 3
auxiliary { size(Item item): Integer holds(Item item) }
judgments { type |- Item item : output Type }
auxiliary size(Item item) { 1 }
auxiliary holds(Item item) { true }
axiom All G |- Item item : Int
checkrule Every for Item item from { empty |- item : var Type type }
";

/// The file, without marks, with what is told about it.
fn told(text: &str) -> (Sources, FileId, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    // A file that names its system stands alone, and may extend the other one.
    let whole = if is_whole(text) { text.to_owned() } else { format!("{BASE}{text}") };
    let file = sources.add("s.rules", whole.replace('§', ""));
    let mut open = |sources: &mut Sources, name: &str, _: FileId| {
        let text = match name {
            "base.rules" => BASE,
            "h.grammar" => "grammar h terminal NAME /[a-z]+/ hidden SPACE /[ ]+/ entry Program : name=NAME ;",
            "s.rules" => "system s extends \"s.rules\" language \"g.grammar\"",
            _ => GRAMMAR,
        };
        Ok(sources.add(name, text))
    };
    let mut found = Vec::new();
    let loaded = load(&mut sources, file, &mut open, &mut found);
    let has_errors = found.iter().any(|one| one.severity == Severity::Error);
    assert_eq!(loaded.is_none(), has_errors, "{text}");
    (sources, file, found)
}

fn is_whole(text: &str) -> bool {
    text.starts_with("system") || text.starts_with("§system")
}

/// Each case: what it is about, the code, words of the message, the text.
fn all_told(severity: Severity, cases: &[(&str, Code, &str, &str)]) {
    let mut wrong = Vec::new();
    for &(about, code, words, text) in cases {
        let (sources, file, found) = told(text);
        let before = if is_whole(text) { 0 } else { BASE.len() };
        let place = (before + text.find('§').expect("a mark")) as u32;
        let is_it = |one: &&Diagnostic| {
            let place_of = one.primary.as_ref().map(|label| (label.span.file, label.span.start));
            one.code == code
                && one.severity == severity
                && place_of == Some((file, place))
                && one.message.contains(words)
        };
        let others = found.iter().filter(|one| one.severity == Severity::Error).count();
        if !found.iter().any(|one| is_it(&one)) || others > 1 {
            let told: String = found.iter().map(|one| shown(&sources, one)).collect();
            wrong.push(format!("{about}: wanted is {code:?} `{words}`\n{text}\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// No errors; no warnings either where `is_silent`.
fn all_right(is_silent: bool, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for &(about, text) in cases {
        let (sources, _, found) = told(text);
        if found.iter().any(|one| is_silent || one.severity == Severity::Error) {
            let told: String = found.iter().map(|one| shown(&sources, one)).collect();
            wrong.push(format!("{about}:\n{text}\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

const DECLARATION: Code = codes::RULE_DECLARATION;
const NAME: Code = codes::RULE_NAME;
const TYPE: Code = codes::RULE_TYPE;
const OUTPUT: Code = codes::RULE_OUTPUT;
const TOKEN: Code = codes::UNEXPECTED_TOKEN;

#[test]
fn judgments() {
    all_told(
        Severity::Error,
        &[
            ("no input", DECLARATION, "at least one input", "judgments { §bad |= output Type }"),
            (
                "four outputs",
                DECLARATION,
                "at most 3 outputs",
                "judgments { §bad |= Item i : output Type : output Type : output Type : output Type }",
            ),
            (
                "the same symbols",
                DECLARATION,
                "has the same symbols",
                "judgments { §other |- Use one : Use two }",
            ),
            ("the same name", DECLARATION, "already", "judgments { §type |= Use one : Use two }"),
            ("a type that is not there", NAME, "`Nope`", "judgments { bad |= §Nope one }"),
            (
                "an input without a name",
                TOKEN,
                "the name of the input",
                "judgments { bad |= Item §: output Type }",
            ),
            ("no symbol", TOKEN, "the symbol of a judgment", "judgments { bad §Item one }"),
            (
                "`error` twice",
                TOKEN,
                "at most once",
                "judgments { bad |= Item one error \"a\" data 1 §data 2 }",
            ),
            ("a message that is no text", TYPE, "the message", "judgments { bad |= Item one error §1 }"),
            (
                "a condition that is no truth",
                TYPE,
                "the condition",
                "judgments { bad |= Item one cached { condition = §1 } }",
            ),
        ],
    );
    all_right(false, &[
        ("one input, no output", "judgments { good |= Item one } axiom G1 G |= Item one"),
        (
            "three outputs",
            "judgments { good |= Item i : output Type : output Type : output Type } axiom A G |= Item i : Int : Str : Int",
        ),
        ("other symbols between places", "judgments { other |- Item one <: Item two } axiom A G |- Item one <: Item two"),
        ("more places", "judgments { other |- Item i : output Type : Item b } axiom A G |- Item i : Int : Item b"),
        ("an output first", "judgments { good |= output Type : Item one } axiom A G |= Int : Item one"),
        (
            "all that may be said",
            "judgments { good |= Item i cached { entryPoints = NONE condition = true } cycle = true error \"a\" data 1 feature \"b\" source i }
            axiom A G |= Item i",
        ),
    ]);
}

#[test]
fn conclusions() {
    all_told(
        Severity::Error,
        &[
            (
                "no judgment has the symbol",
                NAME,
                "no judgment has the form `|=`",
                "axiom §Bad G |= Item item",
            ),
            (
                "nor the relations",
                NAME,
                "no judgment has the form `|- <:`",
                "axiom §Bad G |- Use item <: Use other",
            ),
            ("too few places", NAME, "no judgment has the form `|-`", "axiom §Bad G |- Use item"),
            ("no kind of the input", TYPE, "is no kind of it", "axiom Bad G |- §Type item : Int"),
            ("above the input", TYPE, "is no kind of it", "axiom Bad G |- §Node item : Int"),
            ("no kind of the output", TYPE, "`Integer`", "axiom Bad G |- Use item : §3"),
            (
                "above the output",
                TYPE,
                "`Type` at this place",
                "rule Bad G |- Use item : §Any type from { type = Int }",
            ),
            ("a value at an input", DECLARATION, "an input of a conclusion", "axiom Bad G |- §Int : Int"),
            ("the same types", DECLARATION, "`All` is for the same types", "axiom §Bad G |- Item item : Int"),
            ("the same name", DECLARATION, "a rule `All` already", "axiom §All G |- Use item : Int"),
            (
                "a name twice",
                DECLARATION,
                "a parameter `item` already",
                "rule Bad G |- Use item : Type §item from { item = Int }",
            ),
            ("the environment's name", DECLARATION, "a parameter `G` already", "axiom Bad G |- Use §G : Int"),
            (
                "`previousFailure` as a name",
                DECLARATION,
                "`previousFailure`",
                "axiom Bad G |- Use §previousFailure : Int",
            ),
            (
                "a rule without premises",
                TOKEN,
                "`from`",
                "rule Bad G |- Use item : Int\n§checkrule C for Use use from { true }",
            ),
            ("an axiom with premises", TOKEN, "", "axiom Bad G |- Use item : Int §from { true }"),
            (
                "a name of both a rule and a check",
                DECLARATION,
                "`All` already",
                "checkrule §All for Use use from { true }",
            ),
        ],
    );
    all_right(
        false,
        &[
            ("a kind of the input", "axiom Good G |- Use item : Int"),
            ("a kind of the output", "rule Good G |- Use item : Int type from { type = Int }"),
            ("`derives`", "rule Good derives G |- Use item : Int from { true }"),
            (
                "values may use variables of premises",
                "rule Good G |- Use item : type from { val type = Str }",
            ),
            ("one more type", "axiom Good G |- Use item : Int axiom Other G |- Number item : Int"),
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn assignments_and_outputs() {
    let rule = |premises: &str| format!("rule Bad G |- Use item : Type type from {{ {premises} }}");
    let told = [
        ("an input", "`item` cannot be assigned", OUTPUT, "§item = null type = Int"),
        ("the environment", "`G` cannot be assigned", OUTPUT, "§G = empty type = Int"),
        ("a `val`", "`one` cannot be assigned", OUTPUT, "val one = 1 §one = 2 type = Int"),
        ("a field that is `val`", "`limit` cannot be assigned", OUTPUT, "§limit = 2 type = Int"),
        ("a field of a node", "only variables", OUTPUT, "§item.name = \"a\" type = Int"),
        (
            "the variable of a loop",
            "`one` cannot be assigned",
            OUTPUT,
            "for (one : item.args) { §one = null } type = Int",
        ),
        ("an input as a place for an output", "may be assigned", OUTPUT, "G |- item : §item type = Int"),
        ("a value as a place for an output", "may be assigned", OUTPUT, "G |- item : §Int type = Int"),
        (
            "a `val` as a place for an output",
            "may be assigned",
            OUTPUT,
            "val Type t = Int G |- item : §t type = Int",
        ),
        ("a place of another type", "the output has type", TYPE, "G |- item : §var String t type = Int"),
        ("a value of another type", "the value has type", TYPE, "type = §\"int\""),
        ("`return`", "rules have no `return`", TOKEN, "§return type"),
        ("`throw`", "rules have no `throw`", TOKEN, "§throw type"),
        (
            "an output in a function",
            "an output of the rule",
            OUTPUT,
            "type = Int val f = [String s | { §type = Str }]",
        ),
        (
            "an output that a function reads",
            "an output of the rule",
            OUTPUT,
            "type = Int val f = [String s | §type] f.apply(\"\") == Int",
        ),
        (
            "an output in a function over a list",
            "an output of the rule",
            OUTPUT,
            "type = Int item.args.forEach[§type = Str]",
        ),
        (
            "a variable that is assigned in a function",
            "`n`",
            OUTPUT,
            "var n = 1 type = Int val f = [String s | { §n = 2 }]",
        ),
        (
            "a variable called `previousFailure`",
            "`previousFailure`",
            DECLARATION,
            "val §previousFailure = 1 type = Int",
        ),
        (
            "a loop with `previousFailure`",
            "`previousFailure`",
            DECLARATION,
            "for (§previousFailure : item.args) { } type = Int",
        ),
        (
            "a parameter `previousFailure`",
            "`previousFailure`",
            DECLARATION,
            "val f = [String §previousFailure | 1] type = Int",
        ),
        (
            "`previousFailure` where none is",
            "second and later",
            NAME,
            "§previousFailure.message == \"\" type = Int",
        ),
        (
            "`previousFailure` in the first one",
            "second and later",
            NAME,
            "{ §previousFailure.message == \"\" } or { } type = Int",
        ),
        (
            "`previousFailure` in a function",
            "second and later",
            NAME,
            "{ fail } or { item.args.forall[§previousFailure.message == \"\"] } type = Int",
        ),
    ];
    let texts: Vec<String> = told.iter().map(|(_, _, _, premises)| rule(premises)).collect();
    let cases: Vec<(&str, Code, &str, &str)> = told
        .iter()
        .zip(&texts)
        .map(|((about, words, code, _), text)| (*about, *code, *words, text.as_str()))
        .collect();
    all_told(Severity::Error, &cases);

    let right = [
        "type = Int",
        "G |- item.args.head : type",
        "G |- item.args.head : var Type other type = other",
        "G |- item.args.head : var Int other type = other",
        "var Type other G |- item.args.head : other type = other",
        "var n = 1 n = 2 n += 1 type = Int",
        "val f = [Type t | t] type = f.apply(Int)",
        "type = Int val all = item.args.map[size(it)] all.size > 1",
        "{ fail } or { fail error \"a\" + previousFailure.message } type = Int",
        "{ fail } or { { fail } or { fail error previousFailure.message } } type = Int",
        "{ fail } or { item.args.forall[{ { fail } or { previousFailure == null } }] } type = Int",
    ];
    let texts: Vec<String> = right.iter().map(|premises| rule(premises)).collect();
    let cases: Vec<(&str, &str)> =
        right.iter().zip(&texts).map(|(about, text)| (*about, text.as_str())).collect();
    all_right(false, &cases);
}

/// An output has a value on each way to the end.
#[test]
fn outputs_on_all_ways() {
    let rule = |mark: &str, premises: &str| {
        format!("rule Bad G |- Use item : Type {mark}type from {{ {premises} }}")
    };
    let missing = [
        "true",
        "{ type = Int } or { holds(item) }",
        "{ holds(item) } or { type = Int }",
        "{ type = Int } or { type = Str } or { }",
        "if (holds(item)) { type = Int }",
        "if (holds(item)) { type = Int } else { }",
        "if (holds(item)) { } else { type = Int }",
        "for (one : item.args) { type = Int }",
        "while (holds(item)) { type = Int }",
        "switch item.name { case \"a\": { type = Int } }",
        "switch item.name { case \"a\": { type = Int } default: { } }",
        "{ fail } or { fail error \"\" } { { type = Int } or { holds(item) } }",
    ];
    let texts: Vec<String> = missing.iter().map(|premises| rule("§", premises)).collect();
    let cases: Vec<(&str, Code, &str, &str)> = missing
        .iter()
        .zip(&texts)
        .map(|(about, text)| (*about, OUTPUT, "not assigned on every way", text.as_str()))
        .collect();
    all_told(Severity::Error, &cases);
    let right = [
        "{ type = Int } or { type = Str }",
        "{ G |- item : type } or { type = Str }",
        "{ type = Int } or { fail error \"\" }",
        "{ fail } or { type = Int }",
        "if (holds(item)) { type = Int } else { type = Str }",
        "if (holds(item)) { type = Int } else { fail }",
        "if (!holds(item)) { fail } type = Int",
        "type = Int { holds(item) } or { type = Str }",
        "switch item.name { case \"a\": { type = Int } default: { type = Str } }",
        "switch item.name { case \"a\": { type = Int } default: { fail } }",
        "if (holds(item)) { { type = Int } or { type = Str } } else { type = Int }",
    ];
    let texts: Vec<String> = right.iter().map(|premises| rule("", premises)).collect();
    let cases: Vec<(&str, &str)> =
        right.iter().zip(&texts).map(|(about, text)| (*about, text.as_str())).collect();
    all_right(false, &cases);
}

#[test]
fn functions_data_and_fields() {
    all_told(
        Severity::Error,
        &[
            (
                "a function twice",
                DECLARATION,
                "a function `size` already",
                "auxiliary { §size(Use use): Integer }",
            ),
            ("a body of nothing", NAME, "there is no function `sizes`", "auxiliary §sizes(Use use) { 1 }"),
            (
                "too many parameters",
                TYPE,
                "`size` has 1 parameters",
                "auxiliary §size(Use use, Use other) { 1 }",
            ),
            ("another parameter", TYPE, "`Item` at this place", "auxiliary size(Type §type) { 1 }"),
            ("another result", TYPE, "the result", "auxiliary size(Use use) §{ \"\" }"),
            ("the same types", DECLARATION, "for the same types", "auxiliary §size(Item item) { 1 }"),
            (
                "a parameter twice",
                DECLARATION,
                "a parameter `a` already",
                "auxiliary { f(Item a, Item b) } auxiliary f(Item a, Item §a) { }",
            ),
            (
                "a parameter `previousFailure`",
                DECLARATION,
                "`previousFailure`",
                "auxiliary size(Use §previousFailure) { 1 }",
            ),
            ("data twice", DECLARATION, "a type `Int` already", "data §Int"),
            ("data with the name of a class", DECLARATION, "a type `Use` already", "data §Use"),
            ("data above itself", DECLARATION, "is a kind of itself", "data §A extends A"),
            ("data of nodes", DECLARATION, "is a class of nodes", "data A extends §Use"),
            ("data of nothing", NAME, "`Nope`", "data A extends §Nope"),
            ("a field twice", DECLARATION, "a field `a` already", "data A(a: Type, §a: Type)"),
            ("abstract data is made", TYPE, "is abstract", "val x = §Type()"),
            ("a field of the system twice", DECLARATION, "a field `limit` already", "val §limit = 1"),
            ("a field without a type", TYPE, "neither a type nor a value", "var §x"),
            ("a value of another type", TYPE, "the value of the field", "val Integer x = §\"\""),
            ("a check of data", TYPE, "checks are made on nodes", "checkrule C for Type §type from { true }"),
            (
                "a check twice",
                DECLARATION,
                "a check `Every` already",
                "checkrule §Every for Use use from { true }",
            ),
            (
                "a member that is not there",
                NAME,
                "`nme`",
                "checkrule C for Use use from { use.§nme == \"\" }",
            ),
            (
                "a variable that is not there",
                NAME,
                "`usee`",
                "checkrule C for Use use from { §usee.name == \"\" }",
            ),
            (
                "nothing in common",
                TYPE,
                "no value in common",
                "checkrule C for Use use from { §use.name == 1 }",
            ),
            (
                "an impossible test",
                TYPE,
                "no value is both",
                "checkrule C for Use use from { §use instanceof Type }",
            ),
            (
                "an environment that is none",
                TYPE,
                "the environment",
                "checkrule C for Use use from { §use |- use : var Type t }",
            ),
            ("a number that is too large", codes::NUMBER_TOO_LARGE, "32 bits", "val x = §4294967296"),
        ],
    );
    all_right(
        false,
        &[
            ("a body for a kind", "auxiliary size(Use use) { 2 } auxiliary size(Number number) { 3 }"),
            (
                "data with fields",
                "data A(a: Type, b: List<A>) extends Type val x = #[new A(Int, #[]), A(Int, #[])]",
            ),
            ("two types above", "abstract data A abstract data B data C extends A, B"),
            ("a check of all nodes", "checkrule C for Node node from { node.offset >= 0 }"),
            ("a field without a value", "var Type x"),
            (
                "a call by its first argument",
                "checkrule C for Use use from { use.size > 0 use.size() > 0 size(use) > 0 }",
            ),
        ],
    );
}

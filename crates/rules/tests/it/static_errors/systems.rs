//! Systems that extend others, and which rule is for which classes.

use super::{DECLARATION, TOKEN, all_right, all_told};
use volvelle_diagnostics::{Severity, codes};

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn systems_that_extend() {
    all_told(
        Severity::Error,
        &[
            (
                "a rule without `override`",
                DECLARATION,
                "a rule `All` already",
                "system t extends \"base.rules\" axiom §All G |- Use item : Int",
            ),
            (
                "a rule that is not inherited",
                DECLARATION,
                "no rule `Nope`",
                "system t extends \"base.rules\" override axiom §Nope G |- Use item : Int",
            ),
            (
                "nothing is inherited",
                DECLARATION,
                "a rule `All` already",
                "override axiom §All G |- Use item : Int",
            ),
            (
                "a rule of the same file",
                DECLARATION,
                "a rule `One` already",
                "system t extends \"base.rules\" axiom One G |- Use item : Int override axiom §One G |- Use item : Str",
            ),
            (
                "a judgment without `override`",
                DECLARATION,
                "a judgment `type` already",
                "system t extends \"base.rules\" judgments { §type |- Item item : output Type }",
            ),
            (
                "a judgment that is not inherited",
                DECLARATION,
                "no judgment `nope`",
                "system t extends \"base.rules\" judgments { override §nope |= Item item }",
            ),
            (
                "a judgment of the same file",
                DECLARATION,
                "a judgment `type` already",
                "judgments { override §type |- Item item : output Type }",
            ),
            (
                "a function without `override`",
                DECLARATION,
                "a function `size` already",
                "system t extends \"base.rules\" auxiliary { §size(Item item): Integer }",
            ),
            (
                "a function that is not inherited",
                DECLARATION,
                "no function `nope`",
                "system t extends \"base.rules\" auxiliary { override §nope(Item item) }",
            ),
            (
                "a function of the same file",
                DECLARATION,
                "a function `size` already",
                "auxiliary { override §size(Item item): Integer }",
            ),
            (
                "a body that is not inherited",
                DECLARATION,
                "no body",
                "system t extends \"base.rules\" override auxiliary §size(Use use) { 1 }",
            ),
            (
                "a check without `override`",
                DECLARATION,
                "a check `Every` already",
                "system t extends \"base.rules\" checkrule §Every for Use use from { true }",
            ),
            (
                "a check that is not inherited",
                DECLARATION,
                "no check `Nope`",
                "system t extends \"base.rules\" override checkrule §Nope for Use use from { true }",
            ),
            (
                "a check of the same file",
                DECLARATION,
                "a check `Every` already",
                "override checkrule §Every for Use use from { true }",
            ),
            (
                "a circle",
                DECLARATION,
                "extends itself",
                "system s extends §\"s.rules\" language \"g.grammar\"",
            ),
            (
                "a circle of checks",
                DECLARATION,
                "extends itself",
                "system s validatorExtends §\"s.rules\" language \"g.grammar\"",
            ),
            (
                "a check that another system has",
                DECLARATION,
                "there is a check `Every` already",
                "system s validatorExtends \"base.rules\" checkrule §Every for Item item from { }",
            ),
            (
                "a check that no other system has",
                DECLARATION,
                "no check `None` is inherited",
                "system s validatorExtends \"base.rules\" override checkrule §None for Item item from { }",
            ),
            (
                "checks of another language",
                DECLARATION,
                "of another language",
                "system s validatorExtends §\"base.rules\" language \"h.grammar\"",
            ),
            (
                "both ways to extend",
                TOKEN,
                "one of `extends` and `validatorExtends`",
                "system s extends \"base.rules\" §validatorExtends \"base.rules\"",
            ),
            ("no language", DECLARATION, "has no language", "§system s"),
            ("`override` of what has no name", TOKEN, "", "override §data A"),
        ],
    );
    all_right(
        false,
        &[
            (
                "an axiom for a rule",
                "system t extends \"base.rules\" override rule All G |- Item item : Type type from { type = Str }",
            ),
            ("a further rule", "system t extends \"base.rules\" axiom More G |- Use item : Int"),
            (
                "the same types as an inherited one",
                "system t extends \"base.rules\" axiom More G |- Item item : Int axiom Rest G |- Use item : Str",
            ),
            (
                "a judgment",
                "system t extends \"base.rules\" judgments { override type |- Item item : output Type cached }",
            ),
            (
                "a function",
                "system t extends \"base.rules\" auxiliary { override size(Item item): Integer cached }",
            ),
            ("a body", "system t extends \"base.rules\" override auxiliary size(Item item) { 2 }"),
            ("a check", "system t extends \"base.rules\" override checkrule Every for Use use from { true }"),
        ],
    );
}

/// Which rule is for which classes.
#[test]
fn choices() {
    all_told(
        Severity::Error,
        &[
            (
                "a class with two types above it",
                codes::RULE_AMBIGUITY,
                "`ForA` and `ForB` are both for `Both`",
                "abstract data A abstract data B data Both extends A, B
                judgments { j |= Any one } axiom ForA G |= A one axiom §ForB G |= B one axiom Rest G |= Any one",
            ),
            (
                "in the second place",
                codes::RULE_AMBIGUITY,
                "`ForA` and `ForB` are both for `Int`, `Both`",
                "abstract data A abstract data B data Both extends A, B
                judgments { j |= Type t : Any one }
                axiom ForA G |= Type t : A one axiom §ForB G |= Type t : B one axiom Rest G |= Type t : Any one",
            ),
            (
                "bodies of a function",
                codes::RULE_AMBIGUITY,
                "both for `Both`",
                "abstract data A abstract data B data Both extends A, B
                auxiliary { f(Any one) } auxiliary f(A one) { } auxiliary §f(B one) { } auxiliary f(Any one) { }",
            ),
        ],
    );
    all_told(
        Severity::Warning,
        &[
            (
                "a judgment without rules",
                codes::RULE_COVERAGE,
                "has no rules",
                "judgments { §j |= Item one }",
            ),
            ("a function without bodies", codes::RULE_COVERAGE, "has no rules", "auxiliary { §f(Item one) }"),
            (
                "a class is missing",
                codes::RULE_COVERAGE,
                "no rule for `Number`",
                "judgments { §j |= Item one } axiom A G |= Use one",
            ),
            (
                "a pair of classes is missing",
                codes::RULE_COVERAGE,
                "no rule for `Number`, `Use`",
                "judgments { §j |= Item one : Item two } axiom A G |= Use one : Item two axiom B G |= Item one : Number two",
            ),
            (
                "a rule that others hide",
                codes::RULE_COVERAGE,
                "never",
                "judgments { j |= Item one } axiom §A G |= Item one axiom B G |= Use one axiom C G |= Number one",
            ),
        ],
    );
    all_right(true, &[
        (
            "the class with two types above it has a rule",
            "abstract data A abstract data B data Both extends A, B data OnlyA extends A data OnlyB extends B
            judgments { j |= Any one } axiom ForA G |= A one axiom ForB G |= B one axiom Rest G |= Any one axiom ForBoth G |= Both one",
        ),
        (
            "the first place decides",
            "judgments { j |= Item one : Item two } axiom A G |= Use one : Item two axiom B G |= Item one : Use two
            axiom C G |= Item one : Item two",
        ),
        (
            "unrelated classes",
            "judgments { j |= Item one } axiom A G |= Use one axiom B G |= Number one",
        ),
    ]);
}

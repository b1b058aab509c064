//! Properties: what they become, and what is refused.

use crate::common;
use crate::support;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_logic::{Constant, CostBound, Counted, Formula, FormulaId, Formulas, Limit, Property, Query};
use volvelle_prism::lower::{Constants, Lowered, lower};
use volvelle_prism::parse;
use volvelle_prism::properties::lower_properties;

const MODEL: &str = "
KIND
const int N = 3;
module m
  s : [0..N] init 0;
  b : bool init false;
  [a] s<N -> 0.5 : (s'=s+1) + 0.5 : (b'=true);
  [] s=N -> true;
endmodule
label \"done\" = s=N;
formula twice = 2*s;
rewards \"steps\" true : 1; endrewards
rewards \"money\" [a] true : 2; endrewards
";

type Lowering = (Lowered, Vec<Result<Property, Vec<Diagnostic>>>, Vec<Diagnostic>);

fn properties(kind: &str, text: &str, constants: &str) -> Lowering {
    let mut sources = Sources::new();
    // First, so that drawn diagnostics are about the file number 0.
    let props = sources.add("model.props", text);
    let file = sources.add("model.prism", MODEL.replace("KIND", kind));
    let constants = support::constants(constants);
    let (model, diagnostics) = parse::model(&sources, file);
    assert!(diagnostics.is_empty());
    let (lowered, diagnostics) = lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.unwrap_or_else(|| panic!("{}", support::rendered(&diagnostics, &sources)));
    let (file, diagnostics) = parse::properties(&sources, props);
    assert!(diagnostics.is_empty(), "{}", support::rendered(&diagnostics, &sources));
    let (results, diagnostics) = lower_properties(&mut lowered, &sources, Arc::new(file), &constants);
    (lowered, results, diagnostics)
}

/// Diagnostics must be those drawn in the text.
fn check(kind: &str, text: &str) {
    let (_, results, mut diagnostics) = properties(kind, text, "");
    diagnostics.extend(results.into_iter().filter_map(Result::err).flatten());
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| label.span.start));
    common::check(text, diagnostics);
}

/// A property as an S-expression.
fn shown(kind: &str, text: &str) -> String {
    shown_with(kind, text, "")
}

fn shown_with(kind: &str, text: &str, constants: &str) -> String {
    let (lowered, results, diagnostics) = properties(kind, text, constants);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    match results.into_iter().next_back().expect("a property") {
        Ok(property) => show(&property.formulas, property.root, &lowered),
        Err(diagnostics) => panic!("{text}: {diagnostics:?}"),
    }
}

fn show(formulas: &Formulas, id: FormulaId, lowered: &Lowered) -> String {
    let s = |id: &FormulaId| show(formulas, *id, lowered);
    let query = |query: &Query| match query {
        Query::Value => "=?".to_owned(),
        Query::Bound(bound) => format!("{:?}{}", bound.comparison, bound.threshold),
    };
    let optimum = |optimum: &Option<volvelle_logic::Optimum>| {
        optimum.map_or(String::new(), |optimum| format!("{optimum:?}"))
    };
    let time = |t: &volvelle_logic::TimeBound| {
        if t.is_none() {
            return String::new();
        }
        let (open, close) = (if t.lower_strict { '(' } else { '[' }, if t.upper_strict { ')' } else { ']' });
        format!("{open}{},{}{close}", t.lower, t.upper.map_or("inf".to_owned(), |upper| upper.to_string()))
    };
    match formulas.get(id) {
        Formula::Bool(value) => value.to_string(),
        Formula::Number(value) => value.to_string(),
        Formula::Label(label) => match &lowered.program().labels[label.0 as usize].name {
            Some(name) => format!("\"{name}\""),
            None => format!("label{}", label.0),
        },
        Formula::Observation(number) => format!("number{}", number.0),
        Formula::Init => "init".to_owned(),
        Formula::Deadlock => "deadlock".to_owned(),
        Formula::Not(a) => format!("(! {})", s(a)),
        Formula::And(a, b) => format!("(& {} {})", s(a), s(b)),
        Formula::Or(a, b) => format!("(| {} {})", s(a), s(b)),
        Formula::Compare(c, a, b) => format!("({c:?} {} {})", s(a), s(b)),
        Formula::Equal(a, b) => format!("(= {} {})", s(a), s(b)),
        Formula::Add(a, b) => format!("(+ {} {})", s(a), s(b)),
        Formula::Sub(a, b) => format!("(- {} {})", s(a), s(b)),
        Formula::Mul(a, b) => format!("(* {} {})", s(a), s(b)),
        Formula::Div(a, b) => format!("(/ {} {})", s(a), s(b)),
        Formula::Min(a, b) => format!("(min {} {})", s(a), s(b)),
        Formula::Max(a, b) => format!("(max {} {})", s(a), s(b)),
        Formula::Floor(a) => format!("(floor {})", s(a)),
        Formula::IfThenElse(c, a, b) => format!("(? {} {} {})", s(c), s(a), s(b)),
        Formula::Prob { optimum: o, query: q, path } => format!("(P{}{} {})", optimum(o), query(q), s(path)),
        Formula::Reward { rewards, optimum: o, query: q, what } => {
            use volvelle_logic::RewardQuery as R;
            let what = match what {
                R::Cumulative(time) => format!("C{time}"),
                R::Instantaneous(time) => format!("I{time}"),
                R::Reach(path) => s(path),
                R::ReachGiven(path, given) => format!("{} || {}", s(path), s(given)),
                R::Discounted { factor, rest, upto } => format!("C{upto:?} {factor} {rest}"),
                R::Total => "C".to_owned(),
                R::LongRun => "S".to_owned(),
                R::Ratio(over) => format!("S/{}", over.0),
                R::Within(path) => format!("C {}", s(path)),
            };
            format!("(R{}{}{} {what})", rewards.0, optimum(o), query(q))
        }
        Formula::Conditional { optimum: o, query: q, path, given } => {
            format!("(P{}{} {} || {})", optimum(o), query(q), s(path), s(given))
        }
        Formula::Multi(objectives) => {
            use volvelle_logic::Measured as M;
            let shown = objectives.iter().map(|objective| match objective.measured {
                M::Probability(path) => format!(" P{:?} {}", objective.goal, s(&path)),
                M::Reward(rewards, steps) => format!(" R{}{:?} C{steps:?}", rewards.0, objective.goal),
            });
            format!("(multi{})", shown.collect::<String>())
        }
        Formula::Time { optimum: o, query: q, path } => format!("(T{}{} {})", optimum(o), query(q), s(path)),
        Formula::Steady { optimum: o, query: q, states } => {
            format!("(S{}{} {})", optimum(o), query(q), s(states))
        }
        Formula::ForAll(path) => format!("(A {})", s(path)),
        Formula::Exists(path) => format!("(E {})", s(path)),
        Formula::Filter { op, formula, states } => {
            let states = states.as_ref().map_or("all".to_owned(), s);
            format!("(filter {op:?} {} {states})", s(formula))
        }
        Formula::Next(a, t) => format!("(X{} {})", time(t), s(a)),
        Formula::Until(a, b, t) => format!("(U{} {} {})", time(t), s(a), s(b)),
        Formula::WeakUntil(a, b, t) => format!("(W{} {} {})", time(t), s(a), s(b)),
        Formula::Release(a, b, t) => format!("(R{} {} {})", time(t), s(a), s(b)),
        Formula::BoundedUntil(a, b, bounds) => {
            let bounds: Vec<String> = bounds.iter().map(cost_bound).collect();
            format!("(U{} {} {})", bounds.join(","), s(a), s(b))
        }
        Formula::Quantile(quantile) => {
            let bounds: Vec<String> = quantile.bounds.iter().map(cost_bound).collect();
            let (open, end) = (quantile.open, if quantile.upper { "upper" } else { "lower" });
            let (o, bound) = (optimum(&quantile.optimum), query(&Query::Bound(quantile.bound)));
            format!(
                "(quantile {open} {end} P{o}{bound} {} {} {})",
                bounds.join(","),
                s(&quantile.left),
                s(&quantile.right)
            )
        }
        other => format!("{other:?}"),
    }
}

fn cost_bound(bound: &CostBound) -> String {
    let counted = match bound.counted {
        Counted::Steps => "steps".to_owned(),
        Counted::Reward(id) => format!("r{}", id.0),
    };
    let end = |end: &Option<Limit>, weak: &str, strict: &str| {
        end.as_ref()
            .map_or(String::new(), |end| format!("{}{}", if end.strict { strict } else { weak }, end.amount))
    };
    counted + &end(&bound.lower, ">=", ">") + &end(&bound.upper, "<=", "<")
}

#[test]
fn bounds_on_rewards() {
    let path = |text: &str| shown("mdp", &format!("Pmax=? [ {text} ]"));
    assert_eq!(path("F{\"money\"}<=2*N b"), "(PMax=? (Ur1<=6 true label1))");
    assert_eq!(path("b U{\"money\"}>1/3 s=2"), "(PMax=? (Ur1>1/3 label1 label2))");
    assert_eq!(path("F{\"money\"}[0.1,0.3] b"), "(PMax=? (Ur1>=1/10<=3/10 true label1))");
    assert_eq!(path("F^{rew{\"money\"}=1, steps<4} b"), "(PMax=? (Ur1>=1<=1,steps<4 true label1))");
    assert_eq!(path("F<=4,{\"steps\"}>2 b"), "(PMax=? (Usteps<=4,r0>2 true label1))");
    assert_eq!(path("G{\"money\"}<=2 b"), "(PMax=? (! (Ur1<=2 true (! label1))))");
    assert_eq!(path("b W{\"money\"}<=2 s=2"), "(PMax=? (! (Ur1<=2 (! label2) (& (! label1) (! label2)))))");
    assert_eq!(path("b R{\"money\"}<=2 s=2"), "(PMax=? (! (Ur1<=2 (! label1) (! label2))))");
    assert_eq!(
        shown("mdp", "quantile(min B, Pmax>=0.9 [ F{\"money\"}<=B,steps<=N b ])"),
        "(quantile 0 upper PMaxGe0.9 r1<=0,steps<=3 true label1)"
    );
    assert_eq!(
        shown("mdp", "quantile(max B, P>0.9 [ b U{\"money\"}>=B s=2 ])"),
        "(quantile 0 lower PMinGt0.9 r1>=0 label1 label2)"
    );
    check(
        "dtmc",
        "
        P=? [ F{\"mony\"}<=2 b ];
        //      ^^^^^^ error V0212: there is no reward structure \"mony\"
        P=? [ F{\"money\"}<=-2 b ];
        //                ^^ error V0506: the bound on a reward is negative: -2
        P=? [ F{\"money\"}<=s b ];
        //                ^ error V0208: the bound on a reward is not constant
        P=? [ F{\"money\"}[3,2] b ];
        //     ^^^^^^^^^^^^^^ error V0506: no amount lies within these bounds
        P=? [ F{\"money\"}<=2,steps<=1.5 b ];
        //                         ^^^ error V0506: the number of steps is not an integer
        //                        | time is counted in steps because the model is a dtmc
        P=? [ X{\"money\"}<=2 b ];
        //     ^^^^^^^^^^^^ error V0503: bounds on rewards or steps of X are not yet evaluated
        quantile(max B, P>=0.9 [ F{\"money\"}<=B b ]);
        //           ^ error V0508: the threshold is met by every `B` that is large enough
        //           | write min B
        quantile(min B, P>=0.9 [ F{\"money\"}<B b ]);
        //                                  ^ error V0506: the bound of a quantile cannot be strict
        //                                  | write <=: amounts are compared including the bound itself
            quantile(B, P=? [ F{\"money\"}<=B b ]);
        //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error V0508: a quantile needs a probability with a threshold, in which its variable is a bound
        ",
    );
    check(
        "ctmc",
        "
        P=? [ F{\"money\"}<=2 b ];
        //     ^^^^^^^^^^^^ error V0503: bounds on rewards or steps in a ctmc are not yet evaluated
        ",
    );
}

#[test]
fn discounted_and_conditional_rewards() {
    assert_eq!(shown("dtmc", "R=? [ Cdiscount=0.9 ]"), "(R0=? CNone 0.9 0.1)");
    assert_eq!(shown("mdp", "Rmax=? [ C<=N discount=9/10 ]"), "(R0Max=? CSome(3.0) 0.9 0.1)");
    assert_eq!(shown("dtmc", "R=? [ F b || F s=2 ]"), "(R0=? (U true label1) || (U true label2))");
    check(
        "dtmc",
        "
        R=? [ Cdiscount=1 ];
        //              ^ error V0506: the discount factor 1 is not between 0 and 1
        //              | without discount: R=? [ C ], R=? [ C<=k ]
        ",
    );
}

#[test]
fn paths() {
    assert_eq!(shown("dtmc", "P=? [ F s=3 ]"), "(P=? (U true \"done\"))");
    assert_eq!(shown("dtmc", "P=? [ F \"done\" ]"), "(P=? (U true \"done\"))");
    assert_eq!(shown("dtmc", "P=? [ G b ]"), "(P=? (W label1 false))");
    assert_eq!(shown("dtmc", "P=? [ b U<=5 s=2 ]"), "(P=? (U[0,5] label1 label2))");
    assert_eq!(shown("dtmc", "P=? [ X b ]"), "(P=? (X label1))");
    assert_eq!(shown("dtmc", "P=? [ b W s=2 ]"), "(P=? (W label1 label2))");
    assert_eq!(shown("dtmc", "P=? [ b R s=2 ]"), "(P=? (R label1 label2))");
    assert_eq!(shown("dtmc", "P=? [ !(F b) & X s=1 ]"), "(P=? (& (! (U true label1)) (X label2)))");
    assert_eq!(shown("dtmc", "P=? [ G F b => X b ]"), "(P=? (W (U true (| (! label1) (X label1))) false))");
    assert_eq!(shown("dtmc", "P=? [ F true ]"), "(P=? (U true true))");
}

#[test]
fn bounds() {
    assert_eq!(shown("ctmc", "P=? [ F<=2.5 b ]"), "(P=? (U[0,2.5] true label1))");
    assert_eq!(shown("ctmc", "P=? [ F<2.5 b ]"), "(P=? (U[0,2.5) true label1))");
    assert_eq!(shown("ctmc", "P=? [ F>=1 b ]"), "(P=? (U[1,inf] true label1))");
    assert_eq!(shown("ctmc", "P=? [ F>1 b ]"), "(P=? (U(1,inf] true label1))");
    assert_eq!(shown("ctmc", "P=? [ F[1,2] b ]"), "(P=? (U[1,2] true label1))");
    assert_eq!(shown("ctmc", "const double t = 0.5; P=? [ F[t,t] b ]"), "(P=? (U[0.5,0.5] true label1))");
    assert_eq!(shown("ctmc", "P=? [ F=3 b ]"), "(P=? (U[3,3] true label1))");
    assert_eq!(shown("dtmc", "P=? [ F<=2*N b ]"), "(P=? (U[0,6] true label1))");
    assert_eq!(shown("dtmc", "P=? [ F<=4.0 b ]"), "(P=? (U[0,4] true label1))");
    check(
        "dtmc",
        "
        P=? [ F<=2.5 b ];
        //       ^^^ error V0506: the number of steps is not an integer
        //       | time is counted in steps because the model is a dtmc
        P=? [ F<=-1 b ];
        //       ^^ error V0506: the number of steps is negative: -1
        P=? [ F<=s b ];
        //       ^ error V0208: the number of steps is not constant
        P=? [ F[3,2] b ];
        //     ^^^^^ error V0506: no time lies within these bounds
        P=? [ F<0 b ];
        //     ^^ error V0506: no time lies within these bounds
        P=? [ F<=true b ];
        //       ^^^^ error V0508: the number of steps must be a number
        ",
    );
}

#[test]
fn rewards() {
    assert_eq!(shown("ctmc", "R=? [ F b ]"), "(R0=? (U true label1))");
    assert_eq!(shown("ctmc", "R{\"money\"}=? [ C<=2.5 ]"), "(R1=? C2.5)");
    assert_eq!(shown("ctmc", "R{2}=? [ I=1 ]"), "(R1=? I1)");
    assert_eq!(shown("ctmc", "R{N-2}=? [ S ]"), "(R0=? S)");
    assert_eq!(shown("ctmc", "R=? [ C ]"), "(R0=? C)");
    assert_eq!(shown("mdp", "R{\"money\"}max<=7 [ F b ]"), "(R1MaxLe7 (U true label1))");
    assert_eq!(shown("mdp", "R<=7 [ F b ]"), "(R0MaxLe7 (U true label1))");
    check(
        "dtmc",
        "
        R{\"mony\"}=? [ F b ];
        //^^^^^^ error V0212: there is no reward structure \"mony\"
        R{3}=? [ F b ];
        //^ error V0212: there is no reward structure number 3
        R=? [ C<=1.5 ];
        //       ^^^ error V0506: the number of steps is not an integer
        ",
    );
}

#[test]
fn schedulers() {
    assert_eq!(shown("mdp", "Pmax=? [ F b ]"), "(PMax=? (U true label1))");
    assert_eq!(shown("mdp", "P>=0.5 [ F b ]"), "(PMinGe0.5 (U true label1))");
    assert_eq!(shown("mdp", "P<0.5 [ F b ]"), "(PMaxLt0.5 (U true label1))");
    assert_eq!(shown("mdp", "Pmin<0.5 [ F b ]"), "(PMinLt0.5 (U true label1))");
    assert_eq!(shown("mdp", "Smax=? [ b ]"), "(SMax=? label1)");
    assert_eq!(shown("mdp", "S>=0.5 [ b ]"), "(SMinGe0.5 label1)");
    // Without schedulers `min` and `max` mean nothing.
    assert_eq!(shown("dtmc", "Pmin=? [ F b ]"), "(P=? (U true label1))");
    assert_eq!(shown("dtmc", "P>=0.5 [ F b ]"), "(PGe0.5 (U true label1))");
    // Whether one number is the answer is known when there are states.
    assert_eq!(shown("mdp", "P=? [ F b ]"), "(P=? (U true label1))");
    assert_eq!(shown("mdp", "S=? [ b ]"), "(S=? label1)");
    check(
        "mdp",
        "
        multi(P=? [ F b ]);
        //    ^^^^^^^^^^^ error V0505: an objective needs min=? or max=?
        ",
    );
}

#[test]
fn thresholds() {
    check(
        "dtmc",
        "
        P>=1.5 [ F b ];
        // ^^^ error V0506: the probability 1.5 is not between 0 and 1
        S<-0.5 [ b ];
        //^^^^ error V0506: the probability -0.5 is not between 0 and 1
        P>s [ F b ];
        //^ error V0208: a threshold is not constant
        ",
    );
}

#[test]
fn arithmetic_of_answers() {
    assert_eq!(shown("dtmc", "1 - P=? [ F b ]"), "(- 1 (P=? (U true label1)))");
    assert_eq!(shown("dtmc", "P=? [ F b ] / 2 + s"), "(+ (/ (P=? (U true label1)) 2) number0)");
    assert_eq!(shown("dtmc", "max(P=? [ X b ], 0.5) > 0.2"), "(Gt (max (P=? (X label1)) 0.5) 0.2)");
    assert_eq!(shown("dtmc", "P>0.5 [ F b ] => \"init\""), "(| (! (PGt0.5 (U true label1))) init)");
    assert_eq!(shown("dtmc", "s + twice"), "number0");
    assert_eq!(shown("dtmc", "2 + 3"), "5");
    assert_eq!(shown("dtmc", "b"), "label1");
    assert_eq!(shown("dtmc", "P=? [ F P>0.5 [ X b ] ]"), "(P=? (U true (PGt0.5 (X label1))))");
    assert_eq!(shown("dtmc", "P=? [ F \"deadlock\" & b ]"), "(P=? (U true (& deadlock label1)))");
}

#[test]
fn filters() {
    assert_eq!(shown("dtmc", "filter(max, P=? [ F b ], s=1)"), "(filter Max (P=? (U true label1)) label2)");
    assert_eq!(
        shown("dtmc", "filter(forall, P>0.1 [ F b ], \"init\")"),
        "(filter ForAll (PGt0.1 (U true label1)) init)"
    );
    assert_eq!(shown("dtmc", "filter(avg, s)"), "(filter Avg number0 all)");
    assert_eq!(shown("dtmc", "P=? [ F b {s=1}{max} ]"), "(filter Max (P=? (U true label1)) label2)");
    assert_eq!(shown("dtmc", "P>0.5 [ F b {\"init\"} ]"), "(filter State (PGt0.5 (U true label1)) init)");
    check(
        "dtmc",
        "
        filter(maximum, P=? [ F b ]);
        //     ^^^^^^^ error V0207: there is no filter `maximum`
        filter(max, P>0.5 [ F b ]);
        //          ^^^^^^^^^^^^^ error V0508: the filter `max` cannot be applied to a condition
        filter(count, s);
        //            ^ error V0508: the filter `count` cannot be applied to an int
        filter(max, s, s);
        //             ^ error V0508: expected a condition, found an int
        1 + filter(range, s);
        //  ^^^^^^^^^^^^^^^^ error V0508: `+` takes numbers
        ",
    );
}

#[test]
fn types() {
    check(
        "dtmc",
        "
        P=? [ F s ];
        //      ^ error V0508: expected a condition, found an int
        P=? [ F b ] & b;
//      ^^^^^^^^^^^ error V0508: `&` takes conditions
        P=? [ F b ] = b;
//      ^^^^^^^^^^^^^^^ error V0508: `=` cannot compare a double with a condition
        P=? [ F nothing ];
        //      ^^^^^^^ error V0203: `nothing` is not a variable, constant or formula
        P=? [ F \"none\" ];
        //      ^^^^^^ error V0211: there is no label \"none\"
        ",
    );
}

#[test]
fn conditions_are_path_formulas() {
    assert_eq!(shown("dtmc", "P=? [ s=2 ]"), "(P=? label1)");
    assert_eq!(shown("dtmc", "P>0.5 [ !(s=2 & b) ]"), "(PGt0.5 label1)");
    assert_eq!(
        shown("dtmc", "P=? [ s=2 & (F b) | !(X true) ]"),
        "(P=? (| (& label2 (U true label1)) (! (X true))))"
    );
    assert_eq!(shown("dtmc", "R{2}=? [ b ]"), "(R1=? label1)");
    assert_eq!(shown("dtmc", "P=? [ b || F s=2 ]"), "(P=? label2 || (U true label1))");
    let (mut lowered, results, _) = properties("dtmc", "A [ P>0.8 [ b ] ]; P=? [ F b ]", "");
    assert!(results.iter().all(Result::is_ok));
    let remarks = lowered.take_warnings();
    let codes: Vec<_> = remarks.iter().map(|remark| remark.code).collect();
    assert_eq!(codes, [volvelle_diagnostics::codes::CONDITION_AS_PATH; 2], "{remarks:?}");
}

/// PRISM: an mdp has one player, `*` and the player leave the quantifier as it is, and no player turns it.
#[test]
fn coalitions() {
    for (text, tree) in [
        ("<<*>> P>=0.5 [ X b ]", "(PMaxGe0.5 (X label1))"),
        ("<<1>> P<0.5 [ X b ]", "(PMinLt0.5 (X label1))"),
        ("<<>> P>=0.5 [ X b ]", "(PMinGe0.5 (X label1))"),
        ("[[*]] P>=0.5 [ X b ]", "(PMinGe0.5 (X label1))"),
        ("[[]] R{2}<=0.5 [ C ]", "(R1MinLe0.5 C)"),
        ("<<>> Pmin=? [ X b ]", "(PMin=? (X label1))"),
        ("<<*>> Pmax=? [ X b ]", "(PMax=? (X label1))"),
        ("[[]] (Rmax=? [ F b ])", "(R0Max=? (U true label1))"),
        ("<<*>> S>0.5 [ b ]", "(SMaxGt0.5 label1)"),
        ("<<*>> T<4 [ F b ]", "(TMinLt4 (U true label1))"),
        ("<<*>> P>0.5 [ F b {s=1} ]", "(filter State (PMaxGt0.5 (U true label1)) label2)"),
        ("P>=1 [ F !<<*>> P>=0.5 [ X b ] ]", "(PMinGe1 (U true (! (PMaxGe0.5 (X label1)))))"),
        (
            "<<*>> (P>=0.5 [ X b ] & P<=0.5 [ G b ])",
            "(multi PAtLeast(0.5) (X label1) PAtMost(0.5) (W label1 false))",
        ),
        ("<<*>> (Pmax=? [ X b ], R{1}<=2 [ C ])", "(multi PMaximise (X label1) R0AtMost(2.0) CNone)"),
        ("<<*>> multi(Pmax=? [ X b ])", "(multi PMaximise (X label1))"),
        (
            "[[*]] (P>=0.5 [ X b ] & P<=0.5 [ G b ])",
            "(& (PMinGe0.5 (X label1)) (PMaxLe0.5 (W label1 false)))",
        ),
    ] {
        assert_eq!(shown("mdp", text), tree, "{text}");
    }
    assert_eq!(shown("ctmc", "<<*>> P>=0.5 [ X b ]"), "(PGe0.5 (X label1))");
    assert_eq!(
        shown("dtmc", "[[]] (P>=0.5 [ X b ], P<0.5 [ G b ])"),
        "(& (PGe0.5 (X label1)) (PLt0.5 (W label1 false)))"
    );
    check(
        "mdp",
        "
        <<*>> b;
        //    ^ error V0508: a coalition needs an operator with a number or a bound
        [[*]] (P>=0.5 [ X b ] | P<=0.5 [ G b ]);
        //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error V0508: a coalition needs an operator with a number or a bound
        [[*]] (Pmax=? [ X b ], P<=0.5 [ G b ]);
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error V0508: several operands for all strategies must be bounds
        ",
    );
    let model = MODEL.replace("label", "player p1 m endplayer\nplayer p2 [a] endplayer\nlabel");
    let property = |text: &str| {
        let mut sources = Sources::new();
        let props = sources.add("model.props", text);
        let file = sources.add("model.prism", model.replace("KIND", "mdp"));
        let (model, _) = parse::model(&sources, file);
        let mut lowered = lower(&sources, Arc::new(model), &Constants::new()).0.expect("a model");
        let (file, _) = parse::properties(&sources, props);
        let (mut results, _) = lower_properties(&mut lowered, &sources, Arc::new(file), &Constants::new());
        match results.pop().expect("a property") {
            Ok(property) => show(&property.formulas, property.root, &lowered),
            Err(diagnostics) => diagnostics[0].message.clone(),
        }
    };
    assert_eq!(property("<<p2, p1>> P>=0.5 [ X b ]"), "(PMaxGe0.5 (X label1))");
    assert_eq!(property("[[1,2]] P>=0.5 [ X b ]"), "(PMinGe0.5 (X label1))");
    let partial = "a coalition of some players against the others is not yet evaluated";
    assert_eq!(property("<<p1>> P>=0.5 [ X b ]"), partial);
    assert_eq!(property("<<p3>> P>=0.5 [ X b ]"), "the model has no player `p3`");
}

#[test]
fn several_objectives() {
    assert_eq!(
        shown(
            "mdp",
            "multi(Pmax=? [ F \"done\" ], P<=0.25 [ G s<2 ], R{\"steps\"}>=2 [ C ], R{\"money\"}<=4 [ C<=3 ])"
        ),
        "(multi PMaximise (U true \"done\") PAtMost(0.25) (W label1 false) R0AtLeast(2.0) CNone R1AtMost(4.0) CSome(3))"
    );
    assert_eq!(
        shown("mdp", "multi(P>0.5 [ F b ], R{\"steps\"}<2 [ C ])"),
        "(multi PMoreThan(0.5) (U true label1) R0LessThan(2.0) CNone)"
    );
    check(
        "mdp",
        "
        multi(P>=0.2 [ F b ], Pmax>=0.5 [ G s<2 ]);
        //                    ^^^^^^^^^^^^^^^^^^^ error V0531: an objective with a bound cannot have min or max
        multi(Pmax=? [ F b ], Pmin=? [ X b ], P>=0.5 [ G s<2 ]);
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error V0531: several objectives with =? cannot be combined with bounds
        multi(R{\"steps\"}max=? [ F b ]);
        //    ^^^^^^^^^^^^^^^^^^^^^^^ error V0531: the reward of an objective must be C or C<=k
        multi(R{\"steps\"}max=? [ I=3 ], s=2);
        //    ^^^^^^^^^^^^^^^^^^^^^^^ error V0531: the reward of an objective must be C or C<=k
        //                             ^^^ error V0531: an objective must be a P or R operator
        multi(Pmax=? [ F b || G s<2 ]);
        //    ^^^^^^^^^^^^^^^^^^^^^^^ error V0531: an objective cannot have a condition
        multi(P>=0.2 [ F b ]) & s=2;
//      ^^^^^^^^^^^^^^^^^^^^^ error V0508: `&` takes conditions
        filter(max, multi(Pmax=? [ F b ]));
        //          ^^^^^^^^^^^^^^^^^^^^^ error V0508: the filter `max` cannot be applied
        filter(print, multi(Pmax=? [ F b ]));
        //            ^^^^^^^^^^^^^^^^^^^^^ error V0508: the filter `print` cannot be applied
        Pmax=? [ F multi(P>=0.2 [ F b ]) ];
        //         ^^^^^^^^^^^^^^^^^^^^^ error V0508: expected a condition, found a multi-objective property
        ",
    );
}

#[test]
fn conditions_on_paths() {
    assert_eq!(shown("dtmc", "P=? [ F b || G s<2 ]"), "(P=? (U true label1) || (W label2 false))");
    assert_eq!(
        shown("mdp", "P>=0.5 [ (F b) || (G s<2) ]"),
        "(PMinGe0.5 (U true label1) || (W label2 false))"
    );
    check(
        "dtmc",
        "
        P=? [ b || s=2 ];
        //         ^^^ error V0508: `||` makes a conditional probability here
        //  | a disjunction is written `|`; `||` is followed by a condition on paths
        P=? [ F b || s ];
        //           ^ error V0508: a condition needs a path formula
        R=? [ F b || s ];
        //           ^ error V0508: a condition needs a path formula
        ",
    );
}

#[test]
fn references_and_declarations() {
    let text = "
        const double T;
        formula late = s>=N-1;
        label \"near\" = late & s!=N;
        \"p\": P=? [ F<=T \"near\" ];
        \"q\": 1 - \"p\";
        q + p";
    // The last `q` has no quotes; both refer to the same formulas.
    assert_eq!(
        shown_with("ctmc", text, "T=2"),
        "(+ (- 1 (P=? (U[0,2] true label1))) (P=? (U[0,2] true label1)))"
    );
    let (lowered, results, _) = properties("ctmc", text, "T=2,M=1");
    assert_eq!(lowered.program().labels.len(), 2, "equal state formulas are shared");
    for result in results {
        assert_eq!(result.expect("no diagnostics").constants, [constant("T", "2")]);
    }
}

#[test]
fn open_constants_cost_the_properties_that_use_them() {
    let text = "const double T; P=? [ F<=T b ]; P=? [ F b ]; P=? [ F<=2*T b ]";
    let (_, results, diagnostics) = properties("ctmc", text, "");
    assert!(diagnostics.is_empty());
    let codes: Vec<Option<_>> = results.iter().map(|r| r.as_ref().err().map(|e| e[0].code)).collect();
    let open = Some(volvelle_diagnostics::codes::OPEN_CONSTANT);
    assert_eq!(codes, [open, None, open]);
}

fn constant(name: &str, value: &str) -> Constant {
    Constant { name: name.into(), value: value.into() }
}

#[test]
fn constants_of_the_command_line() {
    assert_eq!(shown_with("dtmc", "P=? [ F<=K s=3 ]", "K=7"), "(P=? (U[0,7] true \"done\"))");
    assert_eq!(shown_with("dtmc", "P>=q [ F b ]", "q=0.25"), "(PGe0.25 (U true label1))");
    assert_eq!(shown_with("dtmc", "P=? [ F b=flag ]", "flag=true"), "(P=? (U true label1))");
    let (_, results, _) = properties("dtmc", "P=? [ F<=K s=3 ]; P=? [ F b ]", "K=7,J=1");
    let constants: Vec<_> = results.into_iter().map(|r| r.expect("no diagnostics").constants).collect();
    assert_eq!(constants, [vec![constant("K", "7")], vec![]]);
}

#[test]
fn one_bad_property_costs_only_itself() {
    let (lowered, results, diagnostics) = properties(
        "dtmc",
        "label \"bad\" = s; \"a\": P=? [ F \"bad\" ]; \"b\": P=? [ F b ]; \"c\": P=? [ F \"bad\" & s=1 ]; \"d\": \"c\"",
        "",
    );
    assert!(diagnostics.is_empty());
    let ok: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [false, true, false, false]);
    for result in results.into_iter().filter_map(Result::err) {
        assert_eq!(result.len(), 1, "the same diagnostic for everyone it concerns: {result:?}");
        assert_eq!(result[0].code, volvelle_diagnostics::codes::TYPE_MISMATCH);
    }
    assert_eq!(lowered.program().labels.len(), 2, "what failed leaves no observations");
}

#[test]
fn cycles() {
    let (_, results, diagnostics) = properties(
        "dtmc",
        "formula x = y; formula y = !x; \"p\": \"q\"; \"q\": 1-\"p\"; P=? [ F x ]; P=? [ F b ]",
        "",
    );
    assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
    let ok: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [false, false, false, true]);
}

#[test]
fn duplicates() {
    check(
        "dtmc",
        "
        label \"done\" = b;
        //    ^^^^^^ error V0201: `done` is declared twice
        const int s = 1;
        //        ^ error V0201: `s` is declared twice
        \"p\": P=? [ F b ];
        \"p\": P=? [ X b ];
//      ^^^ error V0201: `p` is declared twice
        ",
    );
}

#[test]
fn a_later_file_sees_an_earlier_one() {
    let mut sources = Sources::new();
    let model = sources.add("model.prism", MODEL.replace("KIND", "dtmc"));
    let (model, _) = parse::model(&sources, model);
    let (lowered, _) = lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.expect("no errors");
    let file = sources.add("a.props", "const int T = 4; label \"mid\" = s=1; \"p\": P=? [ F b ];");
    let (first, _) = parse::properties(&sources, file);
    let file = sources.add("--prop", "P=? [ F<=T \"mid\" ] + \"p\"");
    let (second, _) = parse::property(&sources, file);
    let (_, diagnostics) = lowered.add_properties(Arc::new(first), &Constants::new());
    assert!(diagnostics.is_empty());
    let (number, diagnostics) = lowered.add_properties(Arc::new(second), &Constants::new());
    assert!(diagnostics.is_empty());
    let property = lowered.property(&sources, number, 0).expect("no diagnostics");
    assert_eq!(property.text, "P=? [ F<=T \"mid\" ] + \"p\"");
    assert_eq!(
        show(&property.formulas, property.root, &lowered),
        "(+ (P=? (U[0,4] true label1)) (P=? (U true label2)))"
    );
}

/// Other values for the constants of properties: what is lowered then is what a fresh start gives, and observations that
/// do not change are shared.
#[test]
fn properties_are_read_again_with_other_constants() {
    let text = "const int K; const double T;
        label \"at_k\" = s=K;
        formula beyond = s>K;
        \"one\": P=? [ F<=T \"at_k\" ];
        P=? [ F beyond & \"done\" ];
        P=? [ F s=M ];
        P=? [ F \"one\">0.5 ];";
    let (first, second) = ("K=1,T=2,M=3", "K=2,T=5,M=1");
    let mut sources = Sources::new();
    let props = sources.add("model.props", text);
    let model = sources.add("model.prism", MODEL.replace("KIND", "dtmc"));
    let (model, _) = parse::model(&sources, model);
    let (file, diagnostics) = parse::properties(&sources, props);
    assert!(diagnostics.is_empty());
    let (model, file) = (Arc::new(model), Arc::new(file));
    let fresh = |constants: &str| {
        let mut lowered = lower(&sources, model.clone(), &Constants::new()).0.expect("a program");
        let constants = support::constants(constants);
        let (properties, diagnostics) = lower_properties(&mut lowered, &sources, file.clone(), &constants);
        assert!(diagnostics.is_empty(), "{}", support::rendered(&diagnostics, &sources));
        (lowered, properties)
    };
    // What a property says, with the constants of its observations in place of their numbers.
    let meaning = |lowered: &Lowered, property: &Property| -> Vec<String> {
        let exprs = &lowered.program().exprs;
        let constants_of = |label: usize| {
            let used = exprs.reachable([lowered.program().labels[label].expr]);
            let used = exprs.ids().filter(|id| used[id.index()]);
            let mut constants: Vec<String> =
                used.filter_map(|id| exprs.as_const(id)).map(|c| format!("{c:?}")).collect();
            constants.sort_unstable();
            format!("label of {}", constants.join(" "))
        };
        let formulas = property.formulas.ids().map(|id| match property.formulas.get(id) {
            Formula::Label(label) => constants_of(label.0 as usize),
            other => format!("{other:?}"),
        });
        formulas.collect()
    };
    let (mut swept, _) = fresh(first);
    let labels = swept.program().labels.len();
    for constants in [second, first, second] {
        swept.forget_properties();
        let values = support::constants(constants);
        let (properties, diagnostics) = lower_properties(&mut swept, &sources, file.clone(), &values);
        assert!(diagnostics.is_empty(), "{}", support::rendered(&diagnostics, &sources));
        let (expected_in, expected) = fresh(constants);
        assert_eq!(properties.len(), 4);
        for (found, expected) in properties.iter().zip(&expected) {
            let (found, expected) = (found.as_ref().unwrap(), expected.as_ref().unwrap());
            assert_eq!(found.constants, expected.constants);
            assert_eq!(meaning(&swept, found), meaning(&expected_in, expected));
        }
    }
    // Labels of both sets of values, each once.
    let both = swept.program().labels.len();
    assert!(both > labels && both <= 2 * labels, "{labels} {both}");
    let times = |lowered: &mut Lowered, constants: &str| {
        lowered.forget_properties();
        let values = support::constants(constants);
        let (properties, _) = lower_properties(lowered, &sources, file.clone(), &values);
        format!("{:?}", properties[0].as_ref().unwrap().formulas)
    };
    let one = times(&mut swept, first);
    assert_ne!(one, times(&mut swept, second));
    assert_eq!(one, times(&mut swept, first));
}

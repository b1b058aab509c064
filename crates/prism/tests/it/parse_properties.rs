//! Every construct of the property language.

use crate::common::{properties, property, property_tree, sexpr};

#[test]
fn probabilities() {
    for (text, tree) in [
        ("P=? [ X a ]", "(P=? (X a))"),
        ("P = ? [ a U b ]", "(P=? (U a b))"),
        ("Pmin=? [ F a ]", "(Pmin=? (F a))"),
        ("P min=? [ F a ]", "(Pmin=? (F a))"),
        ("Pmax>=0.5 [ F a ]", "(Pmax>=0.5 (F a))"),
        ("P>p [ F a ]", "(P>p (F a))"),
        ("P<1-p*2 [ F a ]", "(P<(- 1 (* p 2)) (F a))"),
        ("P<=(p) [ true ]", "(P<=p true)"),
        ("P>T [ F a ]", "(P>T (F a))"),
        ("1-P=? [ F a ]", "(- 1 (P=? (F a)))"),
        ("P=? [ F a ]/P=? [ F b ]", "(/ (P=? (F a)) (P=? (F b)))"),
        ("P>0.5 [ X a ]|P<0.1 [ X b ]", "(| (P>0.5 (X a)) (P<0.1 (X b)))"),
        ("P=? [ F>2 S>0.9 [ n>=5 ] ]", "(P=? (F>2 (S>0.9 (>= n 5))))"),
        ("\"init\" => P>=1 [ F \"done\" ]", "(=> \"init\" (P>=1 (F \"done\")))"),
        ("P=? [ F a {x=1} ]", "(P=? (F a) {(= x 1)})"),
        ("P=? [ F a {\"init\"}{min}{max} ]", "(P=? (F a) {\"init\"}{min}{max})"),
        ("P=? [ F a || G b ]", "(P=? (|| (F a) (G b)))"),
        ("P=? [ (F a) & (G b) || !(F c) ]", "(P=? (|| (& (F a) (G b)) (! (F c))))"),
        ("a ? P=? [ F a ] : 0", "(? a (P=? (F a)) 0)"),
    ] {
        assert_eq!(property_tree(text), tree, "{text}");
    }
}

#[test]
fn rewards() {
    for (text, tree) in [
        ("R=? [ F a ]", "(R=? (F a))"),
        ("Rmin=? [ C<=10 ]", "(Rmin=? (C<= 10))"),
        ("R{\"r\"}max=? [ C<=2*t ]", "(R{r}max=? (C<= (* 2 t)))"),
        ("R{\"r\"}=? [ C ]", "(R{r}=? C)"),
        ("R{\"r\"}min<=3 [ I=t ]", "(R{r}min<=3 (I= t))"),
        ("R{2}>=1 [ S ]", "(R{#2}>=1 S)"),
        ("R{n+1}=? [ S ]", "(R{#(+ n 1)}=? S)"),
        ("R=? [ S {x=1} ]", "(R=? S {(= x 1)})"),
        ("R=? [ C<=t {x=1}{max} ]", "(R=? (C<= t) {(= x 1)}{max})"),
        ("R=? [ F a & b ]", "(R=? (F (& a b)))"),
        ("R=? [ a U (b & X c) ]", "(R=? (U a (& b (X c))))"),
        ("R=? [ S>0.5 [ a ] U b ]", "(R=? (U (S>0.5 a) b))"),
        ("R{\"r\"}=? [ C<=t ] / t", "(/ (R{r}=? (C<= t)) t)"),
    ] {
        assert_eq!(property_tree(text), tree, "{text}");
    }
}

#[test]
fn other_operators() {
    for (text, tree) in [
        ("S=? [ a | b ]", "(S=? (| a b))"),
        ("S>=0.9 [ a ]", "(S>=0.9 a)"),
        ("S=? [ a {\"init\"} ]", "(S=? a {\"init\"})"),
        ("Smin=? [ a ]", "(Smin=? a)"),
        ("S max=? [ a ]", "(Smax=? a)"),
        ("Smax>=p/2 [ a ]", "(Smax>=(/ p 2) a)"),
        ("Smax + 1", "(+ Smax 1)"),
        ("T=? [ F a ]", "(T=? (F a))"),
        ("Tmin=? [ F a ]", "(Tmin=? (F a))"),
        ("T max = ? [ F a ]", "(Tmax=? (F a))"),
        ("T<=5 [ F a ]", "(T<=5 (F a))"),
        ("Tmax>2*(t+1) [ F a ]", "(Tmax>(* 2 (+ t 1)) (F a))"),
        ("A [ G a ]", "(A (G a))"),
        ("E [ F<=3 a ]", "(E (F<=3 a))"),
        ("filter(max, P=? [ F a ], \"init\")", "(filter max (P=? (F a)) \"init\")"),
        ("filter(forall, a => b)", "(filter forall (=> a b))"),
        ("filter(+, 1, x>2)", "(filter + 1 (> x 2))"),
        ("filter(&, a, b)", "(filter & a b)"),
        ("filter(|, a)", "(filter | a)"),
        ("filter(min, filter(avg, x, y), z)", "(filter min (filter avg x y) z)"),
        ("multi(Pmax=? [ F a ], R{\"r\"}<=5 [ C ])", "(Multi (Pmax=? (F a)) (R{r}<=5 C))"),
        ("\"p1\" + \"p2\"/2", "(+ \"p1\" (/ \"p2\" 2))"),
        ("x", "x"),
    ] {
        assert_eq!(property_tree(text), tree, "{text}");
    }
}

/// `T` is a name where it is not an operator.
#[test]
fn t_is_a_name_too() {
    for (text, tree) in [
        ("T<=5", "(<= T 5)"),
        ("T=5 & T>x", "(& (= T 5) (> T x))"),
        ("P=? [ F<=T x ]", "(P=? (F<=T x))"),
        ("P=? [ F T<=5 ]", "(P=? (F (<= T 5)))"),
        ("P=? [ true U<=T*3600 x ]", "(P=? (U<=(* T 3600) true x))"),
        ("T", "T"),
    ] {
        assert_eq!(property_tree(text), tree, "{text}");
    }
}

#[test]
fn coalitions() {
    for (text, tree) in [
        ("<<p1,2>> Pmax=? [ F a ]", "(<<p1,2>> (Pmax=? (F a)))"),
        ("[[*]] Pmax=? [ F a ]", "([[*]] (Pmax=? (F a)))"),
        ("<< >> (Pmax=? [ F a ], R<=1 [ C ])", "(<<>> (Pmax=? (F a)) (R<=1 C))"),
        ("[[\"p\"]] (P>0.5 [ F a ] & P<0.1 [ X a ])", "([[p]] (& (P>0.5 (F a)) (P<0.1 (X a))))"),
        ("1 + <<p>> P=? [ F a ] * 2", "(+ 1 (* (<<p>> (P=? (F a))) 2))"),
        (
            "P>0.5 [ F !<<>> P>0.5 [ X <<*>> P>=1 [ F a ] ] ]",
            "(P>0.5 (F (! (<<>> (P>0.5 (X (<<*>> (P>=1 (F a)))))))))",
        ),
    ] {
        let (file, diagnostics) = property(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        assert_eq!(sexpr(&file.exprs, file.properties[0].body), tree, "{text}");
    }
}

#[test]
fn automata_ratios_and_budgets() {
    for (text, tree) in [
        ("P=? [ HOA: {\"a.hoa\", \"p\" <- x=1} ]", "(P=? (HOA a.hoa p=(= x 1)))"),
        (
            "P=? [ HOA: {\"../b/a.hoa\", \"p\" -> x=1, \"q\" <- P>0 [ F a ]} ]",
            "(P=? (HOA ../b/a.hoa p=(= x 1) q=(P>0 (F a))))",
        ),
        ("E [ !HOA: {\"a.hoa\"} ]", "(E (! (HOA a.hoa)))"),
        ("R{\"a\"}/{\"b\"}=? [ S ]", "(R{a}/{b}=? S)"),
        ("R{1}/{\"b\"}min>=2 [ S ]", "(R{#1}/{b}min>=2 S)"),
        ("R{\"a\"}=? [ C{\"b\"} ]", "(R{a}=? C {\"b\"})"),
        ("R=? [ MP ]", "(R=? S)"),
    ] {
        let (file, diagnostics) = property(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        assert_eq!(sexpr(&file.exprs, file.properties[0].body), tree, "{text}");
    }
    // All ways to write the same bounds.
    let trees = |texts: &[&str]| -> Vec<String> {
        let tree = |text: &&str| {
            let (file, diagnostics) = property(text);
            assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
            sexpr(&file.exprs, file.properties[0].body)
        };
        let mut trees: Vec<String> = texts.iter().map(tree).collect();
        trees.dedup();
        trees
    };
    for texts in [
        [
            "R=? [ C{\"b\"}<=3 ]",
            "R=? [ C^{rew{\"b\"}<=3} ]",
            "R=? [ C rew{\"b\"}<=3 ]",
            "R=? [ C{rew{\"b\"}<=3} ]",
        ],
        [
            "R=? [ C{\"b\"}<=3,steps<=2 ]",
            "R=? [ C^{\"b\"}<=3, steps<=2 ]",
            "R=? [ C{rew{\"b\"}<=3, steps<=2} ]",
            "R=? [ C^{rew{\"b\"}<=3,steps<=2} ]",
        ],
        ["R=? [ C steps<=2 ]", "R=? [ C{steps<=2} ]", "R=? [ C^{steps<=2} ]", "R[exp]=? [ C steps<=2 ]"],
        ["R=? [ C time<=2 ]", "R=? [ C{<=2} ]", "R=? [ C^{time<=2} ]", "R=? [ C{time<=2} ]"],
    ] {
        assert_eq!(trees(&texts).len(), 1, "{:?}", trees(&texts));
    }
}

#[test]
fn refused_by_name() {
    for (text, tree) in [
        ("Pmaxmin=? [ F a ]", "(unsupported: nested optima such as `minmax`)"),
        ("P minmax=? [ F a ]", "(unsupported: nested optima such as `minmax`)"),
        ("R{\"r\"}min max=? [ F a ]", "(unsupported: nested optima such as `minmax`)"),
        ("P(cvar)=? [ F a ]", "(unsupported: modifiers such as `P(…)`)"),
        ("R{\"a\"}max=? [ Fc \"done\" ]", "(unsupported: rewards `Fc` and `F0` of stochastic games)"),
        ("R{1}{2}=? [ S ]", "(unsupported: rewards with two reward structures)"),
        ("LRAmin=? [ a ]", "(Smin=? a)"),
        ("R=? [ LRA ]", "(R=? S)"),
        ("LRA=? [ a ]", "(S=? a)"),
        ("R[var]{\"r\"}max=? [ F a ]", "(unsupported: variances of rewards, `R[var]` and `T[var]`,)"),
        ("R{\"r\"}[var]=? [ F a ]", "(unsupported: variances of rewards, `R[var]` and `T[var]`,)"),
        ("T[var]=? [ F a ]", "(unsupported: variances of rewards, `R[var]` and `T[var]`,)"),
        ("R[exp]{\"r\"}max=? [ F a ]", "(R{r}max=? (F a))"),
        ("Tmax[exp]=? [ F a ]", "(Tmax=? (F a))"),
        ("T=? [ F a {\"init\"} ]", "(unsupported: filters in braces after `T`)"),
    ] {
        let (file, diagnostics) = property(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        assert_eq!(sexpr(&file.exprs, file.properties[0].body), tree, "{text}");
    }
}

#[test]
fn bounds_on_rewards() {
    for (text, tree) in [
        ("P=? [ F{\"cost\"}<=5 a ]", "(P=? (F{cost}<=5 a))"),
        ("P=? [ F^{\"cost\"}<=5 a ]", "(P=? (F{cost}<=5 a))"),
        ("P=? [ F rew{\"cost\"}>2 a ]", "(P=? (F{cost}>2 a))"),
        ("P=? [ a U{\"c\"}[1,2] b ]", "(P=? (U{c}[1,2] a b))"),
        ("P=? [ a U{\"c\"}=2 (b) ]", "(P=? (U{c}=2 a b))"),
        ("P=? [ F{\"a\"}<=3,{\"b\"}>=5,steps<=10 x=1 ]", "(P=? (F{a}<=3,{b}>=5,steps<=10 (= x 1)))"),
        ("P=? [ F<=10,{\"a\"}<3 a ]", "(P=? (F<=10,{a}<3 a))"),
        ("P=? [ G^{rew{\"a\"}<=3, steps<=k+1} a ]", "(P=? (G{a}<=3,steps<=(+ k 1) a))"),
        ("P=? [ F{rew{\"a\"}<=3, time>2} a ]", "(P=? (F{a}<=3,>2 a))"),
        ("P=? [ F steps<=5 a ]", "(P=? (Fsteps<=5 a))"),
        ("P=? [ F time<5 \"a\" ]", "(P=? (F<5 \"a\"))"),
        ("P=? [ a U steps[1,k] (x=1) ]", "(P=? (Usteps[1,k] a (= x 1)))"),
        ("P=? [ a U steps=2*k+1 !b ]", "(P=? (Usteps=(+ (* 2 k) 1) a (! b)))"),
        ("P=? [ F steps<=floor(k) a ]", "(P=? (Fsteps<=(Floor k) a))"),
        (
            "P=? [ F steps<=max(k,2)*(1+1) P>=1 [ X a ] ]",
            "(P=? (Fsteps<=(* (Max k 2) (+ 1 1)) (P>=1 (X a))))",
        ),
        ("P=? [ F steps<=3,rew{\"c\"}<=5 a ]", "(P=? (Fsteps<=3,{c}<=5 a))"),
        ("P=? [ G time>=2,steps<9 a ]", "(P=? (G>=2,steps<9 a))"),
        // A variable of this name is no bound.
        ("P=? [ F steps<=3 ]", "(P=? (F (<= steps 3)))"),
        ("P=? [ F steps<=3 & a ]", "(P=? (F (& (<= steps 3) a)))"),
        ("P=? [ F time=floor(k) => a ]", "(P=? (F (=> (= time (Floor k)) a)))"),
        ("P=? [ steps<=3 U time>k ]", "(P=? (U (<= steps 3) (> time k)))"),
        ("P=? [ F steps<=-k {\"init\"} ]", "(P=? (F (<= steps (neg k))) {\"init\"})"),
        ("P=? [ F rew<=3 ]", "(P=? (F (<= rew 3)))"),
        ("quantile(min B, P>=0.9 [ F{\"c\"}<=B a ])", "(quantile minB (P>=0.9 (F{c}<=B a)))"),
        (
            "quantile(B, max D, P>p [ F^{rew{\"c\"}<=B, steps>=D} a ])",
            "(quantile B maxD (P>p (F{c}<=B,steps>=D a)))",
        ),
        // Outside of the quantile it is a constant.
        ("P=? [ F{\"c\"}<=B a ]", "(P=? (F{c}<=B a))"),
        ("R=? [ Cdiscount=0.9 ]", "(R=? (Cdiscount 0.9))"),
        ("R{\"r\"}max=? [ C<=10 discount=9/10 ]", "(R{r}max=? (Cdiscount 10 (/ 9 10)))"),
        ("R=? [ C<=n+1discount=d ]", "(R=? (Cdiscount (+ n 1) d))"),
        ("R=? [ F a || F b ]", "(R=? (|| (F a) (F b)))"),
        ("quantile", "quantile"),
    ] {
        assert_eq!(property_tree(text), tree, "{text}");
    }
}

#[track_caller]
fn bodies(text: &str) -> Vec<(Option<String>, String)> {
    let (file, diagnostics) = properties(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    file.properties
        .iter()
        .map(|p| (p.name.as_ref().map(|n| n.text.clone()), sexpr(&file.exprs, p.body)))
        .collect()
}

#[test]
fn files() {
    let named = |name: &str, tree: &str| (Some(name.to_string()), tree.to_string());
    let unnamed = |tree: &str| (None, tree.to_string());
    assert_eq!(
        bodies("\"a\": P=? [ F x ];\n\"b\": \"a\" + 1;\n\"c\"; S=? [ y ];;"),
        [named("a", "(P=? (F x))"), named("b", "(+ \"a\" 1)"), unnamed("\"c\""), unnamed("(S=? y)")]
    );
    // Semicolons may be left out.
    assert_eq!(
        bodies("P=? [ F x ]\nR=? [ F x ]\n\"a\": !x\nx=1 // comment\n\"b\" \"c\": (y)"),
        [
            unnamed("(P=? (F x))"),
            unnamed("(R=? (F x))"),
            named("a", "(! x)"),
            unnamed("(= x 1)"),
            unnamed("\"b\""),
            named("c", "y"),
        ]
    );
    assert_eq!(bodies("// nothing\n;;"), []);
}

#[test]
fn declarations_of_files() {
    let (file, diagnostics) = properties(
        "const double t; const int K = 2; const n = K; label \"l\" = x=K; formula f = x+1; P=? [ F<=t \"l\" ]; rate r;",
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((file.constants.len(), file.labels.len(), file.formulas.len()), (4, 1, 1));
    assert_eq!(file.properties.len(), 1);
    assert_eq!(sexpr(&file.exprs, file.labels[0].body), "(= x K)");
}

#[test]
fn spans() {
    let text = "\"a\": P=? [ F x ] ;\nR=? [ S ]\n";
    let (file, _) = properties(text);
    let under = |i: usize| {
        let span = file.properties[i].span;
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!((under(0), under(1)), ("P=? [ F x ]", "R=? [ S ]"));
    let text = "P=? [ a U<=2*t (b) ]";
    let (file, _) = property(text);
    let mut shown: Vec<&str> = file
        .exprs
        .ids()
        .map(|id| {
            let span = file.exprs.span(id);
            &text[span.start as usize..span.end as usize]
        })
        .collect();
    shown.sort_by_key(|s| s.len());
    assert_eq!(shown, ["a", "2", "t", "b", "2*t", "(b)", "a U<=2*t (b)", "P=? [ a U<=2*t (b) ]"]);
}

//! The rules of the language that are not syntax: every broken rule is a diagnostic at the right place, and one
//! mistake hides no other.

use crate::common;
use crate::support;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, codes};
use volvelle_prism::lower::{Constants, lower, open_constants, unknown_constants};
use volvelle_prism::parse;

/// Lowers a model; diagnostics must be those drawn in the text (see `common::check_model`), in the order of
/// the text.
fn check(text: &str) {
    check_with(text, "");
}

fn check_with(text: &str, constants: &str) {
    let (_, lowered, mut diagnostics) = support::model(text, &support::constants(constants));
    let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(lowered.is_none(), errors, "a program exactly if there are no errors\n{text}");
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| label.span.start));
    common::check(text, diagnostics);
}

fn diagnostics_of(text: &str, constants: &str) -> Vec<Diagnostic> {
    support::model(text, &support::constants(constants)).2
}

#[test]
fn a_correct_model() {
    check("dtmc module m x : [0..1]; [] x=0 -> 0.5 : (x'=1) + 0.5 : true; endmodule");
}

#[test]
fn names() {
    check(
        "
        dtmc
        const int N = 3;
        module m
          count : [0..N];
          [] cuont<N -> (count'=count+1);
        //   ^^^^^ error V0203: `cuont` is not a variable, constant or formula
          [] true -> (cuont'=0) & (N'=1);
        //            ^^^^^ error V0203: `cuont` is not a variable, constant or formula
        //                         ^ error V0203: `N` is a constant, not a variable
        endmodule
        formula N = count;
        //      ^ error V0201: `N` is declared twice
        label \"a\" = true;
        label \"a\" = false;
        //    ^^^ error V0201: `a` is declared twice
        label \"init\" = true;
        //    ^^^^^^ error V0201: the label \"init\" is built in
        rewards \"r\" true : 1; endrewards
        rewards \"r\" true : 2; endrewards
        //      ^^^ error V0201: `r` is declared twice
        ",
    );
}

#[test]
fn a_name_is_suggested() {
    let found = diagnostics_of("dtmc module m srep : [0..1]; [] srepp=0 -> true; endmodule", "");
    assert_eq!(found[0].primary.as_ref().map(|l| l.text.as_str()), Some("did you mean `srep`?"));
    assert_eq!(found[0].secondary.len(), 1);
}

#[test]
fn variables_share_one_name_space() {
    check(
        "
        mdp
        global x : bool;
        module a  y : bool; [] true -> true; endmodule
        module b  y : bool; x : bool; [] true -> true; endmodule
        //        ^ error V0201: `y` is declared twice
        //                  ^ error V0201: `x` is declared twice
        module a  z : bool; [] true -> true; endmodule
        //     ^ error V0201: `a` is declared twice
        ",
    );
}

#[test]
fn types_of_operators() {
    check(
        "
        mdp
        module m
          x : [0..5];
          b : bool;
          [] x -> true;
        //   ^ error V0204: a guard must be a condition
          [] x+b > 0 -> true;
        //     ^ error V0204: `+` takes numbers
          [] x & b -> true;
        //   ^ error V0204: `&` takes conditions
          [] !x -> true;
        //    ^ error V0204: `!` takes conditions
          [] x = b -> true;
        //   ^^^^^ error V0204: `=` cannot compare an int with a bool
          [] b < b -> true;
        //   ^^^^^ error V0204: `<` cannot compare two bools
          [] (b ? 1 : b) = 1 -> true;
        //    ^^^^^^^^^ error V0204: the two results of `?` differ in type
          [] (x ? 1 : 2) = 1 -> true;
        //    ^ error V0204: `?` takes conditions
          [] mod(x, 2.0) = 1 -> true;
        //          ^^^ error V0204: `mod` takes ints
          [] max(x, b) = 1 -> true;
        //          ^ error V0204: `max` takes numbers
          [] b -> b : true;
        //        ^ error V0204: a probability must be a number
          [] b -> (x'=x/1);
        //            ^^^ error V0204: a value of type double is assigned to the int variable `x`
        //            | floor(x/1)
          [] b -> (x'=b) & (b'=1);
        //            ^ error V0204: a value of type bool is assigned to the int variable `x`
        //                     ^ error V0204: a value of type int is assigned to the bool variable `b`
        endmodule
        label \"l\" = x;
        //          ^ error V0204: the label \"l\" must be a condition
        rewards x : b; endrewards
        //      ^ error V0204: a guard must be a condition
        //          ^ error V0204: a reward must be a number
        ",
    );
}

#[test]
fn arguments() {
    check(
        "
        mdp
        const int a = min(1) + max(2);
        const double b = log(8);
        //               ^^^^^^ error V0206: `log` takes 2 arguments, found 1
        //               | the second argument is the base
        const int c = floor(1, 2);
        //            ^^^^^^^^^^^ error V0206: `floor` takes 1 argument, found 2
        module m x : bool; [] true -> true; endmodule
        ",
    );
}

#[test]
fn constants() {
    check(
        "
        mdp
        const int a = b + 1;
        const int b = 2;
        const double c = a;
        const int d = 0.5;
        //            ^^^ error V0204: the constant `d` is declared as int
        const bool e = a;
        //             ^ error V0204: the constant `e` is declared as bool
        const int f = x;
        //            ^ error V0208: the constant `f` is not constant
        const int g = mod(a, b-2);
        //            ^^^^^^^^^^^ error V0209: a remainder by a number that is not positive in the constant `g`
        const double h = 1/(a-3);
        //               ^^^^^^^ error V0209: division by zero in the constant `h`
        const int i = 65536*65536;
        //            ^^^^^^^^^^^ error V0209: a result that does not fit in a 32-bit integer in the constant `i`
        const int j = pow(2, -1);
        //            ^^^^^^^^^^ error V0209: a power of integers with a negative exponent in the constant `j`
        const int k = floor(1e99);
        //            ^^^^^^^^^^^ error V0209: a double that does not fit in an integer in the constant `k`
        const int l = 3000000000;
        //            ^^^^^^^^^^ error V0104: `3000000000` does not fit in an int
        module m x : [0..a]; [] true -> true; endmodule
        ",
    );
}

#[test]
fn cycles() {
    check(
        "
        mdp
        const int a = b;
        //        ^ error V0205: the definition of `a` is cyclic
        const int b = c+1;
        const int c = a;
        const int d = d;
        //        ^ error V0205: the definition of `d` is cyclic
        const int e = a+d;
        formula f = !g;
        //      ^ error V0205: the definition of `f` is cyclic
        formula g = f & x;
        module m x : bool; [] f -> true; [] g -> (x'=e=1); endmodule
        ",
    );
}

#[test]
fn open_constants_need_values() {
    let text = "
        mdp
        const int N;
        //        ^ error V0117: constant `N` has no value
        //        | --const N=4
        const double p;
        //           ^ error V0117: constant `p` has no value
        module m x : [0..N]; [] x<N -> p : (x'=x+1) + 1-p : true; endmodule
        ";
    check(text);
    let silent: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    check_with(&silent, "N=3,p=0.5");
}

#[test]
fn bad_value() {
    let text = "
        mdp
        const int N;
        //        ^ error V0006: `2.5` is not a value for the constant `N` of type int
        const double p;
        //           ^ error V0006: `half` is not a value for the constant `p` of type double
        const bool b;
        //         ^ error V0006: `1` is not a value for the constant `b` of type bool
        const bool c;
        const int big;
        //        ^^^ error V0006: `4294967296` is not a value for the constant `big` of type int
        const double inf;
        //           ^^^ error V0006: `inf` is not a value for the constant `inf` of type double
        module m x : bool; [] true -> true; endmodule
        ";
    check_with(text, "N=2.5,p=half,b=1,c=True,big=4294967296,inf=inf");
}

#[test]
fn unknown_constant() {
    let mut sources = Sources::new();
    let text = "mdp const int N; const int M = 2; module m x : [0..N]; [] x<M -> true; endmodule";
    let file = sources.add("model.prism", text);
    let (model, _) = parse::model(&sources, file);
    let file = sources.add("model.props", "const double T; Pmax=? [ F<=T x=K ]");
    let (properties, _) = parse::properties(&sources, file);
    let messages = |constants: &str| -> Vec<String> {
        let constants = support::constants(constants);
        let found = unknown_constants(&constants, &model, &[&properties]);
        found.iter().map(|d| format!("{}: {} | {}", d.code, d.message, d.helps.join(" "))).collect()
    };
    assert!(messages("N=1,T=2,K=3").is_empty());
    assert_eq!(
        messages("n=1"),
        ["V0214: `n` is not an undefined constant | did you mean `N`?"],
        "a near name is proposed"
    );
    assert_eq!(messages("M=1").len(), 1, "M has a value");
    assert_eq!(messages("x=1").len(), 1, "x is a variable");
    assert_eq!(
        messages("elephant=1"),
        ["V0214: `elephant` is not an undefined constant | the model has the undefined constants `N`, `T`"]
    );
    let open: Vec<_> =
        open_constants(&model, &[&properties]).into_iter().map(|c| (c.name, c.in_properties)).collect();
    assert_eq!(open, [("N".to_owned(), false), ("T".to_owned(), true)]);
    let (_, diagnostics) = lower(&sources, Arc::new(model), &support::constants("N=1,M=1"));
    assert!(diagnostics.iter().any(|d| d.code == codes::UNKNOWN_CONSTANT_OPTION), "M has a value");
}

#[test]
fn ranges() {
    check(
        "
        mdp
        const int N = 2;
        module m
          a : [0..N] init 3;
        //                ^ error V0304: the initial value 3 of `a` is not in its range 0..2
          b : [N..0];
        //     ^^^^ error V0303: the range of `b` is empty: 2..0
          c : [0..a];
        //        ^ error V0208: the range of `c` is not constant
          d : [0..2.5];
        //        ^^^ error V0204: the range of `d` must be an int
          e : bool init 1;
        //              ^ error V0204: the initial value of `e` must be a bool
          f : [0..1] init a;
        //                ^ error V0208: the initial value of `f` is not constant
          g : double;
        //    ^^^^^^ error V0312: the variable `g` cannot be of type double
          h : clock;
        //    ^^^^^ error V0313: clocks are not supported
          i : [N..N];
          [] true -> true;
        endmodule
        ",
    );
}

#[test]
fn initial_states() {
    check(
        "
        mdp
        module m
          a : [0..2] init 1;
          b : int;
          [] true -> true;
        endmodule
        init a>0 endinit
        //   ^^^ error V0310: `init ... endinit` and an initial value of `a` exclude each other
        //   ^^^ error V0318: there are too many initial states
        ",
    );
    check(
        "
        mdp
        module m a : [0..2]; [] true -> true; endmodule
        init a endinit
        //   ^ error V0204: the content of `init ... endinit` must be a condition
        ",
    );
}

#[test]
fn who_writes_what() {
    check(
        "
        mdp
        global g : [0..3];
        module a
          x : [0..3];
          [] true -> (x'=1) & (g'=1);
          [] true -> (y'=1);
        //            ^ error V0305: module `a` writes `y`, a variable of module `b`
          [go] true -> (g'=1);
        //              ^ error V0306: the command with action `go` writes the global variable `g`
          [] true -> (x'=1) & (g'=2) & (x'=2);
        //                              ^^^^ error V0307: this update assigns `x` twice
        endmodule
        module b
          y : [0..3];
          [go] true -> (y'=1);
        endmodule
        ",
    );
}

#[test]
fn weights() {
    check(
        "
        dtmc
        const double p = 1.5;
        module m
          x : [0..3];
          [] x=0 -> 0.5 : (x'=1) + 0.4 : (x'=2);
        //          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error V0316: the probabilities of this command sum to 0.9
        //          | + 0.1 : true
          [] x=1 -> p : (x'=1) + 1-p : (x'=2);
        //          ^ error V0315: the probability 1.5 is not between 0 and 1
        //                       ^^^ error V0315: the probability -0.5 is not between 0 and 1
          [] x=2 -> 1/3 : (x'=1) + 1/3 : (x'=2) + 1/3 : true;
          [] x=3 -> 0.333333 : (x'=1) + 0.333333 : (x'=2) + 0.333334 : true;
          [] false -> 0.1 : true;
        endmodule
        ",
    );
    check(
        "
        ctmc
        module m
          x : [0..3];
          [] x=0 -> -1 : (x'=1) + 7 : (x'=2);
        //          ^^ error V0317: the rate -1 is negative
          [] x=1 -> 1e200*1e200 : true;
        //          ^^^^^^^^^^^ error V0209: the rate is inf
        endmodule
        ",
    );
}

#[test]
fn guards_that_never_hold() {
    check(
        "
        mdp
        const bool off = false;
        const int K = 3;
        module m
          x : [0..3];
          [] x=9 -> true;
        //   ^^^ warning V0311: this guard is never true
          [] off & x=0 -> true;
          [] x>K -> true;
          [] false -> true;
          [] x<=3 -> true;
        endmodule
        ",
    );
}

#[test]
fn renaming() {
    check(
        "
        mdp
        const int N = 2;
        formula f = x<N;
        module a  x : [0..N]; y : bool; [go] f -> (x'=x+1); endmodule
        module b = a [x=u, y=v] endmodule
        module c = a [x=w] endmodule
        //            ^^^ error V0308: renaming module `a` must give the variable `y` a new name
        module d = a [x=p, y=q, x=r] endmodule
        //                      ^ error V0201: `x` is renamed twice
        module e = a [x=s, y=t, f=g] endmodule
        //                      ^ error V0308: the formula `f` cannot be renamed
        module g = nowhere [x=y] endmodule
        //         ^^^^^^^ error V0210: there is no module `nowhere`
        module h = i [x=y] endmodule
        module i = h [x=y] endmodule
        //         ^ error V0205: the module `h` is a copy of itself
        module j = b [u=x2, v=y2] endmodule
        ",
    );
}

#[test]
fn renaming_to_what_does_not_exist() {
    let text = "
        mdp
        const int N = 2;
        module a  x : [0..2]; [] x<N -> (x'=x+1); endmodule
        //                         ^ error V0203: `M` is not a variable, constant or formula
        //                         | the module renames `N` to `M`
        module b = a [x=y, N=M] endmodule
        ";
    check(text);
}

#[test]
fn composition() {
    let model = |system: &str| {
        format!(
            "
        mdp
        module a  x : bool; [go] x -> true; [stop] x -> true; endmodule
        module b  y : bool; [go] y -> true; endmodule
{system}
        "
        )
    };
    check(&model(
        "
        system a ||| a endsystem
        //           ^ error V0309: module `a` occurs twice in the composition
        ",
    ));
    check(&model(
        "
        system a || c endsystem
        //          ^ error V0210: there is no module `c`
        ",
    ));
    check(&model(
        "
        system a |[go,wait]| b / {pause, go} endsystem
        //            ^^^^ warning V0213: no command has the action `wait`
        //                        ^^^^^ warning V0213: no command has the action `pause`
        ",
    ));
    check(&model(
        "
        system \"s\" a || \"t\" endsystem
        system \"t\" b || \"s\" endsystem
        //              ^^^ error V0205: the composition \"s\" contains itself
        ",
    ));
}

#[test]
fn every_module_takes_part() {
    let text = "mdp module a x : bool; [] x -> true; endmodule module b y : bool; [] y -> true; endmodule
        system a endsystem";
    let found = diagnostics_of(text, "");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, codes::SYSTEM_COMPOSITION);
    assert_eq!(found[0].message, "module `b` does not occur in the composition");
}

#[test]
fn unsupported() {
    for (keyword, name) in [("pta", "probabilistic timed automata"), ("pomdp", "partially observable")] {
        let found = diagnostics_of(&format!("{keyword} module m x : bool; [] x -> true; endmodule"), "");
        assert_eq!(found.len(), 1, "{keyword}");
        assert_eq!(found[0].code, codes::UNSUPPORTED_MODEL_TYPE);
        assert!(found[0].message.contains(name), "{}", found[0].message);
    }
    check(
        "
        mdp
        module m
          x : bool;
          [] x -> [0.1, 0.2] : true + [0.8, 0.9] : (x'=false);
        //        ^^^^^^^^^^^^^^^^^ error V0313: intervals of probabilities are not supported
        //                            ^^^^^^^^^^^^^^^^^^^^^^^ error V0313: intervals of probabilities are not
        endmodule
        ",
    );
}

#[test]
fn a_model_without_a_type() {
    let found = diagnostics_of("module m x : bool; [] x -> true; endmodule", "");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].severity), (codes::NO_MODEL_TYPE, Severity::Warning));
}

#[test]
fn unknown_action_of_a_reward() {
    check(
        "
        mdp
        module m x : bool; [serve] true -> true; endmodule
        rewards [served] true : 1; endrewards
        //       ^^^^^^ warning V0213: no command has the action `served`
        ",
    );
}

#[test]
fn formulas_cannot_make_expressions_explode() {
    let mut text = "mdp\nformula f0 = x+x;\n".to_owned();
    for i in 1..64 {
        text += &format!("formula f{i} = f{0}+f{0};\n", i - 1);
    }
    text += "module m x : [0..1]; [] f63=0 -> true; endmodule";
    let found = diagnostics_of(&text, "");
    assert!(found.iter().any(|d| d.code == codes::UNSUPPORTED_CONSTRUCT), "{found:?}");
}

#[test]
fn long_chains_and_deep_nesting() {
    let chain = vec!["x=0"; 20_000].join(" | ");
    let text = format!("mdp module m x : [0..1]; [] {chain} -> true; endmodule");
    assert!(diagnostics_of(&text, "").is_empty());
    // Every formula nests a little; together they nest too deep.
    let mut text = "mdp\nformula f0 = x;\n".to_owned();
    for i in 1..2000 {
        text += &format!("formula f{i} = 1-(2-(f{}));\n", i - 1);
    }
    text += "module m x : [0..1]; [] f1999=0 -> true; endmodule";
    let found = diagnostics_of(&text, "");
    assert!(found.iter().any(|d| d.code == codes::NESTING_TOO_DEEP), "{found:?}");
    // A chain of constants is as long as it likes.
    let mut text = "mdp\n".to_owned();
    for i in 0..5000 {
        text += &format!("const int c{i} = c{} + 1;\n", i + 1);
    }
    text += "const int c5000 = 0; module m x : [0..c0]; [] true -> true; endmodule";
    let (_, lowered) = support::lowered(&text, &Constants::new());
    assert_eq!(lowered.program().fields[0].domain, volvelle_model::Domain::Int { lo: 0, hi: 5000 });
}

#[test]
fn many_modules() {
    let mut text = "mdp module m0 x0 : [0..1]; [go] x0=0 -> (x0'=1); endmodule\n".to_owned();
    for i in 1..3000 {
        text += &format!("module m{i} = m{} [x{}=x{i}] endmodule\n", i - 1, i - 1);
    }
    let found = diagnostics_of(&text, "");
    // Either it is lowered or refused, but in time and without growing beyond bounds.
    assert!(found.len() <= 4000);
}

//! Mistakes and what is said about them, drawn under the source (see `common::check_model`).

use crate::common::{check_model, check_properties, check_property};

#[test]
fn missing_semicolons() {
    check_model(
        r#"
        const int N = 5
//                     ^ error V0102: expected `;` after the constant
        const int M; formula f = N
//                                ^ error V0102: expected `;` after the formula
        module m
          x : [0..3] init 0
//                         ^ error V0102: expected `;` after the variable
          [] x=0 -> (x'=1)
//                        ^ error V0102: expected `;` after the command
          [] x=1 -> (x'=2);
        endmodule
        rewards true : 1
//                      ^ error V0102: expected `;` after the reward
          x=1 : 2
//               ^ error V0102: expected `;` after the reward
        endrewards
"#,
    );
}

#[test]
fn operators_of_other_languages() {
    check_model(
        r#"
        formula a = x==0 && y<3 || y>5;
//                   ^^ error V0102: PRISM compares with `=`, not `==`
//  | write `=`
//                       ^^ error V0102: PRISM's conjunction is `&`, not `&&`
//  | write `&`
//                              ^^ error V0102: PRISM's disjunction is `|`, not `||`
//  | write `|`
        formula b = x =< 3;
//                    ^^ error V0102: `=<` is not an operator
//  | write `<=`
        formula c = x <> 3;
//                    ^^ error V0102: `<>` is not an operator
//  | write `!=`
        formula d = 5 mod 2;
//                    ^^^ error V0102: `mod` is a function, not an operator
//  | write `mod(x, y)`
        formula e = x and y or z;
//                    ^^^ error V0102: PRISM's conjunction is `&`
//  | write `&` instead of `and`
//                          ^^ error V0102: PRISM's disjunction is `|`
//  | write `|` instead of `or`
        formula f = 2**3;
//                   ^^ error V0102: `**` is not an operator
//  | write `pow(x, y)`
        formula g := 3;
//                ^^ error V0102: PRISM defines with `=`, not `:=`
//  | write `=`
        formula h = x % 2;
//                    ^ error V0101: unexpected character `%`
//  | the remainder of a division is `mod(a, b)`
        formula i = ~x;
//                  ^ error V0101: unexpected character `~`
//  | negation is written `!`
        formula j = x++;
//                    ^ error V0102: expected an expression, found `+`
//  | PRISM has no `++` and `--`: write `(x'=x+1)`
        formula k = 2x;
//                   ^ error V0102: expected `;` after the formula, found the name `x`
//  | a name cannot start with a digit; a product is written `2*x`
"#,
    );
}

#[test]
fn updates() {
    check_model(
        r#"
        module m
          [] x=1 -> (x=2);
//                   ^ error V0102: the variable changed by an update is primed
//  | write `(x'=…)`
          [] x=1 -> (x'=2) & (y=2);
//                            ^ error V0102: the variable changed by an update is primed
//  | write `y'`
          [] x=0 => (x'=2);
//               ^^ error V0102: `=>` is implication; `->` separates guard and updates
//  | write `->`
          [] x=0 => 0.5:(x'=2);
//               ^^ error V0102: `=>` is implication; `->` separates guard and updates
//  | write `->`
          [] x=0 -> x'=1;
//                  ^ error V0102: assignments are written in parentheses
//  | write `(x'=…)`
          [] x=0 -> (x:=1);
//                    ^^ error V0102: `:=` does not assign in PRISM
//  | write `(x'=…)`
          [] x=0 -> 0.5:(x'=1) + (x'=2);
//                               ^ error V0102: each of several updates needs a probability or a rate
//  | write `p : (x'=…) + q : (x'=…)`
          [] x=0 -> (x'==1)&&(x'=2), (x'=3);
//                     ^^ error V0102: PRISM assigns with `=`, not `==`
//  | write `=`
//                         ^^ error V0102: assignments are joined with `&`
//  | write `&`
//                                 ^ error V0102: assignments are joined with `&`
//  | write `&`
          [] x=0 -> ;
//                  ^ error V0102: expected an update, such as `(x'=1)`, or `true` for none, found `;`
          [] x=0 -> 0.5;
//                     ^ error V0102: expected `:` after the probability, or an update such as `(x'=1)`, found `;`
          [] x=0 -> 0.5 (x'=1);
//                      ^ error V0102: expected `:` after the probability, or an update such as `(x'=1)`, found `(`
          [] x'=0 -> (x'=1);
//            ^ error V0102: expected `->` between the guard and the updates, found `'`
//  | primed variables are allowed in updates only: `[] guard -> (x'=1);`
          [a x=0 -> true;
//           ^ error V0102: expected `]`, found the name `x`
          [] x=0;
//              ^ error V0102: expected `->` between the guard and the updates, found `;`
          [] x=0 -> (x'=1;
//                       ^ error V0102: expected `)`, found `;`
          [] true -> true;
        endmodule
"#,
    );
}

#[test]
fn declarations() {
    check_model(
        r#"
        label done = x=1;
//            ^^^^ error V0102: the name of the label must be in quotes
//  | write `"done"`
        global x : [0,3] = 1;
//                   ^ error V0102: the ends of a range are separated by `..`
//  | write `[lo..hi]`
//                       ^ error V0102: an initial value follows the word `init`
//  | write `init` instead of `=`
        global y : [0..3 init 1;
//                       ^^^^ error V0102: expected `]`, found `init`
        global z : float;
//                 ^^^^^ error V0102: expected the range of the variable (`[0..5]`), `bool` or `int`, found the name `float`
        global 5 : bool;
//             ^ error V0102: expected the name of the variable, found the number `5`
        const int = 3;
//                ^ error V0102: expected the name of the constant, found `=`
        const float f = 3;
//                  ^ error V0102: expected `;` after the constant, found the name `f`
        formula = 4;
//              ^ error V0102: expected the name of the formula, found `=`
        label "l" x=1;
//                ^ error V0102: expected `=` after the name of the label, found the name `x`
        formula h = (1+2;
//                      ^ error V0102: expected `)`, found `;`
        formula k = 1 +;
//                     ^ error V0102: expected an expression, found `;`
        formula l = min(1,2;
//                         ^ error V0102: expected `)` or `,` after the argument, found `;`
        formula m = flor(2.5);
//                  ^^^^ error V0207: there is no function `flor`
//  | did you mean `floor`?
        formula n = x ? 1;
//                       ^ error V0102: expected `:` and the value for `false` (`c ? a : b`), found `;`
        formula o = func(2, 1);
//                       ^ error V0102: expected the name of a function, found the number `2`
        formula p = x' + 1;
//                   ^ error V0102: expected `;` after the formula, found `'`
//  | primed variables are allowed in updates only: `[] guard -> (x'=1);`
        formula q = "l";
//                  ^^^ error V0102: expected an expression, found `"l"`
//  | labels may be used in properties only, not in other expressions
        formula r = P=? [ F x ];
//                  ^ error V0102: the operator `P` may be used in properties only
//  | write properties in a property file or after `--prop`
        formula s = multi(1, 2);
//                  ^^^^^ error V0207: there is no function `multi`
//  | the functions are min, max, floor, ceil, round, pow, mod, log
        formula t = 1;
"#,
    );
}

#[test]
fn ambiguous_operators() {
    check_model(
        r#"
        formula a = -2^2;
//                    ^ error V0102: this `^` is ambiguous
//  | put one of the operations in parentheses: `-(a^b)`, `a^(b^c)`
        formula b = x^y^z;
//                     ^ error V0102: this `^` is ambiguous
//  | put one of the operations in parentheses: `-(a^b)`, `a^(b^c)`
        formula c = x = !y;
//                      ^ error V0102: `!` binds more weakly than the operator before it
//  | put `!` and its operand in parentheses: `(!…)`
        formula d = -!x;
//                   ^ error V0102: `!` binds more weakly than the operator before it
//  | put `!` and its operand in parentheses: `(!…)`
        formula e = x * !y;
//                      ^ error V0102: `!` binds more weakly than the operator before it
//  | put `!` and its operand in parentheses: `(!…)`
"#,
    );
}

#[test]
fn reserved_words() {
    check_model(
        r#"
        const int C = 1;
//                ^ error V0106: `C` is a reserved word and cannot be a name
//  | choose another name, for example `C_`
        module P
//             ^ error V0106: `P` is a reserved word and cannot be a name
//  | choose another name, for example `P_`
          F : bool;
//        ^ error V0106: `F` is a reserved word and cannot be a name
//  | choose another name, for example `F_`
          [U] F -> (F'=false);
//         ^ error V0106: `U` is a reserved word and cannot be a name
//  | choose another name, for example `U_`
        endmodule
        formula min = X + 1;
//              ^^^ error V0106: `min` is a reserved word and cannot be a name
//  | choose another name, for example `min_`
//                    ^ error V0106: `X` is a reserved word and cannot be a name
//  | choose another name, for example `X_`
        formula g = F x;
//                  ^ error V0102: the temporal operator `F` may be used in properties only
"#,
    );
}

#[test]
fn modules() {
    check_model(
        r#"
        x : [0..3];
//      ^ error V0102: variables are declared inside a module
//  | declare a variable of the whole model with `global`
        [] x=1 -> true;
//      ^ error V0102: expected a declaration (commands belong inside `module … endmodule`), found `[`
        endmodule
//      ^^^^^^^^^ error V0102: expected a declaration (no module is open here), found `endmodule`
        module a
          [] true -> true;
          y : bool;
//        ^ error V0102: variables are declared before the commands
//  | move the declaration to the start of the module
          foo bar;
//        ^^^ error V0102: expected a variable (`x : …`), a command (`[…] …`) or `endmodule`, found the name `foo`
          z : bool;
//        ^ error V0102: variables are declared before the commands
//  | move the declaration to the start of the module
        module b
//      ^^^^^^ error V0102: expected `endmodule`, found `module`
        endmodule
        module c = a [x<-y] endmodule
//                     ^ error V0102: names are renamed with `=`
//  | write `old=new`
        module d = a endmodule
//                   ^^^^^^^^^ error V0102: expected `[` and the renamed names after the module, found `endmodule`
        module e = a [x y] endmodule
//                      ^ error V0102: expected `=` and the new name after the old one, found the name `y`
        module 5 endmodule
//             ^ error V0102: expected the name of the module, found the number `5`
        module f
//      ^^^^^^ error V0103: module `f` has no end
//  | add `endmodule`
          [] true -> true;
"#,
    );
}

#[test]
fn types_and_initial_states() {
    check_model(
        r#"
        dtmc;
//          ^ error V0102: there is no `;` after the model type
//  | remove it
        mdp
//      ^^^ error V0201: the model type is given twice
//  | keep one of them
        init x=1; endinit
//              ^ error V0102: there is no `;` before `endinit`
//  | remove it
        init y endinit
//      ^^^^ error V0201: the initial states are given twice
//  | join both conditions in one `init … endinit`
        init z
//      ^^^^ error V0201: the initial states are given twice
//  | join both conditions in one `init … endinit`
        formula f = 1;
//      ^^^^^^^ error V0102: expected `endinit`, found `formula`
        const int N; foo
//                   ^^^ error V0102: expected a declaration, such as `const`, `module` or `rewards`, found the name `foo`
        module a endmodule
"#,
    );
}

#[test]
fn rewards() {
    check_model(
        r#"
        rewards time
//              ^^^^ error V0102: the name of the reward structure must be in quotes
//  | write `"time"`
          true : 1;
          [a true : 1;
//           ^^^^ error V0102: expected `]`, found `true`
          x=1 -> 2;
//            ^^ error V0102: a reward is separated from its guard by `:`
//  | write `guard : reward;`
          x=1;
//           ^ error V0102: expected `:` between the guard and the reward, found `;`
          y=1 : 3;
        rewards "r" x : 1;
//      ^^^^^^^ error V0102: expected `endrewards`, found `rewards`
"#,
    );
}

#[test]
fn systems() {
    check_model(
        r#"
        system a || b ||| c endsystem
//                    ^^^ error V0102: `||` and `|||` are mixed
//  | put one of the compositions in parentheses
        system a |[]| b endsystem
//                 ^ error V0102: no action is listed in `|[ ]|`
//  | compose processes that share no action with `|||`
        system a |[x]| b |[y]| c endsystem
//                       ^^ error V0102: `|[…]|` cannot be chained
//  | use parentheses: `(P |[a]| Q) |[b]| R`
        system a {x->y} endsystem
//                 ^^ error V0102: actions are renamed with `<-`
//  | write `old<-new`
        system a {x y} endsystem
//                  ^ error V0102: expected `<-` and the new action, found the name `y`
        system a / x endsystem
//                 ^ error V0102: expected `{` and the hidden actions after `/`, found the name `x`
        system (a endsystem
//                ^^^^^^^^^ error V0102: expected `)`, found `endsystem`
        system endsystem
//             ^^^^^^^^^ error V0102: expected the name of a module, found `endsystem`
        system a || b
        const int N;
//      ^^^^^ error V0102: expected `endsystem`, found `const`
"#,
    );
}

#[test]
fn characters() {
    check_model(
        r#"
        /* comment */ const int N = 5;
//      ^^ error V0101: PRISM has no `/* … */` comments
//  | start each line of a comment with `//`
        const double x = 5.;
//                        ^ error V0101: digits must follow the decimal point
//  | write `5.0`
        formula f = x ≤ 3;
//                    ^ error V0101: unexpected character `≤`
//  | write `<=`
        label "a b" = x;
//            ^^^^^ error V0101: `"a b"` is not a valid quoted name
//  | a name is a letter or `_`, followed by letters, digits and `_`
        label "open = x;
//            ^^^^^^^^^^ error V0103: this string has no end
//  | add a closing `"`
        const int K = 99999999999999999999;
//                    ^^^^^^^^^^^^^^^^^^^^ error V0104: `99999999999999999999` does not fit in an int
//  | to get a double, write 99999999999999999999.0
        const double L = 1e400;
//                       ^^^^^ error V0104: `1e400` does not fit in a double
//  | the largest is about 1.8e308
        #const M#
//      ^^^^^^^^^ error V0313: directives of PRISM's preprocessor (`#…#`) are not supported
//  | run the preprocessor first: `prismpp model.pp … > model.prism`
        formula g = x − 1;
//                    ^ error V0101: unexpected character `−`
//  | use the plain minus sign `-`
        formula h = @@;
//                  ^ error V0101: unexpected character `@`
//  | names consist of letters, digits and `_`
//                   ^ error V0101: unexpected character `@`
//  | names consist of letters, digits and `_`
"#,
    );
}

#[test]
fn queries() {
    check_properties(
        r#"
        P? [ F x ];
//       ^ error V0102: expected `=?` or a bound such as `>=0.5` after `P`, found `?`
        P=? F x;
//          ^ error V0102: expected `[` and a formula after the query, found `F`
        P=>0.5 [ F x ];
//       ^^ error V0501: `=>` is implication
//  | write `>=`
        P==? [ F x ];
//       ^^ error V0501: PRISM uses `=?`, not `==?`
//  | write `=?`
        Rmax{"r"}=? [ F x ];
//      ^^^^ error V0501: the name of the reward structure is written before `max`
//  | write `R{…}max`
        R=? [ C<5 ];
//             ^ error V0501: a cumulative reward is written `C<=t`
//  | write `<=`
        R{"r=? [ F x ];
//        ^^^^^^^^^^^^^ error V0103: this string has no end
//  | add a closing `"`
        P=? [ F x ;
//                ^ error V0102: expected `]`, found `;`
        P=? [ F x ]];
//                 ^ error V0102: expected `;` after the property, found `]`
        P=? [ F x {y];
//                  ^ error V0102: expected `}`, found `]`
        P=? [ F x {y}{avg} ];
//                    ^^^ error V0102: expected `min` or `max`, found the name `avg`
        S [ x ];
//        ^ error V0102: expected `=?` or a bound such as `>=0.5` after `S`, found `[`
        A x;
//        ^ error V0102: expected `[` after `A`, found the name `x`
        filter(5, x);
//             ^ error V0102: expected the filter's operator, such as `max`, `avg` or `forall`, found the number `5`
        filter(max x);
//                 ^ error V0102: expected `,` after the filter's operator, found the name `x`
        filter(max, x;
//                   ^ error V0102: expected `)` or `,` and the filter's states, found `;`
        P=? [ F x ];
"#,
    );
}

#[test]
fn temporal_operators() {
    check_properties(
        r#"
        F x=1;
//      ^ error V0501: temporal operator `F` outside of `P`, `R`, `T`, `A` and `E`
//  | write a probability, as in `P=? [ F … ]`
        "a" U "b";
//          ^ error V0501: temporal operator `U` outside of `P`, `R`, `T`, `A` and `E`
//  | write a probability, as in `P=? [ a U b ]`
        P=? [ a U b U c ];
//                  ^ error V0501: `U` after another `U`, `W` or `R` needs parentheses
//  | write `(a U b) U c` or `a U (b U c)`
        P=? [ F<= x=1 ];
//                    ^ error V0102: expected a formula after the time bound, found `]`
//  | the bound extends as far as possible; put it in parentheses: `F<=(t) x=1`
        P=? [ F<=5 ];
//                 ^ error V0102: expected a formula after the time bound, found `]`
//  | the bound extends as far as possible; put it in parentheses: `F<=(t) x=1`
        P=? [ F[1 2] x ];
//                ^ error V0102: expected `,` between the ends of the time interval, found the number `2`
        P=? [ F[1,2 x ];
//                  ^ error V0102: expected `]`, found the name `x`
        P=? [ a U ];
//                ^ error V0102: expected an expression, found `]`
        P=? [ f x=1 ];
//              ^ error V0102: expected `]`, found the name `x`
//  | temporal operators are `X`, `F`, `G`, `U`, `W` and `R`, in capital letters: `P=? [ F x=1 ]`
        P=? [ x=1 V "b" ];
//                ^ error V0102: expected `]`, found the name `V`
//  | temporal operators are `X`, `F`, `G`, `U`, `W` and `R`, in capital letters: `P=? [ F x=1 ]`
        P>=0,5 [ F x ];
//          ^ error V0102: expected `[` and a formula after the query, found `,`
//  | fractions are written with a decimal point: 0.5
        label "l" = G x;
//                  ^ error V0501: temporal operator `G` outside of `P`, `R`, `T`, `A` and `E`
//  | write a probability, as in `P=? [ G … ]`
        P=? [ F x ];
"#,
    );
}

#[test]
fn conditions() {
    check_properties(
        r#"
        x || y;
//        ^^ error V0102: PRISM's disjunction is `|`, not `||`
//  | write `|`
        P=? [ (F a || F b) ];
//                 ^^ error V0102: PRISM's disjunction is `|`, not `||`
//  | write `|`
        P=? [ F a || F b || F c ];
//                       ^^ error V0501: a probability can have only one condition
//  | join conditions with `&`
        P=? [ F a || F b ];
"#,
    );
}

#[test]
fn one_bad_property_costs_only_itself() {
    check_properties(
        r#"
        "p1": P=? [ F x ];
        "p2": P=? [ F x;
//                     ^ error V0102: expected `]`, found `;`
        "p3": P=? [ F y ];
        "p4": P=? [ x == 1
//                    ^^ error V0102: PRISM compares with `=`, not `==`
//  | write `=`
//                        ^ error V0501: the property is not finished
        "p5": R=? [ S ]
        P=? [ F x
//               ^ error V0501: the property is not finished
        R=? [ F x ]
        P=? [ F § ];
//              ^ error V0101: unexpected character `§`
        const int N = ;
//                    ^ error V0102: expected an expression, found `;`
        "p6": x
"#,
    );
}

#[test]
fn one() {
    check_property(
        r#"
        x; y
//         ^ error V0102: expected the end of the property, found the name `y`
"#,
    );
}

#[test]
fn unfinished() {
    check_property(
        r#"
        P=? [ F
//             ^ error V0102: expected an expression, found the end of the text
"#,
    );
}

#[test]
fn declared() {
    check_property(
        r#"
        const int N P=? [ F x=N ]
//                  ^ error V0102: expected `;` after the constant, found `P`
"#,
    );
}

#[test]
fn reserved_words_as_names() {
    check_model(
        r#"
        module m
          rate : [0..3] init 0;
//        ^^^^ error V0106: `rate` is a reserved word and cannot be a name
//  | choose another name, for example `rate_`
          init : bool;
//        ^^^^ error V0106: `init` is a reserved word and cannot be a name
//  | choose another name, for example `init_`
          [] rate<3 -> (rate'=rate+1) & (init'=true);
        endmodule
        formula f = rate;
        const int module = 3;
//                ^^^^^^ error V0106: `module` is a reserved word and cannot be a name
//  | choose another name, for example `module_`
        formula g = sqrt(2);
//                  ^^^^ error V0207: there is no function `sqrt`
//  | write `pow(x, 0.5)`
        formula h = absolute(2);
//                  ^^^^^^^^ error V0207: there is no function `absolute`
//  | the functions are min, max, floor, ceil, round, pow, mod, log
        label "l" = endmodule;
//                  ^^^^^^^^^ error V0106: `endmodule` is a reserved word and cannot be a name
//  | choose another name, for example `endmodule_`
"#,
    );
}

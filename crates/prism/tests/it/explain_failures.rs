//! Failures met while exploring, as a person reads them.

use crate::support::program::{Stop, explore};
use crate::support::{lowered, rendered};
use volvelle_prism::lower::Constants;

/// Explores a model until it fails; the diagnostic must be what is expected.
fn check(text: &str, expected: &str) {
    let (sources, lowered) = lowered(text, &Constants::new());
    let Err(Stop::Failed(failure)) = explore(lowered.program(), 1000) else { panic!("no failure\n{text}") };
    let diagnostic = lowered.explain_failure(&sources, failure.site, &failure.state);
    let drawn = rendered(&[diagnostic], &sources);
    let drawn: Vec<&str> =
        drawn.lines().map(str::trim_end).take_while(|line| !line.contains("= explain")).collect();
    let expected: Vec<&str> =
        expected.lines().skip(1).map(|line| line.strip_prefix("        ").unwrap_or(line)).collect();
    let expected = &expected[..expected.len() - 1];
    assert_eq!(drawn, expected, "\n{}\n", drawn.join("\n"));
}

#[test]
fn out_of_range() {
    check(
        "ctmc\nconst double lambda = 2;\nmodule queue\n  q : [0..5] init 5;\n  open : bool init true;\n  \
         [arrive] open -> lambda : (q'=q+1);\nendmodule",
        "
        error[V0406]: a command leaves the range of its variable
         --> model.prism:6:30
          |
        6 |   [arrive] open -> lambda : (q'=q+1);
          |                              ^^^^^^ q would become 6, its range is 0..5
          |
          = in module queue
          = in state q=5 open=true
          = help: guard the command with q<5, or widen the range
        ",
    );
}

#[test]
fn below_the_range() {
    check(
        "dtmc\nmodule m\n  q : [0..5];\n  r : [0..5] init 3;\n  [] true -> (q'=r-4);\nendmodule",
        "
        error[V0406]: a command leaves the range of its variable
         --> model.prism:5:15
          |
        5 |   [] true -> (q'=r-4);
          |               ^^^^^^ q would become -1, its range is 0..5
          |
          = in module m
          = in state q=0 r=3
          = help: guard the command with q>0, or widen the range
        ",
    );
}

#[test]
fn a_copy_is_named() {
    check(
        "dtmc\nmodule a\n  x : [0..1];\n  [] false -> true;\nendmodule\nmodule b\n  y : [0..1];\n  \
         [] y=0 -> (y'=2*N);\nendmodule\nmodule c = b [y=z, N=M] endmodule\nconst int N = 0;\nconst int M = 1;",
        "
        error[V0406]: a command leaves the range of its variable
         --> model.prism:8:14
          |
        8 |   [] y=0 -> (y'=2*N);
          |              ^^^^^^ z would become 2, its range is 0..1
          |
          = in module c
          = in state x=0 y=0 z=0
          = help: guard the command, or widen the range
        ",
    );
}

#[test]
fn sums_and_weights() {
    check(
        "dtmc\nmodule m\n  n : [0..4] init 4;\n  [] n>0 -> n/5 : (n'=n-1) + (4-n)/5 : true;\nendmodule",
        "
        error[V0401]: the probabilities of a command do not sum to 1
         --> model.prism:4:13
          |
        4 |   [] n>0 -> n/5 : (n'=n-1) + (4-n)/5 : true;
          |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the sum is 0.8
          |
          = in module m
          = in state n=4
        ",
    );
    check(
        "ctmc\nmodule m\n  n : [0..4] init 3;\n  [] true -> 5-2*n : true;\nendmodule",
        "
        error[V0402]: a rate is negative
         --> model.prism:4:14
          |
        4 |   [] true -> 5-2*n : true;
          |              ^^^^^ this is -1
          |
          = in module m
          = in state n=3
        ",
    );
    check(
        "ctmc\nmodule m\n  n : [0..4];\n  [] true -> log(n-1, 2) : true;\nendmodule",
        "
        error[V0403]: a rate is not a number
         --> model.prism:4:14
          |
        4 |   [] true -> log(n-1, 2) : true;
          |              ^^^^^^^^^^^ this is not a number
          |
          = in module m
          = in state n=0
        ",
    );
}

#[test]
fn failing_expressions() {
    check(
        "mdp\nformula share = 1/n;\nmodule m\n  n : [0..4];\n  [] share>0 -> true;\nendmodule",
        "
        error[V0404]: division by zero
         --> model.prism:2:17
          |
        2 | formula share = 1/n;
          |                 ^^^ the divisor is 0
          |
          = in state n=0
        ",
    );
    check(
        "mdp\nmodule m\n  n : [0..4];\n  [] mod(n, n-3)=1 -> true;\nendmodule",
        "
        error[V0404]: a remainder by a number that is not positive
         --> model.prism:4:6
          |
        4 |   [] mod(n, n-3)=1 -> true;
          |      ^^^^^^^^^^^ the divisor is -3
          |
          = in state n=0
        ",
    );
    check(
        "mdp\nmodule m\n  n : [0..40] init 31;\n  [] pow(2, n)>1000 -> true;\nendmodule",
        "
        error[V0405]: the result does not fit in a 32-bit integer
         --> model.prism:4:6
          |
        4 |   [] pow(2, n)>1000 -> true;
          |      ^^^^^^^^^ this is 2147483648
          |
          = in state n=31
          = help: compute with doubles where pow(2, n) can be large
        ",
    );
    check(
        "mdp\nmodule m\n  n : [0..40];\n  [] pow(2, n-1)>1000 -> true;\nendmodule",
        "
        error[V0405]: a power of integers has a negative exponent
         --> model.prism:4:6
          |
        4 |   [] pow(2, n-1)>1000 -> true;
          |      ^^^^^^^^^^^ the exponent is -1
          |
          = in state n=0
          = help: compute with doubles: write the base with a decimal point
        ",
    );
    check(
        "mdp\nmodule m\n  n : [0..9] init 5;\n  [] floor(pow(100.0, n))>5 -> true;\nendmodule",
        "
        error[V0407]: a double does not fit in an integer
         --> model.prism:4:6
          |
        4 |   [] floor(pow(100.0, n))>5 -> true;
          |      ^^^^^^^^^^^^^^^^^^^^ the rounded value is 10000000000
          |
          = in state n=5
        ",
    );
}

//! Facts about lowered programs: what the parts of a model become.

use crate::support::program::View;
use crate::support::{self, constants, lowered};
use dashu_ratio::RBig;
use volvelle_kernel::{Const, ExprId, Node};
use volvelle_model::{ActionId, Domain, Initial, Program, Weight};
use volvelle_prism::lower::Constants;

fn program(text: &str) -> Program {
    lowered(text, &Constants::new()).1.program().clone()
}

/// Lowers an expression as a label or reward of a model with `x : [0..5]`, `b : bool`, and evaluates it.
fn value(expression: &str, x: i64, b: bool) -> Option<f64> {
    let text = format!(
        "mdp const int N = 3; const double half = 0.5;
         module m x : [0..5]; b : bool; [] true -> true; endmodule
         rewards true : {expression}; endrewards"
    );
    let program = program(&text);
    let Some(item) = program.rewards[0].states.first() else { return Some(0.0) };
    let state = vec![x, i64::from(b)];
    View::new(&program, &state).f64(item.value).ok()
}

/// The table of PRISM's arithmetic: expression, value for x=2 and b=true (nothing: it fails).
#[test]
fn arithmetic() {
    let table: &[(&str, Option<f64>)] = &[
        ("x+1", Some(3.0)),
        ("x/4", Some(0.5)),
        ("4/x*x", Some(4.0)),
        ("-x", Some(-2.0)),
        ("x-3-1", Some(-2.0)),
        ("mod(x-5, 3)", Some(0.0)),
        ("mod(x-6, 3)", Some(2.0)),
        ("mod(-7, 4)", Some(1.0)),
        ("mod(x, x-2)", None),
        ("mod(x, x-4)", None),
        ("floor(-0.5*x+0.5)", Some(-1.0)),
        ("floor(x/4)", Some(0.0)),
        ("ceil(x/4)", Some(1.0)),
        ("round(x/4)", Some(1.0)),
        ("round(-x/4)", Some(0.0)),
        ("round(0.49999999999999994*x/2)", Some(0.0)),
        ("round(x)", Some(2.0)),
        ("floor(1e10*x)", None),
        ("floor(log(x-3, 2))", None),
        ("pow(x, 3)", Some(8.0)),
        ("pow(x-4, 3)", Some(-8.0)),
        ("pow(x, x-3)", None),
        ("pow(x, 40)", None),
        ("pow(0*x, 0)", Some(1.0)),
        ("pow(x, -1.0)", Some(0.5)),
        ("pow(x, half)", Some(2f64.sqrt())),
        ("x^3", Some(8.0)),
        ("log(8, x)", Some(3.0)),
        ("min(x, 5, 1)", Some(1.0)),
        ("max(x, 2.5)", Some(2.5)),
        ("b ? x : half", Some(2.0)),
        ("!b ? x : half", Some(0.5)),
        ("(b & x=2) ? 1 : 0", Some(1.0)),
        ("(x=2.0) ? 1 : 0", Some(1.0)),
        ("(x!=2) ? 1 : 0", Some(0.0)),
        ("(b=(x>1)) ? 1 : 0", Some(1.0)),
        ("(b <=> x>2) ? 1 : 0", Some(0.0)),
        ("(b => x>2) ? 1 : 0", Some(0.0)),
        ("(!b => 1/(x-2)>0) ? 1 : 0", Some(1.0)),
        ("(b | 1/(x-2)>0) ? 1 : 0", Some(1.0)),
        ("(!b & 1/(x-2)>0) ? 1 : 0", Some(0.0)),
        ("(x>2 ? 1/(x-2) : 7)", Some(7.0)),
        ("1/(x-2)", None),
        ("1/(x-2.0)", None),
        ("x*1000000000+x", Some(2_000_000_002.0)),
        ("x*2000000000", None),
        ("2147483647+x", None),
        ("-2147483647-x", None),
        ("N*half", Some(1.5)),
        ("func(max, x, 4)", Some(4.0)),
        ("0.1+0.2", Some(0.1 + 0.2)),
    ];
    for (expression, expected) in table {
        let found = value(expression, 2, true);
        let same = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() <= 1e-15 * expected.abs(),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(same, "{expression}: expected {expected:?}, found {found:?}");
    }
}

fn checks(program: &Program, root: ExprId) -> usize {
    let needed = program.exprs.reachable([root]);
    let ids = program.exprs.ids().filter(|id| needed[id.index()]);
    ids.filter(|&id| {
        let node = program.exprs.node(id);
        matches!(node, Node::Checked { .. } | Node::Range { .. } | Node::CheckedConvert { .. })
    })
    .count()
}

/// Ranges show that most operations cannot fail.
#[test]
fn checks_that_cannot_fail_are_left_out() {
    let table = [
        ("x+y*7-3", 0),
        ("x/(y+1)", 0),
        ("x/y", 1),
        ("x/2", 0),
        ("floor(x/2)", 0),
        ("round(x*0.3)", 0),
        ("x*1000000000", 1),
        ("z+1", 1),
        ("max(z, 5)-6", 0),
        ("pow(x, 2)", 1),
        ("mod(z, 4)", 1),
        ("log(x, 2)", 0),
    ];
    for (expression, expected) in table {
        let text = format!(
            "mdp module m x : [0..5]; y : [0..5]; z : int; [] true -> true; endmodule
             rewards true : {expression}; endrewards"
        );
        let program = program(&text);
        let found = checks(&program, program.rewards[0].states[0].value);
        assert_eq!(found, expected, "{expression}");
    }
}

#[test]
fn fields_in_order_with_domains_and_initial_values() {
    let program = program(
        "mdp const int N = 4; global g : [1..N];
         module a  x : bool init true; y : int init 7; [] true -> true; endmodule
         module b = a [x=u, y=v] endmodule",
    );
    let fields: Vec<_> = program
        .fields
        .iter()
        .map(|f| {
            (f.name.as_str(), f.domain, f.component.map(|c| program.components[c.index()].name.as_str()))
        })
        .collect();
    let growing = Domain::Growing { lo: 7, hi: 22 };
    assert_eq!(
        fields,
        [
            ("g", Domain::Int { lo: 1, hi: 4 }, None),
            ("x", Domain::Bool, Some("a")),
            ("y", growing, Some("a")),
            ("u", Domain::Bool, Some("b")),
            ("v", growing, Some("b")),
        ]
    );
    assert_eq!(program.initial, Initial::States(vec![vec![1, 1, 7, 1, 7]]));
}

#[test]
fn weights_keep_their_exact_values() {
    let program = program(
        "dtmc const double p = 0.1; const double q = p/3;
         module m x : [0..2]; [] x=0 -> 1/3 : (x'=1) + 2*p+q+q+q : (x'=2) + 1-1/3-0.3 : true; endmodule",
    );
    let outcomes = &program.groups[0].participants[0].alternatives[0].outcomes;
    let exact: Vec<String> = outcomes
        .iter()
        .map(|outcome| match &outcome.weight {
            Weight::Constant { exact: Some(exact), .. } => exact.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(exact, ["1/3", "3/10", "11/30"]);
    for outcome in outcomes {
        let Weight::Constant { value, exact: Some(exact) } = &outcome.weight else { panic!("constant") };
        assert_eq!(*value, exact.to_f64().value(), "the nearest double");
    }
}

#[test]
fn weights_without_exact_values() {
    let program = program(
        "ctmc module m x : [0..2]; [] x=0 -> pow(2, 0.5) : (x'=1) + log(8, 3) : (x'=2) + x : true; endmodule",
    );
    let alternative = &program.groups[0].participants[0].alternatives[0];
    let weights: Vec<_> = alternative.outcomes.iter().map(|o| &o.weight).collect();
    assert!(matches!(weights[0], Weight::Constant { exact: None, value } if *value == 2f64.sqrt()));
    assert!(
        matches!(weights[1], Weight::Constant { exact: None, value } if (value - 8f64.ln() / 3f64.ln()).abs() < 1e-15)
    );
    assert!(matches!(weights[2], Weight::Expr { .. }));
    assert_eq!(alternative.sum, None, "rates need not sum to one");
}

#[test]
fn roots_and_logarithms_that_are_rational() {
    for (text, top, bottom) in [
        ("log(8, 2)", 3i64, 1i64),
        ("log(2, 8)", 1, 3),
        ("log(1/32, 4)", -5, 2),
        ("log(1, 7)", 0, 1),
        ("pow(9, 0.5)", 3, 1),
        ("pow(8/27, -1/3)", 3, 2),
        ("pow(1/32, 3/5)", 1, 8),
        ("0.1*3*10", 3, 1),
    ] {
        let program = program(&format!("ctmc module m x : [0..2]; [] x=0 -> 5 + {text} : (x'=1); endmodule"));
        let outcome = &program.groups[0].participants[0].alternatives[0].outcomes[0];
        let Weight::Constant { value, exact: Some(exact) } = &outcome.weight else { panic!("{text}") };
        let wanted = RBig::from_parts((5 * bottom + top).into(), bottom.unsigned_abs().into());
        assert!(*exact == wanted && *value == wanted.to_f64().value(), "{text}: {exact}");
    }
}

#[test]
fn what_cannot_happen_is_left_out() {
    let program = program(
        "dtmc const bool off = false;
         module a  x : [0..2]; [] off & x=0 -> (x'=1); [go] x=9 -> true; [] x=0 -> 1 : true + 0 : (x'=7);
         endmodule
         module b  y : bool; [go] true -> (y'=true); [stop] y -> true; endmodule",
    );
    // `go` is blocked: module a has it in its alphabet, and can never do it.
    let shown: Vec<_> = program
        .groups
        .iter()
        .map(|group| (program.actions[group.action.index()].name.as_str(), group.participants.len()))
        .collect();
    assert_eq!(shown, [("", 1), ("stop", 1)]);
    let alternatives = &program.groups[0].participants[0].alternatives;
    assert_eq!(alternatives.len(), 1);
    assert_eq!(alternatives[0].outcomes.len(), 1);
    let actions: Vec<_> = program.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(actions, ["", "go", "stop"]);
}

#[test]
fn synchronisation_is_not_multiplied_out() {
    let commands: String = (0..20).map(|i| format!("[go] x={i} -> (x'={});", (i + 1) % 20)).collect();
    let mut text = format!("mdp module m0 x : [0..19]; {commands} [] x=0 -> true; endmodule\n");
    for i in 1..10 {
        text += &format!("module m{i} = m0 [x=x{i}] endmodule\n");
    }
    let program = program(&text);
    assert_eq!(program.groups.len(), 11, "one silent group per module, and one for `go`");
    let go = &program.groups[10];
    assert_eq!(program.actions[go.action.index()].name, "go");
    assert_eq!(go.participants.iter().map(|p| p.alternatives.len()).collect::<Vec<_>>(), [20; 10]);
}

#[test]
fn rewards_of_hidden_actions_are_silent() {
    let program = program(
        "mdp module a x : bool; [go] true -> true; [stop] true -> true; endmodule
         module b y : bool; [go] y -> true; endmodule
         rewards \"r\" [] true : 1; [go] true : 2; [late] true : 3; y : 4; false : 5; true : 0; endrewards
         system (a {stop<-late} |[go]| b) / {go} endsystem",
    );
    let shown: Vec<_> = program
        .groups
        .iter()
        .map(|g| (program.actions[g.action.index()].name.as_str(), g.participants.len()))
        .collect();
    assert_eq!(shown, [("", 2), ("late", 1)]);
    let rewards = &program.rewards[0];
    assert_eq!(rewards.states.len(), 1, "what is never given is left out");
    let actions: Vec<_> =
        rewards.transitions.iter().map(|t| program.actions[t.action.index()].name.as_str()).collect();
    assert_eq!(actions, ["", "go", "late"]);
    assert_eq!(rewards.transitions[0].action, ActionId::SILENT);
}

#[test]
fn formulas_are_renamed_inside() {
    let (_, lowered) = lowered(
        "dtmc const int N = 2; const int M = 4;
         formula full = x=N;
         module a  x : [0..N]; [] !full -> (x'=x+1); [] full -> (x'=0); endmodule
         module b = a [x=y, N=M] endmodule",
        &Constants::new(),
    );
    let program = lowered.program();
    assert_eq!(program.fields[1].domain, Domain::Int { lo: 0, hi: 4 });
    let guard = program.groups[1].participants[0].alternatives[1].guard;
    for (y, full) in [(2, false), (4, true)] {
        let state = vec![2, y];
        assert_eq!(View::new(program, &state).eval(guard).ok(), Some(Const::bool(full)));
    }
}

#[test]
fn a_copy_of_a_copy() {
    let program = program(
        "dtmc module a  x : [0..1]; z : [0..1]; [go] x=z -> (x'=1-x); endmodule
         module b = a [x=z2, z=x2, go=run] endmodule
         module c = b [z2=p, x2=q, run=go] endmodule",
    );
    let names: Vec<_> = program.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["x", "z", "z2", "x2", "p", "q"]);
    let go = program.groups.iter().find(|g| program.actions[g.action.index()].name == "go").expect("go");
    assert_eq!(go.participants.len(), 2, "a and c have it again");
}

#[test]
fn values_of_constants_are_known() {
    let (_, lowered) = lowered(
        "mdp const int N; const double p = N/4; const bool b = N>1; const int M = pow(N, 2);
         module m x : [0..M]; [] true -> true; endmodule",
        &constants("N=3"),
    );
    let shown: Vec<String> = lowered.constants().iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(shown, ["N=3", "p=0.75", "b=true", "M=9"]);
    assert_eq!(lowered.program().fields[0].domain, Domain::Int { lo: 0, hi: 9 });
}

#[test]
fn summaries() {
    use volvelle_prism::summary::summary;
    let text = "ctmc const int N; const double r = 2*N; global g : bool;
        module a  x : [0..N] init 1; [up] x<N -> r : (x'=x+1); [] true -> true; endmodule
        module b = a [x=y] endmodule
        label \"top\" = x=N; formula f = x+y;
        rewards \"size\" true : f; endrewards rewards [up] true : 1; endrewards";
    let mut sources = volvelle_diagnostics::Sources::new();
    let file = sources.add("model.prism", text);
    let (model, _) = volvelle_prism::parse::model(&sources, file);
    let open = summary(&sources, &model, &Constants::new(), None);
    assert_eq!(open.kind, "ctmc");
    let constants: Vec<_> = open
        .constants
        .iter()
        .map(|c| (c.name.as_str(), c.value.as_ref().map(|v| v.text()), c.open))
        .collect();
    assert_eq!(constants, [("N", None, true), ("r", Some("2*N"), false)]);
    assert_eq!(open.variables[1].domain, "0..N");
    assert_eq!(open.actions, ["up"]);
    let modules: Vec<_> =
        open.modules.iter().map(|m| (m.name.as_str(), m.copy_of.as_deref(), m.commands)).collect();
    assert_eq!(modules, [("a", None, 2), ("b", Some("a"), 2)]);
    assert_eq!(open.labels, ["top"]);
    let rewards: Vec<_> = open.rewards.iter().map(|r| (r.name.as_deref(), r.states, r.transitions)).collect();
    assert_eq!(rewards, [(Some("size"), true, false), (None, false, true)]);

    let given = support::constants("N=3");
    let (_, lowered) = lowered(text, &given);
    let closed = summary(&sources, &model, &given, Some(&lowered));
    let variables: Vec<_> = closed
        .variables
        .iter()
        .map(|v| {
            (v.name.as_str(), v.module.as_deref(), v.domain.as_str(), v.initial.as_ref().map(|v| v.text()))
        })
        .collect();
    assert_eq!(
        variables,
        [
            ("g", None, "bool", Some("false")),
            ("x", Some("a"), "0..3", Some("1")),
            ("y", Some("b"), "0..3", Some("1")),
        ]
    );
    assert_eq!(closed.constants[1].value.as_ref().map(|v| v.text()), Some("6"));
}

//! The sums that are known to be one, and the division of others.

use dashu_int::UBig;
use dashu_ratio::RBig;
use volvelle_kernel::{BinaryOp, Const, ExprId, FailKind, MathFn, Site, Type, interp};
use volvelle_model::prime_field::{PRIME, plus, residue, times};
use volvelle_model::row_sums::normalise;
use volvelle_model::{
    Choice, Domain, Field, FieldId, Origin, Outcome, Program, SiteInfo, SiteSubject, Weight,
};

fn program() -> (Program, ExprId, ExprId) {
    let mut program = Program::new(Choice::Uniform);
    for name in ["x", "y"] {
        let domain = Domain::Int { lo: 0, hi: 9 };
        program.fields.push(Field {
            name: name.into(),
            domain,
            component: None,
            length: 1,
            origin: Origin(0),
        });
    }
    let fields = [0, 1].map(|i| {
        let field = program.field(FieldId(i));
        program.exprs.convert(Type::F64, field)
    });
    (program, fields[0], fields[1])
}

/// Whether expressions sum to one, so that there is nothing to divide by.
fn is_one(program: &Program, weights: &[ExprId]) -> bool {
    let weight = |&expr: &ExprId| Weight::Expr { expr, site: Site(0) };
    let outcome = |expr| Outcome::assigning(weight(expr), Vec::new(), Origin(0));
    let mut outcomes: Vec<Outcome> = weights.iter().map(outcome).collect();
    normalise(&mut program.clone(), &mut outcomes, Site(0), false).is_none()
}

fn decimal(program: &mut Program, top: i64, bottom: u64) -> ExprId {
    let exact = RBig::from_parts(top.into(), bottom.into());
    let double = exact.to_f64().value();
    let id = program.exprs.f64(double);
    program.exact.note(id, double, Some(&exact));
    id
}

#[test]
fn sums_of_rational_functions_are_recognised() {
    let (mut p, x, y) = program();
    let one = decimal(&mut p, 1, 1);
    let tenth = decimal(&mut p, 1, 10);
    let e = &mut p.exprs;
    // x/10 + (1 - x/10)
    let share = e.binary(BinaryOp::Mul, x, tenth);
    let rest = e.binary(BinaryOp::Sub, one, share);
    // x/(x+y) + y/(x+y)
    let both = e.binary(BinaryOp::Add, x, y);
    let [of_x, of_y] = [x, y].map(|part| e.binary(BinaryOp::Div, part, both));
    // q x/10, q (1 - x/10), 1 - q
    let q = e.math1(MathFn::Log, y);
    let [q_share, q_rest] = [share, rest].map(|part| e.binary(BinaryOp::Mul, q, part));
    let not_q = e.binary(BinaryOp::Sub, one, q);
    // x<y ? x/10 : q, and the rest in either case
    let cond = e.binary(BinaryOp::Lt, x, y);
    let (either, left) = (e.select(cond, share, q), e.select(cond, rest, not_q));
    assert!(is_one(&p, &[share, rest]));
    assert!(is_one(&p, &[of_x, of_y]));
    assert!(is_one(&p, &[q_share, q_rest, not_q]));
    assert!(is_one(&p, &[either, left]));
    assert!(!is_one(&p, &[share, left]));
    assert!(!is_one(&p, &[of_x, rest]));
}

/// The text says 0.1 + 0.2 + 0.7, so the sum is one whatever doubles say; adding 1e-12 changes it.
#[test]
fn sums_are_those_of_the_text() {
    let (mut p, x, _) = program();
    let parts = [1, 2, 7].map(|top| decimal(&mut p, top, 10));
    let zero = p.exprs.f64(0.0);
    let nothing = p.exprs.binary(BinaryOp::Mul, x, zero);
    assert!(is_one(&p, &[parts[0], parts[1], parts[2], nothing]));
    let more = decimal(&mut p, 1, 1_000_000_000_000);
    assert!(!is_one(&p, &[parts[0], parts[1], parts[2], more]));
}

#[test]
fn weights_are_divided_by_sums_that_are_not_one() {
    let (mut p, x, _) = program();
    let factor = decimal(&mut p, 999_999, 1_000_000);
    let one = decimal(&mut p, 1, 1);
    let tenth = decimal(&mut p, 1, 10);
    let share = p.exprs.binary(BinaryOp::Mul, x, tenth);
    let rest = p.exprs.binary(BinaryOp::Sub, one, share);
    let less = p.exprs.binary(BinaryOp::Mul, rest, factor);
    let info =
        SiteInfo { kind: FailKind::Assertion, subject: SiteSubject::Sum, origin: Origin(0), command: None };
    let site = p.site(info);
    let weights = [share, less];
    let outcome = |expr| Outcome::assigning(Weight::Expr { expr, site }, Vec::new(), Origin(0));
    let mut outcomes = weights.map(outcome);
    let sum = normalise(&mut p, &mut outcomes, site, false).unwrap();
    let state = [Const::i64(3), Const::i64(0)];
    let value = |expr| interp::eval(&p.exprs, expr, &state).unwrap().as_f64().unwrap();
    assert!((value(sum.expr) - (0.3 + 0.7 * 0.999_999)).abs() < 1e-15);
    let divided = outcomes.each_ref().map(|outcome| match outcome.weight {
        Weight::Expr { expr, .. } => value(expr),
        Weight::Constant { value, .. } => value,
    });
    assert!((divided[0] + divided[1] - 1.0).abs() < 1e-15);
    assert!((divided[0] - 0.3 / (0.3 + 0.7 * 0.999_999)).abs() < 1e-15);
    for (outcome, written) in outcomes.iter().zip(weights) {
        assert!(matches!(outcome.share(), Weight::Expr { expr, .. } if *expr == written));
    }
    assert!(normalise(&mut p, &mut [share, rest].map(outcome), site, false).is_none());
}

#[test]
fn residues_are_those_of_fractions() {
    let third = residue(&RBig::from_parts(1.into(), 3u8.into())).unwrap();
    assert_eq!(times(third, 3), 1);
    let negative = residue(&RBig::from_parts((-5).into(), 7u8.into())).unwrap();
    assert_eq!(plus(times(negative, 7), 5), 0);
    assert_eq!(residue(&RBig::from_parts(1.into(), UBig::from(PRIME))), None);
}

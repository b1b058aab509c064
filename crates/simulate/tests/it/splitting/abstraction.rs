//! The abstraction against the model itself: on random walks, nothing happens that it does not know.

use std::sync::Arc;
use volvelle_diagnostics::Sources;
use volvelle_kernel::interp::Evaluator as Interpreter;
use volvelle_kernel::{Const, ExprId, Type};
use volvelle_model::interval::Interval;
use volvelle_prism::lower::{self, Constants};
use volvelle_prism::{parse, properties};
use volvelle_simulate::measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference::ReferenceSimulator;
use volvelle_simulate::splitting::bounds::{Evaluator, Values};
use volvelle_simulate::splitting::projection::Projection;
use volvelle_simulate::splitting::{Importance, SplittingTask, conjuncts};
use volvelle_streams::Generator;
use volvelle_streams::plain::PlainStream;

/// Models that never fail, with targets that are not rare.
const MODELS: [(&str, &str); 5] = [
    (
        "dtmc module m x : [0..20] init 3; [] x>0 & x<20 -> 0.4 : (x'=x+1) + 0.6 : (x'=x-1); endmodule",
        "P=? [ F x>=6 ]",
    ),
    (
        "dtmc module a s : [0..3]; n : [0..4]; b : bool;
         [go] s=0 & n<4 -> 0.5 : (s'=1) & (n'=n+1) + 0.5 : (s'=2) & (b'=!b);
         [] s=1 -> 0.7 : (s'=0) + 0.3 : (s'=3); [] s=2 -> (s'=0) & (n'=b ? 0 : n); endmodule
         module c k : [-2..2]; [go] k<2 | !b -> (k'=max(-2,min(2,k+(b?1:-1)))); [] s=1 & k>0 -> (k'=k-1); endmodule",
        "P=? [ F s=3 & n>2 ]",
    ),
    (
        "ctmc module q x : [0..5]; y : [0..5]; m : [1..3] init 2;
         [] x<5 -> 0.5*m : (x'=x+1); [] x>0 & y<5 -> 3/m : (x'=x-1) & (y'=y+1);
         [] y>0 -> min(y,2)*1.5 : (y'=y-1); [] true -> 0.1 : (m'=mod(m,3)+1); endmodule",
        "P=? [ F<=9 x+y>=7 & m!=2 ]",
    ),
    (
        "ctmc formula load = x/(x+y+1); module q x : [0..9]; y : [0..9]; hot : bool;
         [] x<9 & load<0.8 -> 1+load : (x'=x+1) & (hot'=(x+1>2*y)); [] y<9 -> 1 : (y'=y+1);
         [] hot -> pow(2,y/10) : (hot'=false); [] x*y>12 -> floor(x/2) + 0.5 : (x'=x-1) & (y'=y-1); endmodule",
        "P=? [ (x+y<18) U (hot & x-y>2) ]",
    ),
    (
        "dtmc module a p : [0..2]; [] p<2 -> 0.5 : (p'=p+1) + 0.5 : true; endmodule
         module b q : [0..2]; [] q<2 -> 0.25 : (q'=q+1) + 0.75 : (q'=0); endmodule
         module c r : bool; [] p=q -> (r'=!r); endmodule",
        "P=? [ F q=2 & r ]",
    ),
];

fn rare(model: &str, property: &str) -> SplittingTask {
    let mut sources = Sources::new();
    let (model_file, file) = (sources.add("model.prism", model), sources.add("text.props", property));
    let (model, complaints) = parse::model(&sources, model_file);
    assert!(complaints.is_empty(), "{complaints:?}");
    let (file, complaints) = parse::properties(&sources, file);
    assert!(complaints.is_empty(), "{complaints:?}");
    let (lowered, complaints) = lower::lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.unwrap_or_else(|| panic!("{complaints:?}"));
    let (results, _) =
        properties::lower_properties(&mut lowered, &sources, Arc::new(file), &Constants::new());
    let property = results.into_iter().next().expect("a property").expect("is good");
    let mut program = lowered.program().clone();
    let asked = measure::measure(&mut program, &mut Vec::new(), &property).expect("simulated");
    let plan = Plan::new(program, vec![asked.measure], Vec::new(), Generator::default()).expect("simulated");
    SplittingTask::new(plan).expect("fits")
}

fn locals(plan: &Plan, state: &[i64]) -> Vec<Const> {
    let fields = plan.program.fields.iter().zip(state);
    fields
        .map(|(f, &v)| if f.domain.ty() == Type::Bool { Const::bool(v != 0) } else { Const::i64(v) })
        .collect()
}

/// Some steps of some paths, until the property is decided: pairs of states, the same where a path ends.
fn steps(rare: &SplittingTask, paths: u64) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut all = Vec::new();
    for path in 0..paths {
        let mut walk = ReferenceSimulator::new(&rare.plan, 17, path);
        while walk.steps() < 200 {
            let before = walk.state().to_vec();
            let decided =
                walk.holds(rare.right).expect("is defined") || !walk.holds(rare.left).expect("is defined");
            let stay = walk.stay().expect("does not fail");
            if decided || stay.for_ever {
                all.push((before.clone(), before));
                break;
            }
            walk.go(&stay).expect("does not fail");
            all.push((before, walk.state().to_vec()));
        }
    }
    all
}

fn contains(values: Values, value: Const) -> bool {
    match values {
        Values::Bool { no, yes } => value.as_bool().is_some_and(|truth| if truth { yes } else { no }),
        Values::Int(interval) => value.as_i64().is_some_and(|v| interval.lo <= v && v <= interval.hi),
        Values::Float(lo, hi) => value
            .as_f64()
            .is_some_and(|v| lo <= v && v <= hi || (lo, hi) == (f64::NEG_INFINITY, f64::INFINITY)),
    }
}

#[test]
fn values_lie_within_their_bounds() {
    let mut random = PlainStream::new(Generator::Philox4x32, 3, 0);
    let mut checked = 0;
    for (model, property) in MODELS {
        let rare = rare(model, property);
        let exprs = &rare.plan.program.exprs;
        let all: Vec<ExprId> = exprs.ids().collect();
        let mut bounds = Evaluator::new(exprs, &all);
        for (state, _) in steps(&rare, 20) {
            let fields: Vec<Interval> = state
                .iter()
                .enumerate()
                .map(|(field, &value)| {
                    let domain = rare.plan.domain(field);
                    let mut less = || i64::from(random.below32(4).saturating_sub(1));
                    Interval { lo: (value - less()).max(domain.lo), hi: (value + less()).min(domain.hi) }
                })
                .collect();
            bounds.evaluate(&fields);
            let locals = locals(&rare.plan, &state);
            for &expr in &all {
                if let Ok(value) = Interpreter::new().eval(exprs, expr, &locals) {
                    let known = bounds.value(expr);
                    assert!(
                        contains(known, value),
                        "{value:?} is not in {known:?} of {:?}",
                        exprs.node(expr)
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 10_000, "only {checked}");
}

#[test]
fn projections_have_the_transitions_of_the_model() {
    for (model, property) in MODELS {
        let rare = rare(model, property);
        let count = rare.plan.initial.len();
        let steps = steps(&rare, 200);
        let mut hits = 0;
        for subset in 1..1usize << count {
            let fields: Vec<usize> = (0..count).filter(|i| subset >> i & 1 == 1).collect();
            let Ok(projection) = Projection::new(&rare.plan, &fields, rare.left, rare.right, 1 << 15) else {
                panic!("small models have small projections")
            };
            for (from, to) in &steps {
                let (a, b) = (projection.number(from), projection.number(to));
                let a = a.unwrap_or_else(|| panic!("{from:?} is not in the projection to {fields:?}"));
                let b = b.unwrap_or_else(|| panic!("{to:?} is not in the projection to {fields:?}"));
                assert!(a == b || projection.leads(a, b), "no way from {from:?} to {to:?} in {fields:?}");
                let mut walk = ReferenceSimulator::resume(
                    &rare.plan,
                    PlainStream::new(Generator::default(), 1, 1),
                    to.clone(),
                    0,
                    0.0,
                );
                if walk.holds(rare.right).expect("is defined") {
                    assert!(projection.is_target(b));
                    hits += 1;
                }
            }
        }
        assert!(hits > 0, "no path of {property} hits");
    }
}

#[test]
fn what_reaches_the_target_was_never_hopeless() {
    for (model, property) in MODELS {
        let rare = rare(model, property);
        let Importance::Table(table) = &rare.importance else { panic!("a table") };
        let mut path: Vec<Vec<i64>> = Vec::new();
        for (from, to) in steps(&rare, 200) {
            path.push(from.clone());
            if from != to {
                continue;
            }
            let mut walk = ReferenceSimulator::resume(
                &rare.plan,
                PlainStream::new(Generator::default(), 1, 1),
                to,
                0,
                0.0,
            );
            if walk.holds(rare.right).expect("is defined") {
                assert!(path.iter().all(|state| table.of(state) > 0), "{property}: {path:?}");
            }
            path.clear();
        }
    }
}

#[test]
fn importance_is_the_probability_to_get_there() {
    // Up with probability 1/4, where loops do not count.
    let rare = rare(
        "dtmc module m x : [0..9] init 1; n : [0..9];
         [] x>0 & x<9 -> 0.125 : (x'=x+1) + 0.375 : (x'=x-1) + 0.5 : (n'=mod(n+1,10)); endmodule",
        "P=? [ F x=9 ]",
    );
    let Importance::Table(table) = &rare.importance else { panic!("a table") };
    // Nothing that matters depends on the other field.
    assert_eq!(table.fields.len(), 1);
    let entries: Vec<i32> = (0..10).map(|x| table.of(&[x, 0])).collect();
    assert_eq!(entries[0], 0);
    let ruin = |x: i32| (3f64.powi(x) - 1.0) / (3f64.powi(9) - 1.0);
    for x in 1..9 {
        // 64 to a bit.
        let apart = 64.0 * (ruin(x + 1) / ruin(x)).log2();
        let seen = f64::from(entries[x as usize + 1] - entries[x as usize]);
        assert!((seen - apart).abs() < 6.0, "from {x}: {seen} instead of {apart}");
    }
}

#[test]
fn importance_knows_how_much_time_there_is() {
    // Ten arrivals at rate 1, with all the time there is, or far too little.
    let model =
        "ctmc module m x : [0..10]; [] x<10 -> 1 : (x'=x+1); [] x>0 & x<10 -> 1 : (x'=x-1); endmodule";
    let bits = |property: &str| {
        let rare = rare(model, property);
        let Importance::Table(table) = &rare.importance else { panic!("a table") };
        f64::from(table.of(&[10]) - table.of(&[0])) / 64.0
    };
    let (soon, late) = (bits("P=? [ F<=0.1 x=10 ]"), bits("P=? [ F<=1000 x=10 ]"));
    assert!((50.0..80.0).contains(&soon), "{soon}");
    assert!(late < 10.0, "{late}");
}

#[test]
fn distances_in_conjuncts_vanish_at_the_target_only() {
    for (model, property) in MODELS {
        let mut rare = rare(model, property);
        let right = rare.right;
        let importance = conjuncts::importance(&mut rare.plan.program, right);
        let (mut near, mut far) = (0, 0);
        for (state, _) in steps(&rare, 100) {
            let locals = locals(&rare.plan, &state);
            let eval =
                |expr| Interpreter::new().eval(&rare.plan.program.exprs, expr, &locals).expect("never fails");
            let distance = (1 << 30) - eval(importance).as_i64().expect("an integer");
            let holds = eval(right) == Const::bool(true);
            assert!((0..1 << 30).contains(&distance));
            assert_eq!(distance == 0, holds, "{property} at {state:?}");
            if holds { near += 1 } else { far += 1 }
        }
        assert!(near > 0 && far > 0);
    }
}

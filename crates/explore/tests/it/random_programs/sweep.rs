//! Random programs in variants with other numbers: one space for all of them against a fresh one for each, and
//! parameters against the expressions that they stand for.

use super::generate;
use super::reference;
use volvelle_control::{Control, Limits};
use volvelle_explore::{Explored, Mismatch, Options, Reusable, explore};
use volvelle_kernel::interp::{self, Interpreter};
use volvelle_kernel::verify::verify;
use volvelle_kernel::{BinaryOp, Const, ExprId, Kernel, Local, Node};
use volvelle_model::kernels::{self, Selection, StepOptions};
use volvelle_model::{Choice, Difference, Label, Layout, Parametric, Place, Program, Weight};

const STATES: u64 = 300;

/// The program with rates `max(factor·rate − less, 0)`, constant ones times `factor`, and rewards times `factor`.
fn variant(seed: u64, factor: f64, less: f64) -> Program {
    let mut program = generate::program(seed);
    let mut groups = std::mem::take(&mut program.groups);
    let e = &mut program.exprs;
    let (times, minus, zero) = (e.f64(factor), e.f64(less), e.f64(0.0));
    let outcomes = groups
        .iter_mut()
        .flat_map(|g| &mut g.participants)
        .flat_map(|p| &mut p.alternatives)
        .flat_map(|a| &mut a.outcomes);
    if program.choice == Choice::Race {
        for outcome in outcomes {
            match &mut outcome.weight {
                Weight::Constant { value, exact } => (*value, *exact) = (*value * factor, None),
                Weight::Expr { expr, .. } => {
                    let scaled = e.binary(BinaryOp::Mul, times, *expr);
                    let lessened = e.binary(BinaryOp::Sub, scaled, minus);
                    *expr = e.binary(BinaryOp::Max, lessened, zero);
                }
            }
        }
    }
    for reward in program.rewards.iter_mut().flat_map(|r| &mut r.transitions) {
        reward.value = e.binary(BinaryOp::Mul, times, reward.value);
    }
    program.groups = groups;
    program
}

const VARIANTS: [(f64, f64); 6] = [(1.0, 0.0), (0.5, 0.0), (0.5, 0.25), (2.0, 0.25), (2.0, 1.0), (2.0, 1.0)];

fn fresh(program: &Program, options: &Options) -> Option<Explored> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    explore(program, &Interpreter, options, &Control { limits, ..Control::unlimited() }).ok()
}

fn assert_same(found: &Explored, expected: &Explored, seed: u64) {
    assert_eq!(found.space, expected.space, "seed {seed}");
    assert_eq!(found.numbers, expected.numbers, "seed {seed}");
    assert_eq!(found.layout, expected.layout, "seed {seed}");
    assert_eq!(found.states.len(), expected.states.len(), "seed {seed}");
    assert!((0..found.states.len()).all(|s| found.states.get(s) == expected.states.get(s)), "seed {seed}");
}

#[test]
fn one_space_for_all_variants() {
    let (mut reused, mut zero, mut grown) = (0, 0, 0);
    for seed in 0..600u64 {
        let mut kept: Option<Reusable> = None;
        for (i, (factor, less)) in VARIANTS.into_iter().enumerate() {
            let program = variant(seed, factor, less);
            let mut observe = Selection::all(&program);
            if seed % 3 == 0 {
                // Without rewards, choices of a CTMC cannot be distinguished.
                observe.rewards.clear();
            }
            let options = Options { observe, reusable: true, ..Options::default() };
            let expected = fresh(&program, &options);
            let threads = 1 + i % 2;
            let control = Control { threads, ..Control::unlimited() };
            if let Some(reusable) = kept.take() {
                match (reusable.again(&program, &Interpreter, &options, &control), &expected) {
                    (Ok(reusable), Some(expected)) => {
                        assert_same(reusable.explored(), expected, seed);
                        reused += 1;
                        grown += usize::from(expected.layout != Layout::new(&program));
                        kept = Some(reusable);
                    }
                    (Err(Mismatch::Zero), _) => zero += 1,
                    (Err(Mismatch::Failed(_)), None) => {}
                    (Err(refusal), _) => panic!("seed {seed}: {refusal:?}"),
                    (Ok(_), None) => panic!("seed {seed}: the program fails"),
                }
            }
            if kept.is_none() {
                kept = expected.and_then(|explored| Reusable::new(program, explored).ok());
            }
        }
    }
    assert!(reused > 1200 && zero > 50 && grown > 50, "{reused} {zero} {grown}");
}

/// A space that ends where something holds serves programs that end there, and no others.
#[test]
fn where_steps_end_is_compared() {
    let (mut same, mut other) = (0, 0);
    for seed in 0..200u64 {
        let mut base = generate::program(seed);
        base.stop = Some(0);
        let options = Options { observe: Selection::all(&base), reusable: true, ..Options::default() };
        let make = || fresh(&base, &options).and_then(|e| Reusable::new(base.clone(), e).ok());
        let (Some(one), Some(two)) = (make(), make()) else { continue };
        let control = Control::unlimited();
        let again = one.again(&base, &Interpreter, &options, &control).expect("it is the same program");
        let expected = fresh(&base, &options).expect("it was explored before");
        assert_same(again.explored(), &expected, seed);
        assert_eq!(again.explored().unexpanded, expected.unexpanded, "seed {seed}");
        same += 1;
        let mut changed = base.clone();
        changed.stop = None;
        let refusal = two.again(&changed, &Interpreter, &options, &control).err();
        assert_eq!(refusal, Some(Mismatch::Differs(Difference::Stop)), "seed {seed}");
        let opposite = changed.exprs.not(changed.labels[0].expr);
        changed.labels.push(Label { name: None, expr: opposite, origin: None });
        changed.stop = Some(changed.labels.len() - 1);
        let refusal = make().expect("as before").again(&changed, &Interpreter, &options, &control).err();
        assert_eq!(refusal, Some(Mismatch::Differs(Difference::Stop)), "seed {seed}");
        other += 1;
    }
    assert!(same > 80 && other > 80, "{same} {other}");
}

/// The same program with its parameters as locals after the fields. Expressions keep their numbers.
fn with_parameters_as_locals(program: &Program) -> Program {
    let fields = program.fields.len() as u32;
    let mut kernel = Kernel::new("numbered");
    kernel.exprs = program.exprs.clone();
    kernel.map_nodes(|exprs, node| match (node, program.place_read(&node)) {
        (Node::Local(_, ty), Some(Place::Parameter(number))) => exprs.local(Local(fields + number), ty),
        _ => exprs.add(node),
    });
    Program { exprs: kernel.exprs, ..program.clone() }
}

/// Parameters stand for numbers: with the values of a fit, weights and rewards are those of the other
/// program; with the values of the base, those of the base. The kernels are well-formed.
#[test]
fn parameters_stand_for_numbers() {
    let (mut compared, mut parameters) = (0, 0);
    for seed in 0..300u64 {
        let programs: Vec<Program> = VARIANTS.iter().map(|&(f, less)| variant(seed, f, less)).collect();
        let structures: Vec<usize> = (0..programs[0].rewards.len()).collect();
        let mut parametric = Parametric::new(programs[0].clone());
        for other in &programs {
            let fit = parametric.fit(other, &structures).unwrap_or_else(|d| panic!("seed {seed}: {d}"));
            parameters = parameters.max(fit.values.len());
            assert_eq!(fit.values.len(), parametric.base_values().len());
            for (program, values) in [(other, &fit.values[..]), (&programs[0], parametric.base_values())] {
                for state in some_states(program) {
                    let locals = reference::locals(program, &state);
                    let open = [&locals[..], values].concat();
                    let numbered = with_parameters_as_locals(parametric.program());
                    for (a, b) in numbers(parametric.program()).into_iter().zip(numbers(program)) {
                        let eval =
                            |program: &Program, value: Result<ExprId, f64>, locals: &[Const]| match value {
                                Ok(expr) => interp::eval(&program.exprs, expr, locals).ok(),
                                Err(constant) => Some(Const::f64(constant)),
                            };
                        // Failures name their sites, which may be others.
                        assert_eq!(eval(&numbered, a, &open), eval(program, b, &locals), "seed {seed}");
                        compared += 1;
                    }
                }
            }
            for dynamic_only in [false, true] {
                let options = StepOptions {
                    choices: true,
                    rewards: structures.clone(),
                    dynamic_only,
                    ..StepOptions::default()
                };
                let layout = Layout::new(other);
                let kernel = kernels::weights(&parametric, &layout, &options).expect("a kernel").kernel;
                verify(&kernel).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            }
        }
        let mut other = programs[0].clone();
        other.groups[0].participants[0].alternatives[0].guard = other.exprs.bool(false);
        let same_guard = other == programs[0];
        assert_eq!(parametric.fit(&other, &[]).is_ok(), same_guard, "seed {seed}: another guard");
    }
    assert!(compared > 10_000 && parameters > 5, "{compared} {parameters}");
}

/// Valuations at the ends of the domains, and between.
fn some_states(program: &Program) -> Vec<Vec<i64>> {
    let value = |k: i64| {
        move |f: &volvelle_model::Field| {
            let (lo, hi) = f.domain.bounds();
            lo + (hi - lo) * k / 2
        }
    };
    (0..3).map(|k| program.fields.iter().map(value(k)).collect()).collect()
}

/// Weights and transition rewards, in order; `Err` is a constant.
fn numbers(program: &Program) -> Vec<Result<ExprId, f64>> {
    let alternatives = program.groups.iter().flat_map(|g| &g.participants).flat_map(|p| &p.alternatives);
    let weights = alternatives.flat_map(|a| &a.outcomes).map(|outcome| match outcome.weight {
        Weight::Constant { value, .. } => Err(value),
        Weight::Expr { expr, .. } => Ok(expr),
    });
    let rewards = program.rewards.iter().flat_map(|r| &r.transitions).map(|r| Ok(r.value));
    weights.chain(rewards).collect()
}

/// Notes for later points never cost a point its space: with memory just enough for the space they are given up.
#[test]
fn no_space_is_lost_for_want_of_memory() {
    let mut given_up = 0;
    for seed in 0..40u64 {
        let program = generate::program(seed);
        let with = |memory: u64, reusable: bool| {
            let limits = Limits { states: Some(STATES), memory_bytes: Some(memory), ..Limits::default() };
            let options = Options { observe: Selection::all(&program), reusable, ..Options::default() };
            explore(&program, &Interpreter, &options, &Control { limits, ..Control::unlimited() }).ok()
        };
        let (mut too_little, mut enough) = (0, 1 << 30);
        if with(enough, false).is_none() {
            continue;
        }
        while enough - too_little > 1 {
            let middle = (too_little + enough) / 2;
            *if with(middle, false).is_some() { &mut enough } else { &mut too_little } = middle;
        }
        let expected = with(enough, false).expect("it is enough");
        let found = with(enough, true).expect("it is enough with notes, too");
        assert_same(&found, &expected, seed);
        given_up += usize::from(Reusable::new(program.clone(), found).is_err());
        assert!(Reusable::new(program.clone(), with(2 * enough, true).expect("more")).is_ok(), "seed {seed}");
    }
    assert!(given_up > 10, "{given_up}");
}

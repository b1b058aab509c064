//! Logarithm and exponential function have the bits of their definition: the plain ones on millions of arguments, the
//! expressions on all back ends, on every kind of argument.

use crate::support::{Cases, back_ends};
use volvelle_kernel::generate::Case;
use volvelle_kernel::harness::{self, Contents, same_value};
use volvelle_kernel::interp::{Evaluator, Interpreter, eval, math};
use volvelle_kernel::verify::{MAX_NESTING, verify};
use volvelle_kernel::{Access, Compiler, Const, Exit, ExprId, Exprs, Kernel, MathFn, Node, Stmt, Type};
use volvelle_native::{Native, Options};
use volvelle_streams::math::{exp, log, log_of_normal};
use volvelle_streams::{expand_math, plain};

/// Arguments at which something changes, with their neighbours.
fn edges() -> Vec<f64> {
    let mut bases =
        vec![0.0, 1.0, 0.5, 2.0, 0.75, 1.5, std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2];
    bases.extend([f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, 709.782712893384, 745.1332191019411]);
    bases.extend([
        708.3964185322641,
        0.34657359027997264,
        1.0397207708399179,
        2f64.powi(-28),
        2f64.powi(-54),
    ]);
    bases.extend((-5..=5).map(|n| std::f64::consts::LN_2 * f64::from(n) / 2.0));
    bases.extend([-1074, -1060, -1023, -1022, -1021, -53, -1, 53, 1022, 1023].map(|n| 2f64.powi(n)));
    // Where high words of the reductions' bounds begin.
    bases.extend(
        [0x3fe6a09e, 0x3ff0a2b2, 0x3fd62e42, 0x3e300000, 0x4086232b].map(|w: u64| f64::from_bits(w << 32)),
    );
    let mut all = Vec::new();
    for base in bases {
        for signed in [base, -base] {
            let bits = signed.to_bits();
            all.extend((0..8).flat_map(|n| [bits.wrapping_add(n), bits.wrapping_sub(n)]).map(f64::from_bits));
            all.extend([bits | 0xffff_ffff, (bits | 0xffff_ffff).wrapping_add(1)].map(f64::from_bits));
        }
    }
    all.extend([f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)]);
    all
}

#[test]
fn plain_logarithms_have_the_bits_of_the_definition() {
    let mut cases = Cases(1);
    let check = |x: f64| {
        assert_eq!(plain::log_of_normal(x).to_bits(), libm::log(x).to_bits(), "{x:e}");
    };
    edges().into_iter().filter(|x| x.is_normal() && *x > 0.0).for_each(check);
    for case in 0..3_000_000u64 {
        let bits = cases.bits();
        let x = match case % 3 {
            0 => f64::from_bits(bits & !(1 << 63)),
            // The arguments of `exponential`, and numbers around one.
            1 => ((bits >> 11) as f64 + 0.5) * 2f64.powi(-53),
            _ => 1.0 + (bits as i64 as f64) * 2f64.powi(-64 - (bits % 50) as i32),
        };
        if x.is_normal() {
            check(x);
        }
    }
}

#[test]
fn plain_exponentials_have_the_bits_of_the_definition() {
    let mut cases = Cases(2);
    let check = |x: f64| {
        let (found, expected) = (plain::exp(x), libm::exp(x));
        assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{x:e}");
    };
    edges().into_iter().for_each(check);
    for case in 0..3_000_000u64 {
        let bits = cases.bits();
        check(match case % 4 {
            0 => f64::from_bits(bits),
            1 => bits as i64 as f64 * 2f64.powi(-53),
            // Where results are subnormal or hardly finite.
            2 => (bits >> 11) as f64 * 2f64.powi(-53) * 40.0 - 748.0,
            _ => bits as i64 as f64 * 2f64.powi(-64 - (bits % 60) as i32),
        });
    }
}

/// A kernel that appends a function of all elements of its buffer.
fn mapping(build: impl Fn(&mut Exprs, ExprId) -> ExprId) -> Kernel {
    let mut k = Kernel::new("map");
    let numbers = k.buffer("numbers", Type::F64, Access::Read);
    let out = k.buffer("out", Type::F64, Access::Append);
    let i = k.local("i", Type::U64);
    let index = k.get(i);
    let (from, to) = (k.exprs.u64(0), k.exprs.add(Node::Len(numbers)));
    let x = k.exprs.load(numbers, Type::F64, index);
    let value = build(&mut k.exprs, x);
    k.body = vec![Stmt::For { local: i, from, to, body: vec![Stmt::Emit { buffer: out, value }] }];
    k
}

fn mapped(back_end: &dyn Compiler, kernel: &Kernel, arguments: &[f64]) -> Vec<Const> {
    let code = back_end.compile(kernel).unwrap_or_else(|e| panic!("{e}"));
    let contents = [
        Contents::Elements(arguments.iter().map(|&x| Const::f64(x)).collect()),
        Contents::Room(arguments.len()),
    ];
    let mut outcome = harness::run(&*code, &kernel.buffers, &[], &contents);
    assert_eq!(outcome.exit, Exit::Done);
    outcome.buffers.remove(1)
}

#[test]
fn expressions_have_the_bits_of_the_definition() {
    let mut cases = Cases(3);
    let mut arguments = edges();
    for case in 0..200_000u64 {
        let bits = cases.bits();
        arguments.push(match case % 3 {
            0 => f64::from_bits(bits),
            1 => bits as i64 as f64 * 2f64.powi(-53),
            _ => (bits >> 11) as f64 * 2f64.powi(-53),
        });
    }
    type Expand = fn(&mut Exprs, ExprId) -> ExprId;
    let all =
        [(MathFn::Log, log as Expand, false), (MathFn::Exp, exp, false), (MathFn::Log, log_of_normal, true)];
    for (f, expand, partial) in all {
        let kernel = mapping(expand);
        for back_end in back_ends() {
            let slow = back_end.name() == "interpreter";
            let few = if slow { arguments.len().min(3000) } else { arguments.len() };
            let domain: Vec<f64> =
                arguments[..few].iter().copied().filter(|x| !partial || x.is_normal() && *x > 0.0).collect();
            let found = mapped(&*back_end, &kernel, &domain);
            for (x, found) in domain.into_iter().zip(found) {
                let expected = math(f, Const::f64(x), Const::f64(x));
                assert!(
                    same_value(found, expected),
                    "{f:?} {x:e}, {}: {found:x?}, {expected:x?}",
                    back_end.name()
                );
            }
        }
    }
}

/// Generated kernels mean the same with functions written out.
#[test]
fn expanding_changes_nothing() {
    let native = Native::new(Options { verify_ir: true, ..Options::default() }).expect("a supported host");
    let (mut expanded, mut compiled) = (0, 0);
    for seed in 0..1000 {
        let mut case = Case::from_seed(seed);
        let expected = case.run(&*Interpreter.compile(&case.kernel).unwrap());
        let had = functions(&case.kernel.canonical());
        assert!(expand_math(&mut case.kernel), "seed {seed}");
        assert_eq!(verify(&case.kernel), Ok(()), "seed {seed}");
        assert_eq!(functions(&case.kernel), 0, "seed {seed}");
        assert_eq!(case.run(&*Interpreter.compile(&case.kernel).unwrap()), expected, "seed {seed}");
        expanded += (had > 0) as u32;
        if had > 0 && compiled < 100 {
            compiled += 1;
            assert_eq!(case.run(&*native.compile(&case.kernel).unwrap()), expected, "seed {seed}, native");
        }
    }
    assert!(expanded > 100 && compiled == 100, "{expanded}");
}

fn functions(kernel: &Kernel) -> usize {
    let is_one =
        |id: &ExprId| matches!(kernel.exprs.node(*id), Node::Math { f: MathFn::Log | MathFn::Exp, .. });
    kernel.exprs.ids().filter(is_one).count()
}

/// Functions of functions of functions: written out while the verifier allows it, left alone beyond.
#[test]
fn towers_of_functions() {
    for height in [1u32, 5, 20, 500] {
        let mut k = Kernel::new("tower");
        let x = k.local("x", Type::F64);
        let mut tower = k.get(x);
        for level in 0..height {
            let f = if level % 2 == 0 { MathFn::Exp } else { MathFn::Log };
            tower = k.exprs.math1(f, tower);
        }
        k.body = vec![Stmt::Set { local: x, value: tower }];
        let before = k.clone();
        let done = expand_math(&mut k);
        assert_eq!(done, functions(&k) == 0);
        assert_eq!(verify(&k), Ok(()));
        if height <= 5 {
            assert!(done);
        }
        if height == 500 {
            assert!(!done && k == before);
        }
        let Stmt::Set { value, .. } = k.body[0] else { unreachable!() };
        assert!(k.exprs.nesting(value) <= MAX_NESTING);
        let mut evaluator = Evaluator::new();
        for number in [0.0, 1.0, -3.0, 0.3, 1e-310] {
            let locals = [Const::f64(number)];
            let expected = eval(&before.exprs, tower, &locals).unwrap();
            let found = evaluator.eval(&k.exprs, value, &locals).unwrap();
            assert!(same_value(found, expected), "{height}, {number}");
        }
    }
}

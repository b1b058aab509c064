//! Every operation on every type it takes, at the edges of the type, with variable and with constant operands (some of which
//! are printed in a way of their own); and functions of mathematics on many numbers. All against the definition.

use crate::support::{Job, Results, Run, compare, host, opencl, skip};
use volvelle_kernel::harness::same_value;
use volvelle_kernel::{
    Access, BinaryOp, Buffer, CheckedOp, Const, ExprId, FailKind, Kernel, MathFn, Node, Site, Stmt, Type,
    UnaryOp, math,
};
use volvelle_source::Dialect;

/// Values at which something may go wrong.
fn edges(ty: Type) -> Vec<Const> {
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        -2.5,
        127.9,
        -128.9,
        255.5,
        65_536.0,
        2_147_483_647.0,
        -2_147_483_649.0,
        4_294_967_295.5,
        9_223_372_036_854_775_807.0,
        -9_223_372_036_854_775_808.0,
        1.8e19,
        1e300,
        5e-324,
        f64::MIN_POSITIVE,
        1e-40,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
    ];
    match ty {
        Type::Bool => vec![Const::bool(false), Const::bool(true)],
        Type::F64 => floats.map(Const::f64).to_vec(),
        Type::F32 => floats.map(|x| Const::f32(x as f32)).to_vec(),
        _ => {
            let half = 1i64 << (ty.bits() - 1).min(62);
            let mut values: Vec<Const> = [0, 1, 2, 3, 7, 10, -1, -2, -7, 31, 63, 100]
                .into_iter()
                .chain([half, half - 1, half + 1, half.wrapping_mul(2), half.wrapping_mul(2).wrapping_sub(1)])
                .map(|value| Const::int(ty, value))
                .collect();
            values.sort();
            values.dedup();
            values
        }
    }
}

fn pairs(ty: Type) -> Vec<(Const, Const)> {
    let edges = edges(ty);
    edges.iter().flat_map(|&x| edges.iter().map(move |&y| (x, y))).collect()
}

/// Nodes of all operations that cannot fail, on operands of one type.
fn total(k: &Kernel, x: ExprId, y: ExprId) -> Vec<Node> {
    let mut nodes = Vec::new();
    nodes.extend(UnaryOp::ALL.map(|op| Node::Unary { op, arg: x }));
    nodes.extend(BinaryOp::ALL.map(|op| Node::Binary { op, lhs: x, rhs: y }));
    nodes.extend(Type::ALL.map(|to| Node::Convert { to, arg: x }));
    nodes.extend(Type::ALL.map(|to| Node::Reinterpret { to, arg: x }));
    nodes.retain(|node| k.exprs.type_of(node).is_ok());
    nodes
}

/// Nodes of all operations that may fail.
fn fallible(k: &Kernel, x: ExprId, y: ExprId) -> Vec<Node> {
    let site = Site(0);
    let mut nodes = Vec::new();
    nodes.extend(CheckedOp::ALL.map(|op| Node::Checked { op, lhs: x, rhs: y, site }));
    nodes.extend(Type::ALL.map(|to| Node::CheckedConvert { to, arg: x, site }));
    let ty = k.exprs.ty(x);
    if ty.is_int() {
        let unsigned = ty == Type::U64;
        let bounds = [(0, 3), (-7, 100), (i64::MIN, 0), (1, i64::MAX), (5, -1), (300, 400), (i64::MIN, -300)];
        for (lo, hi) in bounds {
            if if unsigned { lo as u64 <= hi as u64 } else { lo <= hi } {
                nodes.push(Node::Range { arg: x, lo, hi, site });
            }
        }
    }
    nodes.retain(|node| k.exprs.type_of(node).is_ok());
    nodes
}

/// All operations that cannot fail: a lane for each pair, an element for each operation.
fn all_total(ty: Type) -> (Kernel, Vec<Run>) {
    let mut k = Kernel::new(format!("total_{ty}"));
    let lane = k.param("lane", Type::U64);
    let lane = k.get(lane);
    let inputs = ["x", "y"].map(|name| k.buffer(name, ty, Access::Read));
    let [x, y] = inputs.map(|buffer| k.exprs.load(buffer, ty, lane));
    let mut nodes = total(&k, x, y);
    // How floats are printed depends on no constant.
    for c in edges(ty).into_iter().step_by(if ty.is_float() { 6 } else { 1 }) {
        let c = k.exprs.constant(c);
        let binary = |node: &Node| matches!(node, Node::Binary { .. });
        nodes.extend(total(&k, x, c).into_iter().filter(binary));
        nodes.extend(total(&k, c, y).into_iter().filter(binary));
    }
    let nodes: Vec<ExprId> = nodes.into_iter().map(|node| k.exprs.add(node)).collect();
    let mut outs: Vec<(Type, Buffer, u64)> = Vec::new();
    for &node in &nodes {
        let ty = k.exprs.ty(node);
        match outs.iter_mut().find(|(of, ..)| *of == ty) {
            Some((.., count)) => *count += 1,
            None => {
                let buffer = k.buffer(format!("out_{ty}"), ty, Access::Write);
                outs.push((ty, buffer, 1));
            }
        }
    }
    let mut next = vec![0u64; outs.len()];
    for value in nodes {
        let of = outs.iter().position(|(of, ..)| *of == k.exprs.ty(value)).expect("it was made above");
        let (_, buffer, count) = outs[of];
        let (count, offset) = (k.exprs.u64(count), k.exprs.u64(next[of]));
        next[of] += 1;
        let start = k.exprs.binary(BinaryOp::Mul, lane, count);
        let index = k.exprs.binary(BinaryOp::Add, start, offset);
        k.body.push(Stmt::Store { buffer, index, value });
    }
    let pairs = pairs(ty);
    let mut buffers = vec![pairs.iter().map(|(x, _)| *x).collect(), pairs.iter().map(|(_, y)| *y).collect()];
    let zeros =
        |(ty, _, count): &(Type, _, u64)| vec![Const { ty: *ty, bits: 0 }; *count as usize * pairs.len()];
    buffers.extend(outs.iter().map(zeros));
    let run = Run { params: vec![Const::u64(0)], lanes: pairs.len() as u64, buffers };
    (k, vec![run])
}

/// All operations that may fail: a run for each pair and operation.
fn all_fallible(ty: Type) -> (Kernel, Vec<Run>) {
    let mut k = Kernel::new(format!("fallible_{ty}"));
    k.param("lane", Type::U64);
    let which = k.param("which", Type::U32);
    let [x, y] = ["x", "y"].map(|name| k.param(name, ty));
    k.site(FailKind::Overflow, 0);
    let [which, x, y] = [which, x, y].map(|param| k.get(param));
    let zero = k.exprs.u64(0);
    let buffers: Vec<Buffer> =
        Type::ALL.map(|ty| k.buffer(format!("out_{ty}"), ty, Access::Write)).into_iter().collect();
    let mut cases = Vec::new();
    let mut runs = Vec::new();
    let zeros: Vec<Vec<Const>> = Type::ALL.map(|ty| vec![Const { ty, bits: 0 }]).to_vec();
    let mut add = |k: &mut Kernel, nodes: Vec<Node>, pairs: &[(Const, Const)]| {
        for node in nodes {
            let value = k.exprs.add(node);
            let of = Type::ALL.into_iter().position(|ty| ty == k.exprs.ty(value)).expect("a type");
            let number = cases.len() as i64;
            cases.push((number, vec![Stmt::Store { buffer: buffers[of], index: zero, value }]));
            for &(x, y) in pairs {
                let params = vec![Const::u64(0), Const::int(Type::U32, number), x, y];
                runs.push(Run { params, lanes: 1, buffers: zeros.clone() });
            }
        }
    };
    let nodes = fallible(&k, x, y);
    add(&mut k, nodes, &pairs(ty));
    let edges = edges(ty);
    for &c in &edges {
        let constant = k.exprs.constant(c);
        let of_two = |node: &Node| matches!(node, Node::Checked { .. });
        let nodes = fallible(&k, x, constant).into_iter().filter(of_two).collect();
        add(&mut k, nodes, &edges.iter().map(|&x| (x, c)).collect::<Vec<_>>());
        let nodes = fallible(&k, constant, y).into_iter().filter(of_two).collect();
        add(&mut k, nodes, &edges.iter().map(|&y| (c, y)).collect::<Vec<_>>());
    }
    k.body.push(Stmt::Switch { on: which, cases, default: vec![Stmt::Return] });
    (k, runs)
}

/// Runs one case for each pair of values of these types; `step` takes only every `step`-th of them.
fn jobs(dialect: Dialect, types: &[Type], step: usize) -> Vec<Job> {
    let job = |(kernel, runs): (Kernel, Vec<Run>), step| {
        Job::new(kernel, dialect, runs.into_iter().step_by(step).collect())
    };
    types.iter().flat_map(|&ty| [job(all_total(ty), 1), job(all_fallible(ty), step)]).collect()
}

#[test]
fn opencl_text_on_a_device() {
    let jobs = jobs(Dialect::OpenCl, &Type::ALL, 41);
    compare(&jobs, opencl::run("operations", &jobs, &Dialect::OpenCl.options().join(" ")));
}

/// The types in two parts, since the compiler takes its time.
#[test]
fn cuda_text_on_the_host() {
    cuda_on_the_host("operations", &Type::ALL[..Type::ALL.len() / 2]);
}

#[test]
fn more_cuda_text_on_the_host() {
    cuda_on_the_host("more-operations", &Type::ALL[Type::ALL.len() / 2..]);
}

fn cuda_on_the_host(name: &str, types: &[Type]) {
    let jobs = jobs(Dialect::Cuda, types, 4);
    if let Some(exits) = compare(&jobs, host::run(name, &jobs)) {
        let failed = exits.iter().filter(|exit| **exit != volvelle_kernel::Exit::Done).count();
        assert!(failed > exits.len() / 10 && failed < exits.len() * 9 / 10, "{failed} of {}", exits.len());
    }
}

/// Arguments of functions: edges, and numbers of all sizes near which their algorithms take turns.
fn arguments() -> Vec<(f64, f64)> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        3.0,
        -3.0,
        1.5,
        1e-320,
        -1e-320,
        1e308,
        -1e308,
        5e-324,
        709.78,
        709.79,
        -745.13,
        -745.14,
        -708.4,
        1024.0,
        -1074.5,
        -1075.0,
        4503599627370497.0,
        9007199254740993.0,
        1e19,
        -1e19,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON,
        0.999_999_9,
        1.000_000_1,
        4294967296.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
    ];
    let mut all: Vec<(f64, f64)> =
        special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))).collect();
    // A linear congruential generator is random enough here.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    for i in 0..30_000 {
        let (a, b) = (next(), next());
        let unit = |word: u64| (word >> 11) as f64 / (1u64 << 53) as f64;
        all.push(match i % 5 {
            0 => (f64::from_bits(a), f64::from_bits(b)),
            1 => (unit(a) * 20.0, (unit(b) - 0.5) * 100.0),
            2 => ((unit(a) - 0.5) * 1500.0, ((b % 41) as f64 - 20.0) / 2.0),
            // Results around the largest and smallest numbers.
            3 => (
                f64::from_bits(a & !(1 << 63)),
                (unit(b) * 0.2 + 0.9) * 1024.0 / f64::from_bits(a & !(1 << 63)).log2().abs(),
            ),
            _ => (1.0 + (unit(a) - 0.5) * 1e-5, (unit(b) - 0.5) * 1e11),
        });
    }
    all
}

fn mathematics() -> (Kernel, Run) {
    let mut k = Kernel::new("mathematics");
    let lane = k.param("lane", Type::U64);
    let index = k.get(lane);
    let inputs = ["x", "y"].map(|name| k.buffer(name, Type::F64, Access::Read));
    let [x, y] = inputs.map(|buffer| k.exprs.load(buffer, Type::F64, index));
    for f in [MathFn::Exp, MathFn::Log, MathFn::Pow] {
        let buffer = k.buffer(format!("{f:?}").to_lowercase(), Type::F64, Access::Write);
        let value = if f.arity() == 2 { k.exprs.math2(f, x, y) } else { k.exprs.math1(f, x) };
        k.body.push(Stmt::Store { buffer, index, value });
    }
    let arguments = arguments();
    let mut buffers: Vec<Vec<Const>> = vec![
        arguments.iter().map(|(x, _)| Const::f64(*x)).collect(),
        arguments.iter().map(|(_, y)| Const::f64(*y)).collect(),
    ];
    buffers.extend([(); 3].map(|()| vec![Const::f64(0.0); arguments.len()]));
    let run = Run { params: vec![Const::u64(0)], lanes: arguments.len() as u64, buffers };
    (k, run)
}

fn compare_mathematics(dialect: Dialect, run: impl Fn(&[Job]) -> Results) {
    let (kernel, launch) = mathematics();
    let jobs = [Job::new(kernel, dialect, vec![launch])];
    let results = match run(&jobs) {
        Ok(results) => results,
        Err(why) => return skip(&why),
    };
    let outcome = results[0].1[0].as_ref().unwrap_or_else(|log| panic!("{log}"));
    for (i, (x, y)) in arguments().into_iter().enumerate() {
        for (f, found) in [MathFn::Exp, MathFn::Log, MathFn::Pow].into_iter().zip(&outcome.buffers[2..]) {
            let expected = Const::f64(math::apply(f, x, y));
            assert!(
                same_value(found[i], expected),
                "{f:?}({x:e}, {y:e}): {:x?} instead of {expected:x?}",
                found[i]
            );
        }
    }
}

#[test]
fn mathematics_in_opencl_on_a_device() {
    let options = Dialect::OpenCl.options().join(" ");
    compare_mathematics(Dialect::OpenCl, |jobs| opencl::run("mathematics", jobs, &options));
}

#[test]
fn mathematics_in_cuda_on_the_host() {
    compare_mathematics(Dialect::Cuda, |jobs| host::run("mathematics", jobs));
}

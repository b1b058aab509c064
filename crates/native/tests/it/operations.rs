//! Every operation on every type it takes, at the edges of the type, against the definition of the
//! operations on constants (`kernel::interp`): with both operands variable, and with either constant
//! (the generator treats some constants specially).

use volvelle_kernel::harness::{self, Contents, same_value};
use volvelle_kernel::{
    Access, BinaryOp, CheckedOp, Compiler, Const, Exit, ExprId, FailKind, Kernel, MathFn, Node, Site, Stmt,
    Type, UnaryOp, interp,
};
use volvelle_native::{Native, OptLevel, Options};

/// Back ends that may choose different instructions for one operation.
fn instruction_choices() -> Vec<(String, Native)> {
    let mut all = Vec::new();
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for host_features in [true, false] {
            let options = Options { opt_level, host_features, verify_ir: true, ..Options::default() };
            all.push((format!("{options:?}"), Native::new(options).expect("a supported host")));
        }
    }
    all
}

/// The result of an operation: a value, or a failure at the site.
type Outcome = Option<Const>;

/// Builds the node of an operation from operands and a site.
type Build = Box<dyn Fn(&[ExprId], Site) -> Node>;

/// The expected result of an operation.
type Definition = Box<dyn Fn(&[Const]) -> Outcome>;

/// A kernel that applies one operation to its parameters, or to constants in their place.
struct Probe {
    name: String,
    operand_types: Vec<Type>,
    node: Build,
    expected: Definition,
}

impl Probe {
    /// The kernel: `which = 0` takes both operands from parameters; `which = 1 + i` takes the operand at
    /// `fixed` from `constants[i]`.
    fn kernel(&self, fixed: usize, constants: &[Const]) -> Option<(Kernel, Type)> {
        let mut k = Kernel::new("probe");
        let which = k.param("which", Type::U32);
        let params: Vec<_> =
            (self.operand_types.iter().enumerate()).map(|(i, &ty)| k.param(format!("x{i}"), ty)).collect();
        let site = k.site(FailKind::Assertion, 0);
        let operands: Vec<ExprId> = params.iter().map(|&p| k.get(p)).collect();
        let result = k.exprs.type_of(&(self.node)(&operands, site)).ok()?;
        let out = k.buffer("out", result, Access::Write);
        let zero = k.exprs.u64(0);
        let mut cases = Vec::new();
        for case in 0..=constants.len() {
            let mut operands = operands.clone();
            if case > 0 {
                operands[fixed] = k.exprs.constant(constants[case - 1]);
            }
            // As it is: the folding builder must not get at it.
            let value = k.exprs.add((self.node)(&operands, site));
            cases.push((case as i64, vec![Stmt::Store { buffer: out, index: zero, value }]));
        }
        let on = k.get(which);
        k.body.push(Stmt::Switch { on, cases, default: vec![Stmt::Return] });
        Some((k, result))
    }

    /// Runs the kernel on all combinations of `edges`; gives the number of runs.
    fn check(&self) -> usize {
        let domains: Vec<Vec<Const>> = self.operand_types.iter().map(|&ty| edges(ty)).collect();
        let mut runs = 0;
        for fixed in 0..domains.len() {
            let Some((kernel, result)) = self.kernel(fixed, &domains[fixed]) else {
                return 0;
            };
            for (configuration, native) in instruction_choices() {
                let code = native.compile(&kernel).unwrap();
                let out = [Contents::Elements(vec![Const { ty: result, bits: 0 }])];
                let mut run = |which: usize, operands: &[Const]| {
                    let params: Vec<Const> =
                        [Const::int(Type::U32, which as i64)].iter().chain(operands).copied().collect();
                    let outcome = harness::run(&*code, &kernel.buffers, &params, &out);
                    let got = match outcome.exit {
                        Exit::Done => Some(outcome.buffers[0][0]),
                        Exit::Failed(Site(0)) => None,
                        exit => panic!("{}: {exit:?}", self.name),
                    };
                    let expected = (self.expected)(operands);
                    let agree = match (got, expected) {
                        (Some(got), Some(expected)) => same_value(got, expected),
                        (None, None) => true,
                        _ => false,
                    };
                    assert!(
                        agree,
                        "{}, {configuration}, case {which}: {operands:x?} gave {got:x?}, not {expected:x?}",
                        self.name
                    );
                    runs += 1;
                };
                for (i, &x) in domains[0].iter().enumerate() {
                    match domains.get(1) {
                        None => {
                            run(0, &[x]);
                            run(1 + i, &[x]);
                        }
                        Some(second) => {
                            for (j, &y) in second.iter().enumerate() {
                                run(0, &[x, y]);
                                run(1 + if fixed == 0 { i } else { j }, &[x, y]);
                            }
                        }
                    }
                }
            }
        }
        runs
    }
}

#[test]
fn unary_operations() {
    let mut runs = 0;
    for op in UnaryOp::ALL {
        for ty in Type::ALL {
            runs += Probe {
                name: format!("{op:?} {ty}"),
                operand_types: vec![ty],
                node: Box::new(move |x, _| Node::Unary { op, arg: x[0] }),
                expected: Box::new(move |x| Some(interp::unary(op, x[0]))),
            }
            .check();
        }
    }
    assert!(runs > 1000);
}

#[test]
fn binary_operations() {
    let mut runs = 0;
    for op in BinaryOp::ALL {
        for ty in Type::ALL {
            runs += Probe {
                name: format!("{op:?} {ty}"),
                operand_types: vec![ty, ty],
                node: Box::new(move |x, _| Node::Binary { op, lhs: x[0], rhs: x[1] }),
                expected: Box::new(move |x| Some(interp::binary(op, x[0], x[1]))),
            }
            .check();
        }
    }
    assert!(runs > 50_000);
}

#[test]
fn checked_operations() {
    let mut runs = 0;
    for op in CheckedOp::ALL {
        for ty in Type::ALL {
            runs += Probe {
                name: format!("checked {op:?} {ty}"),
                operand_types: vec![ty, ty],
                node: Box::new(move |x, site| Node::Checked { op, lhs: x[0], rhs: x[1], site }),
                expected: Box::new(move |x| interp::checked(op, x[0], x[1])),
            }
            .check();
        }
    }
    assert!(runs > 50_000);
}

#[test]
fn conversions() {
    let mut runs = 0;
    for from in Type::ALL {
        for to in Type::ALL {
            runs += Probe {
                name: format!("{from} as {to}"),
                operand_types: vec![from],
                node: Box::new(move |x, _| Node::Convert { to, arg: x[0] }),
                expected: Box::new(move |x| Some(interp::convert(to, x[0]))),
            }
            .check();
            runs += Probe {
                name: format!("{from} as bits {to}"),
                operand_types: vec![from],
                node: Box::new(move |x, _| Node::Reinterpret { to, arg: x[0] }),
                expected: Box::new(move |x| Some(interp::reinterpret(to, x[0]))),
            }
            .check();
            runs += Probe {
                name: format!("{from} as {to}, checked"),
                operand_types: vec![from],
                node: Box::new(move |x, site| Node::CheckedConvert { to, arg: x[0], site }),
                expected: Box::new(move |x| interp::checked_convert(to, x[0])),
            }
            .check();
        }
    }
    assert!(runs > 10_000);
}

#[test]
fn ranges() {
    let mut runs = 0;
    let bounds = [i64::MIN, -70_000, -129, -128, -1, 0, 1, 100, 127, 200, 255, 65_535, 1 << 40, i64::MAX];
    for ty in Type::ALL.into_iter().filter(|ty| ty.is_int()) {
        for lo in bounds {
            for hi in bounds {
                // For `u64` the bounds are bits; an empty range may be refused by the verifier.
                let empty = if ty == Type::U64 { lo as u64 > hi as u64 } else { lo > hi };
                if empty {
                    continue;
                }
                runs += Probe {
                    name: format!("{ty} in {lo}..={hi}"),
                    operand_types: vec![ty],
                    node: Box::new(move |x, site| Node::Range { arg: x[0], lo, hi, site }),
                    expected: Box::new(move |x| interp::in_range(x[0], lo, hi).then_some(x[0])),
                }
                .check();
            }
        }
    }
    assert!(runs > 10_000);
}

#[test]
fn mathematical_functions() {
    for f in [MathFn::Exp, MathFn::Log] {
        let probe = Probe {
            name: format!("{f:?}"),
            operand_types: vec![Type::F64],
            node: Box::new(move |x, _| Node::Math { f, args: [x[0], x[0]] }),
            expected: Box::new(move |x| Some(interp::math(f, x[0], x[0]))),
        };
        assert!(probe.check() > 100);
    }
    let probe = Probe {
        name: "Pow".into(),
        operand_types: vec![Type::F64; 2],
        node: Box::new(|x, _| Node::Math { f: MathFn::Pow, args: [x[0], x[1]] }),
        expected: Box::new(|x| Some(interp::math(MathFn::Pow, x[0], x[1]))),
    };
    assert!(probe.check() > 1000);
}

/// Values of a type at which operations change their behaviour.
pub fn edges(ty: Type) -> Vec<Const> {
    if ty.is_float() {
        return float_edges(ty);
    }
    if ty == Type::Bool {
        return vec![Const::bool(false), Const::bool(true)];
    }
    let mut values = vec![0, 1, 2, 3, 5, 7, 10, 63, -1, -2, -3, -7, -10, i64::MIN, i64::MAX, i64::MIN + 1];
    for bits in [7, 8, 15, 16, 31, 32, 63] {
        let power = 1i64 << bits;
        for value in [power.wrapping_sub(1), power, power.wrapping_add(1)] {
            values.extend([value, value.wrapping_neg()]);
        }
    }
    let bits = ty.bits() as i64;
    values.extend([bits - 1, bits, bits + 1, (1 << (bits / 2)) - 1, 1 << (bits / 2)]);
    let mut edges: Vec<Const> = values.into_iter().map(|v| Const::int(ty, v)).collect();
    edges.sort();
    edges.dedup();
    edges
}

fn float_edges(ty: Type) -> Vec<Const> {
    let mut values = vec![0.0, 1.0, 0.5, 1.5, 2.5, 3.7, 0.1, 1e-300, f64::MIN_POSITIVE, 5e-324, f64::MAX];
    values.extend([f64::INFINITY, f64::NAN, f32::MAX as f64, f32::MIN_POSITIVE as f64, 1e-45, 16777217.0]);
    for exponent in [7, 8, 15, 16, 24, 31, 32, 53, 63, 64] {
        let power = 2f64.powi(exponent);
        values.extend([power, power - 0.5, power + 0.5, power - 1.0, power + 1.0]);
        values.extend([power.next_down(), power.next_up(), (power as f32).next_down() as f64]);
    }
    // NaNs with payloads, quiet and signalling.
    values.extend([0x7ff8_0000_1234_5678, 0x7ff0_0000_0000_0001, 0x7ff4_0000_0000_0000].map(f64::from_bits));
    let negative: Vec<f64> = values.iter().map(|v| -v).collect();
    values.extend(negative);
    let constant = |v| {
        if ty == Type::F64 { Const::f64(v) } else { Const::f32(v as f32) }
    };
    let mut edges: Vec<Const> = values.into_iter().map(constant).collect();
    edges.sort();
    edges.dedup();
    edges
}

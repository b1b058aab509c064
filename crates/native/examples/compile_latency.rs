//! How long compiling takes, and how fast the code is.
//!
//! `cargo run --release -p volvelle-native --example compile_latency [N …]`
//!
//! First a small kernel, a product of a sparse matrix and a vector; then, for each N, a kernel shaped like a
//! next-state function. It reads packed states of twelve 5-bit fields, decodes them, and runs through N guarded commands:
//! a guard of three comparisons, one or two outcomes that assign two fields with range checks, encode the
//! state again and emit it with the command's number and a probability. Reported per configuration: the time
//! to compile, and states and successors per second on random states.

use std::io::Write;
use std::time::{Duration, Instant};
use volvelle_kernel::{
    Access, BinaryOp, BufferMut, CheckedOp, Code, Compiler, Exit, ExprId, FailKind, Kernel, Local, Stmt, Type,
};
use volvelle_native::{Allocator, Native, OptLevel, Options};

const FIELDS: usize = 12;
const FIELD_BITS: u64 = 5;
const STATES: usize = 1 << 12;
/// The number of commands beyond which optimising takes minutes.
const LARGEST_OPTIMISED: usize = 500;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10, 100, 1000, 5000] } else { sizes };
    let mut out = std::io::stdout().lock();
    writeln!(out, "sparse product  optimise  allocator     verify  compile ms   Mnonzeros/s").unwrap();
    let kernel = sparse_product();
    for options in every_option() {
        let native = Native::new(options).expect("a supported host");
        let (compile, code) = fastest(20, || timed(|| native.compile(&kernel).expect("it compiles")));
        let (run, nonzeros) = fastest(20, || multiply(&*code));
        let speed = nonzeros as f64 / run.as_secs_f64() / 1e6;
        writeln!(out, "                {}  {:12.1}", described(options, compile), speed).unwrap();
    }
    writeln!(out, "\n      commands  optimise  allocator     verify  compile ms  Mstates/s  Msuccessors/s")
        .unwrap();
    for commands in sizes {
        let kernel = next_states(commands);
        for options in every_option() {
            if commands > LARGEST_OPTIMISED && options.opt_level == OptLevel::Speed {
                continue;
            }
            let native = Native::new(options).expect("a supported host");
            let times = if commands < 1000 { 9 } else { 1 };
            let (compile, code) = fastest(times, || timed(|| native.compile(&kernel).expect("it compiles")));
            let (run, successors) = fastest(9, || explore(&*code, commands));
            let (states, successors) = (STATES as f64, successors as f64);
            writeln!(
                out,
                "{commands:14}  {}  {:9.2}  {:13.1}",
                described(options, compile),
                states / run.as_secs_f64() / 1e6,
                successors / run.as_secs_f64() / 1e6,
            )
            .unwrap();
        }
    }
}

fn every_option() -> Vec<Options> {
    let mut all = Vec::new();
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            for verify_ir in [false, true] {
                all.push(Options { opt_level, allocator, verify_ir, ..Options::default() });
            }
        }
    }
    all.push(Options { verify_ir: false, ..Options::default() });
    all
}

fn described(options: Options, compile: Duration) -> String {
    format!(
        "{:8}  {:12}  {:6}  {:10.2}",
        format!("{:?}", options.opt_level),
        format!("{:?}", options.allocator),
        options.verify_ir,
        compile.as_secs_f64() * 1e3
    )
}

/// The shortest of several times that an action says it took, and its last result.
fn fastest<T>(times: usize, mut action: impl FnMut() -> (Duration, T)) -> (Duration, T) {
    let (mut shortest, mut last) = action();
    for _ in 1..times {
        let (time, result) = action();
        (shortest, last) = (shortest.min(time), result);
    }
    (shortest, last)
}

fn timed<T>(action: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = action();
    (start.elapsed(), result)
}

/// Runs the kernel on random states; gives the number of successors.
fn explore(code: &dyn Code, commands: usize) -> (Duration, usize) {
    let mut random = Random(1);
    let states: Vec<u64> =
        (0..STATES).map(|_| random.next() & ((1 << (FIELDS as u64 * FIELD_BITS)) - 1)).collect();
    let room = STATES * (commands / 4 + 16);
    let (mut successors, mut labels, mut weights, mut ends) = (
        Vec::<u64>::with_capacity(room),
        Vec::<u32>::with_capacity(room),
        Vec::<f64>::with_capacity(room),
        Vec::<u64>::with_capacity(STATES),
    );
    let (time, exit) = timed(|| {
        code.run(
            &[],
            &mut [
                BufferMut::ReadU64(&states),
                BufferMut::AppendU64(&mut successors),
                BufferMut::AppendU32(&mut labels),
                BufferMut::AppendF64(&mut weights),
                BufferMut::AppendU64(&mut ends),
            ],
        )
    });
    assert_eq!(exit, Exit::Done);
    (time, successors.len())
}

/// The kernel with `commands` commands.
fn next_states(commands: usize) -> Kernel {
    let mut random = Random(42);
    let mut k = Kernel::new("next_states");
    let states = k.buffer("states", Type::U64, Access::Read);
    let successors = k.buffer("successors", Type::U64, Access::Append);
    let labels = k.buffer("labels", Type::U32, Access::Append);
    let weights = k.buffer("weights", Type::F64, Access::Append);
    let ends = k.buffer("ends", Type::U64, Access::Append);
    let i = k.local("i", Type::U64);
    let state = k.local("state", Type::U64);
    let fields: Vec<Local> = (0..FIELDS).map(|f| k.local(format!("x{f}"), Type::I64)).collect();

    let index = k.get(i);
    let value = k.exprs.load(states, Type::U64, index);
    let mut body = vec![Stmt::Set { local: state, value }];
    for (f, &field) in fields.iter().enumerate() {
        let word = k.get(state);
        let (shift, mask) = (k.exprs.u64(f as u64 * FIELD_BITS), k.exprs.u64((1 << FIELD_BITS) - 1));
        let shifted = k.exprs.binary(BinaryOp::Shr, word, shift);
        let bits = k.exprs.binary(BinaryOp::BitAnd, shifted, mask);
        let value = k.exprs.convert(Type::I64, bits);
        body.push(Stmt::Set { local: field, value });
    }
    for command in 0..commands {
        let mut guard = None;
        for op in [BinaryOp::Eq, BinaryOp::Lt, BinaryOp::Ge] {
            let field = k.get(fields[random.below(FIELDS)]);
            let bound = k.exprs.i64(random.below(1 << FIELD_BITS) as i64);
            let test = k.exprs.binary(op, field, bound);
            guard = Some(guard.map_or(test, |g| k.exprs.and(g, test)));
        }
        let cond = guard.expect("three comparisons");
        let mut then = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (first, second) = (random.below(FIELDS), random.below(FIELDS - 1));
            let mut word = k.get(state);
            for f in [first, if second < first { second } else { second + 1 }] {
                word = assign(&mut k, word, &fields, f, &mut random);
            }
            then.push(Stmt::Emit { buffer: successors, value: word });
            let value = k.exprs.constant(volvelle_kernel::Const::int(Type::U32, command as i64));
            then.push(Stmt::Emit { buffer: labels, value });
            let value = k.exprs.f64(0.5);
            then.push(Stmt::Emit { buffer: weights, value });
        }
        body.push(Stmt::If { cond, then, otherwise: Vec::new() });
    }
    let value = k.exprs.add(volvelle_kernel::Node::Len(successors));
    body.push(Stmt::Emit { buffer: ends, value });
    let (from, to) = (k.exprs.u64(0), k.exprs.add(volvelle_kernel::Node::Len(states)));
    k.body = vec![Stmt::For { local: i, from, to, body }];
    k
}

/// `word` with field `f` set to another field plus or minus a little, which is clamped and must then be in
/// its range.
fn assign(k: &mut Kernel, word: ExprId, fields: &[Local], f: usize, random: &mut Random) -> ExprId {
    let overflow = k.site(FailKind::Overflow, 0);
    let range = k.site(FailKind::Range, 0);
    let max = (1i64 << FIELD_BITS) - 1;
    let old = k.get(fields[random.below(FIELDS)]);
    let step = k.exprs.i64(1 + random.below(3) as i64);
    let op = if random.below(2) == 0 { CheckedOp::Add } else { CheckedOp::Sub };
    let moved = k.exprs.checked(op, old, step, overflow);
    let (low, high) = (k.exprs.i64(0), k.exprs.i64(max));
    let raised = k.exprs.binary(BinaryOp::Max, moved, low);
    let clamped = k.exprs.binary(BinaryOp::Min, raised, high);
    let arg = k.exprs.add(volvelle_kernel::Node::Range { arg: clamped, lo: 0, hi: max, site: range });
    let bits = k.exprs.convert(Type::U64, arg);
    let offset = f as u64 * FIELD_BITS;
    let (shift, mask) = (k.exprs.u64(offset), k.exprs.u64(!((max as u64) << offset)));
    let placed = k.exprs.binary(BinaryOp::Shl, bits, shift);
    let cleared = k.exprs.binary(BinaryOp::BitAnd, word, mask);
    k.exprs.binary(BinaryOp::BitOr, cleared, placed)
}

/// `y := A x` for a matrix in compressed rows.
fn sparse_product() -> Kernel {
    let mut k = Kernel::new("sparse_product");
    let starts = k.buffer("starts", Type::U64, Access::Read);
    let columns = k.buffer("columns", Type::U32, Access::Read);
    let values = k.buffer("values", Type::F64, Access::Read);
    let x = k.buffer("x", Type::F64, Access::Read);
    let y = k.buffer("y", Type::F64, Access::Write);
    let (row, entry) = (k.local("row", Type::U64), k.local("entry", Type::U64));
    let sum = k.local("sum", Type::F64);
    let (i, j, total) = (k.get(row), k.get(entry), k.get(sum));
    let (zero, one, nought) = (k.exprs.u64(0), k.exprs.u64(1), k.exprs.f64(0.0));
    let column = k.exprs.load(columns, Type::U32, j);
    let column = k.exprs.convert(Type::U64, column);
    let (factor, element) = (k.exprs.load(values, Type::F64, j), k.exprs.load(x, Type::F64, column));
    let product = k.exprs.binary(BinaryOp::Mul, factor, element);
    let value = k.exprs.binary(BinaryOp::Add, total, product);
    let next = k.exprs.binary(BinaryOp::Add, i, one);
    let (from, to) = (k.exprs.load(starts, Type::U64, i), k.exprs.load(starts, Type::U64, next));
    let rows = k.exprs.add(volvelle_kernel::Node::Len(y));
    let body = vec![
        Stmt::Set { local: sum, value: nought },
        Stmt::For { local: entry, from, to, body: vec![Stmt::Set { local: sum, value }] },
        Stmt::Store { buffer: y, index: i, value: total },
    ];
    k.body = vec![Stmt::For { local: row, from: zero, to: rows, body }];
    k
}

/// Runs the product on a matrix of 4,096 rows with 16 elements each; gives the number of elements.
fn multiply(code: &dyn Code) -> (Duration, usize) {
    const ROWS: usize = 4096;
    let mut random = Random(1);
    let starts: Vec<u64> = (0..=ROWS as u64).map(|row| row * 16).collect();
    let columns: Vec<u32> = (0..ROWS * 16).map(|_| random.below(ROWS) as u32).collect();
    let (values, x, mut y) = (vec![0.5; columns.len()], vec![2.0; ROWS], vec![0.0; ROWS]);
    let (time, exit) = timed(|| {
        code.run(
            &[],
            &mut [
                BufferMut::ReadU64(&starts),
                BufferMut::ReadU32(&columns),
                BufferMut::ReadF64(&values),
                BufferMut::ReadF64(&x),
                BufferMut::F64(&mut y),
            ],
        )
    });
    assert_eq!((exit, y[ROWS - 1]), (Exit::Done, 16.0));
    (time, columns.len())
}

/// SplitMix64: the same kernels and states on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

//! Kernels that are long, deep, shared, or many: nothing overflows the stack, explodes or leaks; what is not supported is
//! refused.

use std::sync::Arc;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::verify::{MAX_BLOCK_NESTING, MAX_NESTING};
use volvelle_kernel::{
    Access, BinaryOp, Block, BufferMut, CheckedOp, Code, Compiler, Const, Exit, ExprId, FailKind, Kernel,
    Local, Stmt, Type,
};
use volvelle_vector::{Level, Vector};

const LANES: usize = 128;

fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}

/// A kernel that stores one `i64` per lane, computed from the number of the lane and the parameter `x`.
fn store(build: impl FnOnce(&mut Kernel, ExprId, ExprId) -> ExprId) -> Kernel {
    let mut k = Kernel::new("k");
    let lane = k.param("lane", Type::U64);
    let x = k.param("x", Type::I64);
    let out = k.buffer("out", Type::I64, Access::Write);
    let index = k.get(lane);
    let signed = k.exprs.convert(Type::I64, index);
    let x = k.get(x);
    let value = build(&mut k, signed, x);
    k.body.push(Stmt::Store { buffer: out, index, value });
    k
}

fn run(code: &dyn Code, width: usize, x: i64) -> (Exit, Vec<i64>) {
    let mut out = vec![0; LANES];
    for lane in (0..LANES).step_by(width) {
        let exit = code.run(&[Const::u64(lane as u64), Const::i64(x)], &mut [BufferMut::I64(&mut out)]);
        if exit != Exit::Done {
            return (exit, out);
        }
    }
    (Exit::Done, out)
}

/// Compiles for every level, on a thread with a small stack; runs and compares with the interpreter.
fn check(kernel: Kernel, xs: &[i64]) {
    let xs = xs.to_vec();
    let work = move || {
        let interpreted = Interpreter.compile(&kernel).unwrap();
        for level in levels() {
            let code = Vector::new(level).compile(&kernel).unwrap_or_else(|e| panic!("{level:?}: {e}"));
            for &x in &xs {
                let (expected, found) = (run(&*interpreted, 1, x), run(&code, code.lanes(), x));
                assert_eq!(found.0, expected.0, "{level:?}, {x}");
                if expected.0 == Exit::Done {
                    assert_eq!(found.1, expected.1, "{level:?}, {x}");
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

fn refused(kernel: &Kernel) -> String {
    let errors: Vec<String> = levels()
        .map(|level| Vector::new(level).compile(kernel).err().expect("it is refused").to_string())
        .collect();
    assert!(errors.iter().all(|e| *e == errors[0]));
    errors[0].clone()
}

#[test]
fn long_chains_to_the_left() {
    let kernel = store(|k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        (0..5_000).fold(x, |sum, _| k.exprs.checked(CheckedOp::Add, sum, lane, site))
    });
    check(kernel, &[3, i64::MAX - 5]);
}

#[test]
fn deep_nesting_to_the_right() {
    let kernel = store(|k, lane, x| {
        let deep = (1..MAX_NESTING).fold(x, |inner, _| k.exprs.binary(BinaryOp::Sub, lane, inner));
        assert_eq!(k.exprs.nesting(deep), MAX_NESTING - 1);
        deep
    });
    check(kernel, &[5]);
}

#[test]
fn deep_lazy_choices() {
    let kernel = store(|k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        let mut value = x;
        for i in 1..MAX_NESTING as i64 / 2 {
            let bound = k.exprs.i64(i);
            let cond = k.exprs.binary(BinaryOp::Lt, lane, bound);
            let other = k.exprs.checked(CheckedOp::Add, x, bound, site);
            value = k.exprs.select(cond, other, value);
        }
        value
    });
    check(kernel, &[17]);
}

#[test]
fn sharing_does_not_multiply_the_code() {
    // 2^60 paths, 60 nodes.
    let kernel = store(|k, lane, x| {
        let site = k.site(FailKind::Overflow, 0);
        let start = k.exprs.binary(BinaryOp::BitAnd, lane, x);
        (0..60).fold(start, |sum, _| k.exprs.checked(CheckedOp::Add, sum, sum, site))
    });
    check(kernel, &[1]);
}

#[test]
fn sharing_across_lazy_operands_is_refused_where_it_explodes() {
    let kernel = |levels: i64| {
        store(|k, lane, x| {
            let site = k.site(FailKind::Overflow, 0);
            (0..levels).fold(x, |inner, i| {
                let (bound, one) = (k.exprs.i64(i), k.exprs.i64(1));
                let cond = k.exprs.binary(BinaryOp::Lt, lane, bound);
                let yes = k.exprs.checked(CheckedOp::Add, inner, one, site);
                let no = k.exprs.checked(CheckedOp::Sub, inner, one, site);
                k.exprs.select(cond, yes, no)
            })
        })
    };
    check(kernel(6), &[3]);
    assert!(refused(&kernel(64)).contains("too large"));
}

#[test]
fn deep_blocks() {
    let mut kernel = store(|_, _, x| x);
    let (lane, x) = (kernel.get(Local(0)), kernel.get(Local(1)));
    let mut block: Block = std::mem::take(&mut kernel.body);
    for level in 1..MAX_BLOCK_NESTING {
        block = if level % 7 == 0 {
            let counter = kernel.local(format!("i{level}"), Type::U8);
            let (from, to) = (
                kernel.exprs.constant(Const::int(Type::U8, 0)),
                kernel.exprs.constant(Const::int(Type::U8, 1)),
            );
            vec![Stmt::For { local: counter, from, to, body: block }]
        } else if level % 2 == 0 {
            let bound = kernel.exprs.i64(level as i64);
            let cond = kernel.exprs.binary(BinaryOp::Lt, x, bound);
            vec![Stmt::If { cond, then: block, otherwise: vec![Stmt::Return] }]
        } else {
            let bound = kernel.exprs.u64(level as u64 / 4);
            let cond = kernel.exprs.binary(BinaryOp::Ne, lane, bound);
            vec![Stmt::If { cond, then: block, otherwise: vec![Stmt::Return] }]
        };
    }
    kernel.body = block;
    check(kernel, &[0, -5, 400]);
}

#[test]
fn many_cases() {
    let mut kernel = store(|_, _, x| x);
    let (lane, x) = (kernel.get(Local(0)), kernel.get(Local(1)));
    let lane = kernel.exprs.convert(Type::I64, lane);
    let on = kernel.exprs.binary(BinaryOp::Add, lane, x);
    let mut cases = Vec::new();
    for key in 0..1000i64 {
        let value = kernel.exprs.i64(key * 3);
        // Dense, sparse, negative, extreme.
        let at = match key % 4 {
            0 => key,
            1 => key << 40,
            2 => -key,
            _ => i64::MIN + key,
        };
        cases.push((at, vec![Stmt::Set { local: Local(1), value }]));
    }
    kernel.body.insert(0, Stmt::Switch { on, cases, default: Vec::new() });
    check(kernel, &[400, 401 << 40, -402, i64::MIN, 401, -1000]);
}

#[test]
fn more_values_than_registers() {
    // Sums that all are needed at the end; masks that all are needed at the end.
    let kernel = store(|k, lane, x| {
        let terms: Vec<ExprId> = (0..300)
            .map(|i| {
                let factor = k.exprs.i64(i * 77 + 1);
                let product = k.exprs.binary(BinaryOp::Mul, lane, factor);
                k.exprs.binary(BinaryOp::BitXor, product, x)
            })
            .collect();
        let conditions: Vec<ExprId> =
            terms.iter().map(|&term| k.exprs.binary(BinaryOp::Lt, term, x)).collect();
        let sum = terms.iter().rev().fold(lane, |sum, &term| k.exprs.binary(BinaryOp::Add, sum, term));
        conditions.iter().rev().fold(sum, |sum, &cond| {
            let changed = k.exprs.binary(BinaryOp::BitXor, sum, x);
            k.exprs.select(cond, changed, sum)
        })
    });
    check(kernel, &[9, -4, 1 << 50]);
}

#[test]
fn too_much_is_refused() {
    let kernel = store(|k, lane, x| {
        (0..300_000).fold(x, |sum, i| {
            let term = k.exprs.i64(i);
            let product = k.exprs.binary(BinaryOp::Mul, lane, term);
            k.exprs.binary(BinaryOp::Add, sum, product)
        })
    });
    assert!(refused(&kernel).contains("too large"));
}

#[test]
fn what_is_not_supported_is_refused() {
    let mut invalid = store(|_, _, x| x);
    invalid.body.push(Stmt::Break);
    assert!(refused(&invalid).contains("not valid"));
    let mut growing = store(|_, _, x| x);
    growing.buffer("more", Type::I64, Access::Append);
    assert!(refused(&growing).contains("grow"));
    let mut other = Kernel::new("k");
    assert!(refused(&other).contains("first parameter"));
    other.param("lane", Type::I64);
    assert!(refused(&other).contains("first parameter"));
}

#[test]
#[should_panic(expected = "buffers do not match")]
fn buffers_of_another_type_are_refused() {
    let code = Vector::new(Level::best()).compile(&store(|_, _, x| x)).unwrap();
    let _ = code.run(&[Const::u64(1), Const::i64(1)], &mut [BufferMut::F64(&mut [0.0])]);
}

#[test]
#[should_panic(expected = "parameters do not match")]
fn parameters_of_another_type_are_refused() {
    let code = Vector::new(Level::best()).compile(&store(|_, _, x| x)).unwrap();
    let _ = code.run(&[Const::u64(1), Const::u64(1)], &mut [BufferMut::I64(&mut [0])]);
}

#[test]
fn one_code_runs_on_several_threads() {
    for level in levels() {
        let kernel = store(|k, lane, x| k.exprs.binary(BinaryOp::Mul, lane, x));
        let code = Arc::new(Vector::new(level).compile(&kernel).unwrap());
        let threads: Vec<_> = (0..4i64)
            .map(|t| {
                let code = Arc::clone(&code);
                std::thread::spawn(move || {
                    (0..100).all(|i| {
                        let expected: Vec<i64> = (0..LANES as i64).map(|lane| lane * t * i).collect();
                        run(&*code, code.lanes(), t * i) == (Exit::Done, expected)
                    })
                })
            })
            .collect();
        drop(code);
        assert!(threads.into_iter().all(|t| t.join().unwrap()));
    }
}

/// Bytes of the process's executable memory that belongs to no file.
#[cfg(target_os = "linux")]
fn code_bytes() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let size = |range: &str| {
        let (from, to) = range.split_once('-')?;
        usize::from_str_radix(to, 16).ok()?.checked_sub(usize::from_str_radix(from, 16).ok()?)
    };
    maps.lines()
        .filter_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [range, "r-xp", _, _, "0"] => size(range),
            _ => None,
        })
        .sum()
}

#[test]
#[cfg(target_os = "linux")]
fn dropping_code_gives_its_memory_back() {
    if Level::best() == Level::Portable {
        return;
    }
    let kernel = |i: i64| store(|k, _, _| k.exprs.i64(i));
    let compile = |i| Vector::new(Level::best()).compile(&kernel(i)).unwrap();
    let kept: Vec<_> = (0..300).map(compile).collect();
    assert!(code_bytes() >= 300 * 4096, "the test sees the code: {} bytes", code_bytes());
    drop(kept);
    for i in 0..2000 {
        let code = compile(i);
        assert_eq!(run(&code, code.lanes(), 0), (Exit::Done, vec![i; LANES]));
    }
    // Other tests of this process hold some code at the same time.
    assert!(code_bytes() < 2000 * 4096, "{} bytes", code_bytes());
}

//! Kernels that are long, deep, shared, or many: nothing overflows the stack, explodes or leaks.

use crate::support::configurations;
use std::sync::Arc;
use volvelle_kernel::verify::{MAX_BLOCK_NESTING, MAX_NESTING};
use volvelle_kernel::{
    Access, BinaryOp, Block, BufferMut, CheckedOp, Code, Compiler, Const, Exit, ExprId, FailKind, Kernel,
    Local, Stmt, Type,
};
use volvelle_native::{Allocator, Native, Options};

/// A kernel that stores one `i64` computed from its parameter `x`.
fn store(build: impl FnOnce(&mut Kernel, ExprId) -> ExprId) -> Kernel {
    let mut k = Kernel::new("k");
    let x = k.param("x", Type::I64);
    let out = k.buffer("out", Type::I64, Access::Write);
    let x = k.get(x);
    let value = build(&mut k, x);
    let index = k.exprs.u64(0);
    k.body.push(Stmt::Store { buffer: out, index, value });
    k
}

fn run(code: &dyn Code, x: i64) -> (Exit, i64) {
    let mut out = [0];
    let exit = code.run(&[Const::i64(x)], &mut [BufferMut::I64(&mut out)]);
    (exit, out[0])
}

/// Compiles in every configuration, on a thread with a small stack; runs on arguments with what they must give.
fn check<const N: usize>(kernel: Kernel, expected: [(i64, Exit, i64); N]) {
    let work = move || {
        for (configuration, native) in configurations() {
            let code = native.compile(&kernel).unwrap_or_else(|e| panic!("{configuration}: {e}"));
            for (x, exit, stored) in expected {
                assert_eq!(run(&*code, x), (exit, stored), "{configuration}, {x}");
            }
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn long_chains_to_the_left() {
    let kernel = store(|k, x| {
        let site = k.site(FailKind::Overflow, 0);
        (0..10_000).fold(x, |sum, _| k.exprs.checked(CheckedOp::Add, sum, x, site))
    });
    check(kernel, [(3, Exit::Done, 30_003)]);
}

#[test]
fn deep_nesting_to_the_right() {
    let kernel = store(|k, x| {
        let two = k.exprs.i64(2);
        let deep = (1..MAX_NESTING).fold(x, |inner, _| k.exprs.binary(BinaryOp::Sub, two, inner));
        assert_eq!(k.exprs.nesting(deep), MAX_NESTING - 1);
        deep
    });
    check(kernel, [(5, Exit::Done, -3)]);
}

#[test]
fn deep_lazy_choices() {
    let kernel = store(|k, x| {
        let site = k.site(FailKind::Overflow, 0);
        let mut value = x;
        for i in 1..MAX_NESTING as i64 / 2 {
            let bound = k.exprs.i64(i);
            let cond = k.exprs.binary(BinaryOp::Lt, x, bound);
            let other = k.exprs.checked(CheckedOp::Add, x, bound, site);
            value = k.exprs.select(cond, other, value);
        }
        value
    });
    check(kernel, [(17, Exit::Done, 17 + MAX_NESTING as i64 / 2 - 1)]);
}

#[test]
fn long_conditions() {
    let kernel = store(|k, x| {
        let site = k.site(FailKind::Overflow, 0);
        let mut all = k.exprs.bool(true);
        for i in 0..3000 {
            let bound = k.exprs.i64(i);
            let moved = k.exprs.checked(CheckedOp::Add, x, bound, site);
            let test = k.exprs.binary(BinaryOp::Ge, moved, bound);
            all = k.exprs.and(all, test);
        }
        k.exprs.convert(Type::I64, all)
    });
    check(
        kernel,
        [(1, Exit::Done, 1), (-1, Exit::Done, 0), (i64::MAX, Exit::Failed(volvelle_kernel::Site(0)), 0)],
    );
}

#[test]
fn sharing_does_not_multiply_the_code() {
    // 2^60 paths, 60 nodes.
    let kernel = store(|k, x| {
        let site = k.site(FailKind::Overflow, 0);
        (0..60).fold(x, |sum, _| k.exprs.checked(CheckedOp::Add, sum, sum, site))
    });
    check(kernel, [(1, Exit::Done, 1 << 60)]);
}

#[test]
fn sharing_across_lazy_operands_is_refused_where_it_explodes() {
    let kernel = |levels: i64| {
        store(|k, x| {
            let site = k.site(FailKind::Overflow, 0);
            (0..levels).fold(x, |inner, i| {
                let (bound, one) = (k.exprs.i64(i), k.exprs.i64(1));
                let cond = k.exprs.binary(BinaryOp::Lt, x, bound);
                let yes = k.exprs.checked(CheckedOp::Add, inner, one, site);
                let no = k.exprs.checked(CheckedOp::Sub, inner, one, site);
                k.exprs.select(cond, yes, no)
            })
        })
    };
    check(kernel(6), [(3, Exit::Done, 3 - 4 + 2)]);
    let native = Native::new(Options::default()).unwrap();
    let refused = native.compile(&kernel(64)).err().expect("2^64 instructions");
    assert!(refused.0.contains("too large"), "{refused}");
}

#[test]
fn deep_blocks() {
    let mut kernel = store(|_, x| x);
    let x = kernel.get(Local(0));
    let mut block: Block = std::mem::take(&mut kernel.body);
    for level in 1..MAX_BLOCK_NESTING {
        block = if level % 11 == 0 {
            let counter = kernel.local(format!("m{level}"), Type::I64);
            let (from, to, start) =
                (kernel.exprs.i64(0), kernel.exprs.i64(9), kernel.exprs.constant(Const::int(Type::U32, 1)));
            let blocks = vec![block, vec![Stmt::Goto { block: 0 }]];
            vec![Stmt::Machine { local: counter, from, to, start, blocks }]
        } else if level % 7 == 0 {
            let counter = kernel.local(format!("i{level}"), Type::U8);
            let (from, to) = (
                kernel.exprs.constant(Const::int(Type::U8, 0)),
                kernel.exprs.constant(Const::int(Type::U8, 1)),
            );
            vec![Stmt::For { local: counter, from, to, body: block }]
        } else {
            let bound = kernel.exprs.i64(level as i64);
            let cond = kernel.exprs.binary(BinaryOp::Lt, x, bound);
            vec![Stmt::If { cond, then: block, otherwise: vec![Stmt::Return] }]
        };
    }
    kernel.body = block;
    check(kernel, [(0, Exit::Done, 0), (-5, Exit::Done, -5), (400, Exit::Done, 0)]);
}

#[test]
fn many_cases() {
    let mut kernel = store(|_, x| x);
    let x = kernel.get(Local(0));
    let mut cases = Vec::new();
    for key in 0..2000i64 {
        let value = kernel.exprs.i64(key * 3);
        // Dense, sparse, negative, extreme.
        let at = match key % 4 {
            0 => key,
            1 => key << 40,
            2 => -key,
            _ => i64::MIN + key,
        };
        cases.push((at, vec![Stmt::Set { local: Local(0), value }]));
    }
    kernel.body.insert(0, Stmt::Switch { on: x, cases, default: Vec::new() });
    check(
        kernel,
        [
            (400, Exit::Done, 1200),
            (401 << 40, Exit::Done, 1203),
            (-402, Exit::Done, 1206),
            (i64::MIN + 403, Exit::Done, 1209),
            (401, Exit::Done, 401),
        ],
    );
}

/// Steps through 600 blocks, of which each has two that it may go to.
#[test]
fn many_control_locations() {
    const BLOCKS: u32 = 600;
    let mut kernel = store(|_, x| x);
    let store = kernel.body.pop().unwrap();
    let steps = kernel.local("steps", Type::I32);
    let x = kernel.get(Local(0));
    let mut blocks = Vec::new();
    for block in 0..BLOCKS {
        let (factor, added, one) = (
            kernel.exprs.i64(6364136223846793005),
            kernel.exprs.i64(block.into()),
            kernel.exprs.i64(1 << 40),
        );
        let product = kernel.exprs.binary(BinaryOp::Mul, x, factor);
        let value = kernel.exprs.binary(BinaryOp::Add, product, added);
        let bit = kernel.exprs.binary(BinaryOp::BitAnd, x, one);
        let cond = kernel.exprs.binary(BinaryOp::Eq, bit, one);
        let then = vec![Stmt::Goto { block: (block * 7 + 1) % BLOCKS }];
        let otherwise = vec![Stmt::Goto { block: (block + 1) % BLOCKS }];
        blocks.push(vec![Stmt::Set { local: Local(0), value }, Stmt::If { cond, then, otherwise }]);
    }
    let mut int = |ty, value| kernel.exprs.constant(Const::int(ty, value));
    let (from, to, start) = (int(Type::I32, -5), int(Type::I32, 3000), int(Type::U32, 17));
    kernel.body = vec![Stmt::Machine { local: steps, from, to, start, blocks }, store];
    let interpreted = volvelle_kernel::interp::Interpreter.compile(&kernel).unwrap();
    let expected = [3, -70_000_000_000_123].map(|x| {
        let (exit, stored) = run(&*interpreted, x);
        (x, exit, stored)
    });
    assert_ne!(expected[0].2, expected[1].2);
    check(kernel, expected);
}

#[test]
fn a_large_kernel_runs_on_a_small_stack() {
    // Statements that keep 100 values alive: a place of its own in the frame for each would take 550 KB.
    let mut kernel = store(|_, x| x);
    let store = kernel.body.pop().unwrap();
    let x = kernel.get(Local(0));
    for statement in 0..800 {
        let value = (0..100).fold(x, |inner, i| {
            let factor = kernel.exprs.i64(statement * 1000 + i);
            let product = kernel.exprs.binary(BinaryOp::Mul, x, factor);
            kernel.exprs.binary(BinaryOp::Sub, product, inner)
        });
        kernel.body.push(Stmt::Set { local: Local(0), value });
    }
    kernel.body.push(store);
    let expected = run(&*volvelle_kernel::interp::Interpreter.compile(&kernel).unwrap(), 9);
    let work = move || {
        for allocator in [Allocator::Backtracking, Allocator::SinglePass] {
            let native = Native::new(Options { allocator, ..Options::default() }).unwrap();
            assert_eq!(run(&*native.compile(&kernel).unwrap(), 9), expected, "{allocator:?}");
        }
    };
    std::thread::Builder::new().stack_size(400 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn invalid_kernels_are_refused() {
    let mut kernel = Kernel::new("k");
    kernel.body.push(Stmt::Break);
    let refused =
        Native::new(Options::default()).unwrap().compile(&kernel).err().expect("a break outside of loops");
    assert!(refused.0.contains("not valid"), "{refused}");
}

#[test]
#[should_panic(expected = "buffer out is declared i64 Write, but lent f64 Write")]
fn buffers_of_another_type_are_refused() {
    let native = Native::new(Options::default()).unwrap();
    let code = native.compile(&store(|_, x| x)).unwrap();
    let _ = code.run(&[Const::i64(1)], &mut [BufferMut::F64(&mut [0.0])]);
}

#[test]
#[should_panic(expected = "type of parameter 0")]
fn parameters_of_another_type_are_refused() {
    let native = Native::new(Options::default()).unwrap();
    let code = native.compile(&store(|_, x| x)).unwrap();
    let _ = code.run(&[Const::u64(1)], &mut [BufferMut::I64(&mut [0])]);
}

#[test]
fn one_code_runs_on_several_threads() {
    let native = Native::new(Options::default()).unwrap();
    let kernel = store(|k, x| k.exprs.binary(BinaryOp::Mul, x, x));
    let code: Arc<dyn Code> = Arc::from(native.compile(&kernel).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|t| {
            let code = Arc::clone(&code);
            std::thread::spawn(move || (0..1000).all(|i| run(&*code, t * i) == (Exit::Done, t * t * i * i)))
        })
        .collect();
    drop(code);
    assert!(threads.into_iter().all(|t| t.join().unwrap()));
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
    let native = Native::new(Options::default()).unwrap();
    let kernel = |i: i64| store(|k, _| k.exprs.i64(i));
    let kept: Vec<_> = (0..300).map(|i| native.compile(&kernel(i)).unwrap()).collect();
    assert!(kept.iter().enumerate().all(|(i, code)| run(&**code, 0) == (Exit::Done, i as i64)));
    assert!(code_bytes() >= 300 * 4096, "the test sees the code: {} bytes", code_bytes());
    drop(kept);
    for i in 0..3000 {
        let code = native.compile(&kernel(i)).unwrap();
        assert_eq!(run(&*code, 0), (Exit::Done, i));
    }
    // Other tests of this process hold some code at the same time.
    assert!(code_bytes() < 3000 * 4096, "{} bytes", code_bytes());
}

//! Streams in kernels draw what the plain ones draw, bit for bit, on every back end.

use crate::support::{self, Cases, back_ends, drawing, run};
use volvelle_kernel::verify::verify;
use volvelle_kernel::{Const, Kernel, Local, Stmt, Type};
use volvelle_streams::plain::PlainStream;
use volvelle_streams::{Generator, Stream};

/// Seeds and paths: small, neighbouring, large, and the one whose state would be zero.
fn beginnings() -> Vec<(u64, u64)> {
    let mut cases = Cases(5);
    let mut all =
        vec![(0, 0), (0, 1), (1, 0), (u64::MAX, u64::MAX), (0x9e37_79b9_7f4a_7c15u64.wrapping_neg(), 0)];
    all.extend((0..5).map(|_| (cases.bits(), cases.bits() >> 20)));
    all
}

/// Compares `count` draws for all generators and back ends.
fn agree(ty: Type, count: usize, draw: support::Draw<'_>, plain: &dyn Fn(&mut PlainStream) -> Const) {
    for generator in Generator::ALL {
        let kernel = drawing(generator, ty, draw);
        assert_eq!(verify(&kernel), Ok(()));
        for back_end in back_ends() {
            // The interpreter takes its time.
            let count = if back_end.name() == "interpreter" { count.min(100) } else { count };
            for (seed, path) in beginnings() {
                let mut stream = PlainStream::new(generator, seed, path);
                let expected: Vec<Const> = (0..count).map(|_| plain(&mut stream)).collect();
                let found = run(&*back_end, &kernel, seed, path, count);
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{generator}, {}, {seed}, {path}", back_end.name());
                assert_eq!(found.len(), count);
            }
        }
    }
}

fn u32_of(value: u32) -> Const {
    Const::int(Type::U32, i64::from(value))
}

#[test]
fn bits() {
    agree(Type::U32, 2000, &|s, k, into| s.bits32(k, into), &|s| u32_of(s.bits32()));
    agree(Type::U64, 2000, &|s, k, into| s.bits64(k, into), &|s| Const::u64(s.bits64()));
}

#[test]
fn floats() {
    agree(Type::F64, 2000, &|s, k, into| s.unit(k, into), &|s| Const::f64(s.unit()));
    agree(Type::F64, 5000, &|s, k, into| s.exponential(k, into), &|s| Const::f64(s.exponential()));
}

const TOTALS: [u64; 16] = [
    1,
    2,
    3,
    6,
    100,
    1 << 20,
    0x7fff_ffff,
    1 << 31,
    (1 << 31) + 1,
    3_000_000_000,
    u32::MAX as u64,
    1 << 32,
    (1 << 32) + 1,
    6_148_914_691_236_517_205,
    (1 << 62) + 1,
    (1 << 63) - 1,
];

#[test]
fn below_constants() {
    for total in TOTALS {
        if let Ok(narrow) = u32::try_from(total) {
            let constant = u32_of(narrow);
            let draw = |s: &Stream, k: &mut Kernel, into| {
                let total = k.exprs.constant(constant);
                s.below32(k, total, into)
            };
            agree(Type::U32, 500, &draw, &|s| u32_of(s.below32(narrow)));
        }
        let draw = |s: &Stream, k: &mut Kernel, into| {
            let total = k.exprs.u64(total);
            s.below64(k, total, into)
        };
        agree(Type::U64, 500, &draw, &|s| Const::u64(s.below64(total)));
    }
}

/// A total that is the value drawn before, and one that depends on it: it is read before anything is set.
#[test]
fn below_what_was_drawn_before() {
    let draw = |s: &Stream, k: &mut Kernel, into: Local| {
        let mut block = s.bits32(k, into);
        let total = k.get(into);
        block.extend(s.below32(k, total, into));
        block
    };
    agree(Type::U32, 2000, &draw, &|s| {
        let total = s.bits32();
        u32_of(s.below32(total))
    });
    let draw = |s: &Stream, k: &mut Kernel, into: Local| {
        let mut block = s.bits64(k, into);
        let value = k.get(into);
        block.push(Stmt::Set { local: into, value });
        block.extend(s.below64(k, value, into));
        block
    };
    agree(Type::U64, 2000, &draw, &|s| {
        let total = s.bits64();
        Const::u64(s.below64(total))
    });
}

/// All kinds of draws in a row.
#[test]
fn draws_follow_one_another() {
    for generator in Generator::ALL {
        let draw = |s: &Stream, k: &mut Kernel, into: Local| {
            let (word, wide) = (k.local("word", Type::U32), k.local("wide", Type::U64));
            let total = k.exprs.constant(u32_of(1_000_000_007));
            let mut block = s.below32(k, total, word);
            block.extend(s.bits64(k, wide));
            block.extend(s.exponential(k, into));
            let values = [k.get(word), k.get(wide)].map(|id| k.exprs.convert(Type::F64, id));
            for value in values {
                let sum = k.get(into);
                let value = k.exprs.binary(volvelle_kernel::BinaryOp::Add, sum, value);
                block.push(Stmt::Set { local: into, value });
            }
            block
        };
        let kernel = drawing(generator, Type::F64, &draw);
        for back_end in back_ends() {
            let mut stream = PlainStream::new(generator, 3, 4);
            let found = run(&*back_end, &kernel, 3, 4, 50);
            for value in found {
                let (word, wide) = (stream.below32(1_000_000_007), stream.bits64());
                let expected = stream.exponential() + f64::from(word) + wide as f64;
                assert_eq!(value, Const::f64(expected), "{generator}, {}", back_end.name());
            }
        }
    }
}

#[test]
fn streams_of_one_kernel_have_locals_of_their_own() {
    let mut k = Kernel::new("k");
    let first = Stream::declare(&mut k, Generator::Xoshiro128PlusPlus);
    let second = Stream::declare(&mut k, Generator::Philox4x32);
    let third = Stream::declare(&mut k, Generator::Xoshiro128PlusPlus);
    assert_eq!(verify(&k), Ok(()));
    let mut state = [first.state(), second.state(), third.state()].concat();
    assert_eq!(state.len(), 14);
    state.sort();
    state.dedup();
    assert_eq!(state.len(), 14);
}

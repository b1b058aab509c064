//! What a draw costs: the generators of this crate and others that could stand in their place.
//!
//! `cargo run --release -p volvelle-streams --example draws`
//!
//! Three ways to draw 32 bits: one stream in machine code of a kernel, one stream in Rust, and 16 streams side by side in
//! Rust, which the compiler makes vector code of (with `RUSTFLAGS="-C target-cpu=native"`, of what the processor has).
//! Then what kernels pay for the other draws, for the seeding of a path, and for functions that are called or written
//! out. Times are the least of several rounds, in nanoseconds for each draw (of a lane).

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;
use volvelle_kernel::text::parse;
use volvelle_kernel::{
    Access, BinaryOp, Block, BufferMut, Compiler, Const, Exit, Kernel, Local, MathFn, Stmt, Type,
};
use volvelle_native::{Native, Options};
use volvelle_streams::plain::PlainStream;
use volvelle_streams::{Generator, Stream, expand_math};

const DRAWS: u64 = 4_000_000;
const ROUNDS: usize = 7;
const LANES: usize = 16;

fn main() {
    let mut out = std::io::stdout().lock();
    writeln!(out, "32 bits            kernel    Rust  {LANES} lanes").unwrap();
    let bits: Draw<'_> = &|stream, kernel, into| stream.bits32(kernel, into);
    for generator in Generator::ALL {
        let kernel = native(&drawing(generator, Type::U32, bits, false));
        let mut stream = PlainStream::new(generator, 1, 2);
        let plain = fastest(DRAWS, || black_box((0..DRAWS).fold(0, |sum, _| sum ^ stream.bits32())));
        let lanes = match generator {
            Generator::Xoshiro128PlusPlus => lanes([[1, 2, 3, 4]; LANES], xoshiro),
            Generator::Philox4x32 => lanes([[0; 4]; LANES], philox),
        };
        writeln!(out, "{:16}{kernel:9.2}{plain:8.2}{lanes:10.2}", generator.name()).unwrap();
    }
    let others: [(&str, &str, [u32; 4], Step); 2] =
        [("sfc32", SFC32, [1, 2, 3, 4], sfc32), ("pcg32 xsh-rr", PCG32, [1, 2, 3, 5], pcg32)];
    for (name, kernel, state, step) in others {
        let kernel = native(&parse(kernel).expect("a kernel").remove(0));
        let mut one = state;
        let plain = fastest(DRAWS, || black_box((0..DRAWS).fold(0, |sum, _| sum ^ step(&mut one))));
        // By value, so that the step is inlined.
        let lanes = if name == "sfc32" { lanes([state; LANES], sfc32) } else { lanes([state; LANES], pcg32) };
        writeln!(out, "{name:16}{kernel:9.2}{plain:8.2}{lanes:10.2}").unwrap();
    }

    writeln!(out, "\nin kernels      {:>14}{:>8}", Generator::ALL[0].name(), Generator::ALL[1].name())
        .unwrap();
    let constant: Draw<'_> = &|stream, kernel, into| {
        let total = kernel.exprs.constant(Const::int(Type::U32, 1000));
        stream.below32(kernel, total, into)
    };
    let wide: Draw<'_> = &|stream, kernel, into| {
        let total = kernel.exprs.u64(1 << 40 | 1);
        stream.below64(kernel, total, into)
    };
    let rows: [(&str, Type, Draw<'_>, bool); 7] = [
        ("32 bits", Type::U32, bits, false),
        ("seed, 32 bits", Type::U32, bits, true),
        ("64 bits", Type::U64, &|stream, kernel, into| stream.bits64(kernel, into), false),
        ("below 1000", Type::U32, constant, false),
        ("below 2^40 + 1", Type::U64, wide, false),
        ("unit", Type::F64, &|stream, kernel, into| stream.unit(kernel, into), false),
        ("exponential", Type::F64, &|stream, kernel, into| stream.exponential(kernel, into), false),
    ];
    for (name, ty, draw, afresh) in rows {
        let [first, second] = Generator::ALL.map(|g| native(&drawing(g, ty, draw, afresh)));
        writeln!(out, "{name:16}{first:14.2}{second:8.2}").unwrap();
    }

    writeln!(out, "\nfunctions        called  written out").unwrap();
    for f in [MathFn::Log, MathFn::Exp] {
        // Of numbers of the unit interval, whose draw is subtracted.
        let unit: Draw<'_> = &|stream, kernel, into| stream.unit(kernel, into);
        let applied: Draw<'_> = &|stream, kernel, into| {
            let mut block = stream.unit(kernel, into);
            let x = kernel.get(into);
            let value = kernel.exprs.math1(f, x);
            block.push(Stmt::Set { local: into, value });
            block
        };
        let alone = native(&drawing(Generator::default(), Type::F64, unit, false));
        let mut kernel = drawing(Generator::default(), Type::F64, applied, false);
        let called = native(&kernel) - alone;
        assert!(expand_math(&mut kernel));
        let name = format!("{f:?}");
        writeln!(out, "{name:13}{called:10.2}{:13.2}", native(&kernel) - alone).unwrap();
    }
}

/// Nanoseconds for each of `count` units of work.
fn fastest<T>(count: u64, mut work: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        black_box(work());
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / count as f64
}

/// Time of a kernel that draws as often as its parameter says, and emits the sum.
fn native(kernel: &Kernel) -> f64 {
    let options = Options { max_register_uses: u32::MAX, ..Options::default() };
    let code = Native::new(options).expect("a supported host").compile_well(kernel).expect("it compiles");
    fastest(DRAWS, || {
        let mut out = Vec::with_capacity(1);
        let exit = code.run(&[Const::u64(black_box(DRAWS))], &mut [BufferMut::AppendU64(&mut out)]);
        assert_eq!(exit, Exit::Done);
        out
    })
}

/// Statements of one draw.
type Draw<'d> = &'d dyn Fn(&Stream, &mut Kernel, Local) -> Block;

/// A kernel that adds up values of a type; `afresh`: seeds a path for each of them.
fn drawing(generator: Generator, ty: Type, draw: Draw<'_>, afresh: bool) -> Kernel {
    let mut k = Kernel::new("draws");
    let count = k.param("count", Type::U64);
    let out = k.buffer("out", Type::U64, Access::Append);
    let (value, i) = (k.local("value", ty), k.local("i", Type::U64));
    let sum = k.local("sum", if ty == Type::F64 { Type::F64 } else { Type::U64 });
    let stream = Stream::declare(&mut k, generator);
    let (seed, path, to, from) = (k.exprs.u64(7), k.get(i), k.get(count), k.exprs.u64(0));
    let seeding = stream.seed(&mut k, seed, path);
    let (mut body, mut inside) = if afresh { (vec![], seeding) } else { (seeding, vec![]) };
    inside.extend(draw(&stream, &mut k, value));
    let (drawn, before) = (k.get(value), k.get(sum));
    let drawn = k.exprs.convert(k.locals[sum.index()].ty, drawn);
    let after = k.exprs.binary(BinaryOp::Add, before, drawn);
    inside.push(Stmt::Set { local: sum, value: after });
    body.push(Stmt::For { local: i, from, to, body: inside });
    let result = k.exprs.convert(Type::U64, before);
    body.push(Stmt::Emit { buffer: out, value: result });
    k.body = body;
    k
}

/// A generator of 128 bits of state in Rust.
type Step = fn(&mut [u32; 4]) -> u32;

/// Time of a draw of one lane, of many side by side.
fn lanes(mut states: [[u32; 4]; LANES], step: impl Fn(&mut [u32; 4]) -> u32) -> f64 {
    // Word by word, as registers hold them.
    let mut words: [[u32; LANES]; 4] = std::array::from_fn(|w| states.map(|state| state[w]));
    let rounds = DRAWS / LANES as u64;
    let time = fastest(rounds * LANES as u64, || {
        let mut sums = [0u32; LANES];
        for _ in 0..rounds {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let mut state = [words[0][lane], words[1][lane], words[2][lane], words[3][lane]];
                *sum ^= step(&mut state);
                for (word, new) in words.iter_mut().zip(state) {
                    word[lane] = new;
                }
            }
        }
        sums
    });
    states = std::array::from_fn(|lane| words.map(|word| word[lane]));
    black_box(states);
    time
}

fn xoshiro([s0, s1, s2, s3]: &mut [u32; 4]) -> u32 {
    let result = s0.wrapping_add(*s3).rotate_left(7).wrapping_add(*s0);
    let t = *s1 << 9;
    *s2 ^= *s0;
    *s3 ^= *s1;
    *s1 ^= *s2;
    *s0 ^= *s3;
    *s2 ^= t;
    *s3 = s3.rotate_left(11);
    result
}

fn philox(counter: &mut [u32; 4]) -> u32 {
    let mut c = *counter;
    counter[0] = counter[0].wrapping_add(1);
    for round in 0..10u32 {
        let (k0, k1) = (round.wrapping_mul(0x9e37_79b9), round.wrapping_mul(0xbb67_ae85));
        let p0 = 0xd251_1f53 * u64::from(c[0]);
        let p1 = 0xcd9e_8d57 * u64::from(c[2]);
        c = [(p1 >> 32) as u32 ^ c[1] ^ k0, p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k1, p0 as u32];
    }
    c[0]
}

/// C. Doty-Humphrey's sfc32, as PractRand has it.
fn sfc32([a, b, c, counter]: &mut [u32; 4]) -> u32 {
    let result = a.wrapping_add(*b).wrapping_add(*counter);
    *counter = counter.wrapping_add(1);
    *a = *b ^ *b >> 9;
    *b = c.wrapping_add(*c << 3);
    *c = c.rotate_left(21).wrapping_add(result);
    result
}

const SFC32: &str = "kernel sfc32(count: u64) {
    buffer out: append u64;
    local a: u32; local b: u32; local c: u32; local n: u32; local result: u32; local sum: u64; local i: u64;
    a = 1u32; b = 2u32; c = 3u32; n = 4u32;
    for i in 0u64..count {
        result = a + b + n;
        n = n + 1u32;
        a = b ^ b >> 9u32;
        b = c + (c << 3u32);
        c = (c << 21u32 | c >> 11u32) + result;
        sum = sum + result as u64;
    }
    emit out, sum;
}";

/// M. O'Neill's PCG XSH RR 64/32: a linear congruential generator of 64 bits; streams differ in its
/// increment.
fn pcg32(words: &mut [u32; 4]) -> u32 {
    let state = u64::from(words[1]) << 32 | u64::from(words[0]);
    let increment = u64::from(words[3]) << 32 | u64::from(words[2]) | 1;
    let next = state.wrapping_mul(6364136223846793005).wrapping_add(increment);
    (words[0], words[1]) = (next as u32, (next >> 32) as u32);
    (((state >> 18 ^ state) >> 27) as u32).rotate_right((state >> 59) as u32)
}

const PCG32: &str = "kernel pcg32(count: u64) {
    buffer out: append u64;
    local s: u64; local x: u32; local r: u32; local sum: u64; local i: u64;
    s = 1u64;
    for i in 0u64..count {
        x = ((s >> 18u64 ^ s) >> 27u64) as u32;
        r = (s >> 59u64) as u32;
        s = s * 6364136223846793005u64 + 1442695040888963407u64;
        sum = sum + (x >> r | x << (-r & 31u32)) as u64;
    }
    emit out, sum;
}";

//! Steps per second of kernels as simulation has them, on every level of this machine.
//!
//! `cargo run --release -p volvelle-vector --example lanes [-- --explain]`

use std::io::Write;
use std::time::Instant;
use volvelle_kernel::text::parse;
use volvelle_kernel::{BufferMut, Code, Const, Exit, Kernel, Type};
use volvelle_vector::{Level, Vector, VectorCode};

const PATHS: u64 = 1 << 14;

fn main() {
    let kernel = |text| parse(text).expect("it parses").remove(0);
    measure("tandem", &kernel(include_str!("../kernels/tandem.vk")), tandem);
    measure("clock", &kernel(include_str!("../kernels/clock.vk")), clock);
}

fn measure(name: &str, kernel: &Kernel, run: fn(&VectorCode) -> u64) {
    let mut out = std::io::stdout().lock();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let start = Instant::now();
        let code = Vector::new(level).compile(kernel).expect("it compiles");
        let compiled = start.elapsed();
        let (mut best, mut length) = (0f64, 0f64);
        for _ in 0..3 {
            let start = Instant::now();
            let steps = run(&code) as f64;
            length = steps / PATHS as f64;
            best = best.max(steps / start.elapsed().as_secs_f64() / 1e6);
        }
        writeln!(
            out,
            "{name}  {level:?}: compiled in {compiled:?}, {best:.0} million steps/s, {length:.0} steps per path"
        )
        .unwrap();
    }
    if std::env::args().any(|a| a == "--explain") {
        writeln!(out, "{}", Vector::new(Level::best()).explain(kernel).expect("it compiles")).unwrap();
    }
}

/// The first parameters: lane, lanes, seed, first path, end.
fn first(code: &VectorCode) -> Vec<Const> {
    [0, code.lanes() as u64, 7, 0, PATHS].map(Const::u64).to_vec()
}

fn tandem(code: &VectorCode) -> u64 {
    let mut results = vec![0u32; 4 * PATHS as usize];
    let mut params = first(code);
    params.push(Const::int(Type::U32, 2000));
    assert_eq!(code.run(&params, &mut [BufferMut::U32(&mut results)]), Exit::Done);
    results.iter().step_by(4).map(|&s| u64::from(s)).sum()
}

fn clock(code: &VectorCode) -> u64 {
    let n = PATHS as usize;
    let (mut times, mut steps, mut heads) = (vec![0f64; n], vec![0u64; n], vec![0i32; n]);
    let mut params = first(code);
    params.extend([Const::f64(5.0), Const::int(Type::I32, 0)]);
    let buffers = &mut [BufferMut::F64(&mut times), BufferMut::U64(&mut steps), BufferMut::I32(&mut heads)];
    assert_eq!(code.run(&params, buffers), Exit::Done);
    steps.iter().sum()
}

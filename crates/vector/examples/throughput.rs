//! Steps per second of kernels as simulation has them, on every level of this machine.
//!
//! `cargo run --release -p volvelle-vector --example throughput`

use std::io::Write;
use std::time::Instant;
use volvelle_kernel::text::parse;
use volvelle_kernel::{BufferMut, Code, Const, Exit};
use volvelle_vector::{Level, Vector};

const PATHS: u64 = 1 << 14;

fn main() {
    let mut out = std::io::stdout().lock();
    let kernel = parse(include_str!("../kernels/tandem.vk")).expect("it parses").remove(0);
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let start = Instant::now();
        let code = Vector::new(level).compile(&kernel).expect("it compiles");
        let compiled = start.elapsed();
        let (mut best, mut length) = (0f64, 0f64);
        for _ in 0..3 {
            let mut results = vec![0u32; 4 * PATHS as usize];
            let start = Instant::now();
            let params = [
                Const::u64(0),
                Const::u64(code.lanes() as u64),
                Const::u64(7),
                Const::u64(0),
                Const::u64(PATHS),
                Const::int(volvelle_kernel::Type::U32, 2000),
            ];
            let exit = code.run(&params, &mut [BufferMut::U32(&mut results)]);
            assert_eq!(exit, Exit::Done);
            let steps: u64 = results.iter().step_by(4).map(|&s| u64::from(s)).sum();
            length = steps as f64 / PATHS as f64;
            best = best.max(steps as f64 / start.elapsed().as_secs_f64() / 1e6);
        }
        writeln!(out, "tandem  {level:?}: compiled in {compiled:?}, {best:.0} million steps/s, {length:.0} steps per path").unwrap();
    }
    if std::env::args().any(|a| a == "--explain") {
        writeln!(out, "{}", Vector::new(Level::best()).explain(&kernel).expect("it compiles")).unwrap();
    }
}

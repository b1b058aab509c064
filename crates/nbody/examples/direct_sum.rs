//! How many interactions a second the direct sum computes, per core, with each kernel that this machine has.
//!
//! `cargo run --release -p volvelle-nbody --example direct_sum [-- LARGEST]`
//!
//! All pairs count, as in `N^2`. Cores are counted by the CPU seconds of the process, so that other programs that run at the same time
//! matter little. Each figure is the median of up to five measurements, each of at least 0.4 CPU seconds.

mod clock;

use clock::cpu_seconds;
use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_nbody::{Arithmetic, Bodies, Physics, Simulation};
use volvelle_runtime::{Context, Executor, Technology};
use volvelle_technologies::{Cache, OpenCl, Threads};
use volvelle_vector::Level;

fn main() -> Result<(), Box<dyn Error>> {
    let largest: usize = std::env::args().nth(1).map_or(Ok(65536), |text| text.parse())?;
    let sizes: Vec<usize> = [8192, 16384, 32768, 65536].into_iter().filter(|&n| n <= largest).collect();
    let threads = |level| Threads::new(NonZeroUsize::MIN).with_level(level).open(0);
    let mut variants: Vec<(String, Arc<dyn Executor>, Arithmetic)> = Vec::new();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let (name, level) = match level {
            Level::Portable => ("scalar code".to_owned(), None),
            level => (format!("vector code, {level:?}"), Some(level)),
        };
        variants.push((format!("one kernel for all, {name}"), threads(level)?, Arithmetic::Portable));
    }
    variants.push(("instructions of AVX-512".to_owned(), threads(Some(Level::best()))?, Arithmetic::Fastest));
    if let Some(device) = volvelle_technologies::testing::first_device(&OpenCl::new(Cache::none())) {
        variants.push(("one kernel for all, OpenCL".to_owned(), device.clone(), Arithmetic::Portable));
        variants.push(("OpenCL C with tiles".to_owned(), device, Arithmetic::Fastest));
    }
    let mut out = std::io::stdout().lock();
    write!(out, "{:<40}", "10^9 interactions/s/core at N =")?;
    sizes.iter().try_for_each(|n| write!(out, "{n:>9}"))?;
    writeln!(out)?;
    for (name, device, arithmetic) in variants {
        write!(out, "{name:<40}")?;
        for &n in &sizes {
            let context = Context::of(vec![device.clone()])?;
            let physics = Physics { arithmetic, ..Physics::direct(0.01, 0.001) };
            let mut simulation = Simulation::new(&context, &bodies(n), &physics)?;
            simulation.accelerations()?;
            let mut rates: Vec<f64> = Vec::new();
            let begin = cpu_seconds();
            while rates.len() < 5 && (rates.is_empty() || cpu_seconds() - begin < 5.0) {
                let (start, mut rounds) = (cpu_seconds(), 0.0);
                while cpu_seconds() - start < 0.4 {
                    simulation.accelerations()?;
                    rounds += 1.0;
                }
                rates.push(rounds * (n * n) as f64 / (cpu_seconds() - start) / 1e9);
            }
            rates.sort_by(f64::total_cmp);
            write!(out, "{:>9.3}", rates[rates.len() / 2])?;
            out.flush()?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Bodies in a cube, by a simple generator.
fn bodies(count: usize) -> Bodies {
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    Bodies {
        time: 0.0,
        ids: (0..count as u64).collect(),
        masses: vec![1.0 / count as f64; count],
        positions: (0..count).map(|_| [unit(), unit(), unit()]).collect(),
        velocities: vec![[0.0; 3]; count],
        ..Bodies::default()
    }
}

//! Random kernels of the IR on devices against the reference interpreter.

use crate::devices::storage::contents;
use crate::support::{first_lane, run};
use std::ops::Range;
use volvelle_kernel::Exit;
use volvelle_kernel::generate::Case;
use volvelle_kernel::text::parse;
use volvelle_runtime::{Executor, Function, Launch, LaunchBuffer};

/// Lanes of a case: no multiple of a block.
const LANES: usize = 45;

/// Cases of some seeds, in blocks of several sizes.
pub fn check(device: &dyn Executor, seeds: Range<u64>) {
    let (mut done, mut failed) = (0, 0);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let case = Case::for_lanes(seed, LANES);
        if first_lane(&case, LANES).is_none() {
            continue;
        }
        let reference = case.lane_by_lane(LANES);
        let function = Function::of(case.kernel.clone());
        let executable = device.build(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let block = [None, Some(1), Some(16)][(seed % 3) as usize];
        let outcome = run(&case, device, &*executable, LANES, LANES, block);
        let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if let Err(difference) = reference.compare(&outcome) {
            panic!("seed {seed}: {difference}\n{}", case.kernel);
        }
        if outcome.exit == Exit::Done { done += 1 } else { failed += 1 }
    }
    takes_numbers(device);
    assert!(done > count / 4 && failed > 0, "{done} to the end, {failed} not, of {count}");
}

/// Lanes that take numbers from one place get all numbers, each of them once.
fn takes_numbers(device: &dyn Executor) {
    const LANES: usize = 5000;
    let text = "kernel takes(lane: u64) {
        buffer next: write u32;
        buffer taken: write u32;
        local number: u32;
        take number, next[0u64];
        taken[lane] = number;
    }";
    let kernel = device.build(&Function::of(parse(text).unwrap().remove(0))).unwrap();
    let (next, taken) =
        (device.storage().allocate(4).unwrap(), device.storage().allocate(4 * LANES).unwrap());
    next.write(0, &7_u32.to_le_bytes()).unwrap();
    let buffers = [LaunchBuffer::first(&*next, 1), LaunchBuffer::first(&*taken, LANES)];
    let launch = Launch { lanes: 0..LANES as u64, block: None, params: &[], buffers: &buffers };
    assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
    let mut found: Vec<u32> =
        contents(&*taken).chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    found.sort_unstable();
    assert_eq!(found, (7..7 + LANES as u32).collect::<Vec<_>>());
}

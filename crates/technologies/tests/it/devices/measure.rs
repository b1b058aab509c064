//! Figures of a device, printed on request:
//! `cargo test --release -p volvelle-technologies --test it devices:: -- --ignored --nocapture`.

use crate::devices::texts;
use std::time::{Duration, Instant};
use volvelle_kernel::{Access, Exit, Type};
use volvelle_runtime::{Executor, Launch, LaunchBuffer};
use volvelle_technologies::testing::first_device;

/// The shortest of some runs.
fn shortest(runs: usize, mut work: impl FnMut()) -> Duration {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..runs).map(|_| time(&mut work)).min().unwrap_or_default()
}

/// Prints launch overhead, bandwidths, and the speed of a divergent loop for several numbers of lanes and blocks.
#[expect(clippy::print_stdout, reason = "figures are the purpose of this test")]
pub fn measure(device: &dyn Executor) {
    println!("{}: {}, {}", device.name(), device.offer().device.name, device.offer().driver);
    let bare = device.build(&texts::function("bare", &[], &[], "")).unwrap();
    let launch = Launch { lanes: 0..1, block: None, params: &[], buffers: &[] };
    assert_eq!(bare.launch(&launch), Ok(Exit::Done));
    let time = shortest(10, || (0..100).for_each(|_| assert_eq!(bare.launch(&launch), Ok(Exit::Done))));
    println!("launch of one lane: {:.1} us", time.as_secs_f64() * 1e4);

    const BYTES: usize = 64 << 20;
    let (one, two) = (device.storage().allocate(BYTES).unwrap(), device.storage().allocate(BYTES).unwrap());
    let mut bytes = vec![1; BYTES];
    let rate = |time: Duration| BYTES as f64 / time.as_secs_f64() / 1e9;
    println!("write: {:.1} GB/s", rate(shortest(5, || one.write(0, &bytes).unwrap())));
    println!("read: {:.1} GB/s", rate(shortest(5, || one.read(0, &mut bytes).unwrap())));
    println!("copy: {:.1} GB/s", rate(shortest(5, || two.copy_from(0, &*one, 0, BYTES).unwrap())));
    println!("allocate 64 MiB: {:?}", shortest(5, || drop(device.storage().allocate(BYTES).unwrap())));

    // As many steps as a path may have, a different number in each lane; and next to none.
    let body = |shift: u32| {
        format!(
            "ulong x = lane * 0x9e3779b97f4a7c15ul + 1ul;\n    uint n = (uint)(x >> {shift});\n    \
             for (uint i = 0u; i < n; i++) {{\n        x ^= x << 13; x ^= x >> 7; x ^= x << 17;\n        \
             if (x & 1ul) x += 0x9e3779b97f4a7c15ul; else x = x * 5ul + 1ul;\n    }}\n    to[lane % to_len] = x;"
        )
    };
    let to = device.storage().allocate(8 << 10).unwrap();
    for (shift, lanes) in [(52, device.lanes()), (52, 16 * device.lanes()), (62, 1 << 20)] {
        let function = texts::function("steps", &[], &[("to", Type::U64, Access::Write)], &body(shift));
        let kernel = device.build(&function).unwrap();
        println!("built in {:?}, from the cache: {}", kernel.built().compile_time, kernel.built().from_cache);
        let steps: u64 = (0..lanes)
            .map(|lane: u64| (lane.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1)) >> shift)
            .sum();
        // In turns, so that whatever else the machine does is shared by all.
        const BLOCKS: [Option<u32>; 8] =
            [None, Some(1), Some(8), Some(32), Some(64), Some(128), Some(256), Some(1024)];
        let mut times = [Duration::MAX; BLOCKS.len()];
        for _ in 0..15 {
            for (best, block) in times.iter_mut().zip(BLOCKS) {
                let buffers = [LaunchBuffer::first(&*to, 1024)];
                let launch = Launch { lanes: 0..lanes, block, params: &[], buffers: &buffers };
                *best = shortest(1, || assert_eq!(kernel.launch(&launch), Ok(Exit::Done))).min(*best);
            }
        }
        for (time, block) in times.iter().zip(BLOCKS) {
            let rate = steps as f64 / time.as_secs_f64() / 1e6;
            println!("{lanes} lanes in blocks of {block:?}: {rate:.0} million steps/s");
        }
    }
}

/// Building and the first launch, with and without what was kept.
#[test]
#[ignore = "prints figures"]
#[expect(clippy::print_stdout, reason = "figures are the purpose of this test")]
fn kept() {
    let folder = std::env::temp_dir().join("volvelle-measured-kernels");
    for _ in 0..2 {
        let technology = volvelle_technologies::OpenCl::new(volvelle_technologies::Cache::at(&folder));
        let Some(device) = first_device(&technology) else { return };
        let start = Instant::now();
        let kernel = device.build(&texts::sometimes_failing()).unwrap();
        let build = start.elapsed();
        let to = device.storage().allocate(4000).unwrap();
        let buffers = [LaunchBuffer::first(&*to, 1000)];
        let params = [volvelle_kernel::Const::u64(5000)];
        let launch = Launch { lanes: 1..999, block: None, params: &params, buffers: &buffers };
        let first = shortest(1, || assert_eq!(kernel.launch(&launch), Ok(Exit::Done)));
        println!("{:?} build {build:?}, first launch {first:?}", kernel.built());
    }
}

#[test]
#[ignore = "prints figures"]
fn opencl() {
    if let Some(device) = first_device(&volvelle_technologies::OpenCl::default()) {
        measure(&*device);
    }
}

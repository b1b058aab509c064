//! The same tests on devices of OpenCL together with threads, if there are any: PoCL is one for processors.

use super::{bodies, devices, failover, grid, tree};
use volvelle_runtime::Context;
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, OpenCl};

#[test]
fn contents_on_devices_of_three_technologies() {
    let Some(device) = first_device(&OpenCl::new(Cache::none())) else { return };
    let alone = Context::of(devices(1)).unwrap();
    let mut all = devices(2);
    all.insert(1, device.clone());
    for context in [Context::of(vec![device]).unwrap(), Context::of(all).unwrap()] {
        // Parts of nothing are among them.
        for count in [1, 40] {
            assert_eq!(
                bodies::run(&context, count, 3, None),
                bodies::run(&alone, count, 3, None),
                "{count} bodies"
            );
        }
        assert_eq!(grid::run(&context, 17, 3, 3), grid::run(&alone, 17, 3, 3));
        assert_eq!(tree::run(&context, 60, 0.5), tree::run(&alone, 60, 0.5));
    }
}

#[test]
fn threads_take_over_from_a_device_that_fails() {
    // Kernels are built once, and kept.
    let technology = OpenCl::new(Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/failover")));
    if let Some(device) = first_device(&technology) {
        failover::check(&device);
        let left = technology.alive();
        assert_eq!((left.memory, left.programs, left.kernels), (0, 0, 0), "nothing of the library is left");
    }
}

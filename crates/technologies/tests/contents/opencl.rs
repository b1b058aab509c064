//! The same on devices of OpenCL beside threads, where there are any: PoCL is one for processors.

use super::{bodies, devices, grid, tree};
use std::sync::Arc;
use volvelle_runtime::{Context, Executor, Technology};
use volvelle_technologies::{Cache, OpenCl};

/// A device of OpenCL, or a line that says why there is none.
#[expect(clippy::print_stderr, reason = "a test says that it is skipped")]
fn device() -> Option<Arc<dyn Executor>> {
    let technology = OpenCl::new(Cache::none());
    match technology.offers() {
        Ok(offers) => {
            let number = offers.iter().position(|offer| offer.has_f64)?;
            Some(technology.open(number).expect("an offered device"))
        }
        Err(why) => {
            eprintln!("skipped: {why}");
            None
        }
    }
}

#[test]
fn contents_on_devices_of_three_technologies() {
    let Some(device) = device() else { return };
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

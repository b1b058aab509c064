//! Kernels that a device gets at once.

use super::{devices, function, same_everywhere};
use std::sync::Arc;
use volvelle_kernel::{Exit, Site, Type};
use volvelle_runtime::contents::{Array, Layout};
use volvelle_runtime::{Argument, Context, Error, Kernel, RecoveryPolicy};

const ADD: &str = "
    kernel add(lane: u64, first: u64, number: i64) {
        buffer from: read i64;
        buffer to: write i64;
        to[lane - first] = from[lane - first] * 3i64 + number;
    }";

const REFUSE: &str = "
    kernel refuse(lane: u64, first: u64, most: i64) {
        buffer from: read i64;
        site @0: assertion, tag 0;
        if from[lane - first] > most { fail @0; }
    }";

const UNITS: u64 = 23;

struct Kernels {
    there: Kernel,
    back: Kernel,
    refuse: Kernel,
    array: Arc<Array>,
}

fn kernels(context: &Arc<Context>) -> Kernels {
    let array = || Arc::new(Array::new(context, Layout::of(Type::I64), UNITS).unwrap());
    let (one, two) = (array(), array());
    one.fill(&(0..UNITS as i64).collect::<Vec<i64>>()).unwrap();
    let add = |from: &Arc<Array>, to: &Arc<Array>, number: i64| {
        let mut kernel = Kernel::new(context, function(ADD)).unwrap();
        kernel.set("first", Argument::First).unwrap();
        kernel.set("number", number).unwrap();
        kernel.set("from", from.clone()).unwrap();
        kernel.set("to", to.clone()).unwrap();
        kernel
    };
    let (there, back) = (add(&one, &two, 1), add(&two, &one, -5));
    let mut refuse = Kernel::new(context, function(REFUSE)).unwrap();
    refuse.set("first", Argument::First).unwrap();
    refuse.set("most", i64::MAX).unwrap();
    refuse.set("from", two).unwrap();
    Kernels { there, back, refuse, array: one }
}

/// Each kernel sees what those before it wrote, on any devices.
#[test]
fn as_one_after_the_other() {
    let found = same_everywhere(|context| {
        let Kernels { there, mut back, refuse, array } = kernels(context);
        let all = [&there, &refuse, &back, &there];
        assert_eq!(Kernel::start_in_order(&all, UNITS, None), Ok(()));
        // Also where one of them recovers from failures.
        back.set_recovery(RecoveryPolicy::Written);
        assert_eq!(Kernel::start_in_order(&[&back, &refuse], UNITS, None), Ok(()));
        assert_eq!(Kernel::start_in_order(&[], UNITS, None), Ok(()));
        array.values::<i64>().unwrap()
    });
    let once = |n: i64| (n * 3 + 1) * 3 - 5;
    assert_eq!(found, (0..UNITS as i64).map(|n| once(once(n))).collect::<Vec<i64>>());
}

/// A kernel in the middle fails: that is reported, whatever later kernels did.
#[test]
fn one_of_them_fails() {
    let context = Context::of(devices(1)).unwrap();
    let Kernels { there, back, mut refuse, .. } = kernels(&context);
    refuse.set("most", 30_i64).unwrap();
    let all = [&there, &refuse, &back];
    let failed = Kernel::start_in_order(&all, UNITS, None);
    assert!(matches!(failed, Err(Error::Exit { exit: Exit::Failed(Site(0)), .. })), "{failed:?}");
    refuse.set("most", 3000_i64).unwrap();
    assert_eq!(Kernel::start_in_order(&[&there, &refuse, &back], UNITS, None), Ok(()));
}

#[test]
fn kernels_of_several_contexts() {
    let (one, other) = (Context::of(devices(1)).unwrap(), Context::of(devices(1)).unwrap());
    let (one, other) = (kernels(&one), kernels(&other));
    let refused = Kernel::start_in_order(&[&one.there, &other.there], UNITS, None);
    assert!(matches!(refused, Err(Error::Mismatch(why)) if why.contains("not of the context")));
}

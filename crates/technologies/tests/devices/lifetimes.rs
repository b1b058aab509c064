//! Nothing is left of what a device gave.

use crate::texts;
use volvelle_kernel::{Const, Exit, Site};
use volvelle_runtime::{Executor, Launch, Lent};
use volvelle_technologies::Alive;

/// Works with a device, fails with it, and lets everything go; `alive` says what is left in between.
pub fn check(device: std::sync::Arc<dyn Executor>, alive: &dyn Fn() -> Alive) {
    let before = alive();
    assert_eq!(before.contexts, 1);
    let storage = device.storage();
    let regions: Vec<_> = (0..5).map(|i| storage.allocate(100 * i).unwrap()).collect();
    assert_eq!(alive().memory, before.memory + 4, "no bytes need no memory");
    assert!(storage.allocate(usize::MAX / 2).is_err());
    assert_eq!(alive().memory, before.memory + 4);

    let broken = texts::function("broken", &[], &[], "this is no statement;");
    assert!(device.build(&broken).is_err());
    assert_eq!(alive().programs, before.programs);

    let kernel = device.build(&texts::sometimes_failing()).unwrap();
    assert_eq!(alive().programs, before.programs + 1);
    for _ in 0..10 {
        let buffers = [Lent::first(&*regions[4], 100)];
        let launch = Launch { lanes: 1..9, block: None, params: &[Const::u64(2)], buffers: &buffers };
        assert_eq!(kernel.launch(&launch), Ok(Exit::Failed(Site(3))));
        let launch = Launch { params: &[Const::u64(50)], ..launch };
        assert_eq!(kernel.launch(&launch), Ok(Exit::Done));
    }
    let most = alive();
    assert!(most.queues <= before.queues + 2, "{most:?}");
    assert!(most.memory <= before.memory + 6, "{most:?}");

    drop(regions);
    drop(device);
    drop(storage);
    // The kernel needs no more than what it was built for.
    assert_eq!(alive().contexts, 1);
    drop(kernel);
    assert_eq!(alive(), Alive::default());
}

//! Nothing is left of what a device gave.

use crate::devices::stand_in::StandIn;
use crate::devices::texts;
use volvelle_kernel::{Const, Exit, Site};
use volvelle_runtime::{Command, Error, Executor, Launch, LaunchBuffer, Technology};
use volvelle_technologies::Alive;

/// Works with a device, fails with it, and releases everything; `alive` counts what remains in between.
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
        let buffers = [LaunchBuffer::first(&*regions[4], 100)];
        let launch = Launch { lanes: 1..9, block: None, params: &[Const::u64(2)], buffers: &buffers };
        assert_eq!(kernel.launch(&launch), Ok(Exit::Failed(Site(3))));
        let command = Command { code: &*kernel, launch: launch.clone() };
        assert_eq!(device.run_in_order(&[command.clone(), command]), Ok(Exit::Failed(Site(3))));
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

/// A little of everything; gives an element that a kernel counted up from 0.
pub fn step(device: &dyn Executor) -> Result<u32, Error> {
    let kernel = device.build(&texts::sometimes_failing())?;
    let storage = device.storage();
    let (one, two) = (storage.allocate(400)?, storage.allocate(400)?);
    one.write(4, &[0; 4])?;
    let buffers = [LaunchBuffer::first(&*one, 100)];
    let launch = Launch { lanes: 1..90, block: None, params: &[Const::u64(1000)], buffers: &buffers };
    // Once by itself, and in a queue with others.
    let others = Launch { lanes: 5..90, ..launch.clone() };
    assert_eq!(kernel.launch(&launch)?, Exit::Done);
    let commands = [others.clone(), others].map(|launch| Command { code: &*kernel, launch });
    assert_eq!(device.run_in_order(&commands)?, Exit::Done);
    two.copy_from(8, &*one, 4, 4)?;
    let mut bytes = [0; 4];
    two.read(8, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Lets each call of a library fail once, from the first to the last. Each time there is an error that names
/// the code, never a wrong number, and nothing leaks by the counts of the technology and of the stand-in.
pub fn every_call_fails_once(
    technology: &dyn Technology,
    alive: &dyn Fn() -> Alive,
    stand_in: &StandIn,
    none_live: &str,
    codes: &[&str],
) {
    let run = || technology.open(0).and_then(|device| step(&*device));
    assert_eq!(run(), Ok(1));
    let mut failures = 0;
    for call in 1.. {
        stand_in.fail_at(call);
        let found = run();
        if !stand_in.has_failed() {
            assert_eq!(found, Ok(1));
            break;
        }
        failures += 1;
        match found {
            // What is of no use may be made in another way.
            Ok(value) => assert_eq!(value, 1, "call {call}"),
            Err(Error::Build(log)) => panic!("call {call} blames the kernel: {log}"),
            Err(error) => {
                let error = error.to_string();
                assert!(codes.iter().any(|code| error.contains(code)), "call {call}: {error}");
            }
        }
        assert_eq!(alive(), Alive::default(), "call {call}");
        assert_eq!(stand_in.live(), none_live, "call {call}");
    }
    assert!(failures > 20, "{failures} calls");
}

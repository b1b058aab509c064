//! Devices that fail in the middle of a run: for every call of a run, failing it loses nothing as long as a device is left,
//! and memory is given back in any case.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use volvelle_kernel::text::parse;
use volvelle_kernel::{Const, Exit, Kernel};
use volvelle_runtime::balance::{Chunks, Drive, Report, Stranded, drive};
use volvelle_runtime::testing::{Call, Faults, Faulty};
use volvelle_runtime::{Error, Executable, Executor, Function, Launch, LaunchBuffer, Region, Technology};
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, Interpreter, OpenCl, Threads};

/// How much there is to do.
const WORK: u64 = 60;

/// Room for the lanes of a chunk.
const ROOM: usize = 16;

/// Sums of a table, each from another start: `out[lane - first] := table[lane] + … + table[lane + 3]`.
fn kernel() -> Kernel {
    parse(
        "kernel sums(lane: u64, first: u64) {
             buffer table: read f64;
             buffer out: write f64;
             local sum: f64;
             local i: u64;
             for i in lane..lane + 4u64 { sum = sum + table[i] / 3.0f64; }
             out[lane - first] = sum;
         }",
    )
    .unwrap()
    .remove(0)
}

/// The memory of an executor for its chunks.
struct Prepared {
    table: Box<dyn Region>,
    /// The table once more: regions are copied as well.
    copy: Box<dyn Region>,
    out: Box<dyn Region>,
    ready: Arc<dyn Executable>,
}

fn table() -> Vec<u8> {
    (0..WORK + 4).flat_map(|n| (1.0 / (n as f64 + 1.0)).to_ne_bytes()).collect()
}

fn prepare(executor: &Arc<dyn Executor>) -> Result<Prepared, Error> {
    let (storage, bytes) = (executor.storage(), table());
    let (table, copy) = (storage.allocate(bytes.len())?, storage.allocate(bytes.len())?);
    table.write(0, &bytes)?;
    copy.copy_from(0, &*table, 0, bytes.len())?;
    let out = storage.allocate(8 * ROOM)?;
    Ok(Prepared { table, copy, out, ready: executor.build(&Function::of(kernel()))? })
}

fn run(_: &Arc<dyn Executor>, prepared: &mut Prepared, chunk: Range<u64>) -> Result<Vec<u8>, Error> {
    let count = (chunk.end - chunk.start) as usize;
    let table = if chunk.start.is_multiple_of(8) { &prepared.table } else { &prepared.copy };
    let exit = prepared.ready.launch(&Launch {
        lanes: chunk.clone(),
        block: None,
        params: &[Const::u64(chunk.start)],
        buffers: &[
            LaunchBuffer::first(&**table, WORK as usize + 4),
            LaunchBuffer::first(&*prepared.out, count),
        ],
    })?;
    assert_eq!(exit, Exit::Done);
    let mut bytes = vec![0; 8 * count];
    prepared.out.read(0, &mut bytes)?;
    Ok(bytes)
}

fn work(executors: &[Arc<dyn Executor>]) -> (Vec<u8>, Result<Report, Stranded>) {
    let ticks = AtomicU64::new(0);
    let clock = move || Duration::from_millis(ticks.fetch_add(1, Ordering::Relaxed));
    let chunks = Chunks { grain: 4, largest: ROOM as u64, ..Chunks::default() };
    let how = Drive { chunks, clock: &clock, cancelled: &|| false };
    let mut all = Vec::new();
    let result = drive(0..WORK, executors, &how, prepare, run, |_, bytes| all.extend(bytes));
    (all, result)
}

fn technologies() -> [Arc<dyn Technology>; 2] {
    [Arc::new(Threads::new(NonZeroUsize::new(2).unwrap())), Arc::new(Interpreter)]
}

/// The executor of a technology that fails on request.
fn faulty(technology: &Arc<dyn Technology>, faults: &Arc<Faults>) -> Arc<dyn Executor> {
    Faulty::executor(technology.open(0).unwrap(), faults.clone())
}

fn expected() -> Vec<u8> {
    let (bytes, result) = work(&[Interpreter.open(0).unwrap()]);
    assert!(result.unwrap().failures.is_empty());
    assert_eq!(bytes.len(), 8 * WORK as usize);
    bytes
}

/// Calls that a device makes which does all the work alone: no run makes more.
fn most_calls() -> u64 {
    let faults = Faults::none();
    work(&[faulty(&technologies()[1], &faults)]).1.unwrap();
    assert_eq!((faults.live(), faults.failed().len()), (0, 0));
    faults.calls()
}

#[test]
fn a_device_that_fails_at_any_call_loses_nothing() {
    let expected = expected();
    let mut kinds = Vec::new();
    for k in 0..most_calls() {
        for which in [0, 1] {
            for faults in [Faults::once(k), Faults::from(k)] {
                let [threads, interpreter] = technologies();
                let mut executors = vec![threads.open(0).unwrap(), interpreter.open(0).unwrap()];
                executors[which] = faulty(&technologies()[which], &faults);
                let (found, result) = work(&executors);
                let report = result.expect("one device is left");
                assert_eq!(found, expected, "call {k} of device {which}");
                assert_eq!(faults.live(), 0, "call {k} of device {which}: regions are given back");
                // How far a device comes that shares the work depends on the other one.
                assert_eq!(report.failures.len(), faults.failed().len().min(1), "call {k} of device {which}");
                assert!(report.failures.iter().all(|failure| failure.worker == which));
                kinds.extend(faults.failed());
            }
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.contains(&Call::Allocate) && kinds.contains(&Call::Write) && kinds.contains(&Call::Copy));
    assert!(kinds.contains(&Call::Build) && kinds.contains(&Call::Launch));
}

#[test]
fn where_no_device_is_left_the_error_says_so() {
    let expected = expected();
    let calls = most_calls();
    let mut stranded = 0;
    for k in 0..=calls {
        let faults = Faults::from(k);
        let (found, result) = work(&[faulty(&technologies()[0], &faults)]);
        match result {
            Ok(_) => assert_eq!(found, expected, "call {k}"),
            Err(error) => {
                assert!(expected.starts_with(&found), "call {k}");
                assert_eq!(error.left, WORK - found.len() as u64 / 8, "call {k}");
                assert!(error.to_string().contains(&format!("call {k} is to fail")), "{error}");
                stranded += 1;
            }
        }
        assert_eq!(faults.live(), 0, "call {k}");
    }
    assert_eq!(stranded, calls, "every call of a device that works alone matters");
}

#[test]
fn opening_can_fail_as_well() {
    let [threads, _] = technologies();
    let error = Faulty::new(threads.clone(), Faults::once(0)).open(0).err().unwrap();
    assert_eq!(error, Error::Unavailable("call 0 is to fail".into()));
    let executor = Faulty::new(threads, Faults::once(5)).open(0).unwrap();
    assert_eq!(executor.name(), "threads");
    assert!(executor.lanes() > 0 && executor.offer().has_f64);
}

#[test]
fn a_device_of_opencl_that_fails_loses_nothing_and_leaves_nothing() {
    // Kernels are built once, and kept.
    let technology = OpenCl::new(Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/faults")));
    let Some(device) = first_device(&technology) else { return };
    let expected = expected();
    let faults = Faults::none();
    let (found, result) = work(&[Faulty::executor(device.clone(), faults.clone())]);
    assert!(result.is_ok() && found == expected, "the same bits");
    let before = technology.alive();
    for k in 0..faults.calls() {
        let faults = Faults::from(k);
        let executors =
            [Faulty::executor(device.clone(), faults.clone()), technologies()[1].open(0).unwrap()];
        let (found, result) = work(&executors);
        assert!(result.is_ok() && found == expected, "call {k}");
        assert_eq!(faults.live(), 0, "call {k}: regions are given back");
        assert_eq!(technology.alive(), before, "call {k}: nothing of the library is left");
    }
}

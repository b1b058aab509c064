//! Interpreter and threads against the reference interpreter, which runs the lanes one after the other: exits and buffers
//! are the same, bit for bit, for any number of threads, any level, and any way to cut the lanes.

use crate::support;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use volvelle_kernel::generate::Case;
use volvelle_kernel::text::parse;
use volvelle_kernel::{Access, BufferDecl, Const, Exit, Kernel, LocalDecl, Type};
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{Error, Executor, Function, Launch, LaunchBuffer, Region, Storage, Technology};
use volvelle_technologies::{Interpreter, Threads};
use volvelle_vector::Level;

fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap())
}

/// All executors that are tested.
fn executors() -> Vec<(String, Arc<dyn Executor>)> {
    let mut all = vec![("interpreter".to_owned(), Interpreter.open(0).unwrap())];
    for count in [1, 2, 5] {
        let is_fast = |level: &Level| level.is_available() && *level != Level::Portable;
        for level in Level::ALL.into_iter().filter(is_fast).map(Some).chain([None]) {
            all.push((
                format!("{count} threads, {level:?}"),
                threads(count).with_level(level).open(0).unwrap(),
            ));
        }
    }
    all
}

fn text(text: &str) -> Kernel {
    parse(text).unwrap().remove(0)
}

fn region(bytes: &[u8]) -> Box<dyn Region> {
    let region = Ram.allocate(bytes.len()).unwrap();
    region.write(0, bytes).unwrap();
    region
}

fn words(region: &dyn Region) -> Vec<u64> {
    let mut bytes = vec![0; region.bytes()];
    region.read(0, &mut bytes).unwrap();
    bytes.chunks(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn random_kernels_give_what_the_interpreter_gives() {
    const CASES: u64 = 120;
    const LANES: usize = 77;
    let executors = executors();
    let (mut done, mut failed) = (0, 0);
    for seed in 0..CASES {
        let case = Case::for_lanes(seed, LANES);
        if support::first_lane(&case, LANES).is_none() {
            continue;
        }
        let reference = case.lane_by_lane(LANES);
        match reference.failures.is_empty() {
            true => done += 1,
            false => failed += 1,
        }
        let function = Function::of(case.kernel.clone());
        for (i, (name, executor)) in executors.iter().enumerate() {
            let ready = executor.build(&function).unwrap_or_else(|e| panic!("seed {seed}, {name}: {e}"));
            let piece = [LANES, 16, 7][(seed as usize + i) % 3];
            let block = [None, Some(1), Some(200)][(seed as usize / 3 + i) % 3];
            let found = support::run(&case, &**executor, &*ready, LANES, piece, block).unwrap();
            if let Err(difference) = reference.compare(&found) {
                panic!("seed {seed}, {name}, pieces of {piece}, {block:?}: {difference}\n{}", case.kernel);
            }
        }
    }
    assert!(done > CASES / 4 && failed > CASES / 20, "{done} done, {failed} failed");
}

#[test]
fn every_lane_runs_once_however_many() {
    let kernel = text(
        "kernel count(lane: u64, step: u64) {
             buffer out: write u64;
             out[lane - 3u64] = out[lane - 3u64] + lane * step;
         }",
    );
    for (name, executor) in executors() {
        let ready = executor.build(&Function::of(kernel.clone())).unwrap();
        for lanes in [0_u64, 1, 15, 16, 17, 1000] {
            let out = Ram.allocate(8 * lanes as usize).unwrap();
            let exit = ready.launch(&Launch {
                lanes: 3..3 + lanes,
                block: None,
                params: &[Const::u64(7)],
                buffers: &[LaunchBuffer::first(&*out, lanes as usize)],
            });
            assert_eq!(exit, Ok(Exit::Done), "{name}");
            assert_eq!(words(&*out), (3..3 + lanes).map(|lane| lane * 7).collect::<Vec<_>>(), "{name}");
        }
    }
}

#[test]
fn the_exit_is_that_of_a_lane_that_fails() {
    let kernel = text(
        "kernel fails(lane: u64) {
             buffer out: write u64;
             site @0: assertion, tag 0;
             if lane == 777u64 { fail @0; }
             if lane == 900u64 { out[lane * 100u64] = 1u64; }
         }",
    );
    for (name, executor) in executors() {
        let ready = executor.build(&Function::of(kernel.clone())).unwrap();
        let out = Ram.allocate(8).unwrap();
        let launch = |lanes| {
            let buffers = &[LaunchBuffer::first(&*out, 1)];
            ready.launch(&Launch { lanes, block: None, params: &[], buffers }).unwrap()
        };
        assert_eq!(launch(0..777), Exit::Done, "{name}");
        assert_eq!(launch(0..800), Exit::Failed(volvelle_kernel::Site(0)), "{name}");
        assert_eq!(launch(800..1000), Exit::OutOfBounds(volvelle_kernel::Buffer(0)), "{name}");
        assert_ne!(launch(0..1000), Exit::Done, "{name}");
    }
}

#[test]
fn each_lane_takes_a_number_of_its_own() {
    let kernel = text(
        "kernel takes(lane: u64) {
             buffer next: write u32;
             buffer taken: write u32;
             local number: u32;
             take number, next[0u64];
             taken[lane] = number;
         }",
    );
    for (name, executor) in executors() {
        let ready = executor.build(&Function::of(kernel.clone())).unwrap();
        let (next, taken) = (Ram.allocate(4).unwrap(), Ram.allocate(4 * 5000).unwrap());
        let buffers = &[LaunchBuffer::first(&*next, 1), LaunchBuffer::first(&*taken, 5000)];
        let launch = Launch { lanes: 0..5000, block: None, params: &[], buffers };
        assert_eq!(ready.launch(&launch), Ok(Exit::Done), "{name}");
        let mut bytes = vec![0; 4 * 5000];
        taken.read(0, &mut bytes).unwrap();
        let mut numbers: Vec<u32> =
            bytes.chunks(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap())).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..5000).collect::<Vec<u32>>(), "{name}");
    }
}

#[test]
fn parts_of_regions() {
    let kernel = text(
        "kernel double(lane: u64) {
             buffer from: read u32;
             buffer to: write u32;
             to[lane] = from[lane] + from[lane];
         }",
    );
    let numbers: Vec<u8> = (0..10_u32).flat_map(u32::to_ne_bytes).collect();
    for (name, executor) in executors() {
        let region = region(&numbers);
        let ready = executor.build(&Function::of(kernel.clone())).unwrap();
        let from = LaunchBuffer { region: &*region, offset: 4, elements: 3 };
        let to = LaunchBuffer { region: &*region, offset: 20, elements: 3 };
        let launch = Launch { lanes: 0..3, block: None, params: &[], buffers: &[from, to] };
        assert_eq!(ready.launch(&launch), Ok(Exit::Done), "{name}");
        let mut bytes = [0; 40];
        region.read(0, &mut bytes).unwrap();
        let found: Vec<u32> = bytes.chunks(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap())).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 2, 4, 6, 8, 9], "{name}");
    }
}

/// A closure that counts its calls and refuses lane 99.
fn closure(calls: Arc<AtomicU64>) -> Function {
    let out = BufferDecl { name: "out".into(), ty: Type::U64, access: Access::Write };
    let param = LocalDecl { name: "fine".into(), ty: Type::Bool };
    Function::of_closure("closure", &[param], &[out], move |lanes, params, buffers| {
        assert_eq!(params[0], Const::u64(lanes.start));
        assert!(params[1].as_bool().unwrap(), "it is not fine");
        assert_eq!(buffers.len(), 1);
        calls.fetch_add(lanes.end - lanes.start, Ordering::Relaxed);
        if lanes.contains(&99) { Exit::Failed(volvelle_kernel::Site(4)) } else { Exit::Done }
    })
}

#[test]
fn closures() {
    for (name, executor) in executors() {
        let calls = Arc::new(AtomicU64::new(0));
        let ready = executor.build(&closure(calls.clone())).unwrap();
        let out = Ram.allocate(8).unwrap();
        let launch = |lanes, fine| {
            let buffers = &[LaunchBuffer::first(&*out, 1)];
            ready.launch(&Launch { lanes, block: None, params: &[Const::bool(fine)], buffers })
        };
        assert_eq!(launch(100..1000, true), Ok(Exit::Done), "{name}");
        assert_eq!(calls.load(Ordering::Relaxed), 900, "{name}");
        assert_eq!(launch(0..100, true), Ok(Exit::Failed(volvelle_kernel::Site(4))), "{name}");
        let Err(Error::Launch(why)) = launch(0..10, false) else { panic!("{name}") };
        assert!(why.starts_with("`closure` panicked: it is not fine"), "{why}");
    }
}

#[test]
fn the_closure_goes_before_the_kernel_but_not_for_the_reference() {
    let kernel = text("kernel nothing(lane: u64) { local x: u64; x = lane; }");
    let calls = Arc::new(AtomicU64::new(0));
    let mut function = Function::of(kernel);
    let counted = calls.clone();
    function.closure = Some(Arc::new(move |lanes, _, _| {
        counted.fetch_add(lanes.end - lanes.start, Ordering::Relaxed);
        Exit::Done
    }));
    let run = |technology: &dyn Technology| {
        let ready = technology.open(0).unwrap().build(&function).unwrap();
        assert_eq!(
            ready.launch(&Launch { lanes: 0..5, block: None, params: &[], buffers: &[] }),
            Ok(Exit::Done)
        );
        calls.swap(0, Ordering::Relaxed)
    };
    assert_eq!((run(&Interpreter), run(&threads(2))), (0, 5));
}

#[test]
fn what_cannot_be_built_is_refused_with_the_reason() {
    let kernel = text("kernel grows(lane: u64) { buffer out: append u64; emit out, lane; }");
    let nothing =
        Function { ir: None, ..Function::of(text("kernel nothing(lane: u64) { local x: u64; x = lane; }")) };
    let mut differs = Function::of(text("kernel differs(lane: u64, a: i64) { local x: u64; x = lane; }"));
    differs.params.truncate(1);
    for (name, executor) in executors() {
        let refuse = |function: &Function| executor.build(function).err().expect("it is refused").to_string();
        assert!(refuse(&Function::of(kernel.clone())).contains("buffer `out` is for appending"), "{name}");
        assert!(refuse(&nothing).contains("no implementation for processors"), "{name}");
        assert!(refuse(&differs).contains("its kernel has other parameters"), "{name}");
    }
}

#[test]
fn each_technology_has_one_device() {
    for (technology, name) in [(&Interpreter as &dyn Technology, "interpreter"), (&threads(3), "threads")] {
        assert_eq!(technology.offers().unwrap().len(), 1);
        assert_eq!(technology.open(0).unwrap().name(), name);
        let error = technology.open(1).err().unwrap().to_string();
        assert_eq!(error, format!("there is no `{name}:1`, only `{name}`"));
    }
    let executor = threads(3).open(0).unwrap();
    assert_eq!(executor.offer().device.compute_units, Some(3));
    assert_eq!(executor.lanes() % 3, 0);
}

#[test]
fn the_time_of_compilers_is_told_by_a_lent_clock() {
    let ticks = AtomicU64::new(0);
    let clock = Arc::new(move || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed)));
    let executor = threads(1).with_clock(clock).open(0).unwrap();
    let ready =
        executor.build(&Function::of(text("kernel k(lane: u64) { local x: u64; x = lane; }"))).unwrap();
    assert_eq!(ready.built().compile_time, Duration::from_secs(1));
    assert!(!ready.built().from_cache);
}

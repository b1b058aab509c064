//! Devices that fail while kernels run on them: others do their work and come to the same bits, or an error says what is lost.

use super::{devices, function};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use volvelle_diagnostics::FileId;
use volvelle_kernel::Type;
use volvelle_runtime::configuration::{Configuration, Distribution};
use volvelle_runtime::contents::{Array, Content, Layout, PartialArray, Replica, SyncedArray};
use volvelle_runtime::network::{Network, Single, ThreadsAsRanks};
use volvelle_runtime::testing::{Call, Faults, Faulty};
use volvelle_runtime::{Argument, Context, Error, Executor, Kernel, RecoveryPolicy, Region};

/// A kernel that changes a content in place, by all that a device holds.
const STEP: &str = "
    kernel step(lane: u64, first: u64, start: u64) {
        buffer all: read i64;
        buffer near: read i64;
        buffer weight: read i64;
        buffer table: read i64;
        buffer own: write i64;
        local sum: i64;
        sum = all[len(all) - 1u64 - lane] * weight[lane - first] + table[min(lane, 2u64)];
        own[lane - first] = own[lane - first] * 3i64 + sum + near[len(near) - 1u64] - near[lane - start];
    }";

/// The observable result.
const TURN: &str = "
    kernel turn(lane: u64, first: u64, start: u64) {
        buffer own: read i64;
        buffer all: write i64;
        buffer near: write i64;
        all[lane] = all[lane] * 5i64 - own[lane - first];
        near[lane - start] = all[lane] + near[lane - start];
    }";

const COUNT: u64 = 11;

/// Of four starts, the one of a kernel that uses less than a later kernel. Data that were neither copied nor
/// read before the device failed are lost.
const LOSING: usize = 1;

/// A run that has come to its end.
#[derive(Debug, PartialEq)]
struct Ended {
    values: Vec<i64>,
    /// Parts that were handed over: whose, from whom, to whom.
    failovers: Vec<(usize, usize, usize)>,
}

/// Some steps with every kind of content. Tells which calls of `faults` are made while kernels run.
fn job(
    context: &Arc<Context>,
    policy: RecoveryPolicy,
    faults: &Faults,
    calls: &mut Vec<Range<u64>>,
) -> Result<Ended, Error> {
    let layout = Layout::of(Type::I64);
    let all = Arc::new(SyncedArray::new(context, layout, COUNT)?);
    let near = Arc::new(PartialArray::new(context, layout, COUNT, COUNT)?);
    let weight = Arc::new(Array::new(context, layout, COUNT)?);
    let own = Arc::new(Array::new(context, layout, COUNT)?);
    let table = Arc::new(Replica::new(context, layout)?);
    all.fill(&Vec::from_iter(1..=COUNT as i64))?;
    weight.fill(&Vec::from_iter((1..=COUNT as i64).map(|n| n * n - 20)))?;
    table.set(&[7_i64, -8, 9])?;
    let mut step = Kernel::new(context, function(STEP))?;
    let mut turn = Kernel::new(context, function(TURN))?;
    for kernel in [&mut step, &mut turn] {
        kernel.set_recovery(policy);
        kernel.set("first", Argument::First)?;
        kernel.set("start", Argument::Start(near.clone()))?;
        kernel.set("all", all.clone())?;
        kernel.set("near", near.clone())?;
        kernel.set("own", own.clone())?;
    }
    step.set("weight", weight)?;
    step.set("table", table.clone())?;
    let small = small();
    for round in 0..2_i64 {
        for kernel in [&step, &turn] {
            let before = faults.calls();
            let exit = kernel.start(COUNT, Some(&small));
            calls.push(before..faults.calls());
            exit?;
        }
        all.synchronize()?;
        near.exchange()?;
        table.set(&vec![round; 3 + round as usize])?;
    }
    let mut values = all.values::<i64>()?;
    values.extend(near.values::<i64>()?);
    values.extend(own.values::<i64>()?);
    let failovers = context.failovers();
    assert!(failovers.iter().all(|it| it.error.to_string().contains("is to fail")), "{failovers:?}");
    Ok(Ended { values, failovers: failovers.iter().map(|it| (it.part, it.from, it.to)).collect() })
}

/// Several launches for each part.
fn small() -> Distribution {
    let (configuration, found) = Configuration::read(FileId(0), "[distribution.small]\nCPU.size = 2\n");
    assert_eq!(found, []);
    configuration.distributions["small"].clone()
}

fn expected() -> Vec<i64> {
    let context = Context::of(devices(1)).unwrap();
    job(&context, RecoveryPolicy::None, &Faults::none(), &mut Vec::new()).unwrap().values
}

/// Two devices, the second of which fails.
fn pair(faults: &Arc<Faults>) -> Arc<Context> {
    let mut devices = devices(2);
    devices[1] = Faulty::executor(devices[1].clone(), faults.clone());
    Context::of(devices).unwrap()
}

#[test]
fn whatever_call_fails_the_bits_are_the_same_or_the_error_is_clear() {
    let expected = expected();
    let mut kinds = Vec::new();
    for policy in [RecoveryPolicy::None, RecoveryPolicy::Written, RecoveryPolicy::All] {
        let (faults, mut starts) = (Faults::none(), Vec::new());
        let ended = job(&pair(&faults), policy, &faults, &mut starts).unwrap();
        assert_eq!(ended, Ended { values: expected.clone(), failovers: Vec::new() });
        for k in 0..faults.calls() {
            for (faults, for_good) in [(Faults::once(k), false), (Faults::from(k), true)] {
                let ended = job(&pair(&faults), policy, &faults, &mut Vec::new());
                let case = format!("{policy:?}, call {k}, for good: {for_good}");
                assert_eq!(faults.live(), 0, "{case}: regions are given back");
                let call = faults.failed()[0];
                let kernel = starts.iter().position(|start| start.contains(&k));
                let is_saved = match (policy, kernel) {
                    (RecoveryPolicy::None, _) | (_, None) => false,
                    (RecoveryPolicy::Written, _) => !for_good,
                    (RecoveryPolicy::All, Some(kernel)) => {
                        !for_good || call == Call::Launch && kernel != LOSING
                    }
                };
                if is_saved {
                    assert_eq!(
                        ended,
                        Ok(Ended { values: expected.clone(), failovers: vec![(1, 1, 0)] }),
                        "{case}"
                    );
                    assert_eq!(faults.failed().len(), 1, "{case}: it is not asked again");
                    kinds.push((policy, call));
                    continue;
                }
                let error = ended.expect_err(&case).to_string();
                assert!(error.contains(" is to fail"), "{case}: {error}");
                let is_lost = kernel.is_some() && policy != RecoveryPolicy::None;
                assert_eq!(error.contains("interpreter: what it had of `"), is_lost, "{case}: {error}");
            }
        }
    }
    for policy in [RecoveryPolicy::Written, RecoveryPolicy::All] {
        for call in [Call::Read, Call::Launch] {
            assert!(kinds.contains(&(policy, call)), "{call:?}, {policy:?}");
        }
    }
}

/// Fails every call to a device while kernels run: threads take over.
pub fn check(device: &Arc<dyn Executor>) {
    let expected = expected();
    let context = |faults: &Arc<Faults>| {
        let faulty = Faulty::executor(device.clone(), faults.clone());
        Context::of(vec![devices(1).remove(0), faulty]).unwrap()
    };
    let (faults, mut starts) = (Faults::none(), Vec::new());
    job(&context(&faults), RecoveryPolicy::All, &faults, &mut starts).unwrap();
    for k in starts.into_iter().flatten() {
        let faults = Faults::once(k);
        let ended = job(&context(&faults), RecoveryPolicy::All, &faults, &mut Vec::new());
        assert_eq!(ended, Ok(Ended { values: expected.clone(), failovers: vec![(1, 1, 0)] }), "call {k}");
        assert_eq!(faults.live(), 0, "call {k}: regions are given back");
    }
}

/// Three devices. The last one has no part: it takes over from the second, which fails at its first launch.
fn with_a_spare(spare: &Arc<Faults>) -> (Arc<Context>, Arc<Faults>) {
    let (count, mut starts) = (Faults::none(), Vec::new());
    job(&pair(&count), RecoveryPolicy::All, &count, &mut starts).unwrap();
    let launch = |k: &u64| {
        let faults = Faults::once(*k);
        job(&pair(&faults), RecoveryPolicy::All, &faults, &mut Vec::new()).is_ok()
            && faults.failed() == [Call::Launch]
    };
    let gone = Faults::from(starts[0].clone().find(launch).expect("it runs a kernel"));
    let mut devices = devices(3);
    devices[1] = Faulty::executor(devices[1].clone(), gone.clone());
    devices[2] = Faulty::executor(devices[2].clone(), spare.clone());
    let weighted = devices.into_iter().zip([1, 1, 0]).collect();
    (Context::weighted(weighted, Arc::new(Single)).unwrap(), gone)
}

#[test]
fn who_takes_over_may_fail_as_well() {
    let expected = expected();
    let (spare, mut starts) = (Faults::none(), Vec::new());
    let (context, _) = with_a_spare(&spare);
    let ended = job(&context, RecoveryPolicy::All, &spare, &mut starts);
    assert_eq!(ended, Ok(Ended { values: expected.clone(), failovers: vec![(1, 1, 2)] }));
    let mut kinds = Vec::new();
    for k in 0..spare.calls() {
        for (spare, for_good) in [(Faults::once(k), false), (Faults::from(k), true)] {
            let (context, gone) = with_a_spare(&spare);
            let ended = job(&context, RecoveryPolicy::All, &spare, &mut Vec::new());
            drop(context);
            let case = format!("call {k}, for good: {for_good}");
            assert_eq!((gone.live(), spare.live()), (0, 0), "{case}: regions are given back");
            let call = spare.failed()[0];
            let kernel = starts.iter().position(|start| start.contains(&k));
            if kernel.is_some() && !for_good || call == Call::Launch && kernel != Some(LOSING) {
                let ended = ended.expect(&case);
                assert_eq!(ended.values, expected, "{case}");
                assert_eq!(ended.failovers[..2], [(1, 1, 2), (1, 2, 0)], "{case}");
                kinds.push(call);
                continue;
            }
            match ended {
                Ok(ended) => assert_eq!(ended.values, expected, "{case}"),
                Err(error) => assert!(error.to_string().contains(" is to fail"), "{case}: {error}"),
            }
        }
    }
    for call in [Call::Allocate, Call::Write, Call::Read, Call::Launch] {
        assert!(kinds.contains(&call), "{call:?}");
    }
}

#[test]
fn a_device_of_another_process_may_fail() {
    let expected = expected();
    let run = |faults: &Arc<Faults>| {
        ThreadsAsRanks::run(2, |network: Arc<dyn Network>| {
            let (mut devices, mut starts, rank) = (devices(2), Vec::new(), network.rank());
            if rank == 1 {
                devices[0] = Faulty::executor(devices[0].clone(), faults.clone());
            }
            let context = Context::among(devices, network).unwrap();
            (job(&context, RecoveryPolicy::Written, faults, &mut starts).unwrap(), starts)
        })
    };
    let calls = run(&Faults::none()).remove(1).1;
    for k in calls.into_iter().flatten() {
        let faults = Faults::once(k);
        let ended = run(&faults);
        for (rank, failovers) in [vec![], vec![(0, 0, 1)]].into_iter().enumerate() {
            assert_eq!(ended[rank].0, Ended { values: expected.clone(), failovers }, "call {k}, rank {rank}");
        }
        assert_eq!(faults.live(), 0);
    }
}

const ADD: &str = "
    kernel add(lane: u64, first: u64) {
        buffer own: write i64;
        own[lane - first] = own[lane - first] + (lane as i64);
    }";

fn adding(context: &Arc<Context>, own: impl Into<Argument>, policy: RecoveryPolicy) -> Kernel {
    let mut add = Kernel::new(context, function(ADD)).unwrap();
    add.set_recovery(policy);
    add.set("first", Argument::First).unwrap();
    add.set("own", own).unwrap();
    add
}

/// A device that is gone at its first launch, when a kernel for an array was built, and everything else besides.
fn gone(make: impl Fn(&Arc<Context>)) -> (Arc<Context>, Arc<Faults>) {
    let count = Faults::none();
    make(&pair(&count));
    let faults = Faults::from(count.calls());
    let context = pair(&faults);
    (context, faults)
}

#[test]
fn a_context_goes_on_without_the_device() {
    let zeros = |context: &Arc<Context>| Arc::new(Array::new(context, Layout::of(Type::I64), 4).unwrap());
    // What the kernel reads first, for its copy, is all that is left of the device.
    let (context, faults) = gone(|context| {
        let (one, _other) = (zeros(context), zeros(context));
        let add = adding(context, one.clone(), RecoveryPolicy::Written);
        one.region(1).read(0, &mut [0; 16]).unwrap();
        drop(add);
    });
    let (one, other) = (zeros(&context), zeros(&context));
    let add = adding(&context, one.clone(), RecoveryPolicy::Written);
    assert_eq!(add.start(4, None), Ok(()));
    assert_eq!(add.start(4, None), Ok(()));
    assert_eq!(one.values::<i64>(), Ok(vec![0, 2, 4, 6]));
    assert_eq!((context.acting(0), context.acting(1), one.place(1), other.place(1)), (0, 0, 0, 1));
    let failed = faults.failed().len();
    // Contents without a copy are lost, whether a kernel uses them or not.
    let lost = adding(&context, other.clone(), RecoveryPolicy::All);
    for error in [lost.start(4, None).unwrap_err(), other.values::<i64>().unwrap_err()] {
        assert!(matches!(&error, Error::Transfer(why) if why.contains("is to fail")), "{error}");
    }
    assert_eq!(faults.failed().len(), failed + 2);
    // New values, new contents and new kernels do not ask the device.
    other.fill(&[1_i64, 2, 3, 4]).unwrap();
    assert_eq!(lost.start(4, None), Ok(()));
    assert_eq!(other.values::<i64>(), Ok(vec![1, 3, 5, 7]));
    let new = zeros(&context);
    let add = adding(&context, new.clone(), RecoveryPolicy::None);
    assert_eq!((add.built().len(), add.start(4, None)), (1, Ok(())));
    assert_eq!(new.values::<i64>(), Ok(vec![0, 1, 2, 3]));
    assert_eq!(faults.failed().len(), failed + 2);
    let told = context.failovers();
    let [it] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((it.part, it.from, it.to), (1, 1, 0));
    assert!(matches!(&it.error, Error::Launch(why) if why.starts_with("interpreter: call ")), "{it:?}");
}

#[test]
fn without_another_device_nothing_is_copied() {
    let alone = |faults: &Arc<Faults>, policy: RecoveryPolicy| {
        let context = Context::of(vec![Faulty::executor(devices(1).remove(0), faults.clone())]).unwrap();
        let own = Arc::new(Array::new(&context, Layout::of(Type::I64), 4).unwrap());
        (adding(&context, own, policy).start(4, None), context.failovers())
    };
    let calls = [RecoveryPolicy::None, RecoveryPolicy::All].map(|policy| {
        let faults = Faults::none();
        assert_eq!(alone(&faults, policy), (Ok(()), Vec::new()));
        faults.calls()
    });
    assert_eq!(calls[0], calls[1]);
    let (end, failovers) = alone(&Faults::once(calls[0] - 1), RecoveryPolicy::All);
    assert!(end.is_err_and(|error| error.to_string().contains("threads: call ")) && failovers.is_empty());
}

/// A content that does not know how to move.
struct Fixed(Array);

impl Content for Fixed {
    fn kind(&self) -> &str {
        "Fixed"
    }

    fn layout(&self) -> Layout {
        self.0.layout()
    }

    fn elements(&self) -> u64 {
        self.0.elements()
    }

    fn held(&self, device: usize) -> Range<u64> {
        self.0.held(device)
    }

    fn owned(&self, device: usize) -> Range<u64> {
        self.0.owned(device)
    }

    fn is_split(&self) -> bool {
        true
    }

    fn region(&self, device: usize) -> Arc<dyn Region> {
        self.0.region(device)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

#[test]
fn contents_that_cannot_be_moved() {
    let fixed =
        |context: &Arc<Context>| Arc::new(Fixed(Array::new(context, Layout::of(Type::I64), 4).unwrap()));
    let (context, faults) = gone(|context| {
        let own = fixed(context);
        adding(context, own.clone(), RecoveryPolicy::Written);
        own.region(1).read(0, &mut [0; 16]).unwrap();
    });
    let error = adding(&context, fixed(&context), RecoveryPolicy::Written).start(4, None).unwrap_err();
    assert_eq!(error.to_string(), "what device 1 has of a content of kind Fixed cannot be moved");
    assert_eq!((context.failovers().len(), faults.failed().len()), (1, 1));
}

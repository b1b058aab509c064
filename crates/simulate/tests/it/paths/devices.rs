//! Paths on devices, against paths on threads: the same bits, whoever runs them, and whatever goes wrong.

use crate::paths::random::{measure, random_chain};
use crate::paths::{DIE, MAX_STEPS, TANDEM, exchanged};
use crate::support::plan;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use volvelle_control::Control;
use volvelle_kernel::interp::Interpreter;
use volvelle_prism::testing::Choices;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_runtime::{Executor, Technology};
use volvelle_simulate::device::{DevicePaths, DeviceVariant, Layout};
use volvelle_simulate::engine::{Outcome, Remote};
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::{Limits, Plan};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::sample::{Request, Sampled, sample};
use volvelle_streams::Generator;
use volvelle_technologies::testing::devices;
use volvelle_technologies::{OpenCl, Threads};

/// Everything that can run kernels here.
pub fn executors() -> &'static [Arc<dyn Executor>] {
    static FOUND: OnceLock<Vec<Arc<dyn Executor>>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let threads = Threads::new(NonZeroUsize::new(3).expect("it is not zero"));
        let technologies: [&dyn Technology; 3] =
            [&volvelle_technologies::Interpreter, &threads, &OpenCl::default()];
        technologies.into_iter().flat_map(devices).collect()
    })
}

fn ways() -> Vec<DeviceVariant> {
    let located = |locations| DeviceVariant {
        layout: Layout::Single,
        locations: Some(Limits { locations, statements: 1 << 12 }),
    };
    Layout::ALL.into_iter().map(DeviceVariant::general).chain([located(4), located(32)]).collect()
}

/// The ways to run the paths of a plan on a device that are compared: one of them where compilers take their time.
fn chosen(plan: &Plan, executor: &dyn Executor, number: usize) -> Vec<DeviceVariant> {
    let mut all: Vec<DeviceVariant> = ways().into_iter().filter(|way| way.kernel(plan).is_some()).collect();
    if executor.name().starts_with("opencl") {
        all = vec![all[number % all.len()]];
    }
    all
}

/// A device that gets a few blocks at once.
struct Device {
    paths: Option<Arc<DevicePaths>>,
    runs: AtomicUsize,
}

impl Device {
    fn new(plan: &Plan, executor: &Arc<dyn Executor>, way: DeviceVariant) -> Self {
        Self::of(DevicePaths::new(plan, Arc::clone(executor), way).ok().map(Arc::new))
    }

    fn of(paths: Option<Arc<DevicePaths>>) -> Self {
        Device { paths, runs: AtomicUsize::new(0) }
    }
}

impl Remote for Device {
    fn is_ready(&self, _: &dyn Fn() -> bool) -> bool {
        self.paths.is_some()
    }

    fn wanted(&self) -> u64 {
        3
    }

    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Option<Outcome> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.paths.as_ref()?.run(seed, paths, max_steps).ok()
    }
}

/// What is found with devices, and without.
fn with_devices(
    plan: &Plan,
    devices: &[Device],
    threads_too: bool,
    paths: u64,
) -> (Sampled, Option<volvelle_simulate::sample::Ended>) {
    let runner = Runner::scalar(plan, &Interpreter).expect("it compiles");
    let remotes: Vec<&dyn Remote> = devices.iter().map(|device| device as &dyn Remote).collect();
    let request = Request::new(11, 3, paths, MAX_STEPS, &plan.monitors);
    let request = Request { remotes: &remotes, threads_too, ..request };
    sample(&runner, &request, &Control::unlimited(), |_, _| false)
}

#[test]
fn random_models_run_alike_on_all_devices() {
    let (mut models, mut failed, mut given_up) = (0, 0, 0);
    for seed in 0..14 {
        let mut choices = Choices::from_seed(seed);
        let Some((mut program, text)) = random_chain(&mut choices) else { continue };
        let count = 1 + choices.below(4);
        let measures: Vec<Measure> = (0..count).map(|_| measure(&mut program, &mut choices)).collect();
        let generator = *choices.pick(&[Generator::Xoshiro128PlusPlus, Generator::Philox4x32]);
        let Ok(plan) = Plan::new(program, measures, Vec::new(), generator) else { continue };
        models += 1;
        let runner = Runner::scalar(&plan, &Interpreter).expect("it compiles");
        let mut expected = Paths::default();
        let outcome = runner.run(seed, 5..305, 200, &mut expected);
        failed += usize::from(outcome.is_err());
        for executor in executors() {
            for way in chosen(&plan, &**executor, models) {
                let context =
                    format!("seed {seed}, {way:?} on {}: {:?}\n{text}", executor.name(), plan.measures);
                let device = DevicePaths::new(&plan, Arc::clone(executor), way).expect("it can be built");
                let found = device.tell(seed, 5..305, 200).expect("the device does not fail");
                let (Ok(()), Some(found)) = (&outcome, &found) else {
                    assert_eq!(outcome.is_err(), found.is_none(), "{context}");
                    continue;
                };
                assert_eq!(found.status, expected.status, "{context}");
                for path in 0..300 {
                    if expected.is_given_up(path) {
                        given_up += 1;
                        continue;
                    }
                    let bits = |row: &[f64]| row.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
                    assert_eq!(bits(found.row(path)), bits(expected.row(path)), "path {path}, {context}");
                }
            }
        }
    }
    assert!(
        models > 5 && failed > 0 && given_up > 0,
        "{models} models, {failed} failed, {given_up} given up"
    );
}

const CURVES: &str =
    "P=? [ F<=1.5 x=c & y=c ]; R{\"jobs\"}=? [ C<=2 ]; R{\"jobs\"}=? [ I=1 ]; P=? [ F<=0.5 x=c & y=c ];
    R{\"jobs\"}=? [ I=0 ]; R{\"jobs\"}=? [ C<=0.3 ]; P=? [ G<=1 x<c | y<c ]; R{\"jobs\"}=? [ I=1.7 ]";

#[test]
fn samples_are_those_of_threads() {
    for (model, properties, paths) in [
        (DIE, "P=? [ F s=7 & d=3 ]; R{\"flips\"}=? [ F s=7 ]; R=? [ F d=1 ]", 5000),
        (TANDEM, CURVES, 3001),
        (TANDEM, "R{\"jobs\"}=? [ I=1 ]", 2500),
    ] {
        let (plan, _) = plan(model, properties, Generator::default());
        let expected = exchanged::bits(&with_devices(&plan, &[], true, paths));
        for executor in executors() {
            for way in chosen(&plan, &**executor, paths as usize) {
                let kernels = DevicePaths::new(&plan, Arc::clone(executor), way).expect("it can be built");
                let kernels = Arc::new(kernels);
                for (count, threads_too) in [(1, true), (1, false), (2, false)] {
                    let devices: Vec<Device> =
                        (0..count).map(|_| Device::of(Some(Arc::clone(&kernels)))).collect();
                    let found = exchanged::bits(&with_devices(&plan, &devices, threads_too, paths));
                    assert_eq!(found, expected, "{way:?} on {}", executor.name());
                    let runs: usize = devices.into_iter().map(|device| device.runs.into_inner()).sum();
                    assert!(threads_too || runs > 2, "{way:?} on {} ran nothing", executor.name());
                }
            }
        }
    }
}

#[test]
fn another_way_needs_no_more_than_its_kernel() {
    let (plan, _) = plan(TANDEM, CURVES, Generator::default());
    let faults = Faults::none();
    let executor = Faulty::executor(Arc::clone(&executors()[1]), Arc::clone(&faults));
    let first =
        DevicePaths::new(&plan, executor, DeviceVariant::general(Layout::Single)).expect("it can be built");
    let bits = |device: &DevicePaths| {
        let found = device.tell(7, 0..2000, MAX_STEPS).expect("the device does not fail");
        let rows = found.expect("no path fails").values;
        let Ok(Outcome::Ended(sums)) = device.run(7, 0..2000, MAX_STEPS) else { panic!("no path fails") };
        (rows.iter().map(|value| value.to_bits()).collect::<Vec<u64>>(), format!("{sums:?}"))
    };
    let expected = bits(&first);
    for way in ways() {
        let Some(portable) = way.kernel(&plan) else { continue };
        let (calls, regions) = (faults.calls(), faults.live());
        let other = first.in_another_way(way, portable).expect("it can be built");
        assert_eq!((faults.calls(), faults.live()), (calls + 1, regions), "{way:?} is no more than built");
        assert_eq!(bits(&other), expected, "{way:?}");
        assert_eq!(faults.live(), regions, "{way:?} has the room of the first");
    }
    drop(first);
    assert_eq!(faults.live(), 0);
}

/// Whichever call of a run fails, once or from then on, the result is the same, and no resource leaks.
#[test]
fn devices_that_fail_lose_nothing() {
    let (plan, _) = plan(TANDEM, CURVES, Generator::default());
    let expected = exchanged::bits(&with_devices(&plan, &[], true, 2100));
    let healthy = &executors()[1];
    let run = |faults: &Arc<Faults>, with_healthy: bool| {
        let threads = Threads::new(NonZeroUsize::MIN);
        let faulty = Faulty::new(Arc::new(threads), Arc::clone(faults));
        // It may fail to open: then it is not there.
        let executor = faulty.open(0).ok();
        let way = DeviceVariant::general(Layout::Single);
        let mut devices: Vec<Device> =
            executor.iter().map(|executor| Device::new(&plan, executor, way)).collect();
        devices.extend(with_healthy.then(|| Device::new(&plan, healthy, way)));
        let found = with_devices(&plan, &devices, false, 2100);
        assert_eq!(exchanged::bits(&found), expected);
    };
    // Alone, it gets all of the work, however busy the machine is.
    let faults = Faults::none();
    run(&faults, false);
    let calls = faults.calls();
    assert!(calls > 20, "{calls} calls");
    for k in 0..calls {
        for faults in [Faults::once(k), Faults::from(k)] {
            run(&faults, true);
            assert_eq!(faults.live(), 0, "regions are left, call {k}");
        }
    }
}

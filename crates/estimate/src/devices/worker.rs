//! The worker of a device: compiles its kernels, adapts the number of paths of a launch, and selects the fastest layout.

use super::failure::DeviceFailure;
use crate::tiers::throughput::{Throughput, TrialRules, Work as RangeWork};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::Fact;
use volvelle_control::amounts::counted;
use volvelle_kernel::Kernel;
use volvelle_runtime::{Error, Executor, Place, SelectedDevice};
use volvelle_simulate::device::{DevicePaths, DeviceVariant, Layout};
use volvelle_simulate::engine::{Outcome, Remote};
use volvelle_simulate::path::{Limits, Plan};
use volvelle_simulate::sample::BLOCK;

/// Duration of a launch that the number of its paths is adapted to.
const TARGET: Duration = Duration::from_millis(100);
/// Limit of the share of the remaining time that a launch takes.
const SHARE_OF_REST: f64 = 0.1;
/// Bytes that the rows of the paths of a launch may take on a device.
const MOST_BYTES: u64 = 1 << 30;
/// Usual time to open a device and to compile its kernels. A device not named by the user starts once
/// sampling has taken as long.
const PATIENCE: Duration = Duration::from_millis(400);
/// Interval at which a waiting worker polls.
const POLL: Duration = Duration::from_millis(5);
/// Limit of statements of code specialised over control locations, since device compilers take long for more.
const MOST_STATEMENTS: usize = 20_000;
/// Another layout is tried when the device has worked this many times as long as the last compilation took.
const WORK_BEFORE_MORE: f64 = 3.0;
/// Factor by which the next kernels may take longer to compile than the last.
const GROWTH: f64 = 3.0;

/// The worker of one device.
pub(super) struct DeviceWorker {
    device: Arc<SelectedDevice>,
    plan: Arc<Plan>,
    /// Start of sampling, if the device waits until it pays.
    waits_since: Option<Instant>,
    state: Mutex<State>,
}

struct State {
    /// Blocks of the next launch.
    blocks: u64,
    /// End of sampling.
    deadline: Option<Instant>,
    candidates: Vec<Candidate>,
    /// Throughput statistics of the candidates; the first entry exists before the first candidate.
    throughput: Throughput,
    /// Layouts that have not been tried, the next one last.
    waiting: Vec<DeviceVariant>,
    /// Seconds that the last kernels took to compile.
    compile_seconds: f64,
    error: Option<Error>,
}

/// A layout with its compiled kernels.
struct Candidate {
    paths: Arc<DevicePaths>,
    kernel: Kernel,
}

/// The work of a device.
pub(super) struct Work {
    pub name: String,
    pub steps: u64,
    pub facts: Vec<Fact>,
}

impl DeviceWorker {
    pub fn new(device: &Arc<SelectedDevice>, plan: &Arc<Plan>, deadline: Option<Instant>) -> Self {
        DeviceWorker {
            device: Arc::clone(device),
            plan: Arc::clone(plan),
            waits_since: (!device.is_requested).then(Instant::now),
            state: Mutex::new(State {
                blocks: 0,
                deadline,
                candidates: Vec::new(),
                throughput: Throughput::new(TrialRules::DEVICES),
                waiting: Vec::new(),
                compile_seconds: 0.0,
                error: None,
            }),
        }
    }

    /// Sets the time at which sampling ends.
    pub fn set_deadline(&self, deadline: Option<Instant>) {
        self.lock().deadline = deadline;
    }

    /// The failure of a device named by the user. Failures of other devices are not reported.
    pub fn failure(&self) -> Option<DeviceFailure> {
        let error = self.lock().error.clone().filter(|_| self.device.is_requested)?;
        let device =
            self.device.executor().map_or("a device".to_owned(), |executor| executor.name().to_owned());
        Some(DeviceFailure { device, error })
    }

    /// The work so far; `None` before the first launch.
    pub fn work(&self) -> Option<Work> {
        let state = self.lock();
        let name = state.candidates.first()?.paths.executor().name().to_owned();
        let fact = |(candidate, ran): (&Candidate, RangeWork)| {
            let built = candidate.paths.built();
            let origin = if built.from_cache { "found" } else { "compiled" };
            let why = format!(
                "steps per second of {} on {name}, {}, kernels {origin} in {:.0} ms",
                counted(ran.paths, "path"),
                describe(candidate.paths.way()),
                1e3 * built.compile_time.as_secs_f64(),
            );
            Fact::number("device", ran.steps_per_second()).because(why)
        };
        let ran = |(who, candidate)| (candidate, state.throughput.work(who));
        let ran = state.candidates.iter().enumerate().map(ran).filter(|(_, ran)| ran.paths > 0);
        let facts: Vec<Fact> = ran.map(fact).collect();
        let steps = state.throughput.all().steps;
        (!facts.is_empty()).then_some(Work { name, steps, facts })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles the kernels of the next layout that has any; `false` if none is left.
    fn compile_next(&self) -> Result<bool, Error> {
        let executor = self.device.executor()?;
        loop {
            let Some(way) = self.lock().waiting.pop() else { return Ok(false) };
            let start = Instant::now();
            let Some(portable) = way.kernel(&self.plan) else { continue };
            let kernel = portable.kernel.clone();
            let first = {
                let state = self.lock();
                if state.candidates.iter().any(|candidate| candidate.kernel == kernel) {
                    continue;
                }
                state.candidates.first().map(|candidate| Arc::clone(&candidate.paths))
            };
            let paths = Arc::new(match first {
                Some(first) => first.in_another_way(way, portable)?,
                None => DevicePaths::with_kernel(&self.plan, Arc::clone(executor), way, portable)?,
            });
            let mut state = self.lock();
            state.compile_seconds = start.elapsed().as_secs_f64();
            if !state.candidates.is_empty() {
                state.throughput.enter();
            }
            state.candidates.push(Candidate { paths, kernel });
            return Ok(true);
        }
    }

    /// Compiles the kernels of another layout if this will probably pay. Drops a layout that does not
    /// compile.
    fn try_another(&self) {
        let pays = {
            let state = self.lock();
            let expected = GROWTH * state.compile_seconds;
            let left = state.deadline.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
            !state.waiting.is_empty()
                && state.throughput.is_settled()
                && state.throughput.all().seconds > WORK_BEFORE_MORE * state.compile_seconds
                && left.is_none_or(|left| left > 2.0 * expected)
        };
        if pays {
            // A layout that fails here is not tried again; the candidates continue.
            let _ = self.compile_next();
        }
    }

    /// Most blocks of a launch.
    fn most_blocks(&self) -> u64 {
        let columns = self.plan.monitors.columns() as u64;
        (MOST_BYTES / (8 * BLOCK * (columns + 1))).max(1)
    }

    /// Seconds that the next launch should take.
    fn target(deadline: Option<Instant>) -> f64 {
        let target = TARGET.as_secs_f64();
        let Some(deadline) = deadline else { return target };
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        target.min(SHARE_OF_REST * left)
    }
}

/// The layouts to try on a device, the first one last. On a CPU, work items run independently and branches
/// are cheap; on other devices, lanes wait for their neighbours.
fn ways(executor: &dyn Executor) -> Vec<DeviceVariant> {
    let located = |locations| DeviceVariant {
        layout: Layout::Single,
        locations: Some(Limits { locations, statements: MOST_STATEMENTS }),
    };
    match executor.offer().device.place {
        Place::Host => vec![located(1024), located(64), DeviceVariant::general(Layout::Single)],
        _ => [Layout::Single, Layout::Strided, Layout::Claimed].map(DeviceVariant::general).to_vec(),
    }
}

/// Names a layout in facts.
fn describe(way: DeviceVariant) -> String {
    let layout = match way.layout {
        Layout::Single => "one lane per path",
        Layout::Strided => "lanes with their own paths",
        Layout::Claimed => "lanes that take the next path",
    };
    match way.locations {
        None => layout.to_owned(),
        Some(limits) => format!("{layout}, up to {} locations", limits.locations),
    }
}

impl Remote for DeviceWorker {
    fn is_ready(&self, is_needed: &dyn Fn() -> bool) -> bool {
        while self.waits_since.is_some_and(|since| since.elapsed() < PATIENCE) {
            if !is_needed() {
                return false;
            }
            std::thread::sleep(POLL);
        }
        if !self.lock().candidates.is_empty() {
            return true;
        }
        let ready = self.device.executor().and_then(|executor| {
            self.lock().waiting = ways(&**executor);
            self.compile_next()
        });
        let mut state = self.lock();
        match (ready, state.candidates.first()) {
            (Ok(_), Some(candidate)) => {
                // The speed is not known yet.
                state.blocks = candidate.paths.blocks().div_ceil(16);
                true
            }
            (Ok(_), None) => false,
            (Err(error), _) => {
                state.error = Some(error);
                false
            }
        }
    }

    fn wanted(&self) -> u64 {
        self.lock().blocks
    }

    fn run(&self, seed: u64, range: Range<u64>, max_steps: u32) -> Option<Outcome> {
        self.try_another();
        let (turn, paths) = {
            let mut state = self.lock();
            let turn = state.throughput.next_turn();
            (turn, Arc::clone(&state.candidates.get(turn.who)?.paths))
        };
        let start = Instant::now();
        let outcome = paths.run(seed, range.clone(), max_steps);
        let seconds = start.elapsed().as_secs_f64();
        let mut state = self.lock();
        let mut work = RangeWork::default();
        let outcome = match outcome {
            Ok(outcome) => {
                if let Outcome::Ended(summaries) = &outcome {
                    let count = range.end - range.start;
                    let steps = summaries.iter().map(|summary| summary.steps).sum::<u64>();
                    work = RangeWork { paths: count, steps, seconds };
                    let blocks = count.div_ceil(BLOCK);
                    // Fewer paths than lanes take no less time.
                    let least = paths.blocks().div_ceil(16).min(self.most_blocks());
                    let wanted = blocks as f64 * Self::target(state.deadline) / seconds.max(1e-6);
                    let wanted = (wanted as u64).clamp(blocks.div_ceil(4), 4 * blocks);
                    state.blocks = wanted.clamp(least, self.most_blocks());
                }
                Some(outcome)
            }
            Err(error) => {
                state.error = Some(error);
                None
            }
        };
        state.throughput.ran(turn, work);
        outcome
    }
}

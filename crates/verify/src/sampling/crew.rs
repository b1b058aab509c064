//! Devices that run paths beside the threads, or in their place.
//!
//! A device that somebody asked for gets its kernels at once. One that nobody asked for gets them when sampling has taken as long
//! as that may take: what is lost by that is never more than what had to be done anyhow. How many paths a device gets at once is
//! measured, so that it comes back several times a second. A device that fails is not asked again; others run its paths.

use super::complaints;
use super::tiers::Account;
use crate::devices::{Devices, Member};
use crate::limits::counted;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::{Control, Fact};
use volvelle_diagnostics::Diagnostic;
use volvelle_runtime::{Error, Executor, Place};
use volvelle_simulate::device::{DevicePaths, Layout, Outcome, Way};
use volvelle_simulate::engine::Remote;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::BLOCK;

/// What a device should take for the paths that it gets at once.
const TARGET: Duration = Duration::from_millis(100);
/// Where time is short, at most this share of what is left.
const SHARE_OF_REST: f64 = 0.1;
/// Bytes that rows of paths may take on a device.
const MOST_BYTES: u64 = 1 << 30;
/// What it may take to open a device and make its kernels: before sampling has taken as long, nobody begins with that unasked.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often somebody who waits looks around.
const LOOK: Duration = Duration::from_millis(5);

/// The devices that run the paths of a plan.
pub(super) struct Crew {
    stations: Vec<Station>,
    threads_too: bool,
}

/// One device.
struct Station {
    member: Arc<Member>,
    plan: Arc<Plan>,
    /// Since when paths are run, if the device has to wait until it pays.
    waits_since: Option<Instant>,
    paths: OnceLock<Option<DevicePaths>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Blocks that it gets next.
    blocks: u64,
    /// Until when paths are run.
    deadline: Option<Instant>,
    paths: u64,
    steps: u64,
    seconds: f64,
    trouble: Option<Error>,
}

impl Crew {
    /// Devices for the paths of a plan.
    pub fn new(devices: &Devices, plan: &Arc<Plan>, control: &Control<'_>) -> Self {
        let now = Instant::now();
        let station = |member: &Arc<Member>| Station {
            member: Arc::clone(member),
            plan: Arc::clone(plan),
            waits_since: (!member.is_asked).then_some(now),
            paths: OnceLock::new(),
            state: Mutex::new(State { deadline: control.limits.deadline, ..State::default() }),
        };
        Crew {
            stations: devices.members().iter().map(station).collect(),
            threads_too: !devices.are_without_threads(),
        }
    }

    /// For sampling.
    pub fn remotes(&self) -> Vec<&dyn Remote> {
        self.stations.iter().map(|station| station as &dyn Remote).collect()
    }

    /// Whether threads work as well.
    pub fn threads_too(&self) -> bool {
        self.threads_too
    }

    /// Until when paths are run, from now on.
    pub fn until(&self, deadline: Option<Instant>) {
        for station in &self.stations {
            station.lock().deadline = deadline;
        }
    }

    /// What ran the paths, given what threads did.
    pub fn account(&self, mut threads: Account) -> Account {
        for station in &self.stations {
            let state = station.lock();
            if state.paths == 0 {
                continue;
            }
            let Some(paths) = station.paths.get().and_then(Option::as_ref) else { continue };
            let (built, name) = (paths.built(), paths.executor().name());
            let speed = state.steps as f64 / state.seconds.max(1e-9);
            let made = if built.from_cache { "found" } else { "compiled" };
            let why = format!(
                "steps a second of {} on {}, kernels {made} in {:.0} ms",
                counted(state.paths, "path"),
                name,
                1e3 * built.compile_time.as_secs_f64(),
            );
            threads.facts.push(Fact::number("device", speed).because(why));
            if state.steps > threads.steps {
                threads.tier = name.to_owned();
                threads.steps = state.steps;
            }
        }
        threads
    }

    /// Devices that failed, in words.
    pub fn troubles(&self) -> Vec<Diagnostic> {
        let trouble = |station: &Station| {
            let error = station.lock().trouble.clone()?;
            let name = station.member.executor().map_or("a device", |executor| executor.name());
            // Nobody asked for it: then nobody wants to hear about it.
            station.member.is_asked.then(|| complaints::of_device(name, &error))
        };
        self.stations.iter().filter_map(trouble).collect()
    }
}

/// How paths are laid out on a device. Processors do not wait for each other; lanes of other devices wait for those beside them.
fn way(executor: &dyn Executor) -> Way {
    match executor.offer().device.place {
        Place::Host => Way::general(Layout::Single),
        _ => Way::general(Layout::Claimed),
    }
}

impl Station {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernels; made when they are first asked for.
    fn paths(&self) -> Option<&DevicePaths> {
        let made = self.paths.get_or_init(|| {
            let made = self
                .member
                .executor()
                .and_then(|executor| DevicePaths::new(&self.plan, Arc::clone(executor), way(&**executor)));
            made.map_err(|error| self.lock().trouble = Some(error)).ok()
        });
        made.as_ref()
    }

    /// Blocks that it can have at once.
    fn most_blocks(&self) -> u64 {
        let columns = self.plan.monitors.columns() as u64;
        (MOST_BYTES / (8 * BLOCK * (columns + 1))).max(1)
    }

    /// Seconds that the next paths should take.
    fn target(deadline: Option<Instant>) -> f64 {
        let target = TARGET.as_secs_f64();
        let Some(deadline) = deadline else { return target };
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        target.min(SHARE_OF_REST * left)
    }
}

impl Remote for Station {
    fn is_ready(&self, is_needed: &dyn Fn() -> bool) -> bool {
        while self.waits_since.is_some_and(|since| since.elapsed() < PATIENCE) {
            if !is_needed() {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        let Some(paths) = self.paths() else { return false };
        let mut state = self.lock();
        if state.blocks == 0 {
            // Nobody knows yet how long they take.
            state.blocks = paths.blocks().div_ceil(16);
        }
        true
    }

    fn wanted(&self) -> u64 {
        self.lock().blocks
    }

    fn run(&self, seed: u64, range: Range<u64>, max_steps: u32) -> Option<Outcome> {
        let paths = self.paths()?;
        let start = Instant::now();
        let outcome = paths.run(seed, range.clone(), max_steps);
        let seconds = start.elapsed().as_secs_f64();
        let mut state = self.lock();
        match outcome {
            Ok(outcome) => {
                if let Outcome::Ended(summaries) = &outcome {
                    let count = range.end - range.start;
                    state.paths += count;
                    state.steps += summaries.iter().map(|summary| summary.steps).sum::<u64>();
                    state.seconds += seconds;
                    let blocks = count.div_ceil(BLOCK);
                    // Less than lanes for all takes no less time.
                    let least = paths.blocks().div_ceil(16).min(self.most_blocks());
                    let wanted = blocks as f64 * Self::target(state.deadline) / seconds.max(1e-6);
                    let wanted = (wanted as u64).clamp(blocks.div_ceil(4), 4 * blocks);
                    state.blocks = wanted.clamp(least, self.most_blocks());
                }
                Some(outcome)
            }
            Err(error) => {
                state.trouble = Some(error);
                None
            }
        }
    }
}

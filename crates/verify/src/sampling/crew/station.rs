//! A device at work: its kernels, how many paths it gets at once, and which way to run them it is best at.

use crate::devices::Member;
use crate::limits::counted;
use crate::sampling::tiers::{self, Rules, Scores};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::Fact;
use volvelle_kernel::Kernel;
use volvelle_runtime::{Error, Executor, Place};
use volvelle_simulate::device::{DevicePaths, Layout, Outcome, Way};
use volvelle_simulate::engine::Remote;
use volvelle_simulate::path::{Limits, Plan};
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
/// Statements of code for control locations at most: compilers of devices take long for more.
const MOST_STATEMENTS: usize = 20_000;
/// Other ways are tried when the device has worked this many times as long as it took to make the kernels of the last.
const WORK_BEFORE_MORE: f64 = 3.0;
/// How much longer the next kernels may take to make than the last.
const GROWTH: f64 = 3.0;

/// One device.
pub(super) struct Station {
    member: Arc<Member>,
    plan: Arc<Plan>,
    /// Since when paths are run, if the device has to wait until it pays.
    waits_since: Option<Instant>,
    state: Mutex<State>,
}

struct State {
    /// Blocks that it gets next.
    blocks: u64,
    /// Until when paths are run.
    deadline: Option<Instant>,
    entrants: Vec<Entrant>,
    /// Of the entrants; the first is there before anybody has entered.
    scores: Scores,
    /// Ways that have not been tried, the last one first.
    waiting: Vec<Way>,
    /// Seconds that making the last kernels took.
    making: f64,
    trouble: Option<Error>,
}

/// A way that there are kernels for.
struct Entrant {
    paths: Arc<DevicePaths>,
    kernel: Kernel,
}

/// What a device has done.
pub(super) struct Work {
    pub name: String,
    pub steps: u64,
    pub facts: Vec<Fact>,
}

impl Station {
    pub fn new(member: &Arc<Member>, plan: &Arc<Plan>, deadline: Option<Instant>) -> Self {
        Station {
            member: Arc::clone(member),
            plan: Arc::clone(plan),
            waits_since: (!member.is_asked).then(Instant::now),
            state: Mutex::new(State {
                blocks: 0,
                deadline,
                entrants: Vec::new(),
                scores: Scores::new(Rules::DEVICES),
                waiting: Vec::new(),
                making: 0.0,
                trouble: None,
            }),
        }
    }

    /// Until when paths are run, from now on.
    pub fn until(&self, deadline: Option<Instant>) {
        self.lock().deadline = deadline;
    }

    /// Why it runs no more paths, with its name; where somebody asked for it. Nobody else wants to hear about it.
    pub fn trouble(&self) -> Option<(String, Error)> {
        let error = self.lock().trouble.clone().filter(|_| self.member.is_asked)?;
        let name =
            self.member.executor().map_or("a device".to_owned(), |executor| executor.name().to_owned());
        Some((name, error))
    }

    /// What it has done, if anything.
    pub fn work(&self) -> Option<Work> {
        let state = self.lock();
        let name = state.entrants.first()?.paths.executor().name().to_owned();
        let fact = |(entrant, ran): (&Entrant, tiers::Work)| {
            let built = entrant.paths.built();
            let made = if built.from_cache { "found" } else { "compiled" };
            let why = format!(
                "steps a second of {} on {name}, {}, kernels {made} in {:.0} ms",
                counted(ran.paths, "path"),
                what(entrant.paths.way()),
                1e3 * built.compile_time.as_secs_f64(),
            );
            Fact::number("device", ran.steps_per_second()).because(why)
        };
        let ran = |(who, entrant)| (entrant, state.scores.work(who));
        let ran = state.entrants.iter().enumerate().map(ran).filter(|(_, ran)| ran.paths > 0);
        let facts: Vec<Fact> = ran.map(fact).collect();
        let steps = state.scores.all().steps;
        (!facts.is_empty()).then_some(Work { name, steps, facts })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes kernels for the next way that there are any for; whether there was one.
    fn make_next(&self) -> Result<bool, Error> {
        let executor = self.member.executor()?;
        loop {
            let Some(way) = self.lock().waiting.pop() else { return Ok(false) };
            let start = Instant::now();
            let Some(portable) = way.kernel(&self.plan) else { continue };
            let kernel = portable.kernel.clone();
            let first = {
                let state = self.lock();
                if state.entrants.iter().any(|entrant| entrant.kernel == kernel) {
                    continue;
                }
                state.entrants.first().map(|entrant| Arc::clone(&entrant.paths))
            };
            let paths = Arc::new(match first {
                Some(first) => first.in_another_way(way, portable)?,
                None => DevicePaths::with_kernel(&self.plan, Arc::clone(executor), way, portable)?,
            });
            let mut state = self.lock();
            state.making = start.elapsed().as_secs_f64();
            if !state.entrants.is_empty() {
                state.scores.enter();
            }
            state.entrants.push(Entrant { paths, kernel });
            return Ok(true);
        }
    }

    /// Makes kernels for another way, where that is likely to pay. One that cannot be made is no trouble.
    fn try_another(&self) {
        let pays = {
            let state = self.lock();
            let making = GROWTH * state.making;
            let left = state.deadline.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
            !state.waiting.is_empty()
                && state.scores.is_settled()
                && state.scores.all().seconds > WORK_BEFORE_MORE * state.making
                && left.is_none_or(|left| left > 2.0 * making)
        };
        if pays {
            // What fails here is tried no more; the others go on.
            let _ = self.make_next();
        }
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

/// Ways to run paths on a device, the first one last. Processors do not wait for each other, and jump well; lanes of other
/// devices wait for those beside them.
fn ways(executor: &dyn Executor) -> Vec<Way> {
    let located = |locations| Way {
        layout: Layout::Single,
        locations: Some(Limits { locations, statements: MOST_STATEMENTS }),
    };
    match executor.offer().device.place {
        Place::Host => vec![located(1024), located(64), Way::general(Layout::Single)],
        _ => [Layout::Single, Layout::Strided, Layout::Claimed].map(Way::general).to_vec(),
    }
}

/// A way, for people.
fn what(way: Way) -> String {
    let layout = match way.layout {
        Layout::Single => "a lane for each path",
        Layout::Strided => "lanes with paths of their own",
        Layout::Claimed => "lanes that take the next path",
    };
    match way.locations {
        None => layout.to_owned(),
        Some(limits) => format!("{layout}, up to {} locations", limits.locations),
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
        if !self.lock().entrants.is_empty() {
            return true;
        }
        let ready = self.member.executor().and_then(|executor| {
            self.lock().waiting = ways(&**executor);
            self.make_next()
        });
        let mut state = self.lock();
        match (ready, state.entrants.first()) {
            (Ok(_), Some(entrant)) => {
                // Nobody knows yet how long they take.
                state.blocks = entrant.paths.blocks().div_ceil(16);
                true
            }
            (Ok(_), None) => false,
            (Err(error), _) => {
                state.trouble = Some(error);
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
            let turn = state.scores.next();
            (turn, Arc::clone(&state.entrants.get(turn.who)?.paths))
        };
        let start = Instant::now();
        let outcome = paths.run(seed, range.clone(), max_steps);
        let seconds = start.elapsed().as_secs_f64();
        let mut state = self.lock();
        let mut work = tiers::Work::default();
        let outcome = match outcome {
            Ok(outcome) => {
                if let Outcome::Ended(summaries) = &outcome {
                    let count = range.end - range.start;
                    let steps = summaries.iter().map(|summary| summary.steps).sum::<u64>();
                    work = tiers::Work { paths: count, steps, seconds };
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
        };
        state.scores.ran(turn, work);
        outcome
    }
}

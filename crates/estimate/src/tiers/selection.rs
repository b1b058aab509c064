//! The selection: paths run and count with the code that is there, while better code is made, and go on with whichever is fastest.
//!
//! Code is made by a thread of its own, for which a worker gives up its place between two claims; where sampling comes to its end
//! before the code does, nobody waits for it, and the thread ends by itself. What is spent on making code is a share of the time
//! that paths have taken, and will take by what is known of them.

use super::compiler::{CodeVariant, CompileRequest, CompiledVariant, CompilerService, NotCompiled};
use super::throughput::{Throughput, TrialRules, Work};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use volvelle_control::amounts::counted;
use volvelle_control::{Control, Fact};
use volvelle_simulate::engine::Engine;
use volvelle_simulate::error::Failure;
use volvelle_simulate::runner::{Paths, Runner};

#[cfg(test)]
mod tests;

/// Making code takes at most this share of the processor time that paths take.
const SHARE: f64 = 0.1;
/// And this share where code for control locations leads: more of them are likely to be worth it as well.
const GREATER_SHARE: f64 = 0.3;
/// And of the time that is left: code that comes late is of no use.
const SHARE_OF_REST: f64 = 0.4;
/// With less it is not worth a thread.
const LEAST_SECONDS: f64 = 4e-3;
/// What it takes to make a statement, as long as nothing has been made.
const SECONDS_PER_STATEMENT: f64 = 8e-5;
/// What was too much is tried again with this many times as much.
const MORE: f64 = 4.0;
/// More locations are tried unless those before were slower by this factor than other code for one path at a time.
const LOSS: f64 = 0.8;
/// What more locations gain at best, about.
const GAIN: f64 = 2.5;
/// How often somebody who waits for code looks around.
const LOOK: Duration = Duration::from_millis(2);
/// Stack of the thread that makes code: front ends and back ends keep within that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// How much there will be to do.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// So many paths.
    Paths(u64),
    /// Whatever can be done until then.
    Until(Instant),
    /// Nobody knows: about as much as there was so far.
    Unknown,
}

/// Code in the selection.
struct Candidate {
    variant: CodeVariant,
    runner: Arc<Runner>,
    tier: &'static str,
    locations: usize,
    /// What it took to make it.
    seconds: f64,
    about: Vec<Fact>,
}

/// Code that is not made yet.
struct Waiting {
    variant: CodeVariant,
    /// What it might have taken the last time, when that was too little.
    tried_with: f64,
}

/// The selection as it stands.
struct State {
    throughput: Throughput,
    candidates: Vec<Candidate>,
    waiting: Vec<Waiting>,
    /// Whether a thread makes code.
    is_compiling: bool,
    /// Whether a worker has given up its place for it.
    has_waiting_worker: bool,
    /// Spent on code after the first.
    spent: f64,
    seconds_per_statement: f64,
    expected: Expected,
    /// When everything is over at the latest.
    deadline: Option<Instant>,
    threads: usize,
}

struct Shared {
    compiler: Box<dyn CompilerService>,
    state: Mutex<State>,
    made: Condvar,
}

/// Runs paths with the fastest code there is, and has more made.
pub struct TierSelection {
    shared: Arc<Shared>,
}

/// What has run the paths.
pub struct TierUsage {
    /// What ran most of them, for people and JSON.
    pub tier: String,
    /// How many steps that were.
    pub steps: u64,
    /// All code in the selection.
    pub facts: Vec<Fact>,
}

impl TierSelection {
    /// Starts with the first of some designs that can be made; `others` are made where that pays.
    ///
    /// # Errors
    /// Why the last of the first could not be made.
    pub fn start(
        compiler: Box<dyn CompilerService>,
        first: &[CodeVariant],
        others: impl FnOnce(CodeVariant) -> Vec<CodeVariant>,
        expected: Expected,
        control: &Control<'_>,
    ) -> Result<Self, String> {
        let mut why = String::new();
        for &variant in first {
            let start = Instant::now();
            match compiler.make(CompileRequest { variant, statements: usize::MAX, locations: 0 }) {
                Ok(made) => {
                    let waiting = |variant| Waiting { variant, tried_with: 0.0 };
                    let state = State {
                        throughput: Throughput::new(TrialRules::THREADS),
                        candidates: vec![Candidate::new(variant, made, start.elapsed().as_secs_f64())],
                        waiting: others(variant).into_iter().map(waiting).collect(),
                        is_compiling: false,
                        has_waiting_worker: false,
                        spent: 0.0,
                        seconds_per_statement: SECONDS_PER_STATEMENT,
                        expected,
                        deadline: control.limits.deadline,
                        threads: control.threads.max(1),
                    };
                    let shared = Shared { compiler, state: Mutex::new(state), made: Condvar::new() };
                    return Ok(TierSelection { shared: Arc::new(shared) });
                }
                Err(NotCompiled::Failed(reason)) => why = reason,
                Err(NotCompiled::TooMuch | NotCompiled::Nothing) => {}
            }
        }
        Err(why)
    }

    /// Whoever is next runs the first of some paths, or all; says up to where.
    fn turn(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<u64, Failure> {
        let (turn, runner) = {
            let mut state = self.shared.lock();
            let turn = state.throughput.next_turn();
            (turn, Arc::clone(&state.candidates[turn.who].runner))
        };
        let rest = paths.end - paths.start;
        // A short range at the end would say little.
        let count = if rest / 2 < turn.paths { rest } else { turn.paths };
        let end = paths.start + count;
        let start = Instant::now();
        let outcome = runner.run(seed, paths.start..end, max_steps, out);
        let seconds = start.elapsed().as_secs_f64();
        let work = match outcome {
            Ok(()) => Work { paths: count, steps: out.steps(), seconds },
            Err(_) => Work::default(),
        };
        self.shared.lock().throughput.ran(turn, work);
        outcome.map(|()| end)
    }

    /// What has run the paths so far.
    pub fn usage(&self) -> TierUsage {
        self.shared.lock().usage()
    }
}

impl Engine for TierSelection {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        let mut from = self.turn(seed, paths.clone(), max_steps, out)?;
        let mut part = Paths::default();
        while from < paths.end {
            from = self.turn(seed, from..paths.end, max_steps, &mut part)?;
            out.append(&part);
        }
        Ok(())
    }

    fn between(&self, is_needed: &dyn Fn() -> bool) {
        let mut state = self.shared.lock();
        if !state.is_compiling {
            let Some(order) = state.order() else { return };
            state.is_compiling = true;
            drop(state);
            self.shared.compile_in_background(order);
            state = self.shared.lock();
        }
        if state.has_waiting_worker {
            return;
        }
        state.has_waiting_worker = true;
        while state.is_compiling && is_needed() {
            let waited = self.shared.made.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.has_waiting_worker = false;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left a state that can be raced on: each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has code made by a thread of its own; here, if there is none to be had.
    fn compile_in_background(self: &Arc<Self>, order: CompileRequest) {
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("making code".to_owned()).stack_size(STACK_BYTES);
        if thread.spawn(move || shared.make(order)).is_err() {
            self.make(order);
        }
    }

    /// Makes code, and lets it into the selection.
    fn make(&self, order: CompileRequest) {
        let signal = CompletionSignal(self);
        let start = Instant::now();
        let made = self.compiler.make(order);
        let seconds = start.elapsed().as_secs_f64();
        self.lock().finished(order, made, seconds);
        drop(signal);
    }
}

/// Tells those who wait that nothing is being made any more, even where making it panicked.
struct CompletionSignal<'a>(&'a Shared);

impl Drop for CompletionSignal<'_> {
    fn drop(&mut self) {
        self.0.lock().is_compiling = false;
        self.0.made.notify_all();
    }
}

impl Candidate {
    fn new(variant: CodeVariant, made: CompiledVariant, seconds: f64) -> Self {
        let CompiledVariant { runner, tier, locations, about, .. } = made;
        Candidate { variant, runner: Arc::new(runner), tier, locations, seconds, about }
    }
}

impl State {
    /// What is made next, if that pays. It stays on the list until it is made, or cannot be.
    fn order(&mut self) -> Option<CompileRequest> {
        if self.waiting.is_empty() || !self.throughput.is_settled() {
            return None;
        }
        let seconds = self.allowance();
        if seconds < LEAST_SECONDS {
            return None;
        }
        self.drop_hopeless();
        let ready = |waiting: &Waiting| seconds >= MORE * waiting.tried_with;
        let next = self.waiting.iter().position(ready)?;
        self.waiting[next].tried_with = seconds;
        let statements = (seconds / self.seconds_per_statement) as usize;
        let locations = self.candidates.iter().map(|candidate| candidate.locations).max().unwrap_or(1);
        Some(CompileRequest { variant: self.waiting[next].variant, statements, locations })
    }

    /// Seconds that making code may take now.
    fn allowance(&self) -> f64 {
        let ran = self.throughput.all();
        let threads = self.threads as f64;
        let left = |end: Instant| end.saturating_duration_since(Instant::now()).as_secs_f64() * threads;
        let rest = match self.expected {
            Expected::Paths(paths) => {
                let leader = self.throughput.work(self.throughput.leader());
                let seconds = leader.seconds / leader.paths.max(1) as f64;
                paths.saturating_sub(ran.paths) as f64 * seconds
            }
            Expected::Until(end) => left(end),
            Expected::Unknown => ran.seconds,
        };
        let rest = self.deadline.map_or(rest, |deadline| rest.min(left(deadline)));
        let leader = &self.candidates[self.throughput.leader()];
        let share = if matches!(leader.variant, CodeVariant::Locations(_)) { GREATER_SHARE } else { SHARE };
        let share = share * (ran.seconds + rest) - self.spent;
        share.min(SHARE_OF_REST * rest / threads)
    }

    /// More locations are of no use where those that there are do not come near to the fastest.
    fn drop_hopeless(&mut self) {
        let speeds = self
            .candidates
            .iter()
            .enumerate()
            .filter_map(|(who, candidate)| Some((candidate, self.throughput.speed(who)?)));
        let speeds: Vec<(&Candidate, f64)> = speeds.collect();
        let best = |of: &dyn Fn(&Candidate) -> bool| {
            speeds.iter().filter(|(candidate, _)| of(candidate)).map(|&(_, speed)| speed).fold(0.0, f64::max)
        };
        let located =
            speeds.iter().rev().find(|(candidate, _)| matches!(candidate.variant, CodeVariant::Locations(_)));
        let Some(&(_, last)) = located else { return };
        let (all, scalar) = (best(&|_| true), best(&|candidate| candidate.variant != CodeVariant::Vector));
        if last < LOSS * scalar || GAIN * last < all {
            self.waiting.retain(|waiting| !matches!(waiting.variant, CodeVariant::Locations(_)));
        }
    }

    /// Code was made, or was not.
    fn finished(&mut self, order: CompileRequest, made: Result<CompiledVariant, NotCompiled>, seconds: f64) {
        self.spent += seconds;
        let place = self.waiting.iter().position(|waiting| waiting.variant == order.variant);
        match made {
            Ok(made) => {
                if let Some(statements) = made.statements {
                    self.seconds_per_statement = seconds / statements.max(1) as f64;
                }
                // Fewer locations than these are of no use any more.
                let through = place.map_or(0, |place| place + 1);
                let mut gone = 0;
                self.waiting.retain(|waiting| {
                    gone += 1;
                    let is_fewer = matches!(waiting.variant, CodeVariant::Locations(_))
                        && matches!(order.variant, CodeVariant::Locations(_));
                    waiting.variant != order.variant && !(is_fewer && gone <= through)
                });
                self.candidates.push(Candidate::new(order.variant, made, seconds));
                self.throughput.enter();
            }
            // With a larger allowance it may be made later.
            Err(NotCompiled::TooMuch) => {}
            Err(NotCompiled::Failed(_) | NotCompiled::Nothing) => {
                if let Some(place) = place {
                    self.waiting.remove(place);
                }
            }
        }
    }

    fn usage(&self) -> TierUsage {
        let busiest = self.throughput.busiest();
        let last = self.throughput.last();
        let mut facts: Vec<Fact> = Vec::new();
        if self.candidates.len() > 1 {
            for (who, candidate) in self.candidates.iter().enumerate() {
                let work = self.throughput.work(who);
                let milliseconds = 1e3 * candidate.seconds;
                let mut why = format!(
                    "steps a second of {}, made in {milliseconds:.1} ms",
                    counted(work.paths, "path")
                );
                if who == last {
                    why.push_str(", the last");
                }
                facts.push(Fact::number(candidate.variant.what(), work.steps_per_second()).because(why));
            }
        }
        facts.extend(self.candidates[busiest].about.iter().cloned());
        TierUsage {
            tier: self.candidates[busiest].tier.to_owned(),
            steps: self.throughput.work(busiest).steps,
            facts,
        }
    }
}

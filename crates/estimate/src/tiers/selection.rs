//! Adaptive tier selection: paths run with existing code while better code is compiled, and continue with the
//! fastest.
//!
//! A separate thread compiles; for it, a worker gives up its place between two claims. If sampling ends
//! first, the compilation is abandoned, and its thread ends by itself. Compilations may use a share of the
//! time that paths have taken and are expected to take.

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

/// Limit of the share of the paths' processor time for compilations.
const SHARE: f64 = 0.1;
/// The share for the first code for one path at a time, if code for many at once has the advantage: it seldom
/// pays.
const LEAST_SHARE: f64 = 0.005;
/// The share if code for control locations is fastest: then more locations will probably pay as well.
const GREATER_SHARE: f64 = 0.3;
/// Most share of the time that is left: code that comes late is of no use.
const SHARE_OF_REST: f64 = 0.4;
/// A shorter compilation is not worth a thread.
const LEAST_SECONDS: f64 = 4e-3;
/// Time to compile a statement, before any has been measured.
const SECONDS_PER_STATEMENT: f64 = 8e-5;
/// A variant that was too large is tried again when the allowance has grown by this factor.
const MORE: f64 = 4.0;
/// More locations are tried unless the previous ones were slower than other single-path code by this factor.
const LOSS: f64 = 0.8;
/// Approximate factor that more locations gain at best.
const GAIN: f64 = 2.5;
/// Interval at which a worker that waits for code polls.
const POLL: Duration = Duration::from_millis(2);
/// Stack of the compiling thread; front ends and back ends need no more than a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// The expected amount of work.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// A number of paths.
    Paths(u64),
    /// All paths that can be run up to a time.
    Until(Instant),
    /// Not known: taken to be as much as there was so far.
    Unknown,
}

/// A compiled variant that takes part in the selection.
struct Candidate {
    variant: CodeVariant,
    runner: Arc<Runner>,
    tier: &'static str,
    locations: usize,
    /// Time of its compilation.
    seconds: f64,
    about: Vec<Fact>,
}

/// A variant that is not compiled yet.
struct Waiting {
    variant: CodeVariant,
    /// Allowance of the last attempt, in seconds, which was too small.
    tried_with: f64,
}

/// The state of the selection.
struct State {
    throughput: Throughput,
    candidates: Vec<Candidate>,
    waiting: Vec<Waiting>,
    /// Whether a thread compiles.
    is_compiling: bool,
    /// Whether a worker waits in its place.
    has_waiting_worker: bool,
    /// Seconds spent on variants after the first.
    spent: f64,
    seconds_per_statement: f64,
    /// Whether code for many paths at once has the advantage.
    favours_lanes: bool,
    expected: Expected,
    /// End of sampling at the latest.
    deadline: Option<Instant>,
    threads: usize,
}

struct Shared {
    compiler: Box<dyn CompilerService>,
    state: Mutex<State>,
    compiled: Condvar,
}

/// Runs paths with the fastest compiled variant, and has further variants compiled.
pub struct TierSelection {
    shared: Arc<Shared>,
}

/// The code and devices that ran the paths.
#[derive(Clone, Debug, Default)]
pub struct TierUsage {
    /// The one that ran most of them, for people and JSON.
    pub tier: String,
    /// Its steps.
    pub steps: u64,
    /// Facts about all candidates.
    pub facts: Vec<Fact>,
}

impl TierSelection {
    /// Starts with the first of some variants that compiles; `others` are compiled if they pay.
    ///
    /// # Errors
    /// The reason why the last of the first variants did not compile.
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
            match compiler.compile(CompileRequest { variant, statements: usize::MAX, locations: 0 }) {
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
                        favours_lanes: compiler.favours_lanes(),
                        expected,
                        deadline: control.limits.deadline,
                        threads: control.threads.max(1),
                    };
                    let shared = Shared { compiler, state: Mutex::new(state), compiled: Condvar::new() };
                    return Ok(TierSelection { shared: Arc::new(shared) });
                }
                Err(NotCompiled::Failed(reason)) => why = reason,
                Err(NotCompiled::TooMuch | NotCompiled::Nothing) => {}
            }
        }
        Err(why)
    }

    /// Runs the first of some paths, or all, with the candidate whose turn it is. Returns the path after the
    /// last.
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

    /// The usage so far.
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
            let Some(request) = state.next_request() else { return };
            state.is_compiling = true;
            drop(state);
            self.shared.compile_in_background(request);
            state = self.shared.lock();
        }
        if state.has_waiting_worker {
            return;
        }
        state.has_waiting_worker = true;
        while state.is_compiling && is_needed() {
            let waited = self.shared.compiled.wait_timeout(state, POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.has_waiting_worker = false;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent after a panic: each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles in a separate thread, or in this one if no thread can be started.
    fn compile_in_background(self: &Arc<Self>, request: CompileRequest) {
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("generating code".to_owned()).stack_size(STACK_BYTES);
        if thread.spawn(move || shared.compile(request)).is_err() {
            self.compile(request);
        }
    }

    /// Compiles a variant, and adds it to the candidates.
    fn compile(&self, request: CompileRequest) {
        let signal = CompletionSignal(self);
        let start = Instant::now();
        let made = self.compiler.compile(request);
        let seconds = start.elapsed().as_secs_f64();
        self.lock().finished(request, made, seconds);
        drop(signal);
    }
}

/// Signals the end of a compilation, even if it panicked.
struct CompletionSignal<'a>(&'a Shared);

impl Drop for CompletionSignal<'_> {
    fn drop(&mut self) {
        self.0.lock().is_compiling = false;
        self.0.compiled.notify_all();
    }
}

impl Candidate {
    fn new(variant: CodeVariant, made: CompiledVariant, seconds: f64) -> Self {
        let CompiledVariant { runner, tier, locations, about, .. } = made;
        Candidate { variant, runner: Arc::new(runner), tier, locations, seconds, about }
    }
}

impl State {
    /// The next compilation that pays, if any. A variant stays on the list until it is compiled, or fails.
    fn next_request(&mut self) -> Option<CompileRequest> {
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

    /// Seconds that a compilation may take now.
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
        (self.share() * (ran.seconds + rest) - self.spent).min(SHARE_OF_REST * rest / threads)
    }

    /// The share of time allowed for compilations, depending on the expected gain.
    fn share(&self) -> f64 {
        match self.candidates[self.throughput.leader()].variant {
            CodeVariant::Locations(_) => GREATER_SHARE,
            CodeVariant::Vector if self.favours_lanes && self.candidates.len() == 1 => LEAST_SHARE,
            _ => SHARE,
        }
    }

    /// Drops variants for more locations if existing ones are far slower than the fastest variant.
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

    /// A compilation has ended.
    fn finished(
        &mut self,
        request: CompileRequest,
        made: Result<CompiledVariant, NotCompiled>,
        seconds: f64,
    ) {
        self.spent += seconds;
        let place = self.waiting.iter().position(|waiting| waiting.variant == request.variant);
        match made {
            Ok(made) => {
                if let Some(statements) = made.statements {
                    self.seconds_per_statement = seconds / statements.max(1) as f64;
                }
                // Variants for fewer locations are of no use any more.
                let through = place.map_or(0, |place| place + 1);
                let mut gone = 0;
                self.waiting.retain(|waiting| {
                    gone += 1;
                    let is_fewer = matches!(waiting.variant, CodeVariant::Locations(_))
                        && matches!(request.variant, CodeVariant::Locations(_));
                    waiting.variant != request.variant && !(is_fewer && gone <= through)
                });
                self.candidates.push(Candidate::new(request.variant, made, seconds));
                self.throughput.enter();
            }
            // It may be compiled later, with a larger allowance.
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
                    "steps per second of {}, generated in {milliseconds:.1} ms",
                    counted(work.paths, "path")
                );
                if who == last {
                    why.push_str(", the last");
                }
                facts.push(Fact::number(candidate.variant.name(), work.steps_per_second()).because(why));
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

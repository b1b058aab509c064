//! The race: paths run and count with the code that is there, while better code is made, and go on with whichever is fastest.
//!
//! Code is made by a thread of its own, for which a worker gives up its place between two claims; where sampling comes to its end
//! before the code does, nobody waits for it, and the thread ends by itself. What is spent on making code is a share of the time
//! that paths have taken, and will take by what is known of them.

use super::scores::{Rules, Scores, Work};
use super::workshop::{Design, Made, NotMade, Order, Workshop};
use crate::limits::counted;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
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

/// Code in the race.
struct Entrant {
    design: Design,
    runner: Arc<Runner>,
    tier: &'static str,
    locations: usize,
    /// What it took to make it.
    seconds: f64,
    about: Vec<Fact>,
}

/// Code that is not made yet.
struct Waiting {
    design: Design,
    /// What it might have taken the last time, when that was too little.
    tried_with: f64,
}

/// The race as it stands.
struct State {
    scores: Scores,
    entrants: Vec<Entrant>,
    waiting: Vec<Waiting>,
    /// Whether a thread makes code.
    is_making: bool,
    /// Whether a worker has given up its place for it.
    is_waited_for: bool,
    /// Spent on code after the first.
    spent: f64,
    seconds_per_statement: f64,
    expected: Expected,
    /// When everything is over at the latest.
    deadline: Option<Instant>,
    threads: usize,
}

struct Shared {
    workshop: Box<dyn Workshop>,
    state: Mutex<State>,
    made: Condvar,
}

/// Runs paths with the fastest code there is, and has more made.
pub struct Race {
    shared: Arc<Shared>,
}

/// What has run the paths.
pub struct Account {
    /// What ran most of them, for people and JSON.
    pub tier: String,
    /// How many steps that were.
    pub steps: u64,
    /// All code in the race.
    pub facts: Vec<Fact>,
}

impl Race {
    /// Starts with the first of some designs that can be made; `others` are made where that pays.
    ///
    /// # Errors
    /// Why the last of the first could not be made.
    pub fn start(
        workshop: Box<dyn Workshop>,
        first: &[Design],
        others: impl FnOnce(Design) -> Vec<Design>,
        expected: Expected,
        control: &Control<'_>,
    ) -> Result<Self, String> {
        let mut why = String::new();
        for &design in first {
            let start = Instant::now();
            match workshop.make(Order { design, statements: usize::MAX, locations: 0 }) {
                Ok(made) => {
                    let waiting = |design| Waiting { design, tried_with: 0.0 };
                    let state = State {
                        scores: Scores::new(Rules::THREADS),
                        entrants: vec![Entrant::new(design, made, start.elapsed().as_secs_f64())],
                        waiting: others(design).into_iter().map(waiting).collect(),
                        is_making: false,
                        is_waited_for: false,
                        spent: 0.0,
                        seconds_per_statement: SECONDS_PER_STATEMENT,
                        expected,
                        deadline: control.limits.deadline,
                        threads: control.threads.max(1),
                    };
                    let shared = Shared { workshop, state: Mutex::new(state), made: Condvar::new() };
                    return Ok(Race { shared: Arc::new(shared) });
                }
                Err(NotMade::Failed(reason)) => why = reason,
                Err(NotMade::TooMuch | NotMade::Nothing) => {}
            }
        }
        Err(why)
    }

    /// Whoever is next runs the first of some paths, or all; says up to where.
    fn turn(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<u64, Failure> {
        let (turn, runner) = {
            let mut state = self.shared.lock();
            let turn = state.scores.next();
            (turn, Arc::clone(&state.entrants[turn.who].runner))
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
        self.shared.lock().scores.ran(turn, work);
        outcome.map(|()| end)
    }

    /// What has run the paths so far.
    pub fn account(&self) -> Account {
        self.shared.lock().account()
    }
}

impl Engine for Race {
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
        if !state.is_making {
            let Some(order) = state.order() else { return };
            state.is_making = true;
            drop(state);
            self.shared.commission(order);
            state = self.shared.lock();
        }
        if state.is_waited_for {
            return;
        }
        state.is_waited_for = true;
        while state.is_making && is_needed() {
            let waited = self.shared.made.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_waited_for = false;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left a state that can be raced on: each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has code made by a thread of its own; here, if there is none to be had.
    fn commission(self: &Arc<Self>, order: Order) {
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("making code".to_owned()).stack_size(STACK_BYTES);
        if thread.spawn(move || shared.make(order)).is_err() {
            self.make(order);
        }
    }

    /// Makes code, and lets it into the race.
    fn make(&self, order: Order) {
        let bell = Bell(self);
        let start = Instant::now();
        let made = self.workshop.make(order);
        let seconds = start.elapsed().as_secs_f64();
        self.lock().finished(order, made, seconds);
        drop(bell);
    }
}

/// Tells those who wait that nothing is being made any more, even where making it panicked.
struct Bell<'a>(&'a Shared);

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        self.0.lock().is_making = false;
        self.0.made.notify_all();
    }
}

impl Entrant {
    fn new(design: Design, made: Made, seconds: f64) -> Self {
        let Made { runner, tier, locations, about, .. } = made;
        Entrant { design, runner: Arc::new(runner), tier, locations, seconds, about }
    }
}

impl State {
    /// What is made next, if that pays. It stays on the list until it is made, or cannot be.
    fn order(&mut self) -> Option<Order> {
        if self.waiting.is_empty() || !self.scores.is_settled() {
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
        let locations = self.entrants.iter().map(|entrant| entrant.locations).max().unwrap_or(1);
        Some(Order { design: self.waiting[next].design, statements, locations })
    }

    /// Seconds that making code may take now.
    fn allowance(&self) -> f64 {
        let ran = self.scores.all();
        let threads = self.threads as f64;
        let left = |end: Instant| end.saturating_duration_since(Instant::now()).as_secs_f64() * threads;
        let rest = match self.expected {
            Expected::Paths(paths) => {
                let leader = self.scores.work(self.scores.leader());
                let seconds = leader.seconds / leader.paths.max(1) as f64;
                paths.saturating_sub(ran.paths) as f64 * seconds
            }
            Expected::Until(end) => left(end),
            Expected::Unknown => ran.seconds,
        };
        let rest = self.deadline.map_or(rest, |deadline| rest.min(left(deadline)));
        let leader = &self.entrants[self.scores.leader()];
        let share = if matches!(leader.design, Design::Locations(_)) { GREATER_SHARE } else { SHARE };
        let share = share * (ran.seconds + rest) - self.spent;
        share.min(SHARE_OF_REST * rest / threads)
    }

    /// More locations are of no use where those that there are do not come near to the fastest.
    fn drop_hopeless(&mut self) {
        let speeds = self
            .entrants
            .iter()
            .enumerate()
            .filter_map(|(who, entrant)| Some((entrant, self.scores.speed(who)?)));
        let speeds: Vec<(&Entrant, f64)> = speeds.collect();
        let best = |of: &dyn Fn(&Entrant) -> bool| {
            speeds.iter().filter(|(entrant, _)| of(entrant)).map(|&(_, speed)| speed).fold(0.0, f64::max)
        };
        let located = speeds.iter().rev().find(|(entrant, _)| matches!(entrant.design, Design::Locations(_)));
        let Some(&(_, last)) = located else { return };
        let (all, scalar) = (best(&|_| true), best(&|entrant| entrant.design != Design::Vector));
        if last < LOSS * scalar || GAIN * last < all {
            self.waiting.retain(|waiting| !matches!(waiting.design, Design::Locations(_)));
        }
    }

    /// Code was made, or was not.
    fn finished(&mut self, order: Order, made: Result<Made, NotMade>, seconds: f64) {
        self.spent += seconds;
        let place = self.waiting.iter().position(|waiting| waiting.design == order.design);
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
                    let is_fewer = matches!(waiting.design, Design::Locations(_))
                        && matches!(order.design, Design::Locations(_));
                    waiting.design != order.design && !(is_fewer && gone <= through)
                });
                self.entrants.push(Entrant::new(order.design, made, seconds));
                self.scores.enter();
            }
            // With a larger allowance it may be made later.
            Err(NotMade::TooMuch) => {}
            Err(NotMade::Failed(_) | NotMade::Nothing) => {
                if let Some(place) = place {
                    self.waiting.remove(place);
                }
            }
        }
    }

    fn account(&self) -> Account {
        let busiest = self.scores.busiest();
        let last = self.scores.last();
        let mut facts: Vec<Fact> = Vec::new();
        if self.entrants.len() > 1 {
            for (who, entrant) in self.entrants.iter().enumerate() {
                let work = self.scores.work(who);
                let milliseconds = 1e3 * entrant.seconds;
                let mut why = format!(
                    "steps a second of {}, made in {milliseconds:.1} ms",
                    counted(work.paths, "path")
                );
                if who == last {
                    why.push_str(", the last");
                }
                facts.push(Fact::number(entrant.design.what(), work.steps_per_second()).because(why));
            }
        }
        facts.extend(self.entrants[busiest].about.iter().cloned());
        Account {
            tier: self.entrants[busiest].tier.to_owned(),
            steps: self.scores.work(busiest).steps,
            facts,
        }
    }
}

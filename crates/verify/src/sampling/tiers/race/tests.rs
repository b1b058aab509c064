//! What is found does not depend on who runs what, and nothing waits for code for ever.

use super::*;
use crate::sampling::settings::PathTier;
use crate::sampling::tiers::workshop::Makers;
use crate::sampling::trace::Tracing;
use crate::session::{Session, Text};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, mpsc};
use volvelle_control::{Cancel, Control, Stop};
use volvelle_kernel::interp::Interpreter;
use volvelle_simulate::monitor::Monitors;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, sample};

const QUEUE: &str = "ctmc
module queue
  waiting : [0..5] init 0;
  phase : [0..3] init 0;
  [arrive] waiting<5 -> 2 : (waiting'=waiting+1);
  [serve]  waiting>0 & phase=3 -> 9 : (waiting'=waiting-1) & (phase'=0);
  [] phase<3 -> 8 : (phase'=phase+1);
endmodule
rewards \"length\" true : waiting; endrewards
";

fn plan() -> Arc<Plan> {
    let text = Text { name: "model.prism".into(), text: QUEUE.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    let wanted = ["P=? [ F<=3 waiting=5 ]".to_owned(), "R=? [ C<=2 ]".to_owned()];
    let (plan, diagnostics) = session.plan_path(&wanted, Tracing::default());
    Arc::new(plan.unwrap_or_else(|| panic!("{diagnostics:?}")).plan)
}

/// The measures of the plan, one by one.
static MONITORS: LazyLock<Monitors> = LazyLock::new(|| plan().monitors.clone());

fn request(paths: u64) -> Request<'static> {
    Request::new(5, 0, paths, 100_000, &MONITORS)
}

fn sampled(engine: &dyn Engine, paths: u64, threads: usize) -> String {
    let control = Control { threads, ..Control::unlimited() };
    let (sampled, ended) = sample(engine, &request(paths), &control, |_, _| false);
    assert_eq!(ended, None);
    format!("{sampled:?}")
}

/// A workshop that does as the test says, with what the real one makes.
struct Staged<F>(Makers, F);

impl<F: Fn(&Makers, Order) -> Result<Made, NotMade> + Send + Sync + 'static> Workshop for Staged<F> {
    fn make(&self, order: Order) -> Result<Made, NotMade> {
        self.1(&self.0, order)
    }
}

const OTHERS: [Design; 4] = [Design::Quick, Design::General, Design::Locations(16), Design::Locations(1024)];

/// A race that begins with the interpreter and expects to go on for ever, so that everything else is made.
fn race<F>(plan: &Arc<Plan>, threads: usize, make: F) -> Race
where
    F: Fn(&Makers, Order) -> Result<Made, NotMade> + Send + Sync + 'static,
{
    let workshop = Box::new(Staged(Makers::new(Arc::clone(plan)), make));
    let expected = Expected::Paths(u64::MAX);
    let control = Control { threads, ..Control::unlimited() };
    Race::start(workshop, &[Design::Interpreter], |_| OTHERS.to_vec(), expected, &control).expect("it starts")
}

#[test]
fn everybody_in_the_race_finds_the_same() {
    let plan = plan();
    let reference = Runner::scalar(&plan, &Interpreter).expect("compiles");
    let wanted = sampled(&reference, 4_000, 1);
    for threads in [1, 2] {
        let race = race(&plan, threads, |makers, order| makers.make(order));
        assert_eq!(sampled(&race, 4_000, threads), wanted, "{threads} threads");
        let facts = race.account().facts;
        // The other worker may be through before the code is made.
        assert!(threads > 1 || facts.len() >= 2, "{facts:?}");
        let control = Control { threads, ..Control::unlimited() };
        for tier in [PathTier::Auto, PathTier::Interpreter, PathTier::Scalar, PathTier::Vector] {
            let race = crate::sampling::tiers::race(&plan, tier, Expected::Unknown, &control);
            assert_eq!(sampled(&race.expect("it starts"), 4_000, threads), wanted, "{tier:?}");
        }
    }
}

#[test]
fn code_that_cannot_be_made_is_done_without() {
    let plan = plan();
    let wanted = sampled(&Runner::scalar(&plan, &Interpreter).expect("compiles"), 8_000, 1);
    for threads in [1, 2] {
        let tried = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&tried);
        let race = race(&plan, threads, move |makers, order| match order.design {
            Design::Interpreter => makers.make(order),
            Design::Quick => Err(NotMade::Failed("no".to_owned())),
            _ => {
                counter.fetch_add(1, Ordering::Relaxed);
                panic!("making code panics, as the test wants it to")
            }
        });
        assert_eq!(sampled(&race, 8_000, threads), wanted);
        assert_eq!(race.account().tier, "interpreter");
        let waiting = race.shared.lock().waiting.len();
        assert!(tried.load(Ordering::Relaxed) > 0 && waiting < OTHERS.len(), "{waiting} are left");
    }
}

#[test]
fn nothing_that_starts_is_an_error() {
    let plan = plan();
    let refuse = |_: &Makers, _: Order| -> Result<Made, NotMade> { Err(NotMade::Failed("no".into())) };
    let workshop = Box::new(Staged(Makers::new(plan), refuse));
    let first = [Design::Vector, Design::Interpreter];
    let race = Race::start(workshop, &first, |_| Vec::new(), Expected::Unknown, &Control::unlimited());
    assert_eq!(race.err(), Some("no".to_owned()));
}

/// A race whose first candidate is being made for as long as the test likes: `begun` tells when, and the sender lets it go.
fn stuck(plan: &Arc<Plan>, threads: usize) -> (Race, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let race = race(plan, threads, move |makers, order| {
        if order.design != Design::Interpreter {
            begun.send(()).ok();
            released.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        }
        makers.make(order)
    });
    (race, has_begun, release)
}

#[test]
fn who_stops_waits_for_no_code() {
    let plan = plan();
    for threads in [1, 2] {
        let (race, has_begun, release) = stuck(&plan, threads);
        let cancel = Cancel::new();
        let control = Control { threads, cancel: &cancel, ..Control::unlimited() };
        let (_, ended): (Sampled, _) = std::thread::scope(|scope| {
            let cancel = &cancel;
            scope.spawn(move || {
                has_begun.recv().expect("code is made");
                cancel.cancel();
            });
            sample(&race, &request(u64::MAX / 2), &control, |_, _| false)
        });
        assert_eq!(ended, Some(Ended::Stopped(Stop::Cancelled)));
        assert!(race.shared.lock().is_making, "it goes on");
        // What comes late is no harm; and a race that is over does not mind either.
        let shared = Arc::clone(&race.shared);
        drop(race);
        drop(release);
        while shared.lock().is_making {
            std::thread::yield_now();
        }
    }
}

#[test]
fn who_has_enough_waits_for_no_code() {
    let plan = plan();
    let wanted = sampled(&Runner::scalar(&plan, &Interpreter).expect("compiles"), 4_000, 1);
    let (race, _has_begun, release) = stuck(&plan, 2);
    assert_eq!(sampled(&race, 4_000, 2), wanted);
    let (at_most, ended) = {
        let control = Control { threads: 2, ..Control::unlimited() };
        sample(&race, &request(u64::MAX / 2), &control, |all, _| all.paths >= 2048)
    };
    assert_eq!((at_most.paths, ended), (2048, None));
    drop(release);
}

/// A state whose first entrant is vector code.
fn state(expected: Expected) -> State {
    let plan = plan();
    let makers = Makers::new(plan);
    let order = Order { design: Design::Interpreter, statements: 0, locations: 0 };
    let made = makers.make(order).unwrap_or_else(|why| panic!("{why:?}"));
    State {
        scores: Scores::new(Rules::THREADS),
        entrants: vec![Entrant::new(Design::Vector, made, 0.0)],
        waiting: [16, 64, 256].map(|n| Waiting { design: Design::Locations(n), tried_with: 0.0 }).into(),
        is_making: false,
        is_waited_for: false,
        spent: 0.0,
        seconds_per_statement: 1e-4,
        expected,
        deadline: None,
        threads: 1,
    }
}

/// Ranges of 5 ms, up to the end of a trial: vector code runs a hundred million steps a second, whoever is on trial `speed`.
fn runs(state: &mut State, speed: f64) {
    for _ in 0..12 {
        let turn = state.scores.next();
        let speed = if turn.who == 0 { 1e8 } else { speed };
        let seconds = 5e-3;
        state.scores.ran(turn, Work { paths: 50, steps: (speed * seconds) as u64 - 50, seconds });
    }
}

fn made(state: &mut State, order: Order, locations: usize, seconds: f64) {
    let interpreter = Order { design: Design::Interpreter, statements: 0, locations: 0 };
    let code = Makers::new(plan()).make(interpreter);
    let code = code.map(|code| Made { locations, statements: Some(100), ..code });
    state.finished(order, code, seconds);
}

#[test]
fn few_paths_need_no_better_code() {
    // 600 paths take 60 ms; of 20 more there is nothing to be had.
    let mut few = state(Expected::Paths(620));
    assert!(few.order().is_none(), "nothing is known yet");
    runs(&mut few, 1e8);
    assert!(few.order().is_none());
    let mut many = state(Expected::Paths(100_000));
    runs(&mut many, 1e8);
    let order = many.order().expect("10 s are enough");
    assert_eq!((order.design, order.locations), (Design::Locations(16), 1));
    // 10 % of 10 s, at 0.1 ms a statement.
    assert!((9_000..=10_000).contains(&order.statements), "{order:?}");
    // With many threads code would come too late: 10 s are 0.1 s then.
    let mut wide = state(Expected::Paths(100_000));
    wide.threads = 100;
    runs(&mut wide, 1e8);
    let order = wide.order().expect("0.04 s");
    assert!((350..=400).contains(&order.statements), "{order:?}");
    // And where everything is over in a moment, nothing is made.
    let mut late = state(Expected::Paths(100_000));
    late.deadline = Some(Instant::now());
    runs(&mut late, 1e8);
    assert!(late.order().is_none());
}

#[test]
fn more_locations_are_tried_while_they_gain() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    let order = state.order().expect("much to do");
    made(&mut state, order, 10, 0.02);
    assert!(state.order().is_none(), "it has to run first");
    runs(&mut state, 6e7);
    assert_eq!(state.scores.leader(), 0);
    let order = state.order().expect("the next may be faster");
    assert_eq!((order.design, order.locations), (Design::Locations(64), 10));
    made(&mut state, order, 40, 0.02);
    runs(&mut state, 3e7);
    assert!(state.order().is_none(), "slower by half than with fewer");
    assert!(state.waiting.is_empty());
}

#[test]
fn what_is_far_behind_is_given_up() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    let order = state.order().expect("much to do");
    made(&mut state, order, 10, 0.02);
    runs(&mut state, 2e7);
    assert!(state.order().is_none() && state.waiting.is_empty());
}

#[test]
fn what_was_too_much_is_tried_with_much_more() {
    let mut state = state(Expected::Unknown);
    runs(&mut state, 1e8);
    let mut ordered = Vec::new();
    for _ in 0..1000 {
        if let Some(order) = state.order() {
            ordered.push(order);
            state.finished(order, Err(NotMade::TooMuch), 1e-3);
        }
        runs(&mut state, 1e8);
    }
    let of = |design| -> Vec<usize> {
        ordered.iter().filter(|order| order.design == design).map(|order| order.statements).collect()
    };
    for design in [16, 64, 256].map(Design::Locations) {
        let statements = of(design);
        assert!(statements.len() > 2, "{ordered:?}");
        assert!(statements.windows(2).all(|pair| pair[1] >= 3 * pair[0]), "{ordered:?}");
    }
    assert!(state.spent < SHARE * state.scores.all().seconds);
}

#[test]
fn the_account_names_who_ran_most_and_who_was_last() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    assert_eq!(state.account().facts, Vec::new(), "nothing to tell of one");
    let order = state.order().expect("much to do");
    made(&mut state, order, 10, 0.02);
    runs(&mut state, 2e8);
    runs(&mut state, 2e8);
    let facts = state.account().facts;
    let told: Vec<(&str, &str)> = facts.iter().map(|fact| (fact.what, fact.why.as_str())).collect();
    let expected = [
        ("many paths at once", "steps a second of 900 paths, made in 0.0 ms"),
        ("up to 16 locations", "steps a second of 900 paths, made in 20.0 ms, the last"),
    ];
    assert_eq!(told, expected);
}

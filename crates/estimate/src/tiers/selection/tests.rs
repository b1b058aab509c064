//! Results do not depend on the code that runs which paths, and nothing waits for a compilation forever.

use super::*;
use crate::settings::PathTier;
use crate::tiers::compiler::PlanCompiler;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, mpsc};
use volvelle_control::{Cancel, Control, Stop};
use volvelle_diagnostics::Sources;
use volvelle_kernel::interp::Interpreter;
use volvelle_prism::lower::{self, Constants};
use volvelle_prism::parse;
use volvelle_prism::properties::lower_properties;
use volvelle_simulate::measure::measure;
use volvelle_simulate::monitor::Monitors;
use volvelle_simulate::path::{Generator, Plan};
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
    let properties = "P=? [ F<=3 waiting=5 ]\nR=? [ C<=2 ]";
    let mut sources = Sources::new();
    let (model, text) = (sources.add("model.prism", QUEUE), sources.add("text.props", properties));
    let (model, _) = parse::model(&sources, model);
    let (text, _) = parse::properties(&sources, text);
    let (lowered, complaints) = lower::lower(&sources, Arc::new(model), &Constants::new());
    let mut lowered = lowered.unwrap_or_else(|| panic!("{complaints:?}"));
    let (properties, _) = lower_properties(&mut lowered, &sources, Arc::new(text), &Constants::new());
    let (mut program, mut measures, mut automata) = (lowered.program().clone(), Vec::new(), Vec::new());
    for property in properties {
        let property = property.unwrap_or_else(|complaints| panic!("{complaints:?}"));
        measures.push(measure(&mut program, &mut automata, &property).expect("paths answer it").measure);
    }
    Arc::new(Plan::new(program, measures, automata, Generator::default()).expect("it is simulated"))
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

/// A compiler that does as the test says, with what the real one makes.
struct Staged<F>(PlanCompiler, F);

impl<F: Fn(&PlanCompiler, CompileRequest) -> Result<CompiledVariant, NotCompiled> + Send + Sync + 'static>
    CompilerService for Staged<F>
{
    fn compile(&self, order: CompileRequest) -> Result<CompiledVariant, NotCompiled> {
        self.1(&self.0, order)
    }
}

const OTHERS: [CodeVariant; 4] =
    [CodeVariant::Quick, CodeVariant::General, CodeVariant::Locations(16), CodeVariant::Locations(1024)];

/// A selection that begins with the interpreter and expects an endless run, so that all other variants are
/// made.
fn selection<F>(plan: &Arc<Plan>, threads: usize, make: F) -> TierSelection
where
    F: Fn(&PlanCompiler, CompileRequest) -> Result<CompiledVariant, NotCompiled> + Send + Sync + 'static,
{
    let compiler = Box::new(Staged(PlanCompiler::new(Arc::clone(plan)), make));
    let expected = Expected::Paths(u64::MAX);
    let control = Control { threads, ..Control::unlimited() };
    TierSelection::start(compiler, &[CodeVariant::Interpreter], |_| OTHERS.to_vec(), expected, &control)
        .expect("it starts")
}

#[test]
fn everybody_in_the_race_finds_the_same() {
    let plan = plan();
    let reference = Runner::scalar(&plan, &Interpreter).expect("compiles");
    let wanted = sampled(&reference, 4_000, 1);
    for threads in [1, 2] {
        let selection = selection(&plan, threads, |compiler, order| compiler.compile(order));
        assert_eq!(sampled(&selection, 4_000, threads), wanted, "{threads} threads");
        let facts = selection.usage().facts;
        // The other worker may be through before the code is made.
        assert!(threads > 1 || facts.len() >= 2, "{facts:?}");
        let control = Control { threads, ..Control::unlimited() };
        for tier in [PathTier::Auto, PathTier::Interpreter, PathTier::Scalar, PathTier::Vector] {
            let selection = crate::tiers::start(&plan, tier, Expected::Unknown, &control);
            assert_eq!(sampled(&selection.expect("it starts"), 4_000, threads), wanted, "{tier:?}");
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
        let selection = selection(&plan, threads, move |compiler, order| match order.variant {
            CodeVariant::Interpreter => compiler.compile(order),
            CodeVariant::Quick => Err(NotCompiled::Failed("no".to_owned())),
            _ => {
                counter.fetch_add(1, Ordering::Relaxed);
                panic!("generating code panics, as the test wants it to")
            }
        });
        assert_eq!(sampled(&selection, 8_000, threads), wanted);
        assert_eq!(selection.usage().tier, "interpreter");
        let waiting = selection.shared.lock().waiting.len();
        assert!(tried.load(Ordering::Relaxed) > 0 && waiting < OTHERS.len(), "{waiting} are left");
    }
}

#[test]
fn nothing_that_starts_is_an_error() {
    let plan = plan();
    let refuse = |_: &PlanCompiler, _: CompileRequest| -> Result<CompiledVariant, NotCompiled> {
        Err(NotCompiled::Failed("no".into()))
    };
    let compiler = Box::new(Staged(PlanCompiler::new(plan), refuse));
    let first = [CodeVariant::Vector, CodeVariant::Interpreter];
    let selection =
        TierSelection::start(compiler, &first, |_| Vec::new(), Expected::Unknown, &Control::unlimited());
    assert_eq!(selection.err(), Some("no".to_owned()));
}

/// A selection whose first candidate is being made for as long as the test likes: `begun` tells when, and the sender lets it go.
fn stuck(plan: &Arc<Plan>, threads: usize) -> (TierSelection, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let selection = selection(plan, threads, move |compiler, order| {
        if order.variant != CodeVariant::Interpreter {
            begun.send(()).ok();
            released.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        }
        compiler.compile(order)
    });
    (selection, has_begun, release)
}

#[test]
fn who_stops_waits_for_no_code() {
    let plan = plan();
    for threads in [1, 2] {
        let (selection, has_begun, release) = stuck(&plan, threads);
        let cancel = Cancel::new();
        let control = Control { threads, cancel: &cancel, ..Control::unlimited() };
        let (_, ended): (Sampled, _) = std::thread::scope(|scope| {
            let cancel = &cancel;
            scope.spawn(move || {
                has_begun.recv().expect("code is made");
                cancel.cancel();
            });
            sample(&selection, &request(u64::MAX / 2), &control, |_, _| false)
        });
        assert_eq!(ended, Some(Ended::Stopped(Stop::Cancelled)));
        assert!(selection.shared.lock().is_compiling, "it goes on");
        // Code that is compiled too late does no harm, even after the selection was dropped.
        let shared = Arc::clone(&selection.shared);
        drop(selection);
        drop(release);
        while shared.lock().is_compiling {
            std::thread::yield_now();
        }
    }
}

#[test]
fn who_has_enough_waits_for_no_code() {
    let plan = plan();
    let wanted = sampled(&Runner::scalar(&plan, &Interpreter).expect("compiles"), 4_000, 1);
    let (selection, _has_begun, release) = stuck(&plan, 2);
    assert_eq!(sampled(&selection, 4_000, 2), wanted);
    let (at_most, ended) = {
        let control = Control { threads: 2, ..Control::unlimited() };
        sample(&selection, &request(u64::MAX / 2), &control, |all, _| all.paths >= 2048)
    };
    assert_eq!((at_most.paths, ended), (2048, None));
    drop(release);
}

/// A state whose first candidate is vector code.
fn state(expected: Expected) -> State {
    let plan = plan();
    let compiler = PlanCompiler::new(plan);
    let order = CompileRequest { variant: CodeVariant::Interpreter, statements: 0, locations: 0 };
    let made = compiler.compile(order).unwrap_or_else(|why| panic!("{why:?}"));
    State {
        throughput: Throughput::new(TrialRules::THREADS),
        candidates: vec![Candidate::new(CodeVariant::Vector, made, 0.0)],
        waiting: [16, 64, 256]
            .map(|n| Waiting { variant: CodeVariant::Locations(n), tried_with: 0.0 })
            .into(),
        is_compiling: false,
        has_waiting_worker: false,
        spent: 0.0,
        seconds_per_statement: 1e-4,
        favours_lanes: false,
        expected,
        deadline: None,
        threads: 1,
    }
}

/// Ranges of 5 ms, up to the end of a trial: vector code runs a hundred million steps a second, the candidate on trial `speed`.
fn runs(state: &mut State, speed: f64) {
    for _ in 0..12 {
        let turn = state.throughput.next_turn();
        let speed = if turn.who == 0 { 1e8 } else { speed };
        let seconds = 5e-3;
        state.throughput.ran(turn, Work { paths: 50, steps: (speed * seconds) as u64 - 50, seconds });
    }
}

fn made(state: &mut State, order: CompileRequest, locations: usize, seconds: f64) {
    let interpreter = CompileRequest { variant: CodeVariant::Interpreter, statements: 0, locations: 0 };
    let code = PlanCompiler::new(plan()).compile(interpreter);
    let code = code.map(|code| CompiledVariant { locations, statements: Some(100), ..code });
    state.finished(order, code, seconds);
}

#[test]
fn few_paths_need_no_better_code() {
    // 600 paths take 60 ms; compiling for 20 more gains nothing.
    let mut few = state(Expected::Paths(620));
    assert!(few.next_request().is_none(), "nothing is known yet");
    runs(&mut few, 1e8);
    assert!(few.next_request().is_none());
    let mut many = state(Expected::Paths(100_000));
    runs(&mut many, 1e8);
    let order = many.next_request().expect("10 s are enough");
    assert_eq!((order.variant, order.locations), (CodeVariant::Locations(16), 1));
    // 10 % of 10 s, at 0.1 ms a statement.
    assert!((9_000..=10_000).contains(&order.statements), "{order:?}");
    // With many threads code would come too late: 10 s are 0.1 s then.
    let mut wide = state(Expected::Paths(100_000));
    wide.threads = 100;
    runs(&mut wide, 1e8);
    let order = wide.next_request().expect("0.04 s");
    assert!((350..=400).contains(&order.statements), "{order:?}");
    // And where everything is over in a moment, nothing is made.
    let mut late = state(Expected::Paths(100_000));
    late.deadline = Some(Instant::now());
    runs(&mut late, 1e8);
    assert!(late.next_request().is_none());
}

#[test]
fn code_that_seldom_pays_has_to_wait_for_a_long_run() {
    // 10 s: half a per cent of it is 0.05 s, at 0.1 ms a statement.
    let mut long = state(Expected::Paths(100_000));
    long.favours_lanes = true;
    runs(&mut long, 1e8);
    let order = long.next_request().expect("0.05 s");
    assert!((450..=500).contains(&order.statements), "{order:?}");
    // What is known of it then decides, not what was expected.
    made(&mut long, order, 10, 0.02);
    runs(&mut long, 6e7);
    assert!(long.next_request().expect("10 % of the time").statements > 2_000);
    // In half a second, there is no room for it, as there is otherwise.
    for (favours_lanes, is_compiled) in [(true, false), (false, true)] {
        let mut short = state(Expected::Paths(5_000));
        short.favours_lanes = favours_lanes;
        runs(&mut short, 1e8);
        assert_eq!(short.next_request().is_some(), is_compiled);
    }
}

#[test]
fn more_locations_are_tried_while_they_gain() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    let order = state.next_request().expect("much to do");
    made(&mut state, order, 10, 0.02);
    assert!(state.next_request().is_none(), "it has to run first");
    runs(&mut state, 6e7);
    assert_eq!(state.throughput.leader(), 0);
    let order = state.next_request().expect("the next may be faster");
    assert_eq!((order.variant, order.locations), (CodeVariant::Locations(64), 10));
    made(&mut state, order, 40, 0.02);
    runs(&mut state, 3e7);
    assert!(state.next_request().is_none(), "slower by half than with fewer");
    assert!(state.waiting.is_empty());
}

#[test]
fn what_is_far_behind_is_given_up() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    let order = state.next_request().expect("much to do");
    made(&mut state, order, 10, 0.02);
    runs(&mut state, 2e7);
    assert!(state.next_request().is_none() && state.waiting.is_empty());
}

#[test]
fn what_was_too_much_is_tried_with_much_more() {
    let mut state = state(Expected::Unknown);
    runs(&mut state, 1e8);
    let mut ordered = Vec::new();
    for _ in 0..1000 {
        if let Some(order) = state.next_request() {
            ordered.push(order);
            state.finished(order, Err(NotCompiled::TooMuch), 1e-3);
        }
        runs(&mut state, 1e8);
    }
    let of = |variant| -> Vec<usize> {
        ordered.iter().filter(|order| order.variant == variant).map(|order| order.statements).collect()
    };
    for variant in [16, 64, 256].map(CodeVariant::Locations) {
        let statements = of(variant);
        assert!(statements.len() > 2, "{ordered:?}");
        assert!(statements.windows(2).all(|pair| pair[1] >= 3 * pair[0]), "{ordered:?}");
    }
    assert!(state.spent < SHARE * state.throughput.all().seconds);
}

#[test]
fn the_account_names_who_ran_most_and_who_was_last() {
    let mut state = state(Expected::Paths(1_000_000));
    runs(&mut state, 1e8);
    assert_eq!(state.usage().facts, Vec::new(), "nothing to tell of one");
    let order = state.next_request().expect("much to do");
    made(&mut state, order, 10, 0.02);
    runs(&mut state, 2e8);
    runs(&mut state, 2e8);
    let facts = state.usage().facts;
    let told: Vec<(&str, &str)> = facts.iter().map(|fact| (&*fact.what, fact.why.as_str())).collect();
    let expected = [
        ("many paths at once", "steps per second of 900 paths, generated in 0.0 ms"),
        ("up to 16 locations", "steps per second of 900 paths, generated in 20.0 ms, the last"),
    ];
    assert_eq!(told, expected);
}

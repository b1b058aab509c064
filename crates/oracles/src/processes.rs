//! Models of processes: interpreter and native code make the same successors, and searches find the same.

use crate::schedules::{Agreement, schedules};
use crate::slices::{Slices, Wanted, slices};
use std::collections::HashMap;
use volvelle_control::{Control, Limits};
use volvelle_determinacy::Question;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_explore::{NO_STEP, Processes, States};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, Compiler};
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{Domain, FieldId, Program};
use volvelle_native::Native;
use volvelle_promela::{Include, Lowered};
use volvelle_promela_testing::{Choices, random_program};
use volvelle_search::{
    Exit, Expander, Order, Outcome, Part, Position, Report, Successors, System, TRANSIENT, bfs,
};

/// No files to include.
pub(crate) struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Steps of a walk.
const STEPS: usize = 60;

/// States of a search with the interpreter.
const STATES: u64 = 400;

/// The steps of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Steps until a state without successors, or the limit.
    pub steps: usize,
    /// Whether both searches saw all states.
    pub complete: bool,
}

/// A random program and random walks through it, as the bytes choose.
pub fn promela_walk(bytes: &[u8]) -> Walk {
    let mut seed = [0; 8];
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    seed[..first.len()].copy_from_slice(first);
    // The first bytes choose the way, the others the program.
    let program = random_program(&mut Choices::from_bytes(rest));
    promela_tiers(&program, u64::from_le_bytes(seed))
}

/// A model that has to be without errors.
///
/// # Panics
/// Where it has some.
pub(crate) fn lowered(text: &str) -> Lowered {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", text);
    let parsed = volvelle_promela::parse(&mut sources, file, &mut NoFiles, &[]);
    let (lowered, diagnostics) = volvelle_promela::lower(&parsed.model);
    let is_error = |d: &&volvelle_diagnostics::Diagnostic| d.severity == Severity::Error;
    let errors: Vec<_> = parsed.diagnostics.iter().chain(&diagnostics).filter(is_error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    lowered.expect("a model without errors is lowered")
}

/// Compares interpreter and native code on a model: along a walk that `seed` chooses, and by a search.
///
/// # Panics
/// Where the two differ, or the text is no model.
pub fn promela_tiers(text: &str, seed: u64) -> Walk {
    let lowered = lowered(text);
    let native = Native::new(volvelle_native::Options::default()).expect("this machine has native code");
    let steps = walk(&lowered.program, &native, seed, text);
    let program = &lowered.program;
    let (first, second) = (search(program, &native, false), search(program, &Interpreter, false));
    let counts = |r: &Report| (r.states, r.faults.len(), r.outcome);
    assert_eq!(counts(&first), counts(&second), "native code and interpreter differ\n{text}");
    assert_eq!(first.transitions, second.transitions, "native code and interpreter differ\n{text}");
    let third = search(program, &Interpreter, true);
    // Where a limit ends them, they end in different places. Ways through an atomic sequence that meet within it are one
    // way step by step, and several transitions at once.
    let complete = [&first, &third].iter().all(|r| r.outcome == Outcome::Complete);
    let agree = counts(&first) == counts(&third) && first.transitions >= third.transitions;
    assert!(!complete || agree, "several steps at once and one by one differ\n{text}");
    if first.outcome == Outcome::Complete {
        matrix(program, &native, &first, text);
        every_statement(program, &native, text);
        parts(program, text);
    }
    Walk { steps, complete: first.outcome == Outcome::Complete }
}

/// Compares certificates of determinacy with an exploration of all schedules, for a question that `seed` chooses.
///
/// # Panics
/// Where the two differ, or the text is no model.
pub fn promela_schedules(text: &str, seed: u64) -> Option<Agreement> {
    let (program, question) = asked(text, seed)?;
    schedules(&program, &question, false, text)
}

/// Compares searches for the least cost with and without a reduction, for a question of the same kind.
///
/// # Panics
/// Where the two differ, or the text is no model.
pub fn promela_slices(text: &str, seed: u64) -> Option<Slices> {
    let (program, Question { goal, cost, .. }) = asked(text, seed)?;
    let question = volvelle_tune::search::Question { goal, cost, parameters: Vec::new() };
    slices(&program, &question, Wanted::All, 60_000, text)
}

/// A goal and a cost, each of which is about a global variable.
fn asked(text: &str, seed: u64) -> Option<(Program, Question)> {
    let mut program = lowered(text).program;
    if seed.is_multiple_of(2) {
        volvelle_model::merge::merge(&mut program);
    }
    let is_number = |f: &usize| {
        let field = &program.fields[*f];
        field.component.is_none() && field.length == 1 && field.domain != Domain::Bool
    };
    let globals: Vec<usize> = (0..program.fields.len()).filter(is_number).collect();
    let pick = |n: u64| globals.get((n % globals.len().max(1) as u64) as usize).copied();
    let (goal, cost) = (pick(seed / 2)?, pick(seed / 3 + 1)?);
    let [goal, cost] = [goal, cost].map(|field| program.field(FieldId(field as u32)));
    let value = program.exprs.i64((seed % 3) as i64 + 1);
    let goal = program.exprs.binary(BinaryOp::Eq, goal, value);
    let within = (seed % 5 < 2).then_some((seed % 7) as i64);
    Some((program, Question { goal, cost, observed: Vec::new(), within }))
}

/// Compares the successors of some states, process by process in both orders, with all of them at once.
fn parts(program: &Program, text: &str) {
    let system = Processes::new(program, NetworkOptions::default(), &Interpreter, u64::MAX);
    let system = system.expect("a small model is made");
    let words = system.words();
    let mut expander = system.path_compressing_expander();
    let mut ordered = [Order::Descending, Order::Ascending].map(|order| system.ordered_expander(order));
    let (mut whole, mut part) = (Successors::default(), Part::default());
    let steps_of = |out: &Successors| -> Vec<(u32, Vec<u64>)> {
        out.steps.iter().copied().zip(out.states.chunks_exact(words).map(<[u64]>::to_vec)).collect()
    };
    let mut queue: Vec<Vec<u64>> = system.initial().chunks_exact(words).map(<[u64]>::to_vec).collect();
    let mut next = 0;
    while next < queue.len().min(STATES as usize / 2) {
        let state = queue[next].clone();
        next += 1;
        if expander.expand(&state, &mut whole) != Exit::Done {
            return;
        }
        let mut expected = steps_of(&whole);
        let mut sites: Vec<(u32, u32)> = whole.errors.iter().map(|e| (e.site, e.step)).collect();
        expected.sort();
        sites.sort_unstable();
        for ordered in &mut ordered {
            let (mut found, mut found_sites) = (Vec::new(), Vec::new());
            let mut at = Position::START_IN_FULL;
            while at != Position::END {
                assert_eq!(ordered.part(&state, at, &mut part), Exit::Done, "{text}");
                assert!(!part.precedes);
                found.extend(steps_of(&part.successors));
                found_sites.extend(part.successors.errors.iter().map(|e| (e.site, e.step)));
                at = part.next;
            }
            found.sort();
            found_sites.sort_unstable();
            // A step that fails ends the taking of several steps at once, of the whole and of its part. Parts before it
            // may have seen errors further on in their atomic sequences.
            if whole.errors.iter().any(|error| error.successor.is_none()) {
                let is_found = |site: &(u32, u32)| found_sites.contains(site);
                assert!(sites.iter().all(is_found), "{found_sites:?} lacks some of {sites:?}\n{text}");
                continue;
            }
            assert_eq!(found_sites, sites, "the errors of state {next}\n{text}");
            // A step that fails may be one that would have precedence: then others are there or not.
            if !sites.is_empty() {
                continue;
            }
            assert_eq!(found, expected, "the parts of state {next} are not the whole\n{text}");
            // A process that has precedence has all its steps, and no other process has one.
            assert_eq!(ordered.part(&state, Position::START, &mut part), Exit::Done, "{text}");
            let first = steps_of(&part.successors);
            assert!(first.iter().all(|step| expected.contains(step)), "{text}");
            assert_eq!(first.is_empty(), expected.is_empty(), "{text}");
        }
        for (_, target) in expected {
            if !queue.contains(&target) {
                queue.push(target);
            }
        }
    }
}

/// Compares the state space as a matrix with what a search found of it.
fn matrix(program: &Program, compiler: &dyn Compiler, found: &Report, text: &str) {
    let all: Vec<usize> = (0..program.labels.len().min(60)).collect();
    let options = NetworkOptions { labels: all.clone(), ..NetworkOptions::default() };
    let names: Vec<String> = all.iter().map(|label| format!("label{label}")).collect();
    let system = Processes::new(program, options, compiler, 0).expect("a small model is made");
    let (system, table) = system
        .tabulated(&names, States::Stored, usize::MAX, &Control::unlimited())
        .expect("few processes are started");
    let table = table.expect("a search saw all of it");
    assert_eq!(
        table.space.num_states() as u64,
        found.states,
        "a matrix has other states than a search\n{text}"
    );
    // Every row, by a machine that takes one step after the other.
    let mut expander = system.expander();
    let mut out = Successors::default();
    for state in 0..table.states.len() {
        expander.expand(table.states.get(state), &mut out);
        for (bit, (_, states)) in table.space.labels.iter().enumerate() {
            let holds = out.observations[0] >> bit & 1 != 0;
            assert_eq!(states.contains(state), holds, "label {bit} in state {state}\n{text}");
        }
        assert_eq!(table.space.deadlocks.contains(state), out.steps.is_empty(), "state {state}\n{text}");
        let successors = table.space.successors(state);
        for (target, step) in out.states.chunks_exact(system.words()).zip(&out.steps) {
            let is_there = successors.iter().any(|&s| table.states.get(s as usize) == target);
            assert!(step & TRANSIENT != 0 || is_there, "a successor of state {state} is missing\n{text}");
        }
    }
}

/// Compares the state space with what is inside atomic sequences with a plain walk.
fn every_statement(program: &Program, compiler: &dyn Compiler, text: &str) {
    let control =
        Control { limits: Limits { states: Some(20 * STATES), ..Limits::default() }, ..Control::unlimited() };
    let system = made(program, compiler);
    let (system, table) = system
        .tabulated(&[], States::EveryStatement, usize::MAX, &control)
        .expect("few processes are started");
    let table = match table {
        Ok(table) => table,
        // A limit, which atomic sequences may reach that a search takes as one step.
        Err(_) => return,
    };
    let words = system.words();
    let mut numbers: HashMap<Vec<u64>, usize> = HashMap::from([(system.initial(), 0)]);
    let mut states = vec![system.initial()];
    let mut edges = Vec::new();
    let mut expander = system.expander();
    let mut out = Successors::default();
    let mut at = 0;
    while at < states.len() {
        expander.expand(&states[at].clone(), &mut out);
        for (target, &step) in out.states.chunks_exact(words).zip(&out.steps) {
            let next = numbers.len();
            let to = *numbers.entry(target.to_vec()).or_insert_with(|| {
                states.push(target.to_vec());
                next
            });
            edges.push((at, step & !TRANSIENT, to));
        }
        at += 1;
    }
    let mut found = Vec::new();
    assert_eq!(table.states.len(), states.len(), "a matrix has other states than a walk\n{text}");
    for (state, expected) in states.iter().enumerate() {
        assert_eq!(table.states.get(state), expected, "state {state}\n{text}");
        let choices = table.space.choices_of(state).filter(|&choice| table.steps[choice] != NO_STEP);
        found
            .extend(choices.map(|choice| (state, table.steps[choice], table.space.columns[choice] as usize)));
    }
    assert_eq!(found, edges, "the steps differ\n{text}");
}

/// A system whose steps are taken one by one.
pub(crate) struct Stepwise<'s>(pub &'s Processes<'s>);

impl System for Stepwise<'_> {
    fn words(&self) -> usize {
        self.0.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.0.initial()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        self.0.expander()
    }
}

fn search(program: &Program, compiler: &dyn Compiler, stepwise: bool) -> Report {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, threads: 1, ..Control::unlimited() };
    let options =
        bfs::Options { all_errors: true, max_depth: None, no_trails: true, listing: Default::default() };
    let search = |system: &Processes<'_>| match stepwise {
        true => bfs::search(&Stepwise(system), &options, &control),
        false => bfs::search(system, &options, &control),
    };
    let searched = made(program, compiler).searched(search, |found| found.outcome);
    searched.expect("few processes are started").1
}

fn made<'p>(program: &'p Program, compiler: &'p dyn Compiler) -> Processes<'p> {
    Processes::new(program, NetworkOptions::default(), compiler, 0).expect("a small model is made")
}

/// Walks through the model; gives how many steps that were.
fn walk(program: &Program, native: &dyn Compiler, seed: u64, text: &str) -> usize {
    let (mut fast, mut slow) = (made(program, native), made(program, &Interpreter));
    let mut choices = Choices::from_seed(seed);
    let mut state = fast.initial();
    assert_eq!(state, slow.initial(), "the initial states differ\n{text}");
    let mut step = 0;
    while step < STEPS {
        let (mut found, mut expected) = (Successors::default(), Successors::default());
        let exit = fast.expander().expand(&state, &mut found);
        let expected_exit = slow.expander().expand(&state, &mut expected);
        assert_eq!(exit, expected_exit, "the ends differ\n{text}");
        if matches!(exit, Exit::LayoutOverflow { .. }) {
            // A larger layout: walk again.
            (fast, slow) = (fast.grow().expect("few processes"), slow.grow().expect("few processes"));
            assert_eq!(fast.words(), slow.words(), "the layouts differ\n{text}");
            (choices, state, step) = (Choices::from_seed(seed), fast.initial(), 0);
            continue;
        }
        // Several steps at once: native code and interpreter must agree on them as well.
        let (mut swift, mut swift_expected) = (Successors::default(), Successors::default());
        let exits = (
            fast.path_compressing_expander().expand(&state, &mut swift),
            slow.path_compressing_expander().expand(&state, &mut swift_expected),
        );
        assert_eq!(exits.0, exits.1, "the ends differ\n{text}");
        let all = |s: &Successors| {
            (s.states.clone(), s.steps.clone(), s.ends.clone(), s.observations.clone(), s.errors.clone())
        };
        assert_eq!(all(&found), all(&expected), "the successors differ\n{text}");
        assert_eq!(all(&swift), all(&swift_expected), "the successors by several steps differ\n{text}");
        let words = fast.words();
        let count = found.states.len() / words;
        assert_eq!(count, found.steps.len(), "as many steps as successors\n{text}");
        if count == 0 {
            break;
        }
        let next = choices.below(count);
        state = found.states[next * words..(next + 1) * words].to_vec();
        step += 1;
    }
    step
}

//! Random programs, searched on the fly: against the matrix, with and without successors left out.

use super::generate;
use volvelle_control::{Control, Limits};
use volvelle_explore::{Explored, Modules, ModulesOptions, Options, explore, explore_reduced};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, ExprId, FailKind};
use volvelle_model::kernels::Selection;
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Component, ComponentId, Domain, Effect, Field,
    FieldId, Group, Initial, Kind, Label, Origin, Outcome as Way, Participant, Program, SiteInfo,
    SiteSubject, Weight,
};
use volvelle_random::{Random, attack_cases};
use volvelle_search::liveness::{self, Goal};
use volvelle_search::{Claim, ClaimEdge, ClaimState, Outcome, Report, System, bfs, prefix};

const STATES: u64 = 600;

fn edge(must: u64, must_not: u64, target: u32) -> ClaimEdge {
    ClaimEdge { must, must_not, target }
}

/// Accepts runs in which the first label holds some time.
fn some_time() -> Claim {
    let wait = ClaimState { accepting: false, edges: vec![edge(0, 1, 0), edge(1, 0, 1)] };
    Claim { states: vec![wait, ClaimState { accepting: true, edges: vec![edge(0, 0, 1)] }], initial: 0 }
}

/// Accepts runs in which the first label holds again and again.
fn again_and_again() -> Claim {
    let edges = vec![edge(0, 1, 0), edge(1, 0, 1)];
    let states =
        vec![ClaimState { accepting: false, edges: edges.clone() }, ClaimState { accepting: true, edges }];
    Claim { states, initial: 0 }
}

/// Modules with a counter each that have little to do with one another: most moves are of one module, some test or
/// write a field that all share, and two modules synchronise.
fn loosely_coupled(seed: u64) -> Program {
    let mut r = Random(seed);
    let mut p = Program::new(Choice::Probabilistic);
    p.actions.push(Action { name: "both".into() });
    let modules = 2 + r.below(3);
    for m in 0..=modules {
        let component = (m < modules).then_some(ComponentId(m as u32));
        p.components.push(Component { name: format!("m{m}") });
        let domain = Domain::Int { lo: 0, hi: 2 };
        p.fields.push(Field { name: format!("x{m}"), domain, component, length: 1, origin: Origin(0) });
    }
    let shared = FieldId(modules as u32);
    for m in 0..modules {
        let alternatives = (0..2 + r.below(3)).map(|_| {
            let mut alternative = moving(&mut p, &mut r, FieldId(m as u32));
            match r.below(10) {
                0 => alternative.guard = also(&mut p, &mut r, alternative.guard, shared),
                1 => {
                    let mut assignments = alternative.outcomes[0].assignments().to_vec();
                    assignments.push(set(&mut p, &mut r, shared));
                    alternative.outcomes[0].effect = Effect::Assignments(assignments);
                }
                _ => {}
            }
            alternative
        });
        let alternatives = alternatives.collect();
        let participants = vec![Participant::component(ComponentId(m as u32), alternatives)];
        p.groups.push(Group::new(ActionId::SILENT, participants));
    }
    let participants = (0..2).map(|m| {
        let alternatives = vec![moving(&mut p, &mut r, FieldId(m))];
        Participant::component(ComponentId(m), alternatives)
    });
    let participants = participants.collect();
    p.groups.push(Group::new(ActionId(1), participants));
    let always = p.exprs.bool(true);
    let observed = if r.chance(50) { shared } else { FieldId(0) };
    let expr = also(&mut p, &mut r, always, observed);
    p.labels.push(Label { name: Some("seen".into()), expr, origin: None });
    p.initial = Initial::States(vec![vec![0; p.fields.len()]]);
    p
}

/// `guard & field = value`
fn also(p: &mut Program, r: &mut Random, guard: ExprId, field: FieldId) -> ExprId {
    let (field, value) = (p.field(field), p.exprs.i64(r.below(3) as i64));
    let equal = p.exprs.binary(BinaryOp::Eq, field, value);
    p.exprs.and(guard, equal)
}

fn set(p: &mut Program, r: &mut Random, field: FieldId) -> Assignment {
    let (kind, subject) = (FailKind::Range, SiteSubject::Assignment(field));
    let site = p.site(SiteInfo { kind, subject, origin: Origin(0), command: None });
    Assignment { field, value: p.exprs.i64(r.below(3) as i64), site }
}

/// A command that moves a counter, perhaps in one of two ways.
fn moving(p: &mut Program, r: &mut Random, field: FieldId) -> Alternative {
    let always = p.exprs.bool(true);
    let guard = also(p, r, always, field);
    let ways = 1 + r.below(2);
    let outcome = |p: &mut Program, r: &mut Random| {
        let weight = Weight::Constant { value: 1.0 / ways as f64, exact: None };
        Way::assigning(weight, vec![set(p, r, field)], Origin(0))
    };
    let outcomes = (0..ways).map(|_| outcome(p, r)).collect();
    Alternative::command(guard, outcomes, None, Origin(0))
}

/// Programs of both sorts.
fn program(seed: u64) -> Program {
    if seed.is_multiple_of(2) { loosely_coupled(seed) } else { generate::program(seed) }
}

/// A program that exploration takes to its end, without places where it stops.
fn complete(seed: u64) -> Option<(Program, Explored)> {
    let mut program = program(seed);
    program.stop = None;
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let options = Options { observe: Selection::all(&program), ..Options::default() };
    let explored = explore(&program, &Interpreter, &options, &control).ok()?;
    Some((program, explored))
}

/// Runs a search on a system that observes the first label.
fn searched<T>(
    program: &Program,
    reduce: bool,
    search: impl Fn(&Modules<'_>) -> T,
    outcome: impl Fn(&T) -> Outcome,
) -> (T, bool) {
    let options = ModulesOptions { labels: vec![0], deadlocks: true, reduce, symmetry: false };
    let control = Control::unlimited();
    let system = Modules::new(program, options, &Interpreter, &control).expect("the program was explored");
    let (system, found) = system.searched(&control, search, outcome).expect("the program was explored");
    (found, system.is_reduced())
}

fn breadth_first(program: &Program) -> Report {
    let options = bfs::Options { all_errors: true, ..bfs::Options::default() };
    searched(program, false, |s| bfs::search(s, &options, &Control::unlimited()), |r| r.outcome).0
}

/// Whether the label holds in a state on a cycle, or in a deadlock, where runs stay.
fn recurs(explored: &Explored) -> bool {
    let space = &explored.space;
    let holds = |state: usize| space.labels[0].1.contains(state);
    let targets = |state: usize| {
        let row = |c| space.transitions(c).map(|(target, _)| target).collect::<Vec<_>>();
        space.choices_of(state).flat_map(row).collect::<Vec<_>>()
    };
    (0..space.num_states()).filter(|&state| holds(state)).any(|state| {
        if space.deadlocks.contains(state) {
            return true;
        }
        let mut seen = vec![false; space.num_states()];
        let mut stack = targets(state);
        while let Some(next) = stack.pop() {
            if next == state {
                return true;
            }
            if !std::mem::replace(&mut seen[next], true) {
                stack.extend(targets(next));
            }
        }
        false
    })
}

#[test]
fn searches_find_what_exploration_finds() {
    let (mut programs, mut left_out) = (0, 0);
    for seed in 0..700 {
        let Some((program, explored)) = complete(seed) else { continue };
        programs += 1;
        let space = &explored.space;
        let found = breadth_first(&program);
        assert_eq!(found.states, space.num_states() as u64, "seed {seed}");
        let deadlocks = space.deadlocks.count() > 0;
        assert_eq!(!found.faults.is_empty(), deadlocks, "seed {seed}");

        // Deadlocks, with successors left out.
        let options = bfs::Options { all_errors: true, ..bfs::Options::default() };
        let reduced = |s: &Modules<'_>| bfs::search(s, &options, &Control::unlimited());
        let nothing = ModulesOptions { labels: Vec::new(), deadlocks: true, reduce: true, symmetry: false };
        let control = Control::unlimited();
        let system = Modules::new(&program, nothing, &Interpreter, &control).unwrap();
        let (system, report) = system.searched(&control, reduced, |r| r.outcome).unwrap();
        assert_eq!(!report.faults.is_empty(), deadlocks, "seed {seed}");
        assert!(report.states <= found.states, "seed {seed}");
        left_out += usize::from(report.states < found.states);
        for fault in &report.faults {
            let trail = fault.trail.as_ref().expect("there was time");
            let last = system.layout().unpack(trail.states.last().unwrap());
            let is_last = |s: usize| explored.layout.unpack(explored.states.get(s)) == last;
            let state = (0..space.num_states()).find(|&s| is_last(s)).expect("the state is reachable");
            assert!(space.deadlocks.contains(state), "seed {seed}");
        }

        for reduce in [false, true] {
            let claim = some_time();
            let search = |s: &Modules<'_>| {
                let options = prefix::Options {
                    claim: &claim,
                    reduce: s.is_reduced(),
                    max_depth: None,
                    listing: Default::default(),
                };
                prefix::search(s, &options, &Control::unlimited())
            };
            let (report, _) = searched(&program, reduce, search, |r| r.outcome);
            let holds_somewhere = space.labels[0].1.count() > 0;
            assert_eq!(report.outcome == Outcome::Failed, holds_somewhere, "seed {seed}, reduce {reduce}");

            let claim = again_and_again();
            let search = |s: &Modules<'_>| {
                let options = liveness::Options {
                    goal: Goal::Claim(&claim),
                    weak_fairness: false,
                    reduce: s.is_reduced(),
                    max_depth: None,
                    any_lasso: false,
                    listing: Default::default(),
                };
                liveness::search(s, &options, &Control::unlimited())
            };
            let (verdict, _) = searched(&program, reduce, search, |v| v.report.outcome);
            let expected = recurs(&explored);
            assert_eq!(verdict.report.outcome == Outcome::Failed, expected, "seed {seed}, reduce {reduce}");
        }
    }
    assert!(programs > 300, "{programs} programs");
    assert!(left_out > 60, "states were left out in {left_out} programs");
}

/// Minimal and maximal probabilities of getting to the first label from the initial states, by many sweeps.
fn reaching(explored: &Explored, pick: fn(f64, f64) -> f64) -> Vec<f64> {
    let space = &explored.space;
    let goal = |state: usize| f64::from(u8::from(space.labels[0].1.contains(state)));
    let mut values: Vec<f64> = (0..space.num_states()).map(goal).collect();
    for _ in 0..3000 {
        let next = (0..space.num_states()).map(|state| {
            let of = |choice| space.transitions(choice).map(|(target, weight)| weight * values[target]).sum();
            let best = space.choices_of(state).map(of).reduce(pick).unwrap_or(0.0);
            if goal(state) == 1.0 { 1.0 } else { best }
        });
        values = next.collect();
    }
    space.initial.iter().map(|state| values[state.0 as usize]).collect()
}

#[test]
fn probabilities_survive_what_is_left_out() {
    let (mut programs, mut left_out) = (0, 0);
    for seed in attack_cases(360) {
        let Some((program, full)) = complete(seed) else { continue };
        if program.kind() != Kind::Mdp {
            continue;
        }
        programs += 1;
        let observe = Selection { labels: vec![0], ..Selection::default() };
        let options = Options { observe, ..Options::default() };
        let mut known = None;
        for threads in [1, 2, 3] {
            let control = Control { threads, ..Control::unlimited() };
            let Some(reduced) = explore_reduced(&program, &Interpreter, &options, &control) else { break };
            let reduced = reduced.expect("all of it was explored");
            let states = reduced.space.num_states();
            assert!(states <= full.space.num_states(), "seed {seed}");
            left_out += usize::from(threads == 1 && states < full.space.num_states());
            let known = known.get_or_insert_with(|| reduced.space.clone());
            assert_eq!(*known, reduced.space, "seed {seed}, {threads} threads");
            if threads > 1 {
                continue;
            }
            for pick in [f64::min, f64::max] {
                let (all, some) = (reaching(&full, pick), reaching(&reduced, pick));
                let agree = all.iter().zip(&some).all(|(a, b)| (a - b).abs() < 1e-6);
                assert!(agree, "seed {seed}: {all:?} and {some:?}");
            }
        }
    }
    assert!(programs > 120, "{programs} programs");
    assert!(left_out > 15, "states were left out in {left_out} programs");
}

#[test]
fn steps_name_commands() {
    for seed in 0..200 {
        let Some((program, _)) = complete(seed) else { continue };
        let control = Control::unlimited();
        let system = Modules::new(&program, ModulesOptions::default(), &Interpreter, &control).unwrap();
        let mut out = volvelle_search::Successors::default();
        let initial = system.initial();
        system.expander().expand(&initial[..system.words()], &mut out);
        for &step in &out.steps {
            let command = system.command(step);
            let group = &program.groups[command.group.index()];
            assert_eq!(command.alternative.is_some(), group.participants.len() == 1);
        }
    }
}

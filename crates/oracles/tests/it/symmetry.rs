//! Interchangeable modules: one state for all that differ by a permutation is what putting all states together gives, and
//! searches find the same.

use volvelle_control::Control;
use volvelle_explore::{Explored, Modules, ModulesOptions, Options, explore, explore_reduced};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_oracles::tiers::{Bounds, compare};
use volvelle_oracles::{lowered, symmetry};
use volvelle_prism::testing::{Choices, random_model, symmetric_model};
use volvelle_search::liveness::STUTTER;
use volvelle_search::{Claim, ClaimEdge, ClaimState, Outcome, Successors, System, Trail, bfs};

const STATES: u64 = 3000;

/// The states of a model, if they are not too many and none fails.
fn explored(text: &str) -> Option<(Program, Explored)> {
    let (_, lowered) = lowered(text).expect("it is a model");
    let explored =
        compare(lowered.program(), Bounds { states: STATES, deadline: None }).expect("no difference");
    Some((lowered.program().clone(), explored.ok()?))
}

#[test]
fn copies_of_modules_are_put_together() {
    let (mut models, mut symmetric, mut others, mut with_numbers) = (0, 0, 0, 0);
    for seed in 0..150 {
        let text = symmetric_model(&mut Choices::from_seed(seed));
        let Some((program, explored)) = explored(&text) else { continue };
        models += 1;
        match symmetry::compare(&program, &explored) {
            Ok(orbits) if orbits.is_empty() => others += 1,
            Ok(orbits) => {
                symmetric += 1;
                with_numbers += usize::from(orbits.iter().any(|orbit| !orbit.numbers.is_empty()));
            }
            Err(difference) => panic!("seed {seed}: {difference}\n{text}"),
        }
    }
    let seen =
        format!("{models} models, {symmetric} symmetric, {with_numbers} with numbers, {others} others");
    assert!(models > 100 && symmetric > 50 && with_numbers > 10 && others > 10, "{seen}");
}

#[test]
fn models_of_all_sorts_stay_what_they_are() {
    let (mut models, mut symmetric) = (0, 0);
    for seed in 0..200 {
        let text = random_model(&mut Choices::from_seed(seed));
        let Some((program, explored)) = explored(&text) else { continue };
        models += 1;
        match symmetry::compare(&program, &explored) {
            Ok(orbits) => symmetric += usize::from(!orbits.is_empty()),
            Err(difference) => panic!("seed {seed}: {difference}\n{text}"),
        }
    }
    assert!(models > 65, "{models} models, {symmetric} symmetric");
}

/// Whether every step of a trail is one of the program.
fn is_run(system: &Modules<'_>, run: &Trail) -> bool {
    let mut out = Successors::default();
    run.states.windows(2).zip(&run.steps).all(|(pair, &step)| {
        if step == STUTTER {
            return pair[0] == pair[1];
        }
        system.expander().expand(&pair[0], &mut out);
        let mut all = out.steps.iter().zip(out.states.chunks_exact(system.words()));
        all.any(|(&taken, state)| taken == step && state == pair[1])
    })
}

/// Searches for deadlocks, and for runs to and through the first label, by states that stand for others and by all states.
#[test]
fn searches_find_the_same_and_show_runs() {
    let (mut deadlocks, mut lassos, mut fewer) = (0, 0, 0);
    let control = Control::unlimited();
    for seed in 0..150 {
        let text = symmetric_model(&mut Choices::from_seed(seed));
        let Some((program, _)) = explored(&text) else { continue };
        let search = |symmetry: bool, reduce: bool| {
            let options = ModulesOptions { labels: vec![0], deadlocks: true, reduce, symmetry };
            let system = Modules::new(&program, options, &Interpreter, &control).expect("it was explored");
            let options = bfs::Options { all_errors: false, ..bfs::Options::default() };
            let search = |s: &Modules<'_>| bfs::search(s, &options, &control);
            system.searched(&control, search, |found| found.outcome).expect("it was explored")
        };
        let (all, found) = search(false, false);
        for reduce in [false, true] {
            let (system, few) = search(true, reduce);
            assert_eq!(found.outcome, few.outcome, "seed {seed}\n{text}");
            assert!(few.states <= found.states, "seed {seed}");
            fewer += usize::from(few.outcome == Outcome::Complete && few.states < found.states);
            for fault in &few.faults {
                deadlocks += 1;
                let trail = fault.trail.as_ref().expect("there was time");
                let (run, _) = system.run_behind(trail, None).expect("there is a run");
                assert!(is_run(&all, &run), "seed {seed}\n{text}");
                let mut out = Successors::default();
                all.expander().expand(run.states.last().expect("a state"), &mut out);
                assert!(out.steps.is_empty(), "seed {seed}: no deadlock\n{text}");
                if !reduce {
                    assert_eq!(fault.depth, found.faults[0].depth, "seed {seed}: not a shortest run");
                }
            }
        }
        lassos += usize::from(cycles(&program, &all, seed));
    }
    assert!(deadlocks > 12 && fewer > 60 && lassos > 18, "{deadlocks} {fewer} {lassos}");
}

/// Accepts runs in which the first label holds again and again.
fn again_and_again() -> Claim {
    let edge = |target, must| ClaimEdge { must, must_not: 1 - must, target };
    let edges = vec![edge(0, 0), edge(1, 1)];
    let state = |accepting| ClaimState { accepting, edges: edges.clone() };
    Claim { states: vec![state(false), state(true)], initial: 0 }
}

/// Searches for runs through the first label again and again; whether there is one that cannot do without a permutation.
fn cycles(program: &Program, all: &Modules<'_>, seed: u64) -> bool {
    use volvelle_search::liveness::{Goal, Options, search};
    let control = Control::unlimited();
    let claim = again_and_again();
    let mut known = None;
    let mut has_lasso = false;
    for symmetry in [false, true] {
        let options = ModulesOptions { labels: vec![0], deadlocks: false, reduce: false, symmetry };
        let system = Modules::new(program, options, &Interpreter, &control).expect("it was explored");
        let options = Options {
            goal: Goal::Claim(&claim),
            weak_fairness: false,
            reduce: false,
            max_depth: None,
            any_lasso: false,
            listing: Default::default(),
        };
        let (system, verdict) = system
            .searched(&control, |s| search(s, &options, &control), |found| found.report.outcome)
            .expect("it was explored");
        assert_eq!(*known.get_or_insert(verdict.report.outcome), verdict.report.outcome, "seed {seed}");
        if let Some(lasso) = verdict.lasso {
            has_lasso = true;
            let (run, cycle) = system.run_behind(&lasso.trail, Some(lasso.cycle)).expect("there is a run");
            let cycle = cycle.expect("a cycle");
            assert!(is_run(all, &run), "seed {seed}");
            assert_eq!(run.states[cycle], *run.states.last().expect("a state"), "seed {seed}");
            assert!(cycle < run.steps.len(), "seed {seed}: the cycle is empty");
            let mut out = Successors::default();
            let mut holds = |state: &Vec<u64>| {
                all.expander().expand(state, &mut out);
                out.observations[0] & 1 != 0
            };
            assert!(run.states[cycle..].iter().any(&mut holds), "seed {seed}: not in the cycle");
        }
    }
    has_lasso
}

/// Minimal or maximal probability of getting to the first label from the first state, by many sweeps.
fn reaching(explored: &Explored, pick: fn(f64, f64) -> f64) -> f64 {
    let space = &explored.space;
    let holds = |state: usize| space.labels[0].1.contains(state);
    let mut values: Vec<f64> = (0..space.num_states()).map(|s| f64::from(u8::from(holds(s)))).collect();
    for _ in 0..400 {
        for state in (0..space.num_states()).filter(|&state| !holds(state)) {
            let of = |choice| space.transitions(choice).map(|(target, weight)| weight * values[target]).sum();
            values[state] = space.choices_of(state).map(of).reduce(pick).unwrap_or(0.0);
        }
    }
    values[space.initial[0].0 as usize]
}

/// Symmetry together with choices that are left out because others stand for them.
#[test]
fn probabilities_survive_both_reductions() {
    let (mut models, mut fewer) = (0, 0);
    for seed in 0..200 {
        let text = symmetric_model(&mut Choices::from_seed(seed));
        let Some((mut program, _)) = text.starts_with("mdp").then(|| explored(&text)).flatten() else {
            continue;
        };
        program.stop = None;
        let run = |symmetry: bool, reduce: bool| {
            let observe = Selection { labels: vec![0], ..Selection::default() };
            let options = Options { observe, symmetry, ..Options::default() };
            let control = Control::unlimited();
            match reduce {
                true => explore_reduced(&program, &Interpreter, &options, &control),
                false => Some(explore(&program, &Interpreter, &options, &control)),
            }
        };
        let (Some(both), Some(all)) = (run(true, true), run(false, false)) else { continue };
        let (both, all) = (both.expect("it was explored"), all.expect("it was explored"));
        let one = run(true, false).expect("it is explored").expect("it was explored");
        models += 1;
        fewer += usize::from(both.states.len() < one.states.len());
        for pick in [f64::min, f64::max] {
            let [few, all] = [&both, &all].map(|explored| reaching(explored, pick));
            assert!((few - all).abs() < 1e-6, "seed {seed}: {few} and {all}\n{text}");
        }
    }
    assert!(models > 15 && fewer > 2, "{models} models, {fewer} with fewer states");
}

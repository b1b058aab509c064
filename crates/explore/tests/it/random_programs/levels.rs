//! Random programs: exploration up to a number of steps against the whole space, for several numbers of threads.

use super::generate;
use volvelle_control::{Control, Limits};
use volvelle_explore::{Explored, Options, StepLimit, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::Selection;

const STATES: u64 = 800;

fn run(program: &Program, steps: Option<StepLimit>, threads: usize) -> Option<Explored> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, threads, ..Control::unlimited() };
    let options = Options { observe: Selection::all(program), steps, ..Options::default() };
    explore(program, &Interpreter, &options, &control).ok()
}

/// The distance of every state from the initial ones, one step after the other.
fn distances(explored: &Explored) -> Vec<u64> {
    let space = &explored.space;
    let mut distance = vec![u64::MAX; space.num_states()];
    let mut level: Vec<usize> = space.initial.iter().map(|state| state.index()).collect();
    level.iter().for_each(|&s| distance[s] = 0);
    for steps in 1.. {
        let mut next = Vec::new();
        for &s in &level {
            for &t in space.successors(s) {
                if distance[t as usize] == u64::MAX {
                    distance[t as usize] = steps;
                    next.push(t as usize);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    distance
}

/// A limited exploration finds the first states of the whole space, with the same rows, labels and rewards.
/// Only states at the limit have no rows.
fn compare(whole: &Explored, found: &Explored, steps: u64, place: &str) {
    let (all, few) = (&whole.space, &found.space);
    let distance = distances(whole);
    let count = distance.iter().filter(|&&d| d <= steps).count();
    assert_eq!(few.num_states(), count, "{place}");
    assert_eq!(few.initial, all.initial);
    for (s, &steps_to) in distance.iter().enumerate().take(count) {
        let layouts = (&whole.layout, &found.layout);
        let states = (layouts.0.unpack(whole.states.get(s)), layouts.1.unpack(found.states.get(s)));
        assert_eq!(states.0, states.1, "{place}: state {s}");
        let stops = whole.unexpanded.as_ref().is_some_and(|set| set.contains(s));
        let is_beyond = steps_to == steps;
        let unexpanded = found.unexpanded.as_ref().is_some_and(|set| set.contains(s));
        assert_eq!(unexpanded, stops || is_beyond, "{place}: state {s}");
        all.labels.iter().zip(&few.labels).for_each(|(a, b)| assert_eq!(a.1.contains(s), b.1.contains(s)));
        for (a, b) in all.rewards.iter().zip(&few.rewards) {
            let value = |values: &Option<volvelle_space::Values>| values.as_ref().map_or(0.0, |v| v.get(s));
            assert_eq!(value(&a.state), value(&b.state), "{place}: state {s}");
        }
        if is_beyond {
            assert!(few.successors(s).iter().all(|&t| t as usize == s), "{place}: state {s}");
            assert!(!few.deadlocks.contains(s));
            continue;
        }
        assert_eq!(all.deadlocks.contains(s), few.deadlocks.contains(s), "{place}: state {s}");
        assert_eq!(all.choices_of(s), few.choices_of(s), "{place}: state {s}");
        for choice in all.choices_of(s) {
            let rows = (all.transitions(choice), few.transitions(choice));
            assert!(rows.0.eq(rows.1), "{place}: choice {choice}");
        }
    }
}

#[test]
fn a_limit_on_steps_leaves_a_part_of_the_whole_space() {
    let (mut smaller, mut beyond) = (0, 0);
    for seed in 0..300u64 {
        let program = generate::program(seed);
        let whole = run(&program, None, 1);
        for steps in [0, 1, 2, 3, 7] {
            let limit = StepLimit { steps, spared: 0 };
            let found = run(&program, Some(limit), 1);
            let place = format!("seed {seed}, {steps} steps");
            let again = run(&program, Some(limit), 3);
            match (&found, &again) {
                (Some(a), Some(b)) => {
                    assert_eq!(format!("{:?}", a.space), format!("{:?}", b.space), "{place}");
                    assert_eq!(a.unexpanded, b.unexpanded, "{place}");
                }
                (a, b) => assert_eq!(a.is_some(), b.is_some(), "{place}"),
            }
            match (&whole, &found) {
                (Some(whole), Some(found)) => {
                    // A small space is spared the limit.
                    let states = whole.space.num_states();
                    let spared =
                        run(&program, Some(StepLimit { steps, spared: states }), 2).expect("a space");
                    assert_eq!(format!("{:?}", spared.space), format!("{:?}", whole.space), "{place}");
                    assert_eq!(spared.unexpanded, whole.unexpanded, "{place}");
                    compare(whole, found, steps, &place);
                    smaller += usize::from(found.space.num_states() < whole.space.num_states());
                }
                // What fails, or is too large, may lie beyond the limit.
                (None, Some(_)) => beyond += 1,
                (Some(_), None) => panic!("{place}: only the whole space can be explored"),
                (None, None) => {}
            }
        }
    }
    assert!(smaller > 100 && beyond > 20, "{smaller} {beyond}");
}

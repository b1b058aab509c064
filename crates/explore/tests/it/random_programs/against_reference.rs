//! Random programs: the explorer against a slow and obvious one, for every number of threads and both ways
//! of multiplying synchronisations out.

use super::generate;
use super::reference::{self, Reference, Row, Trouble};
use std::collections::BTreeMap;
use volvelle_control::{Control, Limits, Stop};
use volvelle_explore::{ExploreError, Explored, Options, Stepper, Successor, explore};
use volvelle_kernel::interp::{self, Interpreter};
use volvelle_kernel::verify::verify;
use volvelle_model::kernels::{self, Selection, StepOptions};
use volvelle_model::{Choice, FieldId, Kind, Layout, Program};

const STATES: usize = 800;

fn control(threads: usize) -> Control<'static> {
    let limits = Limits { states: Some(STATES as u64), ..Limits::default() };
    Control { limits, threads, ..Control::unlimited() }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn compare(program: &Program, explored: &Explored, expected: &Reference, seed: u64) {
    let space = &explored.space;
    let n = expected.states.len();
    assert_eq!(space.num_states(), n);
    assert_eq!(space.initial.len(), expected.initial);
    for (s, state) in expected.states.iter().enumerate() {
        assert_eq!(&explored.layout.unpack(explored.states.get(s)), state, "state {s}");
        let rows = expected.rows(program, s);
        let choices = space.choices_of(s);
        assert_eq!(choices.len(), rows.len(), "choices of state {s}");
        for (choice, row) in choices.clone().zip(&rows) {
            let found: BTreeMap<usize, f64> = space.transitions(choice).collect();
            assert_eq!(found.len(), space.row(choice).len(), "columns are distinct");
            assert!(space.columns[space.row(choice)].is_sorted());
            assert_eq!(found.len(), row.targets.len(), "state {s}");
            let is_markovian = space.choices.as_ref().is_some_and(|choices| choices.is_markovian(choice));
            let is_automaton = space.kind == volvelle_space::Kind::MarkovAutomaton;
            assert_eq!(is_markovian, is_automaton && row.how == Choice::Race, "seed {seed}: state {s}");
            if let Some(choices) = &space.choices {
                let label = &space.actions[choices.action[choice] as usize];
                assert_eq!(label, &row.label, "seed {seed}: state {s}");
            }
            for (target, weight) in &row.targets {
                assert!(
                    close(found[target], *weight),
                    "seed {seed}: state {s} to {target}: {} for {weight}",
                    found[target]
                );
            }
        }
        let locals = reference::locals(program, state);
        let truth = |e| interp::eval(&program.exprs, e, &locals).unwrap().as_bool().unwrap();
        let stops = program.stop.is_some_and(|label| truth(program.labels[label].expr));
        assert_eq!(explored.unexpanded.as_ref().is_some_and(|set| set.contains(s)), stops, "state {s}");
        let stays = expected.choices[s].iter().all(|c| c.successors.is_empty());
        assert_eq!(space.deadlocks.contains(s), stays && !stops);
        compare_rewards(program, explored, expected, s, stops, &rows);
        for (i, label) in program.labels.iter().enumerate() {
            assert_eq!(space.labels[i].1.contains(s), truth(label.expr), "label {i} of state {s}");
        }
        let value = interp::eval(&program.exprs, program.numbers[0].expr, &locals).unwrap().as_f64().unwrap();
        assert_eq!(explored.numbers[0][s], value);
    }
}

fn compare_rewards(
    program: &Program,
    explored: &Explored,
    expected: &Reference,
    s: usize,
    stops: bool,
    rows: &[Row],
) {
    let space = &explored.space;
    let locals = reference::locals(program, &expected.states[s]);
    for (k, structure) in program.rewards.iter().enumerate() {
        let mut state_reward = 0.0;
        for item in structure.states.iter().filter(|_| !stops) {
            if interp::eval(&program.exprs, item.guard, &locals).unwrap().as_bool().unwrap() {
                state_reward += interp::eval(&program.exprs, item.value, &locals).unwrap().as_f64().unwrap();
            }
        }
        let found = space.rewards[k].state.as_ref().map_or(0.0, |v| v.get(s));
        assert!(close(found, state_reward));
        let Some(per_choice) = &space.rewards[k].choice else {
            assert!(structure.transitions.is_empty());
            continue;
        };
        for (row, expected) in space.choices_of(s).zip(rows.iter().map(|row| row.rewards[k])) {
            let found = per_choice.get(row);
            assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} for {expected}");
        }
    }
}

/// How explorations ended.
#[derive(Debug, Default)]
struct Ends {
    explored: usize,
    failed: usize,
    grown: usize,
    several_words: usize,
    stopped: usize,
    unexpanded: usize,
}

impl Ends {
    /// Explores a program on several threads, as the reference does.
    fn of(&mut self, program: &Program, seed: u64) {
        let expected = reference::explore(program, STATES);
        for threads in [1, 2, 4] {
            let options = Options { observe: Selection::all(program), ..Options::default() };
            let result = explore(program, &Interpreter, &options, &control(threads));
            match (&expected, result) {
                (Ok(expected), Ok(explored)) => {
                    compare(program, &explored, expected, seed);
                    self.explored += 1;
                    let is_partial = |set: &volvelle_space::BitSet| (1..set.len()).contains(&set.count());
                    self.unexpanded += usize::from(explored.unexpanded.as_ref().is_some_and(is_partial));
                    self.several_words += usize::from(explored.layout.words() > 1);
                    self.grown += usize::from(explored.layout != Layout::new(program));
                }
                (Err(Trouble::Failed { state, .. }), Err(ExploreError::Failed { values, path, .. })) => {
                    // The reference may meet another failure of the same state first.
                    assert_eq!(&values, state, "seed {seed}");
                    assert!(path.windows(2).all(|w| w[0].to == w[1].from));
                    self.failed += 1;
                }
                (Err(Trouble::TooMany), Err(ExploreError::Stopped { stop: Stop::States, .. })) => {
                    self.stopped += 1;
                }
                (Err(Trouble::NoInitialState), Err(ExploreError::NoInitialState)) => {}
                (expected, found) => panic!(
                    "seed {seed}, {threads} threads: {:?} for {:?}",
                    found.err(),
                    expected.as_ref().err()
                ),
            }
        }
    }
}

#[test]
fn explores_as_the_reference_does() {
    let mut ends = Ends::default();
    (0..600u64).for_each(|seed| ends.of(&generate::program(seed), seed));
    // The generator must keep making every kind of case.
    assert!(
        ends.explored > 480 && ends.failed > 30 && ends.grown > 30 && ends.several_words > 300,
        "{ends:?}"
    );
    assert!(ends.stopped > 0 && ends.unexpanded > 20, "{ends:?}");
}

#[test]
fn explores_programs_whose_groups_choose_in_several_ways() {
    let mut ends = Ends::default();
    let mut kinds = std::collections::HashMap::new();
    for seed in 0..360u64 {
        let program = generate::mixed(seed);
        *kinds.entry(program.kind()).or_insert(0) += 1;
        ends.of(&program, seed);
    }
    assert!(ends.explored > 360 && ends.failed > 18, "{ends:?}");
    let made = |kind| kinds.get(&kind).copied().unwrap_or(0) > 24;
    assert!(
        made(Kind::MarkovAutomaton) && made(Kind::InteractiveMarkovChain) && made(Kind::Mdp),
        "{kinds:?}"
    );
}

#[test]
fn explores_programs_whose_steps_exchange_values_and_yield() {
    let mut ends = Ends::default();
    let (mut negotiating, mut yielding, mut labels) = (0, 0, 0);
    for seed in 0..500u64 {
        let program = generate::rich(seed);
        let layout = Layout::new(&program);
        let options = StepOptions { choices: true, ..StepOptions::default() };
        let step = kernels::step(&program, &layout, &options).unwrap();
        verify(&step.kernel).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        negotiating += usize::from(program.longest_offer() > 0);
        yielding += usize::from(program.has_classes());
        ends.of(&program, seed);
        let explored = explore(&program, &Interpreter, &Options::default(), &control(1));
        labels += explored.map_or(0, |explored| explored.space.actions.len() - program.actions.len());
    }
    assert!(ends.explored > 500 && ends.failed > 16, "{ends:?}");
    assert!(negotiating > 280 && yielding > 80 && labels > 160, "{negotiating} {yielding} {labels}");
}

#[test]
fn both_ways_of_multiplying_out_agree() {
    let mut with_loops = 0;
    for seed in 0..1000u64 {
        let program = generate::program(seed);
        let layout = Layout::new(&program);
        let rewards: Vec<usize> = (0..program.rewards.len()).collect();
        let make = |dynamic_only| {
            let options = StepOptions {
                choices: true,
                rewards: rewards.clone(),
                dynamic_only,
                ..StepOptions::default()
            };
            let step = kernels::step(&program, &layout, &options).unwrap();
            verify(&step.kernel).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            step
        };
        with_loops += usize::from(make(false).scratch.len() < make(true).scratch.len());
        let Ok(expected) = reference::explore(&program, 200) else {
            continue;
        };
        let fits = |s: &Vec<i64>| {
            s.iter()
                .zip(&program.fields)
                .all(|(&v, f)| (f.domain.bounds().0..=f.domain.bounds().1).contains(&v))
        };
        if let Some(state) = expected.states.iter().find(|s| fits(s)) {
            let packed = layout.pack(state);
            let all =
                |dynamic_only| Stepper::with(make(dynamic_only), &Interpreter).unwrap().successors(&packed);
            let (a, b) = (all(false), all(true));
            assert_eq!(a.len(), b.len());
            // A choice whose outcomes all have rate zero may be numbered or not.
            let new_choice = |all: &[Successor], i: usize| i == 0 || all[i].choice != all[i - 1].choice;
            for i in 0..a.len() {
                assert_eq!(new_choice(&a, i), new_choice(&b, i), "seed {seed}");
                assert_eq!((a[i].group, &a[i].packed), (b[i].group, &b[i].packed), "seed {seed}");
                assert!(close(a[i].weight, b[i].weight));
            }
        }
    }
    assert!(with_loops > 200, "{with_loops}");
}

#[test]
fn layouts_round_trip() {
    for seed in 0..300u64 {
        let program = generate::program(seed);
        let layout = Layout::new(&program);
        for pick in 0..2 {
            let value = |f: &volvelle_model::Field| {
                if pick == 0 { f.domain.bounds().0 } else { f.domain.bounds().1 }
            };
            let values: Vec<i64> = program.fields.iter().map(value).collect();
            let packed = layout.pack(&values);
            assert_eq!(layout.unpack(&packed), values);
            assert!((0..values.len()).all(|i| layout.get(&packed, FieldId(i as u32)) == values[i]));
        }
    }
}

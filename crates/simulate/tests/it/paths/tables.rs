//! Chains that are given by their states: compiled paths against the reference, and the reference against the definition of measures.

use crate::paths::devices::executors;
use crate::paths::reference_monitor;
use crate::paths::{MAX_STEPS, Way, definition, same_values, ways};
use crate::support::read;
use std::sync::Arc;
use volvelle_model::{FieldId, Program};
use volvelle_random::Random;
use volvelle_simulate::device::{DevicePaths, DeviceVariant, Layout};
use volvelle_simulate::error::{MismatchKind, Unsupported};
use volvelle_simulate::measure::{self, Measure};
use volvelle_simulate::path::Plan;
use volvelle_simulate::runner::Paths;
use volvelle_simulate::scheduler::{Decision, Resolution};
use volvelle_simulate::table::{States, Table, resolve};
use volvelle_space::{BitSet, Choices, Kind, RewardVectors, Space, StateId, Values, ValuesBuilder};
use volvelle_streams::Generator;

/// Values of `x` and `b`; several states may have the same.
struct Given(Vec<[i64; 2]>);

impl States for Given {
    fn value(&self, state: usize, field: FieldId) -> i64 {
        self.0[state][field.index()]
    }
}

fn values(numbers: impl IntoIterator<Item = f64>) -> Values {
    let mut values = ValuesBuilder::new();
    numbers.into_iter().for_each(|number| values.push(number));
    values.finish()
}

/// A space of some states; some have a single transition, some lead nowhere else, some many states away.
fn random_space(random: &mut Random, kind: Kind, states: usize) -> Space {
    let (mut row_start, mut columns, mut numbers) = (vec![0], Vec::new(), Vec::new());
    let (mut starts, mut actions) = (vec![0], Vec::new());
    let mut deadlocks = BitSet::new(states);
    for state in 0..states {
        let choices = if kind == Kind::Mdp { 1 + random.below(4) } else { 1 };
        for _ in 0..choices {
            let mut targets: Vec<u32> = (0..states as u32).filter(|_| random.one_in(3)).collect();
            if targets.is_empty() || random.one_in(6) {
                targets = vec![if random.one_in(2) { state } else { random.below(states) } as u32];
            }
            let weights: Vec<f64> = targets.iter().map(|_| (1 + random.below(9)) as f64 / 4.0).collect();
            let total: f64 = if kind == Kind::Ctmc { 1.0 } else { weights.iter().sum() };
            columns.extend(targets);
            numbers.extend(weights.iter().map(|weight| weight / total));
            row_start.push(columns.len() as u32);
            actions.push(random.below(3) as u32);
        }
        starts.push(actions.len() as u32);
        if columns[row_start[row_start.len() - 2] as usize..] == [state as u32] && random.one_in(2) {
            deadlocks.insert(state);
        }
    }
    let number = |random: &mut Random| random.below(4) as f64 / 2.0;
    let rewards = (0..2).map(|i| RewardVectors {
        name: String::new(),
        state: random.one_in(2).then(|| values((0..states).map(|_| number(random)))),
        choice: (i == 1).then(|| values((0..actions.len()).map(|_| number(random)))),
        accuracy: Default::default(),
        mixed: false,
    });
    let rewards = rewards.collect();
    Space {
        kind,
        choices: (kind == Kind::Mdp).then_some(Choices::new(starts, actions)),
        row_start,
        columns,
        values: values(numbers),
        initial: vec![StateId(random.below(states) as u32)],
        deadlocks,
        labels: Vec::new(),
        rewards,
        actions: vec![String::new(), "a".to_owned(), "b".to_owned()],
    }
}

/// The fields that properties are over, with two reward structures.
fn fields(kind: Kind, properties: &str) -> (Program, Vec<volvelle_logic::Property>) {
    let kind = kind.name().to_lowercase();
    let text = format!(
        "{kind}\nmodule m\n x : [0..9] init 0;\n b : bool init false;\n [] false -> true;\nendmodule\n\
         rewards \"one\" false : 1; endrewards\nrewards \"two\" false : 1; endrewards\n"
    );
    // What makes the choices of an MDP is said elsewhere: either bound will do.
    let is_mdp = kind == "mdp";
    let properties = if is_mdp {
        properties.replace("P=?", "Pmax=?").replace("}=?", "}max=?")
    } else {
        properties.to_owned()
    };
    let (mut program, properties) = read(&text, &properties);
    program.groups.clear();
    (program, properties)
}

fn plan(
    space: Space,
    states: Given,
    properties: &str,
    generator: Generator,
    resolution: &Resolution,
) -> Result<Plan, Unsupported> {
    let (mut program, properties) = fields(space.kind, properties);
    let table: Table = resolve(space, Box::new(states), 2, resolution)?;
    let mut automata = Vec::new();
    let measures: Vec<Measure> = properties
        .iter()
        .map(|p| measure::measure(&mut program, &mut automata, p).expect("simulated").measure)
        .collect();
    Plan::tabled(program, Arc::new(table), measures, automata, generator)
}

fn random_states(random: &mut Random, states: usize) -> Given {
    Given((0..states).map(|_| [random.below(10) as i64, random.below(2) as i64]).collect())
}

/// All ways to run paths agree with the reference; the reference for indicators agrees with their definition.
fn check(plan: &Plan, count: u64, executors_too: bool) {
    let mut first: Option<Paths> = None;
    for Way { name, runner } in ways(plan, true) {
        let mut paths = Paths::default();
        runner.run(5, 0..count, MAX_STEPS, &mut paths).expect("does not fail");
        match &first {
            Some(first) => {
                same_values(first, &paths, name);
                assert_eq!(first.status, paths.status, "{name}");
            }
            None => first = Some(paths),
        }
    }
    let first = first.expect("there are ways");
    for path in 0..count as usize {
        let (told, status) = (first.row(path), first.status[path]);
        reference_monitor::check(plan, 5, path as u64, MAX_STEPS, told, status);
        let record = definition::record(plan, 5, path as u64, (status >> 1) as u32).expect("no failure");
        for (measure, seen) in plan.measures.iter().zip(plan.monitors.values(told)) {
            if let (Measure::Indicator { .. }, Some(value)) =
                (measure, definition::value(plan, &record, measure))
            {
                assert_eq!(value.to_bits(), seen.to_bits(), "path {path}, {measure:?}");
            }
        }
    }
    if executors_too {
        for executor in executors() {
            // Compilers of devices take their time.
            let layouts =
                if executor.name().starts_with("opencl") { &Layout::ALL[2..] } else { &Layout::ALL[..] };
            for &layout in layouts {
                let device = DevicePaths::new(plan, Arc::clone(executor), DeviceVariant::general(layout));
                let device = device.expect("the device runs paths");
                let paths = device.tell(5, 0..count, MAX_STEPS).expect("runs").expect("does not fail");
                same_values(&first, &paths, executor.name());
                assert_eq!(first.status, paths.status, "{}", executor.name());
            }
        }
    }
}

const OF_STEPS: &str = "P=? [ F x=3 ]; P=? [ F<=6 b & x>2 ]; P=? [ X x<4 ]; P=? [ !b U[2,9] x=5 ]; P=? [ G F b ];
    P=? [ (F x=1) & (F<=4 x=2) ]; P=? [ b W<=30 x=7 ]; P=? [ F (x=2 & (X b)) ];
    R{\"one\"}=? [ C<=7 ]; R{\"two\"}=? [ C<=9 ]; R{\"two\"}=? [ C<=3 ]; R{\"one\"}=? [ I=5 ]; R{\"two\"}=? [ I=2 ];
    R{\"two\"}=? [ F x=4 ]; R{\"one\"}=? [ F (x=4 & (X b)) ]";

const OF_TIME: &str = "P=? [ F x=3 ]; P=? [ F<=1.5 b & x>2 ]; P=? [ X[0.1,0.7] x<4 ]; P=? [ !b U[0.5,2] x=5 ]; P=? [ G F b ];
    P=? [ F>=1 x=1 ]; P=? [ F<=0.5 x=1 ]; R{\"one\"}=? [ C<=2.5 ]; R{\"two\"}=? [ C<=1 ]; R{\"two\"}=? [ C<=4 ];
    R{\"two\"}=? [ I=0.7 ]; R{\"one\"}=? [ I=2 ]; R{\"two\"}=? [ F x=4 ]; R{\"two\"}=? [ F (x=4 & (X b)) ]; P=? [ G[1,3] x<8 ]";

#[test]
fn random_tables() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][seed as usize % 3];
        let generator = [Generator::Xoshiro128PlusPlus, Generator::Philox4x32][seed as usize / 3 % 2];
        let count = 1 + random.below(12);
        let (space, states) = (random_space(&mut random, kind, count), random_states(&mut random, count));
        let properties = if kind == Kind::Ctmc { OF_TIME } else { OF_STEPS };
        let resolution = if kind == Kind::Mdp { Resolution::Uniform } else { Resolution::Model };
        let plan = plan(space, states, properties, generator, &resolution).expect("simulated");
        check(&plan, 30, seed < 3);
    }
}

#[test]
fn one_measure_alone() {
    for (seed, properties) in
        ["P=? [ F<=5 x=3 ]", "R{\"two\"}=? [ C<=6 ]", "P=? [ F x=3 ]", "R{\"two\"}=? [ F x>2 ]"]
            .into_iter()
            .enumerate()
    {
        let mut random = Random(seed as u64 + 100);
        let (space, states) = (random_space(&mut random, Kind::Dtmc, 9), random_states(&mut random, 9));
        let plan = plan(space, states, properties, Generator::default(), &Resolution::Model);
        check(&plan.expect("simulated"), 60, false);
    }
}

#[test]
fn many_conditions() {
    // More than a word of marks has room for.
    let one = |i: usize| format!("P=? [ x+{i}!=12 U<={} x*{}<20 & b ]", 3 + i, i + 1);
    let properties: Vec<String> = (0..40).map(one).collect();
    let mut random = Random(77);
    let (space, states) = (random_space(&mut random, Kind::Dtmc, 30), random_states(&mut random, 30));
    let plan = plan(space, states, &properties.join("; "), Generator::default(), &Resolution::Model);
    let plan = plan.expect("simulated");
    assert!(plan.rows.as_ref().is_some_and(|rows| rows.stride > 2));
    check(&plan, 20, false);
}

/// Of two choices in state 0, one leads to 1 and one to 2.
fn crossroads() -> (Space, Given) {
    let space = Space {
        kind: Kind::Mdp,
        choices: Some(Choices::new(vec![0, 2, 3, 4], vec![1, 2, 0, 0])),
        row_start: vec![0, 1, 2, 3, 4],
        columns: vec![1, 2, 1, 2],
        values: values([1.0; 4]),
        initial: vec![StateId(0)],
        deadlocks: BitSet::new(3),
        labels: Vec::new(),
        rewards: Vec::new(),
        actions: vec![String::new(), "a".to_owned(), "b".to_owned()],
    };
    (space, Given(vec![[0, 0], [1, 0], [2, 0]]))
}

#[test]
fn schedulers_make_the_choices() {
    let decision =
        |choice: u32, action: &str| Decision { state: vec![0, 0], choice, action: action.to_owned() };
    let run = |decisions: Vec<Decision>| {
        let (space, states) = crossroads();
        plan(space, states, "P=? [ F x=2 ]", Generator::default(), &Resolution::Scheduler(decisions))
    };
    for (choice, action, expected) in [(0, "a", 0.0), (1, "b", 1.0)] {
        let plan = run(vec![decision(choice, action)]).expect("it fits");
        let (_, watch, walked) = volvelle_simulate::reference::follow(&plan, 1, 0, MAX_STEPS);
        assert_eq!((walked, watch.values()), (Ok(()), [expected].as_slice()));
        check(&plan, 20, false);
    }
    let mismatch = |decisions| match run(decisions) {
        Err(Unsupported::Mismatch(mismatch)) => mismatch.why,
        other => panic!("{other:?}"),
    };
    assert_eq!(mismatch(vec![decision(2, "a")]), MismatchKind::NoSuchChoice(2));
    assert!(matches!(mismatch(vec![decision(0, "b")]), MismatchKind::OtherAction(_)));
    assert_eq!(mismatch(vec![decision(0, "a"), decision(0, "a")]), MismatchKind::Twice);
    // A state without a decision of the scheduler ends the path with a failure, in all code.
    let silent = run(Vec::new()).expect("there is a plan");
    let (_, _, walked) = volvelle_simulate::reference::follow(&silent, 1, 0, MAX_STEPS);
    let site = silent.rows.as_ref().and_then(|rows| rows.site).expect("a site");
    assert_eq!(walked, Err(site));
    for Way { name, runner } in ways(&silent, true) {
        let failure = runner.run(1, 0..3, MAX_STEPS, &mut Paths::default()).expect_err(name);
        assert_eq!((failure.path, failure.site), (0, site), "{name}");
    }
}

#[test]
fn what_has_no_paths_is_refused() {
    let run = |change: fn(&mut Space), resolution: &Resolution| {
        let (mut space, states) = crossroads();
        change(&mut space);
        plan(space, states, "P=? [ F x=2 ]", Generator::default(), resolution).map(|_| ())
    };
    let two = |space: &mut Space| space.initial.push(StateId(1));
    assert_eq!(run(two, &Resolution::Uniform), Err(Unsupported::InitialStates(2)));
    assert_eq!(run(|space| space.initial.clear(), &Resolution::Uniform), Err(Unsupported::InitialStates(0)));
    assert!(matches!(run(|_| {}, &Resolution::Model), Err(Unsupported::Nondeterministic(_))));
    let mut random = Random(3);
    let (space, states) = (random_space(&mut random, Kind::Dtmc, 4), random_states(&mut random, 4));
    let refused = plan(space, states, "P=? [ F x=2 ]", Generator::default(), &Resolution::Uniform);
    assert_eq!(refused.map(|_| ()), Err(Unsupported::NoChoices));
    // A condition that fails in some state is rejected, as by the numerical methods.
    let (space, states) = crossroads();
    let refused = plan(space, states, "P=? [ F mod(5, x)=1 ]", Generator::default(), &Resolution::Uniform);
    assert!(matches!(&refused, Err(Unsupported::Condition { state, .. }) if *state == [0, 0]), "{refused:?}");
}

//! Models made at random, written and read again.

use super::{load_with, written};
use dashu_ratio::RBig;
use volvelle_control::Control as Limits;
use volvelle_explicit::{
    Actions, Companions, Compression, Control, Dialect, Entity, Format, Input, Label, Measure, Model,
    Numbers, Observations, Precision, ReadOptions, Reward, Rows, Time, WriteOptions, read, write,
};
use volvelle_space::BitSet;

/// A small generator (Lehmer 1951, as of Park and Miller).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        self.0 % bound
    }

    fn set(&mut self, len: usize) -> BitSet {
        BitSet::of(len, (0..len).filter(|_| self.below(3) == 0).collect::<Vec<_>>())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Dtmc,
    Ctmc,
    Mdp,
    Pomdp,
    Ma,
    Lts,
}

const SORTS: [Sort; 6] = [Sort::Dtmc, Sort::Ctmc, Sort::Mdp, Sort::Pomdp, Sort::Ma, Sort::Lts];

/// Numbers with a small denominator, which have few digits as doubles.
fn numbers(exact: bool, ratios: Vec<(u64, u64)>) -> Numbers {
    match exact {
        true => Numbers::Exact(ratios.iter().map(|&(n, d)| RBig::from_parts(n.into(), d.into())).collect()),
        false => Numbers::Double(ratios.iter().map(|&(n, d)| n as f64 / d as f64).collect()),
    }
}

fn generate(random: &mut Random, sort: Sort, exact: bool) -> Model {
    let states = 1 + random.below(8) as usize;
    let is_chain = matches!(sort, Sort::Dtmc | Sort::Ctmc);
    let markovian = random.set(states);
    let (mut choices, mut branches, mut targets, mut values) = (vec![0], vec![0], Vec::new(), Vec::new());
    for state in 0..states {
        let count = match sort {
            _ if is_chain => 1,
            Sort::Ma if markovian.contains(state) => 1,
            _ => 1 + random.below(3),
        };
        for _ in 0..count {
            let weights: Vec<u64> = (0..if sort == Sort::Lts { 1 } else { 1 + random.below(3) })
                .map(|_| 1 + random.below(9))
                .collect();
            let total: u64 = weights.iter().sum();
            for weight in weights {
                targets.push(random.below(states as u64) as u32);
                values.push(if sort == Sort::Ctmc { (weight + 1, 1) } else { (weight, total) });
            }
            branches.push(targets.len() as u32);
        }
        choices.push(branches.len() as u32 - 1);
    }
    let control = if is_chain { Control::Chance } else { Control::Nondeterminism };
    let time = match sort {
        Sort::Ctmc => Time::Stochastic,
        Sort::Ma => Time::UrgentStochastic,
        _ => Time::Discrete,
    };
    let mut model =
        Model::new(time, control, Rows::from_starts(choices), Rows::from_starts(branches), targets);
    let (m, b) = (model.num_choices(), model.num_branches());
    if sort != Sort::Lts {
        model.values = Some(numbers(exact, values));
    }
    if sort == Sort::Ctmc {
        model.measure = Measure::Rates;
    }
    if sort == Sort::Ma {
        let rates =
            (0..states).map(|s| (if markovian.contains(s) { 1 + random.below(5) } else { 0 }, 2)).collect();
        model.exit_rates = Some(numbers(exact, rates));
        model.markovian = Some(markovian);
    }
    if sort == Sort::Pomdp {
        let of = (0..states).map(|_| random.below(3) as u32).collect();
        model.observations = Some(Observations { count: 3, on: Entity::States, of, distribution: None });
    }
    if !is_chain {
        let names = ["", "a", "b c", "go"].map(str::to_owned).to_vec();
        let of: Vec<u32> = (0..m).map(|_| 1 + random.below(3) as u32).collect();
        model.choice_actions = Some(Actions { names, of });
    }
    model.initial.insert(random.below(states as u64) as usize);
    model.labels.push(Label { name: "here".to_owned(), description: None, states: random.set(states) });
    let mut rewards = |count| numbers(exact, (0..count).map(|_| (random.below(4), 4)).collect());
    let mut reward = Reward { name: "r".to_owned(), ..Reward::default() };
    reward.states = Some(rewards(states));
    if is_chain && sort != Sort::Dtmc {
        reward.branches = Some(rewards(b));
    } else if !is_chain {
        reward.choices = Some(rewards(m));
    }
    if sort != Sort::Lts {
        model.rewards.push(reward);
    }
    model
}

/// Parts that hold whatever the format: states, choices, targets, values, initial states, names of actions.
fn same_skeleton(ours: &Model, theirs: &Model, what: &str) {
    assert_eq!(ours.choices, theirs.choices, "{what}");
    assert_eq!(ours.branches, theirs.branches, "{what}");
    assert_eq!(ours.targets, theirs.targets, "{what}");
    assert_eq!(ours.initial, theirs.initial, "{what}");
    let number = |n: &Option<Numbers>| {
        n.iter()
            .flat_map(|n| n.iter().map(|n| n.to_f64().expect("a number")).collect::<Vec<_>>())
            .collect::<Vec<f64>>()
    };
    let (a, b) = (number(&ours.values), number(&theirs.values));
    assert_eq!(a.len(), b.len(), "{what}");
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{what}: {a:?} {b:?}");
    if ours.is_exact() {
        assert_eq!(ours.values, theirs.values, "{what}");
    }
    let names = |model: &Model| -> Vec<String> {
        let Some(actions) = &model.choice_actions else { return Vec::new() };
        (0..model.num_choices()).map(|choice| actions.name(choice).replace(' ', "_")).collect()
    };
    assert_eq!(names(ours), names(theirs), "{what}");
}

fn same_labels_and_rewards(ours: &Model, theirs: &Model, what: &str) {
    let set = |model: &Model| {
        model.label("here").map_or(Vec::new(), |label| label.states.iter().collect::<Vec<_>>())
    };
    assert_eq!(set(ours), set(theirs), "{what}");
    for reward in &ours.rewards {
        let other = theirs.reward(&reward.name).unwrap_or_else(|| panic!("{what}: no rewards"));
        for on in [Entity::States, Entity::Choices, Entity::Branches] {
            let is_zero = |numbers: &&Numbers| numbers.iter().all(|number| number.is_zero());
            let (a, b) = (reward.of(on).filter(|n| !is_zero(n)), other.of(on).filter(|n| !is_zero(n)));
            let values = |n: Option<&Numbers>| n.map(|n| n.iter().map(|x| x.to_f64()).collect::<Vec<_>>());
            assert_eq!(values(a), values(b), "{what}: {on:?}");
        }
    }
}

/// Number types are the caller's: the text of an exact model may have no fraction.
fn options(model: &Model) -> ReadOptions {
    let numbers = if model.is_exact() { Precision::Exact } else { Precision::Double };
    ReadOptions { numbers, kind: Some(model.kind()), ..ReadOptions::default() }
}

#[test]
fn every_format_gives_the_model_back() {
    let mut random = Random(20_261_123);
    for round in 0..600 {
        let sort = SORTS[round % SORTS.len()];
        let model = generate(&mut random, sort, (round / SORTS.len()).is_multiple_of(2));
        let mut formats = vec![Format::Umb];
        if sort != Sort::Lts {
            formats.push(Format::Drn);
        }
        if sort != Sort::Ma {
            formats.push(Format::PrismCombined);
        }
        for format in formats {
            // A model of DRN has no transition rewards of its own; branches to one state have no place in `.trew`.
            let mut model = model.clone();
            if format != Format::Umb {
                model.rewards.iter_mut().for_each(|reward| reward.branches = None);
            }
            if sort == Sort::Lts && format == Format::Umb {
                model.rewards.clear();
            }
            let what = format!("{sort:?} {round} as {}", format.name());
            let mut bytes = Vec::new();
            let limits = Limits::unlimited();
            write(&model, format, Compression::None, &WriteOptions::default(), &mut bytes, &limits)
                .unwrap_or_else(|error| panic!("{what}: {error:?}"));
            let name = format!("m.{}", format.extension());
            let input = Input { name: &name, bytes: &bytes };
            let mut options = options(&model);
            if format == Format::Umb || format == Format::Drn {
                options.kind = None;
            }
            let again = read(input, &Companions::default(), &options, &limits)
                .unwrap_or_else(|finding| {
                    panic!("{what}: {}\n{}", super::draw(&finding), String::from_utf8_lossy(&bytes))
                })
                .model;
            if again.measure != model.measure {
                // UMB has probabilities and exit rates where this model has rates.
                assert_eq!(again.exit_rates.as_ref().map(Numbers::len), Some(model.num_states()), "{what}");
                model.values = again.values.clone();
            }
            same_skeleton(&model, &again, &what);
            same_labels_and_rewards(&model, &again, &what);
            assert_eq!(model.kind(), again.kind(), "{what}");
        }
    }
}

#[test]
fn aut_in_every_dialect() {
    let mut random = Random(7);
    for round in 0..400 {
        let sort = [Sort::Lts, Sort::Dtmc, Sort::Ctmc, Sort::Mdp][round % 4];
        let model = generate(&mut random, sort, round % 8 < 4);
        let dialects: &[Dialect] = match sort {
            Sort::Lts => &[Dialect::Cadp, Dialect::Mcrl2, Dialect::Ltsmin],
            Sort::Dtmc => &[Dialect::Cadp, Dialect::Mcrl2],
            Sort::Ctmc => &[Dialect::Cadp],
            _ => &[Dialect::Mcrl2],
        };
        for &dialect in dialects {
            let text = written(&model, Format::Aut, &WriteOptions { dialect, ..WriteOptions::default() });
            let options = ReadOptions { dialect, ..options(&model) };
            let again = load_with("m.aut", &text, &options)
                .unwrap_or_else(|finding| panic!("{}\n{text}", super::draw(&finding)))
                .model;
            let what = format!("{sort:?} {round} in {dialect:?}\n{text}");
            // Without distributions mCRL2's files are those of a transition system.
            if dialect == Dialect::Mcrl2
                && (0..model.num_choices()).all(|c| model.branches.range(c).len() == 1)
            {
                assert_eq!(model.targets, again.targets, "{what}");
            } else {
                same_skeleton(&model, &again, &what);
            }
        }
    }
}

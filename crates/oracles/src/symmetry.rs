//! Symmetry, the slow way: all states are explored, put together by sorting the values of blocks, and compared with the space
//! whose states stand for others.

use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_explore::{Explored, Options, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::kernels::Selection;
use volvelle_model::symmetry::Orbit;
use volvelle_model::{FieldId, Program};

/// Explores a program again, with one state for all that differ by a permutation of modules, and compares with all states;
/// gives the modules that are interchangeable.
///
/// # Errors
/// A sentence about the first difference.
pub fn compare(program: &Program, all: &Explored) -> Result<Vec<Orbit>, String> {
    let observe = Selection::all(program);
    let options = Options { observe, symmetry: true, ..Options::default() };
    let mut spaces = Vec::new();
    for threads in [1, 2] {
        let control = Control { threads, ..Control::unlimited() };
        let explored = explore(program, &Interpreter, &options, &control);
        spaces.push(explored.map_err(|error| format!("with symmetry: {error:?}"))?);
    }
    if let Some(difference) = crate::tiers::difference_of_results(&spaces[0], &spaces[1]) {
        return Err(format!("with symmetry, 1 thread and 2 threads differ: {difference}"));
    }
    let few = spaces.swap_remove(0);
    let numbers: BTreeMap<Vec<i64>, usize> =
        (0..few.states.len()).map(|s| (sorted(&few, s, &few.orbits), s)).collect();
    if numbers.len() != few.states.len() {
        return Err("two states stand for the same states".to_owned());
    }
    let number = |state: usize| numbers.get(&sorted(all, state, &few.orbits)).copied();
    let mut is_met = vec![false; few.states.len()];
    for state in 0..all.states.len() {
        let Some(stands) = number(state) else { return Err(format!("nothing stands for state {state}")) };
        is_met[stands] = true;
        let (one, other) = (behaviour(all, state, &|s| number(s)), behaviour(&few, stands, &Some));
        if let Some(difference) = difference(&one, &other) {
            return Err(format!("state {state} is not like state {stands}: {difference}"));
        }
    }
    if is_met.contains(&false) {
        return Err("some state stands for none".to_owned());
    }
    let initial: Vec<Option<usize>> = all.space.initial.iter().map(|s| number(s.0 as usize)).collect();
    match few.space.initial.iter().all(|s| initial.contains(&Some(s.0 as usize))) {
        true => Ok(few.orbits),
        false => Err("the initial states".to_owned()),
    }
}

/// The values of a state, where blocks are sorted.
fn sorted(explored: &Explored, state: usize, orbits: &[Orbit]) -> Vec<i64> {
    let mut values = explored.layout.unpack(explored.states.get(state));
    for orbit in orbits {
        let block = |component: usize| -> Vec<i64> {
            let fields = orbit.blocks[component].iter().map(|field| values[field.index()]);
            let means = |(field, numbers): &(FieldId, Vec<i64>)| {
                i64::from(values[field.index()] == numbers[component])
            };
            fields.chain(orbit.numbers.iter().map(means)).collect()
        };
        let mut blocks: Vec<Vec<i64>> = (0..orbit.components.len()).map(block).collect();
        blocks.sort();
        for (component, block) in blocks.iter().enumerate() {
            let (held, means) = block.split_at(orbit.blocks[component].len());
            orbit.blocks[component]
                .iter()
                .zip(held)
                .for_each(|(field, &value)| values[field.index()] = value);
            for ((field, numbers), &means) in orbit.numbers.iter().zip(means) {
                if means == 1 {
                    values[field.index()] = numbers[component];
                }
            }
        }
    }
    values
}

/// All that can be asked of a state: where its choices lead, and what is observed.
#[derive(Debug)]
struct Behaviour {
    /// Sorted: weights by target, and rewards.
    choices: Vec<(BTreeMap<usize, f64>, Vec<f64>)>,
    labels: Vec<bool>,
    numbers: Vec<f64>,
}

fn behaviour(explored: &Explored, state: usize, number: &dyn Fn(usize) -> Option<usize>) -> Behaviour {
    let space = &explored.space;
    let row = |row: usize| {
        let mut targets = BTreeMap::new();
        for (target, weight) in space.transitions(row) {
            *targets.entry(number(target).unwrap_or(usize::MAX)).or_insert(0.0) += weight;
        }
        let rewards = space.rewards.iter().filter_map(|r| r.choice.as_ref()).map(|r| r.get(row));
        (targets, rewards.collect::<Vec<f64>>())
    };
    let mut choices: Vec<_> = space.choices_of(state).map(row).collect();
    // Weights are compared with a tolerance, targets and rewards first.
    choices.sort_by(|a, b| {
        let key = |c: &(BTreeMap<usize, f64>, Vec<f64>)| {
            let weights = c.0.values().map(|w| (w * 1e6).round() as i64).collect::<Vec<_>>();
            let rewards = c.1.iter().map(|r| (r * 1e6).round() as i64).collect::<Vec<_>>();
            (c.0.keys().copied().collect::<Vec<_>>(), weights, rewards)
        };
        key(a).cmp(&key(b))
    });
    let rewards = space.rewards.iter().filter_map(|r| r.state.as_ref()).map(|r| r.get(state));
    Behaviour {
        choices,
        labels: space
            .labels
            .iter()
            .map(|(_, set)| set.contains(state))
            .chain([space.deadlocks.contains(state)])
            .collect(),
        numbers: rewards.chain(explored.numbers.iter().map(|n| n[state])).collect(),
    }
}

fn difference(a: &Behaviour, b: &Behaviour) -> Option<String> {
    let near = |x: f64, y: f64| {
        (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1.0) || x == y || x.is_nan() && y.is_nan()
    };
    let all_near = |x: &[f64], y: &[f64]| x.len() == y.len() && x.iter().zip(y).all(|(&x, &y)| near(x, y));
    let alike = |x: &(BTreeMap<usize, f64>, Vec<f64>), y: &(BTreeMap<usize, f64>, Vec<f64>)| {
        x.0.keys().eq(y.0.keys())
            && x.0.values().zip(y.0.values()).all(|(&x, &y)| near(x, y))
            && all_near(&x.1, &y.1)
    };
    let same_choices =
        a.choices.len() == b.choices.len() && a.choices.iter().zip(&b.choices).all(|(x, y)| alike(x, y));
    match () {
        () if a.labels != b.labels => Some(format!("labels {:?}, {:?}", a.labels, b.labels)),
        () if !all_near(&a.numbers, &b.numbers) => Some(format!("numbers {:?}, {:?}", a.numbers, b.numbers)),
        () if !same_choices => Some(format!("choices {:?}, {:?}", a.choices, b.choices)),
        () => None,
    }
}

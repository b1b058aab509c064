//! Probabilities and rates that may be off: bounds for a model whose numbers are known up to a factor contain the values of
//! the models within that factor.

use volvelle_control::Control;
use volvelle_logic::{
    Formula, Goal, Guarantee, LabelId, Measured, Objective, Optimum, Property, TimeBound, Value,
};
use volvelle_reference::{Builder, Random, Rows, label, random_rows, random_set, space};
use volvelle_solver::{CheckError, Options};
use volvelle_space::{Accuracy, Kind, RewardVectors, Space};

use super::check;
use crate::strategy::tests::properties;

/// Bounds of the value; `None` where there is none.
fn bounds(space: &Space, property: &Property, error: f64) -> Result<[f64; 2], CheckError> {
    let options = Options::default().with_input(error);
    let answer = check(space, property, &[], &options, &Control::unlimited())?;
    Ok(match (answer.value, answer.guarantee) {
        (_, Guarantee::Sound { lo, hi, .. }) => [lo, hi],
        (Value::Number(value), _) => [value; 2],
        // No scheduler meets the bounds.
        (Value::Bool(false), _) => return Ok([f64::INFINITY; 2]),
        (other, _) => panic!("{other:?}"),
    })
}

/// Two objectives, of which one has a bound.
fn several(goal: Goal) -> [(String, Property); 3] {
    [0.3, 0.9, 1.0].map(|bound| {
        let mut b = Builder::default();
        let [a, other] = [0, 1].map(|i| b.label(LabelId(i)));
        let paths = [a, other].map(|id| b.finally(id, TimeBound::NONE));
        let [first, second] = paths.map(Measured::Probability);
        let root = b.add(Formula::Multi(vec![
            Objective { measured: first, goal },
            Objective { measured: second, goal: Goal::AtLeast(bound) },
        ]));
        (format!("multi({goal:?} F a, P>={bound} [ F b ])"), b.property(root))
    })
}

/// Rows whose numbers are off by at most a factor of 1 + `error`; by any factor where that is infinite.
fn changed(random: &mut Random, kind: Kind, rows: &Rows, error: f64) -> Rows {
    let mut factor = || {
        let unit = random.below(2001) as f64 / 1000.0 - 1.0;
        match (error.is_finite(), kind) {
            (false, _) => (20.0 * unit).exp(),
            (true, Kind::Ctmc) => 1.0 + unit * error,
            // Rows are divided by their sums, too.
            (true, _) => 1.0 + unit * error / 3.0,
        }
    };
    let mut rows = rows.clone();
    for row in rows.iter_mut().flatten() {
        row.iter_mut().for_each(|(_, v)| *v *= factor());
        let sum: f64 = row.iter().map(|(_, v)| v).sum();
        if kind != Kind::Ctmc {
            row.iter_mut().for_each(|(_, v)| *v /= sum);
        }
    }
    rows
}

#[test]
fn bounds_hold_for_all_models_within_the_error() {
    let mut random = Random(31);
    let (mut seen, mut apart, mut narrow) = (0, 0, 0);
    for round in 0..36 {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round % 3];
        let states = 2 + random.below(6);
        let mut rows = random_rows(&mut random, states, if kind == Kind::Mdp { 2 } else { 1 });
        if kind == Kind::Ctmc {
            rows.iter_mut().flatten().flatten().for_each(|(_, v)| *v *= [1.0, 4.0, 0.25][random.below(3)]);
        }
        let sets = ["a", "b", "c"].map(|name| (name, random_set(&mut random, states, 2)));
        let gains: Vec<f64> = (0..states).map(|_| [0.0, 0.25, 0.5, 2.0][random.below(4)]).collect();
        let dressed = |rows: &Rows| {
            let mut space = space(kind, rows);
            for (name, set) in &sets {
                label(&mut space, name, set.clone());
            }
            for (name, of) in [("r", gains.clone()), ("g", gains.iter().map(|g| 0.75 - g).collect())] {
                space.rewards.push(RewardVectors {
                    name: name.to_string(),
                    state: Some(of.into()),
                    choice: None,
                    accuracy: Accuracy::Exact,
                    mixed: false,
                });
            }
            space
        };
        let error = [1e-9, 1e-3, 0.2, f64::INFINITY][round / 3 % 4];
        let (model, other) = (dressed(&rows), dressed(&changed(&mut random, kind, &rows, error)));
        let several = [Goal::Minimise, Goal::Maximise].into_iter().flat_map(several);
        let plain = [Optimum::Min, Optimum::Max].into_iter().flat_map(properties);
        for (name, property) in plain.chain(several.filter(|_| kind == Kind::Mdp)) {
            let what = || format!("{round} {error} {name} of {model:?} and {other:?}");
            let (Ok([lo, hi]), Ok([low, high])) =
                (bounds(&model, &property, error), bounds(&other, &property, 0.0))
            else {
                continue;
            };
            assert!(!lo.is_nan() && !hi.is_nan() && lo <= hi, "[{lo}, {hi}] {}", what());
            assert!(lo <= high && low <= hi, "[{lo}, {hi}] and [{low}, {high}]: {}", what());
            seen += 1;
            apart += usize::from(error >= 1e-3 && (hi < 1.0 || lo > 0.0) && lo < hi);
            narrow += usize::from(error <= 1e-9 && lo < hi && hi - lo < 1e-5 * hi);
        }
    }
    assert!(seen > 2500 && apart > 120 && narrow > 180, "{seen} {apart} {narrow}");
}

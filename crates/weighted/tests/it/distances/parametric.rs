//! Best values of parameters, against known optima and against points of a grid.

use super::{ratio, structure};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{LinearWeight, ParametricStructure, WeightParameter, WeightedBuilder, WeightedStep};
use volvelle_weighted::distance::{Distance, Kind, distance};
use volvelle_weighted::parametric::{Feasible, Task, feasible, minimise};

/// `constant + sum of coefficient * parameter`, where coefficients that are 0 are left out.
fn linear(constant: &str, coefficients: &[&str]) -> LinearWeight {
    let coefficients = coefficients.iter().map(|text| ratio(text)).enumerate();
    let coefficients = coefficients.filter(|(_, c)| *c != RBig::ZERO).map(|(n, c)| (n as u32, c)).collect();
    LinearWeight { constant: ratio(constant), coefficients }
}

/// The steps of `skeleton` have as weights indices into `weights`.
fn parametric(
    labels: &[&str],
    steps: &[(u32, LinearWeight, u32)],
    ranges: &[(&str, &str)],
) -> ParametricStructure {
    let texts: Vec<String> = (0..steps.len()).map(|number| number.to_string()).collect();
    let plain: Vec<(u32, &str, u32)> =
        steps.iter().zip(&texts).map(|(step, text)| (step.0, text.as_str(), step.2)).collect();
    let skeleton = structure(labels, &plain);
    assert!(steps.len() < 2 || skeleton.unit == RBig::ONE);
    let range = |(number, &(low, high)): (usize, &(&str, &str))| WeightParameter {
        name: format!("x{number}"),
        low: ratio(low),
        high: ratio(high),
    };
    ParametricStructure {
        parameters: ranges.iter().enumerate().map(range).collect(),
        weights: steps.iter().map(|step| step.1.clone()).collect(),
        skeleton,
    }
}

/// A state with steps of weights 5 and 7 against one with a single step of weight `x`.
fn between_five_and_seven() -> ParametricStructure {
    parametric(
        &["p", "", "p", ""],
        &[(0, linear("5", &["0"]), 1), (0, linear("7", &["0"]), 1), (2, linear("0", &["1"]), 3)],
        &[("0", "20")],
    )
}

#[test]
fn the_minimum_over_one_parameter_is_exact() {
    let parametric = between_five_and_seven();
    let task = Task { parametric: &parametric, s: 0, t: 2, kind: Kind::Wbd, boxes: 2000 };
    let best = minimise(&task, &ratio("1/1000"), &Control::unlimited()).expect("no limits").expect("weights");
    // |x - 5| / 5 = |x - 7| / 7 at x = 35/6.
    assert_eq!(best.values, [ratio("35/6")]);
    assert_eq!(best.distance, super::finite("1/6"));
    assert!(best.lower <= best.distance && !best.lower.is_within(&ratio("1/7")), "{best:?}");
    // The existential bounded distance vanishes where 5 suffices.
    let task = Task { kind: Kind::Ebd, ..task };
    let best = minimise(&task, &ratio("0"), &Control::unlimited()).expect("no limits").expect("weights");
    assert_eq!((best.distance, best.lower), (super::finite("0"), super::finite("0")));
}

#[test]
fn feasible_or_not() {
    let parametric = between_five_and_seven();
    let task = Task { parametric: &parametric, s: 0, t: 2, kind: Kind::Wbd, boxes: 2000 };
    let found = feasible(&task, &ratio("1/6"), &Control::unlimited()).expect("no limits");
    assert!(matches!(found, Feasible::At { distance, .. } if distance == super::finite("1/6")));
    let found = feasible(&task, &ratio("33/200"), &Control::unlimited()).expect("no limits");
    assert_eq!(found, Feasible::Nowhere);
    let task = Task { boxes: 2, ..task };
    let found = feasible(&task, &ratio("33/200"), &Control::unlimited()).expect("no limits");
    assert!(matches!(found, Feasible::Unknown(Some(_))));
}

#[test]
fn negative_weights_are_no_points() {
    let steps = [(0, linear("3", &["0"]), 1), (2, linear("-4", &["1"]), 3)];
    let labels = ["p", "", "p", ""];
    let some = parametric(&labels, &steps, &[("0", "10")]);
    let task = Task { parametric: &some, s: 0, t: 2, kind: Kind::Wbd, boxes: 200 };
    let best = minimise(&task, &ratio("0"), &Control::unlimited()).expect("no limits").expect("weights");
    assert_eq!((best.values, best.distance), (vec![ratio("7")], super::finite("0")));
    let none = parametric(&labels, &steps, &[("0", "1")]);
    let task = Task { parametric: &none, ..task };
    assert_eq!(minimise(&task, &ratio("0"), &Control::unlimited()), Ok(None));
    assert_eq!(feasible(&task, &ratio("9"), &Control::unlimited()), Ok(Feasible::Nowhere));
}

/// No point of a grid is below the proven bound, or below the best by more than the tolerance where the search says that it ended.
#[test]
fn bounds_hold_on_a_grid() {
    let mut random = Random(6);
    let (mut closed, mut finite, mut large) = (0, 0, 0);
    for case in 0..150 {
        let (states, parameters) = (3 + random.below(3), 1 + random.below(2));
        let mut builder = WeightedBuilder::new();
        let mut weights = Vec::new();
        for _ in 0..states {
            let steps: Vec<WeightedStep> = (0..random.below(3))
                .map(|_| {
                    let coefficients: Vec<&str> =
                        (0..parameters).map(|_| random.pick(&["0", "0", "1", "1/2", "-1"])).collect();
                    weights.push(linear(random.pick(&["1", "2", "5"]), &coefficients));
                    WeightedStep { weight: weights.len() as u64 - 1, target: random.below(states) as u32 }
                })
                .collect();
            builder.state([(random.below(2) as u32, 1)], steps);
        }
        let skeleton = builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()]);
        let range =
            |number| WeightParameter { name: format!("x{number}"), low: ratio("0"), high: ratio("4") };
        let parametric =
            ParametricStructure { parameters: (0..parameters).map(range).collect(), weights, skeleton };
        let (s, t) = (random.below(states) as u32, random.below(states) as u32);
        if s == t {
            continue;
        }
        for kind in [Kind::Ebd, Kind::Wbd] {
            let task = Task { parametric: &parametric, s, t, kind, boxes: 60 };
            let tolerance = ratio("1/20");
            let Some(best) = minimise(&task, &tolerance, &Control::unlimited()).expect("no limits") else {
                continue;
            };
            assert!(best.lower <= best.distance);
            if let (Distance::Finite(value), Distance::Finite(lower)) = (&best.distance, &best.lower) {
                finite += 1;
                large += usize::from(*lower > RBig::ZERO);
                closed += usize::from(value - lower <= tolerance);
            }
            let at = |values: &[RBig]| {
                let structure = parametric.at(values).ok()?;
                Some(distance(&structure, s, t, kind, &Control::unlimited()).expect("no limits"))
            };
            assert_eq!(at(&best.values), Some(best.distance.clone()));
            for point in 0..if parameters == 1 { 25 } else { 169 } {
                let values: Vec<RBig> = match parameters {
                    1 => vec![RBig::from(point) / RBig::from(6)],
                    _ => vec![RBig::from(point % 13) / RBig::from(3), RBig::from(point / 13) / RBig::from(3)],
                };
                if let Some(distance) = at(&values) {
                    assert!(distance >= best.lower, "{case} {kind:?} {values:?} {best:?} {parametric:?}");
                }
            }
        }
    }
    assert!(finite > 50 && closed > 40 && large > 5, "{finite} {closed} {large}");
}

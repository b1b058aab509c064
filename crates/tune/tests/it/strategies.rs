//! Strategies on landscapes that are known everywhere.

use std::rc::Rc;
use volvelle_tune::Value;
use volvelle_tune::space::{ConfigurationId, Parameter, Problem, Space, number as number_of, values};
use volvelle_tune::strategy::{Failure, NAMES, Outcome, Prediction, Strategy, by_name};

fn space() -> Space {
    let parameter =
        |name: &str, list: &str| Parameter { name: name.to_owned(), values: values(list).unwrap() };
    let parameters = vec![
        parameter("WG", "1..1024:*2"),
        parameter("TS", "1..4096:*2"),
        parameter("unroll", "0..3"),
        parameter("layout", "['rows', 'columns', 'tiles']"),
    ];
    let mut problem = Problem::new(parameters);
    problem.require("WG * TS <= 65536").unwrap();
    problem.build(1, 1 << 20).unwrap()
}

/// A bowl over the logarithms, tilted by the others, with a little noise that depends on the configuration.
fn time(space: &Space, id: ConfigurationId) -> f64 {
    let number = |parameter| number_of(space.value(id, parameter)).unwrap();
    let (x, y) = (number(0).log2() - 5.0, number(1).log2() - 8.0);
    let layout = if *space.value(id, 3) == Value::Text("tiles".to_owned()) { 0.0 } else { 0.8 };
    let noise = (id.0.wrapping_mul(0x9e37_79b9) % 1000) as f64 / 1000.0;
    (0.08 * (x * x + 0.7 * y * y + 0.5 * x * y) + 0.1 * (number(2) - 2.0).abs() + layout + 0.05 * noise).exp()
}

/// The number of measurements until one is within 5 % of the best.
fn effort(space: &Space, strategy: &mut dyn Strategy) -> u64 {
    let best = (0..space.len()).map(|i| time(space, ConfigurationId(i))).fold(f64::INFINITY, f64::min);
    for count in 1.. {
        let next = strategy.next(space).expect("the best one comes before the end");
        let time = time(space, next);
        if time <= 1.05 * best {
            return count;
        }
        strategy.tell(space, next, &Outcome::Time(time));
    }
    unreachable!("strategies end");
}

fn median(space: &Space, name: &str, predicted: Option<&Prediction>) -> u64 {
    let mut efforts: Vec<u64> = (0..9)
        .map(|seed| effort(space, by_name(name, space, seed, predicted.cloned()).unwrap().as_mut()))
        .collect();
    efforts.sort_unstable();
    efforts[4]
}

#[test]
fn guidance_pays() {
    let space = space();
    let random = median(&space, "random", None);
    let local = median(&space, "local", None);
    let learned = median(&space, "guided", None);
    // A model that ignores two parameters, and is off by a varying factor.
    let known = space.clone();
    let model: Prediction = Rc::new(move |id: ConfigurationId| {
        let number = |parameter| number_of(known.value(id, parameter)).unwrap();
        let (x, y) = (number(0).log2() - 5.5, number(1).log2() - 7.0);
        Some(3.0 * (0.05 * (x * x + y * y)).exp())
    });
    let guided = median(&space, "guided", Some(&model));
    assert!(local * 2 < random, "{local} {random}");
    assert!(learned * 5 < random, "{learned} {random}");
    assert!(guided * 8 < random, "{guided} {random}");
}

/// Every strategy measures everything once, also where configurations fail or some results are known before.
#[test]
fn nothing_is_measured_twice_or_left_out() {
    let parameter =
        |name: &str, list: &str| Parameter { name: name.to_owned(), values: values(list).unwrap() };
    let mut problem =
        Problem::new(vec![parameter("a", "1..8"), parameter("b", "1..8"), parameter("c", "['x']")]);
    problem.require("a * b != 12 and a % b < 3").unwrap();
    let space = problem.build(1, 1000).unwrap();
    let outcome = |id: ConfigurationId| match id.0 % 5 {
        0 => Outcome::Failed(Failure::Launch),
        _ => Outcome::Time(1.0 + (id.0 % 7) as f64),
    };
    let predicted: Prediction = Rc::new(|id| (id.0 % 9 != 0).then_some(1.0 + id.0 as f64));
    for name in NAMES {
        for model in [None, Some(predicted.clone())] {
            let run = |seed: u64| {
                let mut strategy = by_name(name, &space, seed, model.clone()).unwrap();
                let known = ConfigurationId(3);
                strategy.tell(&space, known, &outcome(known));
                let mut order = vec![known];
                while let Some(next) = strategy.next(&space) {
                    strategy.tell(&space, next, &outcome(next));
                    order.push(next);
                    assert!(order.len() as u64 <= space.len(), "{name}");
                }
                order
            };
            let order = run(4);
            assert_eq!(order, run(4), "{name}");
            let mut sorted = order.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len() as u64, space.len(), "{name}");
        }
    }
}

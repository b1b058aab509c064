//! A queue with one server and room for four: closed forms.

use super::{encloses, lts};
use crate::{Chain, Options, Wanted};
use volvelle_control::Control;
use volvelle_space::Lts;

/// The graph of the conformance set (`t12_mm1k.aut`), with rates for its gates.
pub(crate) fn queue(arrive: &str, serve: &str, loss: &str) -> Lts {
    let (arrive, serve) = (format!("ARRIVE; rate {arrive}"), format!("SERVE; rate {serve}"));
    lts(
        6,
        &[
            (0, &arrive, 1),
            (1, &arrive, 2),
            (1, &serve, 0),
            (2, &arrive, 3),
            (2, &serve, 1),
            (3, &arrive, 4),
            (3, &serve, 2),
            (4, &arrive, 5),
            (4, &serve, 3),
            (5, loss, 4),
        ],
    )
}

#[test]
fn throughputs_in_closed_form() {
    for loss in ["LOSS", "LOSS; prob 1"] {
        let queue = queue("2", "3", loss);
        let control = Control::unlimited();
        let chain = Chain::from_lts(&queue, &Options::default(), &control).unwrap();
        let steady = chain.steady(Wanted::Throughputs, &control).unwrap();
        let probabilities = steady.probabilities.as_ref().unwrap();
        assert_eq!(chain.tangible(), [0, 1, 2, 3, 4]);
        for (k, &bounds) in probabilities.iter().enumerate() {
            assert!(encloses(bounds, (2.0f64 / 3.0).powi(k as i32) * 81.0 / 211.0), "{k}: {bounds:?}");
        }
        for (action, value) in [("ARRIVE", 2.0), ("SERVE", 390.0 / 211.0), ("LOSS", 32.0 / 211.0)] {
            let bounds = steady.throughput(action).unwrap();
            assert!(encloses(bounds, value), "{action}: {bounds:?}");
        }
        assert_eq!(steady.components.len(), 1);
        assert_eq!(steady.components[0].probability, [1.0, 1.0]);
    }
}

#[test]
fn one_structure_for_many_rates() {
    let queue = queue("LAMBDA", "2*MU", "LOSS");
    let control = Control::unlimited();
    let values = |lambda: u32, mu: u32| {
        let ratio = |n: u32| dashu_ratio::RBig::from_parts(n.into(), 2u8.into());
        vec![("LAMBDA".to_owned(), ratio(lambda)), ("MU".to_owned(), ratio(mu))]
    };
    let options = Options { values: values(4, 3), ..Options::default() };
    let mut chain = Chain::from_lts(&queue, &options, &control).unwrap();
    for (lambda, mu) in [(4, 3), (1, 1), (9, 2), (3, 7)] {
        chain.set_values(&values(lambda, mu)).unwrap();
        let steady = chain.steady(Wanted::Throughputs, &control).unwrap();
        let (lambda, mu) = (f64::from(lambda) / 2.0, f64::from(mu));
        let weights: Vec<f64> = (0..5).map(|k| (lambda / mu).powi(k)).collect();
        let total: f64 = weights.iter().sum();
        assert!(encloses(steady.throughput("LOSS").unwrap(), lambda * weights[4] / total));
        assert!(encloses(steady.throughput("SERVE").unwrap(), mu * (1.0 - weights[0] / total)));
    }
}

/// Components that are too large for probabilities of all states have throughputs one by one.
#[test]
fn a_queue_with_much_room() {
    let room = 4000u32;
    let mut transitions = Vec::new();
    for k in 0..room {
        transitions.push((k, "ARRIVE; rate 9/10", k + 1));
        transitions.push((k + 1, "SERVE; rate 1", k));
    }
    transitions.push((room, "ARRIVE; rate 9/10", room + 1));
    transitions.push((room + 1, "LOSS", room));
    let lts = lts(room + 2, &transitions);
    let control = Control::unlimited();
    let chain = Chain::from_lts(&lts, &Options::default(), &control).unwrap();
    let steady = chain.steady(Wanted::Throughputs, &control).unwrap();
    assert!(steady.probabilities.is_none());
    for (action, value) in [("ARRIVE", 0.9), ("SERVE", 0.9)] {
        let [lo, hi] = steady.throughput(action).unwrap();
        assert!(lo <= value && value <= hi && hi - lo <= 1e-6, "{action}: {lo} {hi}");
    }
    let [lo, hi] = steady.throughput("LOSS").unwrap();
    let value = 0.9 * 0.1 * 0.9f64.powi(room as i32);
    assert!(lo <= value * (1.0 + 1e-9) && value * (1.0 - 1e-9) <= hi && hi < 1e-180, "{lo} {hi} {value}");
}

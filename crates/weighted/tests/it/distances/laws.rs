//! What must hold between distances.

use super::random_structure;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::distance::{Distance, Kind, all_pairs};
use volvelle_weighted::{Window, simulation};

#[test]
fn order_and_triangle() {
    let mut random = Random(4);
    let (mut sums, mut triples) = (0, 0);
    for _ in 0..2500 {
        let (states, weight) = (3 + random.below(4), 1 + random.below(6));
        let structure = random_structure(&mut random, states, weight);
        let control = Control::unlimited();
        let ebd = all_pairs(&structure, Kind::Ebd, &control).expect("no limits");
        let wbd = all_pairs(&structure, Kind::Wbd, &control).expect("no limits");
        let one = super::finite("1");
        let all = || 0..states as u32;
        for (s, t) in all().flat_map(|s| all().map(move |t| (s, t))) {
            let (e, w) = (ebd.distance(s, t), wbd.distance(s, t));
            assert!(e <= w && w <= e.clone().max(one.clone()));
            assert!(e < one || e == w);
            assert!(s != t || w == super::finite("0"));
            assert_eq!(wbd.symmetric(s, t), wbd.symmetric(t, s));
            let [low, high] = w.logarithm();
            assert!(low <= high);
            for u in all() {
                for distances in [&ebd, &wbd] {
                    let first = distances.distance(s, t);
                    let second = distances.distance(t, u);
                    if let (Distance::Finite(first), Distance::Finite(second)) = (first, second) {
                        let both = distances.distance(s, u);
                        let bound = (RBig::ONE + &first) * (RBig::ONE + &second) - RBig::ONE;
                        assert!(both.is_within(&bound), "{s} {t} {u}");
                        sums += usize::from(!both.is_within(&(first + second)));
                        triples += 1;
                    }
                }
            }
        }
    }
    // Distances themselves violate the triangle inequality now and then.
    assert!(triples > 20_000 && sums > 20, "{triples} {sums}");
}

#[test]
fn logarithms_enclose() {
    for (text, expected) in [("0", 0.0), ("1/50", 0.019_802_627_296_179_712), ("7/2", 1.504_077_396_776_274)]
    {
        let [low, high] = super::finite(text).logarithm();
        assert!(low <= expected && expected <= high && high - low < 1e-14, "{text}: {low} {high}");
    }
    assert_eq!(Distance::Infinite.logarithm(), [f64::INFINITY; 2]);
}

/// States are related at a bound exactly if the distance is at most the bound, by another algorithm; at 0 among others.
#[test]
fn distances_are_least_bounds_of_simulations() {
    let mut random = Random(7);
    let mut related = 0;
    for _ in 0..1500 {
        let (states, weight) = (2 + random.below(7), random.pick(&[3, 9, 200]));
        let structure = random_structure(&mut random, states, weight);
        let control = Control::unlimited();
        for kind in [Kind::Ebd, Kind::Wbd] {
            let distances = all_pairs(&structure, kind, &control).expect("no limits");
            let mut bounds = vec![RBig::ZERO, super::ratio("1/3")];
            bounds.push(random.pick(&distances.levels().iter().collect::<Vec<_>>()).clone());
            for e in bounds {
                let window = match kind {
                    Kind::Ebd => Window::AtMostWidened(e.clone()),
                    Kind::Wbd => Window::Around(e.clone()),
                };
                let preorder =
                    simulation(&structure, &window, Options::default(), &control).expect("no limits");
                for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                    let is_near = distances.distance(s, t).is_within(&e);
                    assert_eq!(preorder.contains(s, t), is_near, "{kind:?} {e} {s} {t}");
                    related += usize::from(is_near && s != t);
                }
            }
        }
    }
    assert!(related > 5000, "{related}");
}

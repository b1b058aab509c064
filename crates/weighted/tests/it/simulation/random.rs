//! Against the definitions, on random structures.

use super::{naive, structure};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_weighted::bisimulation::Options;
use volvelle_weighted::{Window, simulation, simulation_within};

fn ratio(text: &str) -> RBig {
    text.parse().expect("a fraction")
}

fn windows() -> Vec<Window> {
    let mut windows = vec![Window::AtMost, Window::AtLeast];
    for e in ["0", "1/5", "1/2", "1", "4"] {
        windows.push(Window::Around(ratio(e)));
        windows.push(Window::AtMostWidened(ratio(e)));
    }
    windows
}

#[test]
fn relations_are_those_of_the_definitions() {
    let mut random = Random(1);
    let windows = windows();
    let mut pairs = [0u32; 2];
    for _ in 0..1500 {
        let structure = structure(&mut random);
        let states = structure.num_states() as u32;
        for window in &windows {
            let expected = naive::simulation(&structure, window);
            let found =
                simulation(&structure, window, Options::default(), &Control::unlimited()).expect("no limits");
            let mut count = 0;
            for s in 0..states {
                for t in 0..states {
                    let related = expected[s as usize][t as usize];
                    assert_eq!(found.contains(s, t), related, "{window:?}: {s}, {t} of {structure:?}");
                    pairs[usize::from(related)] += u32::from(s != t);
                    count += u64::from(related);
                }
                let mut row: Vec<u32> = found.related_to(s).collect();
                row.sort_unstable();
                let expected: Vec<u32> = (0..states).filter(|&t| expected[s as usize][t as usize]).collect();
                assert_eq!(row, expected);
            }
            assert_eq!(found.num_pairs(), count);
        }
    }
    assert!(pairs.iter().all(|&pairs| pairs > 50_000), "both verdicts occur: {pairs:?}");
}

#[test]
fn a_larger_relation_to_start_from_changes_nothing() {
    let mut random = Random(2);
    let es = ["4", "1", "1/2", "1/5", "0"].map(ratio);
    for _ in 0..500 {
        let structure = structure(&mut random);
        let control = Control::unlimited();
        for kind in [Window::Around as fn(RBig) -> Window, Window::AtMostWidened] {
            let mut larger = None;
            for e in &es {
                let window = kind(e.clone());
                let direct =
                    simulation(&structure, &window, Options::default(), &control).expect("no limits");
                let within =
                    simulation_within(&structure, &window, Options::default(), larger.as_ref(), &control);
                let within = within.expect("no limits");
                for s in 0..structure.num_states() as u32 {
                    assert_eq!(
                        direct.related_to(s).collect::<Vec<_>>(),
                        within.related_to(s).collect::<Vec<_>>()
                    );
                }
                larger = Some(within);
            }
        }
    }
}

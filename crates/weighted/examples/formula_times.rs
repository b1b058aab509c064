//! Times of formulas of weighted CTL on random structures: `cargo run --release -p volvelle-weighted --example formula_times -- 1000000`.
#![allow(clippy::print_stdout, reason = "its table is its result")]
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use dashu_ratio::RBig;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_logic::{Atom, AtomId, Limit, Quantifier, Wctl, WctlFormula, WctlId, WeightInterval};
use volvelle_random::Random;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure};
use volvelle_weighted::Valued;
use volvelle_weighted::wctl::{Blocking, check_global, check_local};

/// Five steps per state. Most lead a little onwards, so paths are long and many are free of cycles. `p` holds
/// in nearly all states, `q` in one of a thousand and in the last.
fn structure(states: usize, is_forward: bool) -> WeightedStructure {
    let mut random = Random(5);
    let mut builder = WeightedBuilder::new();
    for state in 0..states {
        let q = random.one_in(1000) || state + 100 > states;
        let target = |random: &mut Random| match is_forward {
            true => (state + 1 + random.below(1000)).min(states - 1),
            false => random.below(states),
        };
        let steps: Vec<WeightedStep> = (0..5)
            .map(|_| WeightedStep { weight: random.below(10) as u64, target: target(&mut random) as u32 })
            .collect();
        builder.state([(0, i64::from(!random.one_in(5000))), (1, i64::from(q))], steps);
    }
    builder.finish(0, RBig::ONE, vec!["p".to_owned(), "q".to_owned()])
}

fn until(quantifier: Quantifier, lower: u32, upper: Option<u32>) -> WctlFormula {
    let limit = |amount: u32| Limit { amount: RBig::from(amount), strict: false };
    let interval = WeightInterval { lower: limit(lower), upper: upper.map(limit) };
    let id = WctlId::from_index;
    WctlFormula {
        nodes: vec![
            Wctl::Atom(AtomId::from_index(0)),
            Wctl::Atom(AtomId::from_index(1)),
            Wctl::Until(quantifier, id(0), interval, id(1)),
        ],
        root: id(2),
        atoms: vec![Atom::Holds(0), Atom::Holds(1)],
        names: vec!["p".to_owned(), "q".to_owned()],
    }
}

fn main() {
    let states = std::env::args().nth(1).map_or(1_000_000, |text| text.parse().expect("a number of states"));
    let control = Control::unlimited();
    for (name, is_forward) in [("random", false), ("forward", true)] {
        let structure = structure(states, is_forward);
        println!("{name}: {} states, {} steps", structure.num_states(), structure.num_steps());
        for quantifier in [Quantifier::Exists, Quantifier::All] {
            for (lower, upper) in
                [(0, None), (0, Some(20)), (0, Some(5_000)), (50, None), (10, Some(30)), (100, Some(120))]
            {
                let formula = until(quantifier, lower, upper);
                let start = Instant::now();
                let mut valued = Valued::new(&structure, &formula).expect("amounts are small");
                let checked = check_global(&valued, &formula, Blocking::Loop, &control).expect("no limits");
                let global = start.elapsed();
                let start = Instant::now();
                let unit = &structure.unit;
                let local = check_local(&mut valued, &formula, None, Blocking::Loop, unit, &control)
                    .expect("no limits");
                assert_eq!(local.holds, checked.holds().contains(0), "both agree");
                let count = checked.holds().count();
                println!(
                    "  {:30} {count:9} states, {:6.3} s; in state 0 {:5}, {:6.3} s, {:8} states expanded",
                    formula.to_string(),
                    global.as_secs_f64(),
                    local.holds,
                    start.elapsed().as_secs_f64(),
                    local.expanded
                );
            }
        }
    }
}

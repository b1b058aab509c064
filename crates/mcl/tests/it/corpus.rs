//! The formulas of the LOTOS conformance set, on its graphs.

use crate::support::{formula, naive, system};
use volvelle_control::Control;
use volvelle_mcl::check;
use volvelle_space::Lts;

const PROPERTIES: &str = include_str!("../corpus/props.tsv");

fn graph(name: &str) -> Lts {
    system(match name {
        "t07_abp" => include_str!("../corpus/t07_abp.aut"),
        "t08_peterson" => include_str!("../corpus/t08_peterson.aut"),
        "t09_queue" => include_str!("../corpus/t09_queue.aut"),
        "t11_dining" => include_str!("../corpus/t11_dining.aut"),
        other => panic!("no graph {other}"),
    })
}

#[test]
fn verdicts() {
    let mut checked = 0;
    for line in PROPERTIES.lines().skip(1) {
        let [spec, name, text, verdict] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let lts = graph(spec);
        let formula = formula(text);
        let expected = verdict == "TRUE";
        assert_eq!(naive::holds(&formula, &lts), expected, "{spec}: {name}, by definition");
        let answer = check(&formula, &lts, &Control::unlimited()).expect("no limits");
        assert_eq!(answer.holds, expected, "{spec}: {name}");
        let evidence = answer.evidence.expect("small graphs").system(&lts.labels);
        assert_eq!(naive::holds(&formula, &evidence), expected, "{spec}: {name}, on the evidence");
        checked += 1;
    }
    assert_eq!(checked, 15);
}

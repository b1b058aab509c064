//! Random formulas on random systems: the searches against the definition.

mod support;

use support::{formula, generate, naive};
use volvelle_control::Control;
use volvelle_mcl::check;
use volvelle_random::Random;

#[test]
fn searches_agree_with_the_definition() {
    let mut random = Random(1);
    let mut verdicts = [0; 2];
    for case in 0..10_000 {
        let lts = generate::lts(&mut random, 8);
        let depth = 1 + random.below(5);
        let text = generate::text(&mut random, depth);
        let formula = formula(&text);
        let expected = naive::holds(&formula, &lts);
        let answer = check(&formula, &lts, &Control::unlimited()).expect("no limits");
        let case = || format!("case {case}: {text}\n{:?}", lts.transitions().collect::<Vec<_>>());
        assert_eq!(answer.holds, expected, "{}", case());
        let evidence = answer.evidence.expect("small systems");
        let part = evidence.system(&lts.labels);
        assert_eq!(naive::holds(&formula, &part), expected, "{}\non {evidence:?}", case());
        verdicts[usize::from(expected)] += 1;
    }
    assert!(verdicts.iter().all(|&n| n > 2000), "{verdicts:?}");
}

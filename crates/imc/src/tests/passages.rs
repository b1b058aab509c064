//! First passages of generated systems, and their bounds over schedulers, against the oracle.

use super::oracle::{Leaving, outcome, random_system, reached, resolutions, solve, ways};
use crate::kinds::counted;
use crate::{Chain, Choices, Options, Problem, Target};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::Lts;

/// The mean time to the last state, which nothing leaves, and the probability to come there; `None` where time may stop passing.
fn passage(chain: &[Leaving], labels: usize) -> Option<(f64, f64)> {
    let end = chain.len() - 1;
    let seen = reached(chain, 0);
    let here: Vec<usize> = (0..end).filter(|&s| seen[s]).collect();
    for &s in &here {
        outcome(chain, labels, s as u32)?;
    }
    let arrives: Vec<usize> = here.iter().copied().filter(|&s| reached(chain, s as u32)[end]).collect();
    let Some(start) = arrives.iter().position(|&s| s == 0) else { return Some((f64::INFINITY, 0.0)) };
    let p = |s: usize, t: usize| {
        let steps = chain[s].steps.iter().filter(|step| step.2 as usize == t);
        steps.fold(RBig::ZERO, |sum, step| sum + &step.0)
    };
    let a: Vec<Vec<RBig>> = arrives.iter().map(|&s| arrives.iter().map(|&t| p(s, t)).collect()).collect();
    let sojourn = |s: usize| match &chain[s].rate {
        Some(rate) if *rate != RBig::ZERO => RBig::ONE / rate,
        _ => RBig::ZERO,
    };
    let b: Vec<Vec<RBig>> = arrives.iter().map(|&s| vec![sojourn(s), p(s, end)]).collect();
    let x = solve(&a, &b)?;
    let is_sure = arrives.len() == here.len();
    let mean = if is_sure { x[start][0].to_f64().value() } else { f64::INFINITY };
    Some((mean, x[start][1].to_f64().value()))
}

/// The ways to leave states, where all steps with an action lead to one more state, in which all ends.
fn ways_until(lts: &Lts, action: &str) -> Vec<Vec<Leaving>> {
    let mut all = ways(lts);
    let end = all.len() as u32;
    for step in all.iter_mut().flatten().flat_map(|way| &mut way.steps) {
        if counted(lts.labels.text(step.1)) == Some(action) {
            step.2 = end;
        }
    }
    all.push(vec![Leaving { rate: Some(RBig::ZERO), steps: Vec::new() }]);
    all
}

#[test]
fn first_passages_over_all_resolutions() {
    let (mut random, control) = (Random(71), Control::unlimited());
    let (mut chains, mut finite, mut open) = (0, 0, 0);
    for case in 0..2500 {
        let lts = random_system(&mut random, if case % 2 == 0 { 0 } else { 25 });
        let action = random.pick(&["go", "a", "d", "c"]);
        let target = Target { actions: vec![action.to_owned()], states: Vec::new() };
        let options = Options { choices: Choices::Keep, ..Options::default() };
        let Ok(chain) = Chain::from_lts(&lts, &options, &control) else { continue };
        let found = match chain.passage_extremes(&target, &control) {
            Ok(found) => found,
            Err(Problem::UnknownAction { .. } | Problem::ChoiceOnCycle { .. }) => continue,
            Err(other) => panic!("case {case}: {other}"),
        };
        let Some(all) = resolutions(&ways_until(&lts, action), 200) else { continue };
        let values: Vec<(f64, f64)> =
            all.iter().filter_map(|chain| passage(chain, lts.labels.len())).collect();
        let fold = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let all = values.iter().map(of);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
        };
        let near = |bounds: [f64; 2], value: f64| match value.is_finite() {
            true => {
                let slack = 1e-12 * value;
                bounds[0] <= value + slack
                    && value - slack <= bounds[1]
                    && bounds[1] - bounds[0] <= 1e-5 * value.max(1.0)
            }
            false => bounds[0] == f64::INFINITY,
        };
        let ([least, most], [low, high]) = (fold(&|v| v.0), fold(&|v| v.1));
        assert!(near(found.mean.least, least), "case {case}, {action}: {found:?} {least}");
        assert!(near(found.mean.greatest, most), "case {case}, {action}: {found:?} {most}");
        assert!(
            near(found.ever.least, low) && near(found.ever.greatest, high),
            "case {case}, {action}: {found:?}"
        );
        finite += usize::from(least.is_finite() && least > 0.0);
        open += usize::from(most > least);
        if let Ok(passage) = chain.first_passage(&target, &[], &control) {
            assert!(
                near(passage.mean, least) && near(passage.ever, low),
                "case {case}: {passage:?} {least} {low}"
            );
            chains += 1;
        }
    }
    assert!(chains > 300 && finite > 300 && open > 20, "{chains} {finite} {open}");
}

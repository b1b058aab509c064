//! Code is exchanged while paths run: the results do not show it.

use crate::paths::{DIE, MAX_STEPS, TANDEM, Way, ways};
use crate::support::plan;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use volvelle_control::Control;
use volvelle_simulate::engine::Engine;
use volvelle_simulate::error::Failure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::runner::Paths;
use volvelle_simulate::sample::{Ended, Request, Sampled, Summary, sample};
use volvelle_streams::Generator;

/// Takes other code for every range of paths.
struct Alternating {
    ways: Vec<Way>,
    next: AtomicUsize,
}

impl Engine for Alternating {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.ways[next % self.ways.len()].runner.run(seed, paths, max_steps, out)
    }
}

fn sampled(engine: &dyn Engine, plan: &Plan, paths: u64, threads: usize) -> (Sampled, Option<Ended>) {
    let request = Request::new(11, 3, paths, MAX_STEPS, &plan.monitors);
    let control = Control { threads, ..Control::unlimited() };
    sample(engine, &request, &control, |_, _| false)
}

/// Every bit of what was found.
pub fn bits(found: &(Sampled, Option<Ended>)) -> String {
    let (sampled, ended) = found;
    let of = |summary: &Summary| match summary {
        Summary::Tally(tally) => format!("{} of {}", tally.successes(), tally.samples()),
        Summary::Moments { moments, infinite } => {
            let number = |x: Option<f64>| x.map(f64::to_bits);
            format!(
                "{} {:?} {:?} {infinite}",
                moments.count(),
                number(moments.mean()),
                number(moments.variance())
            )
        }
    };
    let summaries: Vec<String> = sampled.summaries.iter().map(of).collect();
    format!("{} {} {} {summaries:?} {ended:?}", sampled.paths, sampled.end, sampled.steps)
}

fn check(model: &str, properties: &str, paths: u64) -> (Sampled, Option<Ended>) {
    let (plan, _) = plan(model, properties, Generator::default());
    let alone = sampled(&ways(&plan, false)[0].runner, &plan, paths, 1);
    let wanted = bits(&alone);
    for threads in [1, 2] {
        for start in 0..3 {
            let engine = Alternating { ways: ways(&plan, true), next: AtomicUsize::new(start) };
            assert_eq!(bits(&sampled(&engine, &plan, paths, threads)), wanted, "{threads} threads, {start}");
            assert!(engine.next.into_inner() > start + 2, "code is exchanged");
        }
    }
    alone
}

#[test]
fn results_are_those_of_one_engine() {
    let (sampled, ended) = check(DIE, "P=? [ F s=7 & d=3 ]; R{\"flips\"}=? [ F s=7 ]; R=? [ F d=1 ]", 5000);
    assert_eq!((sampled.paths, ended), (5000, None));
    check(TANDEM, "P=? [ F<=1.5 x=c & y=c ]; R{\"jobs\"}=? [ C<=2 ]; R{\"jobs\"}=? [ I=1 ]", 3001);
    let curves = "P=? [ F<=1.5 x=c & y=c ]; R{\"jobs\"}=? [ C<=2 ]; R{\"jobs\"}=? [ I=1 ]; P=? [ F<=0.5 x=c & y=c ];
                  R{\"jobs\"}=? [ I=0 ]; R{\"jobs\"}=? [ C<=0.3 ]; P=? [ G<=1 x<c | y<c ]; R{\"jobs\"}=? [ I=1.7 ]";
    check(TANDEM, curves, 3001);
}

/// One path in a thousand never has `x=1`, and none ends by itself.
const SELDOM: &str = "dtmc
module m
  x : [0..2] init 0;
  [] x=0 -> 0.999 : (x'=1) + 0.001 : (x'=2);
endmodule
module n
  y : bool init false;
  [] true -> (y'=!y);
endmodule
rewards y : 1; endrewards";

#[test]
fn the_path_that_is_given_up_first_is_the_same() {
    let (sampled, ended) = check(SELDOM, "P=? [ F x=1 ]; P=? [ F<=2 x=1 ]", 5000);
    let Some(Ended::Undecided(undecided)) = ended else { panic!("{ended:?}") };
    assert!(sampled.end > 256 && undecided.path >= sampled.end, "{undecided:?}");
    assert_eq!(undecided.measures, [0]);
}

#[test]
fn points_of_curves_are_given_up_one_by_one() {
    // Paths are given up after 2,000 steps.
    let properties =
        "P=? [ F<=2 x=1 ]; P=? [ F<=3000 x=1 ]; P=? [ F<=1999 x=1 ]; P=? [ G<=2000 x!=1 ]; R=? [ C<=1999 ];
                      R=? [ C<=2000 ]; R=? [ I=4000 ]; R=? [ I=7 ]";
    let (plan, _) = plan(SELDOM, properties, Generator::default());
    for Way { name, runner } in ways(&plan, true) {
        let (_, ended) = sampled(&runner, &plan, 5000, 1);
        let Some(Ended::Undecided(undecided)) = ended else { panic!("{name}: {ended:?}") };
        assert_eq!((undecided.path, undecided.measures), (3, vec![5, 6]), "{name}");
    }
    let (_, ended) = check(
        SELDOM,
        "P=? [ F<=2 x=1 ]; P=? [ F<=3000 x=1 ]; P=? [ F<=1999 x=1 ]; P=? [ G<=2000 x!=1 ]",
        5000,
    );
    let Some(Ended::Undecided(undecided)) = ended else { panic!("{ended:?}") };
    assert_eq!(undecided.measures, [1, 3]);
}

#[test]
fn the_path_that_fails_is_the_same() {
    let model = "dtmc
module m
  x : [0..4000] init 0;
  [] x<2000 -> 0.9994 : (x'=x+1000) + 0.0006 : (x'=x+1);
  [] x=2000 -> true;
  [] x=1001 -> (x'=x*4);
endmodule";
    let (sampled, ended) = check(model, "P=? [ F x=2000 ]", 5000);
    let Some(Ended::Failed(failure)) = ended else { panic!("{ended:?}") };
    assert!(failure.path > 256 && sampled.paths > 0, "{failure:?}");
}

/// Says how often it was asked whether it wants the thread.
struct PropertyMeasure<'a> {
    engine: &'a Alternating,
    between: AtomicUsize,
    needed: AtomicUsize,
}

impl Engine for PropertyMeasure<'_> {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        self.engine.run(seed, paths, max_steps, out)
    }

    fn between(&self, is_needed: &dyn Fn() -> bool) {
        self.between.fetch_add(1, Ordering::Relaxed);
        self.needed.fetch_add(is_needed().into(), Ordering::Relaxed);
    }
}

#[test]
fn the_engine_has_the_thread_between_claims() {
    let (plan, _) = plan(DIE, "P=? [ F s=7 & d=3 ]", Generator::default());
    let engine = Alternating { ways: ways(&plan, true), next: AtomicUsize::new(0) };
    let asked =
        PropertyMeasure { engine: &engine, between: AtomicUsize::new(0), needed: AtomicUsize::new(0) };
    sampled(&asked, &plan, 5000, 1);
    let (between, needed) = (asked.between.into_inner(), asked.needed.into_inner());
    let claims = engine.next.into_inner();
    assert_eq!((between, needed), (claims + 1, claims), "once more when all paths are claimed");
}

//! Importance splitting against closed forms, and against itself done slowly.

mod abstraction;
mod models;
mod unbiased;

use crate::support;
use models::{BRP, GAMBLER, TANDEM};
use volvelle_control::Control;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::{Native, Options};
use volvelle_simulate::path::segment::TARGET;
use volvelle_simulate::splitting::{self, Ends, Importance, Population, Segments, Split, SplittingTask};
use volvelle_streams::Generator;

const MAX_STEPS: u32 = 100_000;

/// A property of a model, ready for splitting.
fn rare(model: &str, property: &str, generator: Generator) -> SplittingTask {
    let (plan, _) = support::plan(model, property, generator);
    SplittingTask::new(plan).expect("fits")
}

fn native() -> Native {
    Native::new(Options::default()).expect("native code")
}

/// The importance of the other kind.
fn by_conjuncts(model: &str, property: &str, generator: Generator) -> SplittingTask {
    let mut rare = rare(model, property, generator);
    rare.importance = splitting::by_conjuncts(&mut rare.plan, rare.right);
    rare
}

/// Compiled segments of some stages against segments that are walked.
fn check_segments(rare: &SplittingTask, levels: &[i32]) {
    let native = native();
    for compiler in [&Interpreter as &dyn Compiler, &native] {
        let segments = Segments::new(rare, compiler, MAX_STEPS).expect("compiles");
        let mut from = Population::initial(rare);
        for &level in levels {
            let mut ends = Ends::default();
            segments.run(11, 5..55, level, &from, &mut ends).expect("nothing fails");
            let mut reaching = Population::default();
            for i in 0..50 {
                let slow = splitting::segment(rare, &from, level, 11, 5 + i as u64, MAX_STEPS);
                assert_eq!(ends.bests[i], slow.best, "segment {i} up to {level}: {slow:?}");
                assert_eq!(ends.status[i], u64::from(slow.taken) * 2 + u64::from(slow.given_up));
                let (state, steps, now) = ends.get(i);
                assert_eq!((state, steps, now.to_bits()), (&slow.state[..], slow.steps, slow.now.to_bits()));
                if slow.best >= level {
                    reaching.push(&ends, i);
                }
            }
            if reaching.is_empty() {
                break;
            }
            from = reaching;
        }
    }
}

#[test]
fn segments_are_what_walks_are() {
    let cases = [
        (GAMBLER, "P=? [ F x=10 ]"),
        (GAMBLER, "P=? [ F<=25 x=10 ]"),
        (BRP, "P=? [ F s=5 ]"),
        (BRP, "P=? [ F s=5 & srep=2 ]"),
        (TANDEM, "P=? [ F<=9.5 y=5 ]"),
        (TANDEM, "P=? [ (x<5) U<=20 (x+y>=6) ]"),
    ];
    for (model, property) in cases {
        for generator in [Generator::Xoshiro128PlusPlus, Generator::Philox4x32] {
            let rare = rare(model, property, generator);
            assert!(matches!(rare.importance, Importance::Table(_)), "{property}");
            let native = native();
            let segments = Segments::new(&rare, &native, MAX_STEPS).expect("compiles");
            let found = splitting::levels(&segments, 3, &Control::unlimited()).expect("levels");
            check_segments(&rare, &found.thresholds);
            let rare = by_conjuncts(model, property, generator);
            let here = rare.importance.of(&rare.plan.program, &rare.plan.initial);
            check_segments(&rare, &[here + 1, here + 2, TARGET]);
        }
    }
}

#[test]
fn levels_rise_to_the_target() {
    let rare = rare(GAMBLER, "P=? [ F x=20 ]", Generator::default());
    let native = native();
    let segments = Segments::new(&rare, &native, MAX_STEPS).expect("compiles");
    let found = splitting::levels(&segments, 1, &Control::unlimited()).expect("levels");
    assert!(found.thresholds.len() > 5, "{found:?}");
    assert!(found.thresholds.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(found.thresholds.last(), Some(&TARGET));
    assert!(found.shares.iter().all(|&share| share > 0.05 && share <= 1.0), "{found:?}");
}

#[test]
fn threads_do_not_matter() {
    let rare = rare(TANDEM, "P=? [ F<=20 x+y>=9 ]", Generator::default());
    let native = native();
    let segments = Segments::new(&rare, &native, MAX_STEPS).expect("compiles");
    let mut control = Control::unlimited();
    let levels = splitting::levels(&segments, 1, &control).expect("levels");
    let split = Split { repetitions: 9, successes: 40, patience: 20 };
    let mut results = Vec::new();
    for threads in [1, 2, 5] {
        control.threads = threads;
        let (all, stop) =
            splitting::repeat(&segments, &levels, &split, 5, &control, &|_, _| {}).expect("an estimate");
        assert_eq!(stop, None);
        results.push((all.moments.mean().map(f64::to_bits), all.steps, all.stages.clone()));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let (other, _) =
        splitting::repeat(&segments, &levels, &split, 6, &control, &|_, _| {}).expect("an estimate");
    assert_ne!(other.moments.mean().map(f64::to_bits), results[0].0);
}

#[test]
fn a_target_out_of_reach_is_told() {
    // Paths would be endless.
    let model = format!("{GAMBLER}\nmodule dial t : [0..9]; [] true -> (t'=mod(t+1,10)); endmodule");
    let rare = rare(&model, "P=? [ F x=20 & x=3 ]", Generator::default());
    assert!(rare.importance.is_hopeless(rare.at_first()));
    let native = native();
    let segments = Segments::new(&rare, &native, MAX_STEPS).expect("compiles");
    let ended = splitting::levels(&segments, 1, &Control::unlimited()).expect_err("there is no way");
    assert!(matches!(ended, splitting::NoEstimate::Stuck { .. }), "{ended:?}");
}

#[test]
fn a_path_without_end_is_told() {
    let model = "dtmc module m x : [0..3] init 1; b : bool; [] x=1 -> 0.99 : (b'=!b) + 0.01 : (x'=2); \
                 [] x=2 & b -> 0.999999999 : (b'=!b) + 0.000000001 : (x'=3); [] x=2 & !b -> (b'=!b); endmodule";
    let rare = rare(model, "P=? [ F x=3 ]", Generator::default());
    let segments = Segments::new(&rare, &Interpreter, 1000).expect("compiles");
    match splitting::levels(&segments, 1, &Control::unlimited()) {
        Err(splitting::NoEstimate::Lost(lost)) => assert_eq!((lost.site, lost.steps), (None, 1000)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_failure_on_the_way_is_told_with_its_state() {
    let model = "dtmc module m x : [0..9] init 1; [] x<8 -> 0.3 : (x'=x+1) + 0.7 : (x'=0); \
                 [] x=8 -> 0.5 : (x'=9) + 0.5 : (x'=x+5); endmodule";
    let rare = rare(model, "P=? [ F x=9 ]", Generator::default());
    let native = native();
    let segments = Segments::new(&rare, &native, MAX_STEPS).expect("compiles");
    match splitting::levels(&segments, 1, &Control::unlimited()) {
        Err(splitting::NoEstimate::Lost(lost)) => {
            assert!(lost.site.is_some());
            assert_eq!(lost.state, [8]);
        }
        other => panic!("{other:?}"),
    }
}

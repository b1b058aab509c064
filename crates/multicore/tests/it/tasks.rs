//! Tasks and targets, by hand.

use crate::slow;
use crate::streams::{Look, Synthetic};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_diagnostics::Sources;
use volvelle_multicore::{
    Ahead, Configuration, Joins, Kind, Machine, Outcome, Predictor, Selection, ShippedProtocols,
    Specification, TargetKind, TargetPredictor, TextTrace, Transfer, run, tasks,
};
use volvelle_random::{Random, attack_cases};

/// Two turns of a loop of five instructions with a branch inside, and a return.
const TRACE: &str = "pc\tclass\trd\tsources\taddress\tsize\ttaken
1000\talu\tx1\t-\t-\t-\t-
1004\tbranch\t-\tx1\t-\t-\t0
1008\tload\tx2\tx1\t8000\t8\t-
100c\talu\tx3\tx2\t-\t-\t-
1010\tbranch\t-\tx3\t-\t-\t1
1000\talu\tx1\t-\t-\t-\t-
1004\tbranch\t-\tx1\t-\t-\t0
1008\tload\tx2\tx1\t8008\t8\t-
100c\talu\tx3\tx2\t-\t-\t-
1010\tbranch\t-\tx3\t-\t-\t0
1014\treturn\t-\tx1\t-\t-\t1
2000\talu\tx1\t-\t-\t-\t-
";

/// Length, whether it is predicted, and whether it is taken, of each task.
fn cut(selection: Selection, length: u32) -> Vec<(u64, u32, bool, bool)> {
    let mut trace = TextTrace::new(Sources::new().add("trace", TRACE), TRACE).expect("columns");
    let mut all = Vec::new();
    tasks(&mut trace, selection, length, Arc::default(), &Control::unlimited(), |task| {
        all.push((task.pc, task.length, task.is_predicted, task.is_taken));
    })
    .expect("a right trace");
    all
}

#[test]
fn tasks_end_where_the_selection_says() {
    let at_branches = cut(Selection::FirstBranch, 16);
    let lengths: Vec<u32> = at_branches.iter().map(|task| task.1).collect();
    assert_eq!(lengths, [2, 3, 2, 3, 1, 1]);
    assert_eq!(at_branches[1], (0x1008, 3, true, true));
    assert_eq!(at_branches[5], (0x2000, 1, false, false));
    let short: Vec<u32> = cut(Selection::FirstBranch, 2).iter().map(|task| task.1).collect();
    assert_eq!(short, [2, 2, 1, 2, 2, 1, 1, 1]);
    // The last transfer within decides.
    assert_eq!(cut(Selection::Length, 8), [(0x1000, 8, true, false), (0x100c, 4, true, true)]);
    let spans: Vec<u32> = cut(Selection::Span(2), 16).iter().map(|task| task.1).collect();
    assert_eq!(spans, [5, 5, 2]);
    let turns: Vec<u32> = cut(Selection::Loop, 16).iter().map(|task| task.1).collect();
    assert_eq!(turns, [5, 6, 1]);
}

#[test]
fn returns_come_from_a_stack() {
    let transfer = |task, target, behind, is_return| Transfer { task, target, behind, is_return };
    for (has_stack, misses) in [(false, 4), (true, 2)] {
        let mut predictor = TargetPredictor::new(TargetKind::Cache, has_stack);
        // A function called from two places returns to each of them.
        for call in [0x100, 0x200] {
            predictor.observe(&transfer(call, 0x1000, Some(call + 4), false));
            predictor.observe(&transfer(0x1000, call + 4, None, true));
        }
        assert_eq!((predictor.lookups, predictor.misses), (4, misses));
    }
}

#[test]
fn paths_tell_targets_apart() {
    let misses = |kind| {
        let mut predictor = TargetPredictor::new(kind, false);
        // A jump whose target depends on the task before it.
        for turn in 0..400u64 {
            let way = turn / 2 % 2;
            predictor.observe(&Transfer {
                task: 0x100,
                target: 0x200 + 8 * way + 2 * way,
                behind: None,
                is_return: false,
            });
            predictor.observe(&Transfer {
                task: 0x300,
                target: 0x400 + 64 * way,
                behind: None,
                is_return: false,
            });
        }
        predictor.misses
    };
    let (cache, ittage) = (misses(TargetKind::Cache), misses(TargetKind::Ittage));
    assert!(ittage * 4 < cache, "{ittage} {cache}");
}

/// Wrong targets end rounds only where they are charged.
#[test]
fn wrong_targets_are_counted_or_cost() {
    let answer = |charge: &str| {
        let mut machine = Machine::default();
        machine.set("cores", "2", &mut ShippedProtocols).expect("a key");
        machine.set("wrong_targets", charge, &mut ShippedProtocols).expect("a key");
        machine.set("squash", "5", &mut ShippedProtocols).expect("a key");
        let predictor = Specification::parse("always-taken").expect("a known name");
        let mut trace = TextTrace::new(Sources::new().add("trace", TRACE), TRACE).expect("columns");
        let configuration = Configuration::new(machine, predictor);
        run(&mut trace, &[configuration], &Ahead::default(), &Control::unlimited())
            .expect("a right trace")
            .remove(0)
    };
    let (counted, charged) = (answer("counted"), answer("squash"));
    assert_eq!((counted.target_lookups, counted.target_misses), (2, 2));
    assert_eq!((charged.target_lookups, charged.target_misses), (2, 2));
    assert!(charged.cycles > counted.cycles, "{} {}", charged.cycles, counted.cycles);
}

/// What each predictor is made for.
#[test]
fn predictors_learn_what_they_should() {
    let wrong = |name: &str, stream: &[Outcome]| {
        let kind: Kind = Specification::parse(name).expect("a known name").kind;
        let mut predictor = Predictor::new(&kind, 1);
        predictor.observe(stream, &mut Vec::new());
        predictor.mispredictions
    };
    let looping: Vec<Outcome> =
        (0..6000).map(|at| Outcome { address: 0x1000, taken: at % 300 != 299 }).collect();
    assert!(
        wrong("tage-sc-l", &looping) < 10 && wrong("tage", &looping) >= 19,
        "loops longer than all histories"
    );
    // Two addresses in turn, each with a pattern of its own that the other hides from short global histories.
    let local: Vec<Outcome> = (0..6000u64)
        .map(|at| Outcome {
            address: 0x1000 + 8 * (at % 2),
            taken: at % 2 == 0 && (at / 2) % 3 == 0 || at % 2 == 1 && (at / 2) % 5 == 0,
        })
        .collect();
    assert!(wrong("pag-8", &local) < 60 && wrong("bimodal-12", &local) > 1000);
    assert!(wrong("tournament-12", &local) <= wrong("bimodal-12", &local));
}

/// Tasks of random streams are those of the slow simulator, which looks for joins path by path.
#[test]
fn attack_tasks_are_the_slow_ones() {
    for case in attack_cases(150) {
        let mut random = Random(5_000_000 + case);
        let look =
            Look { size: 1 + random.below(60), bytes: 64, memory: 20, branches: random.pick(&[10, 30, 60]) };
        let (seed, length) = (random.bits(), 1 + random.below(400) as u64);
        let most = random.pick(&[1, 4, 16, 100]);
        let stream = slow::executed(&mut Synthetic::new(seed, length, look));
        let control = Control::unlimited();
        let joins = Joins::find(&mut Synthetic::new(seed, length, look), &control).expect("a right stream");
        let expected = slow::joins(&stream);
        for executed in &stream {
            let pc = executed.instruction.pc;
            assert_eq!(joins.of_branch(pc), expected.get(&pc).copied(), "case {case}: {pc:#x}");
        }
        for selection in ["first-branch", "length", "span-2", "loop", "postdominator"] {
            let selection = Selection::parse(selection).expect("a known one");
            let mut found = Vec::new();
            let joins = Arc::new(joins.clone());
            tasks(&mut Synthetic::new(seed, length, look), selection, most, joins, &control, |task| {
                found.push((task.length as usize, task.is_predicted.then_some(task.is_taken)));
            })
            .expect("a right stream");
            let slow = slow::tasks(&stream, selection, most);
            let slow: Vec<_> = slow.into_iter().map(|task| (task.range.len(), task.outcome)).collect();
            assert_eq!(found, slow, "case {case}: {selection}");
        }
    }
}

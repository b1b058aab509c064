//! Every counterexample of the search, of random models, is a run of the simulator, which knows nothing of reductions: it
//! takes the same steps, and what is wrong at the end is the same.

use volvelle_control::Control;
use volvelle_promela_testing::{Choices, random_program};
use volvelle_verify::{Counterexample, Dice, SearchSettings, Session, Text, Tier, TrailLength, Wanted};

fn open(text: &str) -> Session {
    Session::open::<&str>(Text { name: "model.pml".into(), text: text.to_owned() }, Vec::new(), &[])
}

fn settings(no_reduction: bool) -> SearchSettings {
    // The interpreter: the models are small, and machine code of each takes longer than its search.
    let mut settings = SearchSettings {
        tier: Tier::Interpreter,
        all_errors: true,
        no_reduction,
        ..SearchSettings::default()
    };
    settings.allowance.states = Some(2_000);
    settings
}

fn counterexamples(session: &mut Session, wanted: &Wanted, no_reduction: bool) -> Vec<Counterexample> {
    let settings = settings(no_reduction);
    let mut control = Control::unlimited();
    control.limits = settings.allowance.starting_at(std::time::Instant::now());
    let report = volvelle_verify::search(session, wanted, &settings, &control);
    report.results.into_iter().flat_map(|r| r.counterexamples).collect()
}

/// Follows a counterexample; gives whether something is wrong at its end.
fn replayed(session: &mut Session, example: &Counterexample, text: &str) -> bool {
    assert_eq!(
        example.choices.len(),
        example.steps.len(),
        "the run cannot be followed:\n{example:#?}\n{text}"
    );
    let saved =
        volvelle_verify::save_trail(&session.model, "property", example).expect("a run that can be followed");
    let runnable = volvelle_verify::runnable(&mut session.model);
    let mut run =
        volvelle_verify::simulate(&session.model, &runnable, None).expect("a model").expect("a run");
    let mut faults = run.faults();
    for (i, (step, saved)) in example.steps.iter().zip(&saved.steps).enumerate() {
        match run.follow(i + 1, saved).expect("the trail fits") {
            None => assert_eq!(step.actor, None),
            Some(choice) => {
                let taken = run.take(choice).expect("a choice").expect("a step");
                assert_eq!(taken.step, *step, "step {}\n{text}", i + 1);
                faults = taken.faults;
            }
        }
    }
    assert_eq!(run.standings(), example.end);
    faults.iter().any(|fault| fault.message == example.reason)
}

#[test]
fn errors_of_random_models_replay() {
    let (mut models, mut replays) = (0, 0);
    for seed in 0..120 {
        let text = random_program(&mut Choices::from_seed(seed));
        for no_reduction in [false, true] {
            let wanted = Wanted { safety: true, ..Wanted::default() };
            let mut session = open(&text);
            let found = counterexamples(&mut session, &wanted, no_reduction);
            for example in &found {
                assert!(replayed(&mut session, example, &text), "seed {seed}: nothing is wrong\n{text}");
                replays += 1;
            }
            models += 1;
        }
    }
    assert!(models == 240 && replays > 40, "{replays} replays of {models} models");
}

/// What is called shortest is as short as what a search without reduction finds, which is breadth first.
#[test]
fn shortest_runs_of_random_models() {
    // An atomic sequence is one step, also where the error is inside.
    let length = |example: &Counterexample| {
        let (last, before) = example.steps.split_last()?;
        (last.actor.is_some()).then(|| 1 + before.iter().filter(|step| !step.atomic).count())
    };
    let (mut compared, mut shorter) = (0, 0);
    for seed in 0..150 {
        let text = random_program(&mut Choices::from_seed(seed));
        let wanted = Wanted { safety: true, ..Wanted::default() };
        let lengths = |no_reduction: bool| {
            let found = counterexamples(&mut open(&text), &wanted, no_reduction);
            let is_shortest = found.iter().all(|example| example.length == TrailLength::Shortest);
            let mut lengths: Vec<_> = found.iter().map(|e| (e.reason.clone(), length(e))).collect();
            lengths.sort();
            (is_shortest, lengths)
        };
        let (reduced, full) = (lengths(false), lengths(true));
        assert!(full.0, "a search without reduction finds shortest runs");
        if reduced.0 && !full.1.is_empty() && reduced.1.len() == full.1.len() {
            assert_eq!(reduced.1, full.1, "seed {seed}\n{text}");
            compared += 1;
        }
        shorter += usize::from(!reduced.0);
    }
    assert!(compared > 30, "{compared} compared, {shorter} not known");
}

#[test]
fn cycles_of_random_models_replay() {
    let mut replays = 0;
    for seed in 0..60 {
        let text = random_program(&mut Choices::from_seed(seed));
        // Every run violates it, but no beginning of a run shows that: those that end stutter.
        let wanted = Wanted { claims: vec!["<> (_nr_pr > 100)".into()], ..Wanted::default() };
        let mut session = open(&text);
        for example in counterexamples(&mut session, &wanted, false) {
            let start = example.cycle_start.expect("a cycle");
            assert!(start <= example.steps.len());
            replayed(&mut session, &example, &text);
            replays += 1;
        }
    }
    assert!(replays > 10, "{replays} replays");
}

#[test]
fn dice_are_fair_enough() {
    let mut dice = Dice::new(7);
    let mut counts = [0u32; 6];
    for _ in 0..6_000 {
        counts[dice.below(6)] += 1;
    }
    assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
    assert_eq!(dice.below(0), 0);
    assert_eq!(dice.below(1), 0);
}

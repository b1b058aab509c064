//! Probes against searches that visit everything, and both in turns.

use crate::toys::{Table, follow, naive, random_claim, random_terminal_claim};
use volvelle_control::{Control, Limits, Stop};
use volvelle_random::Random;
use volvelle_search::probe::{self, Found, Goal, Options};
use volvelle_search::{Order, Outcome, Report, Turns, bfs, liveness, prefix};

fn options<'a>(goal: Goal<'a>, order: Order, turns: &'a Turns) -> Options<'a> {
    Options {
        goal,
        order,
        reduce: false,
        max_depth: None,
        max_visits: None,
        longest_trail: usize::MAX,
        listed: 50,
        turns,
        visited: 0,
    }
}

fn probe(table: &Table, goal: Goal<'_>, order: Order) -> Found {
    let turns = Turns::of_probe_alone();
    probe::search(table, &options(goal, order, &turns), &Control::unlimited())
}

#[test]
fn a_probe_finds_an_error_exactly_where_there_is_one() {
    let mut random = Random(1);
    for round in 0..600 {
        let nodes = 1 + random.below(60);
        let faulty = [0, 2, 10][round % 3];
        let transient = random.below(40);
        let table = Table::random(&mut random, nodes, transient, faulty);
        let expected = naive(&table, true);
        for order in [Order::Descending, Order::Ascending, Order::Shuffled(round as u64)] {
            let found = probe(&table, Goal::Errors, order).report;
            if expected.errors.is_empty() {
                assert_eq!((found.outcome, found.states), (Outcome::Complete, expected.states), "{round}");
                continue;
            }
            assert_eq!(found.outcome, Outcome::Failed, "{round}");
            let fault = &found.faults[0];
            let path = follow(&table, fault.trail.as_ref().unwrap());
            let errs = |node: usize| table.errors[node].iter().any(|&(_, site)| site == fault.site);
            // The last step of a trail may be the one that fails.
            assert!(path.iter().rev().take(2).any(|&node| errs(node)), "{round}: {path:?}");
        }
    }
}

#[test]
fn a_probe_finds_the_beginnings_and_cycles_that_other_searches_find() {
    let mut random = Random(2);
    let mut found_some = [0; 4];
    for round in 0..800 {
        let nodes = 1 + random.below(30);
        let transient = random.below(30);
        let mut table = Table::random(&mut random, nodes, transient, 0);
        table.room = usize::MAX;
        table.mark(&mut random, 6);
        let claim = random_terminal_claim(&mut random);
        let whole =
            prefix::Options { claim: &claim, reduce: false, max_depth: None, listing: Default::default() };
        let expected = prefix::search(&table, &whole, &Control::unlimited());
        let found = probe(&table, Goal::Beginnings(&claim), Order::Descending).report;
        assert_eq!(found.outcome, expected.outcome, "{round}");
        for fault in &found.faults {
            follow(&table, fault.trail.as_ref().unwrap());
            found_some[0] += 1;
        }
        let claim = random_claim(&mut random);
        let goals = [liveness::Goal::Claim(&claim), liveness::Goal::Acceptance, liveness::Goal::NonProgress];
        for (number, goal) in goals.into_iter().enumerate() {
            let whole = liveness::Options {
                goal,
                weak_fairness: false,
                reduce: false,
                max_depth: None,
                any_lasso: false,
                listing: Default::default(),
            };
            let expected = liveness::search(&table, &whole, &Control::unlimited());
            let found = probe(&table, Goal::Cycles(goal), Order::Descending);
            assert_eq!(found.report.outcome, expected.report.outcome, "{round} {number}");
            let Some(lasso) = found.lasso else { continue };
            found_some[1 + number] += 1;
            let trail = &lasso.trail;
            assert_eq!(trail.states[lasso.cycle], *trail.states.last().unwrap(), "{round} {number}");
            assert!(lasso.cycle < trail.steps.len());
            assert_eq!(lasso.claim.len(), trail.states.len());
            assert_eq!(lasso.claim[lasso.cycle], *lasso.claim.last().unwrap());
        }
    }
    assert!(found_some.iter().all(|&n| n > 50), "{found_some:?}");
}

#[test]
fn a_bounded_probe_finds_exactly_what_is_not_too_deep() {
    let mut random = Random(4);
    let mut found_some = [0; 2];
    for round in 0..500 {
        let nodes = 1 + random.below(60);
        let transient = random.below(30);
        let mut table = Table::random(&mut random, nodes, transient, [0, 2, 10][round % 3]);
        table.room = usize::MAX;
        let turns = Turns::of_probe_alone();
        let least = |report: &Report| report.faults.iter().map(|fault| fault.depth).min();
        let claim = random_terminal_claim(&mut random);
        let whole =
            prefix::Options { claim: &claim, reduce: false, max_depth: None, listing: Default::default() };
        let control = Control::unlimited();
        let expected = [
            (Goal::Errors, least(&bfs::search(&table, &bfs::Options::default(), &control))),
            (Goal::Beginnings(&claim), least(&prefix::search(&table, &whole, &control))),
        ];
        for (number, (goal, depth)) in expected.into_iter().enumerate() {
            for most in 0..12 {
                let order = if most % 2 == 0 { Order::Descending } else { Order::Shuffled(round as u64) };
                let options = Options { max_depth: Some(most), ..options(goal, order, &turns) };
                let found = probe::search(&table, &options, &control).report;
                let is_near = depth.is_some_and(|depth| depth <= most);
                assert_eq!(
                    found.outcome == Outcome::Failed,
                    is_near,
                    "{round} {number}: {most} of {depth:?}"
                );
                for fault in &found.faults {
                    assert!(fault.depth <= most, "{round} {number}");
                    follow(&table, fault.trail.as_ref().unwrap());
                    found_some[number] += 1;
                }
            }
        }
    }
    assert!(found_some.iter().all(|&n| n > 500), "{found_some:?}");
}

/// A chain of nodes with an error at its end.
fn chain(nodes: usize) -> Table {
    let mut table = Table::new(nodes, 2);
    for node in 0..nodes - 1 {
        table.edges[node].push((node + 1, node as u32));
    }
    table.errors[nodes - 1].push((None, 3));
    table
}

#[test]
fn long_trails_have_a_gap() {
    let table = chain(1000);
    let turns = Turns::of_probe_alone();
    let options = Options { longest_trail: 100, ..options(Goal::Errors, Order::Descending, &turns) };
    let found = probe::search(&table, &options, &Control::unlimited());
    let fault = &found.report.faults[0];
    let trail = fault.trail.as_ref().unwrap();
    let gap = trail.gap.unwrap();
    assert_eq!((fault.depth, gap.at), (999, 49));
    assert_eq!(trail.steps.len() as u64 - 1 + gap.steps, 999);
    assert_eq!(trail.states[49], table.code(49));
    assert_eq!(trail.states[50], table.code(950));
    assert_eq!(*trail.states.last().unwrap(), table.code(999));
}

/// Both in turns: the report of the winner.
fn in_turns(table: &Table, threads: usize) -> (bool, Report) {
    let control = Control { threads, ..Control::unlimited() };
    let turns = Turns::new(8, threads);
    std::thread::scope(|scope| {
        let probing = scope.spawn(|| {
            let found = probe::search(table, &options(Goal::Errors, Order::Descending, &turns), &control);
            let wins = found.report.outcome == Outcome::Failed && turns.probe_found();
            turns.probe_is_over();
            wins.then_some(found.report)
        });
        let report = bfs::search_in_turns(table, &bfs::Options::default(), Some(&turns), &control);
        turns.main_is_over();
        match probing.join().unwrap() {
            Some(report) => (true, report),
            None => (false, report),
        }
    })
}

#[test]
fn the_answer_of_both_is_the_same_for_any_number_of_threads() {
    let mut random = Random(3);
    let mut wins = 0;
    for round in 0..200 {
        let nodes = 50 + random.below(3000);
        let mut table = Table::random(&mut random, nodes, 10, 0);
        if round % 4 != 0 {
            for _ in 0..1 + random.below(3) {
                let node = random.below(nodes);
                table.errors[node].push((None, 1));
            }
        }
        let (probed, expected) = in_turns(&table, 1);
        wins += usize::from(probed);
        assert_eq!(expected.outcome == Outcome::Failed, !naive(&table, true).errors.is_empty(), "{round}");
        for threads in [2, 3] {
            let (also, found) = in_turns(&table, threads);
            assert_eq!(probed, also, "{round}");
            assert_eq!((&expected.faults, expected.outcome), (&found.faults, found.outcome), "{round}");
            if !probed {
                assert_eq!(
                    (expected.states, expected.transitions),
                    (found.states, found.transitions),
                    "{round}"
                );
            }
        }
    }
    assert!(wins > 5, "{wins}");
}

/// Beside a main search a probe holds a quarter of what is allowed, and counts as held by both.
#[test]
fn a_probe_takes_its_share_of_the_memory() {
    let table = chain(60_000);
    let limits = Limits { memory_bytes: Some(4 << 20), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let turns = Turns::of_probe_alone();
    let whole = probe(&table, Goal::Errors, Order::Descending).report;
    let again =
        probe::search(&table, &options(Goal::Errors, Order::Descending, &turns), &Control::unlimited());
    assert_eq!(again.report, whole);
    assert_eq!(whole.outcome, Outcome::Failed);
    assert!(whole.bytes > 1 << 20 && turns.held_by_probe() > 0, "{}", whole.bytes);
    // The main search has begun the next turn, so the probe may continue.
    let turns = Turns::new(1 << 20, 2);
    assert!(turns.main_goes_on((1 << 20) + 1));
    let part = probe::search(&table, &options(Goal::Errors, Order::Descending, &turns), &control).report;
    assert_eq!(part.outcome, Outcome::Stopped(Stop::Memory));
    assert!(part.bytes <= 1 << 20, "{}", part.bytes);
    assert_eq!(turns.held_by_probe(), 0);
    turns.probe_is_over();
    // What the probe holds, the main search may not.
    let alone = bfs::search_in_turns(&table, &bfs::Options::default(), Some(&turns), &control);
    turns.probe_holds(alone.bytes);
    assert_eq!(alone.outcome, Outcome::Failed);
    let limits = Limits { memory_bytes: Some(alone.bytes * 3 / 2), ..limits };
    let control = Control { limits, ..control };
    let beside = bfs::search_in_turns(&table, &bfs::Options::default(), Some(&turns), &control);
    assert_eq!(beside.outcome, Outcome::Stopped(Stop::Memory));
}

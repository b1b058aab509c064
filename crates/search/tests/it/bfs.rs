//! Breadth-first search against a search with a map, on random graphs, for several numbers of threads.

use crate::toys::{Table, follow, naive};
use volvelle_control::{Control, Limits, Stop};
use volvelle_random::Random;
use volvelle_search::bfs::{Options, search};
use volvelle_search::{Outcome, Report, System};

fn with_threads(threads: usize) -> Control<'static> {
    Control { threads, ..Control::unlimited() }
}

/// A report agrees with the naive search, and its trails with the graph.
fn check(table: &Table, report: &Report, all_errors: bool, case: u64) {
    let expected = naive(table, all_errors);
    let failed = !expected.errors.is_empty() && !all_errors;
    assert_eq!(report.outcome, if failed { Outcome::Failed } else { Outcome::Complete }, "case {case}");
    let found = (report.states, report.transitions, report.steps, report.depth);
    assert_eq!(
        found,
        (expected.states, expected.transitions, expected.steps, expected.depth),
        "case {case}: {table:?}"
    );
    let sites: Vec<(u32, u64)> = report.faults.iter().map(|fault| (fault.site, fault.depth)).collect();
    if all_errors {
        let mut sites = sites;
        sites.sort_unstable();
        assert_eq!(sites, expected.errors.into_iter().collect::<Vec<_>>(), "case {case}");
    } else if failed {
        assert_eq!(sites.len(), 1);
        assert_eq!(expected.errors.get(&sites[0].0), Some(&sites[0].1), "case {case}");
        assert_eq!(expected.errors.values().min(), Some(&sites[0].1), "case {case}");
    }
    for fault in &report.faults {
        let trail = fault.trail.as_ref().expect("nothing interrupted the search for it");
        let nodes = follow(table, trail);
        let stored = |nodes: &[usize]| nodes.iter().filter(|&&node| !table.transient[node]).count() as u64;
        let (at, edge) = if fault.went_on {
            let at = nodes[nodes.len() - 2];
            assert_eq!(stored(&nodes[..nodes.len() - 1]), fault.depth + 1, "case {case}");
            (at, table.edges[at].iter().position(|&edge| edge == (nodes[nodes.len() - 1], fault.step)))
        } else {
            assert_eq!(stored(&nodes), fault.depth + 1, "case {case}");
            (nodes[nodes.len() - 1], None)
        };
        let errors = &table.errors[at];
        assert!(errors.iter().any(|&(e, site)| site == fault.site && e.is_some() == edge.is_some()));
    }
}

#[test]
fn random_graphs_for_any_number_of_threads() {
    for case in 0..400 {
        let mut random = Random(case);
        let nodes = if case % 20 == 0 { 3000 } else { 2 + random.below(120) };
        let faulty = random.below(3);
        let transient = random.below(4) * 20;
        let table = Table::random(&mut random, nodes, transient, faulty);
        for all_errors in [false, true] {
            let options = Options { all_errors, ..Options::default() };
            let one = search(&table, &options, &with_threads(1));
            check(&table, &one, all_errors, case);
            for threads in [2, 4] {
                let mut several = search(&table, &options, &with_threads(threads));
                // Blocks of numbers for several workers take other amounts of memory.
                several.bytes = one.bytes;
                assert_eq!(several, one, "case {case}, {threads} threads");
            }
        }
    }
}

/// A grid of counters: wide levels, so that all workers take part and the set grows under them.
#[test]
fn a_grid_has_its_states_and_steps() {
    let side = 40usize;
    let mut table = Table::new(side * side * side, 3);
    for node in 0..side * side * side {
        for (digit, step) in [(1, 0), (side, 1), (side * side, 2)] {
            if node / digit % side + 1 < side {
                table.edges[node].push((node + digit, step));
            }
        }
    }
    for threads in [1, 2, 4] {
        let report = search(&table, &Options::default(), &with_threads(threads));
        assert_eq!(report.outcome, Outcome::Complete);
        assert_eq!(report.states, (side * side * side) as u64);
        assert_eq!(report.transitions, (3 * side * side * (side - 1)) as u64);
        assert_eq!(report.depth, 3 * (side as u64 - 1));
    }
}

#[test]
fn atomic_loops_come_to_an_end() {
    // 0 → 1 ⇄ 2, both atomic; 2 → 3.
    let mut table = Table::new(4, 2);
    table.transient = vec![false, true, true, false];
    table.edges = vec![vec![(1, 10)], vec![(2, 11)], vec![(1, 12), (3, 13)], vec![]];
    table.errors[3].push((None, 5));
    let report = search(&table, &Options::default(), &with_threads(1));
    assert_eq!((report.states, report.transitions, report.steps), (2, 1, 4));
    let trail = report.faults[0].trail.as_ref().expect("there is a trail");
    assert_eq!(trail.steps, [10, 11, 13]);
    assert_eq!(report.faults[0].depth, 1);
}

#[test]
fn limits_end_the_search() {
    let mut random = Random(5);
    let mut table = Table::new(20_000, 4);
    for node in 0..20_000 {
        table.edges[node] = (0..2).map(|step| (random.below(20_000), step)).collect();
    }
    let limited = |limits: Limits| {
        let control = Control { limits, ..with_threads(2) };
        search(&table, &Options::default(), &control)
    };
    let report = limited(Limits { states: Some(500), ..Limits::default() });
    assert_eq!(report.outcome, Outcome::Stopped(Stop::States));
    assert!(report.states > 500 && report.states < 20_000, "{}", report.states);
    let report = limited(Limits { memory_bytes: Some(50_000), ..Limits::default() });
    assert_eq!(report.outcome, Outcome::Stopped(Stop::Memory));
    // Noticed at the end of a run of states.
    assert!(report.bytes <= 100_000 && report.states > 10, "{report:?}");
    let report = limited(Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() });
    assert_eq!(report.outcome, Outcome::Stopped(Stop::Timeout));
}

#[test]
fn a_depth_may_be_given() {
    let mut table = Table::new(100, 1);
    for node in 0..99 {
        table.edges[node].push((node + 1, 0));
    }
    let options = Options { max_depth: Some(10), ..Options::default() };
    let report = search(&table, &options, &with_threads(1));
    assert_eq!((report.states, report.transitions, report.depth), (11, 10, 10));
}

#[test]
fn lack_of_room_is_told() {
    let mut random = Random(9);
    let mut table = Table::random(&mut random, 500, 30, 0);
    let node = table.edges[0].first().map_or(0, |edge| edge.0);
    table.cramped = Some(node);
    for threads in [1, 4] {
        let report = search(&table, &Options::default(), &with_threads(threads));
        assert_eq!(report.outcome, Outcome::LayoutOverflow { code: node as u32 });
    }
}

#[test]
fn no_initial_state_no_search() {
    let mut table = Table::new(3, 2);
    table.initial.clear();
    assert!(table.initial().is_empty());
    let report = search(&table, &Options::default(), &with_threads(2));
    assert_eq!((report.outcome, report.states, report.depth), (Outcome::Complete, 0, 0));
}

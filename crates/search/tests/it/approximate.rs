//! Searches that may overlook states, against exhaustive ones.

use crate::toys::{Table, follow, naive};
use volvelle_control::{Control, Limits, Stop};
use volvelle_random::Random;
use volvelle_search::approximate::swarm;
use volvelle_search::approximate::{Estimate, Memory, Options, search};
use volvelle_search::{Outcome, Report};

fn run(table: &Table, memory: Memory, all_errors: bool) -> (Report, Estimate) {
    let options = Options { memory, all_errors, max_depth: None, reduce: false };
    search(table, &options, &Control::unlimited())
}

/// With enough memory nothing is overlooked.
#[test]
fn small_graphs_are_searched_completely() {
    let mut random = Random(12);
    let mut failed = 0;
    for case in 0..300 {
        let (nodes, transient) = (2 + random.below(60), random.below(3) * 20);
        let table = Table::random(&mut random, nodes, transient, 4);
        let expected = naive(&table, true);
        for memory in [Memory::Fingerprints, Memory::Bits { bits: 1 << 24, functions: 3 }] {
            let (report, estimate) = run(&table, memory, true);
            assert_eq!(report.outcome, Outcome::Complete);
            assert_eq!(report.states, expected.states, "case {case}");
            assert_eq!(report.transitions, expected.transitions, "case {case}");
            assert_eq!(report.steps, expected.steps, "case {case}");
            assert!(estimate.omission < 1e-9 && !estimate.is_bounded);
            let mut sites: Vec<u32> = report.faults.iter().map(|fault| fault.site).collect();
            sites.sort_unstable();
            assert!(sites.iter().eq(expected.errors.keys()), "case {case}");
            for fault in &report.faults {
                follow(&table, fault.trail.as_ref().expect("there is a trail"));
            }
            let (first, _) = run(&table, memory, false);
            failed += usize::from(first.outcome == Outcome::Failed);
            assert_eq!(first.outcome == Outcome::Failed, !expected.errors.is_empty());
            assert_eq!(first.faults.len(), usize::from(first.outcome == Outcome::Failed));
        }
    }
    assert!((100..550).contains(&failed), "both answers occur: {failed}");
}

/// A ladder of nodes; every second one can be left out.
fn ladder(nodes: usize) -> Table {
    let mut table = Table::new(nodes, 2);
    for node in 0..nodes - 2 {
        table.edges[node] = vec![(node + 1, 0), (node + 2, 1), ((node * 7 + 3) % nodes, 2)];
    }
    table
}

/// The estimated omission is near the real one.
#[test]
fn omissions_are_estimated() {
    let table = ladder(40_000);
    for (log_bits, functions) in [(18, 3), (17, 2), (16, 1)] {
        let (report, estimate) = run(&table, Memory::Bits { bits: 1 << log_bits, functions }, false);
        let truth = 1.0 - report.states as f64 / 40_000.0;
        let message = format!("2^{log_bits} bits: {} for {truth}", estimate.omission);
        assert!((estimate.omission - truth).abs() < 0.3 * truth + 0.01, "{message}");
        assert!(truth > 0.0, "{message}");
    }
}

#[test]
fn a_swarm_sees_more_than_each_of_its_searches() {
    let mut table = ladder(20_000);
    table.errors[19_998].push((None, 3));
    for threads in [1, 3] {
        let control = Control { threads, ..Control::unlimited() };
        let mut options = swarm::Options {
            bits: 1 << 14,
            functions: 1,
            searches: 1,
            seed: 5,
            all_errors: true,
            max_depth: None,
            reduce: false,
        };
        let (one, estimate) = swarm::search(&table, &options, &control);
        assert_eq!((one.outcome, estimate.searches), (Outcome::Complete, 1));
        options.searches = 40;
        let (many, estimate) = swarm::search(&table, &options, &control);
        // It ends before where nothing new is to be expected.
        assert!((8..=40).contains(&estimate.searches));
        assert!(many.states > one.states && many.states < 21_000, "{} then {}", one.states, many.states);
        let truth = 1.0 - many.states as f64 / 20_000.0;
        assert!((estimate.omission - truth).abs() < 0.15, "{} for {truth}", estimate.omission);
        for fault in &many.faults {
            follow(&table, fault.trail.as_ref().expect("there is a trail"));
        }
        options.all_errors = false;
        options.bits = 1 << 20;
        let (failed, _) = swarm::search(&table, &options, &control);
        assert_eq!(failed.outcome, Outcome::Failed);
        assert_eq!(failed.faults.len(), 1);
    }
}

#[test]
fn depths_and_limits() {
    let table = ladder(5000);
    let control = Control::unlimited();
    let options =
        Options { memory: Memory::Fingerprints, all_errors: false, max_depth: Some(10), reduce: false };
    let (report, estimate) = search(&table, &options, &control);
    assert_eq!((report.outcome, report.depth), (Outcome::Complete, 10));
    assert!(estimate.is_bounded && report.states < 5000);
    let limits = Limits { states: Some(1000), ..Limits::default() };
    let unbounded = Options { max_depth: None, ..options };
    let (report, _) = search(&table, &unbounded, &Control { limits, ..Control::unlimited() });
    assert_eq!(report.outcome, Outcome::Stopped(Stop::States));
    let limits = Limits { memory_bytes: Some(1000), ..Limits::default() };
    let bits = Options { memory: Memory::Bits { bits: 1 << 20, functions: 2 }, ..unbounded };
    let (report, _) = search(&table, &bits, &Control { limits, ..Control::unlimited() });
    assert_eq!(report.outcome, Outcome::Stopped(Stop::Memory));
    let mut cramped = table;
    cramped.cramped = Some(70);
    let (report, _) = search(&cramped, &unbounded, &control);
    assert_eq!(report.outcome, Outcome::LayoutOverflow { code: 70 });
}

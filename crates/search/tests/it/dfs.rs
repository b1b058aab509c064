//! Depth-first search: the same states and errors as breadth first, trails in the order of the expander.

use crate::toys::{Table, follow, naive};
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_search::dfs::{Options, search};
use volvelle_search::{Outcome, bfs};

#[test]
fn random_graphs() {
    for case in 0..300 {
        let mut random = Random(case);
        let nodes = 2 + random.below(150);
        let faulty = random.below(3);
        let transient = random.below(4) * 20;
        let table = Table::random(&mut random, nodes, transient, faulty);
        let control = Control::unlimited();
        let report = search(&table, &Options { all_errors: true, ..Options::default() }, &control);
        let expected = naive(&table, true);
        assert_eq!(report.outcome, Outcome::Complete);
        let found = (report.states, report.transitions, report.steps);
        assert_eq!(found, (expected.states, expected.transitions, expected.steps), "case {case}");
        let mut sites: Vec<u32> = report.faults.iter().map(|fault| fault.site).collect();
        sites.sort_unstable();
        assert_eq!(sites, expected.errors.keys().copied().collect::<Vec<_>>());
        for fault in &report.faults {
            let trail = fault.trail.as_ref().expect("the stack is there");
            let nodes = follow(&table, trail);
            let source = nodes.len() - 1 - usize::from(fault.went_on);
            let stored = nodes[..=source].iter().filter(|&&node| !table.transient[node]).count() as u64;
            assert_eq!(stored, fault.depth + 1);
            assert!(table.errors[nodes[source]].iter().any(|&(_, site)| site == fault.site));
            assert!(fault.depth >= expected.errors[&fault.site], "breadth first is shortest");
        }
        let first = search(&table, &Options::default(), &control);
        if expected.errors.is_empty() {
            assert_eq!(first, report);
        } else {
            assert_eq!(first.outcome, Outcome::Failed);
            assert_eq!(first.faults, report.faults[..1], "the first error is the first of all");
        }
    }
}

#[test]
fn depth_may_be_bounded_and_need_not_be() {
    let count = 300_000;
    let mut table = Table::new(count, 2);
    for node in 0..count - 1 {
        table.edges[node].push((node + 1, 1));
    }
    let control = Control::unlimited();
    let report = search(&table, &Options::default(), &control);
    assert_eq!((report.states, report.depth), (count as u64, count as u64 - 1));
    let options = Options { max_depth: Some(10), ..Options::default() };
    let report = search(&table, &options, &control);
    assert_eq!((report.outcome, report.states, report.depth), (Outcome::Complete, 11, 10));
    let bounded = bfs::Options { max_depth: Some(10), ..bfs::Options::default() };
    assert_eq!(bfs::search(&table, &bounded, &control).states, 11);
}

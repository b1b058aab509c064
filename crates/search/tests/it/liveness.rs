//! Cycles against a naive search of strongly connected components, on random graphs with random claims.

use crate::toys::{self, Table, random_claim, random_terminal_claim, unfold_first};
use std::collections::{BTreeSet, HashMap};
use volvelle_control::{Control, Limits, Stop};
use volvelle_random::Random;
use volvelle_search::liveness::{Goal, Lasso, Options, STUTTER, Verdict, search};
use volvelle_search::prefix;
use volvelle_search::{ACCEPTING, Claim, ClaimEdge, Outcome, System};

/// A node of the product without counters, and its edges: target and the processes that the step moves.
type Node = (usize, u32);

struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Vec<(usize, Option<u32>)>>,
    accepting: Vec<bool>,
    /// Processes that have a step.
    enabled: Vec<BTreeSet<u32>>,
}

/// The product, by hand.
fn product(table: &Table, claim: &Claim, accepting_states: bool, stutter: bool) -> Graph {
    let mut numbers: HashMap<Node, usize> = HashMap::new();
    let mut graph =
        Graph { nodes: Vec::new(), edges: Vec::new(), accepting: Vec::new(), enabled: Vec::new() };
    let mut queue: Vec<Node> = table.initial.iter().map(|&node| (node, claim.initial)).collect();
    for &node in &queue {
        numbers.entry(node).or_insert_with(|| {
            graph.nodes.push(node);
            graph.nodes.len() - 1
        });
    }
    queue.clear();
    let mut at = 0;
    while at < graph.nodes.len() {
        let (node, state) = graph.nodes[at];
        let claim_state = &claim.states[state as usize];
        let observation = table.observations[node];
        let marked = accepting_states && observation & ACCEPTING != 0;
        graph.accepting.push(claim_state.accepting || marked);
        graph.enabled.push(table.edges[node].iter().map(|&(_, step)| table.process_of(step)).collect());
        let mut edges = Vec::new();
        for edge in &claim_state.edges {
            if observation & edge.must != edge.must || observation & edge.must_not != 0 {
                continue;
            }
            let mut targets: Vec<(usize, Option<u32>)> = unfold_first(table, node)
                .into_iter()
                .map(|(target, step)| (target, Some(table.process_of(step))))
                .collect();
            if table.edges[node].is_empty() && stutter {
                targets.push((node, None));
            }
            for (target, process) in targets {
                let target = (target, edge.target);
                let fresh = graph.nodes.len();
                let number = *numbers.entry(target).or_insert(fresh);
                if number == fresh {
                    graph.nodes.push(target);
                }
                edges.push((number, process));
            }
        }
        graph.edges.push(edges);
        at += 1;
    }
    graph
}

/// Which nodes each node reaches by a step or more.
fn reach(graph: &Graph) -> Vec<Vec<bool>> {
    let count = graph.nodes.len();
    (0..count)
        .map(|node| {
            let mut seen = vec![false; count];
            let mut stack = vec![node];
            while let Some(node) = stack.pop() {
                for &(target, _) in &graph.edges[node] {
                    if !std::mem::replace(&mut seen[target], true) {
                        stack.push(target);
                    }
                }
            }
            seen
        })
        .collect()
}

/// Whether there is an accepting cycle, under weak fairness of the given number of processes.
fn has_cycle(graph: &Graph, processes: Option<usize>) -> bool {
    let reach = reach(graph);
    (0..graph.nodes.len()).filter(|&node| graph.accepting[node] && reach[node][node]).any(|seed| {
        let component: Vec<usize> =
            (0..graph.nodes.len()).filter(|&node| reach[seed][node] && reach[node][seed]).collect();
        (0..processes.unwrap_or(0) as u32).all(|process| {
            component.iter().any(|&node| {
                let moves = |&(target, by): &(usize, Option<u32>)| by == Some(process) && reach[target][seed];
                !graph.enabled[node].contains(&process) || graph.edges[node].iter().any(moves)
            })
        })
    })
}

/// A lasso is a run of the table and the claim, with an accepting state in its cycle.
fn check_lasso(table: &Table, claim: &Claim, accepting_states: bool, lasso: &Lasso, fair: bool) {
    let nodes = table.nodes();
    let path: Vec<usize> = lasso.trail.states.iter().map(|state| nodes[state]).collect();
    assert!(table.initial.contains(&path[0]));
    assert_eq!(lasso.claim[0], claim.initial);
    assert_eq!(path.len(), lasso.trail.steps.len() + 1);
    assert_eq!(path.len(), lasso.claim.len());
    assert!(lasso.cycle < path.len() - 1, "a cycle has a step");
    assert_eq!(path[lasso.cycle], path[path.len() - 1]);
    assert_eq!(lasso.claim[lasso.cycle], lasso.claim[path.len() - 1]);
    let mut accepting = false;
    let mut satisfied = BTreeSet::new();
    let mut source = path[0];
    let mut first_step = None;
    for (at, &step) in lasso.trail.steps.iter().enumerate() {
        if step == STUTTER {
            assert!(table.edges[path[at]].is_empty() && path[at] == path[at + 1]);
        } else {
            assert!(table.edges[path[at]].contains(&(path[at + 1], step)));
        }
        if !table.transient[path[at]] {
            source = path[at];
            first_step = Some(step);
            let marked = accepting_states && table.observations[source] & ACCEPTING != 0;
            accepting |= at >= lasso.cycle && (marked || claim.states[lasso.claim[at] as usize].accepting);
        }
        if table.transient[path[at + 1]] {
            assert_eq!(lasso.claim[at], lasso.claim[at + 1]);
            continue;
        }
        let edges = &claim.states[lasso.claim[at] as usize].edges;
        let enabled = |edge: &&ClaimEdge| edge.is_enabled(table.observations[source]);
        assert!(edges.iter().filter(enabled).any(|edge| edge.target == lasso.claim[at + 1]));
        if at >= lasso.cycle {
            for process in 0..table.processes as u32 {
                let is = |step: u32| step != STUTTER && table.process_of(step) == process;
                let is_enabled = table.edges[source].iter().any(|&(_, step)| is(step));
                if !is_enabled || first_step.is_some_and(is) {
                    satisfied.insert(process);
                }
            }
        }
    }
    assert!(accepting, "the cycle is accepting");
    assert!(!fair || satisfied.len() == table.processes, "the cycle is fair");
}

fn run(table: &Table, goal: Goal<'_>, fair: bool, threads: usize) -> Verdict {
    let options = Options {
        goal,
        weak_fairness: fair,
        reduce: false,
        max_depth: None,
        any_lasso: false,
        listing: Default::default(),
    };
    search(table, &options, &Control { threads, ..Control::unlimited() })
}

#[test]
fn random_products() {
    let mut cycles = [0; 6];
    for case in 0..600 {
        let mut random = Random(case + 1);
        let nodes = 2 + random.below(25);
        let transient = random.below(3) * 20;
        let mut table = Table::random(&mut random, nodes, transient, 0);
        table.mark(&mut random, 6);
        let claim = random_claim(&mut random);
        let (anything, non_progress) = (Claim::anything(), Claim::non_progress());
        let goals = [
            (Goal::Claim(&claim), &claim, true, true),
            (Goal::Acceptance, &anything, true, true),
            (Goal::NonProgress, &non_progress, false, false),
        ];
        for (which, (goal, claim, accepting_states, stutter)) in goals.into_iter().enumerate() {
            let graph = product(&table, claim, accepting_states, stutter);
            for fair in [false, true] {
                let expected = has_cycle(&graph, fair.then_some(table.processes));
                cycles[2 * which + usize::from(fair)] += usize::from(expected);
                let one = run(&table, goal, fair, 1);
                let outcome = if expected { Outcome::Failed } else { Outcome::Complete };
                assert_eq!(one.report.outcome, outcome, "case {case}, {goal:?}, fair {fair}: {table:?}");
                assert_eq!(one.lasso.is_some(), expected);
                if let Some(lasso) = &one.lasso {
                    check_lasso(&table, claim, accepting_states, lasso, fair);
                    // Each of its states was expanded, those that were on the stack at the end included.
                    let steps = if transient == 0 { lasso.trail.steps.len() as u64 } else { 1 };
                    assert!(one.report.transitions >= steps, "case {case}: {:?}", one.report);
                } else if !fair {
                    let count = graph.nodes.len() as u64;
                    assert_eq!(one.report.states, count, "case {case}: all states were visited");
                    let edges: usize = graph.edges.iter().map(Vec::len).sum();
                    assert_eq!(one.report.transitions, edges as u64);
                }
                for threads in [2, 4] {
                    let several = run(&table, goal, fair, threads);
                    assert_eq!(several.report.outcome, outcome, "case {case}, {threads} threads");
                    assert_eq!(several.lasso, one.lasso, "case {case}, {threads} threads");
                    assert_eq!(several.report.states, one.report.states);
                    assert_eq!(several.report.transitions, one.report.transitions);
                }
            }
        }
    }
    assert!(cycles.iter().all(|&count| count > 40 && count < 560), "both answers occur: {cycles:?}");
}

/// Whatever cycle is found first, it is one.
#[test]
fn any_lasso_is_a_run() {
    for case in 0..100 {
        let mut random = Random(case);
        let mut table = Table::random(&mut random, 300, 20, 0);
        for observation in &mut table.observations {
            *observation |= if random.one_in(20) { ACCEPTING } else { 0 };
        }
        let options = Options {
            goal: Goal::Acceptance,
            weak_fairness: case % 2 == 0,
            reduce: false,
            max_depth: None,
            any_lasso: true,
            listing: Default::default(),
        };
        let verdict = search(&table, &options, &Control { threads: 4, ..Control::unlimited() });
        if let Some(lasso) = &verdict.lasso {
            check_lasso(&table, &Claim::anything(), true, lasso, options.weak_fairness);
        }
    }
}

/// A long way and a long cycle: stacks are on the heap.
#[test]
fn depth_has_no_bound() {
    let count = 200_000;
    let mut table = Table::new(count, 2);
    for node in 0..count {
        table.edges[node].push(((node + 1) % count, node as u32));
    }
    assert_eq!(run(&table, Goal::Acceptance, false, 1).report.outcome, Outcome::Complete);
    table.observations[count / 2] = ACCEPTING;
    let verdict = run(&table, Goal::Acceptance, false, 2);
    assert_eq!(verdict.report.outcome, Outcome::Failed);
    let lasso = verdict.lasso.expect("there is a cycle");
    assert_eq!((lasso.cycle, lasso.trail.steps.len()), (0, count));
}

#[test]
fn runs_that_end_stutter_for_claims_only() {
    let mut table = Table::new(2, 1);
    table.edges[0].push((1, 3));
    table.observations[1] = ACCEPTING;
    for fair in [false, true] {
        let verdict = run(&table, Goal::Acceptance, fair, 1);
        let lasso = verdict.lasso.expect("it stays in an accepting state");
        assert_eq!(lasso.trail.steps[..2], [3, STUTTER]);
        check_lasso(&table, &Claim::anything(), true, &lasso, fair);
    }
    assert_eq!(run(&table, Goal::NonProgress, false, 1).report.outcome, Outcome::Complete);
}

#[test]
fn limits_and_room() {
    let mut table = Table::new(5000, 2);
    for node in 0..4999 {
        table.edges[node] = vec![(node + 1, 0), (node / 2, 1)];
    }
    let options = Options {
        goal: Goal::Acceptance,
        weak_fairness: false,
        reduce: false,
        max_depth: None,
        any_lasso: false,
        listing: Default::default(),
    };
    let limits = Limits { states: Some(1000), ..Limits::default() };
    let verdict = search(&table, &options, &Control { limits, threads: 2, ..Control::unlimited() });
    assert_eq!(verdict.report.outcome, Outcome::Stopped(Stop::States));
    table.cramped = Some(4000);
    for threads in [1, 2] {
        let verdict = run(&table, Goal::Acceptance, false, threads);
        assert_eq!(verdict.report.outcome, Outcome::LayoutOverflow { code: 4000 });
    }
}

/// How many states of the product the shortest way to an accepting one has, besides the first and the last.
fn shortest(graph: &Graph, initial: usize) -> Option<usize> {
    let mut distance = vec![usize::MAX; graph.nodes.len()];
    let mut queue: std::collections::VecDeque<usize> = (0..initial).collect();
    queue.iter().for_each(|&node| distance[node] = 0);
    while let Some(node) = queue.pop_front() {
        if graph.accepting[node] {
            return Some(distance[node].saturating_sub(1));
        }
        for &(target, _) in &graph.edges[node] {
            if distance[target] == usize::MAX {
                distance[target] = distance[node] + 1;
                queue.push_back(target);
            }
        }
    }
    None
}

/// Beginnings decide as cycles do, and are as short as can be.
#[test]
fn beginnings_that_decide() {
    let mut accepted = 0;
    for case in 0..600 {
        let mut random = Random(case + 1);
        let (nodes, transient) = (2 + random.below(25), random.below(3) * 20);
        let mut table = Table::random(&mut random, nodes, transient, 0);
        table.initial.sort_unstable();
        table.initial.dedup();
        let claim = random_terminal_claim(&mut random);
        let graph = product(&table, &claim, false, true);
        // An atomic sequence without an end is not left: then nothing follows what is decided.
        let expected = shortest(&graph, table.initial.len());
        let cycle = run(&table, Goal::Claim(&claim), false, 1).report.outcome;
        let mut first = None;
        for threads in [1, 3] {
            let options = prefix::Options {
                claim: &claim,
                reduce: false,
                max_depth: None,
                listing: Default::default(),
            };
            let control = Control { threads, ..Control::unlimited() };
            let report = prefix::search(&table, &options, &control);
            if transient == 0 {
                assert_eq!(report.outcome, cycle, "case {case}: {table:?} {claim:?}");
                assert_eq!(report.faults.first().map(|f| f.depth as usize), expected, "case {case}");
            } else if cycle == Outcome::Failed {
                assert_eq!(report.outcome, cycle, "case {case}");
            }
            if let Some(fault) = report.faults.first() {
                accepted += 1;
                let trail = fault.trail.as_ref().expect("there is a trail");
                toys::follow(&table, trail);
                assert_eq!(*first.get_or_insert_with(|| trail.clone()), *trail);
            }
        }
    }
    assert!((200..1000).contains(&accepted), "both answers occur: {accepted}");
}

/// A lasso found within a depth bound is a run; finding none is no proof, and with enough depth the bound has no effect.
#[test]
fn depth_may_be_bounded() {
    let (mut missed, mut found) = (0, 0);
    for case in 0..300 {
        let mut random = Random(case);
        let nodes = 2 + random.below(60);
        let mut table = Table::random(&mut random, nodes, 0, 0);
        for observation in &mut table.observations {
            *observation = if random.one_in(4) { ACCEPTING } else { 0 };
        }
        let run = |max_depth, threads| {
            let options = Options {
                goal: Goal::Acceptance,
                weak_fairness: false,
                reduce: false,
                max_depth,
                any_lasso: false,
                listing: Default::default(),
            };
            search(&table, &options, &Control { threads, ..Control::unlimited() })
        };
        let all = run(None, 1);
        assert_eq!(run(Some(all.report.depth + 1), 1), all, "case {case}");
        for threads in [1, 3] {
            let most = 1 + random.below(12) as u64;
            let bounded = run(Some(most), threads);
            assert!(bounded.report.depth <= most);
            if let Some(lasso) = &bounded.lasso {
                assert!(all.lasso.is_some(), "case {case}");
                check_lasso(&table, &Claim::anything(), true, lasso, false);
                found += 1;
            } else if all.lasso.is_some() {
                assert_eq!(bounded.report.depth, most, "case {case}: something was cut");
                missed += 1;
            }
        }
    }
    assert!(missed > 5 && found > 50, "{missed} {found}");
}

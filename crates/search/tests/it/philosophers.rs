//! Dining philosophers, generated on the fly: deadlock, fairness, and what happens when a machine panics.

use std::collections::{HashSet, VecDeque};
use volvelle_control::Control;
use volvelle_search::liveness::{self, Goal};
use volvelle_search::{
    Claim, ClaimEdge, ClaimState, Exit, Expander, Outcome, PROGRESS, StepError, Successors, System,
    TRANSIENT, bfs,
};

/// Site of the error "no philosopher can move".
const DEADLOCK: u32 = 9;

/// Philosophers around a table: thinking (0), with the left fork (1), eating (2); a word each.
struct Philosophers {
    count: usize,
    /// One of them takes the right fork first.
    left_handed: bool,
    /// Forks are put back in two steps of an atomic sequence: state 3 is in between.
    atomic: bool,
    /// Panics in this state.
    trap: Option<Vec<u64>>,
}

impl Philosophers {
    fn new(count: usize) -> Self {
        Philosophers { count, left_handed: false, atomic: false, trap: None }
    }

    /// Whether a fork is taken: fork i lies to the left of philosopher i.
    fn is_taken(&self, state: &[u64], fork: usize) -> bool {
        let before = (fork + self.count - 1) % self.count;
        let (of_right, of_left) =
            (if self.is_swapped(fork) { 2 } else { 1 }, if self.is_swapped(before) { 1 } else { 2 });
        state[fork] >= of_right || state[before] >= of_left
    }

    fn is_swapped(&self, philosopher: usize) -> bool {
        self.left_handed && philosopher == 0
    }

    /// Steps: who moves, and to what.
    fn moves(&self, state: &[u64]) -> Vec<(usize, u64)> {
        if let Some(inside) = state.iter().position(|&s| s == 3) {
            return vec![(inside, 0)];
        }
        let fork = |p: usize, second: bool| (p + usize::from(second != self.is_swapped(p))) % self.count;
        (0..self.count)
            .filter_map(|p| match state[p] {
                0 => (!self.is_taken(state, fork(p, false))).then_some((p, 1)),
                1 => (!self.is_taken(state, fork(p, true))).then_some((p, 2)),
                _ => Some((p, if self.atomic { 3 } else { 0 })),
            })
            .collect()
    }
}

struct Machine<'a>(&'a Philosophers);

impl System for Philosophers {
    fn words(&self) -> usize {
        self.count
    }

    fn initial(&self) -> Vec<u64> {
        vec![0; self.count]
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine(self))
    }

    fn num_processes(&self) -> usize {
        self.count
    }

    fn process_of(&self, step: u32) -> u32 {
        step
    }
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        out.clear();
        for (source, state) in states.chunks_exact(self.0.count).enumerate() {
            assert!(self.0.trap.as_deref() != Some(state), "stepped into the trap");
            let moves = self.0.moves(state);
            for &(who, to) in &moves {
                let first = out.states.len();
                out.states.extend_from_slice(state);
                out.states[first + who] = to;
                out.steps.push(who as u32 | if to == 3 { TRANSIENT } else { 0 });
            }
            if moves.is_empty() {
                out.errors.push(StepError {
                    source: source as u32,
                    successor: None,
                    site: DEADLOCK,
                    step: 0,
                });
            }
            out.ends.push(out.steps.len() as u32);
            let eats = |p: usize| u64::from(state[p] == 2);
            let anybody = if state.contains(&2) { PROGRESS } else { 0 };
            out.observations.push(eats(0) | eats(1) << 1 | anybody);
        }
        Exit::Done
    }
}

/// States within reach, the stored ones only, with a set.
fn count(system: &Philosophers) -> usize {
    let initial = system.initial();
    let mut seen: HashSet<Vec<u64>> = HashSet::from([initial.clone()]);
    let mut queue = VecDeque::from([initial]);
    while let Some(state) = queue.pop_front() {
        for (who, to) in system.moves(&state) {
            let mut next = state.clone();
            next[who] = to;
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen.iter().filter(|state| !state.contains(&3)).count()
}

fn with_threads(threads: usize) -> Control<'static> {
    Control { threads, ..Control::unlimited() }
}

#[test]
fn all_take_their_left_fork() {
    for (threads, atomic) in [(1, false), (2, true), (4, false)] {
        let system = Philosophers { atomic, ..Philosophers::new(7) };
        let options = bfs::Options { all_errors: true, ..bfs::Options::default() };
        let report = bfs::search(&system, &options, &with_threads(threads));
        assert_eq!(report.states, count(&system) as u64);
        assert_eq!(report.faults.len(), 1);
        let fault = &report.faults[0];
        assert_eq!((fault.site, fault.depth), (DEADLOCK, 7));
        let trail = fault.trail.as_ref().expect("there is a trail");
        assert_eq!(trail.states[7], vec![1; 7]);
        let mut who = trail.steps.clone();
        who.sort_unstable();
        assert_eq!(who, (0..7).collect::<Vec<u32>>());
    }
}

#[test]
fn a_left_handed_one_breaks_the_ring() {
    let system = Philosophers { left_handed: true, ..Philosophers::new(7) };
    let report = bfs::search(&system, &bfs::Options::default(), &with_threads(2));
    assert_eq!(report.outcome, Outcome::Complete);
    assert_eq!(report.states, count(&system) as u64);
}

/// From some moment on, all observations are so.
fn forever(must: u64, must_not: u64) -> Claim {
    let begin = ClaimEdge { must, must_not, target: 1 };
    Claim {
        states: vec![
            ClaimState { accepting: false, edges: vec![ClaimEdge::default(), begin] },
            ClaimState { accepting: true, edges: vec![begin] },
        ],
        initial: 0,
    }
}

#[test]
fn starvation_and_fairness() {
    let system = Philosophers { left_handed: true, ..Philosophers::new(4) };
    let run = |goal: Goal<'_>, weak_fairness: bool, threads: usize| {
        let options = liveness::Options {
            goal,
            weak_fairness,
            reduce: false,
            max_depth: None,
            any_lasso: false,
            listing: Default::default(),
        };
        liveness::search(&system, &options, &with_threads(threads))
    };
    let (starves, never_leaves) = (forever(0, 2), forever(2, 0));
    for threads in [1, 3] {
        // The neighbours of philosopher 1 may take their forks in turns: fair, and sad.
        for weak_fairness in [false, true] {
            let lasso = run(Goal::Claim(&starves), weak_fairness, threads).lasso.expect("it may starve");
            let cycle = &lasso.trail.states[lasso.cycle..];
            assert!(cycle.iter().all(|state| state[1] != 2));
            assert!(!weak_fairness || cycle.iter().any(|state| state[0] == 2 || state[2] == 2));
        }
        // Whoever eats can stop: to eat forever is unfair to oneself.
        assert!(run(Goal::Claim(&never_leaves), false, threads).lasso.is_some());
        assert_eq!(run(Goal::Claim(&never_leaves), true, threads).report.outcome, Outcome::Complete);
        // Some philosopher eats infinitely often, if there is no deadlock.
        assert_eq!(run(Goal::NonProgress, false, threads).report.outcome, Outcome::Complete);
        assert_eq!(run(Goal::Acceptance, true, threads).report.outcome, Outcome::Complete);
    }
}

#[test]
fn a_panic_ends_all_workers() {
    for threads in [1, 4] {
        // Deep enough that all workers take part.
        let trap = Some(vec![0, 1, 0, 2, 0, 2, 0, 1, 0]);
        let system = Philosophers { trap, ..Philosophers::new(9) };
        let result = std::panic::catch_unwind(|| {
            bfs::search(
                &system,
                &bfs::Options { all_errors: true, ..Default::default() },
                &with_threads(threads),
            )
        });
        assert!(result.is_err());
        let options = liveness::Options {
            goal: Goal::NonProgress,
            weak_fairness: false,
            reduce: false,
            max_depth: None,
            any_lasso: true,
            listing: Default::default(),
        };
        let result = std::panic::catch_unwind(|| liveness::search(&system, &options, &with_threads(threads)));
        assert!(result.is_err());
    }
}

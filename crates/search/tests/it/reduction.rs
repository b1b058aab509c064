//! Searches with and without partial-order reduction: the same errors and verdicts, on random processes over shared
//! variables.

use std::collections::BTreeSet;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_search::approximate::{self, Memory};
use volvelle_search::liveness::{Goal, Options, STUTTER, Verdict, search};
use volvelle_search::{
    ACCEPTING, Claim, ClaimEdge, ClaimState, Exit, Expander, Outcome, PROGRESS, Report, StepError,
    Successors, System, Trail,
};
use volvelle_search::{bfs, dfs, prefix};

/// The effect of an edge besides moving.
#[derive(Clone, Copy, Debug)]
enum Action {
    Nothing,
    /// Waits until a variable has a value.
    Wait(usize, u64),
    Assign(usize, u64),
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    action: Action,
    target: u64,
    /// Whether the step is an error.
    errs: bool,
}

/// Processes with control locations, and variables of two values. A state is a word for each process and variable.
#[derive(Debug)]
struct Team {
    /// By process and location.
    edges: Vec<Vec<Vec<Edge>>>,
    variables: usize,
    /// How much a reducing machine leaves out: for a test of the test.
    careless: bool,
}

const LOCATIONS: usize = 4;

impl Team {
    fn random(random: &mut Random) -> Self {
        let (processes, variables) = (2 + random.below(3), 2 + random.below(3));
        let edge = |random: &mut Random| {
            let action = match random.below(4) {
                0 => Action::Assign(random.below(variables), random.below(2) as u64),
                1 => Action::Wait(random.below(variables), random.below(2) as u64),
                _ => Action::Nothing,
            };
            Edge { action, target: random.below(LOCATIONS) as u64, errs: random.chance(10) }
        };
        let mut location = |_| -> Vec<Edge> { (0..random.below(3)).map(|_| edge(random)).collect() };
        let edges = (0..processes).map(|_| (0..LOCATIONS).map(&mut location).collect()).collect();
        Team { edges, variables, careless: false }
    }

    fn uses(&self, process: usize, variable: usize) -> bool {
        self.edges[process].iter().flatten().any(|edge| match edge.action {
            Action::Nothing => false,
            Action::Wait(v, _) | Action::Assign(v, _) => v == variable,
        })
    }

    fn observation(&self, state: &[u64]) -> u64 {
        let variables = &state[self.edges.len()..];
        let marked = if state[1] == 1 { ACCEPTING } else { 0 } | if state[1] == 2 { PROGRESS } else { 0 };
        variables[0] | variables[1] << 1 | u64::from(state[0] == 1) << 2 | marked
    }

    fn successors(&self, state: &[u64], process: usize) -> Vec<(u32, Vec<u64>)> {
        let edges = &self.edges[process][state[process] as usize];
        let mut found = Vec::new();
        for (number, edge) in edges.iter().enumerate() {
            let mut next = state.to_vec();
            match edge.action {
                Action::Wait(v, value) if state[self.edges.len() + v] != value => continue,
                Action::Assign(v, value) => next[self.edges.len() + v] = value,
                _ => {}
            }
            next[process] = edge.target;
            found.push(((process * 8 + number) as u32, next));
        }
        found
    }

    /// A process whose steps here are independent of all others, and change no observation.
    fn alone(&self, state: &[u64]) -> Option<usize> {
        (0..self.edges.len()).find(|&process| {
            let edges = &self.edges[process][state[process] as usize];
            let private = edges.iter().all(|edge| match edge.action {
                Action::Nothing => true,
                Action::Wait(v, _) | Action::Assign(v, _) => {
                    (0..self.edges.len()).all(|other| other == process || !self.uses(other, v))
                }
            });
            let successors = self.successors(state, process);
            let quiet = |next: &[u64]| self.observation(next) == self.observation(state);
            // What else a location could do must not become possible by others: it is private.
            private && !successors.is_empty() && (self.careless || successors.iter().all(|s| quiet(&s.1)))
        })
    }
}

struct Machine<'a> {
    team: &'a Team,
    reduce: bool,
}

impl System for Team {
    fn words(&self) -> usize {
        self.edges.len() + self.variables
    }

    fn initial(&self) -> Vec<u64> {
        vec![0; self.words()]
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine { team: self, reduce: false })
    }

    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine { team: self, reduce: true })
    }

    fn num_processes(&self) -> usize {
        self.edges.len()
    }

    fn process_of(&self, step: u32) -> u32 {
        step / 8
    }
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        out.clear();
        for (source, state) in states.chunks_exact(self.team.words()).enumerate() {
            let alone = if self.reduce { self.team.alone(state) } else { None };
            let all = 0..self.team.edges.len();
            let before = out.steps.len();
            for process in all.clone().filter(|&p| alone.is_none_or(|alone| p == alone)) {
                for (step, next) in self.team.successors(state, process) {
                    let edge = self.team.edges[process][state[process] as usize][step as usize % 8];
                    if edge.errs {
                        let site = step * LOCATIONS as u32 + state[process] as u32;
                        let successor = Some(out.steps.len() as u32);
                        out.errors.push(StepError { source: source as u32, successor, site, step });
                    }
                    out.steps.push(step);
                    out.states.extend(next);
                }
            }
            let total: usize = all.map(|p| self.team.successors(state, p).len()).sum();
            if out.steps.len() - before < total {
                out.reduced.push(source as u32);
            }
            out.ends.push(out.steps.len() as u32);
            out.observations.push(self.team.observation(state));
        }
        Exit::Done
    }
}

fn state(accepting: bool, edges: &[(u64, u64, u32)]) -> ClaimState {
    let edges = edges.iter().map(|&(must, must_not, target)| ClaimEdge { must, must_not, target }).collect();
    ClaimState { accepting, edges }
}

/// A claim to which repetitions do not matter.
fn random_claim(random: &mut Random) -> Claim {
    let mut cube = || {
        let must = random.bits() & random.bits() & 7;
        (must, random.bits() & random.bits() & 7 & !must)
    };
    let ((a, not_a), (b, not_b), (c, not_c)) = (cube(), cube(), cube());
    let states = match random.below(5) {
        // Eventually always a.
        0 => vec![state(false, &[(0, 0, 0), (a, not_a, 1)]), state(true, &[(a, not_a, 1)])],
        // Again and again a, and again and again b.
        1 => vec![
            state(false, &[(0, 0, 0), (a, not_a, 1)]),
            state(false, &[(0, 0, 1), (b, not_b, 2)]),
            state(true, &[(0, 0, 0)]),
        ],
        // a until b until c.
        2 => vec![
            state(false, &[(a, not_a, 0), (b, not_b, 1), (c, not_c, 2)]),
            state(false, &[(b, not_b, 1), (c, not_c, 2)]),
            state(true, &[(0, 0, 2)]),
        ],
        // At some time a, then b, then c.
        3 => vec![
            state(false, &[(0, 0, 0), (a, not_a, 1)]),
            state(false, &[(0, 0, 1), (b, not_b, 2)]),
            state(false, &[(0, 0, 2), (c, not_c, 3)]),
            state(true, &[(0, 0, 3)]),
        ],
        // At some time a, and b from then on.
        _ => {
            let both = ((a | b) & !(not_a | not_b), not_a | not_b);
            vec![state(false, &[(0, 0, 0), (both.0, both.1, 1)]), state(true, &[(b & !not_b, not_b, 1)])]
        }
    };
    Claim { states, initial: 0 }
}

fn run(team: &Team, goal: Goal<'_>, reduce: bool, threads: usize) -> Verdict {
    let options = Options {
        goal,
        weak_fairness: false,
        reduce,
        max_depth: None,
        any_lasso: false,
        listing: Default::default(),
    };
    search(team, &options, &Control { threads, ..Control::unlimited() })
}

/// A lasso is a run of the system, whatever was left out.
fn check_lasso(team: &Team, verdict: &Verdict) {
    let lasso = verdict.lasso.as_ref().expect("a cycle was found");
    let states = &lasso.trail.states;
    assert_eq!(states[lasso.cycle], states[states.len() - 1]);
    check_trail(team, &lasso.trail);
}

fn check_trail(team: &Team, trail: &Trail) {
    let states = &trail.states;
    assert_eq!(states[0], team.initial());
    for (at, &step) in trail.steps.iter().enumerate() {
        let successors: Vec<_> =
            (0..team.edges.len()).flat_map(|process| team.successors(&states[at], process)).collect();
        if step == STUTTER {
            assert!(successors.is_empty() && states[at] == states[at + 1]);
        } else {
            assert!(successors.contains(&(step, states[at + 1].clone())));
        }
    }
}

/// A team without reduction: its reducing machine leaves nothing out.
struct Unreduced<'a>(&'a Team);

impl System for Unreduced<'_> {
    fn words(&self) -> usize {
        self.0.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.0.initial()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        self.0.expander()
    }
}

fn errors(system: &dyn System, all_errors: bool, threads: usize) -> Report {
    let options = bfs::Options { all_errors, ..bfs::Options::default() };
    bfs::search(system, &options, &Control { threads, ..Control::unlimited() })
}

fn sites(report: &Report) -> BTreeSet<u32> {
    report.faults.iter().map(|fault| fault.site).collect()
}

#[test]
fn the_same_errors() {
    let mut random = Random(23);
    let (mut wrong, mut all, mut visited) = (0, 0, 0);
    for case in 0..1500 {
        let team = Team { careless: true, ..Team::random(&mut random) };
        let full = errors(&Unreduced(&team), true, 1);
        let reduced = errors(&team, true, 1);
        assert_eq!(sites(&full), sites(&reduced), "case {case}: {team:?}");
        assert!(reduced.states <= full.states, "case {case}");
        for threads in [2, 4] {
            let several = errors(&team, true, threads);
            let counts = |r: &Report| (r.states, r.transitions, r.depth, sites(r));
            assert_eq!(counts(&several), counts(&reduced), "case {case}, {threads} threads: {team:?}");
        }
        for fault in &reduced.faults {
            let trail = fault.trail.as_ref().expect("nothing interrupted the search for it");
            check_trail(&team, trail);
            assert!(fault.went_on && trail.steps.last() == Some(&fault.step));
            assert_eq!(trail.steps.len() as u64, fault.depth + 1);
        }
        let options = dfs::Options { all_errors: true, reduce: true, ..dfs::Options::default() };
        let deep = dfs::search(&team, &options, &Control::unlimited());
        assert_eq!(sites(&deep), sites(&full), "case {case}, depth first: {team:?}");
        assert!(deep.states <= full.states);
        deep.faults
            .iter()
            .filter_map(|fault| fault.trail.as_ref())
            .for_each(|trail| check_trail(&team, trail));
        let memory = Memory::Fingerprints;
        let options = approximate::Options { memory, all_errors: true, max_depth: None, reduce: true };
        let (hashed, _) = approximate::search(&team, &options, &Control::unlimited());
        assert_eq!((hashed.states, sites(&hashed)), (deep.states, sites(&full)), "case {case}, by hashes");
        let first = errors(&team, false, 2);
        assert_eq!(first.faults.is_empty(), full.faults.is_empty(), "case {case}");
        wrong += u32::from(!full.faults.is_empty());
        all += full.states;
        visited += reduced.states;
    }
    assert!((250..1250).contains(&wrong), "both answers occur: {wrong}");
    assert!(visited * 4 < all * 3, "something is left out: {visited} of {all}");
}

/// Processes that go round in circles have nothing to do with others; one of them errs in the end.
#[test]
fn nothing_is_put_off_for_ever() {
    let step = |target, errs| vec![Edge { action: Action::Nothing, target, errs }];
    let ring = || vec![step(1, false), step(2, false), step(3, false), step(0, false)];
    let late = vec![step(1, false), step(2, false), step(3, true), Vec::new()];
    for position in 0..3 {
        let mut edges = vec![ring(), ring()];
        edges.insert(position, late.clone());
        let team = Team { edges, variables: 2, careless: true };
        for threads in [1, 3] {
            let found = errors(&team, false, threads);
            let fault = found.faults.first().expect("the error is found");
            check_trail(&team, fault.trail.as_ref().expect("nothing interrupted the search for it"));
        }
        let (full, reduced) = (errors(&Unreduced(&team), true, 1), errors(&team, true, 1));
        assert_eq!(full.states, 64);
        // Going round both rings, in all places of the late one, cannot be avoided where the rings come first.
        assert!(reduced.states <= if position == 0 { 19 } else { 64 }, "{position}: {}", reduced.states);
    }
}

#[test]
fn the_same_verdicts() {
    let mut random = Random(71);
    let (mut failed, mut terminal, mut all, mut visited, mut wrong) = (0, 0, 0, 0, 0);
    for case in 0..750 {
        let mut team = Team::random(&mut random);
        let claim = random_claim(&mut random);
        for goal in [Goal::Claim(&claim), Goal::Acceptance, Goal::NonProgress] {
            let full = run(&team, goal, false, 1);
            if let Goal::Claim(claim) = goal
                && claim.is_terminal()
            {
                let control = Control { threads: 2, ..Control::unlimited() };
                let beginnings = |reduce| {
                    let options =
                        prefix::Options { claim, reduce, max_depth: None, listing: Default::default() };
                    let report = prefix::search(&team, &options, &control);
                    // Accepting states of the team count for cycles only.
                    (report.outcome, report.states)
                };
                let (outcome, states) = beginnings(false);
                let (reduced, fewer) = beginnings(true);
                assert_eq!(outcome, reduced, "case {case}: {team:?}");
                assert!(outcome == Outcome::Failed || fewer <= states);
                terminal += u32::from(outcome == Outcome::Failed);
            }
            failed += u32::from(full.report.outcome == Outcome::Failed);
            for threads in [1, 2, 4] {
                let reduced = run(&team, goal, true, threads);
                let message = format!("case {case}, {threads} threads, {goal:?}: {team:?}");
                assert_eq!(reduced.report.outcome, full.report.outcome, "{message}");
                assert!(full.lasso.is_some() || reduced.report.states <= full.report.states, "{message}");
                if threads == 1 && full.lasso.is_none() {
                    all += full.report.states;
                    visited += reduced.report.states;
                }
                if reduced.lasso.is_some() {
                    check_lasso(&team, &reduced);
                }
            }
            team.careless = true;
            wrong += u32::from(run(&team, goal, true, 1).report.outcome != full.report.outcome);
            team.careless = false;
        }
    }
    assert!((250..2000).contains(&failed), "both answers occur: {failed}");
    assert!((25..200).contains(&terminal), "both answers occur for beginnings: {terminal}");
    assert!(visited * 10 < all * 9, "something is left out: {visited} of {all}");
    assert!(wrong > 0, "leaving out what is observed would be noticed");
}

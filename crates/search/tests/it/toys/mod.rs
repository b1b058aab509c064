//! Small systems over tables, and slow and obvious searches of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use volvelle_random::Random;
use volvelle_search::{
    ACCEPTING, Claim, ClaimEdge, ClaimState, Exit, Expander, PROGRESS, StepError, Successors, System,
    TRANSIENT, Trail,
};

/// An edge of a table: target and step.
pub type Edge = (usize, u32);

/// A graph as a system. Node `n` is the state `code(n)`, so that words change in part from node to node.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub words: usize,
    pub initial: Vec<usize>,
    pub edges: Vec<Vec<Edge>>,
    /// Nodes inside atomic sequences.
    pub transient: Vec<bool>,
    pub observations: Vec<u64>,
    /// Errors of nodes: the edge that errs (an index into `edges`), or none, and the site.
    pub errors: Vec<Vec<(Option<usize>, u32)>>,
    /// Successors that a call has room for.
    pub room: usize,
    /// A node without room for its successors.
    pub cramped: Option<usize>,
    pub processes: usize,
}

impl Table {
    /// Nodes without edges.
    pub fn new(nodes: usize, words: usize) -> Self {
        Table {
            words,
            initial: vec![0],
            edges: vec![Vec::new(); nodes],
            transient: vec![false; nodes],
            observations: vec![0; nodes],
            errors: vec![Vec::new(); nodes],
            room: usize::MAX,
            cramped: None,
            processes: 1,
        }
    }

    /// A random graph; `loops` out of a hundred nodes are inside atomic sequences, `faulty` have errors.
    pub fn random(random: &mut Random, nodes: usize, transient: usize, faulty: usize) -> Self {
        let mut table = Table::new(nodes, 1 + random.below(9));
        table.room = if random.one_in(2) { usize::MAX } else { 1 + random.below(20) };
        table.processes = 1 + random.below(3);
        let most = 1 + random.below(4);
        for node in 0..nodes {
            table.transient[node] = random.chance(transient);
            for edge in 0..random.below(most + 1) {
                let near = random.chance(70);
                let target = if near { (node + 1 + random.below(5)) % nodes } else { random.below(nodes) };
                table.edges[node].push((target, (node * 8 + edge) as u32));
            }
            if random.chance(faulty) {
                let edge = random.below(3);
                let edge = (edge < table.edges[node].len()).then_some(edge);
                table.errors[node].push((edge, random.below(4) as u32));
            }
            table.observations[node] = random.bits() & 7;
        }
        for _ in 0..random.below(3) {
            table.initial.push(random.below(nodes));
        }
        for &node in &table.initial {
            table.transient[node] = false;
        }
        table
    }

    /// The state of a node: mixed digits, so that neighbours differ in some words only.
    pub fn code(&self, node: usize) -> Vec<u64> {
        let mut rest = node as u64;
        (0..self.words)
            .map(|word| {
                let digit = if word + 1 == self.words { rest } else { rest % 5 };
                rest /= 5;
                (digit + word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            })
            .collect()
    }

    pub fn nodes(&self) -> HashMap<Vec<u64>, usize> {
        (0..self.edges.len()).map(|node| (self.code(node), node)).collect()
    }
}

struct TableExpander<'a> {
    table: &'a Table,
    nodes: HashMap<Vec<u64>, usize>,
}

impl System for Table {
    fn words(&self) -> usize {
        self.words
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.iter().flat_map(|&node| self.code(node)).collect()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(TableExpander { table: self, nodes: self.nodes() })
    }

    fn num_processes(&self) -> usize {
        self.processes
    }

    fn process_of(&self, step: u32) -> u32 {
        step % self.processes as u32
    }
}

impl Expander for TableExpander<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        out.clear();
        let table = self.table;
        for (source, state) in states.chunks_exact(table.words).enumerate() {
            let node = self.nodes[state];
            let edges = &table.edges[node];
            if source > 0 && out.steps.len() + edges.len() > table.room {
                return Exit::Full;
            }
            if table.cramped == Some(node) {
                return Exit::LayoutOverflow { code: node as u32 };
            }
            let first = out.steps.len();
            for &(target, step) in edges {
                out.states.extend(table.code(target));
                out.steps.push(if table.transient[target] { step | TRANSIENT } else { step });
            }
            for &(edge, site) in &table.errors[node] {
                out.errors.push(StepError {
                    source: source as u32,
                    successor: edge.map(|edge| (first + edge) as u32),
                    site,
                    step: edge.map_or(7, |edge| edges[edge].1),
                });
            }
            out.ends.push(out.steps.len() as u32);
            out.observations.push(table.observations[node]);
        }
        Exit::Done
    }
}

/// The expected result of a search.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub states: u64,
    pub transitions: u64,
    pub steps: u64,
    pub depth: u64,
    /// For each site its least depth.
    pub errors: BTreeMap<u32, u64>,
}

/// The stored targets of a node, with the number of steps and the errors on the way.
pub fn unfold(table: &Table, source: usize) -> (Vec<usize>, u64, BTreeSet<u32>) {
    let mut targets = Vec::new();
    let mut steps = 0;
    let mut sites = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut stack = vec![source];
    while let Some(node) = stack.pop() {
        sites.extend(table.errors[node].iter().map(|&(_, site)| site));
        for &(target, _) in &table.edges[node] {
            steps += 1;
            if !table.transient[target] {
                targets.push(target);
            } else if seen.insert(target) {
                stack.push(target);
            }
        }
    }
    (targets, steps, sites)
}

/// Breadth-first search with a map.
pub fn naive(table: &Table, all_errors: bool) -> Expected {
    let mut depths: HashMap<usize, u64> = HashMap::new();
    let mut queue = VecDeque::new();
    for &node in &table.initial {
        if depths.insert(node, 0).is_none() {
            queue.push_back(node);
        }
    }
    let mut expected = Expected::default();
    while let Some(node) = queue.pop_front() {
        let depth = depths[&node];
        if !all_errors && expected.errors.values().any(|&at| at < depth) {
            break;
        }
        let (targets, steps, sites) = unfold(table, node);
        expected.transitions += targets.len() as u64;
        expected.steps += steps;
        for site in sites {
            expected.errors.entry(site).or_insert(depth);
        }
        for target in targets {
            depths.entry(target).or_insert_with(|| {
                queue.push_back(target);
                depth + 1
            });
        }
    }
    expected.states = depths.len() as u64;
    expected.depth = depths.values().copied().max().unwrap_or(0);
    expected
}

/// Whether each step of a trail is one of the table, from an initial state on. Gives the nodes.
pub fn follow(table: &Table, trail: &Trail) -> Vec<usize> {
    let nodes = table.nodes();
    let path: Vec<usize> = trail.states.iter().map(|state| nodes[state]).collect();
    assert!(table.initial.contains(&path[0]), "a trail begins in an initial state");
    assert_eq!(trail.steps.len() + 1, path.len());
    for (pair, &step) in path.windows(2).zip(&trail.steps) {
        assert!(table.edges[pair[0]].contains(&(pair[1], step)), "{} to {} by {step}", pair[0], pair[1]);
    }
    path
}

/// The stored targets of a node. Each has the first step of the way to it that the search finds first: a
/// shortest way to a state inside an atomic sequence, in the order of the edges.
pub fn unfold_first(table: &Table, source: usize) -> Vec<Edge> {
    let mut targets = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([(source, None)]);
    while let Some((node, first)) = queue.pop_front() {
        for &(target, step) in &table.edges[node] {
            let first = first.unwrap_or(step);
            if !table.transient[target] {
                targets.push((target, first));
            } else if seen.insert(target) {
                queue.push_back((target, Some(first)));
            }
        }
    }
    targets
}

/// A claim over three propositions.
pub fn random_claim(random: &mut Random) -> Claim {
    let count = 1 + random.below(4);
    let mut claim = Claim { states: vec![ClaimState::default(); count], initial: random.below(count) as u32 };
    for state in &mut claim.states {
        state.accepting = random.one_in(3);
        for _ in 0..random.below(4) {
            let must = random.bits() & random.bits() & 7;
            let must_not = random.bits() & random.bits() & 7 & !must;
            state.edges.push(ClaimEdge { must, must_not, target: random.below(count) as u32 });
        }
    }
    claim
}

/// As `random_claim`, but accepting states may be stayed in whatever follows.
pub fn random_terminal_claim(random: &mut Random) -> Claim {
    let mut claim = random_claim(random);
    for (at, state) in claim.states.iter_mut().enumerate().filter(|(_, state)| state.accepting) {
        state.edges.push(ClaimEdge { must: 0, must_not: 0, target: at as u32 });
    }
    assert!(claim.is_terminal());
    claim
}

impl Table {
    /// Some nodes are accepting, one in so many; some are progress.
    pub fn mark(&mut self, random: &mut Random, accepting: usize) {
        for observation in &mut self.observations {
            *observation |= if random.one_in(accepting) { ACCEPTING } else { 0 };
            *observation |= if random.one_in(3) { PROGRESS } else { 0 };
        }
    }
}

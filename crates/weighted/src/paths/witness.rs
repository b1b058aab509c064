//! Paths with a weight in an interval, as explanations: a closed walk that is repeated is written once.

use super::ends::{Greatest, greatest, least};
use super::exact::exact_walk;
use super::walks::{Edge, STAY, Walks};
use crate::Failure;
use volvelle_control::Control;
use volvelle_space::{BitSet, WeightedStep, WeightedStructure};

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// Its steps, in order.
    pub steps: Vec<WeightedStep>,
    /// Number of repetitions. A part with more than one ends where it starts.
    pub times: u64,
}

/// A path of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedPath {
    /// Its first state.
    pub start: u32,
    /// Its parts in order; none if the path has no steps.
    pub parts: Vec<PathPart>,
}

impl WeightedPath {
    /// Its last state.
    pub fn end(&self) -> u32 {
        self.parts.last().and_then(|part| part.steps.last()).map_or(self.start, |step| step.target)
    }

    /// The sum of its weights, if it fits into 64 bits.
    pub fn weight(&self) -> Option<u64> {
        self.parts.iter().try_fold(0u64, |sum, part| {
            let once = part.steps.iter().try_fold(0u64, |sum, step| sum.checked_add(step.weight))?;
            sum.checked_add(once.checked_mul(part.times)?)
        })
    }

    /// Number of steps, saturated.
    pub fn num_steps(&self) -> u64 {
        let steps = |part: &PathPart| part.times.saturating_mul(part.steps.len() as u64);
        self.parts.iter().map(steps).fold(0, u64::saturating_add)
    }

    /// Its steps one by one; [`num_steps`](Self::num_steps) gives their number.
    pub fn steps(&self) -> impl Iterator<Item = WeightedStep> + '_ {
        self.parts.iter().flat_map(|part| (0..part.times).flat_map(|_| part.steps.iter().copied()))
    }

    /// Makes a path from edges of its parts. Consecutive loops become one part.
    fn new(walks: &Walks, from: u32, parts: [(&[Edge], u64); 3]) -> Self {
        let start = walks.states[from as usize];
        let mut path = WeightedPath { start, parts: Vec::new() };
        for (edges, times) in parts {
            let steps: Vec<WeightedStep> = edges
                .iter()
                .filter(|edge| edge.state != STAY)
                .map(|edge| WeightedStep { weight: edge.weight, target: edge.state })
                .collect();
            if steps.is_empty() || times == 0 {
                continue;
            }
            if times > 1 {
                path.parts.push(PathPart { steps, times });
                continue;
            }
            let mut plain: Vec<WeightedStep> = Vec::new();
            let mut at = path.end();
            let mut rest = steps.as_slice();
            while let Some(&step) = rest.first() {
                let run = rest.iter().take_while(|&&other| other == step).count();
                if step.target == at && run > 1 {
                    path.push(&mut plain);
                    path.parts.push(PathPart { steps: vec![step], times: run as u64 });
                    rest = &rest[run..];
                } else {
                    plain.push(step);
                    rest = &rest[1..];
                }
                at = step.target;
            }
            path.push(&mut plain);
        }
        path
    }

    fn push(&mut self, plain: &mut Vec<WeightedStep>) {
        if plain.is_empty() {
            return;
        }
        match self.parts.last_mut() {
            Some(last) if last.times == 1 => last.steps.append(plain),
            _ => self.parts.push(PathPart { steps: std::mem::take(plain), times: 1 }),
        }
    }
}

/// A path from one state as in [`within`](super::within), if there is one; the cheapest one if `low` is 0.
///
/// # Errors
/// Those of [`within`](super::within); the weight of the path does not fit into 64 bits.
pub fn path_within(
    structure: &WeightedStructure,
    region: &BitSet,
    goal: &BitSet,
    from: u32,
    low: u64,
    high: Option<u64>,
    control: &Control,
) -> Result<Option<WeightedPath>, Failure> {
    let walks = Walks::of(structure, region, goal);
    let Ok(node) = walks.states.binary_search(&from) else { return Ok(None) };
    path_on(&walks, node as u32, low, high, control)
}

/// A path from a node to the sink, as in [`path_within`].
pub(crate) fn path_on(
    walks: &Walks,
    node: u32,
    low: u64,
    high: Option<u64>,
    control: &Control,
) -> Result<Option<WeightedPath>, Failure> {
    let plain = |edges: Vec<Edge>| WeightedPath::new(walks, node, [(&edges, 1), (&[], 0), (&[], 0)]);
    let everything = vec![true; walks.num_nodes()];
    match high {
        Some(high) if low > high => Ok(None),
        Some(u64::MAX) => Err(Failure::Overflow),
        _ if low == 0 => {
            let (weights, first) = least(walks, &everything, control)?;
            if weights[node as usize] > high.unwrap_or(u64::MAX - 1) {
                // Without an upper end, a path counts even if its weight does not fit.
                let reaching = high.is_none() && walks.reaching(&[walks.sink()], &everything)[node as usize];
                return if reaching { Err(Failure::Overflow) } else { Ok(None) };
            }
            Ok(Some(plain(follow(walks, node, &first))))
        }
        Some(high) => {
            let parts = exact_walk(walks, node, low, high, control)?;
            Ok(parts.map(|(before, cycle, times, after)| {
                WeightedPath::new(walks, node, [(&before, 1), (&cycle, times), (&after, 1)])
            }))
        }
        None => {
            let found = greatest(walks);
            if found.unbounded[node as usize] {
                return pumped(walks, node, low, control).map(Some);
            }
            match found.weights[node as usize] {
                Some(u64::MAX) => Err(Failure::Overflow),
                Some(weight) if weight >= low => Ok(longest(walks, node, &found).map(plain)),
                _ => Ok(None),
            }
        }
    }
}

fn follow(walks: &Walks, mut node: u32, first: &[Option<Edge>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    while node != walks.sink() {
        let Some(edge) = first[node as usize] else { break };
        edges.push(edge);
        node = edge.node;
    }
    edges
}

/// A path that repeats a closed walk until its weight is large enough.
fn pumped(walks: &Walks, node: u32, low: u64, control: &Control) -> Result<WeightedPath, Failure> {
    let everything = vec![true; walks.num_nodes()];
    let mut alive = walks.reaching(&[walks.sink()], &everything);
    let reachable = walks.reachable(&[node], &alive);
    alive.iter_mut().zip(&reachable).for_each(|(alive, reachable)| *alive &= reachable);
    let cycle = super::residues::light_cycle(walks, &alive, control)?.ok_or(Failure::Overflow)?;
    let before = walks.shortest(node, cycle.at, &alive).ok_or(Failure::Overflow)?;
    let (_, first) = least(walks, &alive, control)?;
    let after = follow(walks, cycle.at, &first);
    let sum = |edges: &[Edge]| edges.iter().try_fold(0u64, |sum, edge| sum.checked_add(edge.weight));
    let base = sum(&before).zip(sum(&after)).and_then(|(before, after)| before.checked_add(after));
    let missing = low.saturating_sub(base.ok_or(Failure::Overflow)?);
    let path = [(&before[..], 1), (&cycle.edges, missing.div_ceil(cycle.weight)), (&after, 1)];
    let path = WeightedPath::new(walks, node, path);
    path.weight().ok_or(Failure::Overflow)?;
    Ok(path)
}

/// A path of greatest weight, if all closed walks have weight 0.
fn longest(walks: &Walks, mut node: u32, found: &Greatest) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    while node != walks.sink() {
        let component = found.component[node as usize];
        let alive: Vec<bool> = found.component.iter().map(|&of| of == component).collect();
        let inside = walks.reachable(&[node], &alive);
        let best = found.weights[node as usize]?;
        let leaves = |edge: &&Edge| {
            found.component[edge.node as usize] != component
                && found.weights[edge.node as usize].is_some_and(|rest| rest + edge.weight == best)
        };
        let (at, edge) = (0..walks.sink())
            .filter(|&at| inside[at as usize])
            .find_map(|at| walks.outgoing(at).iter().find(leaves).map(|edge| (at, *edge)))?;
        edges.extend(walks.shortest(node, at, &alive)?);
        edges.push(edge);
        node = edge.node;
    }
    Some(edges)
}

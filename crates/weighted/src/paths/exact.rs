//! Walks with a weight in an interval bounded at both ends: the choice among methods.

use super::ends::{greatest, least};
use super::residues::{self, Cycle, light_cycle, residues};
use super::sums::{Sums, sums};
use super::table::{Table, table};
use super::walks::{Edge, Walks};
use crate::Failure;
use volvelle_control::Control;

/// The method by which exact weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// The one with the least estimated cost.
    Automatic,
    /// Search over pairs of a state and a weight.
    Sums,
    /// A table of bits for all weights up to the upper end.
    Table,
    /// Residues modulo the weights of closed walks.
    Residues,
}

/// Limit of pairs that the search visits before another method is considered.
const FEW_SUMS: usize = 1 << 14;
/// Bytes above which a table is avoided; `SMALL`: bytes up to which only time counts.
const LARGE: u64 = 1 << 30;
const SMALL: u64 = 1 << 26;

/// Marks the nodes from which a walk in the interval exists.
pub(crate) fn exact(
    walks: &Walks,
    low: u64,
    high: u64,
    method: Method,
    control: &Control,
) -> Result<Vec<bool>, Failure> {
    let everything = vec![true; walks.num_nodes()];
    let (lightest, _) = least(walks, &everything, control)?;
    let heaviest = greatest(walks);
    let mut yes = vec![false; walks.num_nodes()];
    let mut open = Vec::new();
    for node in 0..walks.sink() {
        let place = node as usize;
        let longest = if heaviest.unbounded[place] { None } else { heaviest.weights[place] };
        if lightest[place] > high || longest.is_some_and(|longest| longest < low) {
            continue;
        }
        if lightest[place] >= low || longest.is_some_and(|longest| longest <= high) {
            yes[place] = true;
        } else {
            open.push(node);
        }
    }
    let answers = Answers { walks, low, high, control };
    answers.find(open, method, false, |node, _| yes[node as usize] = true)?;
    Ok(yes)
}

/// A walk: a first part, a closed walk with its number of repetitions, and the rest.
pub(crate) type Parts = (Vec<Edge>, Vec<Edge>, u64, Vec<Edge>);

/// A walk from one node with a weight in the interval.
pub(crate) fn exact_walk(
    walks: &Walks,
    from: u32,
    low: u64,
    high: u64,
    control: &Control,
) -> Result<Option<Parts>, Failure> {
    let mut walk = None;
    Answers { walks, low, high, control }
        .find(vec![from], Method::Automatic, true, |_, found| walk = Some(found))?;
    Ok(walk)
}

struct Answers<'a> {
    walks: &'a Walks,
    low: u64,
    high: u64,
    control: &'a Control<'a>,
}

impl Answers<'_> {
    /// Calls `yes` for each open node that has a walk, with the walk if walks are requested.
    fn find(
        &self,
        mut open: Vec<u32>,
        method: Method,
        with_walks: bool,
        mut yes: impl FnMut(u32, Parts),
    ) -> Result<(), Failure> {
        let walks = self.walks;
        let mut inside = vec![true; walks.num_nodes()];
        let mut method = method;
        while !open.is_empty() {
            // Nodes on walks from an open node to the sink.
            let mut alive = walks.reaching(&[walks.sink()], &inside);
            let below = walks.reachable(&open, &inside);
            alive.iter_mut().zip(&below).for_each(|(alive, below)| *alive &= below);
            open.retain(|&node| alive[node as usize]);
            if open.is_empty() {
                return Ok(());
            }
            if matches!(method, Method::Automatic | Method::Sums) {
                let most = if method == Method::Sums { usize::MAX } else { FEW_SUMS };
                if let Some(found) = sums(walks, &alive, self.high, most, self.control)? {
                    self.by_sums(&found, &open, with_walks, &mut yes);
                    return Ok(());
                }
            }
            let cycle = match method {
                Method::Table => None,
                _ => light_cycle(walks, &alive, self.control)?,
            };
            let Some(cycle) =
                cycle.filter(|cycle| method == Method::Residues || self.prefers(cycle, &alive, with_walks))
            else {
                let nodes = walks.num_nodes() as u64;
                if method != Method::Table && (self.high / 8).saturating_mul(nodes) > LARGE {
                    method = Method::Sums;
                    continue;
                }
                let found = table(walks, &alive, self.high, self.control)?;
                self.by_table(&found, &open, with_walks, &mut yes);
                return Ok(());
            };
            let found = residues(walks, &cycle, &alive, self.high, with_walks, self.control)?;
            open.retain(|&node| {
                let Some((weight, times)) = found.first_within(node, self.low, self.high) else {
                    return true;
                };
                let parts = if with_walks {
                    let (before, after) = found.walk(walks, node, weight - times * cycle.weight);
                    (before, cycle.edges.clone(), times, after)
                } else {
                    Parts::default()
                };
                yes(node, parts);
                false
            });
            inside[cycle.at as usize] = false;
        }
        Ok(())
    }

    /// Whether residues modulo the weight of a cycle cost less than a table.
    fn prefers(&self, cycle: &Cycle, alive: &[bool], with_walks: bool) -> bool {
        let nodes = alive.iter().filter(|&&is| is).count() as u64;
        if residues::bytes(nodes as usize, cycle.weight, with_walks) > LARGE {
            return false;
        }
        // At most one round per node on closed walks; half of that is a guess. A pair of a node and a residue
        // costs about as much as five words of a table.
        let rounds = 1 + nodes / 2;
        let residues = cycle.weight.saturating_mul(rounds).saturating_mul(5);
        let (table, bytes) = (self.high / 64, (self.high / 8).saturating_mul(self.walks.num_nodes() as u64));
        // More time is acceptable if it saves much memory.
        bytes > LARGE || residues < if bytes > SMALL { 4 * table } else { table }
    }

    fn by_sums(&self, found: &Sums, open: &[u32], with_walks: bool, yes: &mut impl FnMut(u32, Parts)) {
        let mut least = vec![u64::MAX; self.walks.num_nodes()];
        for &(node, weight) in found.first.keys().filter(|&&(_, weight)| weight >= self.low) {
            least[node as usize] = least[node as usize].min(weight);
        }
        for &node in open {
            let weight = least[node as usize];
            if weight <= self.high {
                let walk = if with_walks { found.walk(node, weight) } else { None };
                yes(node, (walk.unwrap_or_default(), Vec::new(), 0, Vec::new()));
            }
        }
    }

    fn by_table(&self, found: &Table, open: &[u32], with_walks: bool, yes: &mut impl FnMut(u32, Parts)) {
        for &node in open {
            if let Some(weight) = found.first_within(node, self.low, self.high) {
                let walk = if with_walks { found.walk(self.walks, node, weight) } else { Vec::new() };
                yes(node, (walk, Vec::new(), 0, Vec::new()));
            }
        }
    }
}

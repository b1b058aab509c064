//! Clusters: groups of states close to each other; and the structure over them, whose steps have intervals of
//! weights.

use super::{Distance, Distances};
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use volvelle_space::WeightedStructure;

/// A set of states, any two of which are within a distance of each other, in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Its states in increasing order.
    pub members: Vec<u32>,
    /// The member whose largest distance to another member is least; the first one among equals.
    pub representative: u32,
    /// The largest distance between members.
    pub diameter: RBig,
}

/// A partition of the states.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// Ordered by their first members.
    pub clusters: Vec<Cluster>,
    /// By state, its cluster.
    pub cluster_of: Vec<u32>,
}

/// Groups states by complete linkage. The two clusters whose largest distance between members is least are
/// joined first, as long as it is at most `epsilon`. Quadratic time by chains of nearest neighbours (F.
/// Murtagh, *A survey of recent advances in hierarchical clustering algorithms*, The Computer Journal 26,
/// 1983). Of equally near clusters, the one with the smaller first state counts as the nearest.
pub fn clusters(distances: &Distances, epsilon: &RBig) -> Clusters {
    let states = distances.num_states() as usize;
    // The largest rank that is close enough.
    let limit = distances.levels().partition_point(|level| level <= epsilon) as u32;
    let mut apart = vec![0u32; states * states];
    for s in 0..states {
        for t in 0..states {
            apart[s * states + t] = distances.symmetric_level(s as u32, t as u32);
        }
    }
    let mut alive = vec![true; states];
    let mut joined: Vec<u32> = (0..states as u32).collect();
    let mut chain: Vec<usize> = Vec::new();
    let mut start = 0;
    loop {
        let Some(&last) = chain.last() else {
            while start < states && !alive[start] {
                start += 1;
            }
            if start == states {
                break;
            }
            chain.push(start);
            continue;
        };
        // Among equals, the previous one wins; otherwise chains could go in circles.
        let before = chain.len().checked_sub(2).map(|place| chain[place]);
        let near = (0..states).filter(|&other| alive[other] && other != last);
        let nearest = near.min_by_key(|&other| (apart[last * states + other], Some(other) != before, other));
        let Some(nearest) = nearest.filter(|&nearest| apart[last * states + nearest] < limit) else {
            // Distances to a joined cluster only grow, so no cluster will be near enough to join this one.
            alive[last] = false;
            chain.pop();
            continue;
        };
        if Some(nearest) != before {
            chain.push(nearest);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (keep, drop) = (last.min(nearest), last.max(nearest));
        alive[drop] = false;
        joined[drop] = keep as u32;
        for other in 0..states {
            let farther = apart[keep * states + other].max(apart[drop * states + other]);
            apart[keep * states + other] = farther;
            apart[other * states + keep] = farther;
        }
        apart[keep * states + keep] = 0;
    }
    collect(distances, &joined)
}

/// The clusters, given for every state itself or a state of smaller number to which it is joined.
fn collect(distances: &Distances, joined: &[u32]) -> Clusters {
    let mut cluster_of = vec![0u32; joined.len()];
    let mut members: Vec<Vec<u32>> = Vec::new();
    for state in 0..joined.len() {
        let first = joined[state] as usize;
        if first == state {
            cluster_of[state] = members.len() as u32;
            members.push(Vec::new());
        } else {
            cluster_of[state] = cluster_of[first];
        }
        members[cluster_of[state] as usize].push(state as u32);
    }
    let cluster = |members: Vec<u32>| {
        let far = |&state: &u32| {
            members.iter().map(|&other| distances.symmetric_level(state, other)).max().unwrap_or(0)
        };
        let diameter = members.iter().map(far).max().unwrap_or(0);
        let representative = members.iter().copied().min_by_key(far).expect("clusters are not empty");
        let Distance::Finite(diameter) = distances.at_level(diameter) else { unreachable!("it is small") };
        Cluster { representative, diameter, members }
    };
    Clusters { clusters: members.into_iter().map(cluster).collect(), cluster_of }
}

/// A step between clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntervalStep {
    /// The cluster that it leaves.
    pub source: u32,
    /// The cluster that it leads to.
    pub target: u32,
    /// The least weight of such a step over all members, in units of the structure.
    pub low: u64,
    /// The largest one.
    pub high: u64,
    /// Number of members with such a step. If all have one, every state of the cluster has the step.
    pub members: u32,
}

/// A structure over clusters, each named after its representative.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalStructure {
    /// The cluster of the initial state.
    pub initial: u32,
    /// The value of weight 1.
    pub unit: RBig,
    /// By cluster: the state that names it. Its propositions are those of all members.
    pub representatives: Vec<u32>,
    /// Ordered by source, then by target.
    pub steps: Vec<IntervalStep>,
}

/// The structure in which every cluster is one state, and weights are the intervals over its members.
pub fn interval_abstraction(structure: &WeightedStructure, clusters: &Clusters) -> IntervalStructure {
    let mut steps = Vec::new();
    for (source, cluster) in clusters.clusters.iter().enumerate() {
        // By target: the least and the largest weight, the number of members, and the last member counted.
        let mut found: BTreeMap<u32, (u64, u64, u32, u32)> = BTreeMap::new();
        for &member in &cluster.members {
            for step in structure.outgoing(member) {
                let target = clusters.cluster_of[step.target as usize];
                let entry = found.entry(target).or_insert((step.weight, step.weight, 0, u32::MAX));
                entry.0 = entry.0.min(step.weight);
                entry.1 = entry.1.max(step.weight);
                if entry.3 != member {
                    entry.2 += 1;
                    entry.3 = member;
                }
            }
        }
        let step = |(target, (low, high, members, _))| IntervalStep {
            source: source as u32,
            target,
            low,
            high,
            members,
        };
        steps.extend(found.into_iter().map(step));
    }
    IntervalStructure {
        initial: clusters.cluster_of[structure.initial as usize],
        unit: structure.unit.clone(),
        representatives: clusters.clusters.iter().map(|cluster| cluster.representative).collect(),
        steps,
    }
}

//! Strong bisimulation by refining a partition until it is stable: the naive algorithm.

use std::collections::{BTreeSet, HashMap};
use volvelle_space::{Labels, Lts};

/// The block of every state of several systems, put side by side.
fn blocks(systems: &[&Lts]) -> Vec<Vec<u32>> {
    let mut labels = Labels::new();
    let edges: Vec<Vec<Vec<(u32, u32)>>> = systems
        .iter()
        .map(|lts| {
            let number: Vec<u32> = lts.labels.texts().iter().map(|text| labels.number(text)).collect();
            let state = |s: u32| {
                let edges = lts.outgoing(s).iter();
                edges.map(|edge| (number[edge.label as usize], edge.target)).collect()
            };
            (0..lts.num_states() as u32).map(state).collect()
        })
        .collect();
    let mut block: Vec<Vec<u32>> = systems.iter().map(|lts| vec![0; lts.num_states()]).collect();
    let mut count = 1;
    loop {
        let mut numbers: HashMap<(u32, BTreeSet<(u32, u32)>), u32> = HashMap::new();
        let mut next = block.clone();
        for (k, states) in edges.iter().enumerate() {
            for (s, edges) in states.iter().enumerate() {
                let signature: BTreeSet<(u32, u32)> =
                    edges.iter().map(|&(label, target)| (label, block[k][target as usize])).collect();
                let fresh = numbers.len() as u32;
                next[k][s] = *numbers.entry((block[k][s], signature)).or_insert(fresh);
            }
        }
        block = next;
        if numbers.len() == count {
            return block;
        }
        count = numbers.len();
    }
}

/// Whether two systems are strongly bisimilar.
pub fn bisimilar(a: &Lts, b: &Lts) -> bool {
    let blocks = blocks(&[a, b]);
    blocks[0][a.initial as usize] == blocks[1][b.initial as usize]
}

/// States of the quotient.
pub fn classes(lts: &Lts) -> usize {
    blocks(&[lts])[0].iter().collect::<BTreeSet<_>>().len()
}

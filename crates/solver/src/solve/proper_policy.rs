//! A policy to begin with: one that leaves its component from every state (a proper policy; Bertsekas and Tsitsiklis 1991).

use super::block::Block;
use crate::graph::Backwards;

/// Most sweeps towards the values of the policy to begin with.
const SWEEPS: usize = 100;

/// Relative change of a sweep at which these values are near enough.
const NEAR: f64 = 1e-3;

/// Moves `x` to about the values of a proper policy: where the least values are looked for, a better guess than zero, from which a
/// state far from the exits rises by one step's reward with each sweep, for as long as going further away looks cheaper.
pub fn guess(block: &Block, x: &mut [f64]) {
    let policy = proper_policy(block);
    for _ in 0..SWEEPS {
        if block.sweep_policy(x, &policy) < NEAR {
            break;
        }
    }
}

/// A policy under which every state leaves the component: each state steps towards an exit.
pub fn proper_policy(block: &Block) -> Vec<u32> {
    let system = block.system;
    let base = block.first_choice();
    let mut policy = vec![u32::MAX; block.len];
    let choices = |at: usize| {
        let i = block.first + at;
        system.choice_start[i]..system.choice_start[i + 1]
    };
    let all = || (0..block.len).flat_map(|at| choices(at).map(move |choice| (at as u32, choice)));
    let columns =
        |choice: u32| system.columns[block.inner(choice as usize)].iter().map(|j| j - block.first as u32);
    let targets: Vec<u32> = all().flat_map(|(_, choice)| columns(choice)).collect();
    let edges = all().flat_map(|edge| columns(edge.1).map(move |target| (target, edge)));
    let entering = Backwards::new(block.len, &targets, edges);
    // Backwards from the exits.
    let mut work = Vec::new();
    for (at, chosen) in policy.iter_mut().enumerate() {
        let leaving = choices(at).find(|&choice| block.exit.get(choice as usize - base) > 0.0);
        if let Some(choice) = leaving {
            *chosen = choice;
            work.push(at);
        }
    }
    let mut next = 0;
    while next < work.len() {
        for &(source, choice) in entering.of(work[next]) {
            if policy[source as usize] == u32::MAX {
                policy[source as usize] = choice;
                work.push(source as usize);
            }
        }
        next += 1;
    }
    for (at, choice) in policy.iter_mut().enumerate() {
        if *choice == u32::MAX {
            *choice = system.choice_start[block.first + at];
        }
    }
    policy
}

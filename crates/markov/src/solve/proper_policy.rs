//! A policy to begin with: one that leaves its component from every state (a proper policy; Bertsekas and Tsitsiklis 1991).

use super::block::Block;

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
    let columns = |choice: u32| system.columns[block.inner(choice as usize)].iter();
    // Backwards from the exits, over lists of the choices that enter a state: those of state j end at `entering[j]`
    // once all are in their places.
    let mut entering = vec![0u32; block.len + 1];
    for choice in (0..block.len).flat_map(choices) {
        columns(choice).for_each(|&j| entering[j as usize - block.first + 1] += 1);
    }
    for j in 0..block.len {
        entering[j + 1] += entering[j];
    }
    let mut sources = vec![(0u32, 0u32); entering[block.len] as usize];
    let mut work = Vec::new();
    for (at, chosen) in policy.iter_mut().enumerate() {
        for choice in choices(at) {
            for &j in columns(choice) {
                let place = &mut entering[j as usize - block.first];
                sources[*place as usize] = (at as u32, choice);
                *place += 1;
            }
            if block.exit.get(choice as usize - base) > 0.0 && *chosen == u32::MAX {
                *chosen = choice;
                work.push(at);
            }
        }
    }
    let mut next = 0;
    while next < work.len() {
        let begin = work[next].checked_sub(1).map_or(0, |before| entering[before]);
        for &(source, choice) in &sources[begin as usize..entering[work[next]] as usize] {
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

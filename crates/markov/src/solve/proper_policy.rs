//! A policy to begin with: one that leaves its component from every state (a proper policy; Bertsekas and Tsitsiklis 1991).

use super::block::Block;

/// A policy under which every state leaves the component: each state steps towards an exit.
pub fn proper_policy(block: &Block) -> Vec<u32> {
    let system = block.system;
    let base = block.first_choice();
    let mut policy = vec![u32::MAX; block.len];
    // Backwards from the exits, over a predecessor list of the block.
    let mut entering: Vec<Vec<(u32, u32)>> = vec![Vec::new(); block.len];
    let mut work = Vec::new();
    for (at, chosen) in policy.iter_mut().enumerate() {
        let i = block.first + at;
        for choice in system.choice_start[i]..system.choice_start[i + 1] {
            let inner =
                system.row_start[choice as usize] as usize..system.inner_end[choice as usize] as usize;
            for &j in &system.columns[inner] {
                entering[j as usize - block.first].push((at as u32, choice));
            }
            if block.exit.get(choice as usize - base) > 0.0 && *chosen == u32::MAX {
                *chosen = choice;
                work.push(at);
            }
        }
    }
    let mut next = 0;
    while next < work.len() {
        for &(source, choice) in &entering[work[next]] {
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

//! The product of two automata, to decide whether they have a word in common.

use rustc_hash::FxHashMap;

use crate::buchi::budget::Budget;
use crate::buchi::components::components;
use crate::buchi::generalised::Generalised;

/// Whether no word is accepted by both; `None` where deciding that exceeds the budget.
pub(crate) fn are_disjoint(a: &Generalised, b: &Generalised, budget: &mut Budget) -> Option<bool> {
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut states = vec![(a.initial, b.initial)];
    numbers.insert(states[0], 0);
    let mut targets: Vec<Vec<u32>> = Vec::new();
    let mut marks: Vec<Vec<(u64, u64)>> = Vec::new();
    while let Some(&(s, t)) = states.get(targets.len()) {
        let (mut to, mut with) = (Vec::new(), Vec::new());
        budget.spend(1 + a.edges[s as usize].len() * b.edges[t as usize].len())?;
        for x in &a.edges[s as usize] {
            for y in &b.edges[t as usize] {
                if x.cube.and(y.cube).is_none() {
                    continue;
                }
                let new = states.len() as u32;
                let target = *numbers.entry((x.target, y.target)).or_insert(new);
                if target == new {
                    states.push((x.target, y.target));
                }
                to.push(target);
                with.push((x.marks, y.marks));
            }
        }
        targets.push(to);
        marks.push(with);
    }
    let components = components(&targets);
    let mut met = vec![(0, 0); components.count];
    let mut cyclic = vec![false; components.count];
    for (s, to) in targets.iter().enumerate() {
        let c = components.of[s];
        for (&t, &(x, y)) in to.iter().zip(&marks[s]) {
            if components.of[t as usize] == c {
                cyclic[c as usize] = true;
                met[c as usize].0 |= x;
                met[c as usize].1 |= y;
            }
        }
    }
    let accepts = |c: usize| cyclic[c] && met[c].0 & a.marks == a.marks && met[c].1 & b.marks == b.marks;
    Some(!(0..components.count).any(accepts))
}

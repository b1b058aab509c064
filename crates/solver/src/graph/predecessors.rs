//! The transition graph backwards.

use volvelle_space::{BitSet, Space};

use super::backwards::Backwards;

/// For every state the choices that may lead to it, in compressed rows, and the state of every choice.
#[derive(Clone, Debug)]
pub struct Predecessors {
    choices: Backwards<u32>,
    /// Empty where every state has one choice of its own number.
    owner: Vec<u32>,
}

impl Predecessors {
    /// Collects the predecessors of all states of a space.
    pub fn new(space: &Space) -> Self {
        let n = space.num_states();
        let of_choice = |c: usize| space.columns[space.row(c)].iter().map(move |&t| (t, c as u32));
        let choices = Backwards::new(n, &space.columns, (0..space.num_choices()).flat_map(of_choice));
        let owner = match &space.choices {
            None => Vec::new(),
            Some(levels) => {
                (0..n).flat_map(|s| (levels.start[s]..levels.start[s + 1]).map(move |_| s as u32)).collect()
            }
        };
        Predecessors { choices, owner }
    }

    /// The choices with a transition to `state`.
    #[inline]
    pub fn of(&self, state: usize) -> &[u32] {
        self.choices.of(state)
    }

    /// The state that a choice belongs to.
    #[inline]
    pub fn owner(&self, choice: u32) -> usize {
        if self.owner.is_empty() { choice as usize } else { self.owner[choice as usize] as usize }
    }

    /// All states with a path to `target` whose states before the target lie in `via` (`None`: anywhere);
    /// the target itself is included.
    pub fn reach(&self, target: &BitSet, via: Option<&BitSet>) -> BitSet {
        let mut set = target.clone();
        let mut work: Vec<u32> = target.iter().map(|s| s as u32).collect();
        while let Some(state) = work.pop() {
            for &choice in self.of(state as usize) {
                let source = self.owner(choice);
                if via.is_none_or(|v| v.contains(source)) && set.insert(source) {
                    work.push(source as u32);
                }
            }
        }
        set
    }
}

//! Contexts: what restrictions and relabellings around a term do to the names of its actions and its propositions.
//!
//! A chain of them is one function on names, and is stored as that: `P \ {a} \ {b}` and `P \ {a, b}` have the same context, and a process
//! that wraps itself into the same restriction again and again stays finite.

use super::{NONE, Wccs};
use crate::wccs::{OUTPUT, Relabelling};
use rustc_hash::FxHashMap;

/// No change of names.
pub(super) const IDENTITY: u32 = 0;

#[derive(Clone, Debug)]
struct Context {
    /// New names of actions, [`NONE`] where the action is restricted; behind them those of propositions.
    names: Box<[u32]>,
    keeps_propositions: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Contexts {
    num_actions: usize,
    all: Vec<Context>,
    number_of: FxHashMap<Box<[u32]>, u32>,
    compositions: FxHashMap<(u32, u32), u32>,
}

impl Contexts {
    pub fn new(system: &Wccs) -> Self {
        let num_actions = system.actions.len();
        let mut contexts = Contexts {
            num_actions,
            all: Vec::new(),
            number_of: FxHashMap::default(),
            compositions: FxHashMap::default(),
        };
        let names = (0..num_actions as u32).chain(0..system.propositions.len() as u32);
        contexts.number(names.collect());
        contexts
    }

    fn number(&mut self, names: Box<[u32]>) -> u32 {
        if let Some(&number) = self.number_of.get(&names) {
            return number;
        }
        let number = self.all.len() as u32;
        let mut propositions = names[self.num_actions..].iter().enumerate();
        let keeps_propositions = propositions.all(|(old, &new)| old as u32 == new);
        self.all.push(Context { names: names.clone(), keeps_propositions });
        self.number_of.insert(names, number);
        number
    }

    /// The context of a restriction.
    pub fn restriction(&mut self, actions: &[u32]) -> u32 {
        let mut names = self.all[IDENTITY as usize].names.clone();
        for &action in actions {
            names[action as usize] = NONE;
        }
        self.number(names)
    }

    /// The context of a relabelling.
    pub fn relabelling(&mut self, relabelling: &Relabelling) -> u32 {
        let mut names = self.all[IDENTITY as usize].names.clone();
        for &(old, new) in &relabelling.actions {
            names[old as usize] = new;
        }
        for &(old, new) in &relabelling.propositions {
            names[self.num_actions + old as usize] = new;
        }
        self.number(names)
    }

    /// The context that does what `inner` does, and then what `outer` does.
    pub fn compose(&mut self, outer: u32, inner: u32) -> u32 {
        if outer == IDENTITY {
            return inner;
        }
        if inner == IDENTITY {
            return outer;
        }
        if let Some(&known) = self.compositions.get(&(outer, inner)) {
            return known;
        }
        let (actions, propositions) = self.all[outer as usize].names.split_at(self.num_actions);
        let (first, rest) = self.all[inner as usize].names.split_at(self.num_actions);
        let action = |&name: &u32| if name == NONE { NONE } else { actions[name as usize] };
        let actions = first.iter().map(action);
        let names = actions.chain(rest.iter().map(|&name| propositions[name as usize])).collect();
        let number = self.number(names);
        self.compositions.insert((outer, inner), number);
        number
    }

    /// The new action; `None` if it is restricted. Inputs stay inputs, outputs stay outputs.
    #[inline]
    pub fn action(&self, context: u32, action: u32) -> Option<u32> {
        let new = self.all[context as usize].names[(action & !OUTPUT) as usize];
        (new != NONE).then_some(new | (action & OUTPUT))
    }

    /// The new proposition.
    pub fn proposition(&self, context: u32, proposition: u32) -> u32 {
        self.all[context as usize].names[self.num_actions + proposition as usize]
    }

    #[inline]
    pub fn keeps_propositions(&self, context: u32) -> bool {
        self.all[context as usize].keeps_propositions
    }

    /// Names of actions that are restricted, and pairs of names of actions and of propositions that differ.
    pub fn changes(&self, context: u32) -> (Vec<u32>, Relabelling) {
        let (actions, propositions) = self.all[context as usize].names.split_at(self.num_actions);
        let pairs = |names: &[u32]| {
            let all = names.iter().enumerate().map(|(old, &new)| (old as u32, new));
            all.filter(|&(old, new)| new != NONE && old != new).collect()
        };
        let restricted = (0..actions.len() as u32).filter(|&name| actions[name as usize] == NONE).collect();
        (restricted, Relabelling { actions: pairs(actions), propositions: pairs(propositions) })
    }

    pub fn bytes(&self) -> usize {
        let names = self.all.len() * (8 * self.all[0].names.len() + 64);
        names + 24 * self.compositions.capacity()
    }
}

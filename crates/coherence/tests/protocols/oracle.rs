//! A second opinion: the machine itself, cache by cache, with the values of the data.
//!
//! A value is the number of the store that wrote it. A cache with a copy holds the number that the whole line had when it got it; a store
//! begins a new number, but only on top of the latest one. Numbers are replaced by their ranks, so that there are finitely many machines.

use std::collections::{HashMap, VecDeque};
use volvelle_coherence::{Counterexample, Operation, Protocol, Source, State, read, shipped};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};

/// A protocol that must be readable.
pub fn protocol(text: &str) -> Protocol {
    let mut sources = Sources::new();
    let (protocol, found) = read(sources.add("p.toml", text), text);
    protocol.unwrap_or_else(|| panic!("{}", render_all(&found, &sources, RenderOptions::default())))
}

/// A protocol that is there without a file.
pub fn by_name(name: &str) -> Protocol {
    protocol(shipped(name).expect("it is there"))
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// The copy of each cache: state, and number of the value.
    pub caches: Vec<(usize, u32)>,
    pub memory: u32,
    pub latest: u32,
}

impl Machine {
    pub fn new(caches: usize) -> Machine {
        Machine { caches: vec![(0, 0); caches], memory: 0, latest: 0 }
    }

    /// The same machine with ranks for numbers.
    fn ranked(mut self) -> Machine {
        for cache in &mut self.caches {
            if cache.0 == 0 {
                cache.1 = self.latest;
            }
        }
        let mut values: Vec<u32> = self.caches.iter().map(|cache| cache.1).collect();
        values.extend([self.memory, self.latest]);
        values.sort_unstable();
        values.dedup();
        let rank = |value: &mut u32| *value = values.iter().position(|v| v == value).unwrap() as u32;
        self.caches.iter_mut().for_each(|cache| rank(&mut cache.1));
        rank(&mut self.memory);
        rank(&mut self.latest);
        self
    }

    fn strongest_of_others(&self, who: usize) -> usize {
        let others = self.caches.iter().enumerate().filter(|(cache, _)| *cache != who);
        others.map(|(_, cache)| cache.0).max().unwrap_or(0)
    }

    /// Who may provide the line to a cache.
    fn providers(&self, who: usize) -> Vec<usize> {
        let strongest = self.strongest_of_others(who);
        (0..self.caches.len())
            .filter(|&cache| cache != who && strongest > 0 && self.caches[cache].0 == strongest)
            .collect()
    }

    /// The machine after an operation; none if the operation is wrong. Faults are looked for after everything was done.
    pub fn after(
        &self,
        protocol: &Protocol,
        who: usize,
        operation: Operation,
        from: usize,
    ) -> Option<Machine> {
        let strongest = self.strongest_of_others(who);
        let rule = protocol.rule(operation, state(self.caches[who].0), state(strongest))?;
        let (was, copy) = self.caches[who];
        let becomes = rule.own.index();
        let mut fine = true;
        let mut next = self.clone();
        for (cache, line) in next.caches.iter_mut().enumerate() {
            if cache != who {
                line.0 = rule.others[line.0].index();
            }
        }
        next.caches[who].0 = becomes;
        let value = match protocol.transfers[rule.transfer.index()].source {
            Source::None => {
                fine &= was != 0;
                fine &= (0..self.caches.len()).all(|c| c == who || next.caches[c].0 == self.caches[c].0);
                copy
            }
            Source::Home if protocol.dirty[was] => copy,
            Source::Home => self.memory,
            Source::Provider => {
                fine &= strongest > 0;
                let provided = self.caches[from].1;
                let before = protocol.dirty[self.caches[from].0];
                let after = protocol.dirty[next.caches[from].0];
                let none_dirty = next.caches.iter().all(|line| !protocol.dirty[line.0]);
                if none_dirty || before && !after && !protocol.dirty[becomes] {
                    next.memory = provided;
                }
                provided
            }
        };
        fine &= value == self.latest;
        next.caches[who].1 = value;
        if operation == Operation::Load {
            fine &= becomes != 0;
        } else {
            fine &= protocol.dirty[becomes];
            next.latest += 1;
            next.caches[who].1 = next.latest;
        }
        let holders = next.caches.iter().filter(|line| line.0 > 0).count();
        let exclusive = next.caches.iter().filter(|line| protocol.exclusive[line.0]).count();
        let dirty = next.caches.iter().filter(|line| protocol.dirty[line.0]).count();
        fine &= exclusive == 0 || holders == 1;
        fine &= dirty <= 1;
        fine &= next.memory == next.latest
            || next.caches.iter().any(|line| protocol.dirty[line.0] && line.1 == next.latest);
        fine.then_some(next)
    }
}

fn state(at: usize) -> State {
    State(at as u8)
}

/// The length of a shortest run of so many caches that goes wrong. All three operations are tried, whether atomic ones have rows or not.
pub fn shortest_error(protocol: &Protocol, caches: usize) -> Option<usize> {
    let start = Machine::new(caches);
    let mut lengths = HashMap::from([(start.clone(), 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(machine) = queue.pop_front() {
        let length = lengths[&machine];
        for who in 0..caches {
            for operation in Operation::ALL {
                // Without a provider the choice does not matter.
                let mut providers = machine.providers(who);
                if providers.is_empty() {
                    providers.push(who);
                }
                for from in providers {
                    let Some(next) = machine.after(protocol, who, operation, from) else {
                        return Some(length + 1);
                    };
                    // Caches are alike.
                    let mut next = next.ranked();
                    next.caches.sort_unstable();
                    if !lengths.contains_key(&next) {
                        lengths.insert(next.clone(), length + 1);
                        queue.push_back(next);
                    }
                }
            }
        }
    }
    None
}

/// The fewest caches that go wrong, up to `most`, and the length of their shortest wrong run.
pub fn least_error(protocol: &Protocol, most: usize) -> Option<(usize, usize)> {
    (2..=most).find_map(|caches| shortest_error(protocol, caches).map(|length| (caches, length)))
}

/// Goes through a run: each step but the last is right and leads to the states that it shows, and the last is wrong.
pub fn confirm(protocol: &Protocol, run: &Counterexample) {
    let mut machine = Machine::new(run.caches);
    for (at, step) in run.steps.iter().enumerate() {
        let from = step.provider.unwrap_or(step.cache);
        if let Some(provider) = step.provider {
            assert!(machine.providers(step.cache).contains(&provider), "{run:?}");
        }
        let next = machine.after(protocol, step.cache, step.operation, from);
        if at + 1 == run.steps.len() {
            assert!(next.is_none(), "the last step is fine: {run:?}");
            return;
        }
        let next = next.unwrap_or_else(|| panic!("step {at} is wrong: {run:?}"));
        for (line, shown) in next.caches.iter().zip(&step.lines) {
            assert_eq!(line.0, shown.state.index(), "{run:?}");
            assert_eq!(line.0 > 0 && line.1 == next.latest, shown.is_latest, "{run:?}");
        }
        assert_eq!(next.memory == next.latest, step.is_memory_latest, "{run:?}");
        machine = next;
    }
    panic!("a run without steps");
}

//! An explicit graph in which every state has a step, with steps in both directions.

use super::blocking::{Blocking, SINK};
use crate::{Failure, System};
use dashu_ratio::RBig;
use std::borrow::Cow;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_logic::{Wctl, WctlFormula};
use volvelle_space::{BitSet, WeightedBuilder, WeightedStep, WeightedStructure};

/// States between checks of limits.
const PATIENCE: usize = 1 << 14;

/// States and steps, in which blocking states were given a step.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    /// Number of states of the structure; a sink comes after them.
    pub own_states: usize,
    /// Steps of state `s`: `starts[s]..starts[s + 1]`.
    pub starts: Vec<u32>,
    pub steps: Cow<'a, [WeightedStep]>,
}

impl<'a> Graph<'a> {
    /// The graph of a structure. Steps are copied only if there are blocking states.
    pub fn of(structure: &'a WeightedStructure, blocking: Blocking) -> Result<Self, Failure> {
        let states = structure.num_states();
        let mut starts = vec![0];
        if (0..states as u32).all(|state| !structure.outgoing(state).is_empty()) {
            starts.extend((0..states as u32).map(|state| structure.range(state).end as u32));
            return Ok(Graph { own_states: states, starts, steps: Cow::Borrowed(structure.steps()) });
        }
        let mut steps = Vec::with_capacity(structure.num_steps());
        for state in 0..states as u32 {
            steps.extend_from_slice(structure.outgoing(state));
            close(state, &mut starts, &mut steps, blocking)?;
        }
        Ok(Self::finished(starts, steps))
    }

    /// Numbers the sink, if there is one.
    fn finished(mut starts: Vec<u32>, mut steps: Vec<WeightedStep>) -> Self {
        let own_states = starts.len() - 1;
        let mut has_sink = false;
        for step in steps.iter_mut().filter(|step| step.target == SINK) {
            (step.target, has_sink) = (own_states as u32, true);
        }
        if has_sink {
            steps.push(WeightedStep { weight: 0, target: own_states as u32 });
            starts.push(steps.len() as u32);
        }
        Graph { own_states, starts, steps: Cow::Owned(steps) }
    }

    pub fn num_states(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub fn outgoing(&self, state: usize) -> &[WeightedStep] {
        &self.steps[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The states and steps as a separate structure, without propositions.
    pub fn structure(&self) -> WeightedStructure {
        let mut builder = WeightedBuilder::new();
        for state in 0..self.num_states() {
            builder.state([], self.outgoing(state).iter().copied());
        }
        builder.finish(0, RBig::ONE, Vec::new())
    }

    /// The steps grouped by target, each with its source.
    pub fn reversed(&self) -> Reverse {
        let states = self.num_states();
        let mut starts = vec![0u32; states + 1];
        for step in self.steps.iter() {
            starts[step.target as usize + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut steps = vec![WeightedStep { weight: 0, target: 0 }; self.steps.len()];
        for state in 0..states {
            for step in self.outgoing(state) {
                let place = &mut next[step.target as usize];
                steps[*place as usize] = WeightedStep { weight: step.weight, target: state as u32 };
                *place += 1;
            }
        }
        Reverse { starts, steps }
    }
}

/// Steps grouped by target.
#[derive(Debug)]
pub(super) struct Reverse {
    starts: Vec<u32>,
    /// With sources in place of targets.
    steps: Vec<WeightedStep>,
}

impl Reverse {
    #[inline]
    pub fn incoming(&self, state: u32) -> &[WeightedStep] {
        let state = state as usize;
        &self.steps[self.starts[state] as usize..self.starts[state + 1] as usize]
    }
}

/// Ends the list of steps of a state.
fn close(
    state: u32,
    starts: &mut Vec<u32>,
    steps: &mut Vec<WeightedStep>,
    blocking: Blocking,
) -> Result<(), Failure> {
    if starts.last().is_some_and(|&start| start as usize == steps.len()) {
        let target = if blocking == Blocking::Loop { state } else { SINK };
        steps.push(WeightedStep { weight: 0, target });
    }
    // The sink has a step, too.
    let end = u32::try_from(steps.len() + 1).map_err(|_| Failure::Stopped(Stop::Memory))?;
    starts.push(end - 1);
    Ok(())
}

/// Generates all states of a system that are known or reachable, and evaluates the conditions of a formula in
/// them.
pub(super) fn explored<S: System>(
    system: &mut S,
    formula: &WctlFormula,
    blocking: Blocking,
    control: &Control<'_>,
) -> Result<(Graph<'static>, Vec<BitSet>), Failure> {
    let (mut starts, mut steps) = (vec![0], Vec::new());
    let mut atoms = vec![BitSet::default(); formula.atoms.len()];
    let mut used = vec![false; atoms.len()];
    for node in &formula.nodes {
        if let Wctl::Atom(atom) = node {
            used[atom.index()] = true;
        }
    }
    let mut state = 0;
    while state < system.num_known() {
        if state.is_multiple_of(PATIENCE) {
            control.check()?;
            if control.limits.states.is_some_and(|limit| system.num_known() as u64 > limit) {
                return Err(Stop::States.into());
            }
            let sets: u64 = atoms.iter().map(BitSet::bytes).sum();
            let bytes = (4 * starts.capacity() + 16 * steps.capacity()) as u64 + sets;
            control.check_memory(bytes)?;
            control.progress.report(ProgressEvent::Exploring {
                counted: Counted::default(),
                states: system.num_known() as u64,
                transitions: steps.len() as u64,
                frontier: (system.num_known() - state) as u64,
                bytes,
            });
        }
        system.steps(state as u32, &mut steps)?;
        close(state as u32, &mut starts, &mut steps, blocking)?;
        for (atom, set) in atoms.iter_mut().enumerate() {
            if used[atom] && system.holds(state as u32, atom)? {
                set.insert_growing(state);
            }
        }
        state += 1;
    }
    if control.limits.states.is_some_and(|limit| state as u64 > limit) {
        return Err(Stop::States.into());
    }
    let graph = Graph::finished(starts, steps);
    let states = graph.num_states();
    let mut atoms: Vec<BitSet> =
        atoms.into_iter().map(|set| BitSet::from_words(set.words().to_vec(), states)).collect();
    fill_sink(&graph, formula, &mut atoms)?;
    Ok((graph, atoms))
}

/// Evaluates conditions in the sink, where all amounts are 0.
pub(super) fn fill_sink(
    graph: &Graph<'_>,
    formula: &WctlFormula,
    atoms: &mut [BitSet],
) -> Result<(), Failure> {
    if graph.num_states() > graph.own_states {
        for (atom, set) in formula.atoms.iter().zip(atoms) {
            if atom.evaluate(|_| 0).ok_or(Failure::Overflow)? {
                set.insert(graph.own_states);
            }
        }
    }
    Ok(())
}

//! The meaning of weighted CCS, word by word: terms as trees, parallel composition with two parts, no term simplified, nothing remembered.
//! And what compares a structure with it: partitions that are refined naively.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use volvelle_space::WeightedStructure;
use volvelle_wks::wccs::{OUTPUT, TAU, Term, Wccs};

/// Terms deeper than this are not interpreted: the interpreter calls itself.
const DEEPEST: usize = 100;

/// A term during a run.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Literal {
    Written(u32),
    Parallel(Rc<Literal>, Rc<Literal>),
    Restrict(u32, Rc<Literal>),
    Relabel(u32, Rc<Literal>),
}

struct Step {
    action: u32,
    /// The index of the weight.
    weight: u32,
    target: Rc<Literal>,
}

/// Propositions by state, and steps: weights, not their indices.
pub struct Plain {
    pub propositions: Vec<BTreeMap<u32, u64>>,
    pub steps: Vec<Vec<(u64, usize)>>,
}

impl Plain {
    /// A structure, whose states keep their numbers.
    pub fn of(structure: &WeightedStructure) -> Plain {
        let states = 0..structure.num_states() as u32;
        let valuation = |state| {
            structure.valuation(state).iter().map(|&(name, times)| (name, times.unsigned_abs())).collect()
        };
        let steps = |state| {
            structure.outgoing(state).iter().map(|step| (step.weight, step.target as usize)).collect()
        };
        Plain { propositions: states.clone().map(valuation).collect(), steps: states.map(steps).collect() }
    }
}

/// All states of a process, the first of which is the initial one; `None` if there are more than `limit`, or terms grow deep.
pub fn literal(system: &Wccs, process: u32, limit: usize) -> Option<Plain> {
    let initial = Rc::new(Literal::Written(system.processes[process as usize].body));
    let mut number_of = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut plain = Plain { propositions: Vec::new(), steps: Vec::new() };
    while plain.steps.len() < states.len() {
        let state = states[plain.steps.len()].clone();
        let mut outgoing = Vec::new();
        for step in steps(system, &state, DEEPEST)? {
            let number = *number_of.entry(step.target.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(step.target);
            }
            outgoing.push((system.weights[step.weight as usize], number));
        }
        if states.len() > limit {
            return None;
        }
        let mut propositions = BTreeMap::new();
        count(system, &state, DEEPEST, &mut propositions)?;
        plain.propositions.push(propositions);
        plain.steps.push(outgoing);
    }
    Some(plain)
}

/// Several parts that are written in a row, as compositions of two.
fn folded(parts: &[u32]) -> (Literal, Literal) {
    let written = |&part: &u32| Literal::Written(part);
    let (first, rest) = parts.split_first().expect("a composition has parts");
    let (last, between) = rest.split_last().expect("a composition has two parts");
    let rest = between
        .iter()
        .rev()
        .fold(written(last), |right, part| Literal::Parallel(Rc::new(written(part)), Rc::new(right)));
    (written(first), rest)
}

fn steps(system: &Wccs, state: &Literal, depth: usize) -> Option<Vec<Step>> {
    let depth = depth.checked_sub(1)?;
    match state {
        Literal::Written(term) => match system.terms[*term as usize] {
            Term::Null => Some(Vec::new()),
            Term::Constant(process) => {
                steps(system, &Literal::Written(system.processes[process as usize].body), depth)
            }
            Term::Prefix { action, weight, next } => {
                Some(vec![Step { action, weight, target: Rc::new(Literal::Written(next)) }])
            }
            Term::Choice(list) => {
                let parts = system.lists[list as usize].iter();
                let all: Option<Vec<Vec<Step>>> =
                    parts.map(|&part| steps(system, &Literal::Written(part), depth)).collect();
                Some(all?.into_iter().flatten().collect())
            }
            Term::Parallel(list) => {
                let (left, right) = folded(&system.lists[list as usize]);
                steps(system, &Literal::Parallel(Rc::new(left), Rc::new(right)), depth)
            }
            Term::Label(_, inner) => steps(system, &Literal::Written(inner), depth),
            Term::Restrict(list, inner) => {
                steps(system, &Literal::Restrict(list, Rc::new(Literal::Written(inner))), depth)
            }
            Term::Relabel(map, inner) => {
                steps(system, &Literal::Relabel(map, Rc::new(Literal::Written(inner))), depth)
            }
        },
        Literal::Parallel(left, right) => {
            let (lefts, rights) = (steps(system, left, depth)?, steps(system, right, depth)?);
            let both = |a: &Rc<Literal>, b: &Rc<Literal>| Rc::new(Literal::Parallel(a.clone(), b.clone()));
            let mut all = Vec::new();
            for a in &lefts {
                all.push(Step { target: both(&a.target, right), ..*a });
                for b in &rights {
                    if a.action != TAU && b.action != TAU && a.action ^ b.action == OUTPUT {
                        let weight = a.weight.max(b.weight);
                        all.push(Step { action: TAU, weight, target: both(&a.target, &b.target) });
                    }
                }
            }
            all.extend(rights.iter().map(|b| Step { target: both(left, &b.target), ..*b }));
            Some(all)
        }
        Literal::Restrict(list, inner) => {
            let restricted = &system.lists[*list as usize];
            let mut all = steps(system, inner, depth)?;
            all.retain(|step| !restricted.contains(&(step.action & !OUTPUT)));
            for step in &mut all {
                step.target = Rc::new(Literal::Restrict(*list, step.target.clone()));
            }
            Some(all)
        }
        Literal::Relabel(map, inner) => {
            let names = &system.relabellings[*map as usize].actions;
            let mut all = steps(system, inner, depth)?;
            for step in &mut all {
                let name = step.action & !OUTPUT;
                let new = names.iter().find(|(old, _)| *old == name).map_or(name, |&(_, new)| new);
                step.action = new | (step.action & OUTPUT);
                step.target = Rc::new(Literal::Relabel(*map, step.target.clone()));
            }
            Some(all)
        }
    }
}

fn count(system: &Wccs, state: &Literal, depth: usize, into: &mut BTreeMap<u32, u64>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let written = |term: u32| Literal::Written(term);
    match state {
        Literal::Written(term) => match system.terms[*term as usize] {
            Term::Null | Term::Prefix { .. } => Some(()),
            Term::Constant(process) => {
                count(system, &written(system.processes[process as usize].body), depth, into)
            }
            Term::Choice(list) | Term::Parallel(list) => {
                let mut parts = system.lists[list as usize].iter();
                parts.try_for_each(|&part| count(system, &written(part), depth, into))
            }
            Term::Label(name, inner) => {
                *into.entry(name).or_insert(0) += 1;
                count(system, &written(inner), depth, into)
            }
            Term::Restrict(_, inner) => count(system, &written(inner), depth, into),
            Term::Relabel(map, inner) => {
                count(system, &Literal::Relabel(map, Rc::new(written(inner))), depth, into)
            }
        },
        Literal::Parallel(left, right) => {
            count(system, left, depth, into)?;
            count(system, right, depth, into)
        }
        Literal::Restrict(_, inner) => count(system, inner, depth, into),
        Literal::Relabel(map, inner) => {
            let names = &system.relabellings[*map as usize].propositions;
            let mut inside = BTreeMap::new();
            count(system, inner, depth, &mut inside)?;
            for (name, times) in inside {
                let new = names.iter().find(|(old, _)| *old == name).map_or(name, |&(_, new)| new);
                *into.entry(new).or_insert(0) += times;
            }
            Some(())
        }
    }
}

/// Whether the first states of two structures are strongly bisimilar, with propositions, multiplicities and weights.
pub fn bisimilar(one: &Plain, other: &Plain) -> bool {
    let states: Vec<(&Plain, usize, usize)> = (0..one.steps.len())
        .map(|state| (one, state, 0))
        .chain((0..other.steps.len()).map(|state| (other, state, one.steps.len())))
        .collect();
    let mut block = numbered(states.iter().map(|&(plain, state, _)| &plain.propositions[state]));
    loop {
        let signature = |(at, &(plain, state, offset)): (usize, &(&Plain, usize, usize))| {
            let steps = plain.steps[state].iter();
            let mut steps: Vec<(u64, usize)> =
                steps.map(|&(weight, target)| (weight, block[target + offset])).collect();
            steps.sort_unstable();
            steps.dedup();
            (block[at], steps)
        };
        let refined = numbered(states.iter().enumerate().map(signature));
        if num_different(&refined) == num_different(&block) {
            return block[0] == block[one.steps.len()];
        }
        block = refined;
    }
}

fn numbered<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut number_of = HashMap::new();
    values
        .map(|value| {
            let next = number_of.len();
            *number_of.entry(value).or_insert(next)
        })
        .collect()
}

fn num_different(blocks: &[usize]) -> usize {
    blocks.iter().collect::<HashSet<_>>().len()
}

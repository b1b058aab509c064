//! The product of systems, generated breadth first from the initial states.

use super::NetworkError;
use super::states::States;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_space::{Edge, Labels, Lts};

/// States between two looks at limits.
const PATIENCE: usize = 1 << 10;

/// A common step: some members each take a transition with a given label, the others stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Action {
    /// Members that take part, in ascending order, with their labels.
    pub parts: Vec<(u32, u32)>,
    /// The label of the step.
    pub label: u32,
}

/// The part of the product that can be reached, numbered in the order of a breadth-first walk: state 0 is initial. Every combination of
/// transitions is a transition of its own, so that rates add up. Once more states than `enough` are known, no more of them are
/// expanded; also gives how many are, which are the first ones.
///
/// # Errors
/// A limit was reached, or there are too many states or transitions for 32-bit numbers.
pub(super) fn product(
    members: &mut [Lts],
    actions: &[Action],
    labels: Labels,
    enough: usize,
    control: &Control<'_>,
) -> Result<(Lts, usize), NetworkError> {
    members.iter_mut().for_each(|member| member.sort(1));
    let members = &*members;
    let triggers: Vec<Triggers> =
        members.iter().zip(0..).map(|(lts, m)| Triggers::new(lts, m, actions)).collect();
    let mut states = States::new(members.len());
    let mut current: Vec<u32> = members.iter().map(|lts| lts.initial).collect();
    states.number(&current).ok_or(NetworkError::TooLarge)?;
    let mut next = current.clone();
    let (mut starts, mut edges): (Vec<u32>, Vec<Edge>) = (vec![0], Vec::new());
    // Per part of an action: the transitions to choose from, and the chosen one.
    let mut wheels: Vec<(&[Edge], usize)> = Vec::new();
    let mut state = 0;
    while state < states.len() && states.len() <= enough {
        if state.is_multiple_of(PATIENCE) {
            control.check()?;
            if control.limits.states.is_some_and(|limit| states.len() as u64 > limit) {
                return Err(Stop::States.into());
            }
            let bytes =
                states.bytes() + (size_of::<Edge>() * edges.capacity() + 4 * starts.capacity()) as u64;
            control.check_memory(bytes)?;
            control.progress.report(ProgressEvent::Exploring {
                counted: Counted::default(),
                states: states.len() as u64,
                transitions: edges.len() as u64,
                frontier: (states.len() - state) as u64,
                bytes,
            });
        }
        current.copy_from_slice(states.get(state));
        next.copy_from_slice(&current);
        for (member, lts) in members.iter().enumerate() {
            for run in lts.outgoing(current[member]).chunk_by(|a, b| a.label == b.label) {
                for &action in triggers[member].of(run[0].label) {
                    let Action { parts, label } = &actions[action as usize];
                    wheels.clear();
                    wheels.push((run, 0));
                    wheels.extend(parts[1..].iter().map(|&(other, label)| {
                        (with_label(members[other as usize].outgoing(current[other as usize]), label), 0)
                    }));
                    if wheels.iter().any(|(choices, _)| choices.is_empty()) {
                        continue;
                    }
                    loop {
                        for (&(part, _), &(choices, chosen)) in parts.iter().zip(&wheels) {
                            next[part as usize] = choices[chosen].target;
                        }
                        let target = states.number(&next).ok_or(NetworkError::TooLarge)?;
                        edges.push(Edge { label: *label, target });
                        if !turn(&mut wheels) {
                            break;
                        }
                    }
                    for &(part, _) in parts {
                        next[part as usize] = current[part as usize];
                    }
                }
            }
        }
        starts.push(u32::try_from(edges.len()).map_err(|_| NetworkError::TooLarge)?);
        state += 1;
    }
    starts.resize(states.len() + 1, edges.len() as u32);
    Ok((Lts::new(0, labels, starts, edges), state))
}

/// The next combination; false behind the last one.
fn turn(wheels: &mut [(&[Edge], usize)]) -> bool {
    for (choices, chosen) in wheels.iter_mut() {
        *chosen += 1;
        if *chosen < choices.len() {
            return true;
        }
        *chosen = 0;
    }
    false
}

/// The transitions with a label, out of sorted ones.
fn with_label(edges: &[Edge], label: u32) -> &[Edge] {
    let start = edges.partition_point(|edge| edge.label < label);
    let length = edges[start..].partition_point(|edge| edge.label == label);
    &edges[start..start + length]
}

/// By label of a member: the actions of which it is the first part.
struct Triggers {
    starts: Vec<u32>,
    actions: Vec<u32>,
}

impl Triggers {
    fn new(lts: &Lts, member: u32, actions: &[Action]) -> Self {
        let mut own: Vec<(u32, u32)> = (0u32..)
            .zip(actions)
            .filter(|(_, action)| action.parts[0].0 == member)
            .map(|(number, action)| (action.parts[0].1, number))
            .collect();
        own.sort_unstable();
        let starts =
            (0..=lts.labels.len() as u32).map(|label| own.partition_point(|own| own.0 < label) as u32);
        Triggers { starts: starts.collect(), actions: own.iter().map(|&(_, number)| number).collect() }
    }

    fn of(&self, label: u32) -> &[u32] {
        &self.actions[self.starts[label as usize] as usize..self.starts[label as usize + 1] as usize]
    }
}

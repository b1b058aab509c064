//! The Markov chain over the tangible states, with numbers: rates, and the rate of each measured action.

use volvelle_logic::Ratio;
use volvelle_logic::gate::Range;
use volvelle_space::{
    Accuracy, BitSet, ExactRewards, ExactSpace, Kind, Ratios, RewardVectors, Space, StateId, Values,
    ValuesBuilder,
};

use crate::interval::Bounds;
use crate::numbers::{Code, Numbers, ONE, ZERO};
use crate::structure::Structure;

/// A chain with numbers. If the initial state is vanishing and leads to several tangible states, one more
/// state represents it, which is left after a mean time of one.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    /// The chain, without rewards.
    pub space: Space,
    /// Exact rates, in the order of the space's.
    pub rates: Ratios,
    /// The rates of actions in each tangible state `s`: `counted[starts[s]..starts[s + 1]]`.
    pub starts: Vec<u32>,
    /// Actions, each with the code of its rate.
    pub counted: Vec<(u32, Code)>,
    /// Initial distribution over the tangible states.
    pub initial: Vec<(u32, Code)>,
    /// Expected counts of actions before time first passes.
    pub at_once: Vec<(u32, Code)>,
    /// All numbers.
    pub numbers: Numbers,
    /// Enclosures of all numbers.
    pub enclosures: Vec<Bounds>,
    /// The state that represents the initial one, if it is added.
    pub start: Option<u32>,
}

/// The accuracy of numbers that are rounded once.
const NEAREST: Accuracy = Accuracy::Relative(f64::EPSILON / 2.0);

impl Generator {
    /// The chain of a structure without choices. `rates` has the rate of each label; `None` for labels
    /// without one.
    pub fn new(structure: &Structure, measured: &[u32], rates: &[Option<dashu_ratio::RBig>]) -> Self {
        let mut numbers = structure.numbers.clone();
        let rate: Vec<Code> =
            rates.iter().map(|rate| rate.as_ref().map_or(ZERO, |rate| numbers.place(rate.clone()))).collect();
        let n = structure.num_states();
        let arena = &structure.outcomes.arena;
        let mut row_start = vec![0u32];
        let (mut columns, mut codes) = (Vec::new(), Vec::new());
        let (mut starts, mut counted) = (vec![0u32], Vec::new());
        let mut deadlocks = BitSet::new(n + 1);
        let [mut row, mut counts]: [Vec<(u32, Code)>; 2] = Default::default();
        for state in 0..n {
            row.clear();
            counts.clear();
            for delay in structure.delays_of(state) {
                let code = rate[delay.label as usize];
                let outcome = structure.outcome(delay.target);
                for (target, probability) in structure.reaches(outcome) {
                    row.push((target, numbers.product(code, probability)));
                }
                if measured[delay.label as usize] != crate::kinds::UNMEASURED {
                    counts.push((measured[delay.label as usize], code));
                }
                for &(action, count) in arena.counts(outcome) {
                    counts.push((action, numbers.product(code, count)));
                }
            }
            numbers.merge(&mut row);
            numbers.merge(&mut counts);
            if row.is_empty() {
                row.push((state as u32, ONE));
                if structure.end != Some(state as u32) {
                    deadlocks.insert(state);
                }
            }
            columns.extend(row.iter().map(|&(target, _)| target));
            codes.extend(row.iter().map(|&(_, code)| code));
            row_start.push(columns.len() as u32);
            counted.extend_from_slice(&counts);
            starts.push(counted.len() as u32);
        }
        let outcome = structure.outcome(structure.initial);
        let initial: Vec<(u32, Code)> = {
            let mut initial: Vec<_> = structure.reaches(outcome).collect();
            initial.sort_unstable();
            initial
        };
        let at_once = arena.counts(outcome).to_vec();
        let start = (initial.len() > 1).then_some(n as u32);
        if start.is_some() {
            columns.extend(initial.iter().map(|&(target, _)| target));
            codes.extend(initial.iter().map(|&(_, code)| code));
            row_start.push(columns.len() as u32);
            starts.push(counted.len() as u32);
        }
        let states = row_start.len() - 1;
        let doubles = numbers.doubles();
        let values = of_codes(&codes, &doubles);
        let space = Space {
            kind: Kind::Ctmc,
            choices: None,
            row_start,
            columns,
            values,
            initial: vec![StateId(start.unwrap_or(initial[0].0))],
            deadlocks: BitSet::of(states, deadlocks.iter()),
            labels: Vec::new(),
            rewards: Vec::new(),
            actions: vec![String::new()],
        };
        let enclosures =
            numbers.all().iter().map(|number| Ratio::Finite(number.clone()).enclosure()).collect();
        let rates = Ratios::new(numbers.all().to_vec(), codes);
        Generator { space, rates, starts, counted, initial, at_once, numbers, enclosures, start }
    }

    /// The rates of actions in a state.
    pub fn counted_in(&self, state: usize) -> &[(u32, Code)] {
        &self.counted[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The range of the throughput of each measured action: an average lies between the least and the
    /// greatest averaged rate.
    pub fn throughputs(&self, actions: usize) -> Vec<Range> {
        let mut most = vec![0.0f64; actions];
        for &(action, code) in &self.counted {
            let most = &mut most[action as usize];
            *most = most.max(self.enclosure(code)[1]);
        }
        most.into_iter().map(|most| Range::between(0.0, most)).collect()
    }

    /// The codes of an action's rate in every state.
    fn codes_of(&self, action: u32) -> impl Iterator<Item = Code> + '_ {
        (0..self.space.num_states()).map(move |state| {
            let row = self.counted_in(state);
            row.iter().find(|(known, _)| *known == action).map_or(ZERO, |&(_, code)| code)
        })
    }

    /// The rate of an action in every state, as a reward.
    pub fn rewards(&self, action: u32, name: &str) -> RewardVectors {
        let mut values = ValuesBuilder::new();
        let doubles = self.numbers.doubles();
        self.codes_of(action).for_each(|code| values.push(doubles[code as usize]));
        RewardVectors {
            name: name.to_owned(),
            state: None,
            choice: Some(values.finish()),
            mixed: true,
            accuracy: NEAREST,
        }
    }

    /// The chain with the rates of all actions as rewards, and exact numbers.
    pub fn with_rewards(&self, actions: &[String]) -> (Space, ExactSpace) {
        let rewards = actions.iter().zip(0..).map(|(name, action)| self.rewards(action, name)).collect();
        let distinct = self.numbers.all();
        let exact = (0..actions.len() as u32).map(|action| ExactRewards {
            state: None,
            choice: Some(Ratios::new(distinct.to_vec(), self.codes_of(action).collect())),
        });
        let exact = ExactSpace { values: self.rates.clone(), rewards: exact.collect(), numbers: Vec::new() };
        (Space { rewards, ..self.space.clone() }, exact)
    }

    /// The initial distribution, with enclosures.
    pub fn initial_bounds(&self) -> Vec<(u32, Bounds)> {
        self.initial.iter().map(|&(state, code)| (state, self.enclosure(code))).collect()
    }

    /// The enclosure of the number with a code.
    pub fn enclosure(&self, code: Code) -> Bounds {
        self.enclosures[code as usize]
    }
}

/// The doubles of codes.
fn of_codes(codes: &[Code], doubles: &[f64]) -> Values {
    let mut values = ValuesBuilder::new();
    codes.iter().for_each(|&code| values.push(doubles[code as usize]));
    values.finish()
}

//! Chains with choices that matter, as Markov decision processes.
//!
//! The states are the *entries*: the tangible states, and those vanishing states with several outcomes that
//! are reached by a delay or at the start. A choice of an entry is one of its outcomes, together with what
//! happens until the next entry: the tangible state that the outcome draws, and one step from there. So every
//! step passes time; choices pass none, and are made on arrival. For long-run averages, the step is one of
//! the uniformised chain. Its steps take equally long, so averages per step are proportional to averages per
//! unit of time. For passages, it is one of the embedded chain. Both follow Guck, Hatefi, Hermanns, Katoen
//! and Timmer, *Modelling, reduction and analysis of Markov automata*, QEST 2013,
//! doi:10.1007/978-3-642-40196-1_5, with immediate steps combined.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::{Accuracy, BitSet, Choices, Kind, RewardVectors, Space, StateId, Values, ValuesBuilder};

use crate::eliminate::Outcome;
use crate::kinds::{Kinds, UNMEASURED};
use crate::numbers::{Code, Numbers, ONE, ZERO};
use crate::problem::Problem;
use crate::structure::Structure;

/// The meaning of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A step of the uniformised chain. Rewards: the rate of each action.
    Uniform,
    /// A step of the uniformised chain, with this many times as many steps as needed. Reward: the probability
    /// that the choice ends the passage before any step.
    Timed(u32),
    /// A step of the embedded chain. Reward: the time until the end of the passage.
    Jump,
}

/// Entries between checks of the limits.
const BATCH: usize = 1 << 14;

struct Builder<'a> {
    structure: &'a Structure,
    measured: &'a [u32],
    numbers: Numbers,
    rate: Vec<Code>,
    /// The entries of states with several outcomes. Tangible states have their own numbers.
    entry: rustc_hash::FxHashMap<u32, u32>,
    /// The sum of the rates of each tangible state.
    exit: Vec<Code>,
    /// Steps of the uniformised chain per unit of time.
    pace: RBig,
    step: Step,
}

/// The decision process of a structure, and the number of steps of the uniformised chain per unit of time.
/// `rates` has the rate of each label.
pub(crate) fn process(
    structure: &Structure,
    kinds: &Kinds,
    rates: &[Option<RBig>],
    step: Step,
    control: &Control,
) -> Result<(Space, RBig), Problem> {
    let mut numbers = structure.numbers.clone();
    let rate: Vec<Code> =
        rates.iter().map(|rate| rate.as_ref().map_or(ZERO, |rate| numbers.place(rate.clone()))).collect();
    let n = structure.num_states();
    let mut entries: Vec<u32> = structure.tangible.clone();
    let mut entry = rustc_hash::FxHashMap::default();
    let is_start = structure.outcomes.of(structure.initial).len() > 1
        || structure.reaches(structure.outcome(structure.initial)).count() > 1;
    let decisions = structure.delays.iter().map(|delay| delay.target);
    let decisions = decisions.filter(|&target| structure.outcomes.of(target).len() > 1);
    for state in is_start.then_some(structure.initial).into_iter().chain(decisions) {
        entry.entry(state).or_insert_with(|| {
            entries.push(state);
            entries.len() as u32 - 1
        });
    }
    let mut exit = Vec::with_capacity(n);
    for state in 0..n {
        let delays = structure.delays_of(state).iter();
        exit.push(delays.fold(ZERO, |sum, delay| numbers.sum(sum, rate[delay.label as usize])));
    }
    let largest = exit.iter().map(|&code| numbers.get(code)).max().cloned().unwrap_or(RBig::ZERO);
    let refined = if let Step::Timed(refined) = step { refined } else { 1 };
    let pace = if largest == RBig::ZERO { RBig::ONE } else { largest * RBig::from(refined) };
    let measured = &kinds.measured[..];
    let mut builder = Builder { structure, measured, numbers, rate, entry, exit, pace, step };
    let initial = match builder.entry.get(&structure.initial) {
        Some(&entry) => entry,
        None => structure.reaches(structure.outcome(structure.initial)).next().map_or(0, |(state, _)| state),
    };
    let (mut start, mut row_start) = (vec![0u32], vec![0u32]);
    let (mut columns, mut codes) = (Vec::new(), Vec::<Code>::new());
    let rewards_count = if step == Step::Uniform { kinds.actions.len() } else { 1 };
    let mut rewards: Vec<Vec<(u32, Code)>> = vec![Vec::new(); rewards_count];
    let (mut row, mut earned) = (Vec::new(), Vec::new());
    for (i, &state) in entries.iter().enumerate() {
        for &outcome in structure.outcomes.of(state) {
            builder.choice(outcome, i as u32, &mut row, &mut earned);
            columns.extend(row.iter().map(|&(target, _)| target));
            codes.extend(row.iter().map(|&(_, code)| code));
            let choice = row_start.len() as u32 - 1;
            earned.iter().for_each(|&(reward, code)| rewards[reward as usize].push((choice, code)));
            row_start.push(columns.len() as u32);
        }
        start.push(row_start.len() as u32 - 1);
        if i % BATCH == BATCH - 1 {
            control.check()?;
            control.check_memory(8 * columns.len() as u64)?;
        }
    }
    let choices = row_start.len() - 1;
    let doubles = builder.numbers.doubles();
    let values: Values = codes.iter().map(|&code| doubles[code as usize]).collect();
    let labels = match structure.end {
        Some(end) => vec![("end".to_owned(), BitSet::of(entries.len(), [end as usize]))],
        None => Vec::new(),
    };
    let rewards = rewards.into_iter().map(|row| RewardVectors {
        name: String::new(),
        state: None,
        choice: Some(dense(&row, choices, &doubles)),
        mixed: true,
        accuracy: Accuracy::default(),
    });
    let space = Space {
        kind: Kind::Mdp,
        choices: Some(Choices::new(start, vec![0; choices])),
        row_start,
        columns,
        values,
        initial: vec![StateId(initial)],
        deadlocks: BitSet::new(entries.len()),
        labels,
        rewards: rewards.collect(),
        actions: vec![String::new()],
    };
    Ok((space, builder.pace))
}

/// The numbers of all choices, given those that are not zero.
fn dense(row: &[(u32, Code)], choices: usize, doubles: &[f64]) -> Values {
    let mut values = ValuesBuilder::new();
    let mut next = row.iter().peekable();
    for choice in 0..choices as u32 {
        let here = next.next_if(|(known, _)| *known == choice);
        values.push(here.map_or(0.0, |&(_, code)| doubles[code as usize]));
    }
    values.finish()
}

impl Builder<'_> {
    /// The row of a choice of an entry, and its reward.
    fn choice(
        &mut self,
        outcome: Outcome,
        entry: u32,
        row: &mut Vec<(u32, Code)>,
        earned: &mut Vec<(u32, Code)>,
    ) {
        row.clear();
        earned.clear();
        let structure = self.structure;
        if self.step == Step::Uniform {
            let pace = self.numbers.place(self.pace.clone());
            for &(action, count) in structure.outcomes.arena.counts(outcome) {
                let amount = self.numbers.product(pace, count);
                earned.push((action, amount));
            }
        }
        for (state, share) in structure.reaches(outcome) {
            match self.step {
                Step::Timed(_) => {
                    if structure.end == Some(state) {
                        earned.push((0, share));
                    }
                    self.uniform(state, share, row, &mut Vec::new());
                }
                Step::Uniform => self.uniform(state, share, row, earned),
                Step::Jump => self.jump(state, share, entry, row, earned),
            }
        }
        self.numbers.merge(row);
        self.numbers.merge(earned);
    }

    /// A step of the uniformised chain from the tangible state in which a choice ends with this probability.
    fn uniform(
        &mut self,
        state: u32,
        share: Code,
        row: &mut Vec<(u32, Code)>,
        earned: &mut Vec<(u32, Code)>,
    ) {
        let exit = self.numbers.get(self.exit[state as usize]);
        let stay = RBig::ONE - exit / &self.pace;
        let stay = self.numbers.place(stay);
        row.push((state, self.numbers.product(share, stay)));
        let per_step = self.numbers.place(RBig::ONE / &self.pace);
        let scale = self.numbers.product(share, per_step);
        self.delays(state, scale, row);
        for &delay in self.structure.delays_of(state as usize) {
            let rate = self.numbers.product(share, self.rate[delay.label as usize]);
            let action = self.measured[delay.label as usize];
            if action != UNMEASURED {
                earned.push((action, rate));
            }
            if let [outcome] = *self.structure.outcomes.of(delay.target) {
                for &(action, count) in self.structure.outcomes.arena.counts(outcome) {
                    earned.push((action, self.numbers.product(rate, count)));
                }
            }
        }
    }

    /// A step of the embedded chain from the tangible state in which a choice ends with this probability.
    fn jump(
        &mut self,
        state: u32,
        share: Code,
        entry: u32,
        row: &mut Vec<(u32, Code)>,
        earned: &mut Vec<(u32, Code)>,
    ) {
        if self.exit[state as usize] == ZERO {
            // The end or a deadlock: its own entry, which is never left.
            row.push((state, share));
            if entry == state && self.structure.end != Some(state) {
                earned.push((0, ONE));
            }
            return;
        }
        let sojourn = RBig::ONE / self.numbers.get(self.exit[state as usize]);
        let sojourn = self.numbers.place(sojourn);
        let scale = self.numbers.product(share, sojourn);
        earned.push((0, scale));
        self.delays(state, scale, row);
    }

    /// Adds the entries that the delays of a state lead to, with their rates times a factor.
    fn delays(&mut self, state: u32, scale: Code, row: &mut Vec<(u32, Code)>) {
        for &delay in self.structure.delays_of(state as usize) {
            let code = self.numbers.product(scale, self.rate[delay.label as usize]);
            match *self.structure.outcomes.of(delay.target) {
                [outcome] => {
                    for (target, probability) in self.structure.reaches(outcome) {
                        row.push((target, self.numbers.product(code, probability)));
                    }
                }
                _ => row.push((self.entry[&delay.target], code)),
            }
        }
    }
}

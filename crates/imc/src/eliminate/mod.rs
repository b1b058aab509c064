//! Eliminates vanishing states, in exact arithmetic, sinks first.
//!
//! The *outcome* of a state is the distribution over the tangible states entered next, and the expected
//! number of times that each measured action happens before. The outcome of a tangible state is the state
//! itself. A choice between immediate transitions does not matter if all have the same outcome. By induction
//! in this order, this is so exactly if all resolutions of all choices, with memory or without, give the same
//! distribution and the same expected counts. Stationary and transient probabilities, throughputs and first
//! passages depend on nothing else. The criterion is more liberal than confluence of internal steps, and
//! stricter than equality up to lumping of tangible states.
//!
//! If the probabilities of a state sum to less than one, they are divided by their sum. A state with actions
//! and probabilities has a choice between each of the actions and the branching.

mod cycle;
mod outcome;

pub(crate) use outcome::{Arena, Outcome};

use volvelle_control::Control;
use volvelle_space::{BitSet, Components, Edge, components};

use crate::kinds::{Kind, UNMEASURED};
use crate::numbers::{Code, Numbers, ONE, ZERO};
use crate::problem::{Alternative, Problem};
use crate::system::System;
use outcome::{NOTHING, SURE};

/// Limit of outcomes of a state.
pub(crate) const MOST_OUTCOMES: usize = 256;

/// States between checks of the limits.
const BATCH: usize = 1 << 16;

/// Marks a state with several outcomes.
const SEVERAL: u32 = u32::MAX;

/// Outcomes of all states that are reached.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    pub arena: Arena,
    /// The outcome of each state. If it has several: the distribution [`SEVERAL`], and as counts the index in
    /// `several`.
    of: Vec<Outcome>,
    several: Vec<Vec<Outcome>>,
}

impl Outcomes {
    /// The outcomes of a state; one, unless choices that matter are kept.
    pub fn of(&self, state: u32) -> &[Outcome] {
        let outcome = &self.of[state as usize];
        match outcome.reaches {
            SEVERAL => &self.several[outcome.counts as usize],
            _ => std::slice::from_ref(outcome),
        }
    }

    /// Whether some choice matters.
    pub fn has_choices(&self) -> bool {
        !self.several.is_empty()
    }

    fn set(&mut self, state: u32, outcomes: &[Outcome]) {
        self.of[state as usize] = match *outcomes {
            [one] => one,
            _ => {
                self.several.push(outcomes.to_vec());
                Outcome { reaches: SEVERAL, counts: self.several.len() as u32 - 1 }
            }
        };
    }
}

/// One way to leave a vanishing state: transitions with their probabilities.
type Choice = Vec<(Code, Edge)>;

/// The work in progress.
struct Elimination<'a> {
    system: &'a System<'a>,
    numbers: &'a mut Numbers,
    /// The probability of each label; zero for other labels.
    probabilities: Vec<Code>,
    outcomes: Outcomes,
    keeps_choices: bool,
}

/// Finds the outcomes of all states in `reached`.
pub(crate) fn eliminate(
    system: &System,
    reached: &BitSet,
    keeps_choices: bool,
    numbers: &mut Numbers,
    control: &Control,
) -> Result<Outcomes, Problem> {
    let n = system.num_states();
    if n as u64 >= u64::from(SURE - 1) {
        return Err(Problem::TooLarge { what: format!("states: {n}") });
    }
    control.check_memory(28 * n as u64)?;
    let (starts, targets) = immediate_graph(system, reached);
    let successors = |s: usize| &targets[starts[s] as usize..starts[s + 1] as usize];
    let found: Components =
        components(n + 1, successors, |s| reached.contains(s) && system.is_vanishing(s as u32));
    let probabilities = system.kinds.of.iter().map(|kind| match kind {
        Kind::Probability(p) => numbers.place(p.clone()),
        _ => ZERO,
    });
    let probabilities = probabilities.collect();
    let of = (0..=n as u32).map(|s| Outcome { reaches: s | SURE, counts: NOTHING }).collect();
    let outcomes = Outcomes { arena: Arena::new(), of, several: Vec::new() };
    let mut elimination = Elimination { system, numbers, probabilities, outcomes, keeps_choices };
    for (done, members) in found.iter().enumerate() {
        match *members {
            [state] if !successors(state as usize).contains(&state) => elimination.state(state)?,
            _ => elimination.cycle(members, control)?,
        }
        if done % BATCH == BATCH - 1 {
            control.check()?;
            control.check_memory(28 * n as u64 + elimination.outcomes.arena.bytes())?;
        }
    }
    Ok(elimination.outcomes)
}

/// The immediate transitions of the vanishing states: offsets and targets.
fn immediate_graph(system: &System, reached: &BitSet) -> (Vec<u32>, Vec<u32>) {
    let n = system.num_states();
    let mut starts = Vec::with_capacity(n + 2);
    let mut targets = Vec::new();
    starts.push(0u32);
    for state in 0..n as u32 {
        if reached.contains(state as usize) && system.is_vanishing(state) {
            targets.extend(system.steps(state).map(|edge| system.target(edge)));
        }
        starts.push(targets.len() as u32);
    }
    // The end of the passage is never left.
    starts.push(targets.len() as u32);
    (starts, targets)
}

impl Elimination<'_> {
    /// The ways to leave a vanishing state: each of its actions, and its probabilistic branching.
    fn choices(&mut self, state: u32) -> Result<Vec<Choice>, Problem> {
        let (mut choices, mut branching) = (Vec::new(), Choice::new());
        let mut sum = ZERO;
        for edge in self.system.steps(state) {
            match self.probabilities[edge.label as usize] {
                ZERO => choices.push(vec![(ONE, edge)]),
                code => {
                    sum = self.numbers.sum(sum, code);
                    branching.push((code, edge));
                }
            }
        }
        if branching.is_empty() {
            return Ok(choices);
        }
        if sum != ONE {
            let total = self.numbers.get(sum).clone();
            if total > dashu_ratio::RBig::ONE {
                let trace = self.system.trace_to(state);
                return Err(Problem::ProbabilitySum { state, sum: total.to_f64().value(), trace });
            }
            for (code, _) in &mut branching {
                *code = self.numbers.place(self.numbers.get(*code) / &total);
            }
        }
        choices.push(branching);
        Ok(choices)
    }

    /// The outcome of a vanishing state whose successors have outcomes.
    fn state(&mut self, state: u32) -> Result<(), Problem> {
        let mut steps = self.system.steps(state);
        if let (Some(edge), None) = (steps.next(), steps.next()) {
            // A single way is certain, even with a probability, since probabilities are divided by their sum.
            let target = self.system.target(edge) as usize;
            let mut outcome = self.outcomes.of[target];
            if outcome.reaches != SEVERAL {
                outcome.counts = self.count(outcome.counts, edge.label);
                self.outcomes.of[state as usize] = outcome;
                return Ok(());
            }
        }
        let choices = self.choices(state)?;
        let mut found: Vec<Outcome> = Vec::new();
        for choice in &choices {
            for outcome in self.outcomes_of_choice(state, choice)? {
                if !found.iter().any(|&known| self.outcomes.arena.same(known, outcome)) {
                    found.push(outcome);
                }
                if found.len() > 1 && !self.keeps_choices {
                    let (trace, alternatives) = self.evidence(state, &choices)?;
                    return Err(Problem::Nondeterministic { state, trace, alternatives });
                }
                if found.len() > MOST_OUTCOMES {
                    return Err(Problem::TooManyResolutions { state, limit: MOST_OUTCOMES });
                }
            }
        }
        self.outcomes.set(state, &found);
        Ok(())
    }

    fn count(&mut self, counts: u32, label: u32) -> u32 {
        match self.system.kinds.measured[label as usize] {
            UNMEASURED => counts,
            action => self.outcomes.arena.count_more(counts, action, self.numbers),
        }
    }

    /// The outcomes of one way to leave a state: one for each combination of outcomes of its successors.
    fn outcomes_of_choice(&mut self, state: u32, choice: &Choice) -> Result<Vec<Outcome>, Problem> {
        type Entries = Vec<(u32, Code)>;
        let mut partial: Vec<(Entries, Entries)> = vec![Default::default()];
        for &(probability, edge) in choice {
            let next: Vec<Outcome> = self.outcomes.of(self.system.target(edge)).to_vec();
            if next.len() * partial.len() > MOST_OUTCOMES {
                return Err(Problem::TooManyResolutions { state, limit: MOST_OUTCOMES });
            }
            let mut extended = Vec::with_capacity(partial.len() * next.len());
            for outcome in next {
                let counts = self.count(outcome.counts, edge.label);
                let outcome = Outcome { counts, ..outcome };
                if let (ONE, [_]) = (probability, &partial[..]) {
                    let reaches = self.outcomes.arena.reaches(outcome).collect();
                    extended.push((reaches, self.outcomes.arena.counts(outcome).to_vec()));
                    continue;
                }
                for (reaches, counts) in &partial {
                    let (mut reaches, mut counts) = (reaches.clone(), counts.clone());
                    for (target, code) in self.outcomes.arena.reaches(outcome) {
                        reaches.push((target, self.numbers.product(probability, code)));
                    }
                    for &(action, code) in self.outcomes.arena.counts(outcome) {
                        counts.push((action, self.numbers.product(probability, code)));
                    }
                    extended.push((reaches, counts));
                }
            }
            partial = extended;
        }
        let finished = partial.into_iter().map(|(mut reaches, mut counts)| {
            self.numbers.merge(&mut reaches);
            self.numbers.merge(&mut counts);
            self.outcomes.arena.outcome(&reaches, &counts)
        });
        Ok(finished.collect())
    }

    /// A run to a state, and the ways to leave it with their known outcomes.
    fn evidence(
        &mut self,
        state: u32,
        choices: &[Choice],
    ) -> Result<(crate::problem::Trace, Vec<Alternative>), Problem> {
        let mut alternatives = Vec::with_capacity(choices.len());
        for choice in choices {
            let first = choice.iter().map(|(_, edge)| (edge.label, edge.target)).collect();
            let mut alternative = Alternative { first, reaches: Vec::new(), counts: Vec::new() };
            let is_known = choice
                .iter()
                .all(|(_, edge)| self.outcomes.of[self.system.target(*edge) as usize].reaches != SEVERAL);
            if is_known && let [outcome] = self.outcomes_of_choice(state, choice)?[..] {
                let double = |code: Code| self.numbers.get(code).to_f64().value();
                let arena = &self.outcomes.arena;
                alternative.reaches = arena.reaches(outcome).map(|(s, p)| (s, double(p))).collect();
                let name = |action: u32| self.system.kinds.actions[action as usize].clone();
                alternative.counts =
                    arena.counts(outcome).iter().map(|&(a, c)| (name(a), double(c))).collect();
            }
            alternatives.push(alternative);
        }
        Ok((self.system.trace_to(state), alternatives))
    }
}

//! First passages: the time until an action happens for the first time, or a state is entered.

use volvelle_control::Control;
use volvelle_logic::StopReason;
use volvelle_logic::gate::Range;
use volvelle_space::{Accuracy, BitSet, RewardVectors, Space};

use crate::chain::Chain;
use crate::generator::Generator;
use crate::interval::Bounds;
use crate::kinds::{Kinds, UNMEASURED, counted};
use crate::options::Choices;
use crate::problem::Problem;
use crate::question::{expected, probability, reward_until};
use crate::structure::Structure;
use crate::system::Goal;

/// The end of a passage: the first of these events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Actions: labels without their rate or probability. The internal action is one of them here.
    pub actions: Vec<String>,
    /// States of the system, tangible or not, when they are entered.
    pub states: Vec<u32>,
}

/// A first passage from the initial state.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Bounds of the mean time; infinite where the target may never be reached.
    pub mean: Bounds,
    /// Bounds of the probability that the target is ever reached.
    pub ever: Bounds,
    /// Bounds of the probability that it is reached within each of the times.
    pub within: Vec<Bounds>,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

impl Chain<'_> {
    /// The time until the target is reached. It depends on fewer choices than throughputs, since counts of
    /// actions on the way do not matter.
    ///
    /// # Errors
    /// There are choices that matter (see [`Chain::passage_extremes`]), a target that does not exist, or a
    /// limit.
    pub fn first_passage(
        &self,
        target: &Target,
        times: &[f64],
        control: &Control,
    ) -> Result<Passage, Problem> {
        let (_, generator, end) = self.passage(target, control)?;
        let options = &self.options.numerical;
        let Some(end) = end else {
            let method = "graph analysis".to_owned();
            let within = vec![[0.0; 2]; times.len()];
            let (mean, ever) = ([f64::INFINITY; 2], [0.0; 2]);
            return Ok(Passage { mean, ever, within, method, stop: StopReason::Computed });
        };
        let space = passage_space(&generator, end);
        let initial = [(space.initial[0].0, [1.0; 2])];
        let questions = [reward_until(0, None), probability(None, None)];
        let found = expected(&space, &initial, &questions, options, control)?;
        let [mean, ever] = [&found[0], &found[1]];
        let questions: Vec<_> = times.iter().map(|&time| probability(Some(time), None)).collect();
        let within = expected(&space, &generator.initial_bounds(), &questions, options, control)?;
        let method = mean.method.clone();
        let stop = found.iter().chain(&within).map(|found| found.stop).max().unwrap_or(mean.stop);
        let within = within.iter().map(|found| Range::PROBABILITY.admit_or_whole(found.bounds)).collect();
        let mean = Range::AMOUNT.admit_or_whole(mean.bounds);
        let ever = Range::PROBABILITY.admit_or_whole(ever.bounds);
        Ok(Passage { mean, ever, within, method, stop })
    }

    /// The chain in which the passage ends, and the number of its end if it is reachable.
    pub(crate) fn passage(
        &self,
        target: &Target,
        control: &Control,
    ) -> Result<(Structure, Generator, Option<u32>), Problem> {
        let (kinds, structure) = self.passage_structure(target, Choices::Refuse, control)?;
        let rates = kinds.rates(&self.options.values)?;
        let generator = Generator::new(&structure, &kinds.measured, &rates);
        let end = structure.end;
        Ok((structure, generator, end))
    }

    /// The tangible states up to the target, without counting actions.
    pub(crate) fn passage_structure(
        &self,
        target: &Target,
        choices: Choices,
        control: &Control,
    ) -> Result<(Kinds, Structure), Problem> {
        let goal = self.goal(target)?;
        let kinds = Kinds { measured: vec![UNMEASURED; self.kinds.measured.len()], ..self.kinds.clone() };
        let keeps = choices == Choices::Keep;
        let structure = Structure::new(self.lts, &kinds, Some(&goal), keeps, control)?;
        Ok((kinds, structure))
    }

    fn goal(&self, target: &Target) -> Result<Goal, Problem> {
        let texts = self.lts.labels.texts();
        let action = |text: &'_ str| counted(text).map_or(text.to_owned(), str::to_owned);
        let actions: Vec<String> = texts.iter().map(|text| action(text)).collect();
        if let Some(name) = target.actions.iter().find(|name| !actions.contains(name)) {
            let mut known = actions;
            known.sort();
            known.dedup();
            return Err(Problem::UnknownAction { name: name.clone(), known });
        }
        let n = self.lts.num_states();
        if let Some(&state) = target.states.iter().find(|state| **state as usize >= n) {
            return Err(Problem::UnknownState { state });
        }
        let labels = actions.iter().map(|action| target.actions.contains(action)).collect();
        Ok(Goal { labels, states: BitSet::of(n, target.states.iter().map(|&state| state as usize)) })
    }
}

/// A chain with time as its only reward, and its end as its only label.
pub(crate) fn passage_space(generator: &Generator, end: u32) -> Space {
    let n = generator.space.num_states();
    let passes = |state: u32| state != end && Some(state) != generator.start;
    let time = RewardVectors {
        name: "time".to_owned(),
        state: Some((0..n as u32).map(|state| f64::from(u8::from(passes(state)))).collect()),
        choice: None,
        mixed: false,
        accuracy: Accuracy::Exact,
    };
    let ends = (0..n).filter(|&state| state == end as usize);
    let labels = vec![("end".to_owned(), BitSet::of(n, ends))];
    Space { labels, rewards: vec![time], ..generator.space.clone() }
}

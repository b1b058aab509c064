//! The state space itself.

use crate::values::Values;
use volvelle_entity::entity;
use volvelle_store::BitSet;

entity!(
    /// Number of a state: its place in the order of discovery.
    StateId
);

/// The kind of a model: the meaning of the numbers on transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Discrete-time Markov chain: probabilities.
    Dtmc,
    /// Continuous-time Markov chain: rates.
    Ctmc,
    /// Markov decision process: probabilities per choice.
    Mdp,
    /// Markov automaton: rates in Markovian choices ([`Choices::markovian`]), probabilities in the others. An interactive
    /// Markov chain is one whose other choices have one transition each.
    MarkovAutomaton,
}

impl Kind {
    /// Name in the literature: `DTMC`, `Markov automaton`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dtmc => "DTMC",
            Kind::Ctmc => "CTMC",
            Kind::Mdp => "MDP",
            Kind::MarkovAutomaton => "Markov automaton",
        }
    }
}

/// The level between states and transitions of a model with nondeterminism.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Choice range of state `s`: `start[s]..start[s + 1]`; length states + 1.
    pub start: Vec<u32>,
    /// Action of every choice: index into [`Space::actions`].
    pub action: Vec<u32>,
    /// The choices whose numbers are rates, one for each state at most: the transitions race, and time passes until one of
    /// them happens. `Some` in Markov automata and nowhere else.
    pub markovian: Option<BitSet>,
}

impl Choices {
    /// Choices without rates: those of an MDP.
    pub fn new(start: Vec<u32>, action: Vec<u32>) -> Self {
        Choices { start, action, markovian: None }
    }

    /// Whether time passes in a choice, so that its numbers are rates.
    pub fn is_markovian(&self, choice: usize) -> bool {
        self.markovian.as_ref().is_some_and(|set| set.contains(choice))
    }
}

/// A reward structure, evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardVectors {
    /// Name; may be empty.
    pub name: String,
    /// State rewards (where time passes: per unit of time); `None` where there are none.
    pub state: Option<Values>,
    /// Expected transition reward per choice (without choices: per state). DTMC and MDP: the mean over the
    /// outcomes of the choice. CTMC and Markovian choices: sum of rate × reward, i.e. per unit of time. `None` where there
    /// are none.
    pub choice: Option<Values>,
    /// Whether the reward of some choice is the mean of different ones: its expectation is right, what a path accumulates is
    /// not known.
    pub mixed: bool,
    /// How far these are from the numbers of the model.
    pub accuracy: Accuracy,
}

/// How far doubles are from the numbers that they stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum Accuracy {
    /// They are the numbers.
    Exact,
    /// They are off by this at most, relative to the number.
    Relative(f64),
    /// They are off by these numbers at most; where there are none, they are exact. Errors of 1e300 or more: no bound is known.
    Within {
        /// State rewards.
        state: Option<Values>,
        /// Rewards of choices.
        choice: Option<Values>,
    },
}

/// That of numbers that were written in decimal notation: the nearest double.
impl Default for Accuracy {
    fn default() -> Self {
        Accuracy::Relative(f64::EPSILON / 2.0)
    }
}

/// An explicit state space.
///
/// Shapes: n states, m choices (m = n where `choices` is `None`), t transitions.
/// Rows have distinct columns, in increasing order. A deadlock state has been given a self-loop
/// (probability or rate 1) unless exploration was configured otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// The meaning of the numbers.
    pub kind: Kind,
    /// Nondeterminism; `None` for DTMC and CTMC.
    pub choices: Option<Choices>,
    /// Transition range of choice `c`: `row_start[c]..row_start[c + 1]`; length m + 1.
    pub row_start: Vec<u32>,
    /// Target states; length t.
    pub columns: Vec<u32>,
    /// Probabilities or rates; length t.
    pub values: Values,
    /// Initial states, in the order of the model; at least one.
    pub initial: Vec<StateId>,
    /// States that had no transition of their own.
    pub deadlocks: BitSet,
    /// Labels by name, in the order of the program's observations.
    pub labels: Vec<(String, BitSet)>,
    /// Reward structures, in the order of the program's.
    pub rewards: Vec<RewardVectors>,
    /// Names of actions that `Choices::action` refers to, with the values that their steps show (`GATE !1 !TRUE`); 0 is the
    /// empty name (no action).
    pub actions: Vec<String>,
}

impl Space {
    /// Number of states, n.
    pub fn num_states(&self) -> usize {
        match &self.choices {
            Some(choices) => choices.start.len() - 1,
            None => self.row_start.len() - 1,
        }
    }

    /// Number of choices, m.
    pub fn num_choices(&self) -> usize {
        self.row_start.len() - 1
    }

    /// Number of transitions, t.
    pub fn num_transitions(&self) -> usize {
        self.columns.len()
    }

    /// The choices of a state (without nondeterminism: the one row of the state).
    pub fn choices_of(&self, state: usize) -> std::ops::Range<usize> {
        match &self.choices {
            Some(choices) => choices.start[state] as usize..choices.start[state + 1] as usize,
            None => state..state + 1,
        }
    }

    /// The transitions of a choice, as a range into `columns` and `values`.
    pub fn row(&self, choice: usize) -> std::ops::Range<usize> {
        self.row_start[choice] as usize..self.row_start[choice + 1] as usize
    }

    /// The targets of all choices of a state; a state that several of them lead to occurs several times.
    #[inline]
    pub fn successors(&self, state: usize) -> &[u32] {
        let choices = self.choices_of(state);
        &self.columns[self.row_start[choices.start] as usize..self.row_start[choices.end] as usize]
    }

    /// The transitions of a choice as pairs of target and value.
    pub fn transitions(&self, choice: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = self.row(choice);
        row.map(|i| (self.columns[i] as usize, self.values.get(i)))
    }

    /// The set behind a label.
    pub fn label(&self, name: &str) -> Option<&BitSet> {
        self.labels.iter().find(|(n, _)| n == name).map(|(_, set)| set)
    }

    /// Bytes held by the arrays.
    pub fn bytes(&self) -> u64 {
        let choices = self.choices.as_ref().map_or(0, |c| {
            let markovian = c.markovian.as_ref().map_or(0, |set| 8 * set.words().len());
            4 * (c.start.capacity() + c.action.capacity()) + markovian
        });
        let rewards = self.rewards.iter().flat_map(|r| {
            let errors = match &r.accuracy {
                Accuracy::Within { state, choice } => [state.as_ref(), choice.as_ref()],
                _ => [None, None],
            };
            [r.state.as_ref(), r.choice.as_ref()].into_iter().chain(errors)
        });
        let rewards = rewards.flatten().map(Values::bytes).sum::<u64>() as usize;
        let labels: usize = self.labels.iter().map(|(_, s)| 8 * s.words().len()).sum();
        (choices
            + 4 * self.row_start.capacity()
            + 4 * self.columns.capacity()
            + self.values.bytes() as usize
            + rewards
            + labels) as u64
    }
}

//! Kinds of models, derived from what a model has.

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Time {
    /// In steps.
    Discrete,
    /// Continuously, at the exit rate of a state.
    Stochastic,
    /// Continuously in Markovian states, not at all in the others.
    UrgentStochastic,
}

/// How one of the choices of a state is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// There is one choice at most.
    Chance,
    /// One player.
    Nondeterminism,
    /// Several players.
    Game,
}

/// The kind of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// How time passes.
    pub time: Time,
    /// How choices are selected.
    pub control: Control,
    /// Whether branches have probabilities (or rates).
    pub probabilistic: bool,
    /// Whether probabilities or rates are intervals.
    pub interval: bool,
    /// Whether they are expressions over parameters.
    pub parametric: bool,
    /// Whether states are observed partially.
    pub observations: bool,
}

impl Kind {
    /// The name in the literature: `DTMC`, `IMDP`, `LTS`, `Markov automaton`.
    pub fn name(self) -> String {
        let base = match (self.time, self.control) {
            (Time::Discrete, Control::Chance) => "DTMC",
            (Time::Stochastic, Control::Chance) => "CTMC",
            (Time::Discrete, Control::Nondeterminism) if !self.probabilistic => "LTS",
            (Time::Discrete, Control::Nondeterminism) => "MDP",
            (Time::Stochastic, Control::Nondeterminism) => "CTMDP",
            (Time::UrgentStochastic, Control::Game) => "Markov automaton game",
            (Time::UrgentStochastic, _) => "Markov automaton",
            (Time::Discrete, Control::Game) if !self.probabilistic => "game",
            (Time::Discrete, Control::Game) => "stochastic game",
            (Time::Stochastic, Control::Game) => "continuous-time stochastic game",
        };
        // Abbreviations take a letter in front, words an adjective.
        let is_short = base == base.to_uppercase();
        let prefixes = [
            (self.parametric, "p", "parametric "),
            (self.interval, "I", "interval "),
            (self.observations, "PO", "partially observable "),
        ];
        let of_kind = prefixes.iter().filter(|(applies, ..)| *applies);
        let mut name: String = of_kind.map(|&(_, short, long)| if is_short { short } else { long }).collect();
        name.push_str(base);
        name
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

//! `--exact`: the numbers of a state space in rational arithmetic, made once for all properties.

use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_explore::{ExactError, Explored};
use volvelle_logic::{Answer, CostBound, Formula, Property, RewardQuery};
use volvelle_markov::{CheckError, ExactValues, Options};
use volvelle_model::Program;
use volvelle_model::kernels::Selection;
use volvelle_session::failure::ordinal;
use volvelle_session::fractions::short_or_about;
use volvelle_session::language::Document;
use volvelle_session::limits::{self, Allowance};
use volvelle_session::observed::selection;
use volvelle_space::ExactSpace;

/// Largest number of states for which rational arithmetic decides comparisons that bounds do not decide.
const DECIDED_EXACTLY: usize = 2_000;

/// The same for steps: with every step fractions grow.
const STEPS_EXACTLY: f64 = 500.0;

/// The same for the amounts that bounds on rewards leave, where rewards are integers.
const EPOCHS_EXACTLY: f64 = 200.0;

/// The same for the values in all of them.
const VALUES_EXACTLY: f64 = 20_000.0;

/// The amounts within a bound, for integers.
fn amount(bound: &CostBound) -> f64 {
    let ends = [&bound.lower, &bound.upper].into_iter().flatten();
    ends.map(|end| end.amount.to_f64().value()).fold(0.0, f64::max) + 1.0
}

/// Whether rational arithmetic on this number of states takes negligible time.
pub fn is_soon_exact(states: usize, property: &Property) -> bool {
    let few = |time: f64| time <= STEPS_EXACTLY;
    states <= DECIDED_EXACTLY
        && property.formulas.ids().all(|id| match property.formulas.get(id) {
            Formula::Next(_, bound)
            | Formula::Until(_, _, bound)
            | Formula::WeakUntil(_, _, bound)
            | Formula::Release(_, _, bound) => few(bound.lower) && bound.upper.is_none_or(few),
            Formula::Reward { what: RewardQuery::Cumulative(t) | RewardQuery::Instantaneous(t), .. } => {
                few(*t)
            }
            Formula::Reward { what: RewardQuery::Discounted { upto, .. }, .. } => upto.is_none_or(few),
            Formula::BoundedUntil(_, _, bounds) => {
                let epochs = bounds.iter().map(amount).product::<f64>();
                epochs <= EPOCHS_EXACTLY && epochs * states as f64 <= VALUES_EXACTLY
            }
            Formula::Quantile(_) => false,
            _ => true,
        })
}

/// Whether an error says that bounds did not decide, on a space that is small enough for fractions.
pub fn is_soon_decided(undecided: &CheckError) -> bool {
    match *undecided {
        CheckError::CannotDecide { .. } | CheckError::Flawed(_) => true,
        // A product with automata.
        CheckError::OnTheEdge { states, .. } | CheckError::BalancedLoss { states, .. } => {
            states <= 4 * DECIDED_EXACTLY
        }
        _ => false,
    }
}

/// Why a property has no answer.
pub enum Trouble {
    /// The engine says so.
    Check(CheckError),
    /// The state space has no exact numbers.
    Space(ExactError),
}

impl Trouble {
    /// The limit that was reached, if one was.
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Trouble::Check(CheckError::Limit(stop)) | Trouble::Space(ExactError::Stopped(stop)) => {
                Some(*stop)
            }
            _ => None,
        }
    }
}

/// Exact numbers by what was observed for them: properties that observe the same share them.
#[derive(Default)]
pub struct Exact {
    last: Option<(Selection, Result<ExactSpace, ExactError>)>,
}

impl Exact {
    /// The exact answer to a property.
    pub fn check(
        &mut self,
        program: &Program,
        explored: &Explored,
        property: &Property,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Answer, Trouble> {
        let exact = self.numbers(program, explored, property, control)?;
        volvelle_markov::check_exactly(&explored.space, exact, property, options, control)
            .map_err(Trouble::Check)
    }

    /// Its exact values in all states.
    pub fn states(
        &mut self,
        program: &Program,
        explored: &Explored,
        property: &Property,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<ExactValues, Trouble> {
        let exact = self.numbers(program, explored, property, control)?;
        volvelle_markov::check_states_exactly(&explored.space, exact, property, options, control)
            .map_err(Trouble::Check)
    }

    /// The numbers of the space, as far as a property needs them.
    fn numbers(
        &mut self,
        program: &Program,
        explored: &Explored,
        property: &Property,
        control: &Control<'_>,
    ) -> Result<&ExactSpace, Trouble> {
        let wanted = selection(&[property]);
        if !self.last.as_ref().is_some_and(|(known, _)| *known == wanted) {
            let made = volvelle_explore::exact(program, explored, &wanted, control);
            self.last = Some((wanted, made));
        }
        match &self.last {
            Some((_, Ok(exact))) => Ok(exact),
            Some((_, Err(error))) => Err(Trouble::Space(error.clone())),
            None => Err(Trouble::Check(CheckError::EmptyFilter)),
        }
    }
}

/// Why a state space has no exact numbers.
pub fn explain(
    error: &ExactError,
    place: Span,
    document: &dyn Document,
    state_values: impl Fn(u32) -> Option<Vec<i64>>,
    allowance: &Allowance,
) -> Diagnostic {
    let state = |state: volvelle_space::StateId| {
        let values = state_values(state.0).map(|v| format!(": {}", document.state_text(&v)));
        format!("in the {} state found{}", ordinal(u64::from(state.0) + 1), values.unwrap_or_default())
    };
    let diagnostic = match error {
        ExactError::Inexact { state: s, why } => {
            Diagnostic::error(codes::NO_EXACT_VALUE, format!("there is no exact answer: {why}"))
                .note(state(*s))
                .help("leave --exact out: the answer then has sound bounds")
        }
        ExactError::Sum { state: s, sum } => Diagnostic::error(
            codes::ROUNDING_DECIDES,
            format!("probabilities sum to {}, not to 1", short_or_about(&sum.clone().into())),
        )
        .note(state(*s))
        .help("write the probabilities as fractions: 1/3 instead of 0.333"),
        ExactError::Differs { state: s, what } => Diagnostic::error(
            codes::ROUNDING_DECIDES,
            format!("the model differs in exact arithmetic: {what}"),
        )
        .note(state(*s))
        .help("compare integers instead of decimal fractions: 10*x>=3*n instead of x/n>=0.3"),
        ExactError::RoundedConstants => Diagnostic::error(
            codes::ROUNDING_DECIDES,
            "the model differs in exact arithmetic: a comparison or rounding of constants depends on rounding",
        )
        .help("compare integers instead of decimal fractions: 10*x>=3*n instead of x/n>=0.3"),
        ExactError::RoundedStart => Diagnostic::error(
            codes::ROUNDING_DECIDES,
            "the initial states are selected by a condition on rounded numbers",
        )
        .help("use integers in the condition of init ... endinit"),
        ExactError::NoInitialState => document.explain_no_initial_state(),
        ExactError::RoundedFile => Diagnostic::error(
            codes::NO_EXACT_VALUE,
            "there is no exact answer: the numbers in the file are rounded",
        )
        .help("leave --exact out: the answer then has sound bounds")
        .help("or write the file with fractions"),
        ExactError::Stopped(stop) => limits::stopped(*stop, allowance),
    };
    diagnostic.at(place, "")
}

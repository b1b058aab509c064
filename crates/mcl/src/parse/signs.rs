//! Variables under negations: a fixpoint exists where its variable is under an even number of them.

use crate::tree::{Formula, State, StateId};
use volvelle_diagnostics::{Diagnostic, codes};

/// The negations above a part: whether their number is odd, and the number of equivalences, which negate and do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sign {
    is_odd: bool,
    equivalences: u32,
}

/// One error for each variable under an odd number of negations within its fixpoint, or under an equivalence.
pub(super) fn negated_variables(formula: &Formula) -> Vec<Diagnostic> {
    let mut signs: Vec<Sign> = vec![Sign::default(); formula.states.len()];
    let mut of_variable: Vec<Sign> = vec![Sign::default(); formula.variables.len()];
    let mut is_reported = vec![false; formula.variables.len()];
    let mut found = Vec::new();
    // Parents stand behind their children.
    for index in (0..formula.states.len()).rev() {
        let sign = signs[index];
        let odd = Sign { is_odd: !sign.is_odd, ..sign };
        let mut give = |id: StateId, sign: Sign| signs[id.index()] = sign;
        match formula.state(StateId(index as u32)) {
            State::True | State::False | State::Loop(_) => {}
            State::Not(f) => give(*f, odd),
            State::And(list) | State::Or(list) => list.iter().for_each(|f| give(*f, sign)),
            State::Implies(f, g) => {
                give(*f, odd);
                give(*g, sign);
            }
            State::Equ(f, g) => {
                let both = Sign { equivalences: sign.equivalences + 1, ..sign };
                give(*f, both);
                give(*g, both);
            }
            State::Diamond(_, f) | State::Box(_, f) => give(*f, sign),
            State::Fix(_, variable, f) => {
                of_variable[variable.index()] = sign;
                give(*f, sign);
            }
            State::Variable(variable, span) => {
                let bound = of_variable[variable.index()];
                if sign != bound && !std::mem::replace(&mut is_reported[variable.index()], true) {
                    let reason = match sign.equivalences != bound.equivalences {
                        true => "`equ` needs its operands with and without a negation",
                        false => {
                            "it stands under an odd number of negations; the left side of `implies` counts as one"
                        }
                    };
                    let variable = formula.variable(*variable);
                    let message = format!("the fixpoint of `{}` need not exist", variable.name);
                    found.push(
                        Diagnostic::error(codes::NEGATED_VARIABLE, message)
                            .at(*span, "used under a negation")
                            .also(variable.span, "bound here")
                            .note(reason)
                            .help("move negations inwards: `not <A> F` is `[A] not F`"),
                    );
                }
            }
        }
    }
    found.sort_by_key(|d: &Diagnostic| d.primary.as_ref().map(|label| label.span.start));
    found
}

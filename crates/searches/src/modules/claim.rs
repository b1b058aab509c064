//! From formulas of properties to claims over labels.

use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::ExprId;
use volvelle_logic::{Formula, FormulaId, Formulas, Property, TimeBound};
use volvelle_model::claim::{self, Claim};
use volvelle_model::{Label, Program};
use volvelle_session::needed::state_formulas;

/// Why a formula is no claim that a search decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not one that all runs have to satisfy.
    NotForAll,
    /// It counts steps or time.
    Bounded,
    /// It has an automaton in its place.
    Automaton,
    /// It has probabilities, rewards or other numbers of states.
    Numbers,
}

/// The diagnostic.
pub fn refused(why: Refused) -> Diagnostic {
    let (note, help) = match why {
        Refused::NotForAll => ("it is not a formula for all runs", "write one: --ltl 'G F \"ready\"'"),
        Refused::Bounded => {
            ("it has a bound on steps or time", "use --prop 'P>=1 [ ... ]', which is computed")
        }
        Refused::Automaton => {
            ("an automaton stands in its place", "use --prop 'A [ HOA: {...} ]', which is computed")
        }
        Refused::Numbers => {
            ("it contains probabilities, rewards or values of states", "use --prop, which is computed")
        }
    };
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, "a search cannot decide this formula")
        .note(note)
        .help(help)
}

/// The claim of a property `A [ ... ]`, which all runs of the program have to satisfy. State formulas become
/// labels of the program.
pub fn claim(program: &mut Program, property: &Property) -> Result<Claim, Refused> {
    let formulas = &property.formulas;
    let Formula::ForAll(path) = *formulas.get(property.root) else { return Err(Refused::NotForAll) };
    let states = state_formulas(program, formulas);
    // The parts of the path formula, down to its state formulas.
    let mut needed = vec![false; formulas.len()];
    let mut stack = vec![path];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id.0 as usize], true) {
            continue;
        }
        if states[id.0 as usize].is_some() {
            // The negation of a condition stays one: an implication that is never triggered shows in the condition.
            stack.extend(negated(formulas, id));
            continue;
        }
        match *formulas.get(id) {
            Formula::Not(a) | Formula::Next(a, TimeBound::NONE) => stack.push(a),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b, TimeBound::NONE)
            | Formula::WeakUntil(a, b, TimeBound::NONE)
            | Formula::Release(a, b, TimeBound::NONE) => stack.extend([a, b]),
            Formula::Next(..) | Formula::Until(..) | Formula::WeakUntil(..) | Formula::Release(..) => {
                return Err(Refused::Bounded);
            }
            Formula::Automaton(..) => return Err(Refused::Automaton),
            _ => return Err(Refused::Numbers),
        }
    }
    // Operands come before what uses them, in formulas as in claims.
    let mut nodes = Vec::new();
    let mut number = vec![0; formulas.len()];
    for id in formulas.ids().filter(|id| needed[id.0 as usize]) {
        let of = |operand: FormulaId| number[operand.0 as usize];
        let node = match states[id.0 as usize] {
            Some(expr) => match negated(formulas, id) {
                Some(operand) => claim::Formula::Not(of(operand)),
                None => proposition(program, expr),
            },
            None => match *formulas.get(id) {
                Formula::Not(a) => claim::Formula::Not(of(a)),
                Formula::And(a, b) => claim::Formula::And(of(a), of(b)),
                Formula::Or(a, b) => claim::Formula::Or(of(a), of(b)),
                Formula::Next(a, _) => claim::Formula::Next(of(a)),
                Formula::Until(a, b, _) => claim::Formula::Until(of(a), of(b)),
                Formula::WeakUntil(a, b, _) => claim::Formula::WeakUntil(of(a), of(b)),
                Formula::Release(a, b, _) => claim::Formula::Release(of(a), of(b)),
                _ => return Err(Refused::Numbers),
            },
        };
        number[id.0 as usize] = nodes.len();
        nodes.push(node);
    }
    Ok(Claim::Ltl(nodes))
}

/// The operand of a negation.
fn negated(formulas: &Formulas, id: FormulaId) -> Option<FormulaId> {
    match *formulas.get(id) {
        Formula::Not(operand) => Some(operand),
        _ => None,
    }
}

/// The label of a condition on states.
fn proposition(program: &mut Program, expr: ExprId) -> claim::Formula {
    if let Some(truth) = program.exprs.as_const(expr).and_then(|value| value.as_bool()) {
        return claim::Formula::Constant(truth);
    }
    let known = program.labels.iter().position(|label| label.expr == expr);
    claim::Formula::Proposition(known.unwrap_or_else(|| {
        program.labels.push(Label { name: None, expr, origin: None });
        program.labels.len() - 1
    }))
}

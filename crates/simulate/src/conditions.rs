//! The parts of a property that a state or a time decides: conditions as expressions of the program, and
//! bounds as windows.

use crate::error::{Unsupported, UnsupportedBound};
use volvelle_kernel::{BinaryOp, Const, ExprId, Type, UnaryOp};
use volvelle_logic::{Comparison, Formula, FormulaId, Formulas, TimeBound};
use volvelle_model::{Initial, Kind, Program};

/// Steps are counted in 32 bits.
pub const MAX_STEPS: f64 = 4e9;

/// From when to when; steps (integers) or time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Earliest.
    pub lower: f64,
    /// The latest time, if any.
    pub upper: Option<f64>,
}

impl Window {
    /// Whether it restricts nothing.
    pub fn is_everything(self) -> bool {
        self.lower == 0.0 && self.upper.is_none()
    }
}

/// A time or a number of steps, if it is one.
pub(crate) fn horizon(kind: Kind, time: f64) -> Result<f64, Unsupported> {
    if !time.is_finite() || time < 0.0 {
        return Err(Unsupported::TimeBound(UnsupportedBound::NotATime));
    }
    if kind != Kind::Ctmc {
        if time.fract() != 0.0 {
            return Err(Unsupported::TimeBound(UnsupportedBound::NotWhole));
        }
        if time >= MAX_STEPS {
            return Err(Unsupported::TimeBound(UnsupportedBound::TooManySteps));
        }
    }
    Ok(time)
}

/// The window of a time bound; `None` if no time is within it.
pub(crate) fn window(kind: Kind, bound: &TimeBound) -> Result<Option<Window>, Unsupported> {
    let (mut lower, mut upper) = (horizon(kind, bound.lower)?, bound.upper);
    if let Some(upper) = upper {
        horizon(kind, upper)?;
    }
    if kind == Kind::Ctmc {
        let strict = bound.lower_strict || bound.upper_strict;
        let empty = upper == Some(0.0) && bound.upper_strict;
        let empty = empty || upper.is_some_and(|u| u < lower || (u == lower && strict));
        return Ok((!empty).then_some(Window { lower, upper }));
    }
    lower += f64::from(u8::from(bound.lower_strict));
    if let (Some(u), true) = (upper, bound.upper_strict) {
        if u == 0.0 {
            return Ok(None);
        }
        upper = Some(u - 1.0);
    }
    Ok(upper.is_none_or(|u| lower <= u).then_some(Window { lower, upper }))
}

/// By formula: the expression for its value, if the state alone determines it.
pub(crate) struct Conditions(Vec<Option<ExprId>>);

impl Conditions {
    /// The expression, if there is one.
    pub(crate) fn get(&self, id: FormulaId) -> Option<ExprId> {
        self.0[id.0 as usize]
    }

    pub(crate) fn new(program: &mut Program, formulas: &Formulas) -> Self {
        let mut found: Vec<Option<ExprId>> = Vec::with_capacity(formulas.len());
        for id in formulas.ids() {
            let of = |operand: FormulaId| found[operand.0 as usize];
            let value = value(program, formulas.get(id), of);
            found.push(value);
        }
        Conditions(found)
    }
}

fn value(
    program: &mut Program,
    formula: &Formula,
    of: impl Fn(FormulaId) -> Option<ExprId>,
) -> Option<ExprId> {
    match formula {
        Formula::Label(label) => return program.labels.get(label.0 as usize).map(|label| label.expr),
        Formula::Observation(number) => return program.numbers.get(number.0 as usize).map(|n| n.expr),
        Formula::Init => return is_initial(program),
        Formula::Deadlock => return Some(is_deadlock(program)),
        _ => {}
    }
    let exprs = &mut program.exprs;
    let both = |a: FormulaId, b: FormulaId| of(a).zip(of(b));
    Some(match *formula {
        Formula::Bool(truth) => exprs.bool(truth),
        Formula::Number(number) => exprs.f64(number),
        Formula::Not(a) => {
            let a = of(a)?;
            match exprs.as_const(a).and_then(Const::as_bool) {
                Some(truth) => exprs.bool(!truth),
                None => exprs.not(a),
            }
        }
        Formula::And(a, b) => both(a, b).map(|(a, b)| exprs.and(a, b))?,
        Formula::Or(a, b) => both(a, b).map(|(a, b)| exprs.or(a, b))?,
        Formula::Compare(comparison, a, b) => {
            let op = match comparison {
                Comparison::Lt => BinaryOp::Lt,
                Comparison::Le => BinaryOp::Le,
                Comparison::Gt => BinaryOp::Gt,
                Comparison::Ge => BinaryOp::Ge,
            };
            both(a, b).map(|(a, b)| exprs.binary(op, a, b))?
        }
        Formula::Equal(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Eq, a, b))?,
        Formula::Add(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Add, a, b))?,
        Formula::Sub(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Sub, a, b))?,
        Formula::Mul(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Mul, a, b))?,
        Formula::Min(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Min, a, b))?,
        Formula::Max(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Max, a, b))?,
        Formula::Floor(a) => of(a).map(|a| exprs.unary(UnaryOp::Floor, a))?,
        Formula::Ceil(a) => of(a).map(|a| exprs.unary(UnaryOp::Ceil, a))?,
        Formula::IfThenElse(c, a, b) => {
            let (c, (a, b)) = of(c).zip(both(a, b))?;
            exprs.select(c, a, b)
        }
        _ => return None,
    })
}

/// Whether a state is the initial one.
fn is_initial(program: &mut Program) -> Option<ExprId> {
    match &program.initial {
        Initial::Predicate(predicate) => Some(*predicate),
        Initial::States(states) => {
            let [state] = states.as_slice() else { return None };
            let state = state.clone();
            Some(program.is_state(&state))
        }
    }
}

/// Whether no step is possible in a state: no group has an enabled alternative of every participant with an
/// outcome of positive weight.
fn is_deadlock(program: &mut Program) -> ExprId {
    use volvelle_model::Weight;
    let Program { exprs, groups, .. } = program;
    let mut some = exprs.bool(false);
    for group in groups.iter() {
        let mut all = exprs.bool(true);
        for participant in &group.participants {
            let mut any = exprs.bool(false);
            for alternative in &participant.alternatives {
                let mut positive = exprs.bool(false);
                for outcome in &alternative.outcomes {
                    let happens = match outcome.weight {
                        Weight::Constant { .. } => exprs.bool(true),
                        Weight::Expr { expr, .. } => {
                            debug_assert!(exprs.ty(expr) == Type::F64);
                            let zero = exprs.f64(0.0);
                            exprs.binary(BinaryOp::Gt, expr, zero)
                        }
                    };
                    positive = exprs.or(positive, happens);
                }
                let enabled = exprs.and(alternative.guard, positive);
                any = exprs.or(any, enabled);
            }
            all = exprs.and(all, any);
        }
        some = exprs.or(some, all);
    }
    exprs.not(some)
}
